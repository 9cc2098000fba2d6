"""robots.txt answers with a server error."""

from sitemap_audit.rules.relations import OUTAGE
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier

SITE = "https://example.com"
ROBOTS = f"{SITE}/robots.txt"
MAP = f"{SITE}/sitemap.xml"
LISTED = {"url_key": f"{SITE}/a", "loc": f"{SITE}/a", "sitemap": MAP, "position": 1, "line": 3}
FAILED = {"origin": SITE, "robots_url": ROBOTS, "state": "server_error", "first_status": 503, "status": 503}

RULE = Rule(
    id="robots-server-error",
    tier=Tier.TOP30,
    rank=13,
    severity=Severity.ERROR,
    title="robots.txt answers with a server error",
    why="While robots.txt answers with a server error, Google pauses crawling for 12 hours, then uses its last "
    "good copy for 30 days; RFC 9309 assumes complete disallow.",
    fix="Make {url} a static file that does not depend on the application; it should answer 200 or 404, never "
    "5xx or 429.",
    source=(
        Source("text-002", "lines 36-38, what Google does on 5xx"),
        Source("g-robots", "handling of errors and HTTP status codes"),
        Source("rfc9309", "2.3.1.4, unreachable status"),
    ),
    known_as=("Lumar: Broken/Disallowed Sitemaps (related)",),
    needs=frozenset(),
    # One finding an origin, never one a URL. The 429 may have been caused by this audit; in rfc mode it
    # counts as any 4xx and limits nothing.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, r.origin AS subject, r.robots_url AS url, u.claim,
               'status ' || coalesce(r.status, r.first_status)
               || CASE WHEN coalesce(len(r.hops), 0) > 0 THEN ' at ' || coalesce(r.final_url, r.robots_url) ELSE '' END
               || {OUTAGE} AS reality,
               CASE WHEN r.status = 429 AND (SELECT robots_mode FROM settings) = 'rfc' THEN 'warning' END AS severity,
               CASE WHEN r.status = 429 THEN 'likely' END AS confidence
        FROM robots_files r JOIN origins_in_use u ON u.origin = r.origin
        WHERE r.state = 'server_error' AND coalesce(r.status, r.first_status) IS NOT NULL
          AND r.at_root IS DISTINCT FROM false
    """,
    fires=(
        Fires(
            "503, and again at the second look",
            {"entries": [LISTED], "robots_files": [FAILED]},
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": f"URLs listed on this origin: 1, the first in {MAP}, line 3",
                "reality": "status 503",
                "severity": "error",
                "confidence": "sure",
            },
        ),
        Fires(
            "429 counts as a server error, but may be our doing",
            {"entries": [LISTED], "robots_files": [FAILED | {"status": 429}]},
            {"reality": "status 429", "severity": "error", "confidence": "likely"},
        ),
        Fires(
            "the copy of an earlier run holds",
            {
                "entries": [LISTED],
                "robots_files": [
                    FAILED
                    | {
                        "effect": "last_good",
                        "outage_since": "2026-11-29 12:00:00",
                        "last_good_at": "2026-11-28 12:00:00",
                        "fetched_at": "2026-11-30 13:00:00",
                    }
                ],
            },
            {
                "reality": "status 503, failing since 2026-11-29T12:00:00Z, last good copy of 2026-11-28T12:00:00Z, "
                "49 hours old, which decides meanwhile"
            },
        ),
        Fires(
            "failing for an hour: the copy waits",
            {
                "entries": [LISTED],
                "robots_files": [
                    FAILED
                    | {
                        "effect": "paused",
                        "outage_since": "2026-11-30 12:00:00",
                        "last_good_at": "2026-11-30 12:00:00",
                        "fetched_at": "2026-11-30 13:00:00",
                    }
                ],
            },
            {
                "reality": "status 503, failing since 2026-11-30T12:00:00Z, last good copy of 2026-11-30T12:00:00Z, "
                "1 hour old"
            },
        ),
    ),
    passes=(
        Passes(
            "503 first, 200 at the second look",
            {"entries": [LISTED], "robots_files": [FAILED | {"state": "ok", "status": 200}]},
        ),
        Passes(
            "403 limits nothing",
            {"entries": [LISTED], "robots_files": [FAILED | {"state": "forbidden", "status": 403}]},
        ),
        Passes(
            "no answer at all is another rule's business",
            {
                "entries": [LISTED],
                "robots_files": [FAILED | {"state": "unreachable", "status": None, "error_class": "dns"}],
            },
        ),
        Passes(
            "an origin that the map does not use",
            {"entries": [LISTED], "robots_files": [FAILED | {"origin": "http://shop.example.net"}]},
        ),
    ),
)
