"""Puts the fact of a sitemap file together: what was read, and how the transfer ended."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from sitemap_audit.facts import ErrorClass, Hop, RobotsVerdict, SitemapFile, SitemapKind, SitemapState
from sitemap_audit.formats.entries import DATE_PARSERS
from sitemap_audit.formats.headers import get, get_all, http_date, int_header, parse_link
from sitemap_audit.formats.sitemap_encoding import Encoding
from sitemap_audit.formats.sitemap_problems import ProblemLog, without_user_info
from sitemap_audit.formats.sitemap_rows import FeedHead, Totals
from sitemap_audit.formats.sitemap_tally import Tally
from sitemap_audit.formats.sitemap_xml import XmlReader
from sitemap_audit.formats.urls import parse_url

_LISTS_NOTHING: Final = frozenset({SitemapKind.HTML, SitemapKind.OTHER_XML, SitemapKind.UNKNOWN})
_AGE_MAX_S: Final = 10 * 366 * 86_400
_BLOGGER: Final = re.compile(r"/feeds/posts/|/(?:atom|rss)\.xml\?|[?&]start-index=", re.ASCII)
"""Addresses of Blogger's feeds, whose query names the first item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapEnd:
    """How the transfer of a file ended: fields as in SitemapFile.

    `headers`: of the final answer, lower-case names, order and repeats kept. `complete`: the body arrived
    whole, as far as the transfer can tell. `state`: set by who did not fetch at all (blocked, skipped).
    """

    headers: Sequence[tuple[str, str]] = ()
    first_status: int | None = None
    status: int | None = None
    hops: tuple[Hop, ...] = ()
    final_url: str | None = None
    error_class: ErrorClass | None = None
    error_detail: str | None = None
    content_encoding: str | None = None
    bytes_wire: int = 0
    complete: bool = True
    ttfb_ms: int | None = None
    total_ms: int | None = None
    fetched_at: datetime | None = None
    robots: dict[str, RobotsVerdict] | None = None
    state: SitemapState | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What the reader knows of the bytes."""

    kind: SitemapKind
    unpacked_bytes: int
    sha256: str | None
    gzip: bool
    gzip_problem: bool
    whole: bool
    stopped: bool
    encoding: Encoding | None
    encoding_ok: bool
    xml: XmlReader | None


def sitemap_file(
    named: SitemapFile,
    content: Content,
    tally: Tally,
    log: ProblemLog,
    end: SitemapEnd,
) -> SitemapFile:
    """`named` (who the file is, and how it was found) with everything else filled in."""
    xml = content.xml
    feed = None if xml is None else xml.feed_head
    totals = Totals() if xml is None else xml.totals
    date = _date(end, "date")
    age = int_header(get(end.headers, "age"))
    clock = end.fetched_at if date is None else date - timedelta(seconds=min(age or 0, _AGE_MAX_S))
    dates = tally.dates(clock)
    base = end.final_url or named.url
    hubs, selfs = _websub(feed, end, base)
    if _gz_name_only(named, content, end):
        log.note("gz-name-not-gzip", text=named.url)
    if xml is not None and named.url.partition("?")[0].lower().endswith(".txt"):
        log.note("txt-name-not-text", text=named.url)
    return replace(
        named,
        kind=content.kind,
        state=end.state or _state(content, tally, end),
        first_status=end.first_status if end.first_status is not None else end.status,
        status=end.status,
        hops=end.hops,
        final_url=end.final_url,
        # A transfer that we broke off ourselves is no error of the site.
        error_class=None if content.stopped else end.error_class,
        error_detail=None if content.stopped else end.error_detail,
        robots=end.robots,
        content_type=get(end.headers, "content-type"),
        content_encoding=end.content_encoding,
        gzip=content.gzip,
        bytes_wire=end.bytes_wire,
        bytes_xml=content.unpacked_bytes,
        complete=content.whole and content.unpacked_bytes > 0 and (xml is None or xml.closed),
        stopped_by_us=content.stopped,
        xml_error=None if xml is None else xml.error,
        problems=log.facts(),
        encoding_decl=None if content.encoding is None else content.encoding.declared,
        encoding_ok=content.encoding_ok,
        bom=content.encoding is not None and content.encoding.mark > 0,
        root=None if xml is None else xml.root,
        namespaces=(xml.namespaces or None) if xml is not None else None,
        entries=tally.entries,
        usable=tally.usable,
        duplicates=tally.duplicates,
        alternates=totals.alternates,
        images=totals.images,
        videos=totals.videos,
        news=totals.news,
        sha256=content.sha256,
        loc_set_hash=tally.loc_set_hash,
        lastmod_present=tally.lastmod_present,
        lastmod_min=dates.lastmod_min,
        lastmod_max=dates.lastmod_max,
        lastmod_distinct=dates.lastmod_distinct,
        lastmod_mode=dates.lastmod_mode,
        lastmod_mode_share=dates.lastmod_mode_share,
        lastmod_day_mode_share=dates.lastmod_day_mode_share,
        lastmod_window_share=dates.lastmod_window_share,
        lastmod_future=tally.lastmod_future,
        lastmod_invalid=tally.lastmod_invalid,
        priority_count=tally.priority_count,
        changefreq_count=tally.changefreq_count,
        generator=None if xml is None else xml.software,
        date_http=date,
        age_s=age,
        last_modified_http=_date(end, "last-modified"),
        etag=get(end.headers, "etag"),
        ttfb_ms=end.ttfb_ms,
        total_ms=end.total_ms,
        fetched_at=end.fetched_at,
        feed_version=None if feed is None else feed.version,
        feed_id=None if feed is None else feed.id,
        feed_title=None if feed is None else feed.title,
        feed_updated=None if feed is None else _updated(feed),
        hubs=hubs,
        selfs=selfs,
        newest_item_at=dates.lastmod_max if feed is not None else None,
        next_page=None if feed is None else _next_page(feed, end, base, tally.entries),
    )


def _state(content: Content, tally: Tally, end: SitemapEnd) -> SitemapState:
    """ok: all was read. partial: entries, but something stopped short of the end. failed: nothing usable."""
    xml_fault = content.xml is not None and content.xml.error is not None
    short = xml_fault or not content.whole or content.gzip_problem or end.error_class is not None
    answered = end.status is None or 200 <= end.status < 300
    if not answered or (end.status is None and end.error_class is not None and not tally.entries):
        return SitemapState.FAILED
    if tally.entries:
        return SitemapState.PARTIAL if short else SitemapState.OK
    return SitemapState.FAILED if short or content.kind in _LISTS_NOTHING else SitemapState.OK


def _date(end: SitemapEnd, name: str) -> datetime | None:
    value = get(end.headers, name)
    return None if value is None else http_date(value)


def _websub(feed: FeedHead | None, end: SitemapEnd, base: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Hub and self links of a feed: the Link header counts before the file (WebSub, 4)."""
    if feed is None:
        return (), ()
    hubs = [*_header_links(end, "hub"), *feed.hubs]
    selfs = [*_header_links(end, "self"), *feed.selfs]
    return _absolute(hubs, base), _absolute(selfs, base)


