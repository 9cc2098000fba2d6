"""A file that is no sitemap, though it is declared as one."""

from sitemap_audit.rules.relations import SITEMAP_FILES, printable, problems_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import DECLARED, FEED, MAP, file, problem, undeclared

OTHER = file(
    kind="other_xml",
    root="response",
    state="failed",
    entries=0,
    usable=0,
    problems=[problem("root-unknown", 1, "response")],
)

RULE = Rule(
    id="sitemap-root-unknown",
    severity=Severity.ERROR,
    title="File is in no sitemap format",
    why="This is none of the formats that search engines read as a sitemap, so nothing of it is submitted.",
    fix="Serve a urlset or a sitemapindex at {sitemap}; RSS 2.0, Atom 1.0, and text with one URL a line are read too.",
    source=(
        Source("text-002", "lines 43-50, formats of sitemaps"),
        Source("g-sitemap", "sitemap formats"),
    ),
    needs=frozenset(),
    # RSS 1.0 (RDF) is read as a feed: feed-format-unsupported speaks of it. XML that is not well-formed and
    # web pages are other findings, an empty file is sitemap-empty. Names in XML are case-sensitive: <URLSET> is no urlset.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.met.line AS line, f.claim,
               CASE WHEN f.met.kind IN ('json', 'json-feed') THEN 'JSON: ' || {printable("left(coalesce(f.met.text, ''), 80)")}
                    WHEN f.met.kind = 'binary' THEN 'binary data'
                    WHEN f.met.kind = 'not-a-sitemap' THEN 'text without a single URL: ' || {printable("left(coalesce(f.met.text, ''), 80)")}
                    ELSE 'the root element is <' || f.root || '>' END AS reality
        FROM (
            SELECT f.*, {problems_of("f", "root-unknown", "json", "json-feed", "binary", "not-a-sitemap", "wrong-case")}[1] AS met
            FROM ({SITEMAP_FILES}) f
        ) f
        WHERE f.declared AND f.status = 200 AND f.xml_error IS NULL AND coalesce(f.source NOT IN ('list', 'feed_link'), true)
          AND CASE WHEN f.kind = 'other_xml' THEN f.root IS NOT NULL
                   WHEN f.kind = 'unknown' THEN f.met.kind IN ('json', 'json-feed', 'binary', 'not-a-sitemap')
                   ELSE f.kind IN ('urlset', 'index') AND lower(f.root) IN ('urlset', 'sitemapindex') AND f.root <> lower(f.root) END
    """,
    fires=(
        Fires(
            "the answer of some interface",
            {"sitemap_files": [OTHER]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "line": 1,
                "claim": DECLARED,
                "reality": "the root element is <response>",
                "severity": "error",
            },
        ),
        Fires(
            "JSON",
            {
                "sitemap_files": [
                    OTHER
                    | {"kind": "unknown", "root": None, "problems": [problem("json", 1, '{"urls": []}')]}
                ]
            },
            {"reality": 'JSON: {"urls": []}'},
        ),
        Fires(
            "a picture",
            {
                "sitemap_files": [
                    OTHER | {"kind": "unknown", "root": None, "problems": [problem("binary", 1, "PNG")]}
                ]
            },
            {"reality": "binary data"},
        ),
        Fires(
            "a urlset in capitals",
            {"sitemap_files": [file(root="URLSET", problems=[problem("wrong-case", 2, "URLSET")])]},
            {"line": 2, "reality": "the root element is <URLSET>"},
        ),
    ),
    passes=(
        Passes("a urlset", {"sitemap_files": [file(root="urlset")]}),
        Passes("RSS 1.0 is a feed of an old kind", {"sitemap_files": [file(FEED, kind="rss", root="RDF")]}),
        Passes(
            "not well-formed",
            {
                "sitemap_files": [
                    OTHER
                    | {
                        "xml_error": {
                            "line": 3,
                            "column": 1,
                            "message": "mismatched tag",
                            "entries_before": 0,
                        }
                    }
                ]
            },
        ),
        Passes("some XML at a guessed place", {"sitemap_files": [OTHER | undeclared(MAP, kind="other_xml")]}),
        Passes("the page of a 404", {"sitemap_files": [OTHER | {"status": 404}]}),
    ),
)
