"""robots.txt cannot be fetched at all."""

from sitemap_audit.rules.relations import OUTAGE
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier

SHOP = "https://shop.example.com"
ROBOTS = f"{SHOP}/robots.txt"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": f"{SHOP}/a", "loc": f"{SHOP}/a", "sitemap": MAP, "position": 1, "line": 3}
LOST = {
    "origin": SHOP,
    "robots_url": ROBOTS,
    "state": "unreachable",
    "error_class": "tls",
    "error_detail": "handshake failure",
}
PLAIN = LOST | {
    "origin": "http://shop.example.com",
    "robots_url": "http://shop.example.com/robots.txt",
    "error_class": "connect",
    "error_detail": "connection refused",
}

RULE = Rule(
    id="robots-unreachable",
    tier=Tier.TOP30,
    rank=14,
    severity=Severity.ERROR,
    title="robots.txt cannot be reached",
    why="A robots.txt that cannot be downloaded counts as a server error: Google pauses crawling, RFC 9309 assumes "
    "complete disallow.",
    fix="Repair DNS, TLS or firewall for exactly this scheme, host and port: {url}.",
    source=(
        Source("text-002", "lines 36-38, what Google does on network failure"),
        Source("g-robots", "handling of errors, network errors"),
        Source("rfc9309", "2.3.1.4, unreachable status"),
    ),
    known_as=("Yandex: DNS error / Connection failed",),
    needs=frozenset(),
    # An origin that nothing uses owes nobody a robots.txt: port 80 may be closed on purpose.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, r.origin AS subject, r.robots_url AS url, u.claim,
               coalesce(r.error_class, 'no usable answer') || coalesce(': ' || nullif(r.error_detail, ''), '')
               || coalesce(', after status ' || r.first_status, '')
               || {OUTAGE} AS reality
        FROM robots_files r JOIN origins_in_use u ON u.origin = r.origin
        WHERE r.state = 'unreachable' AND r.at_root IS DISTINCT FROM false
          AND r.error_class IS DISTINCT FROM 'private_host'
    """,
    fires=(
        Fires(
            "TLS fails, and entries use the origin",
            {"entries": [LISTED], "robots_files": [LOST]},
            {
                "subject": SHOP,
                "url": ROBOTS,
                "claim": f"URLs listed on this origin: 1, the first in {MAP}, line 3",
                "reality": "tls: handshake failure",
                "severity": "error",
            },
        ),
        Fires(
            "the audited site itself",
            {"robots_files": [LOST], "runs": [{"options": '{"sites": ["shop.example.com"]}'}]},
            {"claim": "the audited site shop.example.com"},
        ),
        Fires(
            "only a sitemap lies there",
            {
                "robots_files": [LOST],
                "sitemap_files": [{"url": f"{SHOP}/map.xml", "source": "robots", "state": "failed"}],
            },
            {"claim": f"the sitemap {SHOP}/map.xml"},
        ),
        Fires(
            "the copy of an earlier run holds",
            {
                "entries": [LISTED],
                "robots_files": [
                    LOST
                    | {
                        "effect": "last_good",
                        "outage_since": "2026-11-29 12:00:00",
                        "last_good_at": "2026-11-28 12:00:00",
                        "fetched_at": "2026-11-30 13:00:00",
                    }
                ],
            },
            {
                "reality": "tls: handshake failure, failing since 2026-11-29T12:00:00Z, last good copy of 2026-11-28T12:00:00Z, "
                "49 hours old, which decides meanwhile"
            },
        ),
        Fires(
            "failing for an hour: the copy waits",
            {
                "entries": [LISTED],
                "robots_files": [
                    LOST
                    | {
                        "effect": "paused",
                        "outage_since": "2026-11-30 12:00:00",
                        "last_good_at": "2026-11-30 12:00:00",
                        "fetched_at": "2026-11-30 13:00:00",
                    }
                ],
            },
            {
                "reality": "tls: handshake failure, failing since 2026-11-30T12:00:00Z, last good copy of 2026-11-30T12:00:00Z, "
                "1 hour old"
            },
        ),
    ),
    passes=(
        Passes("port 80 is closed, and no entry uses http", {"entries": [LISTED], "robots_files": [PLAIN]}),
        Passes(
            "a bare SITE that only speaks http",
            {
                "robots_files": [LOST, PLAIN | {"state": "ok", "error_class": None, "status": 200}],
                "runs": [{"options": '{"sites": ["shop.example.com"]}'}],
            },
        ),
        Passes(
            "only a guessed place lies there",
            {
                "robots_files": [LOST],
                "sitemap_files": [{"url": f"{SHOP}/sitemap.xml", "source": "guess", "state": "failed"}],
            },
        ),
        Passes(
            "it answered, with an error",
            {
                "entries": [LISTED],
                "robots_files": [LOST | {"state": "server_error", "status": 500, "error_class": None}],
            },
        ),
        Passes(
            "our guard refused the address",
            {"entries": [LISTED], "robots_files": [LOST | {"error_class": "private_host"}]},
        ),
    ),
)
