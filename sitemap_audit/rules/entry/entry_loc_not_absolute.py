"""A sitemap names a page by a path instead of an address."""

from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source

SITE = "https://example.com"
MAP = f"{SITE}/sitemap.xml"
PAGE = f"{SITE}/page.html"
FILE = {"url": MAP, "kind": "urlset", "source": "robots", "state": "ok", "status": 200}
RELATIVE = {
    "url_key": PAGE,
    "loc": PAGE,
    "loc_raw": "/page.html",
    "loc_issues": ["relative"],
    "sitemap": MAP,
    "position": 1,
    "line": 3,
}
CHILD = f"{SITE}/sitemap-1.xml"

RULE = Rule(
    id="entry-loc-not-absolute",
    severity=Severity.ERROR,
    title="Sitemap entry is not a full URL",
    why="A sitemap is read apart from your site: only full addresses that start with http:// or https:// work, all "
    "others are dropped.",
    fix="Write the full URL, with protocol and host, in {sitemap}, line {line}.",
    source=(
        Source("text-002", "line 57, full URLs in the sitemap; line 91 of the checklist"),
        Source("g-sitemap", "best practices, fully-qualified absolute URLs"),
        Source("sitemaps-org", "definition of loc: begins with the protocol"),
    ),
    needs=frozenset(),
    # `relative` is the reader's word for a loc without protocol or host, whether or not it could be resolved
    # (the audit goes on with what a browser would make of it). Of the links of a feed feed-link-bad speaks:
    # Atom lets them be relative (RFC 4287). A list of the user is no sitemap. A child of an index is named likewise.
    sql="""
        SELECT url_key, coalesce(loc_raw, '') || ' in ' || sitemap AS subject, loc AS url, sitemap, line,
               'listed in ' || sitemap || coalesce(', line ' || line, '') AS claim,
               'the loc is ' || left(coalesce(loc_raw, ''), 300)
               || CASE WHEN starts_with(loc_raw, '//') THEN ': no protocol' ELSE ': no protocol and host' END AS reality
        FROM (
            SELECT trim(e.loc_raw, ' ' || chr(9) || chr(10) || chr(12) || chr(13)) AS loc_raw, e.sitemap,
                   min(e.line) AS line, min(e.loc) AS loc, min(e.url_key) AS url_key
            FROM (
                SELECT sitemap, line, loc_raw, loc, url_key FROM entries WHERE list_contains(loc_issues, 'relative')
                UNION ALL
                SELECT sitemap, line, loc_raw, loc, NULL FROM index_children WHERE list_contains(loc_issues, 'relative')
            ) e
            ANTI JOIN (FROM sitemap_files WHERE kind IN ('rss', 'atom') OR source = 'list') f ON f.url = e.sitemap
            GROUP BY ALL
        )
    """,
    fires=(
        Fires(
            "a path",
            {"entries": [RELATIVE], "sitemap_files": [FILE]},
            {
                "url": PAGE,
                "sitemap": MAP,
                "line": 3,
                "claim": f"listed in {MAP}, line 3",
                "reality": "the loc is /page.html: no protocol and host",
                "severity": "error",
                "confidence": "sure",
            },
        ),
        Fires(
            "a host without protocol, which is a path too",
            {
                "entries": [
                    RELATIVE
                    | {
                        "loc_raw": "example.com/a",
                        "loc": f"{SITE}/example.com/a",
                        "url_key": f"{SITE}/example.com/a",
                    }
                ],
                "sitemap_files": [FILE],
            },
            {"url": f"{SITE}/example.com/a", "reality": "the loc is example.com/a: no protocol and host"},
        ),
        Fires(
            "protocol-relative",
            {"entries": [RELATIVE | {"loc_raw": "//example.com/page.html"}], "sitemap_files": [FILE]},
            {"reality": "the loc is //example.com/page.html: no protocol"},
        ),
        Fires(
            "a line of a text sitemap that can be resolved against nothing",
            {
                "entries": [
                    RELATIVE
                    | {
                        "loc_raw": "www.example.com/a",
                        "loc": None,
                        "url_key": None,
                        "loc_issues": ["relative", "invalid"],
                    }
                ],
                "sitemap_files": [FILE | {"kind": "text"}],
            },
            {"url": None, "line": 3, "reality": "the loc is www.example.com/a: no protocol and host"},
        ),
        Fires(
            "twice in one file: one finding",
            {
                "entries": [RELATIVE, RELATIVE | {"loc_raw": " /page.html\n", "position": 9, "line": 30}],
                "sitemap_files": [FILE],
            },
            {"line": 3},
        ),
        Fires(
            "a child of an index",
            {
                "index_children": [
                    {
                        "sitemap": MAP,
                        "loc_raw": "sitemap-1.xml",
                        "loc": CHILD,
                        "url_key": CHILD,
                        "loc_issues": ["relative"],
                        "position": 1,
                        "line": 2,
                    }
                ],
                "sitemap_files": [FILE | {"kind": "index"}],
            },
            {
                "url_key": None,
                "url": CHILD,
                "line": 2,
                "reality": "the loc is sitemap-1.xml: no protocol and host",
            },
        ),
    ),
    passes=(
        Passes(
            "a full URL",
            {"entries": [RELATIVE | {"loc_raw": PAGE, "loc_issues": None}], "sitemap_files": [FILE]},
        ),
        Passes(
            "in capitals, with white space around",
            {
                "entries": [
                    RELATIVE | {"loc_raw": " HTTPS://Example.com/page.html\n", "loc_issues": ["whitespace"]}
                ],
                "sitemap_files": [FILE],
            },
        ),
        Passes(
            "another scheme is no relative URL",
            {
                "entries": [
                    RELATIVE
                    | {
                        "loc_raw": "mailto:a@example.com",
                        "loc": None,
                        "url_key": None,
                        "loc_issues": ["invalid"],
                    }
                ],
                "sitemap_files": [FILE],
            },
        ),
        Passes(
            "no loc at all",
            {
                "entries": [
                    RELATIVE | {"loc_raw": None, "loc": None, "url_key": None, "loc_issues": ["missing"]}
                ],
                "sitemap_files": [FILE],
            },
        ),
        Passes(
            "an Atom feed may be relative to itself",
            {"entries": [RELATIVE], "sitemap_files": [FILE | {"kind": "atom"}]},
        ),
        Passes(
            "a list of the user is no sitemap",
            {"entries": [RELATIVE], "sitemap_files": [FILE | {"kind": "text", "source": "list"}]},
        ),
    ),
)
