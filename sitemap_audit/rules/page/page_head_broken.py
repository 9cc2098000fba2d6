"""Something that belongs into the body ends the head before its tags."""

from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source, Tier

PAGE = "https://example.com/a"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 1, "line": 3}
BROKEN = {
    "url_key": PAGE,
    "requested_url": PAGE,
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "hop_count": 0,
    "final_url": PAGE,
    "canonical_state": "ignored",
    "head_broken_by": "img",
    "head_end_offset": 310,
    "canonical_html": [
        {"href_raw": "/a", "href": PAGE, "in_head": False, "base_used": False, "attrs": [], "used": False}
    ],
}
ALTERNATE = {
    "from_key": PAGE,
    "source": "html",
    "code_raw": "de",
    "code": "de",
    "href_raw": "/de",
    "href": f"{PAGE}/de",
    "href_key": f"{PAGE}/de",
    "in_head": False,
}

RULE = Rule(
    id="page-head-broken",
    tier=Tier.LATER,
    severity=Severity.WARNING,
    title="Head of the page ends too early",
    why="Parsers end the head at the first thing that does not belong there; tags behind it are ignored.",
    fix="Move the tags of the head of {url} above the element that ends it, or move that element into the body.",
    source=(
        Source("g-head", "valid elements in the head"),
        Source("g-canon", "rel=canonical: only in the head"),
        Source("g-hreflang", "link elements: in the head"),
    ),
    known_as=(
        "Screaming Frog: Invalid HTML Elements in <head>",
        "Screaming Frog: Canonicals: Outside <head>",
        "Screaming Frog: Hreflang: Outside <head>",
    ),
    needs=frozenset({Need.HEAD}),
    # Only where a canonical or hreflang is lost by it: Google reads a robots meta in the body too, and a head
    # that ends early with nothing behind it loses nothing.
    sql="""
        SELECT p.url_key, p.url_key AS subject,
               CASE p.head_broken_by WHEN '#text' THEN 'a text' ELSE '<' || p.head_broken_by || '>' END || ' ends the head'
               || coalesce(' at byte ' || p.head_end_offset, '') || '; behind it: '
               || concat_ws(', ', CASE WHEN p.canonicals > 0 THEN 'canonical' END, CASE WHEN a.n > 0 THEN 'hreflang (' || a.n || ')' END) AS reality
        FROM (SELECT *, coalesce(len(list_filter(canonical_html, lambda c: NOT c.in_head)), 0) AS canonicals FROM pages) p
        LEFT JOIN (SELECT from_key, count(*) AS n FROM alternates WHERE source = 'html' AND NOT in_head GROUP BY from_key) a ON a.from_key = p.url_key
        WHERE p.state = 'checked' AND p.head_broken_by IS NOT NULL AND (p.canonicals > 0 OR a.n > 0)
    """,
    fires=(
        Fires(
            "a picture before the canonical",
            {"entries": [LISTED], "pages": [BROKEN]},
            {
                "url": PAGE,
                "claim": f"listed in {MAP}, line 3",
                "reality": "<img> ends the head at byte 310; behind it: canonical",
                "severity": "warning",
            },
        ),
        Fires(
            "a stray text before hreflang",
            {
                "entries": [LISTED],
                "pages": [BROKEN | {"head_broken_by": "#text", "canonical_html": [], "canonical_state": "none"}],
                "alternates": [ALTERNATE],
            },
            {"reality": "a text ends the head at byte 310; behind it: hreflang (1)"},
        ),
    ),
    passes=(
        Passes("the tags come first", {"entries": [LISTED], "pages": [BROKEN | {"canonical_html": [], "canonical_state": "self"}]}),
        Passes("the head is in order", {"entries": [LISTED], "pages": [BROKEN | {"head_broken_by": None}]}),
        Passes(
            "only a robots meta stands in the body: Google reads it",
            {
                "entries": [LISTED],
                "pages": [
                    BROKEN
                    | {
                        "canonical_html": [],
                        "canonical_state": "none",
                        "meta_robots": [{"name": "robots", "content": "noindex", "in_head": False, "offset": 400, "in_noscript": False}],
                    }
                ],
            },
        ),
        Passes("nobody lists it", {"pages": [BROKEN | {"discovered_by": "canonical"}]}),
    ),
)  # fmt: skip
