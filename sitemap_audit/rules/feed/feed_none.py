"""A site whose pages change, and no feed tells of it."""

from sitemap_audit.rules.feed_cases import HOME, SERVED, feed, home, link
from sitemap_audit.rules.feeds import ADVERTISES, HOMES
from sitemap_audit.rules.relations import count_of, host_of, moment
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import SITE, entry, file, undeclared

READ = home(fetched_at=SERVED)
NEW = entry(f"{SITE}/a", lastmod="2026-11-27T12:00:00Z", lastmod_raw="2026-11-27")
CASE = {"sitemap_files": [file()], "entries": [NEW], "pages": [READ]}

RULE = Rule(
    id="feed-none",
    severity=Severity.NOTICE,
    title="The site has no feed",
    why="A feed of recent changes is short and cheap to ask for often, so search engines learn of new pages fast.",
    fix="If this site has news, publish RSS or Atom with the recent changes, and link to it in the head of {url}.",
    source=(
        Source("text-000", "XML sitemaps and feeds, use both"),
        Source("text-001", "feeds, autodiscovery"),
    ),
    needs=frozenset(),
    # Said only where a feed could have been seen: the head of the home page was read. A site without news needs none:
    # some page must be dated within the last year. A feed that is advertised in a wrong way, or cannot be read, has rules of its own.
    sql=f"""
        WITH sites AS (SELECT DISTINCT regexp_replace({host_of("origin")}, '^www\\.', '') AS host FROM origins_in_use WHERE place < 2),
        homes AS (
            SELECT host, min(requested_url) AS url, min(url_key) AS url_key, bool_or({ADVERTISES}) AS advertises, max(fetched_at) AS at
            FROM ({HOMES}) p GROUP BY host
        ),
        feeds AS (
            SELECT {host_of("url")} AS host FROM sitemap_files WHERE kind IN ('rss', 'atom') OR source = 'feed_link'
            UNION SELECT {host_of("final_url")} FROM sitemap_files WHERE kind IN ('rss', 'atom')
            UNION SELECT {host_of("p.url_key")} FROM pages p WHERE len(p.feed_links) > 0
        ),
        dated AS (SELECT {host_of("l.url")} AS host, count(*) AS n, max(l.lastmod) AS newest FROM listing l GROUP BY 1)
        SELECT NULL::VARCHAR AS url_key, h.host AS subject, h.url AS url,
               'pages listed on this host: ' || {count_of("d.n")} || ', the newest is dated ' || {moment("d.newest")} AS claim,
               'the head of the home page links to no feed, and no other place names one' AS reality
        FROM homes h JOIN sites t ON t.host = regexp_replace(h.host, '^www\\.', '')
        JOIN dated d ON d.host = h.host ANTI JOIN feeds f ON f.host = h.host, settings s
        WHERE NOT h.advertises AND d.newest >= h.at - to_days(s.feed_news_days)
    """,
    fires=(
        Fires(
            "none",
            CASE,
            {
                "url": HOME,
                "subject": "example.com",
                "claim": "pages listed on this host: 1, the newest is dated 2026-11-27T12:00:00Z",
                "reality": "the head of the home page links to no feed, and no other place names one",
                "severity": "notice",
            },
        ),
    ),
    passes=(
        Passes("/feed", CASE | {"sitemap_files": [file(), feed(f"{SITE}/feed")]}),
        Passes("advertised", CASE | {"pages": [READ | {"feed_links": [link()]}]}),
        Passes(
            "advertised on the page of a section",
            CASE | {"pages": [READ, READ | {"url_key": f"{SITE}/blog/", "feed_links": [link()]}]},
        ),
        Passes(
            "advertised by a Link header",
            CASE
            | {"pages": [READ | {"link_header": ['</feed>; rel="alternate"; type="application/rss+xml"']}]},
        ),
        Passes("a site without news", CASE | {"entries": [NEW | {"lastmod": "2019-01-01T00:00:00Z"}]}),
        Passes("a site without dates", CASE | {"entries": [entry(f"{SITE}/a")]}),
        Passes(
            "the head of the home page was not read", CASE | {"pages": [READ | {"canonical_state": None}]}
        ),
        Passes("the home page was not asked for", CASE | {"pages": [READ | {"url_key": f"{SITE}/a"}]}),
        Passes(
            "a feed that cannot be read",
            CASE
            | {
                "sitemap_files": [
                    file(),
                    undeclared(f"{SITE}/feed", "feed_link", kind="unknown", state="failed"),
                ]
            },
        ),
        Passes(
            "the home page of a host that the audit does not cover",
            CASE
            | {
                "pages": [READ | {"url_key": "https://example.org/", "requested_url": "https://example.org/"}]
            },
        ),
    ),
)
