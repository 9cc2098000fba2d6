"""The root element is not in the namespace of the sitemap protocol."""

from sitemap_audit.rules.relations import SITEMAP_FILES, problems_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import DECLARED, INDEX, MAP, file, problem, spaces

HTTPS = "https://www.sitemaps.org/schemas/sitemap/0.9"
RIGHT = "http://www.sitemaps.org/schemas/sitemap/0.9"
WRONG = file(root="urlset", namespaces=spaces({"": HTTPS}), problems=[problem("namespace-wrong", 2, HTTPS)])

RULE = Rule(
    id="sitemap-namespace-wrong",
    severity=Severity.WARNING,
    title="Sitemap is in a wrong namespace",
    why="The file does not name the sitemap standard by its exact name and may be refused.",
    fix=f'Write xmlns="{RIGHT}" in the first element of {{sitemap}}, letter by letter: it is a name, not a link.',
    source=(
        Source("sitemaps-org", "XML tag definitions, urlset names the protocol standard"),
        Source("g-index", "sitemap index reference, the namespace of sitemapindex"),
    ),
    known_as=("Search Console: incorrect namespace",),
    needs=frozenset(),
    # Misspelt and older names (https, a slash at the end, Google's 0.84) are read all the same: only a warning.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.met.line AS line, f.claim,
               'the root element <' || coalesce(f.root, '?') || '> is in '
               || CASE WHEN f.met.kind = 'namespace-missing' THEN 'no namespace'
                       ELSE 'the namespace ' || coalesce(f.met.text, '?') END AS reality
        FROM (SELECT f.*, {problems_of("f", "namespace-wrong", "namespace-missing")}[1] AS met FROM ({SITEMAP_FILES}) f) f
        WHERE f.met.kind IS NOT NULL AND f.kind IN ('urlset', 'index') AND f.status = 200
    """,
    fires=(
        Fires(
            "https in place of http",
            {"sitemap_files": [WRONG]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "line": 2,
                "claim": DECLARED,
                "reality": f"the root element <urlset> is in the namespace {HTTPS}",
                "severity": "warning",
            },
        ),
        Fires(
            "an index without any",
            {
                "sitemap_files": [
                    file(
                        INDEX,
                        kind="index",
                        root="sitemapindex",
                        problems=[problem("namespace-missing", 1, "sitemapindex")],
                    )
                ]
            },
            {"reality": "the root element <sitemapindex> is in no namespace"},
        ),
    ),
    passes=(
        Passes("the exact name", {"sitemap_files": [file(root="urlset", namespaces=spaces({"": RIGHT}))]}),
        Passes(
            "bound to a prefix", {"sitemap_files": [file(root="urlset", namespaces=spaces({"sm": RIGHT}))]}
        ),
        Passes("a feed has no namespace", {"sitemap_files": [WRONG | {"kind": "rss", "root": "rss"}]}),
    ),
)
