"""The map asks for indexing, the page forbids it."""

from sitemap_audit.rules.relations import NOINDEX_SEEN
from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source, Tier

PAGE = "https://example.com/draft"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 1, "line": 3}
HIDDEN = {
    "url_key": PAGE,
    "requested_url": PAGE,
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "hop_count": 0,
    "final_url": PAGE,
    "allowed": True,
    "canonical_state": "none",
    "noindex": True,
    "noindex_sources": ["meta:robots"],
    "meta_robots": [{"name": "robots", "content": "noindex, follow", "in_head": True, "offset": 80}],
}
FOR_ANOTHER = HIDDEN | {
    "noindex": False,
    "noindex_bots": ["otherbot"],
    "noindex_sources": ["header:otherbot"],
    "meta_robots": None,
    "x_robots_tag": ["otherbot: noindex"],
}

RULE = Rule(
    id="index-noindex",
    tier=Tier.TOP30,
    rank=4,
    severity=Severity.ERROR,
    title="Listed URL is noindex",
    why="The map asks for indexing and the page forbids it.",
    fix="Remove noindex from {url}, or take it out of {sitemap}.",
    source=(
        Source("text-001", "line 85, allowed and noindex; lines 90 and 95, NOINDEX and NONE"),
        Source("text-002", "line 59, which URLs not to list"),
        Source("g-block", "implementing noindex by tag or header"),
        Source("g-meta", "valid rules; combining rules: the more restrictive one counts"),
    ),
    known_as=(
        "Search Console: Submitted URL marked noindex / Excluded by 'noindex' tag",
        "Screaming Frog: Directives: Noindex",
        "Sitebulb: Noindex URL in XML Sitemaps",
        "Ahrefs: Noindex page in sitemap",
    ),
    needs=frozenset({Need.HEAD}),
    # `noindex` is what is effective for the verdict's bot (definitions 7). Behind robots.txt nobody can
    # read it: index-noindex-blocked. With indexifembedded the page is meant to be found, inside others.
    sql=f"""
        SELECT p.url_key, p.url_key AS subject,
               {NOINDEX_SEEN} || CASE WHEN p.hop_count > 0 THEN ' at ' || coalesce(p.final_url, '?') ELSE '' END
                   AS reality
        FROM pages p, settings s
        WHERE p.noindex AND NOT coalesce(p.indexifembedded, false) AND p.allowed IS DISTINCT FROM false
    """,
    fires=(
        Fires(
            "a robots tag",
            {"entries": [LISTED], "pages": [HIDDEN]},
            {
                "url": PAGE,
                "claim": f"listed in {MAP}, line 3",
                "reality": "noindex for googlebot by meta:robots (meta robots: noindex, follow)",
                "severity": "error",
            },
        ),
        Fires(
            "a header, of a PDF",
            {
                "entries": [LISTED],
                "pages": [
                    HIDDEN
                    | {
                        "noindex_sources": ["header", "header:bingbot"],
                        "meta_robots": None,
                        "x_robots_tag": ["none", "bingbot: noindex"],
                        "content_type": "application/pdf",
                    }
                ],
            },
            {
                "reality": "noindex for googlebot by header (X-Robots-Tag: none | X-Robots-Tag: bingbot: noindex)",
            },
        ),
        Fires(
            "where the listed URL redirects to",
            {
                "entries": [LISTED],
                "pages": [HIDDEN | {"first_status": 301, "hop_count": 1, "final_url": PAGE + "/"}],
            },
            {"reality": f"noindex for googlebot by meta:robots (meta robots: noindex, follow) at {PAGE}/"},
        ),
        Fires(
            "sources are not known",
            {"entries": [LISTED], "pages": [HIDDEN | {"noindex_sources": None, "meta_robots": None}]},
            {"reality": "noindex for googlebot"},
        ),
    ),
    passes=(
        Passes("the header speaks to another bot", {"entries": [LISTED], "pages": [FOR_ANOTHER]}),
        Passes(
            "a tag in a comment, a script or a template is none",
            {
                "entries": [LISTED],
                "pages": [HIDDEN | {"noindex": False, "noindex_sources": None, "meta_robots": None}],
            },
        ),
        Passes(
            "noindex with indexifembedded",
            {"entries": [LISTED], "pages": [HIDDEN | {"indexifembedded": True}]},
        ),
        Passes(
            "behind robots.txt nobody reads it (--inspect-blocked)",
            {"entries": [LISTED], "pages": [HIDDEN | {"allowed": False, "robots_line": 2}]},
        ),
        Passes(
            "a 404 was not read", {"entries": [LISTED], "pages": [HIDDEN | {"status": 404, "noindex": None}]}
        ),
        Passes("noindex, and nobody lists it", {"pages": [HIDDEN | {"discovered_by": "canonical"}]}),
    ),
)
