"""An announced feed that nobody can read."""

from sitemap_audit.rules.feed_cases import ADVERTISED, feed
from sitemap_audit.rules.relations import SITEMAP_FILES, count_of, met, problems_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import DECLARED, FEED, SITE, problem

GONE = feed(state="failed", status=404, first_status=404, kind="unknown", feed_version=None)
BROKEN = feed(
    state="partial",
    xml_error={"line": 8, "column": 41, "message": "not well-formed (invalid token)", "entries_before": 1},
)
NBSP = feed(problems=[problem("entity-undefined", 7, "&nbsp;"), problem("entity-undefined", 9, "&eacute;")])

RULE = Rule(
    id="feed-unreadable",
    severity=Severity.ERROR,
    title="Announced feed cannot be read",
    why="The feed is announced, but who asks for it gets no feed: readers and search engines learn of nothing new.",
    fix="Let {sitemap} answer with status 200 and well-formed XML, or take away the link to it.",
    source=(
        Source("text-001", "feeds, the address has to lead to a feed"),
        Source("g-sitemap", "sitemap formats, RSS and Atom"),
    ),
    needs=frozenset(),
    # What is advertised is meant as a feed, whatever comes; of other files what came has to be one. A JSON feed is
    # readable (feed-format-unsupported), a sitemap behind the link is feed-autodiscovery-broken. Names such as &nbsp; without a DTD
    # are passed over by lenient readers alone. 429 may be our own doing.
    sql=f"""
        WITH files AS (
            SELECT f.*, {problems_of("f", "entity-undefined")} AS names,
                   CASE WHEN f.status NOT IN (200, 304) THEN
                            CASE WHEN coalesce(len(f.hops), 0) > 0
                                 THEN coalesce(f.first_status::VARCHAR, 'redirect') || ', ends at ' || coalesce(f.final_url, '?') || ' (' || f.status || ')'
                                 ELSE 'status ' || f.status END || CASE WHEN f.status = 429 THEN ', perhaps because of this audit' ELSE '' END
                        WHEN f.error_class IN ('dns', 'connect', 'tls', 'timeout', 'reset', 'bad_http')
                        THEN f.error_class || coalesce(': ' || f.error_detail, '')
                        WHEN f.status = 200 AND f.kind = 'html' THEN 'a web page instead of a feed'
                        WHEN f.status = 200 AND f.xml_error IS NOT NULL THEN
                            'line ' || coalesce(f.xml_error.line::VARCHAR, '?') || ': ' || coalesce(f.xml_error.message, 'not well-formed')
                            || '; items read before it: ' || {count_of("coalesce(f.xml_error.entries_before, 0)")}
                        WHEN f.status = 200 AND f.kind IN ('unknown', 'other_xml', 'text')
                             AND len({problems_of("f", "json-feed")}) = 0
                        THEN CASE WHEN f.kind = 'other_xml' THEN 'XML of another kind' || coalesce(': <' || f.root || '>', '')
                                  WHEN coalesce(f.bytes_xml, 1) = 0 THEN 'an empty answer' ELSE 'no XML' END END AS fault
            FROM ({SITEMAP_FILES}) f
            WHERE (f.source = 'feed_link' OR coalesce(f.kind IN ('rss', 'atom'), false)) AND f.source IS DISTINCT FROM 'list'
              AND f.state IS DISTINCT FROM 'skipped' AND f.state IS DISTINCT FROM 'blocked' AND NOT coalesce(f.stopped_by_us, false)
        )
        SELECT NULL::VARCHAR AS url_key, url AS subject, url AS sitemap, coalesce(xml_error.line, names[1].line) AS line, claim,
               coalesce(fault, 'line ' || coalesce(names[1].line::VARCHAR, '?') || ': ' || coalesce(names[1].text, 'a name')
                   || ' is not defined in XML; such names: ' || {count_of(met("names"))} || '. Strict readers stop here') AS reality,
               CASE WHEN fault IS NULL OR status = 429 THEN 'warning' END AS severity,
               CASE WHEN status = 429 THEN 'possible' END AS confidence
        FROM files
        WHERE fault IS NOT NULL OR (len(names) > 0 AND len({problems_of("files", "doctype")}) = 0)
    """,
    fires=(
        Fires(
            "404",
            {"sitemap_files": [GONE]},
            {
                "url": None,
                "subject": FEED,
                "sitemap": FEED,
                "claim": ADVERTISED,
                "reality": "status 404",
                "severity": "error",
            },
        ),
        Fires(
            "a bare ampersand, in a feed that robots.txt names",
            {"sitemap_files": [BROKEN | {"source": "robots", "declared_in": [SITE]}]},
            {
                "line": 8,
                "claim": DECLARED,
                "reality": "line 8: not well-formed (invalid token); items read before it: 1",
            },
        ),
        Fires(
            "a web page at its address",
            {"sitemap_files": [GONE | {"status": 200, "kind": "html"}]},
            {"reality": "a web page instead of a feed"},
        ),
        Fires(
            "no answer",
            {"sitemap_files": [GONE | {"status": None, "error_class": "timeout", "error_detail": None}]},
            {"reality": "timeout"},
        ),
        Fires(
            "HTML entities are tolerated, and reported",
            {"sitemap_files": [NBSP]},
            {
                "line": 7,
                "reality": "line 7: &nbsp; is not defined in XML; such names: 2. Strict readers stop here",
                "severity": "warning",
            },
        ),
    ),
    passes=(
        Passes("a feed", {"sitemap_files": [feed()]}),
        Passes(
            "HTML entities that a document type may define",
            {"sitemap_files": [NBSP | {"problems": [*NBSP["problems"], problem("doctype", 1)]}]},
        ),
        Passes(
            "a JSON feed",
            {"sitemap_files": [GONE | {"status": 200, "problems": [problem("json-feed", 1, "{")]}]},
        ),
        Passes("nothing at a guessed place", {"sitemap_files": [GONE | {"source": "guess"}]}),
        Passes(
            "an XML sitemap is no feed", {"sitemap_files": [BROKEN | {"source": "robots", "kind": "urlset"}]}
        ),
        Passes("the audit stopped reading", {"sitemap_files": [BROKEN | {"stopped_by_us": True}]}),
        Passes(
            "robots.txt kept the audit from asking",
            {"sitemap_files": [GONE | {"status": None, "state": "blocked"}]},
        ),
    ),
)
