"""The page has nothing in it."""

from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source, Tier

PAGE = "https://example.com/a"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 1, "line": 3}
BARE = {
    "url_key": PAGE,
    "requested_url": PAGE,
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "hop_count": 0,
    "final_url": PAGE,
    "canonical_state": "none",
    "sniffed_type": "html",
    "bytes": 900,
    "main_hash": "00ff00ff00ff00ff",
    "main_text_len": 12,
    "media_in_main": 0,
    "shell": False,
}

RULE = Rule(
    id="page-empty",
    tier=Tier.LATER,
    severity=Severity.WARNING,
    title="Listed page is empty",
    why="The page answers 200 and says nothing: search engines take it for a soft 404.",
    fix="Mend what should fill {url}, or take it out of {sitemap}.",
    source=(Source("g-crawlerr", "soft 404 errors: empty pages"),),
    known_as=("Screaming Frog: Low Content Pages",),
    needs=frozenset({Need.CONTENT}),
    # Pictures and films are content, and a page that a program fills is page-javascript-shell. Of an error page that
    # answers 200 page-soft-404 says more.
    sql="""
        SELECT p.url_key, p.url_key AS subject,
               CASE WHEN p.main_text_len IS NULL THEN '0 bytes' ELSE p.main_text_len || ' characters of main text, no picture or film' END AS reality
        FROM pages p ANTI JOIN (FROM urls WHERE verdict = 'soft_404') u ON u.url_key = p.url_key, settings s
        WHERE p.state = 'checked' AND p.status = 200 AND p.error_class IS NULL AND NOT coalesce(p.challenge, false)
          AND (p.bytes = 0 AND coalesce(p.content_type, 'text/html') LIKE 'text/html%'
               OR p.sniffed_type = 'html' AND p.main_text_len < s.empty_main_chars AND p.media_in_main = 0 AND NOT coalesce(p.shell, false))
    """,
    fires=(
        Fires(
            "twelve characters",
            {"entries": [LISTED], "pages": [BARE]},
            {
                "url": PAGE,
                "claim": f"listed in {MAP}, line 3",
                "reality": "12 characters of main text, no picture or film",
                "severity": "warning",
            },
        ),
        Fires(
            "no byte at all",
            {
                "entries": [LISTED],
                "pages": [
                    BARE
                    | {"bytes": 0, "main_hash": None, "main_text_len": None, "sniffed_type": "empty", "content_type": "text/html"}
                ],
            },
            {"reality": "0 bytes"},
        ),
    ),
    passes=(
        Passes(
            "an error page that answers 200",
            {
                "entries": [LISTED],
                "pages": [BARE | {"soft404_points": {"points": 0.8, "reasons": ["error-title", "nearly-empty"]}}],
            },
        ),
        Passes("a page of photos", {"entries": [LISTED], "pages": [BARE | {"media_in_main": 12}]}),
        Passes("a page of one film", {"entries": [LISTED], "pages": [BARE | {"media_in_main": 1}]}),
        Passes("a program fills it", {"entries": [LISTED], "pages": [BARE | {"shell": True}]}),
        Passes("short, but it says something", {"entries": [LISTED], "pages": [BARE | {"main_text_len": 50}]}),
        Passes("an empty answer of 404", {"entries": [LISTED], "pages": [BARE | {"first_status": 404, "status": 404, "bytes": 0}]}),
        Passes("nobody lists it", {"pages": [BARE | {"discovered_by": "hreflang"}]}),
    ),
)  # fmt: skip