def _header_links(end: SitemapEnd, rel: str) -> list[str]:
    links = (link for line in get_all(end.headers, "link") for link in parse_link(line))
    return [link.target for link in links if rel in link.rel]


def _absolute(hrefs: Sequence[str], base: str) -> tuple[str, ...]:
    """Resolved against the feed, each once; what is no URL stays as it is."""
    urls = [(href, parse_url(href, base)) for href in hrefs]
    return tuple(dict.fromkeys(without_user_info(href) if url is None else url.href for href, url in urls))


def _next_page(feed: FeedHead, end: SitemapEnd, base: str, items: int) -> str | None:
    """Where older items are: rel=next (RFC 5005, 3), or what Blogger's counts say; None on the last page."""
    href = feed.next or next(iter(_header_links(end, "next")), None)
    if href is None and _BLOGGER.search(base) is not None and items:
        href = _blogger_next(feed, base, items)
    url = parse_url(href, base) if href else None
    return None if url is None else url.href


def _blogger_next(feed: FeedHead, base: str, items: int) -> str | None:
    if feed.total is None or feed.first is None or feed.per_page is None:
        return None
    start = feed.first + (min(feed.per_page, items) or items)
    if start > feed.total:
        return None
    bare, _, query = base.partition("?")
    kept = [part for part in query.split("&") if part and not part.startswith("start-index=")]
    return f"{bare}?{'&'.join([*kept, f'start-index={start}'])}"


def _updated(feed: FeedHead) -> datetime | None:
    if feed.updated_raw is None:
        return None
    parsed = DATE_PARSERS[feed.dates](feed.updated_raw)
    return parsed.utc if parsed.utc is not None else parsed.lenient_utc


def _gz_name_only(named: SitemapFile, content: Content, end: SitemapEnd) -> bool:
    """Called .gz, but neither packed as a file nor on the way."""
    coding = (end.content_encoding or "").lower()
    if content.gzip or content.unpacked_bytes == 0 or "gzip" in coding:
        return False
    return named.url.partition("?")[0].lower().endswith(".gz")
