"""A page that the feed announces and no sitemap lists."""

from sitemap_audit.rules.dates import latest
from sitemap_audit.rules.feed_cases import HOME, feed, home, item
from sitemap_audit.rules.feeds import FEEDS
from sitemap_audit.rules.relations import count_of, host_of, listed_in, moment
from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, INDEX, SITE, entry, file, named

OLD = item(1, lastmod_raw="2026-11-27T12:00:00Z", lastmod="2026-11-27T12:00:00Z")
URL = OLD["url_key"]
PAGE = home(url_key=URL, requested_url=URL, final_url=URL, final_key=URL, noindex=False, allowed=True)
TODAY = OLD | {"lastmod": "2026-11-30T02:00:00Z"}
LISTED = entry(HOME)
CASE = {"sitemap_files": [feed(), file()], "entries": [OLD, LISTED], "pages": [PAGE]}

RULE = Rule(
    id="feed-entry-not-in-sitemap",
    severity=Severity.NOTICE,
    title="Page in the feed is missing from the sitemap",
    why="The feed has announced this page for more than a day, but no sitemap lists it: once it leaves the feed, nothing names it.",
    fix="Write the sitemap anew whenever a page is published, with {url} in it.",
    source=(
        Source(
            "text-000", "XML sitemaps and feeds, use both: all pages in the one, the changes in the other"
        ),
    ),
    needs=frozenset({Need.RESPONSE}),
    # A sitemap that is built daily has a day. Where a sitemap of the host was not read nobody knows what it lists. What
    # answers only behind a redirect, or names another canonical, is rightly not listed: only indexable pages count.
    sql=f"""
        WITH maps AS (
            SELECT {host_of("coalesce(final_url, url)")} AS host, count(*) FILTER (kind IN ('urlset', 'text') AND state = 'ok') AS read,
                   bool_or(state NOT IN ('ok', 'skipped') AND source IS DISTINCT FROM 'guess') AS unread
            FROM sitemap_files WHERE source NOT IN ('list', 'feed_link') AND coalesce(kind NOT IN ('rss', 'atom'), true) GROUP BY 1
        ),
        unread AS (
            SELECT DISTINCT {host_of("loc")} AS host FROM index_children
            WHERE loc IS NOT NULL AND loc NOT IN (SELECT url FROM sitemap_files)
        ),
        items AS (
            SELECT e.url_key, f.host, arg_min(f.url, (f.url, e.position)) AS sitemap, arg_min(e.line, (f.url, e.position)) AS line,
                   max(e.lastmod) AS lastmod, max({latest("e")}) AS latest, max(f.fetched_at) AS fetched_at
            FROM entries e JOIN ({FEEDS}) f ON f.url = e.sitemap
            WHERE e.url_key IS NOT NULL AND {host_of("e.loc")} = f.host GROUP BY ALL
        )
        SELECT i.url_key, i.url_key AS subject, i.sitemap, i.line, {listed_in("i.sitemap", "i.line")} AS claim,
               'in no sitemap of this host (read: ' || {count_of("m.read")} || '), though the feed dates it '
               || {moment("i.lastmod")} AS reality
        FROM items i JOIN urls u ON u.url_key = i.url_key JOIN maps m ON m.host = i.host ANTI JOIN unread x ON x.host = i.host, settings s
        WHERE u.discovered_by = 'feed' AND m.read > 0 AND NOT m.unread
          AND (u.verdict = 'indexable' OR (u.verdict = 'unknown' AND u.verdict_reason = 'depth'))
          AND i.latest < i.fetched_at - to_hours(s.feed_grace_h)
    """,
    fires=(
        Fires(
            "an item of three days ago",
            CASE,
            {
                "url": URL,
                "subject": URL,
                "sitemap": FEED,
                "line": 3,
                "claim": f"listed in {FEED}, line 3",
                "reality": "in no sitemap of this host (read: 1), though the feed dates it 2026-11-27T12:00:00Z",
                "severity": "notice",
            },
        ),
    ),
    passes=(
        Passes("an item of today: a sitemap may be built daily", CASE | {"entries": [TODAY, LISTED]}),
        Passes("a sitemap lists it", CASE | {"entries": [OLD, LISTED, entry(URL, 9)]}),
        Passes("without a date nobody knows how old it is", CASE | {"entries": [item(1), LISTED]}),
        Passes("noindex", CASE | {"pages": [PAGE | {"noindex": True}]}),
        Passes("gone", CASE | {"pages": [PAGE | {"status": 404, "first_status": 404}]}),
        Passes("no sitemap at all", CASE | {"sitemap_files": [feed()], "entries": [OLD]}),
        Passes("the sitemap could not be read", CASE | {"sitemap_files": [feed(), file(state="partial")]}),
        Passes(
            "a child of the index was not asked for",
            CASE
            | {
                "sitemap_files": [feed(), file(), file(INDEX, kind="index")],
                "index_children": [named(f"{SITE}/more.xml")],
            },
        ),
        Passes(
            "the sitemap of another host",
            CASE | {"sitemap_files": [feed(), file("https://www.example.com/sitemap.xml")], "entries": [OLD]},
        ),
    ),
)
