"""An index that leads back to itself."""

from sitemap_audit.rules.relations import listed_in
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import INDEX, MAP, SITE, child_file, file, named

INNER = f"{SITE}/inner.xml"
DEEP = f"{SITE}/deep.xml"
OUTER = file(INDEX, kind="index")
NESTED = child_file(INNER, kind="index")

RULE = Rule(
    id="sitemap-index-loop",
    severity=Severity.ERROR,
    title="Sitemap index leads back to itself",
    why="The index names itself, or an index below it names it again: whoever follows it goes in a circle.",
    fix="Remove the line of {sitemap} that names {related_url}.",
    source=(Source("sitemaps-org", "sitemap index, an index may list sitemaps, no other indexes"),),
    needs=frozenset(),
    # Addresses are compared by their keys, files by where they lie after redirects. A circle of two is found among
    # the lines themselves; a longer one by going up from parent to parent, no deeper than the audit goes down.
    sql=f"""
        WITH RECURSIVE indexes AS (
            SELECT url, url_key, coalesce(final_url, url) AS doc, parent FROM sitemap_files
            WHERE kind = 'index' OR (state = 'skipped' AND final_url IS NOT NULL)
        ),
        steps AS (
            SELECT p.doc AS above, c.doc AS below, min(i.sitemap) AS sitemap, arg_min_null(i.line, i.line) AS line, min(i.loc) AS loc
            FROM index_children i JOIN indexes c ON c.url_key = i.url_key JOIN indexes p ON p.url = i.sitemap
            GROUP BY ALL
        ),
        ancestors AS (
            SELECT DISTINCT c.doc, p.doc AS above, 1 AS level FROM indexes c JOIN indexes p ON p.url = c.parent
            UNION
            SELECT a.doc, p.doc, a.level + 1 FROM ancestors a JOIN indexes c ON c.doc = a.above JOIN indexes p ON p.url = c.parent,
                 settings s
            WHERE a.level <= s.sitemap_index_max_depth
        ),
        loops AS (
            SELECT s.* FROM steps s WHERE s.above = s.below
            UNION
            SELECT s.* FROM steps s JOIN steps b ON b.above = s.below AND b.below = s.above WHERE s.above > s.below
            UNION
            -- The line that closes the circle, unless two lines alone do.
            SELECT s.* FROM steps s JOIN ancestors a ON a.doc = s.above AND a.above = s.below AND a.level > 1
            WHERE s.above <> s.below
        )
        SELECT NULL::VARCHAR AS url_key, above || ' to ' || below AS subject, any_value(sitemap) AS sitemap, min(line) AS line,
               {listed_in("any_value(sitemap)", "min(line)")} AS claim,
               CASE WHEN above = below THEN 'the index itself' ELSE below || ' is an index above this one' END AS reality,
               any_value(loc) AS related_url
        FROM loops GROUP BY above, below
    """,
    fires=(
        Fires(
            "it names itself",
            {"sitemap_files": [OUTER], "index_children": [named(INDEX, 5), named(MAP, 8)]},
            {
                "url": None,
                "subject": f"{INDEX} to {INDEX}",
                "sitemap": INDEX,
                "line": 5,
                "claim": f"listed in {INDEX}, line 5",
                "reality": "the index itself",
                "related_url": INDEX,
                "severity": "error",
            },
        ),
        Fires(
            "two name each other",
            {"sitemap_files": [OUTER, NESTED], "index_children": [named(INNER), named(INDEX, 4, INNER)]},
            {
                "line": 4,
                "claim": f"listed in {INNER}, line 4",
                "reality": f"{INDEX} is an index above this one",
            },
        ),
        Fires(
            "three in a circle",
            {
                "sitemap_files": [OUTER, NESTED, child_file(DEEP, INNER, kind="index")],
                "index_children": [named(INNER), named(DEEP, 4, INNER), named(INDEX, 6, DEEP)],
            },
            {"line": 6, "claim": f"listed in {DEEP}, line 6"},
        ),
        Fires(
            "by an address that redirects to it",
            {
                "sitemap_files": [
                    OUTER,
                    child_file(f"{SITE}/old.xml", kind="unknown", state="skipped", final_url=INDEX),
                ],
                "index_children": [named(f"{SITE}/old.xml", 9)],
            },
            {"line": 9, "reality": "the index itself", "related_url": f"{SITE}/old.xml"},
        ),
        Fires(
            "spelt in another way",
            {
                "sitemap_files": [OUTER],
                "index_children": [named(INDEX, 5, loc="https://example.com/%69ndex.xml")],
            },
            {"related_url": "https://example.com/%69ndex.xml"},
        ),
    ),
    passes=(
        Passes(
            "an index of sitemaps",
            {"sitemap_files": [OUTER, child_file(MAP)], "index_children": [named(MAP)]},
        ),
        Passes(
            "two indexes name the same sitemap",
            {
                "sitemap_files": [OUTER, file(INNER, kind="index"), child_file(MAP)],
                "index_children": [named(MAP), named(MAP, 3, INNER)],
            },
        ),
        Passes(
            "nested, but no circle",
            {"sitemap_files": [OUTER, NESTED], "index_children": [named(INNER), named(MAP, 3, INNER)]},
        ),
    ),
)
