"""Many files with few entries each."""

from sitemap_audit.rules.relations import count_of, origin_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import SITE, child_file


def files(number: int, entries: int) -> list[dict[str, object]]:
    """That many children of an index with so many entries each."""
    return [
        child_file(f"{SITE}/map-{n:03}.xml", entries=entries, usable=entries, news=0) for n in range(number)
    ]


RULE = Rule(
    id="sitemap-underfilled",
    severity=Severity.NOTICE,
    title="Many sitemap files with few URLs each",
    why="Search engines fetch one file at a time: many tiny files take long to download, and news about a page arrives late.",
    fix="Put many URLs into each file: up to 50,000, as long as it stays below 50 MB.",
    source=(Source("text-000", "XML sitemaps, size of the files"),),
    needs=frozenset(),
    # Splitting by section, to see reports by section, is legitimate: a notice. News sitemaps and feeds are
    # small by nature.
    sql=f"""
        WITH leaves AS (
            SELECT {origin_of("url")} AS origin, count(*) AS files, sum(entries)::BIGINT AS total, median(entries) AS middle,
                   avg(entries) AS mean, arg_min(url, (entries, url)) AS smallest
            FROM sitemap_files
            WHERE kind IN ('urlset', 'text') AND state IN ('ok', 'partial') AND source IS DISTINCT FROM 'list'
              AND coalesce(news, 0) = 0 AND entries IS NOT NULL
            GROUP BY 1
        )
        SELECT NULL::VARCHAR AS url_key, l.origin AS subject, l.smallest AS sitemap,
               {count_of("l.files")} || ' sitemap files of ' || l.origin || ' list ' || {count_of("l.total")} || ' URLs' AS claim,
               'half of them hold ' || {count_of("floor(l.middle)::BIGINT")} || ' or fewer, '
               || ceil(l.total / s.sitemap_max_urls)::BIGINT || ' would hold them all; the smallest is ' || l.smallest AS reality
        FROM leaves l, settings s
        WHERE l.files >= s.underfilled_min_files AND l.total > s.underfilled_min_entries
          AND (l.middle < s.underfilled_median
               OR (l.files > 4 * ceil(l.total / s.sitemap_max_urls) AND l.mean < s.sitemap_max_urls / 100))
    """,
    fires=(
        Fires(
            "120 files with ten URLs each",
            {"sitemap_files": files(120, 10)},
            {
                "url": None,
                "subject": SITE,
                "sitemap": f"{SITE}/map-000.xml",
                "claim": f"120 sitemap files of {SITE} list 1,200 URLs",
                "reality": f"half of them hold 10 or fewer, 1 would hold them all; the smallest is {SITE}/map-000.xml",
                "severity": "notice",
            },
        ),
        Fires(
            "not tiny, but four times as many as would do",
            {"sitemap_files": files(12, 300)},
            {
                "reality": f"half of them hold 300 or fewer, 1 would hold them all; the smallest is {SITE}/map-000.xml"
            },
        ),
    ),
    passes=(
        Passes("12 files by section with 3,000 each", {"sitemap_files": files(12, 3_000)}),
        Passes("nine files", {"sitemap_files": files(9, 120)}),
        Passes("a small site", {"sitemap_files": files(20, 50)}),
        Passes("news sitemaps", {"sitemap_files": [f | {"news": 10} for f in files(120, 10)]}),
        Passes("feeds", {"sitemap_files": [f | {"kind": "rss"} for f in files(120, 10)]}),
    ),
)
