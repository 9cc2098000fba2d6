"""The page gives no HTTP answer at all."""

from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source, Tier

PAGE = "https://old.example.com/a"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 1, "line": 3}
LOST = {
    "url_key": PAGE,
    "requested_url": PAGE,
    "origin": "https://old.example.com",
    "state": "checked",
    "error_class": "timeout",
    "error_detail": "no connection within 10 s",
    "hop_count": 0,
    "attempts": 2,
}
ANSWERS = [
    LOST
    | {
        "url_key": f"https://old.example.com/{n}",
        "requested_url": f"https://old.example.com/{n}",
        "error_class": None,
        "error_detail": None,
        "first_status": 200,
        "status": 200,
    }
    for n in range(9)
]

RULE = Rule(
    id="url-unreachable",
    tier=Tier.TOP30,
    rank=8,
    severity=Severity.ERROR,
    title="Listed URL cannot be reached",
    why="No HTTP answer came, at more than one try: search engines cannot fetch the page either.",
    fix="Mend DNS, TLS or the server of {url}, or take it out of {sitemap}.",
    source=(
        Source("text-000", "Important fields, URLs: only what can be fetched"),
        Source("text-002", "line 84, look at the real HTTP answers"),
    ),
    known_as=("Screaming Frog: No Response", "Sitebulb: (timed out) in XML Sitemaps"),
    needs=frozenset({Need.TRIED}),
    # Where much of a host fails, it may be our network or a block: the finding stays, less sure.
    # A redirect whose end does not answer is url-redirects.
    sql="""
        SELECT p.url_key, p.url_key AS subject,
               p.error_class || coalesce(': ' || nullif(p.error_detail, ''), '')
               || CASE WHEN p.attempts > 1 THEN ', tried ' || p.attempts || ' times'
                       WHEN p.attempts = 1 THEN ', tried once' ELSE '' END AS reality,
               CASE WHEN p.attempts = 1 THEN 'warning' END AS severity,
               CASE WHEN p.attempts = 1 THEN 'possible'
                    WHEN o.lost > s.host_blocking_share * o.n THEN 'likely' END AS confidence
        FROM pages p, settings s
        LEFT JOIN (
            SELECT origin, count(*) AS n, count(*) FILTER (first_status IS NULL) AS lost
            FROM pages WHERE state = 'checked' GROUP BY origin
        ) o ON o.origin = p.origin
        WHERE p.state = 'checked' AND p.first_status IS NULL AND p.status IS NULL
          AND p.error_class IN ('dns', 'connect', 'tls', 'timeout', 'reset', 'bad_http')
    """,
    fires=(
        Fires(
            "one page of ten times out",
            {"entries": [LISTED], "pages": [LOST, *ANSWERS]},
            {
                "url": PAGE,
                "claim": f"listed in {MAP}, line 3",
                "reality": "timeout: no connection within 10 s, tried 2 times",
                "severity": "error",
                "confidence": "sure",
            },
        ),
        Fires(
            "the whole host fails: perhaps it is our network",
            {"entries": [LISTED], "pages": [LOST | {"error_class": "dns", "error_detail": None}]},
            {"reality": "dns, tried 2 times", "severity": "error", "confidence": "likely"},
        ),
        Fires(
            "tried once, no second look",
            {"entries": [LISTED], "pages": [LOST | {"attempts": 1}]},
            {"severity": "warning", "confidence": "possible"},
        ),
    ),
    passes=(
        Passes(
            "the second try answers",
            {
                "entries": [LISTED],
                "pages": [LOST | {"first_status": 200, "status": 200, "error_class": None}],
            },
        ),
        Passes(
            "a redirect whose end does not answer",
            {
                "entries": [LISTED],
                "pages": [
                    LOST | {"first_status": 301, "hop_count": 1, "final_url": "https://example.com/new"}
                ],
            },
        ),
        Passes(
            "our guard refused the address",
            {
                "entries": [LISTED],
                "pages": [
                    LOST | {"state": "skipped", "reason": "private_host", "error_class": "private_host"}
                ],
            },
        ),
        Passes(
            "stopped before it was tried again",
            {"entries": [LISTED], "pages": [LOST | {"state": "unchecked", "reason": "stopped"}]},
        ),
        Passes("unreachable, but nobody lists it", {"pages": [LOST | {"discovered_by": "canonical"}]}),
    ),
)
