"""The links of a main text, as one hash: the sorted set of their URL keys (definitions 1 and 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from selectolax.lexbor import LexborNode

from sitemap_audit.formats.content_print import hash_16
from sitemap_audit.formats.urls import Url, parse_url
from sitemap_audit.settings import CONTENT_LINKS_MAX, RAW_MAX_CHARS

_PLAIN_PATH: Final = re.compile(r"/(?:[A-Za-z0-9_~-][A-Za-z0-9._~/-]*)?", re.ASCII)
"""Paths that stand in a URL key as they are (with a look for dot segments beside it): most links."""
_TRACKING: Final = re.compile(
    r"(?:utm_[a-z_]+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|mc_cid|mc_eid|ref)(?:=|$)",
    re.IGNORECASE | re.ASCII,
)
_NO_PAGE: Final = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE | re.ASCII)


class Links(NamedTuple):
    """`out_links`: links that lead anywhere by http or https, repeats counted; `links_hash`: of the set."""

    out_links: int
    links_hash: str


def read_links(nodes: Iterable[LexborNode], base: str | None) -> Links:
    """Links of the a and area elements given. Those to a place within the page (`#top`) are none.

    `base`: what relative ones stand against; None when nothing can.
    """
    keys: set[str] = set()
    number = 0
    origin = _origin(base)
    for node in nodes:
        href = node.attributes.get("href")
        if href is None or number >= CONTENT_LINKS_MAX:
            continue
        key = _key(href, base, origin)
        if key is not None:
            number += 1
            keys.add(key)
    return Links(number, hash_16("\n".join(sorted(keys)).encode("utf-8", "replace")))


def _origin(base: str | None) -> str:
    url = None if base is None else parse_url(base)
    return "" if url is None else url.origin


def _key(href: str, base: str | None, origin: str) -> str | None:
    if origin and _PLAIN_PATH.fullmatch(href) and "/." not in href:
        return origin + href
    href = href.strip(" \t\n\r\f")
    if not href or href[0] == "#" or len(href) > RAW_MAX_CHARS or _NO_PAGE.match(href):
        return None
    if href.startswith(("https://", "http://")):
        url: Url | None = parse_url(href)
    elif base is None:
        return None
    else:
        url = parse_url(href, base)
    return None if url is None else without_tracking(url.key)


def without_tracking(key: str) -> str:
    """A URL key without the parameters that only tell where a visitor came from."""
    path, mark, query = key.partition("?")
    if not mark or not query:
        return key
    kept = [part for part in query.split("&") if not _TRACKING.match(part)]
    return f"{path}?{'&'.join(kept)}" if kept else path
