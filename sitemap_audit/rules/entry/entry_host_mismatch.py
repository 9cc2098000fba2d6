"""A sitemap lists URLs of a host that did not agree to it."""

from sitemap_audit.rules.relations import DECLARED_DOCUMENTS, host_of, listed_in, origin_of
from sitemap_audit.rules.rule import Confidence, Fires, Passes, Rule, Severity, Source, Tier

MAP = "https://www.example.com/sitemap.xml"
INDEX = "https://www.example.com/index.xml"
SHOP = "https://shop.example.com"
PAGE = f"{SHOP}/a"
FILE = {"url": MAP, "kind": "urlset", "source": "robots", "state": "ok", "status": 200}
LISTED = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 9, "line": 31}
READ = {"origin": SHOP, "robots_url": f"{SHOP}/robots.txt", "state": "ok", "status": 200}


def names(*sitemaps: str) -> dict[str, object]:
    """The robots.txt of the shop with these Sitemap lines."""
    lines = [{"line": n, "raw": url, "abs": url, "same_host": False} for n, url in enumerate(sitemaps, 1)]
    return READ | {"sitemaps": lines}


# What a host's robots.txt declares, and all documents below it; then the entries that need such a declaration.
# Host means host: the www twin is another one. A sitemap that moved is the document at its end, under
# whichever address it was declared, and may list its new host.
FOREIGN = f"""
    WITH RECURSIVE {DECLARED_DOCUMENTS},
    file AS (
        SELECT url, {origin_of("url")} || '/' AS own, {host_of("url")} AS host,
               coalesce(final_url, url) AS doc, {host_of("coalesce(final_url, url)")} AS final_host
        FROM sitemap_files WHERE kind IN ('urlset', 'text') AND source IS DISTINCT FROM 'list'
    ),
    elsewhere AS (
        SELECT e.url_key, e.sitemap, min(e.line) AS line FROM entries e JOIN file f ON f.url = e.sitemap
        WHERE e.url_key IS NOT NULL AND NOT starts_with(e.url_key, f.own) GROUP BY e.url_key, e.sitemap
    ),
    entry AS (
        SELECT e.*, f.doc, {host_of("e.url_key")} AS host, {origin_of("e.url_key")} AS origin
        FROM elsewhere e JOIN file f ON f.url = e.sitemap WHERE {host_of("e.url_key")} NOT IN (f.host, f.final_host)
    ),
    undeclared AS (FROM entry e ANTI JOIN named n ON n.host = e.host AND n.doc = e.doc),
    robots AS (FROM robots_files WHERE at_root IS DISTINCT FROM false)
"""

