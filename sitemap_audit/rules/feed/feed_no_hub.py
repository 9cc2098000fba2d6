"""Feeds of a host, none of which names a hub."""

from sitemap_audit.rules.feed_cases import ADVERTISED, feed
from sitemap_audit.rules.feeds import FEEDS
from sitemap_audit.rules.relations import count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, SITE, file

OTHER = f"{SITE}/atom.xml"
HUB = ["https://hub.example.org/"]
FRESH = feed(newest_item_at="2026-11-28T08:00:00Z")

RULE = Rule(
    id="feed-no-hub",
    severity=Severity.NOTICE,
    title="No feed names a WebSub hub",
    why="Without a hub that spreads the news, a change is found only when somebody asks for the feed again.",
    fix='You may name a hub in {sitemap}: <atom:link rel="hub" href="https://pubsubhubbub.appspot.com/"/>, and tell it of each change.',
    source=(
        Source("text-000", "RSS and Atom feeds, WebSub"),
        Source("websub", "discovery, hub and self links"),
        Source("g-sitemap", "sitemap formats, RSS and Atom: WebSub to broadcast changes"),
    ),
    needs=frozenset(),
    # A hub is optional: said once a host, and not where nothing new comes. One feed with a hub shows that it is known here.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.origin AS subject, min(f.url) AS sitemap, arg_min(f.claim, f.url) AS claim,
               'neither the file nor a Link header names a hub; feeds of this host: ' || {count_of("count(*)")} AS reality
        FROM ({FEEDS}) f, settings s
        WHERE f.first_page AND f.usable > 0
        GROUP BY f.origin, s.feed_news_days
        HAVING bool_and(coalesce(len(f.hubs), 0) = 0)
           AND coalesce(max(f.newest_item_at) >= max(f.fetched_at) - to_days(s.feed_news_days), true)
    """,
    fires=(
        Fires(
            "none",
            {"sitemap_files": [FRESH]},
            {
                "url": None,
                "subject": SITE,
                "sitemap": FEED,
                "claim": ADVERTISED,
                "reality": "neither the file nor a Link header names a hub; feeds of this host: 1",
                "severity": "notice",
            },
        ),
        Fires(
            "two feeds, one finding",
            {"sitemap_files": [FRESH, feed(OTHER, "atom")]},
            {
                "sitemap": OTHER,
                "reality": "neither the file nor a Link header names a hub; feeds of this host: 2",
            },
        ),
    ),
    passes=(
        Passes("rel=hub", {"sitemap_files": [FRESH | {"hubs": HUB}]}),
        Passes("one of two has it", {"sitemap_files": [FRESH | {"hubs": HUB}, feed(OTHER, "atom")]}),
        Passes(
            "optional: nothing new has come for years",
            {"sitemap_files": [FRESH | {"newest_item_at": "2019-01-01T00:00:00Z"}]},
        ),
        Passes("a feed that cannot be read", {"sitemap_files": [FRESH | {"state": "failed"}]}),
        Passes("a feed without items", {"sitemap_files": [FRESH | {"usable": 0, "newest_item_at": None}]}),
        Passes("an XML sitemap", {"sitemap_files": [file()]}),
    ),
)
