"""The dates that an index gives its files."""

from sitemap_audit.rules.relations import SITEMAP_FILES, count_of, moment
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier
from sitemap_audit.rules.sitemap_cases import DECLARED, INDEX, MAP, child_file, file, named

NOW = "2026-11-30T12:00:00Z"
OLD, NEW = "2026-01-01T00:00:00Z", "2026-11-29T09:30:00Z"
OUTER = file(INDEX, kind="index", entries=1, usable=1, lastmod_present=1, fetched_at=NOW)
INNER = child_file(MAP, lastmod_max=NEW, fetched_at=NOW)
DATED = named(MAP, 4, lastmod=OLD, lastmod_raw=OLD, lastmod_precision="second")

RULE = Rule(
    id="sitemap-index-lastmod",
    tier=Tier.LATER,
    severity=Severity.NOTICE,
    title="Sitemap index does not date its files well",
    why="The lastmod of a file in an index tells crawlers which files to read again: without it, or with a wrong one, they "
    "read too much or too little.",
    fix="Let {sitemap} give each file the time at which that file really changed.",
    source=(
        Source("g-index", "sitemap index reference, lastmod"),
        Source("sitemaps-org", "sitemap index, lastmod of the file, not of its pages"),
    ),
    needs=frozenset(),
    # It is the date of the file: newer than all entries is fine. A date alone stands for its whole day, widened by 14
    # hours, as everywhere; entries dated into the future prove nothing.
    sql=f"""
        WITH late AS (
            SELECT c.sitemap, count(*) AS n, min(c.line) AS line, arg_min(c.loc, c.line) AS loc, arg_min(c.lastmod_raw, c.line) AS said,
                   arg_min(f.lastmod_max, c.line) AS newest
            FROM index_children c
            JOIN (FROM sitemap_files WHERE kind IN ('urlset', 'text') AND state IN ('ok', 'partial')) f ON f.url_key = c.url_key
            WHERE c.lastmod IS NOT NULL AND c.lastmod_issue IS NULL AND f.lastmod_max <= f.fetched_at
              AND f.lastmod_max > c.lastmod + CASE c.lastmod_precision WHEN 'year' THEN INTERVAL 366 DAY WHEN 'month' THEN INTERVAL 31 DAY
                                              WHEN 'day' THEN INTERVAL 38 HOUR ELSE INTERVAL 1 MINUTE END
            GROUP BY c.sitemap
        )
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, l.line AS line, f.claim,
               CASE WHEN f.lastmod_present = 0 THEN 'no file has a lastmod; files: ' || {count_of("f.entries")}
                    WHEN l.n IS NOT NULL THEN 'files with entries newer than their date here: ' || {count_of("l.n")} || '; line ' || coalesce(l.line::VARCHAR, '?')
                         || ' says ' || coalesce(l.said, '?') || ' of ' || l.loc || ', whose newest entry is of ' || {moment("l.newest")}
                    ELSE 'all of its ' || {count_of("f.lastmod_present")} || ' dates are the time at which it was fetched' END AS reality,
               l.loc AS related_url,
               CASE WHEN f.lastmod_present > 0 THEN 'warning' END AS severity
        FROM ({SITEMAP_FILES}) f LEFT JOIN late l ON l.sitemap = f.url, settings s
        WHERE f.kind = 'index' AND f.entries > 0 AND f.state IN ('ok', 'partial')
          AND (f.lastmod_present = 0 OR l.n IS NOT NULL
               OR (f.lastmod_present >= s.lastmod_now_min_entries AND f.lastmod_window_share >= s.lastmod_now_share))
    """,
    fires=(
        Fires(
            "the file has newer entries",
            {"sitemap_files": [OUTER, INNER], "index_children": [DATED]},
            {
                "url": None,
                "subject": INDEX,
                "sitemap": INDEX,
                "line": 4,
                "claim": DECLARED,
                "reality": f"files with entries newer than their date here: 1; line 4 says {OLD} of {MAP}, whose newest entry is of {NEW}",
                "related_url": MAP,
                "severity": "warning",
            },
        ),
        Fires(
            "no dates at all",
            {
                "sitemap_files": [OUTER | {"lastmod_present": 0, "entries": 12}],
                "index_children": [named(MAP)],
            },
            {"reality": "no file has a lastmod; files: 12", "severity": "notice"},
        ),
        Fires(
            "the time of the answer as each date",
            {"sitemap_files": [OUTER | {"entries": 6, "lastmod_present": 6, "lastmod_window_share": 1.0}]},
            {"reality": "all of its 6 dates are the time at which it was fetched", "severity": "warning"},
        ),
    ),
    passes=(
        Passes("equal", {"sitemap_files": [OUTER, INNER], "index_children": [DATED | {"lastmod": NEW}]}),
        Passes(
            "newer than all entries",
            {"sitemap_files": [OUTER, INNER], "index_children": [DATED | {"lastmod": NOW}]},
        ),
        Passes(
            "the same day, without a time",
            {
                "sitemap_files": [OUTER, INNER],
                "index_children": [DATED | {"lastmod": "2026-11-29T00:00:00Z", "lastmod_precision": "day"}],
            },
        ),
        Passes(
            "an entry is dated into the future",
            {
                "sitemap_files": [OUTER, INNER | {"lastmod_max": "2027-06-01T00:00:00Z"}],
                "index_children": [DATED],
            },
        ),
        Passes("a urlset without dates is lastmod-missing", {"sitemap_files": [file(lastmod_present=0)]}),
    ),
)
