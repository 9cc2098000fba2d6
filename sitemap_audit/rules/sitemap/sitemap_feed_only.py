"""A site whose only map is a feed."""

from sitemap_audit.rules.relations import count_of, origin_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, MAP, SITE, entry, file, undeclared

BLOG = undeclared(FEED, "feed_link", kind="rss", entries=10, usable=10)
ITEMS = [entry(f"{SITE}/{n}", n, FEED) for n in range(1, 4)]
HOME = f"{SITE}/"

RULE = Rule(
    id="sitemap-feed-only",
    severity=Severity.NOTICE,
    title="Only a feed lists the pages of this site",
    why="A feed lists what is new; older pages are not covered by it.",
    fix="Write an XML sitemap with all pages, and keep the feed beside it.",
    source=(
        Source("text-000", "XML sitemaps and feeds, use both"),
        Source("g-sitemap", "sitemap formats, RSS and Atom: recent URLs only"),
    ),
    needs=frozenset(),
    # Who names one feed by hand has not asked for a search. Where links are collected and each linked page is in the feed, the feed holds the whole small site.
    sql=f"""
        WITH maps AS (
            SELECT unnest(list_distinct(list_concat([{origin_of("url")}, {origin_of("coalesce(final_url, url)")}],
                                                    coalesce(declared_in, [])))) AS origin, url, kind, usable, source
            FROM sitemap_files WHERE state IN ('ok', 'partial') AND source IS DISTINCT FROM 'list'
        ),
        whole AS (
            SELECT {origin_of("k.to_key")} AS origin FROM links k LEFT JOIN listing l ON l.url_key = k.to_key
            GROUP BY 1 HAVING bool_and(l.url_key IS NOT NULL OR k.to_key = {origin_of("k.to_key")} || '/')
        )
        SELECT NULL::VARCHAR AS url_key, m.origin AS subject, min(m.url) AS sitemap, 'the feed ' || min(m.url) AS claim,
               'no XML or text sitemap was found; feeds: ' || count(*) || ', with entries: ' || {count_of("sum(coalesce(m.usable, 0))::BIGINT")} AS reality
        FROM maps m ANTI JOIN whole w ON w.origin = m.origin
        GROUP BY m.origin
        HAVING bool_and(m.kind IN ('rss', 'atom')) AND bool_or(m.source IS DISTINCT FROM 'option')
           AND m.origin NOT IN (SELECT {origin_of("url")} FROM listing l SEMI JOIN (
                   FROM sitemap_files WHERE kind IN ('urlset', 'text') AND source IS DISTINCT FROM 'list') f ON f.url = l.sitemap)
    """,
    fires=(
        Fires(
            "a feed of ten posts",
            {"sitemap_files": [BLOG], "entries": ITEMS},
            {
                "url": None,
                "subject": SITE,
                "sitemap": FEED,
                "claim": f"the feed {FEED}",
                "reality": "no XML or text sitemap was found; feeds: 1, with entries: 10",
                "severity": "notice",
            },
        ),
        Fires(
            "the site links to more than the feed holds",
            {
                "sitemap_files": [BLOG],
                "entries": ITEMS,
                "links": [{"from_key": HOME, "to_key": f"{SITE}/{n}"} for n in range(1, 300)],
            },
            {"subject": SITE},
        ),
    ),
    passes=(
        Passes("both", {"sitemap_files": [BLOG, file()], "entries": ITEMS}),
        Passes(
            "a small blog whose feed holds everything",
            {
                "sitemap_files": [BLOG],
                "entries": ITEMS,
                "links": [{"from_key": HOME, "to_key": i["url_key"]} for i in ITEMS]
                + [{"from_key": HOME, "to_key": HOME}],
            },
        ),
        Passes(
            "the feed of another host beside a sitemap that lists its pages",
            {
                "sitemap_files": [
                    undeclared("https://blog.example.com/feed", "feed_link", kind="atom"),
                    file(),
                ],
                "entries": [entry("https://blog.example.com/a")],
            },
        ),
        Passes(
            "the user names this one feed", {"sitemap_files": [BLOG | {"source": "option"}], "entries": ITEMS}
        ),
        Passes("an index", {"sitemap_files": [BLOG, undeclared(MAP, kind="index")], "entries": ITEMS}),
        Passes("the feed cannot be read", {"sitemap_files": [BLOG | {"state": "failed"}], "entries": ITEMS}),
    ),
)
