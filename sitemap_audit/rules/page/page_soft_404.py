"""The page says that there is nothing, the status says 200."""

from sitemap_audit.rules.rule import Confidence, Fires, Need, Passes, Rule, Severity, Source, Tier

PAGE = "https://example.com/p/1"
MAP = "https://example.com/sitemap.xml"
PROBE = "https://example.com/sitemap-audit-404-probe-0123456789ab"
LISTED = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 1, "line": 3}
READ = {
    "url_key": PAGE,
    "requested_url": PAGE,
    "origin": "https://example.com",
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "hop_count": 0,
    "final_url": PAGE,
    "allowed": True,
    "noindex": False,
    "canonical_state": "self",
    "sniffed_type": "html",
    "title": "Page not found",
    "main_text_len": 52,
    "main_hash": "00ff00ff00ff00ff",
    "main_simhash": "1234567812345678",
    "word_count": 9,
    "main_fallback": False,
    "soft404_points": {"points": 0.8, "reasons": ["error-title", "nearly-empty"]},
}
NORMAL = READ | {"title": "Red shoes", "main_text_len": 700, "soft404_points": {"points": 0.0, "reasons": []}}
ASKED = NORMAL | {
    "url_key": PROBE,
    "requested_url": PROBE,
    "final_url": PROBE,
    "discovered_by": "probe",
    "main_hash": "11ff00ff00ff00ff",
    "main_simhash": "1234567812345679",
}

RULE = Rule(
    id="page-soft-404",
    tier=Tier.TOP30,
    rank=17,
    severity=Severity.WARNING,
    title="Listed page looks like an error page",
    why="The page says 'not found' or is empty but answers 200, so Google drops it as soft 404.",
    fix="Answer 404 or 410 for {url} and take it out of {sitemap}, or give the page content of its own.",
    source=(Source("g-crawlerr", "soft 404 errors: what they are and how to mend them"),),
    known_as=("Search Console: Soft 404", "Screaming Frog: Content: Soft 404 Pages"),
    needs=frozenset({Need.CONTENT}),
    confidence=Confidence.LIKELY,
    # What Google's own detector does is not known: the words say "looks like" (definitions 2). A redirect to
    # an error page is a redirect first; its verdict names what it leads to. One text on many URLs and no other
    # sign is a matter of duplicates (index-duplicate-content): pages whose table a script fills are like that.
    sql="""
        SELECT u.url_key, u.url_key AS subject,
               p.status || ', looks like an error page: ' || array_to_string(u.soft404_reasons, ', ')
               || coalesce(' (title: ' || p.title || ')', '') AS reality,
               CASE WHEN u.soft404_score < s.soft404_report THEN 'notice' END AS severity,
               CASE WHEN u.soft404_score < s.soft404_report THEN 'possible'
                    WHEN list_contains(u.soft404_reasons, 'same-as-probe') THEN 'sure' END AS confidence
        FROM urls u JOIN pages p ON p.url_key = u.url_key, settings s
        WHERE u.soft404_score >= s.soft404_possible AND len(u.soft404_reasons) > 0
          AND u.verdict NOT IN ('unknown', 'blocked', 'redirect')
          AND NOT (len(u.soft404_reasons) = 1 AND u.soft404_reasons[1] LIKE 'same-text-on-%' AND p.main_text_len >= s.near_duplicate_min_chars)
    """,
    fires=(
        Fires(
            "error words in the title, nearly no text",
            {"entries": [LISTED], "pages": [READ]},
            {
                "url": PAGE,
                "claim": f"listed in {MAP}, line 3",
                "reality": "200, looks like an error page: error-title, nearly-empty (title: Page not found)",
                "severity": "warning",
                "confidence": "likely",
            },
        ),
        Fires(
            "the same text as an address that cannot exist",
            {"entries": [LISTED], "pages": [NORMAL, ASKED]},
            {
                "reality": "200, looks like an error page: same-as-probe (title: Red shoes)",
                "severity": "warning",
                "confidence": "sure",
            },
        ),
        Fires(
            "only some signs",
            {
                "entries": [LISTED],
                "pages": [READ | {"soft404_points": {"points": 0.5, "reasons": ["error-title"]}}],
            },
            {"severity": "notice", "confidence": "possible"},
        ),
        Fires(
            "a JavaScript shell stays possible",
            {"entries": [LISTED], "pages": [READ | {"shell": True}]},
            {"severity": "notice", "confidence": "possible"},
        ),
    ),
    passes=(
        Passes(
            "an article about error pages",
            {
                "entries": [LISTED],
                "pages": [
                    READ
                    | {
                        "title": "How to design a 404 page",
                        "main_text_len": 6_000,
                        "soft404_points": {"points": 0.25, "reasons": ["error-title"]},
                    }
                ],
            },
        ),
        Passes(
            "the probe shows another text",
            {"entries": [LISTED], "pages": [NORMAL, ASKED | {"main_simhash": "fedcba9887654321"}]},
        ),
        Passes(
            "only the frame is the same: fallback text matches nothing",
            {"entries": [LISTED], "pages": [NORMAL | {"main_fallback": True}, ASKED | {"main_fallback": True}]},
        ),
        Passes(
            "the probe of another host",
            {"entries": [LISTED], "pages": [NORMAL, ASKED | {"origin": "https://shop.example.com"}]},
        ),
        Passes(
            "it redirects there",
            {"entries": [LISTED], "pages": [READ | {"first_status": 301, "hop_count": 1, "final_url": PAGE + "/"}]},
        ),
        Passes(
            "tables that a script fills: one text on five URLs and no sign of an error",
            {
                "entries": [LISTED | {"url_key": f"{PAGE}?{n}", "loc": f"{PAGE}?{n}"} for n in range(5)],
                "pages": [
                    NORMAL | {"url_key": f"{PAGE}?{n}", "requested_url": f"{PAGE}?{n}", "final_url": f"{PAGE}?{n}"}
                    for n in range(5)
                ],
            },
        ),
        Passes("nobody lists it", {"pages": [READ | {"discovered_by": "hreflang"}]}),
    ),
)  # fmt: skip
