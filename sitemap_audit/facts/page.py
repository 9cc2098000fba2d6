"""What was seen of one URL: every answer on the way, the headers and the head signals."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sitemap_audit.facts.content import PageDates, ProbePrint, Soft404Points
from sitemap_audit.facts.hop import Hop
from sitemap_audit.facts.problem import ErrorClass
from sitemap_audit.facts.robots import RobotsVerdict


class PageState(StrEnum):
    """Accounting: listed = checked + skipped(reason) + unchecked(reason)."""

    CHECKED = "checked"
    SKIPPED = "skipped"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True)
class Attempt:
    at: datetime
    status: int | None
    error_class: ErrorClass | None
    ms: int


@dataclass(frozen=True, slots=True)
class Tls:
    ok: bool
    error: str | None = None
    """expired, wrong_host, self_signed, unknown_issuer, incomplete_chain, protocol."""
    not_after: datetime | None = None


@dataclass(frozen=True, slots=True)
class MetaRobots:
    """`offset` is the byte of the tag, -1 when it is not known.

    `in_noscript`: it stands in a noscript of the head, so only a reader without scripting sees it.
    """

    name: str
    content: str
    in_head: bool
    offset: int = -1
    in_noscript: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Directives:
    """What is effective for one bot (definitions 7); None = no such limit."""

    noindex: bool = False
    nofollow: bool = False
    nosnippet: bool = False
    noimageindex: bool = False
    notranslate: bool = False
    noarchive: bool = False
    indexifembedded: bool = False
    max_snippet: int | None = None
    max_image_preview: str | None = None
    max_video_preview: int | None = None
    unavailable_after: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalHtml:
    href_raw: str
    href: str | None
    in_head: bool
    base_used: bool = False
    attrs: tuple[str, ...] = ()
    """Attributes that make Google ignore the element: hreflang, lang, media, type."""
    used: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalHttp:
    href_raw: str
    href: str | None
    params: tuple[str, ...] = ()
    used: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAlternate:
    """A hreflang statement of the page; `source` is html or http."""

    source: str
    code_raw: str
    code: str | None = None
    code_issue: str | None = None
    href_raw: str
    href: str | None = None
    href_key: str | None = None
    in_head: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedLink:
    type: str | None
    title: str | None
    href_raw: str
    href: str | None
    in_head: bool
    quote_ok: bool = True


@dataclass(frozen=True, slots=True)
class Refresh:
    seconds: float
    url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One line a URL that was tried, or that we chose not to try."""

    url_id: str
    url_key: str
    requested_url: str
    discovered_by: str
    state: PageState
    reason: str | None = None
    fetched_at: datetime | None = None
    attempts: int = 0
    attempt_log: tuple[Attempt, ...] = ()
    first_status: int | None = None
    status: int | None = None
    final_url: str | None = None
    final_key: str | None = None
    hop_count: int = 0
    hops: tuple[Hop, ...] = ()
    redirect_flags: tuple[str, ...] = ()
    error_class: ErrorClass | None = None
    error_detail: str | None = None
    dns_error: str | None = None
    """Beside error_class dns: no_such_name, no_address, server_failure or timeout."""
    tls: Tls | None = None
    ip: str | None = None
    http_version: str | None = None
    dns_ms: int | None = None
    connect_ms: int | None = None
    tls_ms: int | None = None
    ttfb_ms: int | None = None
    total_ms: int | None = None
    bytes_wire: int | None = None
    bytes: int | None = None
    truncated: bool = False
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
    robots: dict[str, RobotsVerdict] | None = None
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
    """The document was too expensive to be parsed (memory, depth, attributes, tags): signals behind the
    head are not known, and none at all where `canonical_state` is None."""
    noscript_differs: tuple[str, ...] = ()
    """What a reader without scripting sees otherwise, because of a noscript in the head: canonical, robots,
    head_end."""
    challenge: bool = False
    challenge_kind: str | None = None
    # --- content (--depth page): of a page that came whole with status 200; raw_hash of any type, else HTML
    raw_hash: str | None = None
    h1: str | None = None
    meta_description: str | None = None
    page_dates: PageDates | None = None
    sd_types: tuple[str, ...] = ()
    script_count: int | None = None
    media_in_main: int | None = None
    main_text_len: int | None = None
    word_count: int | None = None
    main_hash: str | None = None
    main_simhash: str | None = None
    main_sketch: tuple[int, ...] = ()
    main_fallback: bool | None = None
    probe_print: ProbePrint | None = None
    sd_hash: str | None = None
    links_hash: str | None = None
    template_hash: str | None = None
    shell: bool | None = None
    soft404_points: Soft404Points | None = None
    out_links: int | None = None
