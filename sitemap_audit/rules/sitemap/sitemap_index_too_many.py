"""An index beyond the limits of one file."""

from sitemap_audit.rules.relations import SITEMAP_FILES, count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import DECLARED, INDEX, file

FULL = file(INDEX, kind="index", entries=50_001, usable=50_001, bytes_xml=5_000_000)

RULE = Rule(
    id="sitemap-index-too-many",
    severity=Severity.ERROR,
    title="Sitemap index is too large",
    why="An index may name 50,000 sitemaps and hold 50 MB; what is beyond may be ignored.",
    fix="Split {sitemap} into several indexes, and name each of them in robots.txt.",
    source=(
        Source("text-002", "lines 51-55, limits of an index"),
        Source("g-index", "limits of a sitemap index"),
        Source("sitemaps-org", "index files: limits"),
    ),
    needs=frozenset(),
    # Search Console takes 500 index files of one site: how many were submitted cannot be seen from outside.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.claim,
               concat_ws('; ',
                   CASE WHEN f.entries > s.sitemap_max_urls
                        THEN {count_of("f.entries")} || ' sitemaps' || CASE WHEN f.stopped_by_us THEN ' or more' ELSE '' END
                             || ', the limit is ' || {count_of("s.sitemap_max_urls")} END,
                   CASE WHEN f.bytes_xml > s.sitemap_max_bytes
                        THEN {count_of("f.bytes_xml")} || ' bytes' || CASE WHEN f.stopped_by_us THEN ' or more' ELSE '' END
                             || ', the limit is ' || {count_of("s.sitemap_max_bytes")} END) AS reality
        FROM ({SITEMAP_FILES}) f, settings s
        WHERE f.kind = 'index' AND (f.entries > s.sitemap_max_urls OR f.bytes_xml > s.sitemap_max_bytes)
    """,
    fires=(
        Fires(
            "one more than the limit",
            {"sitemap_files": [FULL]},
            {
                "url": None,
                "subject": INDEX,
                "sitemap": INDEX,
                "claim": DECLARED,
                "reality": "50,001 sitemaps, the limit is 50,000",
                "severity": "error",
            },
        ),
        Fires(
            "too many bytes",
            {"sitemap_files": [FULL | {"entries": 900, "bytes_xml": 60_000_000}]},
            {"reality": "60,000,000 bytes, the limit is 52,428,800"},
        ),
    ),
    passes=(
        Passes("800 sitemaps", {"sitemap_files": [FULL | {"entries": 800}]}),
        Passes("exactly the limit", {"sitemap_files": [FULL | {"entries": 50_000}]}),
        Passes(
            "one index of many: how many a site submits cannot be seen",
            {"sitemap_files": [file(f"{INDEX}?{n}", kind="index", entries=800) for n in range(501)]},
        ),
        Passes("a urlset is sitemap-too-many-urls", {"sitemap_files": [FULL | {"kind": "urlset"}]}),
    ),
)
