"""Several files list the same pages."""

from sitemap_audit.rules.relations import count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, MAP, OTHER, SITE, entry, file, undeclared

PAGE = f"{SITE}/a"
BOTH = [entry(PAGE, 3), entry(PAGE, 8, OTHER), entry(f"{SITE}/b", 6)]
NEWS = file(f"{SITE}/news.xml", news=1, entries=1, usable=1)

RULE = Rule(
    id="entry-duplicate-across-files",
    severity=Severity.NOTICE,
    title="Several sitemaps list the same pages",
    why="Several files claim the same page: their dates may contradict each other, and numbers by file count it twice.",
    fix="Let each page live in one file only; {sitemap} and {related_url} overlap.",
    source=(Source("text-000", "XML sitemaps, list each URL once"),),
    known_as=(
        "Screaming Frog: URLs In Multiple Sitemaps",
        "Sitebulb: URL in multiple XML Sitemaps",
    ),
    needs=frozenset(),
    # A feed, a news, image or video sitemap beside the sitemap of the pages is normal: only files of one sort are held
    # against each other, and one with a picture to each entry is no image sitemap beside others that hold some, too.
    # Two files with exactly the same pages are sitemap-duplicate-file. One finding a set of files.
    sql=f"""
        WITH files AS (
            SELECT url, loc_set_hash, coalesce(images >= usable AND images > 0, false) AS pictured, coalesce(images, 0) = 0 AS bare,
                   CASE WHEN news > 0 THEN 'news' WHEN videos >= usable AND videos > 0 THEN 'video' ELSE 'page' END AS sort
            FROM sitemap_files
            WHERE kind IN ('urlset', 'text') AND source IS DISTINCT FROM 'list' AND state IN ('ok', 'partial')
        ),
        shared AS (
            SELECT url_key, sort, list_sort(list(DISTINCT sitemap)) AS sitemaps
            FROM (
                SELECT e.url_key, e.sitemap, f.*, bool_or(f.bare) OVER (PARTITION BY e.url_key, f.sort) AS beside
                FROM entries e
                SEMI JOIN (SELECT url_key FROM listing WHERE sitemap_count > 1) l ON l.url_key = e.url_key
                JOIN files f ON f.url = e.sitemap
                WHERE NOT coalesce(list_contains(e.loc_issues, 'fragment'), false)
            )
            WHERE NOT (pictured AND beside)
            GROUP BY url_key, sort
            HAVING count(DISTINCT sitemap) > 1 AND count(DISTINCT coalesce(loc_set_hash, sitemap)) > 1
        )
        SELECT NULL::VARCHAR AS url_key, md5(array_to_string(sitemaps, ' ')) || ' ' || sort AS subject, sitemaps[1] AS sitemap, sitemaps[2] AS related_url,
               'listed in ' || array_to_string(sitemaps[:3], ' and in ') || CASE WHEN len(sitemaps) > 3 THEN ' and in '
                   || {count_of("len(sitemaps) - 3")} || ' more' ELSE '' END AS claim,
               'URLs that stand in all of them: ' || {count_of("count(*)")} || ', such as ' || min(url_key) AS reality
        FROM shared GROUP BY sitemaps, sort
    """,
    fires=(
        Fires(
            "in pages.xml and in sitemap.xml",
            {"entries": BOTH, "sitemap_files": [file(), file(OTHER)]},
            {
                "url": None,
                "sitemap": OTHER,
                "related_url": MAP,
                "claim": f"listed in {OTHER} and in {MAP}",
                "reality": f"URLs that stand in all of them: 1, such as {PAGE}",
                "severity": "notice",
            },
        ),
        Fires(
            "many pages: one finding for the two files",
            {
                "entries": [
                    entry(f"{SITE}/{n}", n, sitemap) for n in range(1, 30) for sitemap in (MAP, OTHER)
                ]
                + [entry(PAGE, 99)],
                "sitemap_files": [file(loc_set_hash="1-30"), file(OTHER, loc_set_hash="2-29")],
            },
            {"reality": f"URLs that stand in all of them: 29, such as {SITE}/1"},
        ),
        Fires(
            "both hold pictures: neither is an image sitemap",
            {"entries": BOTH, "sitemap_files": [file(images=9), file(OTHER, images=1)]},
            {"sitemap": OTHER},
        ),
    ),
    passes=(
        Passes(
            "each in one file",
            {"entries": [entry(PAGE), entry(f"{SITE}/b", 3, OTHER)], "sitemap_files": [file(), file(OTHER)]},
        ),
        Passes(
            "in a sitemap and a feed",
            {
                "entries": [entry(PAGE), entry(PAGE, 3, FEED)],
                "sitemap_files": [file(), undeclared(FEED, kind="rss")],
            },
        ),
        Passes(
            "in a sitemap and a news sitemap",
            {"entries": [entry(PAGE), entry(PAGE, 3, NEWS["url"])], "sitemap_files": [file(), NEWS]},
        ),
        Passes(
            "in a sitemap and an image sitemap",
            {
                "entries": [entry(PAGE), entry(PAGE, 3, OTHER)],
                "sitemap_files": [file(), file(OTHER, images=9)],
            },
        ),
        Passes("twice in one file", {"entries": [entry(PAGE), entry(PAGE, 9)], "sitemap_files": [file()]}),
        Passes(
            "two equal files have a finding of their own",
            {
                "entries": BOTH[:2],
                "sitemap_files": [file(loc_set_hash="1-1"), file(OTHER, loc_set_hash="1-1")],
            },
        ),
    ),
)
