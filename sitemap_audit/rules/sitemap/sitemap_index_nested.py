"""An index lists another index."""

from sitemap_audit.rules.relations import count_of, listed_in
from sitemap_audit.rules.rule import Confidence, Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import INDEX, MAP, SITE, child_file, file, named

INNER = f"{SITE}/inner.xml"
OUTER = file(INDEX, kind="index")
NESTED = child_file(INNER, kind="index", entries=40)

RULE = Rule(
    id="sitemap-index-nested",
    severity=Severity.ERROR,
    # Search Console reports it; the protocol itself does not forbid it in words.
    confidence=Confidence.LIKELY,
    title="Sitemap index lists another index",
    why="An index may list only sitemaps: an index inside of it, and all that it names, may be dropped.",
    fix="List the files of {sitemap} in {related_url} itself, or declare both indexes in robots.txt.",
    source=(Source("gsc-sitemaps", "list of errors, nested sitemap index"),),
    known_as=("Search Console: nested sitemap index",),
    needs=frozenset(),
    # The audit follows nested indexes, so that nothing is lost. An index that names itself is sitemap-index-loop.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, url AS subject, url AS sitemap, {listed_in("parent", "line")} AS claim,
               'an index itself, of ' || {count_of("entries")} || ' files' AS reality, parent AS related_url
        FROM (
            SELECT f.url, arg_min(c.sitemap, (c.sitemap, c.line)) AS parent, arg_min_null(c.line, (c.sitemap, c.line)) AS line,
                   any_value(coalesce(f.entries, 0)) AS entries
            FROM index_children c
            JOIN (FROM sitemap_files WHERE kind = 'index' AND state IS DISTINCT FROM 'skipped') f ON f.url_key = c.url_key
            WHERE c.sitemap <> f.url AND c.sitemap <> coalesce(f.final_url, f.url)
            GROUP BY f.url
        )
    """,
    fires=(
        Fires(
            "an index in an index",
            {"sitemap_files": [OUTER, NESTED], "index_children": [named(INNER, 7)]},
            {
                "url": None,
                "subject": INNER,
                "sitemap": INNER,
                "claim": f"listed in {INDEX}, line 7",
                "reality": "an index itself, of 40 files",
                "related_url": INDEX,
                "severity": "error",
                "confidence": "likely",
            },
        ),
        Fires(
            "named twice: one finding",
            {"sitemap_files": [OUTER, NESTED], "index_children": [named(INNER, 7), named(INNER, 9)]},
            {"claim": f"listed in {INDEX}, line 7"},
        ),
    ),
    passes=(
        Passes(
            "an index of sitemaps",
            {"sitemap_files": [OUTER, child_file(MAP)], "index_children": [named(MAP)]},
        ),
        Passes("both are declared in robots.txt", {"sitemap_files": [OUTER, file(INNER, kind="index")]}),
        Passes("it names itself", {"sitemap_files": [OUTER], "index_children": [named(INDEX)]}),
        Passes(
            "a child that cannot be read",
            {
                "sitemap_files": [OUTER, NESTED | {"kind": "unknown", "state": "failed"}],
                "index_children": [named(INNER)],
            },
        ),
    ),
)
