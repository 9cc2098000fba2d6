"""The declared sitemap is not there, or refused."""

from sitemap_audit.rules.relations import SITEMAP_FILES
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier

SITE = "https://example.com"
MAP = f"{SITE}/sitemap.xml"
INDEX = f"{SITE}/index.xml"
GONE = {
    "url": MAP,
    "source": "robots",
    "declared_in": [SITE],
    "state": "failed",
    "first_status": 404,
    "status": 404,
    "final_url": MAP,
}
ROBOTS = {
    "origin": SITE,
    "robots_url": f"{SITE}/robots.txt",
    "state": "ok",
    "sitemaps": [{"line": 7, "raw": MAP, "abs": MAP, "same_host": True}],
}

RULE = Rule(
    id="sitemap-http-error",
    tier=Tier.TOP30,
    rank=9,
    severity=Severity.ERROR,
    title="Sitemap answers with an error",
    why="The declared sitemap does not exist or is refused, so none of its URLs are submitted.",
    fix="Restore {sitemap}, or remove the line that names it.",
    source=(
        Source("text-002", "line 84, look at the real HTTP answers"),
        Source("gsc-sitemaps", "list of errors, HTTP error and could not fetch"),
    ),
    known_as=(
        "Search Console: Couldn't fetch / HTTP error",
        "Lumar: Broken/Disallowed Sitemaps",
        "Yandex: HTTP error",
    ),
    needs=frozenset(),
    # A guessed place was declared by nobody, so nothing is owed there. 304 answers our own condition.
    # 429 may be our own doing: said, but not as the site's fault.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.claim,
               CASE WHEN coalesce(len(f.hops), 0) > 0
                    THEN coalesce(f.first_status::VARCHAR, 'redirect') || ', ends at ' || coalesce(f.final_url, '?')
                         || ' (' || f.status || ')'
                    ELSE 'status ' || f.status END
               || CASE WHEN f.status = 429 THEN ', perhaps because of this audit' ELSE '' END AS reality,
               CASE WHEN coalesce(len(f.hops), 0) > 0 THEN f.final_url END AS related_url,
               CASE WHEN f.status = 429 THEN 'warning' END AS severity,
               CASE WHEN f.status = 429 THEN 'possible' END AS confidence
        FROM ({SITEMAP_FILES}) f
        WHERE f.declared AND f.status NOT IN (200, 304) AND f.state IS DISTINCT FROM 'skipped'
          AND f.source IS DISTINCT FROM 'feed_link'  -- feed-unreadable
    """,
    fires=(
        Fires(
            "declared, and 404",
            {"sitemap_files": [GONE], "robots_files": [ROBOTS]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "claim": f"Sitemap line 7 of {SITE}/robots.txt",
                "reality": "status 404",
                "severity": "error",
            },
        ),
        Fires(
            "a child of an index, redirected to a login page that refuses",
            {
                "sitemap_files": [
                    GONE
                    | {
                        "source": "index",
                        "declared_in": None,
                        "parent": INDEX,
                        "first_status": 302,
                        "status": 403,
                        "final_url": f"{SITE}/login",
                        "hops": [
                            {
                                "n": 1,
                                "url": MAP,
                                "status": 302,
                                "kind": "http",
                                "location_raw": "/login",
                                "location": f"{SITE}/login",
                                "ms": 3,
                                "robots_allowed": True,
                                "set_cookie": False,
                            }
                        ],
                    }
                ],
                "index_children": [{"sitemap": INDEX, "position": 1, "line": 4, "loc": MAP}],
            },
            {"claim": f"listed in {INDEX}, line 4", "reality": f"302, ends at {SITE}/login (403)"},
        ),
        Fires(
            "429 may be our doing",
            {"sitemap_files": [GONE | {"status": 429}]},
            {
                "reality": "status 429, perhaps because of this audit",
                "severity": "warning",
                "confidence": "possible",
            },
        ),
    ),
    passes=(
        Passes("200", {"sitemap_files": [GONE | {"first_status": 200, "status": 200, "state": "ok"}]}),
        Passes(
            "304 to a conditional request",
            {"sitemap_files": [GONE | {"first_status": 304, "status": 304, "state": "ok"}]},
        ),
        Passes(
            "a guessed place that is not there",
            {"sitemap_files": [GONE | {"source": "guess", "declared_in": None}]},
        ),
        Passes(
            "no answer at all",
            {"sitemap_files": [GONE | {"first_status": None, "status": None, "error_class": "timeout"}]},
        ),
    ),
)
