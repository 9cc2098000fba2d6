"""An index, or several, name one file more than once."""

from sitemap_audit.rules.relations import count_of, listed_in
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier
from sitemap_audit.rules.sitemap_cases import INDEX, MAP, OTHER, SITE, file, named

SECOND = f"{SITE}/second.xml"

RULE = Rule(
    id="sitemap-index-child-duplicate",
    tier=Tier.LATER,
    severity=Severity.NOTICE,
    title="Sitemap is named twice by an index",
    why="The same file is listed more than once: the repeats are superfluous.",
    fix="Name {sitemap} once, in one index.",
    source=(Source("sitemaps-org", "sitemap index, one entry a sitemap"),),
    needs=frozenset(),
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, coalesce(min(loc), url_key) AS subject, coalesce(min(loc), url_key) AS sitemap,
               {listed_in("arg_min(sitemap, (sitemap, line))", "arg_min(line, (sitemap, line))")} AS claim,
               'listed ' || {count_of("count(*)")} || ' times, again in ' || arg_max(sitemap, (sitemap, line))
               || coalesce(', line ' || arg_max(line, (sitemap, line)), '') AS reality,
               arg_min(sitemap, (sitemap, line)) AS related_url
        FROM index_children WHERE url_key IS NOT NULL GROUP BY url_key HAVING count(*) > 1
    """,
    fires=(
        Fires(
            "twice in one index",
            {
                "index_children": [named(MAP, 3), named(OTHER, 5), named(MAP, 8)],
                "sitemap_files": [file(INDEX, kind="index")],
            },
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "claim": f"listed in {INDEX}, line 3",
                "reality": f"listed 2 times, again in {INDEX}, line 8",
                "severity": "notice",
            },
        ),
        Fires(
            "in two indexes",
            {"index_children": [named(MAP, 3), named(MAP, 4, SECOND)]},
            {"reality": f"listed 2 times, again in {SECOND}, line 4"},
        ),
    ),
    passes=(
        Passes("distinct", {"index_children": [named(MAP, 3), named(OTHER, 5)]}),
        Passes(
            "another query is another file",
            {"index_children": [named(f"{MAP}?p=1", 3), named(f"{MAP}?p=2", 5)]},
        ),
    ),
)
