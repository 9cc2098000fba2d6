"""A feed that is behind the sitemap."""

from sitemap_audit.rules.dates import earliest
from sitemap_audit.rules.feed_cases import feed, home, item
from sitemap_audit.rules.feeds import FEEDS
from sitemap_audit.rules.relations import count_of, host_of, moment, path_of
from sitemap_audit.rules.rule import Confidence, Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, SITE, entry, file

JUNE = "2026-06-01T08:00:00Z"
BLOG = feed(newest_item_at=JUNE)
ITEMS = [item(n, lastmod=JUNE, lastmod_raw=JUNE) for n in (1, 2)]


def page(number: int, section: str = "posts") -> dict[str, object]:
    """An entry of the sitemap of November."""
    day = f"2026-11-{number:02}T08:00:00Z"
    return entry(
        f"{SITE}/{section}/{number}", number, lastmod=day, lastmod_raw=day, lastmod_precision="second"
    )


def read(listed: dict[str, object]) -> dict[str, object]:
    """Its page, indexable."""
    url = listed["url_key"]
    return home(url_key=url, requested_url=url, final_url=url, final_key=url, noindex=False, allowed=True)


NEW = [page(n) for n in (11, 12, 13)]
OTHERS = [page(n, "docs") for n in (11, 12, 13)]
SPREAD = file(lastmod_mode_share=0.3, lastmod_day_mode_share=0.3, lastmod_window_share=0.0)
CASE = {"sitemap_files": [BLOG, SPREAD], "entries": [*ITEMS, *NEW], "pages": [read(n) for n in NEW]}

RULE = Rule(
    id="feed-stale",
    severity=Severity.WARNING,
    # The dates of the sitemap are the witness: only a second run sees for itself what has changed.
    confidence=Confidence.LIKELY,
    title="Feed lacks the recent changes",
    why="The sitemap says that pages came or changed after the newest item of the feed: who follows the feed does not learn of them.",
    fix="Add each new or changed page to {sitemap}, with the time of the change.",
    source=(Source("text-000", "RSS and Atom feeds, all recent changes"),),
    needs=frozenset(),
    # A feed of one section is held against the pages of that section: the directory that all its items share, without years and months.
    # A sitemap that gives all pages one date, or the moment of serving, is no witness.
    sql=f"""
        WITH feeds AS (SELECT * FROM ({FEEDS}) WHERE first_page AND newest_item_at IS NOT NULL),
        spans AS (
            SELECT f.url, min({path_of("e.loc")}) AS lo, max({path_of("e.loc")}) AS hi
            FROM entries e JOIN feeds f ON f.url = e.sitemap WHERE {host_of("e.loc")} = f.host GROUP BY f.url
        ),
        sections AS (
            SELECT f.url, f.host, f.claim, f.newest_item_at,
                   regexp_replace(regexp_extract(left(lo, list_max(list_filter(range(0, len(lo) + 1), lambda i: left(lo, i) = left(hi, i)))), '^.*/'),
                                  '(/[0-9]+)+/$', '/') AS prefix
            FROM feeds f JOIN spans p ON p.url = f.url
        ),
        witnesses AS (
            SELECT f.url FROM sitemap_files f, settings s
            WHERE f.kind = 'urlset' AND f.state IN ('ok', 'partial') AND f.source IS DISTINCT FROM 'list'
              AND coalesce(f.lastmod_mode_share < s.lastmod_same_second_share, true)
              AND coalesce(f.lastmod_day_mode_share < s.lastmod_same_day_share, true)
              AND coalesce(f.lastmod_window_share < s.lastmod_now_share, true)
        ),
        newer AS (
            SELECT c.url AS feed, e.url_key, any_value(e.loc) AS loc, max(e.lastmod) AS lastmod
            FROM entries e SEMI JOIN witnesses w ON w.url = e.sitemap
            JOIN sections c ON c.host = {host_of("e.loc")} AND starts_with({path_of("e.loc")}, c.prefix) AND {path_of("e.loc")} <> c.prefix
            JOIN urls u ON u.url_key = e.url_key, settings s
            WHERE u.verdict = 'indexable' AND {earliest("e")} > c.newest_item_at + to_hours(s.feed_stale_h)
            GROUP BY c.url, e.url_key
        )
        SELECT NULL::VARCHAR AS url_key, c.url AS subject, c.url AS sitemap,
               'newest item of ' || c.url || ': ' || {moment("c.newest_item_at")} AS claim,
               {count_of("count(*)")} || ' indexable pages below ' || c.prefix || ' are dated later in the sitemap, the newest '
               || {moment("max(n.lastmod)")} || ': ' || arg_max(n.loc, (n.lastmod, n.loc)) AS reality,
               arg_max(n.loc, (n.lastmod, n.loc)) AS related_url,
               CASE WHEN c.prefix = '/' THEN 'possible' END AS confidence
        FROM sections c JOIN newer n ON n.feed = c.url
        GROUP BY c.url, c.prefix, c.newest_item_at HAVING count(*) >= (SELECT feed_missing_min FROM settings)
    """,
    fires=(
        Fires(
            "the newest item is of June, pages are of November",
            CASE,
            {
                "url": None,
                "subject": FEED,
                "sitemap": FEED,
                "claim": f"newest item of {FEED}: {JUNE}",
                "reality": "3 indexable pages below /posts/ are dated later in the sitemap, the newest "
                f"2026-11-13T08:00:00Z: {SITE}/posts/13",
                "related_url": f"{SITE}/posts/13",
                "severity": "warning",
                "confidence": "likely",
            },
        ),
        Fires(
            "a feed of the whole site",
            CASE
            | {
                "entries": [*ITEMS, entry(f"{SITE}/a", 30, FEED), *OTHERS],
                "pages": [read(n) for n in OTHERS],
            },
            {"related_url": f"{SITE}/docs/13", "confidence": "possible"},
        ),
    ),
    passes=(
        Passes(
            "an item of today",
            CASE | {"sitemap_files": [BLOG | {"newest_item_at": "2026-11-30T08:00:00Z"}, SPREAD]},
        ),
        Passes(
            "a feed of one section: the pages of another have changed",
            CASE | {"entries": [*ITEMS, *OTHERS], "pages": [read(n) for n in OTHERS]},
        ),
        Passes(
            "a day later",
            CASE | {"sitemap_files": [BLOG | {"newest_item_at": "2026-11-12T08:00:00Z"}, SPREAD]},
        ),
        Passes("two pages only", CASE | {"entries": [*ITEMS, *NEW[:2]]}),
        Passes("noindex", CASE | {"pages": [read(n) | {"noindex": True} for n in NEW]}),
        Passes(
            "the sitemap gives all pages one date",
            CASE | {"sitemap_files": [BLOG, SPREAD | {"lastmod_day_mode_share": 1.0}]},
        ),
        Passes("the feed has no dates", CASE | {"sitemap_files": [feed(), SPREAD]}),
        Passes("pages that were not read", CASE | {"pages": []}),
    ),
)
