"""Every threshold that rules read: value, unit and what it bounds; each is a column of the table `settings`.

A user changes one in `[rules.thresholds]` of the configuration by its name. Limits of fetching and
parsing live in sitemap_audit.settings; where both name one number it is taken from there.
To keep this file: a number stands in no rule, the name says what is counted, the note what it does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from sitemap_audit.settings import (
    INDEX_MAX_DEPTH,
    LASTMOD_FUTURE_S,
    LASTMOD_OLDEST,
    LOC_MAX_CHARS,
    PAGE_MAX_BYTES,
    PAGE_MAX_HOPS,
    ROBOTS_MAX_BYTES,
    ROBOTS_MAX_HOPS,
    SERVE_TIME_AFTER_S,
    SERVE_TIME_BEFORE_S,
    SESSION_ID_MIN_CHARS,
    SITEMAP_MAX_BYTES,
    SITEMAP_MAX_URLS,
)

Value = int | float | date | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Threshold:
    """A number that users may set."""

    value: Value
    unit: str
    note: str


THRESHOLDS: Final[Mapping[str, Threshold]] = {
    "robots_max_bytes": Threshold(ROBOTS_MAX_BYTES, "bytes", "robots.txt is cut here"),
    "robots_max_redirects": Threshold(ROBOTS_MAX_HOPS, "hops", "more counts as missing"),
    "robots_cache_max_s": Threshold(86_400, "s", "longer caching is reported"),
    "robots_retry_count": Threshold(
        3, "requests", "before a failure is reported, spread over robots_retry_spread_s"
    ),
    "robots_retry_spread_s": Threshold(60, "s", "time between the first and the last of robots_retry_count"),
    "robots_outage_pause_s": Threshold(43_200, "s", "google mode: crawling is paused this long (12 h)"),
    "robots_outage_last_good_days": Threshold(30, "days", "google mode: last good copy is used this long"),
    "sitemap_max_urls": Threshold(SITEMAP_MAX_URLS, "entries", "per file, also children of an index"),
    "sitemap_max_bytes": Threshold(SITEMAP_MAX_BYTES, "bytes", "uncompressed"),
    "sitemap_index_max_depth": Threshold(INDEX_MAX_DEPTH, "levels", "nested indexes are followed this deep"),
    "sitemap_slow_total_ms": Threshold(30_000, "ms", "a whole file that takes longer is slow"),
    "sitemap_slow_ttfb_ms": Threshold(5000, "ms", "a first byte that comes later is slow"),
    "sitemap_duplicate_min_entries": Threshold(10, "entries", "smaller files are not compared"),
    "sitemap_stale_days": Threshold(7, "days", "unchanged bytes over this span"),
    "sitemap_stale_changed_share": Threshold(0.01, "share", "of its pages changed"),
    "underfilled_median": Threshold(100, "entries", "median entries a file below this"),
    "underfilled_min_files": Threshold(10, "files", "fewer files are never underfilled"),
    "underfilled_min_entries": Threshold(1000, "entries", "smaller sets are never underfilled"),
    "small_site_pages": Threshold(500, "pages", "such a site may need no sitemap"),
    "loc_max_chars_exclusive": Threshold(LOC_MAX_CHARS, "characters", "a loc must be shorter"),
    "session_id_min_chars": Threshold(
        SESSION_ID_MIN_CHARS, "characters", "hex value of a doubtful session parameter"
    ),
    "parameter_variants_min": Threshold(5, "variants", "of one path that differ in sort or filter only"),
    "url_attempts": Threshold(3, "requests", "before unreachable or 5xx is reported"),
    "redirect_warn_hops": Threshold(2, "hops", "a chain"),
    "redirect_max_hops": Threshold(PAGE_MAX_HOPS, "hops", "Googlebot gives up after these"),
    "redirect_same_target_min": Threshold(5, "URLs", "deep URLs that end at one target"),
    "html_max_bytes": Threshold(PAGE_MAX_BYTES, "bytes", "read by Googlebot of an HTML file, uncompressed"),
    "pdf_max_bytes": Threshold(67_108_864, "bytes", "the same for PDF"),
    "ttfb_slow_ms": Threshold(2000, "ms", "in two measurements"),
    "empty_main_chars": Threshold(50, "characters", "main text below this is an empty page"),
    "shell_visible_chars": Threshold(200, "characters", "visible text below this may be a JavaScript shell"),
    "soft404_report": Threshold(0.7, "score", "finding"),
    "soft404_possible": Threshold(0.4, "score", 'notice "possible"'),
    "soft404_probes_per_host": Threshold(5, "requests", "at most"),
    "unavailable_after_soon_days": Threshold(30, "days", "notice"),
    "near_duplicate_hamming": Threshold(3, "bits of 64", "simhash distance of near duplicates, at most"),
    "near_duplicate_min_chars": Threshold(200, "characters", "of main text"),
    "near_duplicate_length_ratio": Threshold(0.9, "ratio", "shorter to longer text, at least"),
    "canonical_chain_max": Threshold(5, "steps", "followed"),
    "canonical_mass_min": Threshold(20, "URLs", "that name one canonical target"),
    "canonical_mass_share": Threshold(0.01, "share", "of the listed URLs"),
    "change_min_tokens": Threshold(3, "tokens", "meaningful change"),
    "change_min_ratio": Threshold(0.01, "ratio", "of the longer text"),
    "lastmod_missing_share": Threshold(0.5, "share", "of the entries of a file"),
    "lastmod_future_s": Threshold(LASTMOD_FUTURE_S, "s", "after the fetch"),
    "lastmod_oldest": Threshold(date.fromisoformat(LASTMOD_OLDEST), "date", "older is implausible"),
    "lastmod_now_before_s": Threshold(SERVE_TIME_BEFORE_S, "s", "window before the server clock"),
    "lastmod_now_after_s": Threshold(SERVE_TIME_AFTER_S, "s", "window after it"),
    "lastmod_now_share": Threshold(0.9, "share", "of dated entries"),
    "lastmod_now_min_entries": Threshold(5, "entries", "of an XML sitemap; fewer dates prove nothing"),
    "feed_now_min_entries": Threshold(3, "items", "the same of a feed"),
    "lastmod_one_stamp_min_entries": Threshold(
        20,
        "entries",
        "dated entries; fewer prove nothing. Also the number of pages whose Last-Modified counts as evidence",
    ),
    "lastmod_same_second_share": Threshold(0.95, "share", "of dated entries that carry one second"),
    "lastmod_same_day_share": Threshold(0.98, "share", "of dated entries that carry one day"),
    "deploy_min_common": Threshold(50, "entries", "dated in both runs"),
    "deploy_window_s": Threshold(3600, "s", "in which the newer values lie"),
    "deploy_moved_share": Threshold(0.8, "share", "of the entries that got a newer value"),
    "deploy_min_fingerprints": Threshold(30, "pages", "read in both runs"),
    "deploy_unchanged_share": Threshold(0.9, "share", "of the compared pages that did not change"),
    "lastmod_back_days": Threshold(1, "days", "a value that goes back by more is reported"),
    "lastmod_http_days": Threshold(7, "days", "difference to Last-Modified"),
    "lastmod_page_days": Threshold(2, "days", "difference to the date in the page"),
    "lastmod_conflict_days": Threshold(1, "days", "difference between files"),
    "feed_stale_h": Threshold(48, "h", "without a new item while pages change"),
    "feed_news_days": Threshold(365, "days", "without a dated change: a site without news"),
    "feed_missing_min": Threshold(3, "pages", "and feed_missing_share of them"),
    "feed_missing_share": Threshold(0.2, "share", "of the new pages that the feed lacks"),
    "feed_grace_h": Threshold(24, "h", "before a feed item must be in a sitemap"),
    "media_title_max": Threshold(100, "characters", "of a media title"),
    "news_max_age_hours": Threshold(48, "h", "older articles do not belong in a news sitemap"),
    "news_max_items": Threshold(1000, "entries", "per file"),
    "image_max_per_url": Threshold(1000, "images", "of one entry"),
    "image_sample_max": Threshold(500, "requests", "per audit"),
    "video_duration_s": Threshold((1, 28_800), "s", "allowed range"),
    "video_description_max": Threshold(2048, "characters", "of a video description"),
    "video_tags_max": Threshold(32, "tags", "of one video"),
    "share_drop_points": Threshold(5, "percentage points", "fall of the indexable share that is reported"),
    "share_drop_ratio": Threshold(0.2, "share", "of the indexable count"),
    "urls_dropped_share": Threshold(0.1, "share", "and at least urls_dropped_min"),
    "urls_dropped_min": Threshold(20, "URLs", "fewer are not reported"),
    "urls_added_share": Threshold(0.5, "share", "growth that looks like a leak"),
    "host_blocking_share": Threshold(0.2, "share", "of the answers of a host"),
    "dirty_share_warning": Threshold(0.01, "share", "not indexable (secondary source for the figure)"),
    "dirty_share_error": Threshold(0.1, "share", "not indexable: more is an error"),
    "dirty_share_min": Threshold(20, "URLs", "fewer that were judged make no share"),
}


def default_thresholds() -> dict[str, Value]:
    """Name → default value, as the table `settings` holds them when nobody changed one."""
    return {name: threshold.value for name, threshold in THRESHOLDS.items()}
