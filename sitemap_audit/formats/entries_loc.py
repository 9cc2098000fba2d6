"""What is wrong with the address of an entry: with its spelling, and with where it leads from its file.

Names as in docs/facts.md, entries.loc_issues, in that order. Thresholds and exemptions are the rules'.
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from typing import Final, NamedTuple

from sitemap_audit.formats.urls import Url
from sitemap_audit.settings import LOC_MAX_CHARS, SESSION_ID_MIN_CHARS

SPACE: Final = " \t\r\n\f\v"
# A spelling in which nothing can be wrong but its length: most of them.
_QUIET: Final = re.compile(r"https?://[A-Za-z0-9.:-]+/[A-Za-z0-9._~/:@!$'()*+,=-]*", re.ASCII)
PLAIN_REST: Final = re.compile(
    r"[A-Za-z0-9._~!$&()*+,;=:@/-]*(?:\?[A-Za-z0-9._~!$&()*+,;=:@/?-]*)?", re.ASCII
)
_ABSOLUTE: Final = re.compile(r"https?://", re.IGNORECASE)
_OTHER_SCHEME: Final = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]*:", re.ASCII | re.IGNORECASE)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_UNENCODED: Final = re.compile(r"""[^\x21-\x7e]|[\\^`{|}"<>]""")
_DOUBLE: Final = re.compile(
    r"&(?:amp|\#38|\#x26);|%25(?:2[0-9A-F]|3[ABDF]|40|5[BD]|[89A-F][0-9A-F])", re.IGNORECASE | re.ASCII
)
_SESSION: Final = re.compile(
    r"[;?&](?:jsessionid|phpsessid|aspsessionid[a-z]*|cfid|cftoken)="
    rf"|[;?&](?:sid|session_?id)=[0-9a-f]{{{SESSION_ID_MIN_CHARS},}}(?:[&\#;]|$)",
    re.IGNORECASE | re.ASCII,
)
_TRACKING: Final = re.compile(
    r"[?&](?:utm_[a-z_]+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|mc_cid|mc_eid|ref)=",
    re.IGNORECASE | re.ASCII,
)
PARAMETER: Final = re.compile(
    r"[;?&](?:jsess|phpsess|aspsess|cf(?:id|tok)|s(?:id|ession)|utm_|gcl|dcl|[gw]braid|fbcl|mscl|ycl|mc_|ref=)",
    re.IGNORECASE | re.ASCII,
)
"""The beginnings of all names in the two patterns above: one look instead of two."""
_PRIVATE_SUFFIXES: Final = (".localhost", ".local", ".test", ".internal", ".localdomain", ".home.arpa")


class Place(NamedTuple):
    """Where a sitemap file stands: what its entries may lie in."""

    url: Url
    root: str
    """Its origin, with the slash."""
    prefix: str
    """Origin and directory, with the slash: the usual scope of the file (sitemaps.org, location)."""

    @classmethod
    def of(cls, url: Url) -> Place:
        path = url.href.partition("?")[0]
        return cls(url, f"{url.origin}/", path[: path.rindex("/") + 1])

    def is_plain(self, text: str) -> bool:
        """Is a trimmed text an address of the file's own origin that parse_url would give back as it is?

        Told without parsing, for most of what a sitemap lists: `href` and `key` are the text itself, and no
        spelling issue is possible but too_long, session, tracking and, by `&amp;`, double_escaped.
        """
        root = self.root
        return (
            text.startswith(root) and PLAIN_REST.fullmatch(text, len(root)) is not None and "/." not in text
        )


def spelling_issues(text: str) -> list[str]:
    """Of a trimmed, unescaped loc: relative, invalid, too_long, not_encoded, double_escaped, fragment,
    session, tracking. `invalid` here: a control character inside, or a scheme that no crawler follows.
    """
    issues = []
    if _QUIET.fullmatch(text) is None:
        if _OTHER_SCHEME.match(text) is not None:
            issues.append("invalid")
        elif _ABSOLUTE.match(text) is None:
            issues.append("relative")
        if not issues and _CONTROL.search(text) is not None:
            issues.append("invalid")
        if _UNENCODED.search(text) is not None:
            issues.append("not_encoded")
        if _DOUBLE.search(text) is not None:
            issues.append("double_escaped")
        if "#" in text:
            issues.append("fragment")
        issues += parameter_issues(text)
    if len(text) >= LOC_MAX_CHARS:
        issues.append("too_long")
    return issues


def parameter_issues(text: str, query: int = 0) -> list[str]:
    """Of any loc: session, tracking. `query`: where the first `?` is, as far as that is known."""
    issues: list[str] = []
    start = 0 if query < 0 or ";" in text else query
    if "=" in text and PARAMETER.search(text, start) is not None:
        if _SESSION.search(text) is not None:
            issues.append("session")
        if _TRACKING.search(text) is not None:
            issues.append("tracking")
    return issues


def place_issues(url: Url, place: Place) -> list[str]:
    """Of an address in its file: private_host, other_host, other_scheme (or port), outside_directory."""
    if url.href.startswith(place.prefix):
        return []
    own = place.url
    if url.host != own.host:
        return ["private_host", "other_host"] if private_host(url.host) else ["other_host"]
    issues = []
    if url.origin != own.origin:
        issues.append("other_scheme")
    if not url.href[len(url.origin) :].startswith(place.prefix[len(own.origin) :]):
        issues.append("outside_directory")
    return issues


@lru_cache(maxsize=1_024)
def private_host(host: str) -> bool:
    """No host of the public web: localhost, a name without a dot, a reserved suffix, an address not global."""
    bare = host.rstrip(".")
    if bare.startswith("[") or bare[-1:].isdigit():
        try:
            return not ipaddress.ip_address(bare.strip("[]")).is_global
        except ValueError:
            return False
    return "." not in bare or bare.endswith(_PRIVATE_SUFFIXES)
