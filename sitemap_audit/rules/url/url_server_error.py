"""The page fails on the server."""

from sitemap_audit.rules.relations import ANSWER
from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source, Tier

PAGE = "https://example.com/shop"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 1, "line": 3}
BROKEN = {
    "url_key": PAGE,
    "requested_url": PAGE,
    "state": "checked",
    "first_status": 500,
    "status": 500,
    "final_url": PAGE,
    "hop_count": 0,
    "attempts": 2,
}

RULE = Rule(
    id="url-server-error",
    tier=Tier.TOP30,
    rank=7,
    severity=Severity.ERROR,
    title="Listed URL answers with a server error",
    why="The page fails; search engines slow down and after some days drop it.",
    fix="Mend the application error behind {url}.",
    source=(
        Source("text-000", "Important fields, URLs: only what can be fetched"),
        Source("g-http", "5xx, server errors"),
        Source("g-crawlerr", "availability of the server"),
    ),
    known_as=(
        "Search Console: Server error (5xx)",
        "Screaming Frog: Server Error (5xx)",
        "Sitebulb: Error (5XX) URL in XML Sitemaps",
    ),
    needs=frozenset({Need.RESPONSE}),
    # A 5xx is believed when a second look agrees; seen once (the run was stopped) it may have passed since.
    sql=f"""
        SELECT p.url_key, p.url_key AS subject,
               {ANSWER} || CASE WHEN p.attempts > 1 THEN ', asked ' || p.attempts || ' times'
                                WHEN p.attempts = 1 THEN ', seen once' ELSE '' END AS reality,
               CASE WHEN p.hop_count > 0 THEN p.final_url END AS related_url,
               CASE WHEN p.attempts = 1 THEN 'warning' END AS severity,
               CASE WHEN p.attempts = 1 THEN 'possible' END AS confidence
        FROM pages p
        WHERE p.state = 'checked' AND p.status >= 500 AND NOT coalesce(p.challenge, false)
    """,
    fires=(
        Fires(
            "500 at both looks",
            {"entries": [LISTED], "pages": [BROKEN]},
            {
                "url": PAGE,
                "claim": f"listed in {MAP}, line 3",
                "reality": "status 500, asked 2 times",
                "severity": "error",
                "confidence": "sure",
            },
        ),
        Fires(
            "a redirect to a page that fails",
            {
                "entries": [LISTED],
                "pages": [
                    BROKEN | {"first_status": 302, "hop_count": 1, "final_url": PAGE + "/new", "status": 502}
                ],
            },
            {"reality": f"302, ends at {PAGE}/new (502), asked 2 times", "related_url": PAGE + "/new"},
        ),
        Fires(
            "seen once, no second look",
            {"entries": [LISTED], "pages": [BROKEN | {"attempts": 1}]},
            {"reality": "status 500, seen once", "severity": "warning", "confidence": "possible"},
        ),
    ),
    passes=(
        Passes(
            "503 while we were fast, then 200",
            {"entries": [LISTED], "pages": [BROKEN | {"first_status": 200, "status": 200}]},
        ),
        Passes(
            "503 with Retry-After until the end",
            {
                "entries": [LISTED],
                "pages": [BROKEN | {"status": 503, "state": "unchecked", "reason": "rate_limited"}],
            },
        ),
        Passes(
            "a bot wall answers 503",
            {"entries": [LISTED], "pages": [BROKEN | {"status": 503, "challenge": True}]},
        ),
        Passes("fails, but nobody lists it", {"pages": [BROKEN | {"discovered_by": "redirect"}]}),
    ),
)
