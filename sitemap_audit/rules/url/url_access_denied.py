"""The page asks for a key that no search engine has."""

from sitemap_audit.rules.relations import ANSWER, BLOCKING_ORIGINS
from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source

SITE = "https://example.com"
PAGE = f"{SITE}/members"
MAP = f"{SITE}/sitemap.xml"
LISTED = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 1, "line": 3}
CLOSED = {
    "url_key": PAGE,
    "requested_url": PAGE,
    "origin": SITE,
    "state": "checked",
    "first_status": 401,
    "status": 401,
    "final_url": PAGE,
    "hop_count": 0,
    "allowed": True,
}
REFUSED = [
    CLOSED | {"url_key": f"{SITE}/{n}", "requested_url": f"{SITE}/{n}", "first_status": 403, "status": 403}
    for n in range(3)
]
ALL_LISTED = [LISTED, *(LISTED | {"url_key": page["url_key"], "loc": page["url_key"]} for page in REFUSED)]

RULE = Rule(
    id="url-access-denied",
    severity=Severity.ERROR,
    title="Listed URL refuses access",
    why="Who has no account gets nothing here, and a search engine has none: the page cannot be indexed.",
    fix="Take {url} out of {sitemap} if it is private, or let crawlers read it.",
    source=(
        Source("text-000", "Important fields, URLs: only what can be fetched"),
        Source("g-http", "401 and 403, client errors"),
    ),
    known_as=(
        "Search Console: Blocked due to unauthorized request (401)",
        "Search Console: Blocked due to access forbidden (403)",
        "Sitebulb: Forbidden (403) URL in XML Sitemaps",
    ),
    needs=frozenset({Need.RESPONSE}),
    # 403 may be meant for us alone: less sure, and the words say who asked. A bot wall says nothing of the
    # page, and where much of a host refuses it is the host that is reported (audit-host-blocking).
    sql=f"""
        SELECT p.url_key, p.url_key AS subject,
               {ANSWER} || CASE WHEN p.status = 403 THEN ', asked with the user agent of this audit' ELSE '' END AS reality,
               CASE WHEN p.hop_count > 0 THEN p.final_url END AS related_url,
               CASE WHEN p.status = 403 THEN 'likely' END AS confidence
        FROM pages p ANTI JOIN ({BLOCKING_ORIGINS}) b ON b.origin = p.origin
        WHERE p.state = 'checked' AND p.status IN (401, 403, 407) AND NOT coalesce(p.challenge, false)
    """,
    fires=(
        Fires(
            "401 asks for a login",
            {"entries": [LISTED], "pages": [CLOSED]},
            {
                "url": PAGE,
                "claim": f"listed in {MAP}, line 3",
                "reality": "status 401",
                "severity": "error",
                "confidence": "sure",
            },
        ),
        Fires(
            "403 may be for us alone",
            {"entries": [LISTED], "pages": [CLOSED | {"first_status": 403, "status": 403}]},
            {"reality": "status 403, asked with the user agent of this audit", "confidence": "likely"},
        ),
        Fires(
            "a redirect to a closed page",
            {
                "entries": [LISTED],
                "pages": [CLOSED | {"first_status": 302, "hop_count": 1, "final_url": PAGE + "/login"}],
            },
            {"reality": f"302, ends at {PAGE}/login (401)", "related_url": PAGE + "/login"},
        ),
    ),
    passes=(
        Passes(
            "a challenge page of a bot wall",
            {
                "entries": [LISTED],
                "pages": [
                    CLOSED | {"status": 403, "state": "unchecked", "reason": "challenge", "challenge": True}
                ],
            },
        ),
        Passes(
            "the host refuses most of what we ask",
            {
                "entries": ALL_LISTED,
                "pages": [CLOSED | {"first_status": 403, "status": 403}, *REFUSED],
            },
        ),
        Passes(
            "404 is gone, not closed",
            {"entries": [LISTED], "pages": [CLOSED | {"first_status": 404, "status": 404}]},
        ),
        Passes("closed, but nobody lists it", {"pages": [CLOSED | {"discovered_by": "redirect"}]}),
    ),
)
