"""Only the beginning of a file arrives."""

from sitemap_audit.rules.relations import SITEMAP_FILES, count_of, problems_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import DECLARED, MAP, file, problem, undeclared

PACKED = f"{MAP}.gz"
ENDS = "the file ends before <loc> is closed"
CUT = file(
    state="partial",
    complete=False,
    xml_error={"line": 9, "column": 31, "message": ENDS, "entries_before": 2},
    bytes_xml=310,
)

RULE = Rule(
    id="sitemap-truncated",
    severity=Severity.ERROR,
    title="Sitemap is cut off",
    why="Only a part of the sitemap arrived: what is listed behind the cut is lost.",
    fix="Look at what writes {sitemap} (a full disk, a time limit of the generator) and at time limits of proxies.",
    source=(Source("gsc-sitemaps", "list of errors, could not fetch; parsing error"),),
    known_as=("Yandex: Connection lost",),
    needs=frozenset(),
    # Three ways to end early: the body is shorter than announced, its gzip stream or its XML stops in the
    # middle. What we did not read on is no fault of the site, a fault inside the XML is sitemap-xml-malformed.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap,
               CASE WHEN f.cause = 'xml' THEN f.xml_error.line END AS line, f.claim,
               CASE f.cause
                   WHEN 'body' THEN 'the answer ' || f.status || ' broke off' || coalesce(': ' || nullif(f.error_detail, ''), '')
                   WHEN 'gzip' THEN 'the file ends inside its gzip stream'
                   ELSE 'line ' || coalesce(f.xml_error.line::VARCHAR, '?') || ': ' || f.xml_error.message END
               || '; read before the end: ' || {count_of("coalesce(f.bytes_xml, 0)")} || ' bytes, entries: '
               || {count_of("coalesce(f.entries, 0)")} AS reality
        FROM (
            SELECT f.*, CASE WHEN error_class IN ('reset', 'bad_http', 'timeout') THEN 'body'
                             WHEN len({problems_of("f", "gzip-truncated")}) > 0 THEN 'gzip'
                             WHEN starts_with(xml_error.message, 'the file ends before') THEN 'xml' END AS cause
            FROM ({SITEMAP_FILES}) f
        ) f
        WHERE f.cause IS NOT NULL AND f.status = 200 AND coalesce(f.bytes_xml, 0) > 0
          AND f.complete IS DISTINCT FROM true AND NOT coalesce(f.stopped_by_us, false)
          AND f.kind IS DISTINCT FROM 'html' AND f.state IS DISTINCT FROM 'skipped'
          AND (f.declared OR coalesce(f.kind IN ('urlset', 'index', 'rss', 'atom', 'text'), false))
    """,
    fires=(
        Fires(
            "the file ends inside a loc",
            {"sitemap_files": [CUT]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "line": 9,
                "claim": DECLARED,
                "reality": f"line 9: {ENDS}; read before the end: 310 bytes, entries: 3",
                "severity": "error",
            },
        ),
        Fires(
            "its gzip stream ends early",
            {
                "sitemap_files": [
                    file(
                        PACKED,
                        state="partial",
                        complete=False,
                        gzip=True,
                        bytes_xml=9000,
                        problems=[problem("gzip-truncated")],
                    )
                ]
            },
            {"reality": "the file ends inside its gzip stream; read before the end: 9,000 bytes, entries: 3"},
        ),
        Fires(
            "fewer bytes than announced",
            {
                "sitemap_files": [
                    file(
                        state="partial",
                        complete=False,
                        error_class="bad_http",
                        bytes_xml=512,
                        error_detail="512 of 9000 bytes arrived",
                    )
                ]
            },
            {
                "reality": "the answer 200 broke off: 512 of 9000 bytes arrived; read before the end: 512 bytes, entries: 3"
            },
        ),
    ),
    passes=(
        Passes("complete", {"sitemap_files": [file()]}),
        Passes("we stopped reading", {"sitemap_files": [CUT | {"stopped_by_us": True}]}),
        Passes(
            "a fault in the middle is no cut",
            {"sitemap_files": [CUT | {"xml_error": CUT["xml_error"] | {"message": "mismatched tag"}}]},
        ),
        Passes(
            "nothing at all arrived",
            {
                "sitemap_files": [
                    file(state="failed", complete=False, status=None, error_class="timeout", bytes_xml=0)
                ]
            },
        ),
        Passes("a web page with open tags", {"sitemap_files": [CUT | {"kind": "html"}]}),
        Passes(
            "what a guessed place serves is no sitemap",
            {
                "sitemap_files": [
                    undeclared(MAP)
                    | {"kind": "unknown", "complete": False, "bytes_xml": 90, "xml_error": CUT["xml_error"]}
                ]
            },
        ),
    ),
)
