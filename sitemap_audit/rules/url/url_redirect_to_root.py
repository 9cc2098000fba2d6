"""Pages that are gone are led to one page for all."""

from sitemap_audit.rules.relations import count_of, path_of
from sitemap_audit.rules.rule import Confidence, Fires, Need, Passes, Rule, Severity, Source

SITE = "https://example.com"
ROOT = f"{SITE}/"
DEEP = f"{SITE}/product/123"
SALE = f"{SITE}/sale"
MAP = f"{SITE}/sitemap.xml"


def leads(url: str, target: str, flags: tuple[str, ...] = ()) -> dict[str, object]:
    """The page fact of a listed URL that ends at `target`."""
    return {
        "url_key": url,
        "requested_url": url,
        "origin": SITE,
        "state": "checked",
        "first_status": 301,
        "hop_count": 1,
        "status": 200,
        "final_url": target,
        "final_key": target,
        "redirect_flags": list(flags),
    }


def listed(*urls: str) -> list[dict[str, object]]:
    """Entries of these URLs."""
    return [{"url_key": u, "loc": u, "sitemap": MAP, "position": n, "line": n} for n, u in enumerate(urls, 1)]


TO_ROOT = ("to_root",)
MANY = [f"{SITE}/old-{n}" for n in range(6)]

RULE = Rule(
    id="url-redirect-to-root",
    severity=Severity.WARNING,
    # The owner may have meant it; a search engine decides by comparing the two pages.
    confidence=Confidence.LIKELY,
    title="Listed URL redirects to the home page",
    why="Search engines treat a redirect from a missing page to the home page, or to one page for all, like a "
    "page that does not exist.",
    fix="Redirect {url} to the page that takes its place, or answer 404 or 410, and take it out of {sitemap}.",
    source=(
        Source("g-crawlerr", "soft 404 errors: what to do with a page that is gone"),
        Source("practice", "redirects of many pages to one"),
    ),
    needs=frozenset({Need.RESPONSE}),
    # Deep is a path of two segments and more: a root of a language, index.html and the short address of a
    # campaign have one. Many addresses that share an end count with one segment too, but not where the end is
    # the same path (parameters that are dropped).
    sql=f"""
        WITH moved AS (
            SELECT p.url_key, p.final_key, p.final_url, p.first_status, p.status, {path_of("p.requested_url")} AS path, {path_of("p.final_url")} AS end_path,
                   list_contains(p.redirect_flags, 'to_root') AS to_root
            FROM pages p SEMI JOIN listing l ON l.url_key = p.url_key
            WHERE p.state = 'checked' AND p.hop_count > 0 AND p.status = 200
        ),
        away AS (
            FROM moved WHERE rtrim(path, '/') <> rtrim(end_path, '/')
                AND NOT regexp_matches(path, '^/([a-z][a-z]([-_][A-Za-z]+)?/?|(index|default|home)[.][a-z]+|home/?)?$')
        ),
        ends AS (SELECT final_key, count(*) AS n FROM away GROUP BY final_key)
        SELECT a.url_key, a.url_key AS subject, a.final_url AS related_url,
               a.first_status || ', ends at ' || CASE WHEN a.to_root THEN 'the home page ' ELSE '' END || a.final_url || ' (' || a.status || ')'
               || CASE WHEN e.n > 1 THEN ', as ' || {count_of("e.n - 1")} || ' other listed URLs do' ELSE '' END AS reality
        FROM away a JOIN ends e ON e.final_key = a.final_key, settings s
        WHERE e.n > s.redirect_same_target_min OR (a.to_root AND regexp_matches(a.path, '^/[^/]+/[^/]'))
    """,
    fires=(
        Fires(
            "a product to the home page",
            {"entries": listed(DEEP), "pages": [leads(DEEP, ROOT, TO_ROOT)]},
            {
                "url": DEEP,
                "claim": f"listed in {MAP}, line 1",
                "reality": f"301, ends at the home page {ROOT} (200)",
                "related_url": ROOT,
                "severity": "warning",
                "confidence": "likely",
            },
        ),
    ),
    passes=(
        Passes("to another product", {"entries": listed(DEEP), "pages": [leads(DEEP, f"{SITE}/product/124")]}),
        Passes("the root of a language", {"entries": listed(f"{SITE}/en-gb/"), "pages": [leads(f"{SITE}/en-gb/", ROOT, TO_ROOT)]}),
        Passes("the short address of a campaign", {"entries": listed(SALE), "pages": [leads(SALE, ROOT, TO_ROOT)]}),
        Passes("index.html", {"entries": listed(f"{SITE}/index.html"), "pages": [leads(f"{SITE}/index.html", ROOT, TO_ROOT)]}),
        Passes(
            "many parameters of one path",
            {
                "entries": listed(*(f"{SALE}?c={n}" for n in range(6))),
                "pages": [leads(f"{SALE}?c={n}", SALE) for n in range(6)],
            },
        ),
        Passes("five to one page", {"entries": listed(*MANY[:5]), "pages": [leads(u, SALE) for u in MANY[:5]]}),
        Passes("each to its own successor", {"entries": listed(*MANY), "pages": [leads(u, u.replace("old", "new")) for u in MANY]}),
        Passes("nobody lists it", {"pages": [leads(DEEP, ROOT, TO_ROOT) | {"discovered_by": "canonical"}]}),
    ),
)  # fmt: skip
