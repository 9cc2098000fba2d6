"""A sitemap that lists nothing."""

from sitemap_audit.rules.relations import SITEMAP_FILES, count_of, problems_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import (
    DECLARED,
    FEED,
    INDEX,
    MAP,
    child_file,
    file,
    problem,
    spaces,
    undeclared,
)

EMPTY = file(entries=0, usable=0)
NEWS = spaces(
    {"": "http://www.sitemaps.org/schemas/sitemap/0.9", "n": "http://www.google.com/schemas/sitemap-news/0.9"}
)
NOTHING = EMPTY | {"kind": "unknown", "state": "failed", "bytes_xml": 0, "problems": [problem("empty-file")]}

RULE = Rule(
    id="sitemap-empty",
    severity=Severity.WARNING,
    title="Sitemap lists nothing",
    why="The file can be read, but it holds no address that could be used: what writes it has probably failed.",
    fix="Mend the generator of {sitemap}, or remove the file and whatever names it.",
    source=(
        Source("gsc-sitemaps", "list of errors, empty sitemap"),
        Source("g-news", "best practices, only articles of the last two days"),
    ),
    known_as=("Search Console: Empty sitemap", "Lumar: Empty Sitemaps"),
    needs=frozenset(),
    # A news sitemap lists two days and may well be empty for longer. Bytes that never came are no empty file.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.claim,
               CASE WHEN f.kind = 'unknown' THEN 'an empty file, ' || {count_of("coalesce(f.bytes_xml, 0)")} || ' bytes'
                    WHEN coalesce(f.entries, 0) > 0 THEN {count_of("f.entries")} || ' entries, none of them with an address that can be used'
                    WHEN f.kind = 'index' THEN 'an index that names no file'
                    WHEN f.kind IN ('rss', 'atom') THEN 'a feed without entries'
                    ELSE 'no entries' END AS reality
        FROM ({SITEMAP_FILES}) f
        WHERE f.status = 200 AND f.source IS DISTINCT FROM 'list' AND coalesce(f.usable, 0) = 0
          AND CASE WHEN f.kind = 'unknown' THEN f.declared AND len({problems_of("f", "empty-file")}) > 0
                   ELSE f.state = 'ok' AND f.kind IN ('urlset', 'index', 'text', 'rss', 'atom') END
          AND NOT coalesce(list_contains(list_transform(map_values(f.namespaces), lambda n: contains(n, 'sitemap-news')), true), false)
          AND NOT regexp_matches(f.url, '[/_.-]news[/_.-]|news-?site-?map|site-?map-?news', 'i')
    """,
    fires=(
        Fires(
            "a urlset without url",
            {"sitemap_files": [EMPTY]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "claim": DECLARED,
                "reality": "no entries",
                "severity": "warning",
            },
        ),
        Fires(
            "entries without a usable address",
            {"sitemap_files": [EMPTY | {"entries": 12}]},
            {"reality": "12 entries, none of them with an address that can be used"},
        ),
        Fires("not a single byte", {"sitemap_files": [NOTHING]}, {"reality": "an empty file, 0 bytes"}),
        Fires(
            "an index without children",
            {"sitemap_files": [EMPTY | {"url": INDEX, "kind": "index"}]},
            {"reality": "an index that names no file"},
        ),
        Fires(
            "a feed",
            {"sitemap_files": [undeclared(FEED, "feed_link", kind="rss", entries=0, usable=0)]},
            {"reality": "a feed without entries"},
        ),
    ),
    passes=(
        Passes("one entry", {"sitemap_files": [file(entries=1, usable=1)]}),
        Passes(
            "news sitemap without articles in two days", {"sitemap_files": [EMPTY | {"namespaces": NEWS}]}
        ),
        Passes(
            "the same, told by its name",
            {"sitemap_files": [child_file(MAP.replace("sitemap", "news-sitemap"), entries=0, usable=0)]},
        ),
        Passes("it could not be read", {"sitemap_files": [EMPTY | {"state": "failed", "kind": "html"}]}),
        Passes(
            "the transfer failed",
            {"sitemap_files": [NOTHING | {"status": None, "error_class": "timeout", "problems": None}]},
        ),
        Passes(
            "an empty answer at a guessed place",
            {"sitemap_files": [NOTHING | {"source": "guess", "declared_in": None}]},
        ),
        Passes("the same document under a second name", {"sitemap_files": [EMPTY | {"state": "skipped"}]}),
    ),
)
