"""Alternates and feeds that a page links: hreflang in head and Link header, feed autodiscovery.

Values are read, not judged: a pair needs both of its pages. What is read are rows (canonical.Row), the fields of
facts by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from sitemap_audit.formats.canonical import Base, Row, resolve
from sitemap_audit.formats.headers import LinkValue
from sitemap_audit.formats.hreflang import parse_hreflang
from sitemap_audit.formats.html_signals import HeadLink
from sitemap_audit.formats.urls import is_normal
from sitemap_audit.settings import HEAD_SIGNALS_MAX, RAW_MAX_CHARS, TITLE_MAX_CHARS

FEED_TYPES: Final = frozenset(
    {"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"}
)
_ALTERNATE: Final = ("alternate",)
_TYPOGRAPHIC: Final = "“”„‟«»″‘’‚‛′"
"""Quotes that a word processor made: to HTML they are letters of the value."""


def html_link_rows(links: Sequence[HeadLink], base: Base) -> tuple[list[Row], list[Row]]:
    """Hreflang alternates (facts.PageAlternate) and feeds (facts.FeedLink) among the links of a document, in order."""
    alternates: list[Row] = []
    feeds: list[Row] = []
    for link in links:
        if link.row is not None:
            alternates.append(link.row)
            continue
        tokens, attributes = link.rel, link.attributes
        if tokens == _ALTERNATE and "type" not in attributes:
            if "hreflang" in attributes:
                alternates.append(_html_alternate(link, base))
            continue
        quote_ok = "alternate" in tokens
        if not quote_ok and not any(token.strip(_TYPOGRAPHIC) == "alternate" for token in tokens):
            continue
        media_type = attributes.get("type")
        feed_type = None if media_type is None else _feed_type(media_type)
        if feed_type is not None:
            feeds.append(_feed(link, feed_type, base, quote_ok=quote_ok))
        elif quote_ok and "hreflang" in attributes and "stylesheet" not in tokens:
            alternates.append(_html_alternate(link, base))
    return alternates, feeds


def _html_alternate(link: HeadLink, base: Base) -> Row:
    href = link.attributes.get("href") or ""
    row = _alternate("html", link.attributes["hreflang"] or "", href, base.url, link.in_head)
    if href.startswith(("https://", "http://")):
        link.row = row
    return row


def http_alternate_rows(values: Sequence[LinkValue], page_url: str) -> list[Row]:
    """Hreflang alternates of Link headers; one that names another context (anchor) is not about the page."""
    alternates = [
        _alternate("http", code, value.target, page_url, None)
        for value in values
        if "alternate" in value.rel and value.get("anchor") is None
        for name, code in value.params
        if name == "hreflang"
    ]
    return alternates[:HEAD_SIGNALS_MAX]


def _alternate(
    source: str, code_raw: str, href_raw: str | None, base: str | None, in_head: bool | None
) -> Row:
    code = parse_hreflang(code_raw)
    href = key = href_raw
    if href_raw is None or not is_normal(href_raw):
        url = resolve(href_raw, base)
        href, key = (None, None) if url is None else (url.href, url.key)
    return {
        "source": source,
        "code_raw": code_raw[:RAW_MAX_CHARS],
        "code": code.code,
        "code_issue": code.issue,
        "href_raw": (href_raw or "")[:RAW_MAX_CHARS],
        "href": href,
        "href_key": key,
        "in_head": in_head,
    }


@lru_cache(maxsize=64)
def _feed_type(media_type: str) -> str | None:
    feed_type = media_type.partition(";")[0].strip().strip(_TYPOGRAPHIC).lower()
    return feed_type if feed_type in FEED_TYPES else None


def _feed(link: HeadLink, feed_type: str, base: Base, *, quote_ok: bool) -> Row:
    attributes = link.attributes
    href = attributes.get("href") or ""
    quote_ok = quote_ok and not _is_quoted(href) and not _is_quoted(attributes.get("type") or "")
    url = resolve(href, base.url) if quote_ok else None
    return {
        "type": feed_type,
        "title": (attributes.get("title") or "")[:TITLE_MAX_CHARS] or None,
        "href_raw": href[:RAW_MAX_CHARS],
        "href": None if url is None else url.href,
        "in_head": link.in_head,
        "quote_ok": quote_ok,
    }


def _is_quoted(value: str) -> bool:
    return value != value.strip(_TYPOGRAPHIC)
