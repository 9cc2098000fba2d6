"""Items of a feed that are always dated now."""

from sitemap_audit.rules.feed_cases import feed, item
from sitemap_audit.rules.feeds import FEEDS
from sitemap_audit.rules.relations import count_of, moment
from sitemap_audit.rules.rule import Confidence, Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, file

CLOCK = "2026-11-30T12:00:03Z"
NOW = feed(date_http=CLOCK, lastmod_window_share=1.0)


def at(number: int, time: str) -> dict[str, object]:
    """An item of this moment."""
    return item(number, lastmod=time, lastmod_raw=time, lastmod_precision="second")


ITEMS = [at(n, f"2026-11-30T12:00:0{n}Z") for n in range(1, 4)]

RULE = Rule(
    id="feed-date-is-serve-time",
    severity=Severity.WARNING,
    # Only a second fetch, whose dates have moved with the clock, makes it sure; a run does not wait for it.
    confidence=Confidence.LIKELY,
    title="Items of the feed are dated at the moment of serving",
    why="The feed claims that everything changed just now; who reads it learns nothing of what is new, and will not believe it.",
    fix="Store when each page was really changed, and write that time into its item of {sitemap}.",
    source=(Source("text-000", "last modification time of a feed item, never the time of serving"),),
    needs=frozenset(),
    # Test S1 of definitions 4 with a smaller number of items; the date of the channel or feed alone does not count. Where a very active feed got
    # all its items in these minutes, their times are spread over them: only times close to each other are the clock's.
    sql=f"""
        WITH served AS (
            SELECT f.*, coalesce(f.date_http, f.fetched_at) - to_seconds(coalesce(f.age_s, 0)) AS clock FROM ({FEEDS}) f, settings s
            WHERE f.lastmod_window_share >= s.lastmod_now_share
        ),
        dated AS (
            SELECT f.url, count(*) AS n, min(e.lastmod) FILTER (w.inside) AS first, max(e.lastmod) FILTER (w.inside) AS last
            FROM entries e JOIN served f ON f.url = e.sitemap, settings s,
                 LATERAL (SELECT e.lastmod BETWEEN f.clock - to_seconds(s.lastmod_now_before_s)
                                               AND f.clock + to_seconds(s.lastmod_now_after_s) AS inside) w
            WHERE e.lastmod IS NOT NULL GROUP BY f.url
        )
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap,
               'the dates of ' || {count_of("d.n")} || ' items in ' || f.url
               || ': ' || {moment("d.first")} || ' to ' || {moment("d.last")} AS claim,
               'served ' || {moment("f.clock")} || '; ' || floor(100 * f.lastmod_window_share)::INT || ' % of the dates lie within '
               || s.lastmod_now_before_s || ' s before and ' || s.lastmod_now_after_s || ' s after it' AS reality
        FROM served f JOIN dated d ON d.url = f.url, settings s
        WHERE d.n >= s.feed_now_min_entries AND date_sub('second', d.first, d.last) <= s.lastmod_now_after_s
    """,
    fires=(
        Fires(
            "all are of now",
            {"sitemap_files": [NOW], "entries": ITEMS},
            {
                "url": None,
                "subject": FEED,
                "sitemap": FEED,
                "claim": f"the dates of 3 items in {FEED}: 2026-11-30T12:00:01Z to 2026-11-30T12:00:03Z",
                "reality": f"served {CLOCK}; 100 % of the dates lie within 300 s before and 60 s after it",
                "severity": "warning",
                "confidence": "likely",
            },
        ),
        Fires(
            "from a cache: Date minus Age is the clock",
            {
                "sitemap_files": [NOW | {"date_http": "2026-11-30T13:00:03Z", "age_s": 3600}],
                "entries": ITEMS,
            },
            {"reality": f"served {CLOCK}; 100 % of the dates lie within 300 s before and 60 s after it"},
        ),
    ),
    passes=(
        Passes(
            "newest only",
            {
                "sitemap_files": [NOW | {"lastmod_window_share": 0.34}],
                "entries": [ITEMS[0], at(2, "2026-11-29T08:00:00Z"), at(3, "2026-11-28T08:00:00Z")],
            },
        ),
        Passes(
            "a very active feed: three items of the last minutes, each at its own time",
            {
                "sitemap_files": [NOW],
                "entries": [
                    at(1, "2026-11-30T11:56:00Z"),
                    at(2, "2026-11-30T11:58:10Z"),
                    at(3, "2026-11-30T12:00:01Z"),
                ],
            },
        ),
        Passes("two items prove nothing", {"sitemap_files": [NOW], "entries": ITEMS[:2]}),
        Passes(
            "only the channel is dated now",
            {"sitemap_files": [NOW | {"lastmod_window_share": 0.0, "feed_updated": CLOCK}], "entries": ITEMS},
        ),
        Passes(
            "an XML sitemap has a rule of its own",
            {"sitemap_files": [file(FEED, lastmod_window_share=1.0)], "entries": ITEMS},
        ),
    ),
)
