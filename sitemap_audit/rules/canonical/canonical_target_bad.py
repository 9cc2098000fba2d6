"""The page hands over to an address that cannot be indexed."""

from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source, Tier

A, B = "https://example.com/a", "https://example.com/b"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": A, "loc": A, "sitemap": MAP, "position": 1, "line": 3}
PAGE = {
    "url_key": A,
    "requested_url": A,
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "hop_count": 0,
    "final_url": A,
    "final_key": A,
    "allowed": True,
    "canonical": B,
    "canonical_state": "other",
}
TARGET = {
    "url_key": B,
    "requested_url": B,
    "discovered_by": "canonical",
    "state": "checked",
    "first_status": 404,
    "status": 404,
    "hop_count": 0,
    "final_url": B,
    "final_key": B,
    "allowed": True,
}
FINE = TARGET | {"first_status": 200, "status": 200, "canonical_state": "self", "canonical": B}

# A canonical is a URL, the other tables know keys: the one that was asked under this spelling.
PAIRS = """
    SELECT p.url_key, coalesce(t.url_key, p.canonical) AS target, p.canonical
    FROM pages p SEMI JOIN listing l ON l.url_key = p.url_key
    LEFT JOIN pages t ON t.requested_url = p.canonical
    WHERE p.canonical_state = 'other' AND p.canonical IS NOT NULL
"""

RULE = Rule(
    id="canonical-target-bad",
    tier=Tier.TOP30,
    rank=23,
    severity=Severity.ERROR,
    title="Declared canonical cannot be indexed",
    why="The page hands over to an address that redirects, fails, is blocked or is noindex: neither of the two is a good "
    "candidate for results.",
    fix="Let the canonical of {url} name a live address that may be indexed, instead of {related_url}.",
    source=(Source("g-canon", "best practices of canonicalization"),),
    known_as=(
        "Screaming Frog: Non-Indexable Canonical",
        "Sitebulb: Canonical points to a redirecting URL / noindex URL",
        "Ahrefs: Canonical points to redirect",
        "Lumar: Canonical to Non-200",
    ),
    needs=frozenset({Need.HEAD}),
    targets=PAIRS,
    # A target of another host is not fetched: unknown, counted, no finding.
    target_needs=frozenset({Need.TRIED}),
    sql=f"""
        SELECT c.url_key, c.url_key || ' -> ' || c.target AS subject,
               'declared canonical ' || c.canonical || CASE u.verdict
                   WHEN 'redirect' THEN ' redirects'
                   WHEN 'unreachable' THEN ' cannot be reached'
                   WHEN 'blocked' THEN ' is blocked by robots.txt'
                   WHEN 'noindex' THEN ' is noindex'
                   ELSE ' answers' END
               || coalesce(CASE WHEN u.verdict IN ('client_error', 'server_error') THEN ' ' || u.verdict_reason
                                ELSE ' (' || coalesce(b.first_status || ' to ' || b.final_url, u.verdict_reason) || ')' END,
                           '') AS reality,
               c.canonical AS related_url
        FROM ({PAIRS}) c JOIN targets t ON t.url_key = c.url_key AND t.target = c.target
        JOIN urls u ON u.url_key = c.target
        LEFT JOIN pages b ON b.url_key = c.target AND u.verdict = 'redirect' AND b.hop_count > 0
        WHERE u.verdict IN ('redirect', 'client_error', 'server_error', 'unreachable', 'blocked', 'noindex')
    """,
    fires=(
        Fires(
            "the target is gone",
            {"entries": [LISTED], "pages": [PAGE | {"canonical_state": "other"}, TARGET]},
            {
                "url": A,
                "subject": f"{A} -> {B}",
                "claim": f"listed in {MAP}, line 3",
                "reality": f"declared canonical {B} answers 404",
                "related_url": B,
                "severity": "error",
            },
        ),
        Fires(
            "the target redirects",
            {
                "entries": [LISTED],
                "pages": [PAGE, FINE | {"first_status": 301, "hop_count": 1, "final_url": A, "final_key": A}],
            },
            {"reality": f"declared canonical {B} redirects (301 to {A})"},
        ),
        Fires(
            "the target is noindex",
            {
                "entries": [LISTED],
                "pages": [PAGE, FINE | {"noindex": True, "noindex_sources": ["meta:robots"]}],
            },
            {"reality": f"declared canonical {B} is noindex (meta:robots)"},
        ),
        Fires(
            "the target is blocked",
            {
                "entries": [LISTED],
                "pages": [
                    PAGE,
                    TARGET
                    | {
                        "state": "skipped",
                        "reason": "robots",
                        "first_status": None,
                        "status": None,
                        "allowed": False,
                        "robots_state": "ok",
                        "robots_line": 2,
                        "robots_rule": "Disallow: /b",
                    },
                ],
            },
            {"reality": f"declared canonical {B} is blocked by robots.txt (line 2: Disallow: /b)"},
        ),
        Fires(
            "the target does not answer",
            {
                "entries": [LISTED],
                "pages": [PAGE, TARGET | {"first_status": None, "status": None, "error_class": "timeout"}],
            },
            {"reality": f"declared canonical {B} cannot be reached (timeout)"},
        ),
    ),
    passes=(
        Passes("the target is fine", {"entries": [LISTED], "pages": [PAGE, FINE]}),
        Passes("the target was never tried", {"entries": [LISTED], "pages": [PAGE]}),
        Passes(
            "the target lies out of scope",
            {
                "entries": [LISTED],
                "pages": [
                    PAGE,
                    TARGET
                    | {"state": "skipped", "reason": "out_of_scope", "first_status": None, "status": None},
                ],
            },
        ),
        Passes(
            "the target asked us to slow down",
            {"entries": [LISTED], "pages": [PAGE, TARGET | {"first_status": 429, "status": 429}]},
        ),
        Passes(
            "only its status was seen (--depth status)",
            {"entries": [LISTED], "pages": [PAGE, TARGET | {"first_status": 200, "status": 200}]},
        ),
        Passes(
            "the page names itself",
            {"entries": [LISTED], "pages": [PAGE | {"canonical": A, "canonical_state": "self"}]},
        ),
        Passes("the page is not listed", {"pages": [PAGE, TARGET]}),
    ),
)
