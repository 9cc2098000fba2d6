"""One page: its headers and its head, as the fields of the page fact. The facade over the other modules here.

Only what the final answer says; redirects, times and robots.txt are known elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from sitemap_audit.formats.canonical import Base, document_base, read_canonical
from sitemap_audit.formats.charset import Decoded, body_offset, charset_name, decode
from sitemap_audit.formats.directives import Source, effective, is_robots_name, read_header, read_meta
from sitemap_audit.formats.html_guard import Refused
from sitemap_audit.formats.html_head import Head, HeadMeta, read_head
from sitemap_audit.formats.page_links import read_html_links, read_http_alternates
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
        """Keyword arguments for `facts.Page`."""
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
    """What one final answer says.

    `body`: decoded from its content encoding. `headers`: names in lower case, lines apart and in order.
    `final_url`: absolute, WHATWG form. `bots`: product tokens in lower case, or `*`; `noindex_sources` is
    about the first. `now`: the clock for unavailable_after and Retry-After. `truncated`: the body was cut by
    a limit of ours. For a status other than 200 the head is not read and `canonical_state` stays None: error
    pages and redirects declare nothing. Never raises.
    """
    said = _read_headers(headers, final_url, now)
    if status != 200:
        return PageSignals(**said)
    content_type = said["content_type"]
    media = None if content_type is None else http.parse_content_type(content_type)
    declared = None if media is None else media.type
    sniffed = sniff(body, declared)
    said["sniffed_type"] = sniffed
    charset = None if media is None else media.charset
    is_html = declared in HTML_TYPES if declared else sniffed == "html"
    if is_html and sniffed not in _NEVER_HTML:
        return _read_document(said, decode(body, charset, truncated=truncated), body, final_url, bots, now)
    said["charset_http"] = None if charset is None else charset_name(charset)
    return _put_together(said, Head(), None, final_url, bots, now)


def _read_headers(headers: http.Headers, final_url: str, now: datetime) -> dict[str, Any]:
    first: dict[str, str] = {}
    links: list[str] = []
    robots: list[str] = []
    for name, value in headers:
        if name == "link":
            links.append(value)
        elif name == "x-robots-tag":
            robots.append(value)
        elif name not in first:
            first[name] = value
    said: dict[str, Any] = {
        "content_type": first.get("content-type"),
        "content_encoding": first.get("content-encoding"),
        "content_length_header": http.int_header(first.get("content-length")),
        "age_s": http.int_header(first.get("age")),
        "etag": first.get("etag"),
        "cache_control": first.get("cache-control"),
        "link_header": tuple(links),
        "x_robots_tag": tuple(robots),
    }
    if (date := first.get("date")) is not None:
        said["date_http"] = http.http_date(date)
    if (modified := first.get("last-modified")) is not None:
        said["last_modified_http"] = http.http_date(modified)
    if (wait := first.get("retry-after")) is not None:
        said["retry_after_s"] = http.parse_retry_after(wait, now)
    if (refresh := first.get("refresh")) is not None:
        said["refresh_header"] = http.parse_refresh(refresh, final_url)
    return said


def _read_document(
    said: dict[str, Any], text: Decoded, body: bytes, final_url: str, bots: Sequence[str], now: datetime
) -> PageSignals:
    said["charset_http"] = text.http
    said["charset_meta"] = text.meta
    said["charset_used"] = text.used
    said["decode_errors"] = text.errors
    head = read_head(text.doc, bots=bots)
    if isinstance(head, Refused):
        said["head_refused"] = head.value
        return PageSignals(**said)
    said["head_refused"] = None if head.refused is None else str(head.refused)
    said["noscript_differs"] = head.noscript_differs
    said["title"] = head.title or None
    said["html_lang"] = head.html_lang
    said["base_href"] = head.base_href[:RAW_MAX_CHARS] if head.base_href else None
    said["head_broken_by"] = head.broken_by
    if head.end_offset is not None:
        said["head_end_offset"] = body_offset(text, body, head.end_offset)
    said["meta_robots"] = tuple(_meta_fact(meta, text, body) for meta in head.metas)
    return _put_together(said, head, head.base_href, final_url, bots, now)


def _put_together(
    said: dict[str, Any],
    head: Head,
    base_href: str | None,
    final_url: str,
    bots: Sequence[str],
    now: datetime,
) -> PageSignals:
    """Header and document as one: directives, canonical, alternates, feeds, refresh."""
    _read_directives(said, head, tuple(bots), now)
    page = parse_url(final_url)
    if page is not None:
        _read_links(said, head, document_base(base_href, final_url), page)
    return PageSignals(**said)


def _read_directives(said: dict[str, Any], head: Head, bots: tuple[str, ...], now: datetime) -> None:
    metas = tuple((m.name, m.content[:DIRECTIVES_MAX_CHARS], m.in_head) for m in head.metas)
    lines = tuple(line[:DIRECTIVES_MAX_CHARS] for line in said["x_robots_tag"])
    summary = _summary(metas, lines, bots)
    if summary is None:
        summary = _sum_up(metas, lines, bots, now)
    said["directives"], said["noindex_sources"], said["directive_issues"] = summary


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
    values = [value for line in said["link_header"] for value in http.parse_link(line)]
    canonical = read_canonical(head.links, values, base, page)
    said["canonical_html"] = canonical.html
    said["canonical_http"] = canonical.http
    said["canonical"] = canonical.target
    said["canonical_state"] = canonical.state
    alternates, said["feed_links"] = read_html_links(head.links, base)
    if values:
        alternates += read_http_alternates(values, page.href)
    said["alternates"] = alternates
    said["hreflang_count"] = len(alternates)
    for content in head.refreshes:
        said["refresh"] = http.parse_refresh(content, base.url or page.href)
        if said["refresh"] is not None:
            break


def _meta_fact(meta: HeadMeta, text: Decoded, body: bytes) -> MetaRobots:
    offset = None if meta.offset < 0 else body_offset(text, body, meta.offset)
    return MetaRobots(
        meta.name,
        meta.content[:RAW_MAX_CHARS],
        meta.in_head,
        -1 if offset is None else offset,
        meta.in_noscript,
    )
