"""The map lists a page that does not exist."""

from sitemap_audit.rules.relations import ANSWER
from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source, Tier

PAGE = "https://example.com/gone"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 1, "line": 3}
GONE = {
    "url_key": PAGE,
    "requested_url": PAGE,
    "state": "checked",
    "first_status": 404,
    "status": 404,
    "final_url": PAGE,
    "hop_count": 0,
    "attempts": 1,
}

RULE = Rule(
    id="url-client-error",
    tier=Tier.TOP30,
    rank=3,
    severity=Severity.ERROR,
    title="Listed URL does not exist",
    why="The map lists a page that answers with an error of the 4xx kind: there is nothing to index.",
    fix="Take {url} out of {sitemap}, restore the page, or redirect it and list the target.",
    source=(
        Source("text-000", "Important fields, URLs: pages that do not exist"),
        Source("text-002", "line 59, which URLs not to list"),
        Source("g-http", "4xx, client errors"),
    ),
    known_as=(
        "Search Console: Not found (404) / Submitted URL not found",
        "Screaming Frog: Client Error (4xx)",
        "Sitebulb: Not Found (4XX) URL in XML Sitemaps",
        "Ahrefs: 4xx page in sitemap",
        "Semrush: Incorrect pages found in sitemap.xml",
    ),
    needs=frozenset({Need.RESPONSE}),
    # 401, 403 and 407 ask for a key (url-access-denied), 429 asks for patience, a bot wall says nothing.
    sql=f"""
        SELECT p.url_key, p.url_key AS subject, {ANSWER} AS reality,
               CASE WHEN p.hop_count > 0 THEN p.final_url END AS related_url
        FROM pages p
        WHERE p.state = 'checked' AND p.status BETWEEN 400 AND 499 AND p.status NOT IN (401, 403, 407, 429)
          AND NOT coalesce(p.challenge, false)
    """,
    fires=(
        Fires(
            "404",
            {"entries": [LISTED], "pages": [GONE]},
            {
                "url": PAGE,
                "claim": f"listed in {MAP}, line 3",
                "reality": "status 404",
                "related_url": None,
                "severity": "error",
            },
        ),
        Fires(
            "a redirect that ends in 410",
            {
                "entries": [LISTED],
                "pages": [
                    GONE | {"first_status": 301, "hop_count": 1, "status": 410, "final_url": PAGE + "/"}
                ],
            },
            {"reality": f"301, ends at {PAGE}/ (410)", "related_url": PAGE + "/"},
        ),
    ),
    passes=(
        Passes(
            "404 first, 200 ten minutes later",
            {"entries": [LISTED], "pages": [GONE | {"status": 200, "attempts": 2}]},
        ),
        Passes(
            "403 is no proof that nothing is there", {"entries": [LISTED], "pages": [GONE | {"status": 403}]}
        ),
        Passes(
            "429: we were too fast",
            {
                "entries": [LISTED],
                "pages": [GONE | {"status": 429, "state": "unchecked", "reason": "rate_limited"}],
            },
        ),
        Passes("a bot wall answers 404", {"entries": [LISTED], "pages": [GONE | {"challenge": True}]}),
        Passes("gone, but nobody lists it", {"pages": [GONE | {"discovered_by": "hreflang"}]}),
    ),
)
