"""There is no robots.txt."""

from sitemap_audit.rules.relations import host_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source

SITE = "https://example.com"
WWW = "https://www.example.com"
ROBOTS = f"{SITE}/robots.txt"
MAP = f"{SITE}/sitemap.xml"
PAGE = f"{SITE}/a"
LISTED = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 1, "line": 3}
OTHER = LISTED | {"url_key": f"{WWW}/a", "loc": f"{WWW}/a", "position": 2, "line": 4}
MISSING = {
    "origin": SITE,
    "robots_url": ROBOTS,
    "state": "missing",
    "first_status": 404,
    "status": 404,
    "final_url": ROBOTS,
}
OF_WWW = MISSING | {"origin": WWW, "robots_url": f"{WWW}/robots.txt", "final_url": f"{WWW}/robots.txt"}
HOP = {"n": 1, "url": f"{WWW}/robots.txt", "status": 301, "kind": "http", "location": ROBOTS}
AUDITED = {"run_id": "r", "options": '{"sites": ["https://example.com"]}'}


def bare(origin: str) -> str:
    """SQL: the host of an origin without www."""
    return f"regexp_replace({host_of(origin)}, '^www[.]', '')"


RULE = Rule(
    id="robots-missing",
    severity=Severity.NOTICE,
    title="There is no robots.txt",
    why="Without a robots.txt everything may be crawled, and no sitemap can be declared where all crawlers look.",
    fix="Publish {url} with at least a Sitemap line, or leave it if everything may be crawled.",
    source=(
        Source("text-002", "line 12, the place of the file; lines 35 and 37, 4xx; line 87 of the checklist"),
        Source("g-robots", "handling of errors and HTTP status codes, 4xx"),
        Source("rfc9309", "2.3.1.3, unavailable status"),
    ),
    needs=frozenset(),
    # One finding an origin that serves what is listed. Not those out of scope, whose file was only read to see
    # whether it names our sitemap; not a SITE whose twin is what the map lists; not a second address that is
    # led to the file that is missed already; not an origin that holds a sitemap and nothing else.
    sql=f"""
        WITH used AS (FROM origins_in_use ANTI JOIN (
            SELECT origin FROM pages WHERE reason = 'out_of_scope' AND origin IS NOT NULL GROUP BY origin
        ) f USING (origin)),
        missing AS (
            SELECT r.origin, r.robots_url, r.status, r.hops, r.final_url, u.claim
            FROM robots_files r JOIN used u ON u.origin = r.origin
            LEFT JOIN (SELECT DISTINCT {bare("origin")} AS host FROM used WHERE place = 0) l ON l.host = {bare("r.origin")}
            WHERE r.state = 'missing' AND r.at_root IS DISTINCT FROM false
              AND (u.place = 0 OR (u.place = 1 AND l.host IS NULL))
        )
        SELECT NULL::VARCHAR AS url_key, m.origin AS subject, m.robots_url AS url, m.claim,
               'status ' || coalesce(m.status::VARCHAR, '4xx')
               || CASE WHEN coalesce(len(m.hops), 0) > 0 THEN ' at ' || coalesce(m.final_url, m.robots_url) ELSE '' END
               AS reality
        FROM missing m ANTI JOIN missing o ON o.robots_url = m.final_url AND o.origin <> m.origin
    """,
    fires=(
        Fires(
            "/robots.txt answers 404",
            {"entries": [LISTED], "robots_files": [MISSING]},
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": f"URLs listed on this origin: 1, the first in {MAP}, line 3",
                "reality": "status 404",
                "severity": "notice",
                "confidence": "sure",
            },
        ),
        Fires(
            "the audited site lists nothing",
            {"robots_files": [MISSING | {"status": 410}], "runs": [AUDITED]},
            {"claim": "the audited site https://example.com", "reality": "status 410"},
        ),
        Fires(
            "the audited site lists its twin alone: missing there",
            {"entries": [OTHER], "robots_files": [MISSING, OF_WWW], "runs": [AUDITED]},
            {"subject": WWW},
        ),
        Fires(
            "the twin's robots.txt leads to the same file: one finding",
            {
                "entries": [LISTED, OTHER],
                "robots_files": [
                    MISSING,
                    OF_WWW | {"first_status": 301, "hops": [HOP], "final_url": ROBOTS},
                ],
            },
            {"subject": SITE, "reality": "status 404"},
        ),
        Fires(
            "a redirect to a file that is not there",
            {
                "entries": [OTHER],
                "robots_files": [OF_WWW | {"first_status": 301, "hops": [HOP], "final_url": ROBOTS}],
            },
            {"subject": WWW, "reality": f"status 404 at {ROBOTS}"},
        ),
    ),
    passes=(
        Passes(
            "an empty file: allowed, no rules",
            {"entries": [LISTED], "robots_files": [MISSING | {"state": "ok", "status": 200, "bytes": 0}]},
        ),
        Passes(
            "403 is refused, not missing",
            {"entries": [LISTED], "robots_files": [MISSING | {"state": "forbidden", "status": 403}]},
        ),
        Passes(
            "429 is an outage",
            {"entries": [LISTED], "robots_files": [MISSING | {"state": "server_error", "status": 429}]},
        ),
        Passes(
            "a copy below a directory, which no crawler reads",
            {
                "entries": [LISTED],
                "robots_files": [MISSING | {"robots_url": f"{SITE}/shop/robots.txt", "at_root": False}],
            },
        ),
        Passes(
            "out of scope: read only to see whether it names our sitemap",
            {
                "entries": [OTHER],
                "robots_files": [OF_WWW],
                "pages": [
                    {
                        "url_key": f"{WWW}/a",
                        "requested_url": f"{WWW}/a",
                        "origin": WWW,
                        "state": "skipped",
                        "reason": "out_of_scope",
                    }
                ],
            },
        ),
        Passes(
            "the http twin, which nothing lists",
            {
                "entries": [LISTED],
                "robots_files": [
                    MISSING | {"origin": "http://example.com", "robots_url": "http://example.com/robots.txt"},
                    MISSING | {"state": "ok", "status": 200},
                ],
                "runs": [AUDITED],
            },
        ),
        Passes(
            "the audited site has none, but only its www twin is listed",
            {
                "entries": [OTHER],
                "robots_files": [MISSING, OF_WWW | {"state": "ok", "status": 200}],
                "runs": [AUDITED],
            },
        ),
        Passes(
            "an origin that serves a sitemap and no listed URL",
            {
                "entries": [LISTED],
                "robots_files": [
                    MISSING
                    | {
                        "origin": "https://cdn.example.net",
                        "robots_url": "https://cdn.example.net/robots.txt",
                    }
                ],
                "sitemap_files": [{"url": "https://cdn.example.net/sitemap.xml", "source": "robots"}],
            },
        ),
    ),
)
