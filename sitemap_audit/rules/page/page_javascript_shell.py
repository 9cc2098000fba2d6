"""The page is empty until a program in it has run."""

from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source, Tier

PAGE = "https://example.com/a"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 1, "line": 3}
SHELL = {
    "url_key": PAGE,
    "requested_url": PAGE,
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "hop_count": 0,
    "final_url": PAGE,
    "canonical_state": "none",
    "sniffed_type": "html",
    "main_hash": "00ff00ff00ff00ff",
    "main_text_len": 24,
    "script_count": 3,
    "shell": True,
}

RULE = Rule(
    id="page-javascript-shell",
    tier=Tier.LATER,
    severity=Severity.NOTICE,
    title="Page has content only with JavaScript",
    why="The HTML holds hardly a word and an empty place that a program fills. This audit reads HTML alone, so what "
    "it says of the content of this page is limited.",
    fix="Let the server put the content that matters, and the tags of the head, into the HTML of {url}.",
    source=(
        Source("g-js", "how JavaScript pages are rendered; server-side rendering"),
        Source("g-crawlerr", "soft 404 errors: pages that render nothing"),
    ),
    needs=frozenset({Need.CONTENT}),
    # The fact `shell` is measured where the page is read: visible text, scripts, an empty root element.
    sql="""
        SELECT p.url_key, p.url_key AS subject,
               p.main_text_len || ' characters of text, scripts: ' || coalesce(p.script_count, 0) || ', and an empty root element' AS reality
        FROM pages p, settings s
        WHERE p.state = 'checked' AND p.status = 200 AND p.shell AND p.main_text_len < s.shell_visible_chars
    """,
    fires=(
        Fires(
            "an empty root",
            {"entries": [LISTED], "pages": [SHELL]},
            {
                "url": PAGE,
                "claim": f"listed in {MAP}, line 3",
                "reality": "24 characters of text, scripts: 3, and an empty root element",
                "severity": "notice",
            },
        ),
    ),
    passes=(
        Passes(
            "rendered by the server",
            {"entries": [LISTED], "pages": [SHELL | {"main_text_len": 900, "shell": False}]},
        ),
        Passes(
            "a short page without a root for a program",
            {"entries": [LISTED], "pages": [SHELL | {"shell": False}]},
        ),
        Passes("nobody lists it", {"pages": [SHELL | {"discovered_by": "canonical"}]}),
    ),
)
