"""The file is not well-formed XML."""

from sitemap_audit.rules.relations import SITEMAP_FILES, count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier

SITE = "https://example.com"
MAP = f"{SITE}/sitemap.xml"
BROKEN = {
    "url": MAP,
    "source": "robots",
    "declared_in": [SITE],
    "state": "partial",
    "kind": "urlset",
    "status": 200,
    "complete": True,
    "xml_error": {"line": 8, "column": 41, "message": "EntityRef: expecting ';'", "entries_before": 1},
}

RULE = Rule(
    id="sitemap-xml-malformed",
    tier=Tier.TOP30,
    rank=11,
    severity=Severity.ERROR,
    title="Sitemap is not well-formed XML",
    why="The file is not valid XML; entries after the error are lost to strict parsers.",
    fix="Correct line {line} of {sitemap}: escape & < > ' and \" in text, close every tag, put nothing before the XML declaration.",
    source=(
        Source("text-002", "line 84, the sitemap returns valid XML"),
        Source("sitemaps-org", "entity escaping"),
        Source("g-sitemap", "additional notes on XML sitemaps"),
    ),
    known_as=("Search Console: parsing error", "Yandex: Tag not found"),
    needs=frozenset(),
    # A body that broke off, or that we stopped reading, ends in an XML error of its own making; a web page
    # is another finding, and what a guessed place serves is only a sitemap if it begins like one. Of a feed feed-unreadable speaks.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.xml_error.line AS line, f.claim,
               'line ' || coalesce(f.xml_error.line::VARCHAR, '?')
               || coalesce(', column ' || f.xml_error."column", '')
               || ': ' || coalesce(f.xml_error.message, 'not well-formed') || '; entries read before it: '
               || {count_of("coalesce(f.xml_error.entries_before, 0)")} AS reality
        FROM ({SITEMAP_FILES}) f
        WHERE f.xml_error IS NOT NULL AND f.status = 200
          AND f.kind IS DISTINCT FROM 'html' AND f.kind IS DISTINCT FROM 'text'
          AND f.error_class IS NULL AND NOT coalesce(f.stopped_by_us, false)
          AND (f.declared OR coalesce(f.kind IN ('urlset', 'index'), false))
          AND coalesce(f.kind NOT IN ('rss', 'atom'), true) AND f.source IS DISTINCT FROM 'feed_link'
    """,
    fires=(
        Fires(
            "a bare ampersand",
            {"sitemap_files": [BROKEN]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "line": 8,
                "claim": f"declared in robots.txt of {SITE}",
                "reality": "line 8, column 41: EntityRef: expecting ';'; entries read before it: 1",
                "severity": "error",
            },
        ),
        Fires(
            "a blank line before the XML declaration",
            {
                "sitemap_files": [
                    BROKEN
                    | {
                        "kind": "unknown",
                        "state": "failed",
                        "xml_error": {
                            "line": 2,
                            "column": 6,
                            "message": "XML declaration not at start",
                            "entries_before": 0,
                        },
                    }
                ]
            },
            {
                "line": 2,
                "reality": "line 2, column 6: XML declaration not at start; entries read before it: 0",
            },
        ),
    ),
    passes=(
        Passes("&amp; is right", {"sitemap_files": [BROKEN | {"xml_error": None, "state": "ok"}]}),
        Passes("a web page is no broken sitemap", {"sitemap_files": [BROKEN | {"kind": "html"}]}),
        Passes(
            "the transfer broke off",
            {"sitemap_files": [BROKEN | {"error_class": "reset", "complete": False}]},
        ),
        Passes(
            "we stopped reading", {"sitemap_files": [BROKEN | {"stopped_by_us": True, "complete": False}]}
        ),
        Passes(
            "what a guessed place serves is no sitemap",
            {"sitemap_files": [BROKEN | {"source": "guess", "declared_in": None, "kind": "unknown"}]},
        ),
        Passes("a feed has a rule of its own", {"sitemap_files": [BROKEN | {"kind": "rss"}]}),
        Passes("the body of an error page", {"sitemap_files": [BROKEN | {"status": 500, "kind": "unknown"}]}),
    ),
)
