"""One date for all pages of a file."""

from sitemap_audit.rules.relations import SITEMAP_FILES, count_of, moment
from sitemap_audit.rules.rule import Confidence, Fires, Passes, Rule, Severity, Source, Tier

SITE = "https://example.com"
MAP = f"{SITE}/sitemap.xml"
ARCHIVE = f"{SITE}/archive-2026-11-29.xml"
STAMP = "2026-11-29T02:00:03Z"
DAY = "2026-11-29T00:00:00Z"
OLDER = "2026-03-01T09:30:00Z"
STAMPED = {
    "url": MAP,
    "source": "robots",
    "declared_in": [SITE],
    "state": "ok",
    "kind": "urlset",
    "status": 200,
    "entries": 24,
    "news": 0,
    "lastmod_present": 24,
    "lastmod_mode": STAMP,
    "lastmod_mode_share": 1.0,
    "lastmod_day_mode_share": 1.0,
    "lastmod_window_share": 0.0,
}
BY_DAY = STAMPED | {"lastmod_mode": DAY}
LISTED = [
    {
        "url_key": f"{SITE}/{n}",
        "loc": f"{SITE}/{n}",
        "sitemap": MAP,
        "position": n,
        "line": 4 * n,
        "lastmod": STAMP,
    }
    for n in range(1, 25)
]


def pages(last_modified: str, **more: object) -> list[dict[str, object]]:
    """The listed pages, each with this Last-Modified."""
    return [
        {
            "url_key": e["url_key"],
            "state": "checked",
            "first_status": 200,
            "status": 200,
            "hop_count": 0,
            "last_modified_http": last_modified,
        }
        | more
        for e in LISTED
    ]


