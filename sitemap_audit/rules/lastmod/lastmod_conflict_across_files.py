"""Two files date the last change of one page differently."""

from sitemap_audit.rules.dates import earliest, is_written, latest
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, MAP, OTHER, SITE, entry, file, undeclared

PAGE = f"{SITE}/a"


def dated(day: str, sitemap: str = MAP, line: int = 3, **more: object) -> dict[str, object]:
    """An entry of the page with this date."""
    date = {"lastmod": day, "lastmod_raw": day, "lastmod_precision": "second" if "T" in day else "day"}
    return entry(PAGE, line, sitemap) | date | more


def in_feed(date: str, published: str | None = None) -> dict[str, object]:
    """An item of a feed; without a date of a change the reader takes that of publication."""
    return dated(date, FEED, published_raw=published or date)


TWO = [file(), file(OTHER), undeclared(FEED, kind="rss")]

RULE = Rule(
    id="lastmod-conflict-across-files",
    severity=Severity.WARNING,
    title="Two files date one page differently",
    why="A page was last changed at one time: where two files name different ones, search engines can trust neither.",
    fix="Fill lastmod of {url} in {sitemap} and in {related_url} from one source, or list it in one file only.",
    source=(Source("text-000", "XML sitemaps and feeds, the time of the last change"),),
    needs=frozenset(),
    # Of each file its newest date of the page. The date of publication in a feed may be older than the last change, never
    # newer. Between two dates lies what is left when both are taken as widely as they can be meant.
    sql=f"""
        WITH dated AS (
            SELECT e.url_key, e.sitemap, e.line, e.lastmod, e.lastmod_raw, {earliest("e")} AS first, {latest("e")} AS last,
                   f.feed AND coalesce(trim(e.lastmod_raw) = trim(e.published_raw), false) AS published
            FROM entries e SEMI JOIN (FROM listing WHERE sitemap_count > 1) l ON l.url_key = e.url_key
            JOIN (
                SELECT url, bool_or(kind IN ('rss', 'atom')) AS feed FROM sitemap_files
                WHERE kind IN ('urlset', 'rss', 'atom') AND source IS DISTINCT FROM 'list' GROUP BY url
            ) f ON f.url = e.sitemap
            WHERE e.lastmod IS NOT NULL AND e.lastmod_raw IS NOT NULL
        ),
        newest AS (SELECT url_key, arg_max(dated, (lastmod, line)) AS d FROM dated GROUP BY url_key, sitemap),
        ends AS (
            SELECT url_key, arg_max(d, (d.first, d.sitemap)) AS late,
                   arg_min(d, (d.last, d.sitemap)) FILTER (NOT d.published) AS early
            FROM newest GROUP BY url_key
        )
        SELECT url_key, url_key AS subject, late.sitemap AS sitemap, late.line AS line, early.sitemap AS related_url,
               'lastmod ' || {is_written("late.lastmod_raw")} || ' in ' || late.sitemap || coalesce(', line ' || late.line, '') AS claim,
               'lastmod ' || {is_written("early.lastmod_raw")} || ' in ' || early.sitemap || coalesce(', line ' || early.line, '') AS reality
        FROM ends, settings s
        WHERE late.first > early.last + to_days(s.lastmod_conflict_days::INT)
    """,
    fires=(
        Fires(
            "1 and 20 November",
            {"sitemap_files": TWO, "entries": [dated("2026-11-01"), dated("2026-11-20", OTHER, 8)]},
            {
                "url": PAGE,
                "subject": PAGE,
                "sitemap": OTHER,
                "line": 8,
                "related_url": MAP,
                "claim": f'lastmod "2026-11-20" in {OTHER}, line 8',
                "reality": f'lastmod "2026-11-01" in {MAP}, line 3',
                "severity": "warning",
            },
        ),
        Fires(
            "the feed says that it changed later",
            {
                "sitemap_files": [file(), undeclared(FEED, kind="atom")],
                "entries": [dated("2026-11-01"), in_feed("2026-11-20T08:00:00Z", "2026-10-01T08:00:00Z")],
            },
            {"sitemap": FEED, "related_url": MAP},
        ),
        Fires(
            "published after the last change that the sitemap knows",
            {"sitemap_files": TWO, "entries": [dated("2026-11-01"), in_feed("2026-11-20T08:00:00Z")]},
            {"sitemap": FEED, "related_url": MAP},
        ),
        Fires(
            "the feed says that it changed earlier",
            {
                "sitemap_files": TWO,
                "entries": [dated("2026-11-20"), in_feed("2026-11-01T08:00:00Z", "2026-10-01T08:00:00Z")],
            },
            {"sitemap": MAP, "related_url": FEED},
        ),
    ),
    passes=(
        Passes(
            "different precision, the same day",
            {"sitemap_files": TWO, "entries": [dated("2026-11-20"), dated("2026-11-20T08:00:00Z", OTHER)]},
        ),
        Passes(
            "different precision, the same day in another zone",
            {"sitemap_files": TWO, "entries": [dated("2026-11-20"), dated("2026-11-21T09:00:00Z", OTHER)]},
        ),
        Passes(
            "a day apart",
            {
                "sitemap_files": TWO,
                "entries": [dated("2026-11-20T08:00:00Z"), dated("2026-11-21T08:00:00Z", OTHER)],
            },
        ),
        Passes(
            "a feed with the date of publication: the page has changed since",
            {"sitemap_files": TWO, "entries": [dated("2026-11-20"), in_feed("2026-11-01T08:00:00Z")]},
        ),
        Passes(
            "twice in one file is another matter",
            {"sitemap_files": TWO, "entries": [dated("2026-11-20"), dated("2026-11-01", line=9)]},
        ),
        Passes(
            "twice in one file, and its newest is that of the other file",
            {
                "sitemap_files": TWO,
                "entries": [dated("2026-11-20"), dated("2026-11-01", line=9), dated("2026-11-20", OTHER)],
            },
        ),
        Passes(
            "one has no date", {"sitemap_files": TWO, "entries": [dated("2026-11-01"), entry(PAGE, 3, OTHER)]}
        ),
        Passes(
            "a list of the user's own",
            {
                "sitemap_files": [file(), file(OTHER, source="list")],
                "entries": [dated("2026-11-01"), dated("2026-11-20", OTHER)],
            },
        ),
    ),
)
