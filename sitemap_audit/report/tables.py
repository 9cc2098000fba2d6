"""The columns of urls.csv, findings.csv, sitemaps.csv and robots.csv, and the SQL each comes from.

Names and order are the contract with the scripts of our users; they may grow at the end, never change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sitemap_audit.report.csv_files import Cell, Column
from sitemap_audit.report.judged import RANK, Judged

N, F, T, L, S = Cell.NUMBER, Cell.FLAG, Cell.TIME, Cell.TEXTS, Cell.SHARE


@dataclass(frozen=True, slots=True)
class Table:
    """One file: its columns, where they come from, and its order."""

    name: str
    columns: tuple[Column, ...]
    source: str
    order: str


URLS: Final = Table(
    "urls.csv",
    (
        Column("url", "u.url"),
        Column("verdict", "u.verdict"),
        Column("verdict_reason", "u.verdict_reason"),
        Column("status", "p.status", N),
        Column("first_status", "p.first_status", N),
        Column("final_url", "p.final_url"),
        Column("redirect_hops", "p.hop_count", N),
        Column("redirect_statuses", "h.statuses", L),
        Column("error_class", "p.error_class"),
        Column(
            "robots",
            "CASE p.allowed WHEN true THEN 'allowed' WHEN false THEN 'blocked' ELSE CASE WHEN p.url_key IS NOT NULL THEN 'unknown' END END",
        ),
        Column("robots_rule", "p.robots_rule"),
        Column("robots_line", "p.robots_line", N),
        Column("noindex", "p.noindex", F),
        Column("meta_robots", "list_transform(p.meta_robots, lambda m: m.name || ': ' || m.content)", L),
        Column("x_robots_tag", "p.x_robots_tag", L),
        Column("canonical", "p.canonical"),
        Column("canonical_state", "p.canonical_state"),
        Column("hreflang_count", "CASE WHEN p.canonical_state IS NOT NULL THEN p.hreflang_count END", N),
        Column("title", "p.title"),
        Column("html_lang", "p.html_lang"),
        Column("content_type", "p.content_type"),
        Column("bytes", "p.bytes", N),
        Column("ttfb_ms", "p.ttfb_ms", N),
        Column("total_ms", "p.total_ms", N),
        Column("lastmod", "l.lastmod", T),
        Column("last_modified_http", "p.last_modified_http", T),
        Column("main_hash", "p.main_hash"),
        Column("soft404_score", "u.soft404_score", S),
        Column("sitemaps", "u.sitemaps", L),
        Column("sitemap_count", "u.sitemap_count", N),
        Column("discovered_by", "u.discovered_by"),
        Column("fetched_at", "p.fetched_at", T),
        Column("attempts", "p.attempts", N),
        Column("errors", "coalesce(c.errors, 0)", N),
        Column("warnings", "coalesce(c.warnings, 0)", N),
        Column("notices", "coalesce(c.notices, 0)", N),
        Column("rules", "c.rules", L),
    ),
    """FROM urls u
    LEFT JOIN pages p ON p.url_key = u.url_key
    LEFT JOIN listing l ON l.url_key = u.url_key
    LEFT JOIN report_hops h ON h.url_key = u.url_key
    LEFT JOIN report_url_counts c ON c.url_key = u.url_key
    WHERE u.listed OR p.state = 'checked'""",
    "u.url, u.url_key",
)

FINDINGS: Final = Table(
    "findings.csv",
    (
        Column("rule", "rule"),
        Column("severity", "severity"),
        Column("confidence", "confidence"),
        Column("url", "url"),
        Column("sitemap", "sitemap"),
        Column("line", "line", N),
        Column("claim", "claim"),
        Column("reality", "reality"),
        Column("related_url", "related_url"),
        Column("fix", "fix"),
        Column("status", "status"),
        Column("first_seen", "first_seen", T),
        Column("finding_key", "finding_key"),
        Column("source", "source", Cell.TEXT),
        Column("run_id", "run_id"),
    ),
    "FROM findings",
    f"{RANK}, rule, finding_key",
)

_VERDICT_COLUMNS: Final = (
    ("indexable", "indexable"),
    ("redirects", "redirect"),
    ("client_errors", "client_error"),
    ("server_errors", "server_error"),
    ("unreachable", "unreachable"),
    ("blocked", "blocked"),
    ("noindex", "noindex"),
    ("canonicalised", "canonicalised"),
    ("duplicate_content", "duplicate"),
    ("soft_404", "soft_404"),
    ("not_a_document", "not_a_document"),
)

SITEMAPS: Final = Table(
    "sitemaps.csv",
    (
        Column("url", "s.url"),
        Column("kind", "s.kind"),
        Column("source", "s.source"),
        Column("parent", "s.parent"),
        Column("state", "s.state"),
        Column("status", "s.status", N),
        Column("final_url", "s.final_url"),
        Column("content_type", "s.content_type"),
        Column("gzip", "s.gzip", F),
        Column("bytes_wire", "s.bytes_wire", N),
        Column("bytes_xml", "s.bytes_xml", N),
        Column("entries", "s.entries", N),
        Column("usable", "s.usable", N),
        Column("duplicates", "s.duplicates", N),
        Column("lastmod_present", "s.lastmod_present", N),
        Column("lastmod_min", "s.lastmod_min", T),
        Column("lastmod_max", "s.lastmod_max", T),
        Column("lastmod_distinct", "s.lastmod_distinct", N),
        Column("lastmod_mode_share", "s.lastmod_mode_share", S),
        Column("images", "s.images", N),
        Column("videos", "s.videos", N),
        Column("news", "s.news", N),
        Column("alternates", "s.alternates", N),
        Column("checked", "coalesce(v.checked, 0)", N),
        Column("skipped", "coalesce(v.skipped, 0)", N),
        Column("unchecked", "coalesce(v.unchecked, 0)", N),
        *(Column(name, f"coalesce(v.{name}, 0)", N) for name, _ in _VERDICT_COLUMNS),
        Column("indexable_share", "CASE WHEN v.known > 0 THEN v.indexable / v.known END", S),
        Column("sha256", "s.sha256"),
        Column("fetched_at", "s.fetched_at", T),
        Column("total_ms", "s.total_ms", N),
        Column("errors", "coalesce(c.errors, 0)", N),
        Column("warnings", "coalesce(c.warnings, 0)", N),
        Column("notices", "coalesce(c.notices, 0)", N),
    ),
    """FROM sitemap_files s
    LEFT JOIN report_sitemap_urls v ON v.sitemap = s.url
    LEFT JOIN report_sitemap_counts c ON c.sitemap = s.url""",
    "s.url",
)

_LINES: Final = "list_filter(r.unsupported, lambda u: u.field IN ('noindex', 'nofollow', 'noarchive'))"

ROBOTS: Final = Table(
    "robots.csv",
    (
        Column("origin", "r.origin"),
        Column("robots_url", "r.robots_url"),
        Column("state", "r.state"),
        Column("status", "r.status", N),
        Column("redirect_hops", "coalesce(len(r.hops), 0)", N),
        Column("bytes", "r.bytes", N),
        Column("over_limit", "r.cut_at IS NOT NULL", F),
        Column("encoding_ok", "r.encoding_ok", F),
        Column("content_type", "r.content_type"),
        Column("groups", "coalesce(len(r.groups), 0)", N),
        Column("rules", "coalesce(len(r.rules), 0)", N),
        Column("sitemap_lines", "coalesce(len(r.sitemaps), 0)", N),
        Column(
            "unsupported_fields",
            "list_sort(list_distinct(list_transform(r.unsupported, lambda u: u.field)))",
            L,
        ),
        Column("noindex_lines", f"coalesce(len({_LINES}), 0)", N),
        Column("verdict_bot_policy", "r.policy"),
        Column("listed_urls", "coalesce(o.listed, 0)", N),
        Column("blocked_urls", "coalesce(o.blocked, 0)", N),
        Column("sha256", "r.sha256"),
        Column("fetched_at", "r.fetched_at", T),
        Column("error", "nullif(concat_ws(': ', r.error_class, r.error_detail), '')"),
        Column("crawl_delay", "r.crawl_delay_s", S),
        Column("outage_since", "r.outage_since", T),
        Column("last_good_at", "r.last_good_at", T),
    ),
    "FROM robots_files r LEFT JOIN report_origins o ON o.origin = r.origin WHERE r.at_root IS DISTINCT FROM false",
    "r.origin",
)

TABLES: Final = (FINDINGS, URLS, SITEMAPS, ROBOTS)


def prepare(run: Judged) -> None:
    """The counts that several files and the summary repeat, once."""
    for statement in _PREPARE:
        run.con.execute(statement)


_COUNTS: Final = """
    count(*) FILTER (severity = 'error') AS errors,
    count(*) FILTER (severity = 'warning') AS warnings,
    count(*) FILTER (severity = 'notice') AS notices"""

_PREPARE: Final = (
    f"""CREATE OR REPLACE TEMP TABLE report_url_counts AS
    SELECT url_key, {_COUNTS}, list_sort(list(DISTINCT rule)) AS rules
    FROM findings WHERE url_key IS NOT NULL AND status <> 'ignored' GROUP BY url_key""",
    f"""CREATE OR REPLACE TEMP TABLE report_sitemap_counts AS
    SELECT sitemap, {_COUNTS} FROM findings WHERE sitemap IS NOT NULL AND status <> 'ignored' GROUP BY sitemap""",
    """CREATE OR REPLACE TEMP TABLE report_hops AS
    SELECT url_key, list(coalesce(status::VARCHAR, kind) ORDER BY n) AS statuses FROM hops GROUP BY url_key""",
    f"""CREATE OR REPLACE TEMP TABLE report_sitemap_urls AS
    SELECT e.sitemap,
        count(*) FILTER (u.state = 'checked') AS checked,
        count(*) FILTER (u.state = 'skipped') AS skipped,
        count(*) FILTER (u.state = 'unchecked') AS unchecked,
        count(*) FILTER (u.verdict <> 'unknown') AS known,
        {", ".join(f"count(*) FILTER (u.verdict = '{verdict}') AS {name}" for name, verdict in _VERDICT_COLUMNS)}
    FROM (SELECT DISTINCT sitemap, url_key FROM entries WHERE url_key IS NOT NULL) e
    JOIN urls u ON u.url_key = e.url_key GROUP BY e.sitemap""",
    """CREATE OR REPLACE TEMP TABLE report_origins AS
    SELECT regexp_extract(u.url_key, '^[a-z]+://[^/?#]+') AS origin, count(*) AS listed,
        count(*) FILTER (NOT p.allowed) AS blocked
    FROM urls u LEFT JOIN pages p ON p.url_key = u.url_key WHERE u.listed GROUP BY 1""",
)
