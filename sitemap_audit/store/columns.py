"""Columns of the four fact kinds, as DuckDB reads and writes them: one place for their types.

The columns are those of the records in sitemap_audit.facts, field by field (a test holds the two
together). They are written out because a type must never depend on what the first rows of a batch
happen to hold. Times are UTC in TIMESTAMP, integers BIGINT: a site may send any number of digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """A kind of fact: the folder of its parts below `facts/`."""

    ROBOTS = "robots"
    SITEMAPS = "sitemaps"
    ENTRIES = "entries"
    PAGES = "pages"


TEXT: Final = "VARCHAR"
TEXTS: Final = "VARCHAR[]"
INT: Final = "BIGINT"
BOOL: Final = "BOOLEAN"
SHARE: Final = "DOUBLE"
TIME: Final = "TIMESTAMP"

HOPS: Final = (
    "STRUCT(n BIGINT, url VARCHAR, status BIGINT, kind VARCHAR, location_raw VARCHAR, location VARCHAR, "
    "ms BIGINT, robots_allowed BOOLEAN, set_cookie BOOLEAN)[]"
)
ROBOTS_VERDICTS: Final = (
    "MAP(VARCHAR, STRUCT(allowed BOOLEAN, rule VARCHAR, line BIGINT, group_line BIGINT, "
    "robots_url VARCHAR, state VARCHAR, tie_line BIGINT, star_allowed BOOLEAN))"
)
DIRECTIVES: Final = (
    "MAP(VARCHAR, STRUCT(noindex BOOLEAN, nofollow BOOLEAN, nosnippet BOOLEAN, noimageindex BOOLEAN, "
    "notranslate BOOLEAN, noarchive BOOLEAN, indexifembedded BOOLEAN, max_snippet BIGINT, "
    "max_image_preview VARCHAR, max_video_preview BIGINT, unavailable_after TIMESTAMP))"
)
ENTRY_ALTERNATES: Final = (
    "STRUCT(line BIGINT, code_raw VARCHAR, code VARCHAR, code_issue VARCHAR, href_raw VARCHAR, "
    "href VARCHAR, href_key VARCHAR)[]"
)
PAGE_ALTERNATES: Final = (
    "STRUCT(source VARCHAR, code_raw VARCHAR, code VARCHAR, code_issue VARCHAR, href_raw VARCHAR, "
    "href VARCHAR, href_key VARCHAR, in_head BOOLEAN)[]"
)
REFRESH: Final = "STRUCT(seconds DOUBLE, url VARCHAR)"
LINE_TEXTS: Final = "STRUCT(line BIGINT, text VARCHAR)[]"

ROBOTS: Final[Mapping[str, str]] = {
    "origin": TEXT,
    "robots_url": TEXT,
    "at_root": BOOL,
    "state": TEXT,
    "first_status": INT,
    "status": INT,
    "hops": HOPS,
    "final_url": TEXT,
    "error_class": TEXT,
    "error_detail": TEXT,
    "content_type": TEXT,
    "bytes": INT,
    "cut_at": INT,
    "encoding_ok": BOOL,
    "charset_guess": TEXT,
    "bom": BOOL,
    "is_html": BOOL,
    "sha256": TEXT,
    "rules_hash": TEXT,
    "lines": INT,
    "groups": "STRUCT(line BIGINT, agents VARCHAR[])[]",
    "rules": "STRUCT(line BIGINT, field VARCHAR, path VARCHAR, group_line BIGINT)[]",
    "sitemaps": 'STRUCT(line BIGINT, raw VARCHAR, "abs" VARCHAR, same_host BOOLEAN)[]',
    "unsupported": 'STRUCT(line BIGINT, field VARCHAR, "value" VARCHAR)[]',
    "unknown_lines": LINE_TEXTS,
    "typos": LINE_TEXTS,
    "cache_control_max_age": INT,
    "crawl_delay_s": SHARE,
    "crawl_delay_kept_s": SHARE,
    "effect": TEXT,
    "effective": "MAP(VARCHAR, VARCHAR)",
    "last_good_sha256": TEXT,
    "last_good_at": TIME,
    "outage_since": TIME,
    "fetched_at": TIME,
    "total_ms": INT,
}

SITEMAPS: Final[Mapping[str, str]] = {
    "file_id": TEXT,
    "url": TEXT,
    "url_key": TEXT,
    "kind": TEXT,
    "source": TEXT,
    "parent": TEXT,
    "declared_in": TEXTS,
    "depth": INT,
    "state": TEXT,
    "first_status": INT,
    "status": INT,
    "hops": HOPS,
    "final_url": TEXT,
    "error_class": TEXT,
    "error_detail": TEXT,
    "robots": ROBOTS_VERDICTS,
    "content_type": TEXT,
    "content_encoding": TEXT,
    "gzip": BOOL,
    "bytes_wire": INT,
    "bytes_xml": INT,
    "complete": BOOL,
    "stopped_by_us": BOOL,
    "xml_error": 'STRUCT(line BIGINT, "column" BIGINT, message VARCHAR, entries_before BIGINT)',
    "problems": "STRUCT(kind VARCHAR, line BIGINT, byte BIGINT, text VARCHAR, count BIGINT)[]",
    "encoding_decl": TEXT,
    "encoding_ok": BOOL,
    "bom": BOOL,
    "root": TEXT,
    "namespaces": "MAP(VARCHAR, VARCHAR)",
    "entries": INT,
    "usable": INT,
    "duplicates": INT,
    "alternates": INT,
    "images": INT,
    "videos": INT,
    "news": INT,
    "sha256": TEXT,
    "loc_set_hash": TEXT,
    "lastmod_present": INT,
    "lastmod_min": TIME,
    "lastmod_max": TIME,
    "lastmod_distinct": INT,
    "lastmod_mode": TIME,
    "lastmod_mode_share": SHARE,
    "lastmod_day_mode_share": SHARE,
    "lastmod_window_share": SHARE,
    "lastmod_future": INT,
    "lastmod_invalid": INT,
    "priority_count": INT,
    "changefreq_count": INT,
    "generator": TEXT,
    "date_http": TIME,
    "age_s": INT,
    "last_modified_http": TIME,
    "etag": TEXT,
    "ttfb_ms": INT,
    "total_ms": INT,
    "fetched_at": TIME,
    "feed_version": TEXT,
    "feed_id": TEXT,
    "feed_title": TEXT,
    "feed_updated": TIME,
    "hubs": TEXTS,
    "selfs": TEXTS,
    "newest_item_at": TIME,
    "next_page": TEXT,
}

ENTRIES: Final[Mapping[str, str]] = {
    "sitemap": TEXT,
    "file_id": TEXT,
    "position": INT,
    "line": INT,
    "is_child": BOOL,
    "url_id": TEXT,
    "url_key": TEXT,
    "loc_raw": TEXT,
    "loc": TEXT,
    "loc_issues": TEXTS,
    "lastmod_raw": TEXT,
    "lastmod": TIME,
    "lastmod_precision": TEXT,
    "lastmod_offset_min": INT,
    "lastmod_issue": TEXT,
    "priority_raw": TEXT,
    "changefreq_raw": TEXT,
    "images": "STRUCT(loc_raw VARCHAR, loc VARCHAR, extra_tags VARCHAR[])[]",
    "videos": (
        "STRUCT(thumbnail VARCHAR, title_len BIGINT, description_len BIGINT, content VARCHAR, "
        "player VARCHAR, duration_s BIGINT, rating VARCHAR, expiration VARCHAR, tags BIGINT, "
        "extra_tags VARCHAR[])[]"
    ),
    "news": (
        'STRUCT("name" VARCHAR, "language" VARCHAR, publication_date_raw VARCHAR, '
        "publication_date TIMESTAMP, title VARCHAR, extra_tags VARCHAR[], count BIGINT)"
    ),
    "guid": TEXT,
    "published_raw": TEXT,
    "media": (
        'STRUCT(url VARCHAR, "type" VARCHAR, title_len BIGINT, description_len BIGINT, thumbnail VARCHAR, '
        "player VARCHAR)[]"
    ),
    "alternates": ENTRY_ALTERNATES,
}

PAGES: Final[Mapping[str, str]] = {
    "url_id": TEXT,
    "url_key": TEXT,
    "requested_url": TEXT,
    "discovered_by": TEXT,
    "state": TEXT,
    "reason": TEXT,
    "fetched_at": TIME,
    "attempts": INT,
    "attempt_log": 'STRUCT("at" TIMESTAMP, status BIGINT, error_class VARCHAR, ms BIGINT)[]',
    "first_status": INT,
    "status": INT,
    "final_url": TEXT,
    "final_key": TEXT,
    "hop_count": INT,
    "hops": HOPS,
    "redirect_flags": TEXTS,
    "error_class": TEXT,
    "error_detail": TEXT,
    "dns_error": TEXT,
    "tls": 'STRUCT(ok BOOLEAN, "error" VARCHAR, not_after TIMESTAMP)',
    "ip": TEXT,
    "http_version": TEXT,
    "dns_ms": INT,
    "connect_ms": INT,
    "tls_ms": INT,
    "ttfb_ms": INT,
    "total_ms": INT,
    "bytes_wire": INT,
    "bytes": INT,
    "truncated": BOOL,
    "content_type": TEXT,
    "sniffed_type": TEXT,
    "charset_http": TEXT,
    "charset_meta": TEXT,
    "charset_used": TEXT,
    "decode_errors": INT,
    "content_encoding": TEXT,
    "content_length_header": INT,
    "date_http": TIME,
    "age_s": INT,
    "last_modified_http": TIME,
    "etag": TEXT,
    "cache_control": TEXT,
    "retry_after_s": INT,
    "link_header": TEXTS,
    "x_robots_tag": TEXTS,
    "meta_robots": (
        'STRUCT("name" VARCHAR, content VARCHAR, in_head BOOLEAN, "offset" BIGINT, in_noscript BOOLEAN)[]'
    ),
    "directives": DIRECTIVES,
    "noindex_sources": TEXTS,
    "directive_issues": TEXTS,
    "robots": ROBOTS_VERDICTS,
    "canonical_html": (
        "STRUCT(href_raw VARCHAR, href VARCHAR, in_head BOOLEAN, base_used BOOLEAN, attrs VARCHAR[], "
        "used BOOLEAN)[]"
    ),
    "canonical_http": "STRUCT(href_raw VARCHAR, href VARCHAR, params VARCHAR[], used BOOLEAN)[]",
    "canonical": TEXT,
    "canonical_state": TEXT,
    "hreflang_count": INT,
    "alternates": PAGE_ALTERNATES,
    "feed_links": (
        'STRUCT("type" VARCHAR, title VARCHAR, href_raw VARCHAR, href VARCHAR, in_head BOOLEAN, '
        "quote_ok BOOLEAN)[]"
    ),
    "refresh": REFRESH,
    "refresh_header": REFRESH,
    "title": TEXT,
    "html_lang": TEXT,
    "base_href": TEXT,
    "head_broken_by": TEXT,
    "head_end_offset": INT,
    "head_refused": TEXT,
    "noscript_differs": TEXTS,
    "challenge": BOOL,
    "challenge_kind": TEXT,
    "raw_hash": TEXT,
    "h1": TEXT,
    "meta_description": TEXT,
    "page_dates": (
        "STRUCT(jsonld_modified TIMESTAMP, jsonld_published TIMESTAMP, og_modified TIMESTAMP, "
        "og_published TIMESTAMP, visible TIMESTAMP[])"
    ),
    "sd_types": TEXTS,
    "script_count": INT,
    "media_in_main": INT,
    "main_text_len": INT,
    "word_count": INT,
    "main_hash": TEXT,
    "main_simhash": TEXT,
    "main_sketch": "BIGINT[]",
    "main_fallback": BOOL,
    "probe_print": "STRUCT(simhash VARCHAR, words BIGINT)",
    "sd_hash": TEXT,
    "links_hash": TEXT,
    "template_hash": TEXT,
    "shell": BOOL,
    "soft404_points": "STRUCT(points DOUBLE, reasons VARCHAR[])",
    "out_links": INT,
}

FACTS: Final[Mapping[Kind, Mapping[str, str]]] = {
    Kind.ROBOTS: ROBOTS,
    Kind.SITEMAPS: SITEMAPS,
    Kind.ENTRIES: ENTRIES,
    Kind.PAGES: PAGES,
}

IDENTITY: Final[Mapping[Kind, tuple[str, ...]]] = {
    Kind.ROBOTS: ("origin",),
    Kind.SITEMAPS: ("url_key",),
    Kind.ENTRIES: ("sitemap", "position"),
    Kind.PAGES: ("url_key",),
}
"""What one line of a kind is about: a line without it is no fact; a repeated one is the same fact."""


def names(columns: Mapping[str, str]) -> str:
    """Column names for a SELECT list, quoted."""
    return ", ".join(f'"{name}"' for name in columns)


def declared(columns: Mapping[str, str]) -> str:
    """`"name" TYPE, …` for CREATE TABLE."""
    return ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
