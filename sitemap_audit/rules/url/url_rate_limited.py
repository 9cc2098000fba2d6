"""The server asks for patience until the end of the audit."""

from sitemap_audit.rules.relations import BLOCKING_ORIGINS
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source

SITE = "https://example.com"
PAGE = f"{SITE}/a"
MAP = f"{SITE}/sitemap.xml"
LISTED = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 1, "line": 3}
LIMITED = {
    "url_key": PAGE,
    "requested_url": PAGE,
    "origin": SITE,
    "state": "unchecked",
    "reason": "rate_limited",
    "first_status": 429,
    "status": 429,
    "retry_after_s": 30,
    "attempts": 3,
    "hop_count": 0,
    "allowed": True,
}
MORE = [LIMITED | {"url_key": f"{SITE}/{n}", "requested_url": f"{SITE}/{n}"} for n in range(3)]
ALL_LISTED = [LISTED, *(LISTED | {"url_key": page["url_key"], "loc": page["url_key"]} for page in MORE)]

RULE = Rule(
    id="url-rate-limited",
    severity=Severity.WARNING,
    title="Server limits requests",
    why="The server said that we ask too often, so nothing is known of this page. It limits this audit; whether "
    "it limits search engines as well, its owner knows.",
    fix="Run again with a lower --rate, or raise the limit for crawlers.",
    source=(
        Source("g-crawlerr", "availability of the server, crawl rate"),
        Source("g-http", "429, read as a server error"),
    ),
    needs=frozenset(),
    # Our pace is at fault as much as the site: the URL stays unchecked and its verdict unknown. Where much of
    # a host answers so, the host is reported (audit-host-blocking).
    sql=f"""
        SELECT p.url_key, p.url_key AS subject,
               '429' || CASE WHEN p.attempts > 1 THEN ', asked ' || p.attempts || ' times' ELSE '' END
               || coalesce(', Retry-After ' || p.retry_after_s || ' s', '') || ': not known' AS reality
        FROM pages p ANTI JOIN ({BLOCKING_ORIGINS}) b ON b.origin = p.origin
        WHERE p.status = 429 AND p.reason = 'rate_limited' AND NOT coalesce(p.challenge, false)
    """,
    fires=(
        Fires(
            "429 three times",
            {"entries": [LISTED], "pages": [LIMITED]},
            {
                "url": PAGE,
                "claim": f"listed in {MAP}, line 3",
                "reality": "429, asked 3 times, Retry-After 30 s: not known",
                "severity": "warning",
            },
        ),
    ),
    passes=(
        Passes(
            "200 after waiting",
            {
                "entries": [LISTED],
                "pages": [LIMITED | {"state": "checked", "reason": None, "first_status": 200, "status": 200}],
            },
        ),
        Passes("the whole host answers so", {"entries": ALL_LISTED, "pages": [LIMITED, *MORE]}),
        Passes("a bot wall answers 429", {"entries": [LISTED], "pages": [LIMITED | {"reason": "challenge", "challenge": True}]}),
        Passes("stopped before it was asked again", {"entries": [LISTED], "pages": [LIMITED | {"reason": "stopped"}]}),
        Passes("limited, but nobody lists it", {"pages": [LIMITED | {"discovered_by": "canonical"}]}),
    ),
)  # fmt: skip
