"""A listed address redirects in a circle."""

from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source

A, B = "https://example.com/a", "https://example.com/b"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": A, "loc": A, "sitemap": MAP, "position": 1, "line": 3}
CIRCLE = {
    "url_key": A,
    "requested_url": A,
    "state": "checked",
    "first_status": 301,
    "status": 301,
    "hop_count": 1,
    "final_url": A,
    "final_key": A,
    "redirect_flags": ["loop"],
}
THERE = {"url_key": A, "n": 1, "url": A, "status": 301, "kind": "http", "location": B, "set_cookie": False}
BACK = THERE | {"n": 2, "url": B, "location": A}

RULE = Rule(
    id="url-redirect-loop",
    severity=Severity.ERROR,
    title="Listed URL redirects in a loop",
    why="The redirects lead back to where they came from: the page never loads.",
    fix="Break the loop that starts at {url}, and list the address that answers itself.",
    source=(
        Source("g-move", "redirects: test them, avoid chains"),
        Source("g-http", "3xx, redirects that fail"),
    ),
    known_as=("Search Console: Redirect error", "Screaming Frog: Internal Redirect Loop"),
    needs=frozenset({Need.RESPONSE}),
    # This audit, as search engines do, sends no cookies. A server that sets one on the way may let browsers
    # through: then only they see the page.
    sql="""
        SELECT p.url_key, p.url_key AS subject,
               'loop: ' || array_to_string(list_transform(h.way[:6], lambda z: z.url || ' (' || coalesce(z.status::VARCHAR, '?') || ')'), ' → ')
               || CASE WHEN len(h.way) > 6 THEN ' → …' ELSE '' END || coalesce(' → ' || h.way[-1].location, '')
               || CASE WHEN h.cookie THEN '; it sets a cookie, with which it may work' ELSE '' END AS reality,
               CASE WHEN h.cookie THEN 'warning' END AS severity,
               CASE WHEN h.cookie THEN 'possible' END AS confidence
        FROM pages p JOIN (
            SELECT url_key, list({'url': url, 'status': status, 'location': location} ORDER BY n) AS way,
                   bool_or(coalesce(set_cookie, false)) AS cookie
            FROM hops GROUP BY url_key
        ) h ON h.url_key = p.url_key
        WHERE p.state = 'checked' AND list_contains(p.redirect_flags, 'loop')
    """,
    fires=(
        Fires(
            "a to b to a",
            {"entries": [LISTED], "pages": [CIRCLE], "hops": [THERE, BACK]},
            {
                "url": A,
                "claim": f"listed in {MAP}, line 3",
                "reality": f"loop: {A} (301) → {B} (301) → {A}",
                "severity": "error",
                "confidence": "sure",
            },
        ),
        Fires(
            "to itself, with a cookie: it may work for browsers",
            {
                "entries": [LISTED],
                "pages": [CIRCLE | {"first_status": 302, "status": 302, "hop_count": 0}],
                "hops": [THERE | {"status": 302, "location": A, "set_cookie": True}],
            },
            {
                "reality": f"loop: {A} (302) → {A}; it sets a cookie, with which it may work",
                "severity": "warning",
                "confidence": "possible",
            },
        ),
    ),
    passes=(
        Passes(
            "two hops that come to an end",
            {
                "entries": [LISTED],
                "pages": [CIRCLE | {"status": 200, "redirect_flags": [], "final_url": B}],
                "hops": [THERE],
            },
        ),
        Passes(
            "the slash and back: another address each time, then a page",
            {
                "entries": [LISTED],
                "pages": [CIRCLE | {"status": 200, "hop_count": 2, "redirect_flags": [], "final_url": A + "?x"}],
                "hops": [THERE | {"location": A + "/"}, BACK | {"url": A + "/", "location": A + "?x"}],
            },
        ),
        Passes("nobody lists it", {"pages": [CIRCLE | {"discovered_by": "canonical"}], "hops": [THERE, BACK]}),
    ),
)  # fmt: skip
