"""The server answers 200 where there is nothing."""

from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source

PROBE = "https://example.com/sitemap-audit-404-probe-0123456789ab"
ASKED = {
    "url_key": PROBE,
    "requested_url": PROBE,
    "origin": "https://example.com",
    "discovered_by": "probe",
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "hop_count": 0,
    "final_url": PROBE,
}

RULE = Rule(
    id="audit-soft-404-site",
    severity=Severity.ERROR,
    title="Server answers 200 for pages that do not exist",
    why="The server says OK for pages that do not exist, so dead addresses are never dropped.",
    fix="Let {subject} answer 404 for addresses that it does not know.",
    source=(Source("g-crawlerr", "soft 404 errors: the server answers 200 for a page that is not there"),),
    needs=frozenset(),
    # The address is made up from the host and cannot exist (definitions 2). One finding an origin.
    sql="""
        SELECT NULL::VARCHAR AS url_key, origin AS subject, url, 'nothing: the address is made up for ' || origin AS claim,
               CASE WHEN hops > 0 THEN first_status || ', ends at ' || final_url || ' (200)' ELSE '200' END AS reality
        FROM (
            SELECT coalesce(origin, regexp_extract(url_key, '^[a-z]+://[^/?#]+')) AS origin,
                   min(coalesce(requested_url, url_key)) AS url,
                   arg_min(coalesce(hop_count, 0), url_key) AS hops, arg_min(first_status, url_key) AS first_status,
                   arg_min(final_url, url_key) AS final_url
            FROM pages WHERE discovered_by = 'probe' AND state = 'checked' AND status = 200 AND NOT coalesce(challenge, false)
            GROUP BY 1
        )
    """,
    fires=(
        Fires(
            "200 for a made-up address",
            {"pages": [ASKED]},
            {
                "subject": "https://example.com",
                "url": PROBE,
                "claim": "nothing: the address is made up for https://example.com",
                "reality": "200",
                "severity": "error",
            },
        ),
        Fires(
            "a redirect that ends in 200",
            {"pages": [ASKED | {"first_status": 302, "hop_count": 1, "final_url": "https://example.com/"}]},
            {"reality": "302, ends at https://example.com/ (200)"},
        ),
        Fires("two probes: one finding", {"pages": [ASKED, ASKED | {"url_key": PROBE + "0", "requested_url": PROBE + "0"}]}, {}),
    ),
    passes=(
        Passes("404", {"pages": [ASKED | {"first_status": 404, "status": 404}]}),
        Passes("410", {"pages": [ASKED | {"first_status": 410, "status": 410}]}),
        Passes("a bot wall answered", {"pages": [ASKED | {"state": "unchecked", "reason": "challenge", "challenge": True}]}),
        Passes("a listed page", {"pages": [ASKED | {"discovered_by": "sitemap"}]}),
        Passes("robots.txt kept us away", {"pages": [ASKED | {"state": "skipped", "reason": "robots", "first_status": None, "status": None}]}),
    ),
)  # fmt: skip
