"""A sitemap under the label of another sort of file."""

from sitemap_audit.rules.relations import SITEMAP_FILES
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier
from sitemap_audit.rules.sitemap_cases import DECLARED, MAP, file

LABELLED = file(content_type="text/html; charset=utf-8")

RULE = Rule(
    id="sitemap-content-type",
    tier=Tier.LATER,
    severity=Severity.NOTICE,
    title="Sitemap is served under a wrong type",
    why="The type that the server names does not fit the file; search engines look at the content, other programs may not.",
    fix="Serve {sitemap} as application/xml or text/xml, a text sitemap as text/plain, a packed one as application/gzip.",
    source=(Source("text-002", "line 84, look at the real HTTP answers, with their types"),),
    needs=frozenset(),
    # Only types of quite another sort; no type, or one for any bytes at all, contradicts nothing.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.claim,
               'content type ' || f.content_type || ', but it is ' || CASE f.kind WHEN 'urlset' THEN 'an XML sitemap'
                   WHEN 'index' THEN 'a sitemap index' WHEN 'text' THEN 'a text sitemap' ELSE 'a feed' END AS reality
        FROM ({SITEMAP_FILES}) f
        WHERE f.kind IN ('urlset', 'index', 'text', 'rss', 'atom') AND f.status = 200 AND f.source IS DISTINCT FROM 'list'
          AND regexp_matches(f.content_type, '^\\s*(text/html|text/css|application/xhtml\\+xml|application/pdf|application/(x-)?javascript'
              || '|text/javascript|application/json|(image|audio|video|font)/)', 'i')
    """,
    fires=(
        Fires(
            "XML as a web page",
            {"sitemap_files": [LABELLED]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "claim": DECLARED,
                "reality": "content type text/html; charset=utf-8, but it is an XML sitemap",
                "severity": "notice",
            },
        ),
        Fires(
            "an index as a picture",
            {"sitemap_files": [LABELLED | {"kind": "index", "content_type": "image/png"}]},
            {"sitemap": MAP},
        ),
    ),
    passes=(
        Passes("application/xml", {"sitemap_files": [file()]}),
        Passes("text/plain", {"sitemap_files": [file(content_type="text/plain")]}),
        Passes(
            "application/octet-stream says nothing",
            {"sitemap_files": [file(content_type="application/octet-stream")]},
        ),
        Passes("no type at all", {"sitemap_files": [file(content_type=None)]}),
        Passes("a web page is sitemap-is-html", {"sitemap_files": [LABELLED | {"kind": "html"}]}),
    ),
)
