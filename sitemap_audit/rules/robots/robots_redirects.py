"""robots.txt answers only after redirects."""

from sitemap_audit.rules.relations import ROBOTS_ASKED, host_of
from sitemap_audit.rules.robots_cases import CLAIM, ROBOTS, SITE, used
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source

ELSEWHERE = "https://www.example.com/robots.txt"
HOP = {"n": 1, "url": ROBOTS, "status": 301, "kind": "http", "location": ELSEWHERE}
MOVED = {"first_status": 301, "final_url": ELSEWHERE, "hops": [HOP]}

RULE = Rule(
    id="robots-redirects",
    severity=Severity.NOTICE,
    title="robots.txt is reached through redirects",
    why="The rules of a redirected robots.txt still apply to the host that was asked, and every hop is one more thing "
    "that can break; after five hops the file counts as missing.",
    fix="Serve {url} directly, on every scheme, host and port in use.",
    source=(
        Source("text-002", "lines 34 and 37, what 3xx means"),
        Source("g-robots", "handling of errors and HTTP status codes, redirects"),
        Source("rfc9309", "2.3.1.2, redirects"),
    ),
    needs=frozenset(),
    # http to https of one host is usual, and stays a notice; another host decides about this one's rules.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, a.origin AS subject, a.robots_url AS url, a.claim, a.final_url AS related_url,
               coalesce(a.first_status::VARCHAR, '3xx') || ', ends at ' || a.final_url
               || ' (' || coalesce(a.status::VARCHAR, a.state) || ')'
               || CASE WHEN len(a.hops) > 1 THEN ', ' || len(a.hops) || ' redirects' ELSE '' END AS reality,
               CASE WHEN {host_of("a.final_url")} <> {host_of("a.origin")} THEN 'warning' END AS severity
        FROM ({ROBOTS_ASKED}) a WHERE a.state IN ('ok', 'html') AND len(a.hops) > 0 AND a.final_url IS NOT NULL
    """,
    fires=(
        Fires(
            "led to another host",
            used(**MOVED),
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": CLAIM,
                "reality": f"301, ends at {ELSEWHERE} (200)",
                "related_url": ELSEWHERE,
                "severity": "warning",
            },
        ),
        Fires(
            "from http to https on one host: once, and only a notice",
            {
                "entries": [
                    {"url_key": "k", "loc": "http://example.com/a", "sitemap": "s", "position": 1, "line": 1}
                ],
                "robots_files": [
                    {
                        "origin": "http://example.com",
                        "robots_url": "http://example.com/robots.txt",
                        "state": "ok",
                        "first_status": 301,
                        "status": 200,
                        "final_url": ROBOTS,
                        "hops": [HOP, HOP | {"n": 2}],
                    }
                ],
            },
            {"severity": "notice", "reality": f"301, ends at {ROBOTS} (200), 2 redirects"},
        ),
    ),
    passes=(
        Passes("200 without a hop", used()),
        Passes(
            "the chain ends in a 404: that is missing", used(**MOVED | {"state": "missing", "status": 404})
        ),
        Passes(
            "too many hops are a finding of their own",
            used(**MOVED | {"state": "redirect_limit", "status": 301}),
        ),
        Passes(
            "an origin that the map does not use", used(**MOVED | {"origin": "https://other.example.net"})
        ),
    ),
)
