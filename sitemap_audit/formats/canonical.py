"""The canonical that a page declares, in its head and in Link headers, and what the declarations amount to.

Definition 8. Whether the target is any good is judged elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sitemap_audit.facts import CanonicalHtml, CanonicalHttp
from sitemap_audit.formats.headers import LinkValue
from sitemap_audit.formats.html_signals import HeadLink
from sitemap_audit.formats.urls import Url, parse_url
from sitemap_audit.settings import RAW_MAX_CHARS

_SPACE: Final = " \t\n\r\f"
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.ASCII | re.IGNORECASE)
_IGNORED: Final = ("hreflang", "lang", "media", "type")
_IGNORED_HEADER: Final = (*_IGNORED, "anchor")


Row = dict[str, Any]
"""The fields of one fact by name. Making the frozen record costs six times as much, writing it as JSON four."""


class Base(NamedTuple):
    """What relative links of a document stand against.

    `url` is None under a base that is not of http(s), such as file: no relative link is usable then.
    """

    url: str | None
    from_element: bool


class Canonical(NamedTuple):
    """`state`: none, ignored, invalid, conflict, self or other; `target` only for self and other."""

    html: tuple[CanonicalHtml, ...]
    http: tuple[CanonicalHttp, ...]
    target: str | None
    state: str


class CanonicalRows(NamedTuple):
    """A Canonical whose facts are rows: their fields by name, as the line of a page wants them."""

    html: list[Row]
    http: list[Row]
    target: str | None
    state: str


def document_base(base_href: str | None, page_url: str) -> Base:
    """The base of a document (HTML Standard, 2.4.3) from the href of its first base element, if it has one."""
    if base_href is None:
        return Base(page_url, False)
    url = parse_url(base_href, page_url)
    if url is not None:
        return Base(url.href, True)
    scheme = _SCHEME.match(base_href.lstrip(_SPACE))
    foreign = scheme is not None and scheme[0].lower() not in ("http:", "https:", "data:", "javascript:")
    return Base(None if foreign else page_url, foreign)


def resolve(href: str | None, base: str | None) -> Url | None:
    """The URL a link means. An empty one means none: joined with the base it would fake a link to the page.

    `base`: an href as the WHATWG parser wrote it.
    """
    if not href or not href.strip(_SPACE):
        return None
    if href.startswith(("https://", "http://")):
        return parse_url(href)  # without a base it is the same link on every page, for caches
    if href[0] == "/" and base is not None and (path := base.find("/", 8)) > 0:
        base = base[
            : path + 1
        ]  # of the base only scheme, host and port play a role, so that it is the same too
    return parse_url(href, base)


def read_canonical(
    links: Sequence[HeadLink], values: Sequence[LinkValue], base: Base, page: Url
) -> Canonical:
    """`links` of the document, `values` of its Link headers; `page`: the final URL."""
    rows = canonical_rows(links, values, base, page)
    html, http = (CanonicalHtml(**row) for row in rows.html), (CanonicalHttp(**row) for row in rows.http)
    return Canonical(tuple(html), tuple(http), rows.target, rows.state)


def canonical_rows(
    links: Sequence[HeadLink], values: Sequence[LinkValue], base: Base, page: Url
) -> CanonicalRows:
    """What `read_canonical` gives, as rows."""
    html: list[Row] = []
    http: list[Row] = []
    candidates = 0
    targets: dict[str, str] = {}
    for link in links:
        if "canonical" not in link.rel:
            continue
        attributes = link.attributes
        href = attributes.get("href")
        # Nearly all have two attributes: rel and href.
        attrs = () if len(attributes) == 2 and href else tuple(n for n in _IGNORED if n in attributes)
        in_place = link.in_head and not attrs
        url = page if href == page.href else resolve(href, base.url)
        candidates += in_place
        if in_place and url is not None:
            targets.setdefault(url.key, url.href)
        html.append(
            {
                "href_raw": (href or "")[:RAW_MAX_CHARS],
                "href": None if url is None else url.href,
                "in_head": link.in_head,
                "base_used": base.from_element and not _SCHEME.match((href or "").lstrip(_SPACE)),
                "attrs": attrs,
                "used": in_place and url is not None,
            }
        )
    for value in values:
        if "canonical" not in value.rel:
            continue
        params: tuple[str, ...] = ()
        if len(value.params) > 1:
            params = tuple(name for name in _IGNORED_HEADER if value.get(name) is not None)
        url = page if value.target == page.href else resolve(value.target, page.href)
        candidates += not params
        if not params and url is not None:
            targets.setdefault(url.key, url.href)
        http.append(
            {
                "href_raw": value.target[:RAW_MAX_CHARS],
                "href": None if url is None else url.href,
                "params": params,
                "used": not params and url is not None,
            }
        )
    if len(targets) == 1:
        ((key, target),) = targets.items()
        return CanonicalRows(html, http, target, "self" if key == page.key else "other")
    state = "conflict" if targets else "invalid" if candidates else "ignored" if html or http else "none"
    return CanonicalRows(html, http, None, state)
