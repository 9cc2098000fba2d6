"""priority and changefreq, which search engines ignore."""

from sitemap_audit.rules.relations import SITEMAP_FILES, count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import DECLARED, MAP, file

HINTS = file(priority_count=3, changefreq_count=2)

RULE = Rule(
    id="entry-hints-ignored",
    severity=Severity.NOTICE,
    title="priority and changefreq are ignored",
    why="Google and Bing ignore priority and changefreq: they neither help nor harm.",
    fix="Spend no effort on them, and leave them out of {sitemap} if you can; an honest lastmod is what counts.",
    source=(
        Source("text-002", "lines 60-64, priority and changefreq"),
        Source("g-sitemap", "additional notes on XML sitemaps, priority and changefreq are ignored"),
        Source("bing-blog", "lastmod wanted, changefreq and priority ignored"),
    ),
    needs=frozenset(),
    # One line a file, never one a URL.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.claim,
               concat_ws(', ', CASE WHEN f.priority_count > 0 THEN 'priority in ' || {count_of("f.priority_count")} END,
                               CASE WHEN f.changefreq_count > 0 THEN 'changefreq in ' || {count_of("f.changefreq_count")} END)
               || ' of ' || {count_of("coalesce(f.entries, 0)")} || ' entries' AS reality
        FROM ({SITEMAP_FILES}) f
        WHERE (f.priority_count > 0 OR f.changefreq_count > 0) AND f.source IS DISTINCT FROM 'list'
    """,
    fires=(
        Fires(
            "in all entries",
            {"sitemap_files": [HINTS]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "claim": DECLARED,
                "reality": "priority in 3, changefreq in 2 of 3 entries",
                "severity": "notice",
            },
        ),
        Fires(
            "changefreq alone",
            {"sitemap_files": [HINTS | {"priority_count": 0}]},
            {"reality": "changefreq in 2 of 3 entries"},
        ),
    ),
    passes=(
        Passes("neither", {"sitemap_files": [file(priority_count=0, changefreq_count=0)]}),
        Passes("not known", {"sitemap_files": [file()]}),
    ),
)