RULE = Rule(
    id="entry-host-mismatch",
    tier=Tier.TOP30,
    rank=27,
    severity=Severity.ERROR,
    # That somebody proved both hosts to Search Console cannot be seen from outside.
    confidence=Confidence.LIKELY,
    title="Sitemap lists a URL of another host",
    why="A sitemap may list only URLs of its own host, unless the robots.txt of the other host names that sitemap; "
    "other URLs are dropped.",
    fix="Move the entry to a sitemap on its own host, or declare {sitemap} in {related_url}.",
    source=(
        Source("sitemaps-org", "sitemap file location, and cross submits by robots.txt"),
        Source("g-sitemap", "best practices, location of the file"),
    ),
    known_as=("Search Console: URL not allowed",),
    needs=frozenset(),
    lacks=f"""
        {FOREIGN}
        SELECT DISTINCT e.url_key, CASE WHEN r.origin IS NULL THEN 'never_tried' ELSE 'robots_paused' END AS reason
        FROM undeclared e LEFT JOIN robots r ON r.origin = e.origin
        WHERE coalesce(r.state IN ('unreachable', 'server_error'), true)
    """,
    sql=f"""
        {FOREIGN}
        SELECT e.url_key, e.url_key || ' in ' || e.sitemap AS subject, e.sitemap, e.line,
               {listed_in("e.sitemap", "e.line")} AS claim,
               r.robots_url || ' (' || coalesce(r.status::VARCHAR, r.state) || ') names neither this sitemap '
               || 'nor an index above it' AS reality,
               r.robots_url AS related_url
        FROM undeclared e JOIN robots r ON r.origin = e.origin
        WHERE r.state NOT IN ('unreachable', 'server_error')
    """,
    fires=(
        Fires(
            "nothing declares it",
            {"entries": [LISTED], "sitemap_files": [FILE], "robots_files": [READ]},
            {
                "url": PAGE,
                "sitemap": MAP,
                "line": 31,
                "claim": f"listed in {MAP}, line 31",
                "reality": f"{SHOP}/robots.txt (200) names neither this sitemap nor an index above it",
                "related_url": f"{SHOP}/robots.txt",
                "severity": "error",
                "confidence": "likely",
            },
        ),
        Fires(
            "the twin without www is another host, and has no robots.txt",
            {
                "entries": [LISTED | {"url_key": "https://example.com/a", "loc": "https://example.com/a"}],
                "sitemap_files": [FILE],
                "robots_files": [
                    READ
                    | {
                        "origin": "https://example.com",
                        "robots_url": "https://example.com/robots.txt",
                        "state": "missing",
                        "status": 404,
                    }
                ],
            },
            {"url": "https://example.com/a"},
        ),
        Fires(
            "twice in one file: one finding",
            {
                "entries": [LISTED, LISTED | {"position": 12, "line": 44}],
                "sitemap_files": [FILE],
                "robots_files": [names("https://shop.example.com/sitemap.xml")],
            },
            {"line": 31},
        ),
    ),
    passes=(
        Passes(
            "the other host's robots.txt declares the sitemap",
            {"entries": [LISTED], "sitemap_files": [FILE], "robots_files": [names(MAP)]},
        ),
        Passes(
            "it declares the index above",
            {
                "entries": [LISTED],
                "sitemap_files": [
                    FILE | {"source": "index", "parent": INDEX},
                    FILE | {"url": INDEX, "kind": "index"},
                ],
                "robots_files": [names(INDEX)],
            },
        ),
        Passes(
            "it declares the second index that names the file",
            {
                "entries": [LISTED],
                "index_children": [{"sitemap": INDEX, "loc": MAP, "position": 1, "line": 2}],
                "sitemap_files": [FILE, FILE | {"url": INDEX, "kind": "index"}],
                "robots_files": [names(INDEX)],
            },
        ),
        Passes(
            "it declares an address that redirects to the sitemap",
            {
                "entries": [LISTED],
                "sitemap_files": [
                    FILE | {"final_url": MAP},
                    FILE | {"url": "http://example.com/sitemap.xml", "final_url": MAP, "state": "skipped"},
                ],
                "robots_files": [names("http://example.com/sitemap.xml")],
            },
        ),
        Passes("its robots.txt was never asked for", {"entries": [LISTED], "sitemap_files": [FILE]}),
        Passes(
            "its robots.txt cannot be reached",
            {
                "entries": [LISTED],
                "sitemap_files": [FILE],
                "robots_files": [READ | {"state": "unreachable", "status": None}],
            },
        ),
        Passes(
            "the sitemap moved to that host",
            {
                "entries": [LISTED],
                "sitemap_files": [FILE | {"final_url": f"{SHOP}/sitemap.xml"}],
                "robots_files": [READ],
            },
        ),
        Passes(
            "another port of the same host",
            {
                "entries": [
                    LISTED
                    | {"url_key": "https://www.example.com:8443/a", "loc": "https://www.example.com:8443/a"}
                ],
                "sitemap_files": [FILE],
                "robots_files": [READ | {"origin": "https://www.example.com:8443"}],
            },
        ),
        Passes(
            "a feed may point anywhere",
            {"entries": [LISTED], "sitemap_files": [FILE | {"kind": "rss"}], "robots_files": [READ]},
        ),
        Passes(
            "a list of the user is no sitemap",
            {
                "entries": [LISTED],
                "sitemap_files": [FILE | {"kind": "text", "source": "list"}],
                "robots_files": [READ],
            },
        ),
    ),
)
