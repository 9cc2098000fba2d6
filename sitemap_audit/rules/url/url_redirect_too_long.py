"""A listed address takes more redirects than crawlers follow."""

from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source

A = "https://example.com/a"
END = "https://example.com/10"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": A, "loc": A, "sitemap": MAP, "position": 1, "line": 3}
LONG = {
    "url_key": A,
    "requested_url": A,
    "state": "checked",
    "first_status": 301,
    "status": 301,
    "hop_count": 10,
    "final_url": END,
    "final_key": END,
    "redirect_flags": ["too_long"],
}

RULE = Rule(
    id="url-redirect-too-long",
    severity=Severity.ERROR,
    title="Listed URL takes too many redirects",
    why="Google's crawler gives up after ten redirects: it never sees the page.",
    fix="Redirect {url} straight to its page, and list that page.",
    source=(
        Source("g-http", "3xx, ten hops"),
        Source("g-move", "avoid chaining redirects, ten hops"),
    ),
    known_as=("Search Console: Redirect error",),
    needs=frozenset({Need.RESPONSE}),
    sql="""
        SELECT p.url_key, p.url_key AS subject, p.final_url AS related_url,
               'more than ' || p.hop_count || ' redirects; the last one followed led to ' || p.final_url AS reality
        FROM pages p WHERE p.state = 'checked' AND list_contains(p.redirect_flags, 'too_long')
    """,
    fires=(
        Fires(
            "eleven hops",
            {"entries": [LISTED], "pages": [LONG]},
            {
                "url": A,
                "claim": f"listed in {MAP}, line 3",
                "reality": f"more than 10 redirects; the last one followed led to {END}",
                "severity": "error",
            },
        ),
    ),
    passes=(
        Passes("ten hops", {"entries": [LISTED], "pages": [LONG | {"status": 200, "redirect_flags": []}]}),
        Passes(
            "a loop ends earlier",
            {"entries": [LISTED], "pages": [LONG | {"hop_count": 2, "redirect_flags": ["loop"]}]},
        ),
        Passes("nobody lists it", {"pages": [LONG | {"discovered_by": "hreflang"}]}),
    ),
)
