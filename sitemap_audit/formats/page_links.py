"""Alternates and feeds that a page links: hreflang in head and Link header, feed autodiscovery.

Values are read, not judged: a pair needs both of its pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from sitemap_audit.facts import FeedLink, PageAlternate
from sitemap_audit.formats.canonical import Base, resolve
from sitemap_audit.formats.headers import LinkValue
from sitemap_audit.formats.hreflang import parse_hreflang
from sitemap_audit.formats.html_head import HeadLink
from sitemap_audit.settings import HEAD_SIGNALS_MAX, RAW_MAX_CHARS, TITLE_MAX_CHARS

FEED_TYPES: Final = frozenset(
    {"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"}
)
_TYPOGRAPHIC: Final = "“”„‟«»″‘’‚‛′"
"""Quotes that a word processor made: to HTML they are letters of the value."""


def read_html_links(
    links: Sequence[HeadLink], base: Base
) -> tuple[tuple[PageAlternate, ...], tuple[FeedLink, ...]]:
    """Hreflang alternates and feeds among the link elements of a document, in its order."""
    alternates: list[PageAlternate] = []
    feeds: list[FeedLink] = []
    for link in links:
        tokens = link.rel
        quote_ok = "alternate" in tokens
        if not quote_ok and not any(token.strip(_TYPOGRAPHIC) == "alternate" for token in tokens):
            continue
        attributes = link.attributes
        media_type = attributes.get("type")
        feed_type = None if media_type is None else _feed_type(media_type)
        if feed_type is not None:
            feeds.append(_feed(link, feed_type, base, quote_ok=quote_ok))
        elif quote_ok and "hreflang" in attributes and "stylesheet" not in tokens:
            code, href = attributes["hreflang"] or "", attributes.get("href") or ""
            if len(code) + len(href) > RAW_MAX_CHARS:
                alternates.append(_alternate("html", code, href, base.url, link.in_head))
            else:
                absolute = href.startswith(("https://", "http://"))
                alternates.append(
                    _alternate_cached("html", code, href, None if absolute else base.url, link.in_head)
                )
    return tuple(alternates), tuple(feeds)


def read_http_alternates(values: Sequence[LinkValue], page_url: str) -> tuple[PageAlternate, ...]:
    """Hreflang alternates of Link headers; one that names another context (anchor) is not about the page."""
    alternates = [
        _alternate("http", code, value.target, page_url, None)
        for value in values
        if "alternate" in value.rel and value.get("anchor") is None
        for name, code in value.params
        if name == "hreflang"
    ]
    return tuple(alternates[:HEAD_SIGNALS_MAX])


def _alternate(
    source: str, code_raw: str, href: str | None, base: str | None, in_head: bool | None
) -> PageAlternate:
    code = parse_hreflang(code_raw)
    url = resolve(href, base)
    return PageAlternate(
        source=source,
        code_raw=code_raw[:RAW_MAX_CHARS],
        code=code.code,
        code_issue=code.issue,
        href_raw=(href or "")[:RAW_MAX_CHARS],
        href=None if url is None else url.href,
        href_key=None if url is None else url.key,
        in_head=in_head,
    )


_alternate_cached: Final = lru_cache(maxsize=4_096)(_alternate)
"""The pages of a cluster all name the same."""


@lru_cache(maxsize=64)
def _feed_type(media_type: str) -> str | None:
    feed_type = media_type.partition(";")[0].strip().strip(_TYPOGRAPHIC).lower()
    return feed_type if feed_type in FEED_TYPES else None


def _feed(link: HeadLink, feed_type: str, base: Base, *, quote_ok: bool) -> FeedLink:
    attributes = link.attributes
    href = attributes.get("href") or ""
    quote_ok = quote_ok and not _is_quoted(href) and not _is_quoted(attributes.get("type") or "")
    url = resolve(href, base.url) if quote_ok else None
    return FeedLink(
        type=feed_type,
        title=(attributes.get("title") or "")[:TITLE_MAX_CHARS] or None,
        href_raw=href[:RAW_MAX_CHARS],
        href=None if url is None else url.href,
        in_head=link.in_head,
        quote_ok=quote_ok,
    )


def _is_quoted(value: str) -> bool:
    return value != value.strip(_TYPOGRAPHIC)
