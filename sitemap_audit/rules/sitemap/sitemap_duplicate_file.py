"""Two files list exactly the same pages."""

from sitemap_audit.rules.relations import count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier
from sitemap_audit.rules.sitemap_cases import MAP, OTHER, SITE, file

SAME = "00c0ffee00c0ffee-40"
TWINS = [file(loc_set_hash=SAME, usable=40), file(OTHER, loc_set_hash=SAME, usable=40)]

RULE = Rule(
    id="sitemap-duplicate-file",
    tier=Tier.LATER,
    severity=Severity.WARNING,
    title="Two sitemaps list exactly the same pages",
    why="A second file with the same pages adds nothing, and costs search engines the time to read it.",
    fix="Keep one of {sitemap} and {related_url}.",
    source=(Source("text-000", "XML sitemaps, list each URL once"),),
    needs=frozenset(),
    # loc_set_hash is equal for equal sets, whatever the order; behind its hyphen stands the number of pages. The http and
    # https addresses of one file, and a packed copy beside the plain one, are one file here.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, files[1] || ' and ' || files[2] AS subject, files[1] AS sitemap, files[2] AS related_url,
               'listed by ' || array_to_string(files[:3], ' and by ')
               || CASE WHEN len(files) > 3 THEN ' and by ' || {count_of("len(files) - 3")} || ' more' ELSE '' END AS claim,
               'the same ' || {count_of("pages")} || ' pages in each of them' AS reality
        FROM (
            SELECT loc_set_hash, split_part(loc_set_hash, '-', 2)::BIGINT AS pages, list_sort(list(url)) AS files
            FROM (
                SELECT loc_set_hash, min(url) AS url FROM sitemap_files
                WHERE kind IN ('urlset', 'text') AND state IN ('ok', 'partial') AND source IS DISTINCT FROM 'list' AND loc_set_hash IS NOT NULL
                GROUP BY loc_set_hash, regexp_replace(regexp_replace(url, '^https?://', ''), '\\.gz$', '')
            ) GROUP BY loc_set_hash HAVING count(*) > 1
        ), settings s
        WHERE pages >= s.sitemap_duplicate_min_entries
    """,
    fires=(
        Fires(
            "two names, one list",
            {"sitemap_files": TWINS},
            {
                "url": None,
                "subject": f"{OTHER} and {MAP}",
                "sitemap": OTHER,
                "related_url": MAP,
                "claim": f"listed by {OTHER} and by {MAP}",
                "reality": "the same 40 pages in each of them",
                "severity": "warning",
            },
        ),
    ),
    passes=(
        Passes(
            "they overlap", {"sitemap_files": [TWINS[0], TWINS[1] | {"loc_set_hash": "00c0ffee00c0ffff-39"}]}
        ),
        Passes("nine pages", {"sitemap_files": [t | {"loc_set_hash": "00c0ffee00c0ffee-9"} for t in TWINS]}),
        Passes(
            "http and https copies of one file",
            {"sitemap_files": [TWINS[0], file("http://example.com/sitemap.xml", loc_set_hash=SAME)]},
        ),
        Passes(
            "a packed copy beside it", {"sitemap_files": [TWINS[0], file(f"{MAP}.gz", loc_set_hash=SAME)]}
        ),
        Passes("a feed", {"sitemap_files": [TWINS[0], file(f"{SITE}/feed", kind="rss", loc_set_hash=SAME)]}),
    ),
)
