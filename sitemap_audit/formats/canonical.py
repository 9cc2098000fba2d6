"""The canonical that a page declares, in its head and in Link headers, and what the declarations amount to.

Definition 8. Whether the target is any good is judged elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from sitemap_audit.facts import CanonicalHtml, CanonicalHttp
from sitemap_audit.formats.headers import LinkValue
from sitemap_audit.formats.html_head import HeadLink
from sitemap_audit.formats.urls import Url, parse_url
from sitemap_audit.settings import RAW_MAX_CHARS

_SPACE: Final = " \t\n\r\f"
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.ASCII | re.IGNORECASE)
_IGNORED: Final = ("hreflang", "lang", "media", "type")
_IGNORED_HEADER: Final = (*_IGNORED, "anchor")


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
    """The URL a link means. An empty one means none: joined with the base it would fake a link to the page."""
    if not href or not href.strip(_SPACE):
        return None
    # Without a base it is the same link on every page, for caches.
    return parse_url(href) if href.startswith(("https://", "http://")) else parse_url(href, base)


def read_canonical(
    links: Sequence[HeadLink], values: Sequence[LinkValue], base: Base, page: Url
) -> Canonical:
    """`links` of the document, `values` of its Link headers; `page`: the final URL."""
    html, http = [], []
    candidates = 0
    targets: dict[str, str] = {}
    for link in links:
        if "canonical" not in link.rel:
            continue
        href = link.attributes.get("href")
        attrs = tuple(name for name in _IGNORED if name in link.attributes)
        in_place = link.in_head and not attrs
        url = page if href == page.href else resolve(href, base.url)
        candidates += in_place
        if in_place and url is not None:
            targets.setdefault(url.key, url.href)
        html.append(
            CanonicalHtml(
                href_raw=(href or "")[:RAW_MAX_CHARS],
                href=None if url is None else url.href,
                in_head=link.in_head,
                base_used=base.from_element and not _SCHEME.match((href or "").lstrip(_SPACE)),
                attrs=attrs,
                used=in_place and url is not None,
            )
        )
    for value in values:
        if "canonical" not in value.rel:
            continue
        params = tuple(name for name in _IGNORED_HEADER if value.get(name) is not None)
        url = resolve(value.target, page.href)
        candidates += not params
        if not params and url is not None:
            targets.setdefault(url.key, url.href)
        http.append(
            CanonicalHttp(
                href_raw=value.target[:RAW_MAX_CHARS],
                href=None if url is None else url.href,
                params=params,
                used=not params and url is not None,
            )
        )
    if len(targets) == 1:
        ((key, target),) = targets.items()
        return Canonical(tuple(html), tuple(http), target, "self" if key == page.key else "other")
    state = "conflict" if targets else "invalid" if candidates else "ignored" if html or http else "none"
    return Canonical(tuple(html), tuple(http), None, state)
