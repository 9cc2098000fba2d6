"""A web page came in place of the sitemap."""

from sitemap_audit.rules.relations import SITEMAP_FILES
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier

SITE = "https://example.com"
MAP = f"{SITE}/sitemap.xml"
LOGIN = {
    "url": MAP,
    "source": "robots",
    "declared_in": [SITE],
    "state": "failed",
    "kind": "html",
    "root": "html",
    "first_status": 200,
    "status": 200,
    "final_url": MAP,
    "content_type": "text/html; charset=utf-8",
}

RULE = Rule(
    id="sitemap-is-html",
    tier=Tier.TOP30,
    rank=12,
    severity=Severity.ERROR,
    title="Sitemap is a web page",
    why="A web page was returned in place of the sitemap, so none of its URLs are submitted.",
    fix="Return XML at {sitemap}; look at the fallback of a single-page application, and at login or consent walls.",
    source=(
        Source("text-002", "line 84, the sitemap returns XML or another supported format"),
        Source("gsc-sitemaps", "list of errors, sitemap is HTML"),
    ),
    known_as=("Search Console: Sitemap is HTML",),
    needs=frozenset(),
    # The body decides, not the type: XML with a style sheet is no HTML. A site that answers every address
    # with its start page does so at guessed places too.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.claim,
               'an HTML page, content type ' || coalesce(f.content_type, 'not given')
               || CASE WHEN f.final_url <> f.url THEN ', at ' || f.final_url ELSE '' END AS reality,
               CASE WHEN f.final_url <> f.url THEN f.final_url END AS related_url
        FROM ({SITEMAP_FILES}) f
        WHERE f.declared AND f.kind = 'html' AND f.status = 200 AND f.source IS DISTINCT FROM 'feed_link'
    """,
    fires=(
        Fires(
            "a login page",
            {"sitemap_files": [LOGIN]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "claim": f"declared in robots.txt of {SITE}",
                "reality": "an HTML page, content type text/html; charset=utf-8",
                "severity": "error",
            },
        ),
        Fires(
            "redirected to it, without a content type",
            {"sitemap_files": [LOGIN | {"final_url": f"{SITE}/login", "content_type": None}]},
            {
                "reality": f"an HTML page, content type not given, at {SITE}/login",
                "related_url": f"{SITE}/login",
            },
        ),
    ),
    passes=(
        Passes(
            "XML with a style sheet, sent as text/html",
            {"sitemap_files": [LOGIN | {"kind": "urlset", "root": "urlset", "state": "ok"}]},
        ),
        Passes(
            "the fallback page at a guessed place",
            {"sitemap_files": [LOGIN | {"source": "guess", "declared_in": None}]},
        ),
        Passes("the page of a 404", {"sitemap_files": [LOGIN | {"status": 404, "first_status": 404}]}),
    ),
)
