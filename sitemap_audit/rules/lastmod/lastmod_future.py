"""Dates of changes that have not happened yet."""

from sitemap_audit.rules.dates import earliest, is_written
from sitemap_audit.rules.relations import count_of, moment
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, MAP, SITE, entry, file, undeclared

FETCHED = "2026-11-30T12:00:00Z"
FILE = file(lastmod_present=40, fetched_at=FETCHED)


def dated(
    lastmod: str, raw: str, precision: str = "second", line: int = 3, **more: object
) -> dict[str, object]:
    """An entry with this date."""
    page = entry(f"{SITE}/{line}", line, lastmod_raw=raw, lastmod=lastmod, lastmod_precision=precision)
    return page | more


FAR = dated("2099-01-01", "2099-01-01", "day", 7, lastmod_issue="future")

RULE = Rule(
    id="lastmod-future",
    severity=Severity.WARNING,
    title="lastmod lies in the future",
    why="The page claims a change that has not happened yet; dates that cannot be true teach search engines to ignore them all.",
    fix="Set the clock right, or the field that fills lastmod in {sitemap}: a planned or an expiry date is no change.",
    source=(Source("g-ping", "lastmod, has to be verifiably right"),),
    needs=frozenset(),
    # In UTC+14 tomorrow begins ten hours after noon in London: a date alone counts from there, and a day of grace is given.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, e.sitemap AS subject, e.sitemap, arg_min(e.line, e.position) AS line,
               CASE any_value(f.kind) WHEN 'rss' THEN 'pubDate ' WHEN 'atom' THEN 'updated ' ELSE 'lastmod ' END
               || arg_min({is_written("e.lastmod_raw")}, e.position) || ' in ' || e.sitemap
               || coalesce(', line ' || arg_min(e.line, e.position), '') AS claim,
               {count_of("count(*)")} || coalesce(' of ' || {count_of("any_value(f.lastmod_present)")} || ' dates', ' dates')
               || ' lie after the fetch at ' || {moment("any_value(f.fetched_at)")} || ', the latest is '
               || arg_max({is_written("e.lastmod_raw")}, (e.lastmod, e.lastmod_raw)) AS reality
        FROM entries e JOIN (
            SELECT url, any_value(kind) AS kind, any_value(coalesce(fetched_at, date_http)) AS fetched_at, any_value(lastmod_present) AS lastmod_present
            FROM sitemap_files WHERE kind IN ('urlset', 'rss', 'atom') AND source IS DISTINCT FROM 'list' GROUP BY url
        ) f ON f.url = e.sitemap, settings s
        WHERE {earliest("e")} > f.fetched_at + to_seconds(s.lastmod_future_s) AND e.lastmod_raw IS NOT NULL
        GROUP BY e.sitemap
    """,
    fires=(
        Fires(
            "the year 2099",
            {
                "sitemap_files": [FILE],
                "entries": [dated("2026-11-29T08:00:00Z", "2026-11-29T08:00:00Z"), FAR],
            },
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "line": 7,
                "claim": f'lastmod "2099-01-01" in {MAP}, line 7',
                "reality": f'1 of 40 dates lie after the fetch at {FETCHED}, the latest is "2099-01-01"',
                "severity": "warning",
            },
        ),
        Fires(
            "an item of a feed",
            {
                "sitemap_files": [undeclared(FEED, kind="rss", fetched_at=FETCHED)],
                "entries": [FAR | {"sitemap": FEED, "lastmod_raw": "Thu, 01 Jan 2099 00:00:00 GMT"}],
            },
            {"sitemap": FEED, "claim": f'pubDate "Thu, 01 Jan 2099 00:00:00 GMT" in {FEED}, line 7'},
        ),
        Fires(
            "several: one finding a file",
            {
                "sitemap_files": [FILE],
                "entries": [
                    dated("2026-12-01T12:00:01Z", "2026-12-01T12:00:01Z"),
                    FAR,
                    FAR | {"line": 9, "position": 9},
                ],
            },
            {
                "line": 3,
                "claim": f'lastmod "2026-12-01T12:00:01Z" in {MAP}, line 3',
                "reality": f'3 of 40 dates lie after the fetch at {FETCHED}, the latest is "2099-01-01"',
            },
        ),
    ),
    passes=(
        Passes(
            "time zones: tomorrow, where it is tomorrow already",
            {"sitemap_files": [FILE], "entries": [dated("2026-12-01", "2026-12-01", "day")]},
        ),
        Passes(
            "today, in UTC+13",
            {
                "sitemap_files": [FILE],
                "entries": [dated("2026-11-30T11:00:00Z", "2026-12-01T00:00:00+13:00")],
            },
        ),
        Passes(
            "a time without a zone is taken as kindly as it can be",
            {
                "sitemap_files": [FILE],
                "entries": [
                    dated("2026-12-02T01:00:00Z", "2026-12-02T01:00:00", lastmod_issue="timezone_missing")
                ],
            },
        ),
        Passes(
            "in an hour",
            {"sitemap_files": [FILE], "entries": [dated("2026-11-30T13:00:00Z", "2026-11-30T13:00:00Z")]},
        ),
        Passes(
            "a list of the user's own",
            {"sitemap_files": [FILE | {"source": "list"}], "entries": [FAR]},
        ),
        Passes(
            "nobody knows when it was fetched",
            {"sitemap_files": [FILE | {"fetched_at": None}], "entries": [FAR]},
        ),
        Passes("no date", {"sitemap_files": [FILE], "entries": [entry(f"{SITE}/a")]}),
    ),
)
