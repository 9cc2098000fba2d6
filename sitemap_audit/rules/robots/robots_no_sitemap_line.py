"""robots.txt names no sitemap although there is one."""

from sitemap_audit.rules.relations import ROBOTS_TEXTS, SITEMAP_FILES, origin_of
from sitemap_audit.rules.robots_cases import ENTRY, FILE, MAP, ROBOTS, SITE
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source

FOUND = {"url": MAP, "kind": "urlset", "source": "guess", "state": "ok", "status": 200}
NAMED = [{"line": 4, "raw": MAP, "abs": MAP, "same_host": True}]

RULE = Rule(
    id="robots-no-sitemap-line",
    severity=Severity.NOTICE,
    title="robots.txt names no sitemap",
    why="Without a Sitemap line search engines must be told about the sitemap in some other way.",
    fix="Add the line `Sitemap: {related_url}` to {url}, or submit it in Search Console and Bing Webmaster Tools.",
    source=(
        Source("text-002", "line 21, the sitemap field; line 65, ways to submit"),
        Source("g-sitemap", "submit your sitemap"),
        Source("sitemaps-org", "informing search engine crawlers, robots.txt"),
    ),
    needs=frozenset(),
    # A submission in Search Console cannot be seen from outside: never an error. A file that the robots.txt of
    # another origin names is declared; children of an index need no line of their own.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, a.origin AS subject, a.robots_url AS url,
               f.url || ' ' || f.claim AS claim,
               'status ' || coalesce(a.status::VARCHAR, '200') || ', no Sitemap line' AS reality, f.url AS related_url
        FROM ({ROBOTS_TEXTS}) a JOIN (
            SELECT {origin_of("url")} AS origin, arg_min(claim, url) AS claim, min(url) AS url
            FROM ({SITEMAP_FILES})
            WHERE state IN ('ok', 'partial') AND kind IN ('urlset', 'index', 'text') AND parent IS NULL
              AND source IS DISTINCT FROM 'list'
            GROUP BY 1 HAVING max(coalesce(len(declared_in), 0)) = 0 AND NOT bool_or(coalesce(source = 'robots', false))
        ) f ON f.origin = a.origin
        WHERE coalesce(len(a.sitemaps), 0) = 0
    """,
    fires=(
        Fires(
            "a sitemap at the usual place",
            {"entries": [ENTRY], "robots_files": [FILE], "sitemap_files": [FOUND]},
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": f"{MAP} found under a usual name, declared nowhere",
                "reality": "status 200, no Sitemap line",
                "related_url": MAP,
                "severity": "notice",
            },
        ),
        Fires(
            "the user names it",
            {"entries": [ENTRY], "robots_files": [FILE], "sitemap_files": [FOUND | {"source": "option"}]},
            {"claim": f"{MAP} named by the option --sitemap"},
        ),
    ),
    passes=(
        Passes(
            "it is named",
            {
                "entries": [ENTRY],
                "robots_files": [FILE | {"sitemaps": NAMED}],
                "sitemap_files": [FOUND | {"source": "robots", "declared_in": [SITE]}],
            },
        ),
        Passes(
            "another file is named: sitemap-not-declared speaks of this one",
            {"entries": [ENTRY], "robots_files": [FILE | {"sitemaps": NAMED}], "sitemap_files": [FOUND]},
        ),
        Passes(
            "another origin's robots.txt declares it",
            {
                "entries": [ENTRY],
                "robots_files": [FILE],
                "sitemap_files": [FOUND | {"declared_in": ["https://www.example.com"], "source": "robots"}],
            },
        ),
        Passes("there is no sitemap", {"entries": [ENTRY], "robots_files": [FILE]}),
        Passes(
            "there is no robots.txt either",
            {"entries": [ENTRY], "robots_files": [FILE | {"state": "missing"}], "sitemap_files": [FOUND]},
        ),
        Passes(
            "only a feed",
            {"entries": [ENTRY], "robots_files": [FILE], "sitemap_files": [FOUND | {"kind": "rss"}]},
        ),
    ),
)
