"""More URLs in one file than are read."""

from sitemap_audit.rules.relations import SITEMAP_FILES, count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier

SITE = "https://example.com"
MAP = f"{SITE}/sitemap.xml"
FULL = {
    "url": MAP,
    "source": "robots",
    "declared_in": [SITE],
    "state": "ok",
    "kind": "urlset",
    "status": 200,
    "entries": 50_001,
}

RULE = Rule(
    id="sitemap-too-many-urls",
    tier=Tier.TOP30,
    rank=21,
    severity=Severity.ERROR,
    title="Sitemap holds too many URLs",
    why="Only 50,000 URLs are allowed in one file; the rest may be ignored.",
    fix="Split {sitemap} into several files, and name them in a sitemap index.",
    source=(
        Source("text-000", "XML sitemaps, limits of one file"),
        Source("text-002", "lines 51-53, limits; line 92 of the checklist"),
        Source("sitemaps-org", "url files: limits, and the use of an index"),
        Source("g-sitemap", "best practices, size limits"),
    ),
    known_as=("Screaming Frog: XML Sitemap With Over 50k URLs",),
    needs=frozenset(),
    # Entries are url elements or lines: alternates, images and videos do not count. An index has a rule of its own.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.claim,
               {count_of("f.entries")} || ' entries' || CASE WHEN f.stopped_by_us THEN ' or more' ELSE '' END
               || '; the limit is ' || {count_of("s.sitemap_max_urls")} AS reality
        FROM ({SITEMAP_FILES}) f, settings s
        WHERE f.entries > s.sitemap_max_urls AND f.kind IS DISTINCT FROM 'index' AND f.source IS DISTINCT FROM 'list'
    """,
    fires=(
        Fires(
            "one too many",
            {"sitemap_files": [FULL]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "claim": f"declared in robots.txt of {SITE}",
                "reality": "50,001 entries; the limit is 50,000",
                "severity": "error",
            },
        ),
        Fires(
            "so many that we stopped reading",
            {"sitemap_files": [FULL | {"entries": 100_000, "stopped_by_us": True}]},
            {"reality": "100,000 entries or more; the limit is 50,000"},
        ),
    ),
    passes=(
        Passes("exactly the limit", {"sitemap_files": [FULL | {"entries": 50_000}]}),
        Passes(
            "many alternates and images",
            {"sitemap_files": [FULL | {"entries": 50_000, "alternates": 400_000, "images": 90_000}]},
        ),
        Passes("an index", {"sitemap_files": [FULL | {"kind": "index"}]}),
        Passes("the user's own list", {"sitemap_files": [FULL | {"kind": "text", "source": "list"}]}),
    ),
)
