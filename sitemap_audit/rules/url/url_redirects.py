"""The map lists an address that only points to another one."""

from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source, Tier

OLD, NEW = "https://example.com/old", "https://example.com/new"
MAP = "https://example.com/sitemap.xml"
OLD_LISTED = {"url_key": OLD, "loc": OLD, "sitemap": MAP, "line": 12}
NEW_LISTED = {"url_key": NEW, "loc": NEW, "sitemap": MAP, "line": 13}
MOVED = {
    "url_key": OLD,
    "state": "checked",
    "first_status": 301,
    "hop_count": 1,
    "status": 200,
    "final_url": NEW,
    "final_key": NEW,
}
FINDING = {
    "url": OLD,
    "claim": f"listed in {MAP}, line 12",
    "reality": f"301, ends at {NEW} (200)",
    "related_url": NEW,
}

RULE = Rule(
    id="url-redirects",
    tier=Tier.TOP30,
    rank=6,
    severity=Severity.ERROR,
    title="Listed URL redirects",
    why="A map should name the final address of a page. A redirect costs the crawler one more "
    "request and says that the listed address is not the preferred one.",
    fix="List {related_url} instead of {url}, or remove the redirect.",
    source=(
        Source("text-000", "Important fields, URLs"),
        Source("text-002", "lines 56-59, which URLs to list"),
        Source("g-redirect", "whole page"),
    ),
    known_as=(
        "Search Console: Page with redirect",
        "Screaming Frog: Redirection (3xx)",
        "Sitebulb: Redirect (3XX) URL in XML Sitemaps",
        "Ahrefs: 3xx redirect in sitemap",
    ),
    needs=frozenset({Need.RESPONSE}),
    # 300 and 304 move nobody; a 3xx without a usable Location has no hop and is another rule's business.
    # Only cleanup, hence a warning, when the target is listed too.
    sql="""
        SELECT url_key, url_key AS subject,
               first_status || ', ends at ' || coalesce(final_url, '?')
               || ' (' || coalesce(CASE WHEN list_contains(redirect_flags, 'loop') THEN 'loop'
                                        WHEN list_contains(redirect_flags, 'too_long') THEN 'too many hops' END,
                                   status::VARCHAR, error_class, 'no answer') || ')' AS reality,
               final_url AS related_url,
               CASE WHEN final_key <> url_key AND final_key IN (SELECT url_key FROM listing) THEN 'warning' END AS severity
        FROM pages
        WHERE first_status IN (301, 302, 303, 307, 308)
          AND (hop_count > 0 OR coalesce(list_contains(redirect_flags, 'loop'), false))
    """,
    fires=(
        Fires("the page moved", {"entries": [OLD_LISTED], "pages": [MOVED]}, FINDING | {"severity": "error"}),
        Fires(
            "and its new address is listed too",
            {"entries": [OLD_LISTED, NEW_LISTED], "pages": [MOVED]},
            FINDING | {"severity": "warning"},
        ),
        Fires(
            "the target does not answer",
            {"entries": [OLD_LISTED], "pages": [MOVED | {"status": None, "error_class": "timeout"}]},
            {"reality": f"301, ends at {NEW} (timeout)"},
        ),
        Fires(
            "a loop",
            {
                "entries": [OLD_LISTED],
                "pages": [MOVED | {"status": 301, "redirect_flags": ["loop"], "hop_count": 3}],
            },
            {"reality": f"301, ends at {NEW} (loop)"},
        ),
        Fires(
            "it redirects to itself",
            {
                "entries": [OLD_LISTED],
                "pages": [
                    MOVED
                    | {
                        "status": 301,
                        "redirect_flags": ["loop"],
                        "hop_count": 0,
                        "final_url": OLD,
                        "final_key": OLD,
                    }
                ],
            },
            {"reality": f"301, ends at {OLD} (loop)", "severity": "error"},
        ),
        Fires(
            "two files list it: one finding",
            {"entries": [OLD_LISTED | {"sitemap": MAP + ".gz"}, OLD_LISTED], "pages": [MOVED]},
            FINDING,
        ),
    ),
    passes=(
        Passes(
            "the page answers itself",
            {
                "entries": [OLD_LISTED],
                "pages": [MOVED | {"first_status": 200, "hop_count": 0, "final_url": OLD, "final_key": OLD}],
            },
        ),
        Passes(
            "304 moves nobody",
            {"entries": [OLD_LISTED], "pages": [MOVED | {"first_status": 304, "hop_count": 0}]},
        ),
        Passes(
            "301 without a Location",
            {"entries": [OLD_LISTED], "pages": [MOVED | {"hop_count": 0, "status": 301}]},
        ),
        Passes("redirects, but nobody lists it", {"entries": [], "pages": [MOVED]}),
    ),
)
