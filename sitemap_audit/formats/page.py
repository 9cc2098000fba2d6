"""One page: its headers and its head, as the fields of the page fact. The facade over the other modules here.

Only what the final answer says; redirects, times and robots.txt are known elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple

from sitemap_audit.facts import (
    CanonicalHtml,
    CanonicalHttp,
    Directives,
    FeedLink,
    MetaRobots,
    PageAlternate,
    Refresh,
)
from sitemap_audit.formats import headers as http
from sitemap_audit.formats.canonical import Base, Row, canonical_rows, document_base
from sitemap_audit.formats.charset import Decoded, body_offset, charset_name, decode
from sitemap_audit.formats.directives import Source, effective, is_robots_name, read_header, read_meta
from sitemap_audit.formats.html_guard import Refused
from sitemap_audit.formats.html_head import read_head
from sitemap_audit.formats.html_signals import Head, HeadMeta
from sitemap_audit.formats.page_links import html_link_rows, http_alternate_rows
from sitemap_audit.formats.sniff import HTML_TYPES, sniff
from sitemap_audit.formats.urls import Url, parse_url
from sitemap_audit.settings import DIRECTIVES_MAX_CHARS, RAW_MAX_CHARS

_NEVER_HTML: Final = frozenset({"pdf", "image", "binary", "empty"})


class PageSignals(NamedTuple):
    """The fields of `facts.Page` that the final answer gives; same names, types and meanings.

    A tuple, since there is one for each page: it is made in a third of the time.
    """

    content_type: str | None = None
    sniffed_type: str | None = None
    charset_http: str | None = None
    charset_meta: str | None = None
    charset_used: str | None = None
    decode_errors: int = 0
    content_encoding: str | None = None
    content_length_header: int | None = None
    date_http: datetime | None = None
    age_s: int | None = None
    last_modified_http: datetime | None = None
    etag: str | None = None
    cache_control: str | None = None
    retry_after_s: int | None = None
    link_header: tuple[str, ...] = ()
    x_robots_tag: tuple[str, ...] = ()
    meta_robots: tuple[MetaRobots, ...] = ()
    directives: dict[str, Directives] | None = None
    noindex_sources: tuple[str, ...] = ()
    directive_issues: tuple[str, ...] = ()
    canonical_html: tuple[CanonicalHtml, ...] = ()
    canonical_http: tuple[CanonicalHttp, ...] = ()
    canonical: str | None = None
    canonical_state: str | None = None
    hreflang_count: int = 0
    alternates: tuple[PageAlternate, ...] = ()
    feed_links: tuple[FeedLink, ...] = ()
    refresh: Refresh | None = None
    refresh_header: Refresh | None = None
    title: str | None = None
    html_lang: str | None = None
    base_href: str | None = None
    head_broken_by: str | None = None
    head_end_offset: int | None = None
    head_refused: str | None = None
    noscript_differs: tuple[str, ...] = ()

    def as_page_fields(self) -> dict[str, Any]:
        """Keyword arguments for `facts.Page`, empty ones included."""
        return self._asdict()


def read_page(
    body: bytes,
    headers: http.Headers,
    *,
    final_url: str,
    status: int,
    bots: Sequence[str],
    now: datetime,
    truncated: bool = False,
) -> PageSignals:
    """What one final answer says, as facts: what `read_fields` gives, for those who keep records.

    `final_url`: absolute, WHATWG form. Never raises.
    """
    page = parse_url(final_url)
    said = read_fields(
        body, headers, page=page, status=status, bots=tuple(bots), now=now, truncated=truncated
    )
    for name, record in _RECORDS.items():
        if name in said:
            said[name] = tuple(record(**row) for row in said[name])
    return PageSignals(**said)


_RECORDS: Final[dict[str, Callable[..., object]]] = {
    "meta_robots": MetaRobots,
    "canonical_html": CanonicalHtml,
    "canonical_http": CanonicalHttp,
    "alternates": PageAlternate,
    "feed_links": FeedLink,
}
"""Fields that `read_fields` gives as rows, and the facts that they are."""


def read_fields(
    body: bytes,
    headers: http.Headers,
    *,
    page: Url | None,
    status: int,
    bots: tuple[str, ...],
    now: datetime,
    truncated: bool = False,
) -> dict[str, Any]:
    """What one final answer says, as those fields of `facts.Page` that are known: ready to be written as JSON.

    `body`: decoded from its content encoding. `headers`: names in lower case, lines apart and in order.
    `page`: the final URL. `bots`: product tokens in lower case, or `*`; `noindex_sources` is about the first.
    `now`: the clock for unavailable_after and Retry-After. `truncated`: the body was cut by a limit of ours.
    For a status other than 200 the head is not read and there is no `canonical_state`: error pages and
    redirects declare nothing. Never raises. The fields of _RECORDS hold rows (canonical.Row): nobody may
    change them, for pages that say the same share them.
    """
    said = _read_headers(headers, page, now)
    if status != 200:
        return said
    content_type = said.get("content_type")
    media = None if content_type is None else http.parse_content_type(content_type)
    declared = None if media is None else media.type
    charset = None if media is None else media.charset
    said["sniffed_type"] = sniffed = sniff(body, declared, charset)
    is_html = declared in HTML_TYPES if declared else sniffed == "html"
    if is_html and sniffed not in _NEVER_HTML:
        _read_document(said, decode(body, charset, truncated=truncated), body, page, bots, now)
    else:
        if charset is not None:
            said["charset_http"] = charset_name(charset)
        _put_together(said, Head(), page, bots, now)
    return said


def _read_headers(headers: http.Headers, page: Url | None, now: datetime) -> dict[str, Any]:
    first = dict(reversed(headers))  # of repeated ones the first counts
    said: dict[str, Any] = {"decode_errors": 0, "hreflang_count": 0}
    for name, field in _AS_SENT:
        if name in first:
            said[field] = first[name]
    for name, field, read in _READ:
        if name in first and (value := read(first[name])) is not None:
            said[field] = value
    for name, field in _EACH_LINE:
        if name in first:
            said[field] = http.get_all(headers, name)
    if "retry-after" in first and (wait := http.parse_retry_after(first["retry-after"], now)) is not None:
        said["retry_after_s"] = wait
    if (
        "refresh" in first
        and (to := http.parse_refresh(first["refresh"], page.href if page else "")) is not None
    ):
        said["refresh_header"] = to
    return said


_AS_SENT: Final = (
    ("content-type", "content_type"),
    ("content-encoding", "content_encoding"),
    ("etag", "etag"),
    ("cache-control", "cache_control"),
)
_READ: Final[tuple[tuple[str, str, Callable[[str], object]], ...]] = (
    ("content-length", "content_length_header", http.int_header),
    ("age", "age_s", http.int_header),
    ("date", "date_http", http.http_date),
    ("last-modified", "last_modified_http", http.http_date),
)
_EACH_LINE: Final = (("link", "link_header"), ("x-robots-tag", "x_robots_tag"))


def _read_document(
    said: dict[str, Any], text: Decoded, body: bytes, page: Url | None, bots: tuple[str, ...], now: datetime
) -> None:
    if text.http is not None:
        said["charset_http"] = text.http
    if text.meta is not None:
        said["charset_meta"] = text.meta
    said["charset_used"] = text.used
    said["decode_errors"] = text.errors
    head = read_head(text.doc, bots=bots)
    if isinstance(head, Refused):
        said["head_refused"] = head.value
        return
    if head.refused is not None:
        said["head_refused"] = str(head.refused)
    if head.noscript_differs:
        said["noscript_differs"] = head.noscript_differs
    if head.title:
        said["title"] = head.title
    if head.html_lang is not None:
        said["html_lang"] = head.html_lang
    if head.base_href:
        said["base_href"] = head.base_href[:RAW_MAX_CHARS]
    if head.broken_by is not None:
        said["head_broken_by"] = head.broken_by
    if head.end_offset is not None and (end := body_offset(text, body, head.end_offset)) is not None:
        said["head_end_offset"] = end
    if head.metas:
        said["meta_robots"] = [_meta_row(meta, text, body) for meta in head.metas]
    _put_together(said, head, page, bots, now)


def _put_together(
    said: dict[str, Any], head: Head, page: Url | None, bots: tuple[str, ...], now: datetime
) -> None:
    """Header and document as one: directives, canonical, alternates, feeds, refresh."""
    _read_directives(said, head, bots, now)
    if page is not None:
        _read_links(said, head, document_base(head.base_href, page.href), page)


def _read_directives(said: dict[str, Any], head: Head, bots: tuple[str, ...], now: datetime) -> None:
    metas = tuple([(m.name, m.content[:DIRECTIVES_MAX_CHARS], m.in_head) for m in head.metas])
    lines = tuple([line[:DIRECTIVES_MAX_CHARS] for line in said.get("x_robots_tag", ())])
    summary = _summary(metas, lines, bots) or _sum_up(metas, lines, bots, now)
    said["directives"], noindex, issues = summary
    if noindex:
        said["noindex_sources"] = noindex
    if issues:
        said["directive_issues"] = issues


_Metas = tuple[tuple[str, str, bool], ...]
_Summary = tuple[dict[str, Directives], tuple[str, ...], tuple[str, ...]]


@lru_cache(maxsize=512)
def _summary(metas: _Metas, lines: tuple[str, ...], bots: tuple[str, ...]) -> _Summary | None:
    """Most pages of a site say the same. None where the clock plays a role."""
    if any("unavailable_after" in text.lower() for text in (*lines, *(content for _, content, _ in metas))):
        return None
    return _sum_up(metas, lines, bots, None)


def _sum_up(metas: _Metas, lines: tuple[str, ...], bots: tuple[str, ...], now: datetime | None) -> _Summary:
    sources: list[Source] = [read_header(line) for line in lines]
    sources += [read_meta(name, content) for name, content, _ in metas]
    results = {bot: effective(bot, sources, now) for bot in bots}
    issues = set[str]()
    known = [(name, in_head) for name, _, in_head in metas if is_robots_name(name, bots)]
    for source in sources:
        if source.header or is_robots_name(source.name, bots):
            issues |= source.issues
    if any(result.conflict for result in results.values()):
        issues.add("conflict")
    if len({name for name, _ in known}) < len(known):
        issues.add("split")
    if known and not any(in_head for _, in_head in known):
        issues.add("outside_head")
    first = next(iter(results.values()), None)
    return (
        {bot: result.directives for bot, result in results.items()},
        () if first is None else first.noindex_sources,
        tuple(sorted(issues)),
    )


def _read_links(said: dict[str, Any], head: Head, base: Base, page: Url) -> None:
    values = [value for line in said.get("link_header", ()) for value in http.parse_link(line)]
    canonical = canonical_rows(head.links, values, base, page)
    if canonical.html:
        said["canonical_html"] = canonical.html
    if canonical.http:
        said["canonical_http"] = canonical.http
    if canonical.target is not None:
        said["canonical"] = canonical.target
    said["canonical_state"] = canonical.state
    alternates, feeds = html_link_rows(head.links, base)
    if values:
        alternates += http_alternate_rows(values, page.href)
    if alternates:
        said["alternates"] = alternates
        said["hreflang_count"] = len(alternates)
    if feeds:
        said["feed_links"] = feeds
    for content in head.refreshes:
        refresh = http.parse_refresh(content, base.url or page.href)
        if refresh is not None:
            said["refresh"] = refresh
            break


def _meta_row(meta: HeadMeta, text: Decoded, body: bytes) -> Row:
    offset = None if meta.offset < 0 else body_offset(text, body, meta.offset)
    return {
        "name": meta.name,
        "content": meta.content[:RAW_MAX_CHARS],
        "in_head": meta.in_head,
        "offset": -1 if offset is None else offset,
        "in_noscript": meta.in_noscript,
    }
