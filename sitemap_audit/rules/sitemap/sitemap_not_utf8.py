"""A file in another encoding than UTF-8."""

from sitemap_audit.rules.relations import SITEMAP_FILES, problems_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import DECLARED, FEED, MAP, file, problem, undeclared

LATIN = file(
    encoding_decl="ISO-8859-2", encoding_ok=False, problems=[problem("not-utf8", None, "ISO-8859-2")]
)

RULE = Rule(
    id="sitemap-not-utf8",
    severity=Severity.ERROR,
    title="Sitemap is not in UTF-8",
    why="A sitemap must be written in UTF-8; in another encoding letters outside ASCII turn into wrong addresses, or the "
    "file is refused.",
    fix='Write {sitemap} in UTF-8, and let its first line say encoding="UTF-8" or nothing.',
    source=(
        Source("sitemaps-org", "entity escaping, the file must be UTF-8 encoded"),
        Source("g-sitemap", "best practices, UTF-8"),
    ),
    needs=frozenset(),
    # Without a declaration XML is UTF-8, and ASCII is a part of it. RSS and Atom may be in any encoding that
    # they declare: only as a sitemap a feed should be UTF-8, and in ASCII all is well.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.claim,
               CASE WHEN f.other THEN 'declared encoding: ' || f.encoding_decl ELSE 'no other encoding is declared' END
               || CASE WHEN f.encoding_ok = false THEN '; the bytes are not valid UTF-8'
                       || CASE WHEN starts_with(f.met.text, 'the bytes ') THEN ' (' || f.met.text || ')' ELSE '' END
                       WHEN f.doubt.kind = 'encoding-unknown' THEN '; nobody knows an encoding of that name'
                       WHEN f.doubt.kind = 'encoding-contradiction' THEN '; the bytes say otherwise'
                       ELSE '; the bytes are valid UTF-8 all the same' END AS reality,
               CASE WHEN f.kind IN ('rss', 'atom') THEN 'warning' END AS severity
        FROM (
            SELECT f.*, {problems_of("f", "not-utf8")}[1] AS met, {problems_of("f", "encoding-unknown", "encoding-contradiction")}[1] AS doubt,
                   coalesce(lower(encoding_decl) NOT IN ('utf-8', 'utf8', 'us-ascii', 'ascii'), false) AS other
            FROM ({SITEMAP_FILES}) f
        ) f
        WHERE f.kind IN ('urlset', 'index', 'text', 'rss', 'atom') AND f.status = 200 AND f.source IS DISTINCT FROM 'list'
          AND (f.encoding_ok = false OR (f.other AND f.kind NOT IN ('rss', 'atom')))
    """,
    fires=(
        Fires(
            "Latin-2",
            {"sitemap_files": [LATIN]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "claim": DECLARED,
                "reality": "declared encoding: ISO-8859-2; the bytes are not valid UTF-8",
                "severity": "error",
            },
        ),
        Fires(
            "declared only: the text is ASCII",
            {"sitemap_files": [LATIN | {"encoding_ok": True, "problems": None}]},
            {"reality": "declared encoding: ISO-8859-2; the bytes are valid UTF-8 all the same"},
        ),
        Fires(
            "declared as UTF-8, but it is not",
            {"sitemap_files": [LATIN | {"encoding_decl": "UTF-8", "problems": None}]},
            {"reality": "no other encoding is declared; the bytes are not valid UTF-8"},
        ),
        Fires(
            "a feed, which by its own standard may be so",
            {
                "sitemap_files": [
                    undeclared(FEED, "feed_link", kind="rss", encoding_decl="windows-1252", encoding_ok=False)
                ]
            },
            {"severity": "warning"},
        ),
        Fires(
            "an encoding that does not exist",
            {
                "sitemap_files": [
                    file(encoding_decl="utf-8859", problems=[problem("encoding-unknown", 1, "utf-8859")])
                ]
            },
            {"reality": "declared encoding: utf-8859; nobody knows an encoding of that name"},
        ),
    ),
    passes=(
        Passes("no declaration, ASCII", {"sitemap_files": [file(encoding_decl=None)]}),
        Passes("utf-8 in small letters", {"sitemap_files": [file(encoding_decl="utf-8")]}),
        Passes("declared as ASCII, and it is", {"sitemap_files": [file(encoding_decl="US-ASCII")]}),
        Passes(
            "a feed declares Latin-1, and holds ASCII",
            {"sitemap_files": [undeclared(FEED, "feed_link", kind="rss", encoding_decl="ISO-8859-1")]},
        ),
        Passes("a web page in Latin-1", {"sitemap_files": [LATIN | {"kind": "html"}]}),
    ),
)