RULE = Rule(
    id="lastmod-all-identical",
    tier=Tier.TOP30,
    rank=20,
    severity=Severity.WARNING,
    # A new site or a bulk import looks the same.
    confidence=Confidence.LIKELY,
    title="One lastmod for all pages",
    why="One date for all pages is that of a build, not of a change; the signal is worth nothing.",
    fix="Date each page in {sitemap} by its own last change, or leave lastmod out.",
    source=(
        Source("text-002", "lines 62-63, lastmod stands for a real change; line 93 of the checklist"),
        Source("bing-blog", "lastmod as a signal for crawling"),
    ),
    known_as=("squirrelscan: crawl/sitemap-lastmod-churn",),
    needs=frozenset(),
    # Test S2 of definitions 4. A date without time is one second for all: there the share of the day decides.
    # Evidence is Last-Modified of the listed pages, where it is not simply the time of the answer: if it
    # agrees, the pages may really be of that day. News, a day's archive and the serve time are other cases.
    sql=f"""
        WITH alike AS (
            SELECT f.*, f.lastmod_mode_share >= s.lastmod_same_second_share
                       AND f.lastmod_mode <> date_trunc('day', f.lastmod_mode) AS by_second,
                   date_trunc('day', f.lastmod_mode) AS day
            FROM ({SITEMAP_FILES}) f, settings s
            WHERE f.kind = 'urlset' AND coalesce(f.news, 0) = 0 AND f.lastmod_mode IS NOT NULL
              AND f.lastmod_present >= s.lastmod_one_stamp_min_entries
              AND coalesce(f.lastmod_window_share < s.lastmod_now_share, true)
              AND ((f.lastmod_mode_share >= s.lastmod_same_second_share
                    AND f.lastmod_mode <> date_trunc('day', f.lastmod_mode))
                   OR f.lastmod_day_mode_share >= s.lastmod_same_day_share)
              AND NOT (contains(f.url, strftime(f.lastmod_mode, '%Y-%m-%d')) OR contains(f.url, strftime(f.lastmod_mode, '%Y%m%d'))
                       OR contains(f.url, strftime(f.lastmod_mode, '%Y/%m/%d')) OR contains(f.url, strftime(f.lastmod_mode, '%Y_%m_%d'))
                       OR contains(f.url, strftime(f.lastmod_mode, 'yyyy=%Y&mm=%m&dd=%d')))
        ),
        stamped AS (
            SELECT f.*, d.dated FROM alike f
            JOIN (SELECT sitemap, count(lastmod) AS dated FROM entries GROUP BY sitemap) d ON d.sitemap = f.url, settings s
            WHERE d.dated >= s.lastmod_one_stamp_min_entries
        ),
        evidence AS (
            SELECT t.url, count(*) AS n,
                   count(*) FILTER (p.last_modified_http >= t.day - INTERVAL 14 HOURS
                                    AND p.last_modified_http < t.day + INTERVAL 38 HOURS) AS agree
            FROM stamped t JOIN (SELECT DISTINCT sitemap, url_key FROM entries) e ON e.sitemap = t.url
            JOIN pages p ON p.url_key = e.url_key
            WHERE p.status = 200 AND p.last_modified_http IS NOT NULL
              AND coalesce(p.last_modified_http < p.date_http - INTERVAL 5 SECONDS, true)
            GROUP BY t.url
        )
        SELECT NULL::VARCHAR AS url_key, t.url AS subject, t.url AS sitemap,
               CASE WHEN t.by_second THEN 'lastmod ' || {moment("t.lastmod_mode")} || ' for '
                         || floor(100 * t.lastmod_mode_share)::INT
                    ELSE 'lastmod on ' || strftime(t.day, '%Y-%m-%d') || ' for '
                         || floor(100 * t.lastmod_day_mode_share)::INT END
               || ' % of ' || {count_of("t.dated")} || ' dated entries in ' || t.url AS claim,
               CASE WHEN v.n IS NULL THEN 'no page with a Last-Modified of its own was read'
                    ELSE 'Last-Modified of ' || {count_of("v.n")} || ' listed pages: ' || {count_of("v.agree")}
                         || ' on that day, ' || {count_of("v.n - v.agree")} || ' on others' END AS reality,
               CASE WHEN v.n >= s.lastmod_one_stamp_min_entries AND v.agree >= s.lastmod_same_second_share * v.n
                    THEN 'notice' END AS severity,
               CASE WHEN v.n >= s.lastmod_one_stamp_min_entries AND v.agree >= s.lastmod_same_second_share * v.n
                    THEN 'possible' END AS confidence
        FROM stamped t CROSS JOIN settings s LEFT JOIN evidence v ON v.url = t.url
    """,
    fires=(
        Fires(
            "one second for all, and nothing to compare",
            {"sitemap_files": [STAMPED], "entries": LISTED},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "claim": f"lastmod 2026-11-29T02:00:03Z for 100 % of 24 dated entries in {MAP}",
                "reality": "no page with a Last-Modified of its own was read",
                "severity": "warning",
                "confidence": "likely",
            },
        ),
        Fires(
            "the pages themselves are older",
            {"sitemap_files": [STAMPED], "entries": LISTED, "pages": pages(OLDER)},
            {
                "reality": "Last-Modified of 24 listed pages: 0 on that day, 24 on others",
                "severity": "warning",
            },
        ),
        Fires(
            "the pages are of that day too",
            {"sitemap_files": [BY_DAY], "entries": LISTED, "pages": pages(STAMP)},
            {
                "claim": f"lastmod on 2026-11-29 for 100 % of 24 dated entries in {MAP}",
                "reality": "Last-Modified of 24 listed pages: 24 on that day, 0 on others",
                "severity": "notice",
                "confidence": "possible",
            },
        ),
        Fires(
            "Last-Modified is only the time of the answer",
            {"sitemap_files": [STAMPED], "entries": LISTED, "pages": pages(STAMP, date_http=STAMP)},
            {"reality": "no page with a Last-Modified of its own was read", "severity": "warning"},
        ),
    ),
    passes=(
        Passes("19 dates prove nothing", {"sitemap_files": [STAMPED], "entries": LISTED[:19]}),
        Passes(
            "some share it",
            {
                "sitemap_files": [STAMPED | {"lastmod_mode_share": 0.9, "lastmod_day_mode_share": 0.9}],
                "entries": LISTED,
            },
        ),
        Passes(
            "97 % on one day: for days the bound is higher",
            {
                "sitemap_files": [BY_DAY | {"lastmod_mode_share": 0.97, "lastmod_day_mode_share": 0.97}],
                "entries": LISTED,
            },
        ),
        Passes(
            "the archive of one day",
            {
                "sitemap_files": [STAMPED | {"url": ARCHIVE}],
                "entries": [entry | {"sitemap": ARCHIVE} for entry in LISTED],
            },
        ),
        Passes("a news sitemap", {"sitemap_files": [STAMPED | {"news": 24}], "entries": LISTED}),
        Passes(
            "the serve time is another finding",
            {"sitemap_files": [STAMPED | {"lastmod_window_share": 1.0}], "entries": LISTED},
        ),
        Passes("a feed of one day", {"sitemap_files": [STAMPED | {"kind": "rss"}], "entries": LISTED}),
        Passes("an index", {"sitemap_files": [STAMPED | {"kind": "index"}], "entries": LISTED}),
    ),
)
