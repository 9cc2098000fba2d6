"""One sitemap, index or feed file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sitemap_audit.facts.hop import Hop
from sitemap_audit.facts.problem import ErrorClass, Problem
from sitemap_audit.facts.robots import RobotsVerdict


class SitemapKind(StrEnum):
    URLSET = "urlset"
    INDEX = "index"
    RSS = "rss"
    ATOM = "atom"
    TEXT = "text"
    HTML = "html"
    OTHER_XML = "other_xml"
    UNKNOWN = "unknown"


class SitemapSource(StrEnum):
    ROBOTS = "robots"
    INDEX = "index"
    GUESS = "guess"
    FEED_LINK = "feed_link"
    OPTION = "option"
    LIST = "list"


class SitemapState(StrEnum):
    OK = "ok"
    PARTIAL = "partial"
    FAILED = "failed"
    BLOCKED = "blocked"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class XmlError:
    """The first fatal error of the XML parser; entries before it are kept and counted."""

    line: int
    column: int
    message: str
    entries_before: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapFile:
    """One line a sitemap, index or feed file."""

    file_id: str
    url: str
    url_key: str
    kind: SitemapKind = SitemapKind.UNKNOWN
    source: SitemapSource
    parent: str | None = None
    declared_in: tuple[str, ...] = ()
    depth: int = 0
    state: SitemapState
    first_status: int | None = None
    status: int | None = None
    hops: tuple[Hop, ...] = ()
    final_url: str | None = None
    error_class: ErrorClass | None = None
    error_detail: str | None = None
    robots: dict[str, RobotsVerdict] | None = None
    content_type: str | None = None
    content_encoding: str | None = None
    gzip: bool = False
    bytes_wire: int = 0
    bytes_xml: int = 0
    complete: bool = False
    stopped_by_us: bool = False
    xml_error: XmlError | None = None
    problems: tuple[Problem, ...] = ()
    encoding_decl: str | None = None
    encoding_ok: bool = True
    bom: bool = False
    root: str | None = None
    namespaces: dict[str, str] | None = None
    entries: int = 0
    usable: int = 0
    duplicates: int = 0
    alternates: int = 0
    images: int = 0
    videos: int = 0
    news: int = 0
    sha256: str | None = None
    loc_set_hash: str | None = None
    lastmod_present: int = 0
    lastmod_min: datetime | None = None
    lastmod_max: datetime | None = None
    lastmod_distinct: int = 0
    lastmod_mode: datetime | None = None
    lastmod_mode_share: float | None = None
    lastmod_day_mode_share: float | None = None
    lastmod_window_share: float | None = None
    lastmod_future: int = 0
    lastmod_invalid: int = 0
    priority_count: int = 0
    changefreq_count: int = 0
    generator: str | None = None
    date_http: datetime | None = None
    age_s: int | None = None
    last_modified_http: datetime | None = None
    etag: str | None = None
    ttfb_ms: int | None = None
    total_ms: int | None = None
    fetched_at: datetime | None = None
    feed_version: str | None = None
    feed_id: str | None = None
    feed_title: str | None = None
    feed_updated: datetime | None = None
    hubs: tuple[str, ...] = ()
    selfs: tuple[str, ...] = ()
    newest_item_at: datetime | None = None
    next_page: str | None = None
