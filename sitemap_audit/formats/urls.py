"""URLs as the audit spells them: the WHATWG form that is requested, and the key that makes two spellings one.

Only syntax lives here. Nothing is looked up, fetched or judged. ada-url parses by the WHATWG URL Standard;
the key is our definition 1. Robots rules are matched on `href`, never on `key`: the key decodes %7E.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import Final, NamedTuple

import ada_url

from sitemap_audit.settings import LOC_MAX_CHARS

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ESCAPE: Final = re.compile(r"%([0-9A-Fa-f]{2})", re.ASCII)
_HEX: Final = frozenset("0123456789abcdefABCDEF")

# A spelling that the WHATWG parser gives back as it is, told without calling it (most of what sitemaps
# list; a tenth of the time). Narrow on purpose: what it does not know goes to ada. The host ends in a
# label of letters, so that it is no IPv4 address; dot segments and punycode are looked for beside it.
_PLAIN: Final = re.compile(
    r"(https?)://([a-z0-9._-]+\.[a-z]{2,24})/[A-Za-z0-9._~!$&()*+,;=:@/%-]*(?:\?[A-Za-z0-9._~!$&()*+,;=:@/?%-]*)?",
    re.ASCII,
)
# Of these, the ones without an escape, dot segments and punycode: they are their own key as well.
_NORMAL: Final = re.compile(
    r"https?://(?![^/]*xn--)[a-z0-9._-]+\.[a-z]{2,24}(?:/(?!\.)[A-Za-z0-9._~!$&()*+,;=:@-]*+)++"
    r"(?:\?(?:/(?!\.)|[A-Za-z0-9._~!$&()*+,;=:@?-])*+)?",
    re.ASCII,
)


class Url(NamedTuple):
    """An absolute http(s) URL.

    `href` is the WHATWG form without fragment and user info: what is requested and shown. `key` is
    definition 1. `host` is lower case, an A-label or an address (IPv6 in brackets). `port` is the
    effective one. `origin` is scheme://host[:port], the default port left out.
    """

    href: str
    key: str
    scheme: str
    host: str
    port: int
    origin: str


def parse_url(text: str, base: str | None = None) -> Url | None:
    """The http(s) URL that `text` means, relative to `base` if that is given; None if there is none.

    `text` is as found: white space around it is trimmed, tabs and line breaks inside are dropped (WHATWG
    URL Standard, basic URL parser). A `base` that is no URL gives None. Never raises.
    """
    # A cache of long texts would be a way to fill our memory.
    return _parse(text, base) if len(text) > LOC_MAX_CHARS else _parse_cached(text, base)


def is_normal(text: str) -> bool:
    """Is this surely an http(s) URL that is its own href and its own key? False says nothing. 1 us."""
    return _NORMAL.fullmatch(text) is not None


def url_key(href: str) -> str:
    """Definition 1 of an absolute URL that the WHATWG parser wrote. Idempotent.

    Scheme, host, port, dot segments and non-ASCII characters are in order by then; what is left to do is
    to drop fragment and user info, to decode escaped unreserved characters and to upper-case hex digits.
    """
    href = _without_user_info(href.partition("#")[0])
    return _ESCAPE.sub(_plain_escape, href) if "%" in href else href


def url_id(key: str) -> str:
    """The first 16 hex digits of the SHA-256 of a URL key."""
    return hashlib.sha256(key.encode()).hexdigest()[:16]


def url_number(key: str) -> int:
    """The url_id of a key as a number."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")


def pace_host(url: Url) -> str:
    """Whose request rate it is: the host for ports 80 and 443 together, else host:port."""
    return url.host if url.port in (80, 443) else f"{url.host}:{url.port}"


def had_user_info(text: str) -> bool:
    """Does the URL, as found, hold a user name or a password? `parse_url` takes them away."""
    if "@" not in text:
        return False
    href = _href(text, "http://relative.invalid/")
    return href is not None and _without_user_info(href) != href


def _parse(text: str, base: str | None) -> Url | None:
    plain = _PLAIN.fullmatch(text)
    escapes = "%" in text
    if plain and not ("/." in text or "xn--" in text or (escapes and "%2e" in text.lower())):
        scheme, host = plain.groups()
        key = _ESCAPE.sub(_plain_escape, text) if escapes else text
        return Url(text, key, scheme, host, _DEFAULT_PORTS[scheme], f"{scheme}://{host}")
    href = _href(text, base)
    if href is None or not href.startswith(("http://", "https://")):
        return None
    href = _without_user_info(href.partition("#")[0])
    scheme, _, rest = href.partition("://")
    authority = rest.partition("/")[0]
    colon = authority.rfind(":")
    if colon > authority.rfind("]"):
        host, port = authority[:colon], int(authority[colon + 1 :])
    else:
        host, port = authority, _DEFAULT_PORTS[scheme]
    return Url(href, url_key(href), scheme, host, port, f"{scheme}://{authority}")


_parse_cached: Final = lru_cache(maxsize=2_048)(_parse)
"""The URLs of a hreflang cluster come back with every page of it."""


def _href(text: str, base: str | None) -> str | None:
    href = _ada(text, base)
    if href is None:
        # Lone surrogates become U+FFFD (WHATWG URL Standard: input is a scalar value string).
        scalar, scalar_base = _scalar(text), None if base is None else _scalar(base)
        if (scalar, scalar_base) != (text, base):
            href = _ada(scalar, scalar_base)
    return href


def _ada(text: str, base: str | None) -> str | None:
    try:
        href: str = ada_url.normalize_url(text) if base is None else ada_url.join_url(base, text)
    except ValueError:  # UnicodeEncodeError is one
        return None
    return href


def _scalar(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _without_user_info(href: str) -> str:
    if "@" not in href:
        return href
    scheme, mark, rest = href.partition("://")
    authority, slash, path = rest.partition("/")
    return f"{scheme}{mark}{authority.rpartition('@')[2]}{slash}{path}"


def _plain_escape(match: re.Match[str]) -> str:
    """One escape in its normal spelling."""
    code = int(match[1], 16)
    # A stray `%` or `%x` in front would make a new escape of what is decoded here: left alone, so that
    # a key never means more than one decoding and the key of a key is the key.
    text, start = match.string, match.start()
    stray = text[start - 1] == "%" or (text[start - 2] == "%" and text[start - 1] in _HEX)
    return chr(code) if code in _UNRESERVED and not stray else match[0].upper()
