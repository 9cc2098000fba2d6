"""A compressed file that cannot be unpacked, or one that is only called so."""

from sitemap_audit.rules.relations import SITEMAP_FILES, problems_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import DECLARED, MAP, file, problem

PACKED = f"{MAP}.gz"
GZ = file(PACKED, content_type="application/gzip", gzip=True)
TWICE = GZ | {
    "state": "failed",
    "kind": "unknown",
    "problems": [problem("gzip-twice", None, "gzip inside gzip")],
    "entries": 0,
}

RULE = Rule(
    id="sitemap-gzip-bad",
    severity=Severity.ERROR,
    title="Compressed sitemap cannot be unpacked",
    why="What is called or packed as gzip is not, is damaged, or is packed twice: search engines may fail to read the file.",
    fix="Compress {sitemap} with gzip exactly once, and do not let the server pack the finished .gz file again.",
    source=(
        Source("text-002", "lines 51-55, a sitemap may be compressed with gzip"),
        Source("gsc-sitemaps", "list of errors, compression error"),
    ),
    known_as=("Search Console: compression error", "Yandex: Extraction error"),
    needs=frozenset(),
    # XML under a .gz name that can be read all the same, and bytes behind a whole stream, are a warning. A stream
    # that ends early is sitemap-truncated; a web page under a .gz name is sitemap-is-html.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.claim,
               CASE WHEN f.bad.kind IS NULL THEN 'Content-Encoding ' || coalesce(f.content_encoding, '?')
                         || ' of the answer cannot be undone' || coalesce(': ' || nullif(f.error_detail, ''), '')
                    ELSE CASE f.bad.kind
                        WHEN 'gzip-twice' THEN 'packed twice: gzip inside gzip'
                        WHEN 'gzip-damaged' THEN 'the gzip data is damaged'
                        WHEN 'gzip-checksum' THEN 'its gzip checksum is wrong'
                        WHEN 'gzip-trailing' THEN 'bytes behind the end of the gzip stream'
                        ELSE 'named .gz, but not compressed' END
                    || CASE WHEN f.bad.kind IN ('gzip-damaged', 'gzip-checksum') AND f.bad.text IS NOT NULL
                            THEN ' (' || f.bad.text || ')' ELSE '' END
                    || '; entries that could be read: ' || coalesce(f.entries, 0) END AS reality,
               CASE WHEN f.bad.kind IN ('gz-name-not-gzip', 'gzip-trailing') AND f.usable > 0 THEN 'warning' END AS severity
        FROM (
            SELECT f.*, {problems_of("f", "gzip-twice", "gzip-damaged", "gzip-checksum", "gzip-trailing", "gz-name-not-gzip")}[1] AS bad
            FROM ({SITEMAP_FILES}) f
        ) f
        WHERE f.declared AND f.state IS DISTINCT FROM 'skipped' AND f.kind IS DISTINCT FROM 'html'
          AND ((f.bad.kind IS NOT NULL AND f.status = 200) OR f.error_class = 'content_encoding')
    """,
    fires=(
        Fires(
            "packed twice",
            {"sitemap_files": [TWICE]},
            {
                "url": None,
                "subject": PACKED,
                "sitemap": PACKED,
                "claim": DECLARED,
                "reality": "packed twice: gzip inside gzip; entries that could be read: 0",
                "severity": "error",
            },
        ),
        Fires(
            "plain XML under a .gz name, which can be read",
            {
                "sitemap_files": [
                    GZ | {"gzip": False, "problems": [problem("gz-name-not-gzip", None, PACKED)]}
                ]
            },
            {
                "reality": "named .gz, but not compressed; entries that could be read: 3",
                "severity": "warning",
            },
        ),
        Fires(
            "damaged in the middle",
            {
                "sitemap_files": [
                    GZ | {"state": "partial", "problems": [problem("gzip-damaged", None, "wrong block type")]}
                ]
            },
            {
                "reality": "the gzip data is damaged (wrong block type); entries that could be read: 3",
                "severity": "error",
            },
        ),
        Fires(
            "the packing on the way is broken",
            {
                "sitemap_files": [
                    file(
                        state="failed",
                        kind="unknown",
                        error_class="content_encoding",
                        content_encoding="gzip",
                        error_detail="incorrect header check",
                        entries=0,
                        usable=0,
                    )
                ]
            },
            {"reality": "Content-Encoding gzip of the answer cannot be undone: incorrect header check"},
        ),
    ),
    passes=(
        Passes("a gz file sent as application/gzip", {"sitemap_files": [GZ]}),
        Passes(
            "a gz file that the server packs on the way as well",
            {"sitemap_files": [GZ | {"content_encoding": "gzip"}]},
        ),
        Passes(
            "a .gz name, packed by Content-Encoding alone",
            {"sitemap_files": [GZ | {"gzip": False, "content_encoding": "gzip"}]},
        ),
        Passes(
            "a gzip stream that ends early is sitemap-truncated",
            {
                "sitemap_files": [
                    GZ | {"state": "partial", "complete": False, "problems": [problem("gzip-truncated")]}
                ]
            },
        ),
        Passes(
            "a web page under a .gz name",
            {
                "sitemap_files": [
                    GZ | {"gzip": False, "kind": "html", "problems": [problem("gz-name-not-gzip")]}
                ]
            },
        ),
    ),
)
