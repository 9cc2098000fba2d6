"""Response headers: finding them, and reading the values that the audit needs.

Headers are pairs of a lower-case name and a stripped latin-1 text; order and repeats are kept, since lines
that were joined with commas would change what X-Robots-Tag means. Nothing here raises.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple

from sitemap_audit.facts import Refresh
from sitemap_audit.formats.dates import parse_http_date
from sitemap_audit.formats.urls import parse_url

Headers = Sequence[tuple[str, str]]

_SPACE: Final = " \t\n\r\f"
_DIGITS: Final = re.compile(r"\d{1,18}", re.ASCII)
_MIME: Final = re.compile(r"[ \t]*([!#$%&'*+.^_`|~\w-]+/[!#$%&'*+.^_`|~\w-]+)[ \t]*(?:;|$)", re.ASCII)
_MIME_PARAMETER: Final = re.compile(
    r';[ \t]*([^;=]*+)(?:=(?:"((?:[^"\\]++|\\.)*+)"?[^;]*+|([^;]*+)))?', re.ASCII
)
_LINK_TARGET: Final = re.compile(r"[ \t,]*+<([^>]*+)>")
_LINK_PARAMETER: Final = re.compile(
    r"[ \t]*+;[ \t;]*+([^ \t=;,\"<>]++)(?:[ \t]*+=[ \t]*+(?:\"((?:[^\"\\]++|\\.)*+)\"|([^ \t;,\"]*+)))?+"
)
_LINK_USUAL: Final = re.compile(r'<([^<> \t\n\r\f]+)>; rel=("?)([a-z]+)\2')
"""One value that has a rel of one word, and nothing else."""
_LINK_SKIP: Final = re.compile(r'(?:[^,"]++|"(?:[^"\\]++|\\.)*+(?:"|$))*+,?')
_REFRESH: Final = re.compile(
    r"[ \t\n\r\f]*+(\d*+(?:\.\d*+)?+)[\d.]*+(?:[ \t\n\r\f]*+(?:[;,]|(?<=[ \t\n\r\f]))|$)(.*)",
    re.ASCII | re.DOTALL,
)
_REFRESH_URL: Final = re.compile(r"url[ \t\n\r\f]*=[ \t\n\r\f]*(.*)", re.IGNORECASE | re.DOTALL)
_MAX_AGE: Final = re.compile(r'(?:^|,)[ \t]*max-age[ \t]*=[ \t]*"?(\d{1,18})', re.ASCII | re.IGNORECASE)
_SECONDS_MAX: Final = 1e9


class ContentType(NamedTuple):
    """`type`: the media type in lower case without parameters, None if there is none to be read."""

    type: str | None
    charset: str | None


class LinkValue(NamedTuple):
    """One value of a Link header. `rel`: lower-case tokens of the first rel; `params`: all, names lower-case."""

    target: str
    rel: frozenset[str]
    params: tuple[tuple[str, str], ...]

    def get(self, name: str) -> str | None:
        """The first parameter of that name."""
        return next((value for key, value in self.params if key == name), None)


def get(headers: Headers, name: str) -> str | None:
    """The first value of a header; `name` in lower case."""
    return next((value for key, value in headers if key == name), None)


def get_all(headers: Headers, name: str) -> tuple[str, ...]:
    """Each line of a header by itself, in order."""
    return tuple(value for key, value in headers if key == name)


@lru_cache(maxsize=256)
def parse_content_type(value: str) -> ContentType:
    """RFC 9110, 8.3, read as the WHATWG MIME Sniffing Standard (4.4) does; the first charset counts."""
    media = _MIME.match(value)
    if media is None:
        return ContentType(None, None)
    for parameter in _MIME_PARAMETER.finditer(value, media.end(1)):
        name, quoted, plain = parameter.groups()
        if name.strip(_SPACE).lower() == "charset":
            charset = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else (plain or "").strip(_SPACE)
            if charset:
                return ContentType(media[1].lower(), charset)
    return ContentType(media[1].lower(), None)


def parse_link(value: str) -> list[LinkValue]:
    """The values of one Link line (RFC 8288, 3). What has no target in <> is skipped up to its comma."""
    usual = _LINK_USUAL.fullmatch(value)
    if usual is not None:
        target, _, rel = usual.groups()
        return [LinkValue(target, *_of_rel(rel))]
    links, position = [], 0
    while position < len(value):
        target = _LINK_TARGET.match(value, position)
        if target is not None:
            position = target.end()
            params = []
            while parameter := _LINK_PARAMETER.match(value, position):
                position = parameter.end()
                name, quoted, plain = parameter.groups()
                text = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else plain or ""
                params.append((name.lower(), text))
            rel = next((text for name, text in params if name == "rel"), "")
            links.append(LinkValue(target[1].strip(_SPACE), frozenset(rel.lower().split()), tuple(params)))
        skip = _LINK_SKIP.match(value, position)
        position = len(value) if skip is None or skip.end() == position else skip.end()
    return links


@lru_cache(maxsize=64)
def _of_rel(rel: str) -> tuple[frozenset[str], tuple[tuple[str, str], ...]]:
    """`rel` and `params` of a Link value without another parameter."""
    return frozenset((rel,)), (("rel", rel),)


def parse_refresh(value: str, base: str) -> Refresh | None:
    """A Refresh header or the content of a meta refresh (HTML Standard, 4.2.5.3, declarative refresh steps).

    `url` is absolute, against `base`, and None where only the time is given: the page reloads itself. None:
    there is no time, or the target is no http(s) URL.
    """
    refresh = _REFRESH.match(value)
    if refresh is None or not refresh[1]:
        return None
    number = refresh[1].strip(".")
    seconds = min(float(f"0{refresh[1]}"), _SECONDS_MAX) if number else 0.0
    target = refresh[2].strip(_SPACE)
    if not target:
        return Refresh(seconds, None)
    named = _REFRESH_URL.match(target)
    if named is not None:
        target = named[1]
    if target[:1] in ("'", '"'):
        target = target[1:].partition(target[0])[0]
    url = parse_url(target, base)
    return None if url is None else Refresh(seconds, url.href)


def parse_retry_after(value: str, now: datetime, *, date: str | None = None) -> int | None:
    """Seconds to wait (RFC 9110, 10.2.3), from a number or a date; a date in the past is 0.

    `date`: the Date header of the same answer. Who wrote both has one clock, and ours may be wrong.
    """
    number = int_header(value)
    if number is not None:
        return number
    at = http_date(value)
    if at is None:
        return None
    return max(0, math.ceil((at - (http_date(date or "") or now)).total_seconds()))


def int_header(value: str | None) -> int | None:
    """A number of ASCII digits (Content-Length, Age); None for anything else and beyond 18 digits."""
    return int(value) if value and _DIGITS.fullmatch(value) else None


def cache_control_max_age(value: str) -> int | None:
    """max-age of a Cache-Control value in seconds (RFC 9111, 5.2.2.1)."""
    found = _MAX_AGE.search(value)
    return None if found is None else int(found[1])


@lru_cache(maxsize=1_024)
def http_date(value: str) -> datetime | None:
    """The instant of Date, Last-Modified and the like; also where the form is wrong but the meaning plain."""
    date = parse_http_date(value)
    return date.utc or date.lenient_utc
