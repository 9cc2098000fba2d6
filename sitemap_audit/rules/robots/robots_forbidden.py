"""robots.txt is refused with 401 or 403."""

from sitemap_audit.rules.relations import ROBOTS_ASKED
from sitemap_audit.rules.robots_cases import CLAIM, ROBOTS, SITE, used
from sitemap_audit.rules.rule import Confidence, Fires, Passes, Rule, Severity, Source

REFUSED = {"state": "forbidden", "first_status": 403, "status": 403}

RULE = Rule(
    id="robots-forbidden",
    severity=Severity.WARNING,
    confidence=Confidence.LIKELY,
    title="robots.txt is refused (401 or 403)",
    why="A robots.txt that answers 401 or 403 counts as absent: Google then crawls without limits, and the rules you "
    "think are active are not.",
    fix="Serve {url} to everybody, without login or bot filter; then ask it again as Googlebot (live test of Search "
    "Console), since a firewall may refuse only this audit.",
    source=(
        Source("text-002", "lines 35 and 37, what 4xx means"),
        Source("g-robots", "handling of errors and HTTP status codes, 4xx"),
    ),
    needs=frozenset(),
    # Seen with our own agent: hence likely, never sure.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, a.origin AS subject, a.robots_url AS url, a.claim,
               'status ' || coalesce(a.status::VARCHAR, '403')
               || CASE WHEN coalesce(len(a.hops), 0) > 0 THEN ' at ' || coalesce(a.final_url, a.robots_url) ELSE '' END
               || ', seen with the user agent of this audit' AS reality
        FROM ({ROBOTS_ASKED}) a WHERE a.state = 'forbidden'
    """,
    fires=(
        Fires(
            "/robots.txt answers 403",
            used(**REFUSED),
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": CLAIM,
                "reality": "status 403, seen with the user agent of this audit",
                "severity": "warning",
                "confidence": "likely",
            },
        ),
        Fires(
            "401, behind a redirect",
            used(
                **REFUSED | {"status": 401, "final_url": f"{SITE}/login", "hops": [{"n": 1, "url": ROBOTS}]}
            ),
            {"reality": f"status 401 at {SITE}/login, seen with the user agent of this audit"},
        ),
    ),
    passes=(
        Passes("it answers 200", used()),
        Passes("404 is missing, not refused", used(state="missing", status=404)),
        Passes(
            "an origin that the map does not use", used(**REFUSED | {"origin": "https://other.example.net"})
        ),
        Passes("a copy below a directory", used(**REFUSED | {"at_root": False})),
    ),
)
