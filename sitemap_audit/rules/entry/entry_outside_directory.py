"""A sitemap in a folder lists pages outside of it."""

from sitemap_audit.rules.relations import DECLARED_DOCUMENTS, entries_with, host_of, listed_in, origin_of
from sitemap_audit.rules.rule import Confidence, Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import INDEX, SITE, child_file, entry, file, odd, robots, undeclared

BLOG = f"{SITE}/blog/sitemap.xml"
PAGE = f"{SITE}/shop/a"
LISTED = odd(PAGE, "outside_directory", sitemap=BLOG, line=7)
FOUND = undeclared(BLOG, "option")
NOBODY = robots(state="missing", status=404)

OUTSIDE = f"""
    WITH RECURSIVE {DECLARED_DOCUMENTS},
    file AS (
        SELECT f.url, r.robots_url, r.status, r.state,
               CASE WHEN r.origin IS NULL THEN 'never_tried' WHEN r.state IN ('unreachable', 'server_error') THEN 'robots_paused' END AS reason
        FROM sitemap_files f
        LEFT JOIN (FROM robots_files WHERE at_root IS DISTINCT FROM false) r ON r.origin = {origin_of("coalesce(f.final_url, f.url)")}
        ANTI JOIN named n ON n.doc = coalesce(f.final_url, f.url) AND n.host = {host_of("coalesce(f.final_url, f.url)")}
        WHERE f.kind IN ('urlset', 'text') AND f.source IS DISTINCT FROM 'list'
    )
"""

RULE = Rule(
    id="entry-outside-directory",
    severity=Severity.WARNING,
    # What was submitted to Search Console cannot be seen from outside.
    confidence=Confidence.LIKELY,
    title="Sitemap in a folder lists a URL outside of it",
    why="A sitemap in a folder covers only that folder; other URLs may be dropped unless robots.txt names the sitemap.",
    fix="Move {sitemap} to the root of its host, or name it in {related_url}.",
    source=(
        Source("sitemaps-org", "sitemap file location"),
        Source("g-sitemap", "best practices, location of the file"),
    ),
    needs=frozenset(),
    # Google waives this in words for what is submitted in Search Console. That a robots.txt which names the file, or an
    # index above it, waives it too is our reading: sitemaps.org takes such a line as proof of authority over the host.
    lacks=f"""
        {OUTSIDE}
        SELECT DISTINCT e.url_key, f.reason FROM ({entries_with("outside_directory")}) e JOIN file f ON f.url = e.sitemap
        WHERE f.reason IS NOT NULL AND e.url_key IS NOT NULL
    """,
    sql=f"""
        {OUTSIDE}
        SELECT e.url_key, e.url_key || ' in ' || e.sitemap AS subject, e.sitemap, min(e.line) AS line,
               {listed_in("e.sitemap", "min(e.line)")} AS claim,
               'outside of ' || regexp_extract(e.sitemap, '^[^?#]*/') || '; ' || any_value(f.robots_url) || ' ('
               || any_value(coalesce(f.status::VARCHAR, f.state, '?')) || ') names neither this sitemap nor an index above it' AS reality,
               any_value(f.robots_url) AS related_url
        FROM ({entries_with("outside_directory")}) e JOIN file f ON f.url = e.sitemap
        WHERE f.reason IS NULL AND e.url_key IS NOT NULL
        GROUP BY e.url_key, e.sitemap
    """,
    fires=(
        Fires(
            "the blog's map lists the shop",
            {"entries": [LISTED], "sitemap_files": [FOUND], "robots_files": [NOBODY]},
            {
                "url": PAGE,
                "sitemap": BLOG,
                "line": 7,
                "claim": f"listed in {BLOG}, line 7",
                "reality": f"outside of {SITE}/blog/; {SITE}/robots.txt (404) names neither this sitemap nor an index above it",
                "related_url": f"{SITE}/robots.txt",
                "severity": "warning",
                "confidence": "likely",
            },
        ),
        Fires(
            "twice: one finding",
            {
                "entries": [LISTED, LISTED | {"position": 9, "line": 20}],
                "sitemap_files": [FOUND],
                "robots_files": [robots()],
            },
            {"line": 7},
        ),
    ),
    passes=(
        Passes(
            "a map at the root",
            {"entries": [entry(PAGE)], "sitemap_files": [file()], "robots_files": [NOBODY]},
        ),
        Passes(
            "robots.txt names it",
            {"entries": [LISTED], "sitemap_files": [file(BLOG)], "robots_files": [robots(SITE, BLOG)]},
        ),
        Passes(
            "robots.txt names the index above it",
            {
                "entries": [LISTED],
                "sitemap_files": [child_file(BLOG), file(INDEX, kind="index")],
                "robots_files": [robots(SITE, INDEX)],
            },
        ),
        Passes(
            "robots.txt cannot be had",
            {
                "entries": [LISTED],
                "sitemap_files": [FOUND],
                "robots_files": [robots(state="unreachable", status=None)],
            },
        ),
        Passes(
            "a feed in a folder",
            {"entries": [LISTED], "sitemap_files": [FOUND | {"kind": "rss"}], "robots_files": [NOBODY]},
        ),
    ),
)
