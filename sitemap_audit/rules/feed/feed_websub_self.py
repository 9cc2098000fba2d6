"""A feed with a hub that does not say which feed it is."""

from sitemap_audit.rules.feed_cases import feed, home
from sitemap_audit.rules.feeds import FEEDS
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, SITE

HUB = "https://hub.example.org/"
OTHER = f"{SITE}/old-feed"
HUBBED = feed(hubs=[HUB], selfs=[FEED])
GONE = feed(OTHER, source="guess", state="failed", status=404, kind="unknown")

RULE = Rule(
    id="feed-websub-self",
    severity=Severity.WARNING,
    title="Feed with a hub lacks one right self link",
    why="The hub knows a feed by its self link: without exactly one, that leads to the feed, subscribers do not get the changes.",
    fix='Give {sitemap} one link rel="self", with the address under which the feed is served and the hub is told of it.',
    source=(
        Source("websub", "discovery, exactly one self link names the topic"),
        Source("rfc4287", "4.2.7.2, the relation self"),
    ),
    needs=frozenset(),
    # A self link that leads elsewhere may be the topic all the same: it is wrong only if it is known not to answer. The same address over http is a notice.
    sql=f"""
        WITH answers AS (
            SELECT url, status FROM sitemap_files WHERE status IS NOT NULL
            UNION ALL SELECT requested_url, status FROM pages WHERE status IS NOT NULL
        ),
        hubbed AS (
            SELECT f.*, coalesce(len(f.selfs), 0) AS n, f.selfs[1] AS self,
                   len(list_distinct(list_transform(coalesce(f.selfs, []), lambda u: regexp_replace(u, '^https?:', '')))) AS topics
            FROM ({FEEDS}) f WHERE len(f.hubs) > 0 AND f.first_page
        )
        SELECT NULL::VARCHAR AS url_key, h.url AS subject, h.url AS sitemap, 'the hub ' || h.hubs[1] || ' in ' || h.url AS claim,
               CASE WHEN h.n = 0 THEN 'no self link'
                    WHEN h.n > 1 THEN h.n || ' self links: ' || array_to_string(h.selfs[:3], ', ')
                    WHEN a.status IS NOT NULL THEN 'the self link ' || h.self || ' answers ' || a.status
                    ELSE 'the self link is ' || h.self || ', the feed is ' || h.place END AS reality,
               CASE WHEN h.n > 0 THEN h.self END AS related_url,
               CASE WHEN h.n > 0 AND h.topics = 1 AND a.status IS NULL THEN 'notice' END AS severity
        FROM hubbed h LEFT JOIN (SELECT url, min(status) AS status FROM answers GROUP BY url HAVING min(status) <> 200) a
            ON a.url = h.self AND h.self NOT IN (h.url, h.place)
        WHERE h.n <> 1 OR a.status IS NOT NULL
           OR (h.self NOT IN (h.url, h.place) AND regexp_replace(h.self, '^https?:', '')
               IN (regexp_replace(h.url, '^https?:', ''), regexp_replace(h.place, '^https?:', '')))
    """,
    fires=(
        Fires(
            "a hub without self",
            {"sitemap_files": [HUBBED | {"selfs": None}]},
            {
                "url": None,
                "subject": FEED,
                "sitemap": FEED,
                "claim": f"the hub {HUB} in {FEED}",
                "reality": "no self link",
                "severity": "warning",
            },
        ),
        Fires(
            "two",
            {"sitemap_files": [HUBBED | {"selfs": [FEED, OTHER]}]},
            {"reality": f"2 self links: {FEED}, {OTHER}", "related_url": FEED},
        ),
        Fires(
            "another address, that does not answer 200",
            {"sitemap_files": [HUBBED | {"selfs": [OTHER]}, GONE]},
            {"reality": f"the self link {OTHER} answers 404", "related_url": OTHER, "severity": "warning"},
        ),
        Fires(
            "the http variant is a notice",
            {"sitemap_files": [HUBBED | {"selfs": ["http://example.com/feed.xml"]}]},
            {
                "reality": f"the self link is http://example.com/feed.xml, the feed is {FEED}",
                "severity": "notice",
            },
        ),
    ),
    passes=(
        Passes("both", {"sitemap_files": [HUBBED]}),
        Passes("neither", {"sitemap_files": [HUBBED | {"hubs": None, "selfs": None}]}),
        Passes(
            "another address, and nobody knows how it answers",
            {"sitemap_files": [HUBBED | {"selfs": [OTHER]}]},
        ),
        Passes(
            "another address that answers",
            {"sitemap_files": [HUBBED | {"selfs": [f"{SITE}/"]}], "pages": [home()]},
        ),
    ),
)
