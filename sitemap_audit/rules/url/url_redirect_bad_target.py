"""A listed address redirects to where nothing can be indexed."""

from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source

OLD, NEW = "https://example.com/old", "https://example.com/new"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": OLD, "loc": OLD, "sitemap": MAP, "position": 1, "line": 12}
MOVED = {
    "url_key": OLD,
    "requested_url": OLD,
    "state": "checked",
    "first_status": 301,
    "hop_count": 1,
    "status": 404,
    "final_url": NEW,
    "final_key": NEW,
    "attempts": 1,
    "allowed": True,
}
HOP = {
    "url_key": OLD,
    "n": 1,
    "url": OLD,
    "status": 301,
    "kind": "http",
    "location_raw": "/new",
    "location": NEW,
}
NOWHERE = MOVED | {
    "status": 301,
    "hop_count": 0,
    "final_url": OLD,
    "final_key": OLD,
    "redirect_flags": ["bad_location"],
}

RULE = Rule(
    id="url-redirect-bad-target",
    severity=Severity.ERROR,
    title="Redirect leads to nothing that can be indexed",
    why="Who follows the redirect finds no page, or one that search engines may not read or keep.",
    fix="Lead {url} to a page that answers 200 and may be indexed, or answer 404 or 410, and take it out of {sitemap}.",
    source=(
        Source("g-redirect", "how redirects pass a page on to its target"),
        Source("g-http", "3xx, redirects that fail"),
    ),
    known_as=("Search Console: Redirect error",),
    needs=frozenset({Need.RESPONSE}),
    # A target is judged by the robots.txt of its own origin before it is asked; one that was not asked for
    # another reason (scope, limits, our guard) is not judged. A 5xx and silence are believed after two looks.
    sql="""
        SELECT u.url_key, u.url_key AS subject, CASE WHEN u.verdict_reason <> 'bad_location' THEN p.final_url END AS related_url,
               p.first_status || CASE u.verdict_reason
                   WHEN 'bad_location' THEN coalesce(', Location ' || nullif(left(h.location_raw, 200), ''), ' without a Location') || ', leads nowhere'
                   ELSE ', ends at ' || coalesce(p.final_url, '?') || ', ' || CASE u.verdict_reason
                       WHEN 'blocked' THEN 'which robots.txt disallows'
                       WHEN 'noindex' THEN 'which says noindex'
                       WHEN 'unreachable' THEN 'which does not answer' || coalesce(': ' || p.error_class, '')
                       ELSE coalesce('status ' || CASE WHEN p.status >= 400 THEN p.status END, u.verdict_reason) END
               END AS reality,
               CASE WHEN u.verdict_reason IN ('server_error', 'unreachable') AND p.attempts = 1 THEN 'warning' END AS severity,
               CASE WHEN u.verdict_reason IN ('server_error', 'unreachable') AND p.attempts = 1 THEN 'possible' END AS confidence
        FROM urls u JOIN pages p ON p.url_key = u.url_key
        LEFT JOIN (SELECT url_key, arg_max(location_raw, n) AS location_raw FROM hops GROUP BY url_key) h ON h.url_key = u.url_key
        WHERE u.verdict = 'redirect' AND p.first_status BETWEEN 300 AND 399 AND NOT coalesce(p.challenge, false)
          AND u.verdict_reason IN ('bad_location', 'client_error', 'server_error', 'unreachable', 'blocked', 'noindex')
    """,
    fires=(
        Fires(
            "301 to 404",
            {"entries": [LISTED], "pages": [MOVED], "hops": [HOP]},
            {
                "url": OLD,
                "claim": f"listed in {MAP}, line 12",
                "reality": f"301, ends at {NEW}, status 404",
                "related_url": NEW,
                "severity": "error",
                "confidence": "sure",
            },
        ),
        Fires(
            "a Location that cannot be read",
            {"entries": [LISTED], "pages": [NOWHERE], "hops": [HOP | {"location_raw": "http://", "location": None}]},
            {"reality": "301, Location http://, leads nowhere", "related_url": None},
        ),
        Fires(
            "no Location at all",
            {"entries": [LISTED], "pages": [NOWHERE], "hops": [HOP | {"location_raw": None, "location": None}]},
            {"reality": "301 without a Location, leads nowhere"},
        ),
        Fires(
            "the target does not answer",
            {"entries": [LISTED], "pages": [MOVED | {"status": None, "error_class": "timeout", "attempts": 2}], "hops": [HOP]},
            {"reality": f"301, ends at {NEW}, which does not answer: timeout", "severity": "error"},
        ),
        Fires(
            "the target fails, seen once",
            {"entries": [LISTED], "pages": [MOVED | {"status": 502}], "hops": [HOP]},
            {"reality": f"301, ends at {NEW}, status 502", "severity": "warning", "confidence": "possible"},
        ),
        Fires(
            "robots.txt of the target's origin disallows it",
            {"entries": [LISTED], "pages": [MOVED | {"status": None}], "hops": [HOP | {"robots_allowed": False}]},
            {"reality": f"301, ends at {NEW}, which robots.txt disallows"},
        ),
        Fires(
            "the target says noindex",
            {
                "entries": [LISTED],
                "pages": [MOVED | {"status": 200, "canonical_state": "none", "noindex": True, "noindex_sources": ["header"]}],
                "hops": [HOP],
            },
            {"reality": f"301, ends at {NEW}, which says noindex"},
        ),
    ),
    passes=(
        Passes("301 to 200", {"entries": [LISTED], "pages": [MOVED | {"status": 200, "canonical_state": "self"}], "hops": [HOP]}),
        Passes(
            "its own origin allows the target",
            {
                "entries": [LISTED],
                "pages": [MOVED | {"status": 200, "canonical_state": "self"}],
                "hops": [HOP | {"robots_allowed": True}],
            },
        ),
        Passes(
            "the target lies out of scope: not asked",
            {"entries": [LISTED], "pages": [MOVED | {"status": None}], "hops": [HOP | {"robots_allowed": True}]},
        ),
        Passes(
            "a loop is another finding",
            {"entries": [LISTED], "pages": [MOVED | {"status": 301, "redirect_flags": ["loop"]}], "hops": [HOP]},
        ),
        Passes(
            "the target asks for patience",
            {
                "entries": [LISTED],
                "pages": [MOVED | {"status": 429, "state": "unchecked", "reason": "rate_limited"}],
                "hops": [HOP],
            },
        ),
        Passes("404 without a redirect", {"entries": [LISTED], "pages": [MOVED | {"first_status": 404, "hop_count": 0}]}),
        Passes("nobody lists it", {"pages": [MOVED | {"discovered_by": "hreflang"}], "hops": [HOP]}),
    ),
)  # fmt: skip
