"""Redirect chains: which URL comes next, and what is to be said of the way.

A pure state machine: whoever drives it fetches, judges robots.txt and scope, and keeps the rate.

    chain = Chain(href, PAGE_MAX_HOPS)
    while chain.feed(fetch(chain.url)):
        ...                                  # chain.url is the next one; chain.stop() gives up here
    chain.final, chain.end, chain.hops, chain.flags
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

import ada_url

from sitemap_audit.facts import ErrorClass, Hop, HopKind
from sitemap_audit.http.records import Answer
from sitemap_audit.settings import LOCATION_MAX_CHARS

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
"""The statuses that move (RFC 9110, 15.4); 300 and 304 move nobody."""
TEMPORARY: Final = frozenset({302, 303, 307})
BROKEN_HEAD: Final = frozenset({ErrorClass.BAD_HTTP, ErrorClass.TOO_LARGE})
_USER_INFO: Final = re.compile(
    r"^([\x00-\x20]*(?:[a-z][a-z0-9+.-]*:)?[/\\]{2,})[^/\\?#]*@", re.ASCII | re.IGNORECASE
)


class ChainEnd(StrEnum):
    """Why a chain goes no further."""

    ANSWER = "answer"
    """The last answer is no redirect (or there was none): it is the final one."""
    LOOP = "loop"
    TOO_LONG = "too_long"
    BAD_LOCATION = "bad_location"
    STOPPED = "stopped"
    """The driver may not or would not fetch the next URL."""


@dataclass(frozen=True, slots=True)
class RefreshTo:
    """A refresh of the page that the driver wants followed: `url` absolute, after `seconds`."""

    kind: HopKind
    seconds: float
    url: str
    raw: str = ""


class Chain:
    """The redirects of one requested URL. `end` is None as long as `url` waits to be fetched."""

    def __init__(self, url: str, max_hops: int) -> None:
        """`url`: a WHATWG href; `max_hops`: redirects that are followed."""
        self.url = url
        self.hops: list[Hop] = []
        self.end: ChainEnd | None = None
        self.final: Answer | None = None
        """The last answer fed."""
        self.followed = 0
        """Redirects that were followed: less than `hops` when the last one could not be."""
        self._max_hops = max_hops
        self._first_url = url
        self._seen = {url}
        self._downgrade = False
        self._temporary = False

    @property
    def ended(self) -> bool:
        return self.end is not None

    def feed(self, answer: Answer, refresh: RefreshTo | None = None) -> bool:
        """Take the answer of `url`; True when the new `url` is to be fetched and fed next.

        `refresh` counts only where the answer itself is no redirect.
        """
        self.final = answer
        if answer.status in REDIRECTS:
            raw = answer.header("location")
            # A head that broke off, for example at a second Location, points nowhere; a broken body is no matter.
            usable = raw is not None and (answer.error_class not in BROKEN_HEAD or answer.bytes_wire > 0)
            location = resolve_location(raw, self.url) if usable and raw is not None else None
            self._temporary |= answer.status in TEMPORARY
            return self._hop(answer, HopKind.HTTP, raw, location)
        if refresh is not None and refresh.url != self.url:
            self._temporary |= refresh.seconds > 0
            return self._hop(answer, refresh.kind, refresh.raw, resolve_location(refresh.url, self.url))
        self.end = ChainEnd.ANSWER
        return False

    def judge_target(self, allowed: bool | None) -> None:
        """Note what robots.txt of its own origin says of the target of the last hop."""
        self.hops[-1] = replace(self.hops[-1], robots_allowed=allowed)

    def stop(self) -> None:
        """Do not go on: the last hop stays, its target is not fetched."""
        if self.end is None:
            self.end = ChainEnd.STOPPED
            self.followed -= bool(self.followed)

    @property
    def flags(self) -> tuple[str, ...]:
        """loop, too_long, bad_location (how it ended); cross_host and to_root (where it led, against the
        first URL); downgrade (https to http anywhere); temporary (302, 303, 307 or a delayed refresh)."""
        flags = (
            [self.end.value] if self.end in (ChainEnd.LOOP, ChainEnd.TOO_LONG, ChainEnd.BAD_LOCATION) else []
        )
        target = next((hop.location for hop in reversed(self.hops) if hop.location is not None), None)
        last = _read(target) if target is not None else None
        first = _read(self._first_url) if last is not None else None
        if last is not None and first is not None:
            if last.hostname != first.hostname:
                flags.append("cross_host")
            if (last.pathname, last.search) == ("/", "") and first.pathname != "/":
                flags.append("to_root")
        if self._downgrade:
            flags.append("downgrade")
        if self._temporary:
            flags.append("temporary")
        return tuple(flags)

    def _hop(self, answer: Answer, kind: HopKind, raw: str | None, location: str | None) -> bool:
        self.hops.append(
            Hop(
                n=len(self.hops) + 1,
                url=self.url,
                status=answer.status,
                kind=kind,
                location_raw=without_user_info(raw)[:LOCATION_MAX_CHARS] if raw is not None else None,
                location=location,
                ms=answer.total_ms,
                set_cookie=answer.set_cookie,
            )
        )
        if location is None:
            self.end = ChainEnd.BAD_LOCATION
            return False
        self._downgrade |= self.url.startswith("https:") and location.startswith("http:")
        if location in self._seen:
            self.end = ChainEnd.LOOP
        elif self.followed >= self._max_hops:
            self.end = ChainEnd.TOO_LONG
        if self.end is not None:
            return False
        self.followed += 1
        self._seen.add(location)
        self.url = location
        return True


def resolve_location(raw: str, base: str) -> str | None:
    """The http(s) href, without fragment and user info, that a Location value (latin-1) means on page `base`.

    None where there is no usable one: empty, of another scheme, unreadable, or too long for a request.
    Bytes beyond ASCII are read as UTF-8 when they are that, else escaped one by one, as browsers do
    (RFC 9110, 10.2.2; WHATWG URL).
    """
    if not raw.strip(" \t") or len(raw) > LOCATION_MAX_CHARS:
        return None
    if not raw.isascii():
        try:
            data = raw.encode("latin-1")
        except UnicodeEncodeError:
            data = raw.encode()  # not from a header line: text already
        try:
            raw = data.decode()
        except UnicodeDecodeError:
            raw = "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in data)
    url = _read(raw, base)
    if url is None or url.protocol not in ("http:", "https:"):
        return None
    url.username = url.password = url.hash = ""
    href: str = url.href
    return href


def without_user_info(raw: str) -> str:
    """The text of a URL without `user:password@`: credentials are never kept."""
    return _USER_INFO.sub(r"\1", raw) if "@" in raw else raw


def _read(text: str, base: str | None = None) -> ada_url.URL | None:
    try:
        return ada_url.URL(text, base=base)
    except ValueError:
        return None
