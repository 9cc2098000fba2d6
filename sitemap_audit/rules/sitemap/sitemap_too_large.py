"""A file is larger than is read."""

from sitemap_audit.rules.relations import SITEMAP_FILES, count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier

SITE = "https://example.com"
MAP = f"{SITE}/sitemap.xml.gz"
LARGE = {
    "url": MAP,
    "source": "robots",
    "declared_in": [SITE],
    "state": "ok",
    "kind": "urlset",
    "status": 200,
    "gzip": True,
    "bytes_wire": 4_000_000,
    "bytes_xml": 62_914_560,
}

RULE = Rule(
    id="sitemap-too-large",
    tier=Tier.TOP30,
    rank=22,
    severity=Severity.ERROR,
    title="Sitemap is too large",
    why="A file may hold 50 MB (52,428,800 bytes) uncompressed; a larger one may be refused or cut.",
    fix="Split {sitemap} into several files, and name them in a sitemap index.",
    source=(
        Source("text-002", "lines 51-55, limits, counted after unpacking; line 92 of the checklist"),
        Source("text-000", "XML sitemaps, limits of one file (its 10 MB are out of date)"),
        Source("sitemaps-org", "url files: limits"),
        Source("g-sitemap", "best practices, size limits"),
    ),
    known_as=(
        "Screaming Frog: XML Sitemap Over 50MB",
        "Semrush: Sitemap.xml files are too large",
        "Yandex: Maximum file size exceeded",
    ),
    needs=frozenset(),
    # An index beyond the limits is sitemap-index-too-many.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.claim,
               {count_of("f.bytes_xml")} || ' bytes' || CASE WHEN f.stopped_by_us THEN ' or more' ELSE '' END
               || CASE WHEN f.gzip OR f.content_encoding IS NOT NULL
                       THEN ' unpacked, ' || {count_of("coalesce(f.bytes_wire, 0)")} || ' as sent' ELSE '' END
               || '; the limit is ' || {count_of("s.sitemap_max_bytes")} AS reality
        FROM ({SITEMAP_FILES}) f, settings s
        WHERE f.bytes_xml > s.sitemap_max_bytes AND f.source IS DISTINCT FROM 'list' AND f.kind IS DISTINCT FROM 'index'
    """,
    fires=(
        Fires(
            "60 MB in a gz of 4 MB",
            {"sitemap_files": [LARGE]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "claim": f"declared in robots.txt of {SITE}",
                "reality": "62,914,560 bytes unpacked, 4,000,000 as sent; the limit is 52,428,800",
                "severity": "error",
            },
        ),
        Fires(
            "so large that we stopped reading",
            {"sitemap_files": [LARGE | {"gzip": False, "bytes_xml": 104_857_600, "stopped_by_us": True}]},
            {"reality": "104,857,600 bytes or more; the limit is 52,428,800"},
        ),
    ),
    passes=(
        Passes("49 MB", {"sitemap_files": [LARGE | {"bytes_xml": 51_380_224}]}),
        Passes("an index has a finding of its own", {"sitemap_files": [LARGE | {"kind": "index"}]}),
        Passes("exactly the limit", {"sitemap_files": [LARGE | {"bytes_xml": 52_428_800}]}),
        Passes("more than the 10 MB of older texts", {"sitemap_files": [LARGE | {"bytes_xml": 10_485_761}]}),
    ),
)
