"""The sitemap prefers one address, the page itself another."""

from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source, Tier

A, B = "https://example.com/a", "https://example.com/b"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": A, "loc": A, "sitemap": MAP, "position": 1, "line": 3}
ELEMENT = {"href_raw": "/b", "href": B, "in_head": True, "base_used": False, "attrs": [], "used": True}
HEADER = {"href_raw": B, "href": B, "params": [], "used": True}
PAGE = {
    "url_key": A,
    "requested_url": A,
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "hop_count": 0,
    "final_url": A,
    "final_key": A,
    "canonical": B,
    "canonical_state": "other",
    "canonical_html": [ELEMENT],
}

RULE = Rule(
    id="canonical-elsewhere",
    tier=Tier.TOP30,
    rank=5,
    severity=Severity.ERROR,
    title="Listed URL declares another canonical",
    why="The sitemap prefers one address, the page itself declares another: contradicting signals, and the sitemap is the "
    "weaker one.",
    fix="List {related_url} in place of {url}, or correct the declared canonical of the page.",
    source=(
        Source("text-000", "Important fields, URLs: only canonical ones"),
        Source("text-002", "lines 58, 74 and 81, sitemap and canonical must agree; line 94 of the checklist"),
        Source("g-canon", "link element, header and sitemap as signals; best practices"),
    ),
    known_as=(
        "Search Console: Alternate page with proper canonical tag",
        "Screaming Frog: Canonicalised",
        "Sitebulb: Canonicalized URL in XML Sitemaps",
        "Ahrefs: Non-canonical page in sitemap",
    ),
    needs=frozenset({Need.HEAD}),
    # `other` is by url key against the final URL (definitions 8); a redirecting URL that its target names
    # as canonical agrees with the map. The slight differences are real ones, and often easily mended.
    sql="""
        SELECT p.url_key, p.url_key AS subject,
               'declared canonical ' || p.canonical
               || CASE WHEN len(list_filter(p.canonical_http, lambda c: c.used)) > 0 THEN ' (Link header)'
                       WHEN len(list_filter(p.canonical_html, lambda c: c.used)) > 0 THEN ' (link element)'
                       ELSE '' END
               || CASE WHEN p.hop_count > 0 THEN ' at ' || p.page ELSE '' END
               || CASE WHEN rtrim(p.canonical, '/') = rtrim(p.page, '/') THEN ': only the slash at the end differs'
                       WHEN replace(p.canonical, 'https:', 'http:') = replace(p.page, 'https:', 'http:')
                       THEN ': only http and https differ'
                       WHEN replace(p.canonical, '://www.', '://') = replace(p.page, '://www.', '://')
                       THEN ': only www. differs' ELSE '' END AS reality,
               p.canonical AS related_url
        FROM (SELECT url_key, requested_url, hop_count, canonical, canonical_http, canonical_html,
                     coalesce(final_url, requested_url, url_key) AS page FROM pages
              WHERE canonical_state = 'other' AND canonical IS NOT NULL) p
        WHERE p.canonical <> p.url_key AND p.canonical IS DISTINCT FROM p.requested_url
    """,
    fires=(
        Fires(
            "listed /a, canonical /b",
            {"entries": [LISTED], "pages": [PAGE]},
            {
                "url": A,
                "claim": f"listed in {MAP}, line 3",
                "reality": f"declared canonical {B} (link element)",
                "related_url": B,
                "severity": "error",
            },
        ),
        Fires(
            "by header",
            {"entries": [LISTED], "pages": [PAGE | {"canonical_html": None, "canonical_http": [HEADER]}]},
            {"reality": f"declared canonical {B} (Link header)"},
        ),
        Fires(
            "only the slash differs",
            {"entries": [LISTED], "pages": [PAGE | {"canonical": A + "/"}]},
            {"reality": f"declared canonical {A}/ (link element): only the slash at the end differs"},
        ),
        Fires(
            "only the scheme differs",
            {"entries": [LISTED], "pages": [PAGE | {"canonical": "http://example.com/a"}]},
            {"reality": "declared canonical http://example.com/a (link element): only http and https differ"},
        ),
        Fires(
            "only www differs",
            {"entries": [LISTED], "pages": [PAGE | {"canonical": "https://www.example.com/a"}]},
            {"reality": "declared canonical https://www.example.com/a (link element): only www. differs"},
        ),
        Fires(
            "the page that a redirect leads to",
            {
                "entries": [LISTED],
                "pages": [
                    PAGE | {"first_status": 301, "hop_count": 1, "final_url": A + "/", "final_key": A + "/"}
                ],
            },
            {"reality": f"declared canonical {B} (link element) at {A}/"},
        ),
    ),
    passes=(
        Passes(
            "the page names itself, with :443",
            {"entries": [LISTED], "pages": [PAGE | {"canonical": A, "canonical_state": "self"}]},
        ),
        Passes(
            "the target of a redirect names the listed URL",
            {
                "entries": [LISTED],
                "pages": [
                    PAGE
                    | {
                        "first_status": 301,
                        "hop_count": 1,
                        "final_url": A + "/",
                        "final_key": A + "/",
                        "canonical": A,
                    }
                ],
            },
        ),
        Passes(
            "two different targets",
            {"entries": [LISTED], "pages": [PAGE | {"canonical": None, "canonical_state": "conflict"}]},
        ),
        Passes(
            "outside the head",
            {"entries": [LISTED], "pages": [PAGE | {"canonical": None, "canonical_state": "ignored"}]},
        ),
        Passes(
            "none", {"entries": [LISTED], "pages": [PAGE | {"canonical": None, "canonical_state": "none"}]}
        ),
        Passes("nobody lists it", {"pages": [PAGE | {"discovered_by": "hreflang"}]}),
    ),
)
