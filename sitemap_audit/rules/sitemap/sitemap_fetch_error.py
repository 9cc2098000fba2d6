"""The sitemap cannot be downloaded."""

from sitemap_audit.rules.relations import SITEMAP_FILES, count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier

SITE = "https://example.com"
MAP = f"{SITE}/sitemap.xml"
LOST = {
    "url": MAP,
    "source": "robots",
    "declared_in": [SITE],
    "state": "failed",
    "error_class": "timeout",
    "error_detail": "no answer within 15 s",
}

RULE = Rule(
    id="sitemap-fetch-error",
    tier=Tier.TOP30,
    rank=10,
    severity=Severity.ERROR,
    title="Sitemap cannot be downloaded",
    why="The sitemap cannot be downloaded, at least not whole: search engines do not see its URLs.",
    fix="Mend the hosting of {sitemap}; it should answer within ten seconds.",
    source=(
        Source("text-002", "line 84, look at the real HTTP answers"),
        Source("gsc-sitemaps", "list of errors, could not fetch"),
    ),
    known_as=("Search Console: Couldn't fetch", "Yandex: Connection lost / DNS error"),
    needs=frozenset(),
    # Our own limits and our own guard are not the site's fault; a guessed place owes no answer.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.claim,
               f.error_class || coalesce(': ' || nullif(f.error_detail, ''), '')
               || CASE WHEN f.status IS NOT NULL
                       THEN ', broke off after status ' || f.status || ' and ' || {count_of("coalesce(f.bytes_wire, 0)")} || ' bytes'
                       ELSE '' END AS reality
        FROM ({SITEMAP_FILES}) f
        WHERE f.declared AND f.error_class IN ('dns', 'connect', 'tls', 'timeout', 'reset', 'bad_http')
          AND NOT coalesce(f.stopped_by_us, false) AND f.state IS DISTINCT FROM 'skipped'
          AND f.source IS DISTINCT FROM 'feed_link'  -- feed-unreadable
    """,
    fires=(
        Fires(
            "it times out",
            {"sitemap_files": [LOST]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "claim": f"declared in robots.txt of {SITE}",
                "reality": "timeout: no answer within 15 s",
                "severity": "error",
            },
        ),
        Fires(
            "it breaks off in the middle",
            {
                "sitemap_files": [
                    LOST
                    | {
                        "source": "option",
                        "declared_in": None,
                        "error_class": "reset",
                        "error_detail": None,
                        "status": 200,
                        "bytes_wire": 16384,
                        "state": "partial",
                    }
                ]
            },
            {
                "claim": "named by the option --sitemap",
                "reality": "reset, broke off after status 200 and 16,384 bytes",
            },
        ),
    ),
    passes=(
        Passes(
            "slow, but complete",
            {
                "sitemap_files": [
                    LOST
                    | {
                        "error_class": None,
                        "error_detail": None,
                        "status": 200,
                        "state": "ok",
                        "total_ms": 29000,
                    }
                ]
            },
        ),
        Passes("a guessed place", {"sitemap_files": [LOST | {"source": "guess", "declared_in": None}]}),
        Passes(
            "our guard refused the address",
            {"sitemap_files": [LOST | {"error_class": "private_host", "state": "skipped"}]},
        ),
        Passes(
            "larger than we read",
            {
                "sitemap_files": [
                    LOST | {"error_class": "too_large", "stopped_by_us": True, "state": "partial"}
                ]
            },
        ),
        Passes("it answers 404", {"sitemap_files": [LOST | {"error_class": None, "status": 404}]}),
    ),
)
