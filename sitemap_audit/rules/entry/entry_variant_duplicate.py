"""Two spellings of one page are listed."""

from typing import Any

from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import MAP, SITE, entry, file

PLAIN, SLASH = f"{SITE}/a", f"{SITE}/a/"
LISTED = [entry(PLAIN, 3), entry(SLASH, 6)]
TEXT = "0123456789abcdef"


def page(url: str, **more: object) -> dict[str, Any]:
    """A page with a main text."""
    read = {
        "state": "checked",
        "first_status": 200,
        "status": 200,
        "hop_count": 0,
        "final_key": url,
        "canonical_state": "none",
    }
    return (
        {
            "url_key": url,
            "requested_url": url,
            "main_hash": TEXT,
            "main_text_len": 900,
            "main_fallback": False,
        }
        | read
        | more
    )


def both(*urls: str, **more: object) -> dict[str, Any]:
    """Tables of a case: these URLs are listed, and show one text."""
    return {
        "entries": [entry(url, n) for n, url in enumerate(urls, 3)],
        "pages": [page(url, **more) for url in urls],
        "sitemap_files": [file()],
    }


# The spelling without what variants differ in: letter case, scheme, www, the name of a directory's page, a slash at the
# end, the order of parameters. Few URLs hold a `&`: only theirs are sorted.
PATH = r"regexp_replace(regexp_replace(regexp_replace(lower(split_part(url_key, '?', 1)), '^https?://(www\.)?', ''), '/(index|default)\.(html?|php|aspx?|jsp)$', ''), '/+$', '')"
QUERY = """CASE WHEN contains(url_key, '&') THEN array_to_string(list_sort(string_split(lower(substr(url_key, instr(url_key, '?') + 1)), '&')), '&')
                ELSE lower(CASE WHEN contains(url_key, '?') THEN substr(url_key, instr(url_key, '?') + 1) ELSE '' END) END"""

RULE = Rule(
    id="entry-variant-duplicate",
    severity=Severity.WARNING,
    title="Two spellings of one page are listed",
    why="Two listed addresses differ only in spelling and show the same page: search engines must choose one of them.",
    fix="List only {related_url} or only {url}, whichever the page itself names as canonical.",
    source=(
        Source("text-000", "XML sitemaps, canonical URLs only, each once"),
        Source("g-canon", "reasons for duplicate URLs"),
        Source("g-url", "URL structure, one spelling of an address"),
    ),
    needs=frozenset({Need.CONTENT}),
    # /a and /a/ may be different pages: only the same main text (long enough to tell, definitions 3), or a redirect from
    # one to the other, is evidence. Of many spellings each is held against its neighbour in the order of their texts.
    targets=f"""
        SELECT url_key, target FROM (
            SELECT k.url_key, lag(k.url_key) OVER (PARTITION BY k.h ORDER BY p.main_hash, length(k.url_key), k.url_key) AS target
            FROM (
                SELECT url_key, h FROM (
                    SELECT url_key, hash({PATH}, {QUERY}) AS h FROM listing
                    -- Who stands alone with its path has no variant: most do.
                ) QUALIFY count(*) OVER (PARTITION BY h) > 1
            ) k LEFT JOIN pages p ON p.url_key = k.url_key
        ) WHERE target IS NOT NULL
    """,
    target_needs=frozenset({Need.CONTENT}),
    sql="""
        SELECT t.url_key, t.url_key || ' and ' || t.target AS subject, t.target AS related_url,
               CASE WHEN p.hop_count > 0 AND p.final_key = t.target THEN 'redirects to ' || t.target || ', which is listed too'
                    WHEN o.hop_count > 0 AND o.final_key = t.url_key THEN t.target || ' is listed too, and redirects to this one'
                    ELSE 'shows the same text as ' || t.target || ', which is listed too' END AS reality
        FROM targets t JOIN pages p ON p.url_key = t.url_key JOIN pages o ON o.url_key = t.target, settings s
        WHERE (p.hop_count > 0 AND p.final_key = t.target) OR (o.hop_count > 0 AND o.final_key = t.url_key)
           OR (p.status = 200 AND o.status = 200 AND p.main_hash = o.main_hash
               AND p.main_text_len >= s.near_duplicate_min_chars AND NOT coalesce(p.main_fallback OR o.main_fallback, false))
    """,
    fires=(
        Fires(
            "with and without a slash, the same text",
            both(PLAIN, SLASH),
            {
                "url": SLASH,
                "related_url": PLAIN,
                "sitemap": MAP,
                "line": 4,
                "claim": f"listed in {MAP}, line 4",
                "reality": f"shows the same text as {PLAIN}, which is listed too",
                "severity": "warning",
            },
        ),
        Fires(
            "one redirects to the other",
            {
                "entries": LISTED,
                "pages": [page(PLAIN, first_status=301, hop_count=1, final_key=SLASH), page(SLASH)],
                "sitemap_files": [file()],
            },
            {"url": SLASH, "reality": f"{PLAIN} is listed too, and redirects to this one"},
        ),
        Fires(
            "http and www, and the name of the directory's page",
            both(f"{SITE}/b/", "http://www.example.com/b/index.html"),
            {"url": "http://www.example.com/b/index.html", "related_url": f"{SITE}/b/"},
        ),
        Fires(
            "parameters in another order",
            both(f"{SITE}/s?b=2&a=1", f"{SITE}/s?a=1&b=2"),
            {"url": f"{SITE}/s?b=2&a=1", "related_url": f"{SITE}/s?a=1&b=2"},
        ),
    ),
    passes=(
        Passes(
            "/a and /A with texts of their own",
            {
                "entries": [entry(PLAIN, 3), entry(f"{SITE}/A", 6)],
                "pages": [page(PLAIN), page(f"{SITE}/A", main_hash="fedcba9876543210")],
                "sitemap_files": [file()],
            },
        ),
        Passes("too short a text to tell", both(PLAIN, SLASH, main_text_len=60)),
        Passes("both are gone", both(PLAIN, SLASH, status=404, first_status=404, main_hash=None)),
        Passes("only one is listed", both(PLAIN, SLASH) | {"entries": LISTED[:1]}),
        Passes("other pages with the same text", both(PLAIN, f"{SITE}/b")),
    ),
)
