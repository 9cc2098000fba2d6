"""A feed whose items do not say when they changed."""

from sitemap_audit.rules.feed_cases import ADVERTISED, feed, item
from sitemap_audit.rules.feeds import FEEDS
from sitemap_audit.rules.relations import count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, MAP, entry, file

DATED = {"lastmod_raw": "Mon, 30 Nov 2026 12:00:00 GMT", "lastmod": "2026-11-30T12:00:00Z"}
UNDATED = [item(1), item(2), item(3, **DATED)]

RULE = Rule(
    id="feed-date-missing",
    severity=Severity.WARNING,
    title="Feed items have no date",
    why="Without a time readers and search engines cannot order the items, nor see which of them are new.",
    fix="Give each item of {sitemap} the time of its last change: pubDate in RSS, updated in Atom.",
    source=(
        Source("text-000", "RSS and Atom feeds, the time of each change"),
        Source("rfc4287", "4.1.2, updated is required in an entry"),
        Source("rss2", "elements of item, pubDate is optional"),
    ),
    needs=frozenset(),
    # Atom demands updated, RSS lets pubDate out: there a few items without it are nobody's fault. dc:date and published stand in.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, e.line, f.claim,
               {count_of("e.undated")} || ' of ' || {count_of("e.n")} || ' items have no '
               || CASE WHEN f.kind = 'atom' THEN 'updated' ELSE 'pubDate' END || coalesce(', the first on line ' || e.line, '') AS reality,
               CASE WHEN f.kind = 'atom' THEN 'error' END AS severity
        FROM ({FEEDS}) f JOIN (
            SELECT sitemap, count(*) AS n, count(*) FILTER (lastmod_raw IS NULL) AS undated,
                   arg_min(line, position) FILTER (lastmod_raw IS NULL) AS line
            FROM entries GROUP BY sitemap
        ) e ON e.sitemap = f.url, settings s
        WHERE e.undated > CASE WHEN f.kind = 'atom' THEN 0 ELSE s.lastmod_missing_share * e.n END
    """,
    fires=(
        Fires(
            "no pubDate",
            {"sitemap_files": [feed()], "entries": UNDATED},
            {
                "url": None,
                "subject": FEED,
                "sitemap": FEED,
                "line": 3,
                "claim": ADVERTISED,
                "reality": "2 of 3 items have no pubDate, the first on line 3",
                "severity": "warning",
            },
        ),
        Fires(
            "Atom demands it of each",
            {"sitemap_files": [feed(kind="atom")], "entries": [item(1, **DATED), item(2, **DATED), item(3)]},
            {"reality": "1 of 3 items have no updated, the first on line 9", "severity": "error"},
        ),
    ),
    passes=(
        Passes("all dated", {"sitemap_files": [feed()], "entries": [item(1, **DATED)]}),
        Passes(
            "optional in RSS: one item of three has none",
            {"sitemap_files": [feed()], "entries": [item(1, **DATED), item(2, **DATED), item(3)]},
        ),
        Passes(
            "a date that cannot be read is there",
            {
                "sitemap_files": [feed(kind="atom")],
                "entries": [item(1, lastmod_raw="today", lastmod_issue="format")],
            },
        ),
        Passes("an XML sitemap", {"sitemap_files": [file()], "entries": [entry(MAP)]}),
        Passes("an empty feed", {"sitemap_files": [feed(kind="atom")], "entries": []}),
    ),
)
