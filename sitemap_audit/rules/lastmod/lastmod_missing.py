"""A sitemap most of whose entries have no date."""

from sitemap_audit.rules.relations import SITEMAP_FILES, count_of, host_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import DECLARED, FEED, MAP, OTHER, file, undeclared

UNDATED = file(entries=10_000, usable=10_000, lastmod_present=0)
LISTS = file(OTHER, entries=6, usable=6, lastmod_present=0)

RULE = Rule(
    id="lastmod-missing",
    severity=Severity.NOTICE,
    title="Most entries have no lastmod",
    why="Without a date search engines cannot see what changed: they have to ask for each page to find out.",
    fix="Give the entries of {sitemap} the time of the last change of each page, and leave lastmod out only where you do not "
    "know it.",
    source=(
        Source("text-000", "XML sitemaps, last modification time of each URL"),
        Source("g-ping", "lastmod, useful where it is consistently right"),
    ),
    needs=frozenset(),
    # It is fine to date only some pages: a small file of home and lists on a host whose other entries are dated. An
    # article of a news sitemap has its publication date; a text file can hold no date; an image or video sitemap beside
    # one of pages leaves the dates to that.
    sql=f"""
        WITH maps AS (
            SELECT f.*, {host_of("f.url")} AS host, greatest(coalesce(f.images, 0), coalesce(f.videos, 0)) AS media FROM ({SITEMAP_FILES}) f
            WHERE f.kind = 'urlset' AND f.source IS DISTINCT FROM 'list' AND f.state IN ('ok', 'partial')
              AND f.entries > 0 AND coalesce(f.news, 0) < f.entries
        ),
        hosts AS (
            SELECT host, sum(entries) AS entries, sum(coalesce(lastmod_present, 0)) AS dated, bool_or(media = 0) AS bare
            FROM maps GROUP BY host
        )
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.claim,
               {count_of("f.entries - coalesce(f.lastmod_present, 0)")} || ' of ' || {count_of("f.entries")}
               || ' entries have no lastmod' AS reality
        FROM maps f JOIN hosts h ON h.host = f.host, settings s
        WHERE f.entries - coalesce(f.lastmod_present, 0) > s.lastmod_missing_share * f.entries
          AND NOT (f.media >= f.entries AND h.bare)
          AND NOT (f.entries < s.lastmod_one_stamp_min_entries AND h.entries - h.dated <= s.lastmod_missing_share * h.entries)
    """,
    fires=(
        Fires(
            "none of 10,000",
            {"sitemap_files": [UNDATED]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "claim": DECLARED,
                "reality": "10,000 of 10,000 entries have no lastmod",
                "severity": "notice",
            },
        ),
        Fires(
            "just over half",
            {"sitemap_files": [UNDATED | {"entries": 101, "lastmod_present": 50}]},
            {"reality": "51 of 101 entries have no lastmod"},
        ),
        Fires(
            "a large file, though the others are dated",
            {"sitemap_files": [file(entries=90, lastmod_present=90), LISTS | {"entries": 40}]},
            {"sitemap": OTHER, "reality": "40 of 40 entries have no lastmod"},
        ),
        Fires(
            "a picture to each page, and no other file",
            {"sitemap_files": [UNDATED | {"images": 12_000}]},
            {"reality": "10,000 of 10,000 entries have no lastmod"},
        ),
    ),
    passes=(
        Passes("60 % have it", {"sitemap_files": [UNDATED | {"entries": 100, "lastmod_present": 60}]}),
        Passes("half have it", {"sitemap_files": [UNDATED | {"entries": 100, "lastmod_present": 50}]}),
        Passes(
            "given only for some pages: home and lists in a file of their own have none",
            {"sitemap_files": [file(entries=90, lastmod_present=90), LISTS]},
        ),
        Passes("a feed", {"sitemap_files": [undeclared(FEED, kind="rss", entries=9, lastmod_present=0)]}),
        Passes("a text file cannot hold dates", {"sitemap_files": [UNDATED | {"kind": "text"}]}),
        Passes("a news sitemap", {"sitemap_files": [UNDATED | {"entries": 40, "news": 40}]}),
        Passes(
            "an image sitemap beside that of the pages",
            {"sitemap_files": [file(entries=90, lastmod_present=90), LISTS | {"entries": 90, "images": 300}]},
        ),
        Passes("no entries", {"sitemap_files": [UNDATED | {"entries": 0}]}),
        Passes("the same document under a second name", {"sitemap_files": [UNDATED | {"state": "skipped"}]}),
        Passes("a list of the user's own", {"sitemap_files": [UNDATED | {"source": "list"}]}),
    ),
)
