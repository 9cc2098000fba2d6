"""A file lists one page more than once."""

from sitemap_audit.rules.relations import count_of, listed_in
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, MAP, OTHER, SITE, entry, file, odd, undeclared

PAGE = f"{SITE}/a"

RULE = Rule(
    id="entry-duplicate-in-file",
    severity=Severity.WARNING,
    title="Sitemap lists a URL more than once",
    why="The same page is listed twice in one file: one of the entries is superfluous, and their dates may contradict each "
    "other.",
    fix="Remove the repeats from {sitemap}.",
    source=(
        Source("text-000", "XML sitemaps, list each URL once"),
        Source("sitemaps-org", "definition of loc, one entry a URL"),
    ),
    needs=frozenset(),
    # Same means the same url key: only what RFC 3986 calls equivalent is one (case of scheme and host, default port, %7E,
    # dot segments); addresses that differ only behind # are entry-loc-fragment. The reader has counted repeats, so that files without any are not looked at again.
    sql=f"""
        WITH files AS (
            SELECT url FROM sitemap_files
            WHERE kind IN ('urlset', 'text') AND source IS DISTINCT FROM 'list' AND coalesce(duplicates, 1) > 0
        ),
        keyed AS (
            SELECT e.url_key, e.sitemap, e.line, e.loc, hash(e.url_key, e.sitemap) AS h
            FROM entries e SEMI JOIN files f ON f.url = e.sitemap WHERE e.url_key IS NOT NULL
              AND NOT coalesce(list_contains(e.loc_issues, 'fragment'), false)
        )
        SELECT url_key, url_key || ' in ' || sitemap AS subject, any_value(loc) AS url, sitemap, lines[1] AS line,
               {listed_in("sitemap", "lines[1]")} AS claim,
               'listed ' || {count_of("n")} || ' times' || coalesce(', also in line ' || array_to_string(lines[2:4], ', '), '')
               || CASE WHEN n > 4 THEN ' …' ELSE '' END AS reality
        FROM (
            SELECT url_key, sitemap, count(*) AS n, list_sort(list(line))[:4] AS lines, min(loc) AS loc
            FROM keyed SEMI JOIN (SELECT h FROM keyed GROUP BY h HAVING count(*) > 1) r USING (h)
            GROUP BY url_key, sitemap HAVING count(*) > 1
        ) GROUP BY ALL
    """,
    fires=(
        Fires(
            "two identical addresses",
            {
                "entries": [entry(PAGE, 3), entry(f"{SITE}/b", 6), entry(PAGE, 9)],
                "sitemap_files": [file(duplicates=1)],
            },
            {
                "url": PAGE,
                "sitemap": MAP,
                "line": 3,
                "claim": f"listed in {MAP}, line 3",
                "reality": "listed 2 times, also in line 9",
                "severity": "warning",
            },
        ),
        Fires(
            "an equivalent spelling",
            {
                "entries": [entry(PAGE, 3), entry(PAGE, 9, loc_raw="https://EXAMPLE.com:443/a")],
                "sitemap_files": [file()],
            },
            {"reality": "listed 2 times, also in line 9"},
        ),
        Fires(
            "twelve times: one finding",
            {"entries": [entry(PAGE, n) for n in range(3, 15)], "sitemap_files": [file(duplicates=11)]},
            {"reality": "listed 12 times, also in line 4, 5, 6 …"},
        ),
    ),
    passes=(
        Passes(
            "distinct",
            {"entries": [entry(PAGE, 3), entry(f"{SITE}/b", 6)], "sitemap_files": [file(duplicates=0)]},
        ),
        Passes(
            "with and without a slash at the end are two URLs",
            {"entries": [entry(PAGE, 3), entry(f"{PAGE}/", 6)], "sitemap_files": [file()]},
        ),
        Passes(
            "they differ behind #",
            {
                "entries": [entry(PAGE, 3), odd(f"{PAGE}#b", "fragment", url_key=PAGE, loc=PAGE, line=6)],
                "sitemap_files": [file()],
            },
        ),
        Passes(
            "in two files",
            {"entries": [entry(PAGE, 3), entry(PAGE, 3, OTHER)], "sitemap_files": [file(), file(OTHER)]},
        ),
        Passes(
            "two items of a feed about one page",
            {
                "entries": [entry(PAGE, 3, FEED), entry(PAGE, 9, FEED)],
                "sitemap_files": [undeclared(FEED, kind="rss")],
            },
        ),
    ),
)
