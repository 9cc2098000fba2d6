"""A feed of an old or foreign format that serves as a sitemap."""

from typing import Any

from sitemap_audit.rules.feed_cases import feed
from sitemap_audit.rules.relations import SITEMAP_FILES, host_of, problems_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import DECLARED, FEED, SITE, file, problem

NAMED: dict[str, Any] = {"source": "robots", "declared_in": [SITE]}
RDF = feed(root="RDF", feed_version="rdf", **NAMED)

RULE = Rule(
    id="feed-format-unsupported",
    severity=Severity.NOTICE,
    title="Feed format is not one that Google reads as a sitemap",
    why="As a sitemap Google reads RSS 2.0 and Atom 1.0. Feeds of other formats may serve readers, but not the search engine.",
    fix="Write {sitemap} as RSS 2.0 or Atom 1.0, or name an XML sitemap in its place.",
    source=(Source("g-sitemap", "sitemap formats, RSS, mRSS and Atom 1.0"),),
    needs=frozenset(),
    # Such a feed is good for readers: only where it is named as a sitemap, or is all the map that its host has, it is reported.
    sql=f"""
        WITH files AS (SELECT *, {host_of("url")} AS host FROM ({SITEMAP_FILES}) WHERE source IS DISTINCT FROM 'list'),
        mapped AS (SELECT DISTINCT host FROM files WHERE kind IN ('urlset', 'index', 'text') AND state IN ('ok', 'partial'))
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.claim,
               'the format is ' || CASE WHEN f.kind = 'unknown' THEN 'JSON Feed' WHEN f.feed_version = 'rdf' THEN 'RSS 1.0 (RDF)'
                   ELSE replace(replace(f.feed_version, 'rss', 'RSS'), 'atom', 'Atom') END AS reality
        FROM files f
        WHERE f.status = 200 AND f.state IS DISTINCT FROM 'skipped'
          AND (f.source IN ('robots', 'index', 'option') OR f.host NOT IN (SELECT host FROM mapped))
          AND (f.kind IN ('rss', 'atom') AND (f.feed_version IN ('rdf', 'atom 0.3') OR regexp_matches(f.feed_version, '^rss [01]\\.'))
               OR f.kind = 'unknown' AND len({problems_of("f", "json-feed")}) > 0)
    """,
    fires=(
        Fires(
            "rdf:RDF",
            {"sitemap_files": [RDF]},
            {
                "url": None,
                "subject": FEED,
                "sitemap": FEED,
                "claim": DECLARED,
                "reality": "the format is RSS 1.0 (RDF)",
                "severity": "notice",
            },
        ),
        Fires(
            "Atom 0.3",
            {"sitemap_files": [feed(kind="atom", **NAMED) | {"feed_version": "atom 0.3"}]},
            {"reality": "the format is Atom 0.3"},
        ),
        Fires(
            "RSS 0.91, the only map of its host",
            {"sitemap_files": [feed(feed_version="rss 0.91")]},
            {"reality": "the format is RSS 0.91"},
        ),
        Fires(
            "a JSON feed",
            {
                "sitemap_files": [
                    file(
                        FEED,
                        kind="unknown",
                        state="failed",
                        root=None,
                        problems=[problem("json-feed", 1, "{")],
                    )
                ]
            },
            {"reality": "the format is JSON Feed"},
        ),
    ),
    passes=(
        Passes("RSS 2.0", {"sitemap_files": [feed(**NAMED)]}),
        Passes("Atom 1.0", {"sitemap_files": [feed(kind="atom", **NAMED)]}),
        Passes(
            "valid for readers: advertised on the home page, beside a sitemap",
            {"sitemap_files": [feed(root="RDF", feed_version="rdf"), file()]},
        ),
        Passes("RSS without a version", {"sitemap_files": [feed(feed_version="rss", **NAMED)]}),
    ),
)
