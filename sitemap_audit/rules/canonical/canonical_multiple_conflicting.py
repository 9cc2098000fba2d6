"""A page declares several canonicals that differ."""

from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source

PAGE_URL = "https://example.com/page"
A, B = "https://example.com/a", "https://example.com/b"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": PAGE_URL, "loc": PAGE_URL, "sitemap": MAP, "position": 1, "line": 3}


def element(href: str, *, in_head: bool = True) -> dict[str, object]:
    """A link element; it counts only in the head."""
    return {
        "href_raw": href,
        "href": href,
        "in_head": in_head,
        "base_used": False,
        "attrs": [],
        "used": in_head,
    }


def header(href: str) -> dict[str, object]:
    """A value of a Link header."""
    return {"href_raw": href, "href": href, "params": [], "used": True}


PAGE = {
    "url_key": PAGE_URL,
    "requested_url": PAGE_URL,
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "hop_count": 0,
    "final_url": PAGE_URL,
    "final_key": PAGE_URL,
    "canonical": None,
    "canonical_state": "conflict",
    "canonical_html": [element(A), element(B)],
    "canonical_http": None,
}
ONE = PAGE | {"canonical": A, "canonical_state": "other"}

RULE = Rule(
    id="canonical-multiple-conflicting",
    severity=Severity.ERROR,
    title="Page declares several canonicals that differ",
    why="A page can prefer one address only: search engines may ignore all of its declarations and choose for "
    "themselves.",
    fix="Keep one canonical at {url}: the address that the sitemap lists.",
    source=(
        Source("text-002", "line 94 of the checklist, canonical and sitemap agree"),
        Source("g-canon", "best practices, one method and one URL for a page"),
        Source("g-js", "canonical by JavaScript: the only one of the page"),
    ),
    known_as=("Screaming Frog: Canonicals: Multiple Conflicting",),
    needs=frozenset({Need.HEAD}),
    # `conflict` is by url key, over elements and headers together, of those that count (definitions 8). What
    # is shown are spellings: two of one target may stand beside the other one.
    sql="""
        SELECT p.url_key, p.url_key AS subject,
               'declared canonicals: ' || coalesce(nullif(array_to_string(p.said[:5], ', '), ''), 'several')
               || CASE WHEN len(p.said) > 5 THEN ' and ' || len(p.said) - 5 || ' more' ELSE '' END
               || CASE WHEN p.hop_count > 0 THEN ' at ' || coalesce(p.final_url, '?') ELSE '' END AS reality,
               list_filter(p.targets, lambda t: t <> p.url_key)[1] AS related_url
        FROM (
            SELECT url_key, hop_count, final_url,
                   list_sort(list_distinct(list_concat(
                       list_transform(html, lambda c: c.href || ' (link element)'),
                       list_transform(http, lambda c: c.href || ' (Link header)')))) AS said,
                   list_sort(list_concat(
                       list_transform(html, lambda c: c.href), list_transform(http, lambda c: c.href))) AS targets
            FROM (
                SELECT url_key, hop_count, final_url,
                       coalesce(list_filter(canonical_html, lambda c: c.used AND c.href IS NOT NULL), []) AS html,
                       coalesce(list_filter(canonical_http, lambda c: c.used AND c.href IS NOT NULL), []) AS http
                FROM pages WHERE canonical_state = 'conflict'
            )
        ) p
    """,
    fires=(
        Fires(
            "two link elements",
            {"entries": [LISTED], "pages": [PAGE]},
            {
                "url": PAGE_URL,
                "claim": f"listed in {MAP}, line 3",
                "reality": f"declared canonicals: {A} (link element), {B} (link element)",
                "related_url": A,
                "severity": "error",
                "confidence": "sure",
            },
        ),
        Fires(
            "itself in the head, another in the header",
            {
                "entries": [LISTED],
                "pages": [PAGE | {"canonical_html": [element(PAGE_URL)], "canonical_http": [header(B)]}],
            },
            {
                "reality": f"declared canonicals: {B} (Link header), {PAGE_URL} (link element)",
                "related_url": B,
            },
        ),
        Fires(
            "one of them twice",
            {"entries": [LISTED], "pages": [PAGE | {"canonical_html": [element(A), element(B), element(A)]}]},
            {"reality": f"declared canonicals: {A} (link element), {B} (link element)"},
        ),
        Fires(
            "a third that does not count is not shown",
            {
                "entries": [LISTED],
                "pages": [
                    PAGE | {"canonical_html": [element(A), element(B), element(PAGE_URL, in_head=False)]}
                ],
            },
            {"reality": f"declared canonicals: {A} (link element), {B} (link element)"},
        ),
        Fires(
            "at the end of a redirect",
            {
                "entries": [LISTED],
                "pages": [
                    PAGE | {"first_status": 301, "hop_count": 1, "final_url": A, "final_key": A},
                ],
            },
            {"reality": f"declared canonicals: {A} (link element), {B} (link element) at {A}"},
        ),
    ),
    passes=(
        Passes(
            "twice the same",
            {"entries": [LISTED], "pages": [ONE | {"canonical_html": [element(A), element(A)]}]},
        ),
        Passes(
            "element and header agree",
            {
                "entries": [LISTED],
                "pages": [ONE | {"canonical_html": [element(A)], "canonical_http": [header(A)]}],
            },
        ),
        Passes(
            "the second stands outside the head",
            {
                "entries": [LISTED],
                "pages": [ONE | {"canonical_html": [element(A), element(B, in_head=False)]}],
            },
        ),
        Passes(
            "none",
            {
                "entries": [LISTED],
                "pages": [PAGE | {"canonical_state": "none", "canonical_html": None}],
            },
        ),
        Passes("nobody lists it", {"pages": [PAGE | {"discovered_by": "hreflang"}]}),
        Passes(
            "an error page has no head to judge",
            {
                "entries": [LISTED],
                "pages": [
                    PAGE
                    | {
                        "first_status": 404,
                        "status": 404,
                        "canonical_state": None,
                        "canonical_html": None,
                    }
                ],
            },
        ),
    ),
)
