"""Dates that are just the moment at which the sitemap was served."""

from sitemap_audit.rules.relations import SITEMAP_FILES, count_of, moment
from sitemap_audit.rules.rule import Confidence, Fires, Passes, Rule, Severity, Source, Tier

SITE = "https://example.com"
MAP = f"{SITE}/sitemap.xml"
SERVED = {
    "url": MAP,
    "source": "robots",
    "declared_in": [SITE],
    "state": "ok",
    "kind": "urlset",
    "status": 200,
    "entries": 5,
    "lastmod_present": 5,
    "lastmod_min": "2026-11-30T12:00:01Z",
    "lastmod_max": "2026-11-30T12:00:03Z",
    "lastmod_window_share": 1.0,
    "date_http": "2026-11-30T12:00:03Z",
}

LISTED = [
    {
        "url_key": f"{SITE}/{n}",
        "loc": f"{SITE}/{n}",
        "sitemap": MAP,
        "position": n,
        "line": 4 * n,
        "lastmod": "2026-11-30T12:00:02Z",
    }
    for n in range(1, 6)
]

# A value in a wrong form whose meaning is plain is dated too.
DATED = """
    SELECT e.sitemap, count(e.lastmod) AS dated FROM entries e
    SEMI JOIN (FROM sitemap_files f, settings s WHERE f.lastmod_window_share >= s.lastmod_now_share) f ON f.url = e.sitemap
    GROUP BY e.sitemap
"""

RULE = Rule(
    id="lastmod-equals-fetch-time",
    tier=Tier.TOP30,
    rank=18,
    severity=Severity.ERROR,
    # Only a second fetch, whose dates have moved with the clock, makes it sure; a run does not wait for it.
    confidence=Confidence.LIKELY,
    title="lastmod is the time of serving",
    why="The time is just the moment the sitemap was served, not that of a change; search engines learn to ignore it.",
    fix="Store when each page was really changed, and write that time into {sitemap}.",
    source=(
        Source("text-000", "Last modification time, never the time of serving"),
        Source("text-002", "lines 62-63, lastmod must be verifiably right"),
        Source("g-sitemap", "additional notes, lastmod"),
    ),
    needs=frozenset(),
    # Test S1 of definitions 4; the share is counted while the file is read, against Date minus Age. A file
    # that was written minutes before (Last-Modified) may honestly hold fresh dates: less sure.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap,
               'lastmod of ' || {count_of("f.dated")} || ' entries in ' || f.url
               || coalesce(': ' || {moment("f.lastmod_min")} || ' to ' || {moment("f.lastmod_max")}, '') AS claim,
               'served ' || coalesce({moment("f.clock")}, 'at an unknown time') || '; '
               || floor(100 * f.lastmod_window_share)::INT || ' % of the dates lie within '
               || s.lastmod_now_before_s || ' s before and ' || s.lastmod_now_after_s || ' s after it'
               || CASE WHEN f.written THEN '; the file itself is dated ' || {moment("f.last_modified_http")} ELSE '' END
                   AS reality,
               CASE WHEN f.written THEN 'warning' END AS severity,
               CASE WHEN f.written THEN 'possible' END AS confidence
        FROM (
            SELECT f.*, d.dated,
                   coalesce(date_http, fetched_at) - to_seconds(coalesce(age_s, 0)) AS clock,
                   coalesce(last_modified_http < coalesce(date_http, fetched_at) - to_seconds(coalesce(age_s, 0) + 5), false)
                       AS written
            FROM ({SITEMAP_FILES}) f JOIN ({DATED}) d ON d.sitemap = f.url
        ) f, settings s
        WHERE f.kind = 'urlset' AND f.dated >= s.lastmod_now_min_entries
          AND f.lastmod_window_share >= s.lastmod_now_share
    """,
    fires=(
        Fires(
            "every entry is as old as the answer",
            {"sitemap_files": [SERVED], "entries": LISTED},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "claim": f"lastmod of 5 entries in {MAP}: 2026-11-30T12:00:01Z to 2026-11-30T12:00:03Z",
                "reality": "served 2026-11-30T12:00:03Z; 100 % of the dates lie within 300 s before and 60 s after it",
                "severity": "error",
                "confidence": "likely",
            },
        ),
        Fires(
            "from a cache: Date minus Age is the clock",
            {
                "sitemap_files": [SERVED | {"date_http": "2026-11-30T13:00:03Z", "age_s": 3600}],
                "entries": LISTED,
            },
            {
                "reality": "served 2026-11-30T12:00:03Z; 100 % of the dates lie within 300 s before and 60 s after it",
            },
        ),
        Fires(
            "the file was written two minutes before",
            {"sitemap_files": [SERVED | {"last_modified_http": "2026-11-30T11:58:00Z"}], "entries": LISTED},
            {"severity": "warning", "confidence": "possible"},
        ),
    ),
    passes=(
        Passes(
            "one breaking news among 500",
            {
                "sitemap_files": [SERVED | {"lastmod_present": 500, "lastmod_window_share": 0.002}],
                "entries": LISTED,
            },
        ),
        Passes("too few dates", {"sitemap_files": [SERVED], "entries": LISTED[:4]}),
        Passes(
            "dates without time never count",
            {"sitemap_files": [SERVED | {"lastmod_window_share": 0.0}], "entries": LISTED},
        ),
        Passes(
            "no share was counted",
            {"sitemap_files": [SERVED | {"lastmod_window_share": None}], "entries": LISTED},
        ),
        Passes("an index", {"sitemap_files": [SERVED | {"kind": "index"}], "entries": LISTED}),
    ),
)
