"""robots.txt shuts the verdict's bot out of everything that the map lists."""

from sitemap_audit.rules.relations import count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier

SITE = "https://example.com"
MAP = f"{SITE}/sitemap.xml"
PAGE = f"{SITE}/a"
LISTED = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 1, "line": 3}
SHUT = {
    "origin": SITE,
    "robots_url": f"{SITE}/robots.txt",
    "state": "ok",
    "status": 200,
    "policy": "disallow_all",
}
BLOCKED = {
    "url_key": PAGE,
    "requested_url": PAGE,
    "origin": SITE,
    "state": "skipped",
    "reason": "robots",
    "allowed": False,
    "robots_state": "ok",
    "robots_line": 2,
    "robots_rule": "Disallow: /",
}
AUDITED = {"run_id": "r", "options": '{"sites": ["https://example.com"]}'}

RULE = Rule(
    id="robots-blocks-everything",
    tier=Tier.TOP30,
    rank=1,
    severity=Severity.ERROR,
    title="robots.txt blocks the whole site",
    why="Your site asks search engines to stay out completely: no page is crawled, whatever the sitemap lists.",
    fix="Take the line `Disallow: /` out of {url}; it is often left over from a staging server.",
    source=(
        Source("text-002", "lines 19-25, how rules match; line 89, no important URL blocked by accident"),
        Source("rfc9309", "2.2.2, the most specific rule wins"),
    ),
    known_as=("Screaming Frog: Internal Blocked by Robots.txt",),
    needs=frozenset(),
    # What the rules do decides, not how they look: `Disallow: /` beside `Allow: /$` still lets a page in.
    # An unreachable robots.txt shuts everybody out in rfc mode and has a finding of its own.
    # An origin that only serves a sitemap is the business of sitemap-blocked-by-robots.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, r.origin AS subject, r.robots_url AS url, u.claim,
               CASE WHEN p.line IS NULL THEN 'robots.txt blocks every path'
                    ELSE 'robots.txt, line ' || p.line || ': ' || coalesce(p.rule, 'Disallow')
                         || '; listed URLs that it blocks: ' || {count_of("p.blocked")} || ', that it lets in: 0' END
               || ' (' || (SELECT verdict_bot FROM settings) || ')' AS reality
        FROM robots_files r JOIN origins_in_use u ON u.origin = r.origin
        LEFT JOIN (
            SELECT origin, count(*) FILTER (allowed) AS allowed, count(*) FILTER (NOT allowed) AS blocked,
                   min(robots_line) AS line, arg_min(robots_rule, robots_line) AS rule
            FROM pages SEMI JOIN listing USING (url_key) WHERE allowed IS NOT NULL GROUP BY origin
        ) p ON p.origin = r.origin
        WHERE r.policy = 'disallow_all' AND r.state = 'ok' AND r.at_root IS DISTINCT FROM false
          AND u.place < 2 AND coalesce(p.allowed, 0) = 0
    """,
    fires=(
        Fires(
            "left over from staging",
            {"entries": [LISTED], "robots_files": [SHUT], "pages": [BLOCKED]},
            {
                "subject": SITE,
                "url": f"{SITE}/robots.txt",
                "claim": f"URLs listed on this origin: 1, the first in {MAP}, line 3",
                "reality": "robots.txt, line 2: Disallow: /; listed URLs that it blocks: 1, that it lets in: 0 (googlebot)",
                "severity": "error",
            },
        ),
        Fires(
            "the audited site lists nothing",
            {"robots_files": [SHUT], "runs": [AUDITED]},
            {
                "claim": "the audited site https://example.com",
                "reality": "robots.txt blocks every path (googlebot)",
            },
        ),
    ),
    passes=(
        Passes(
            "only another bot is shut out",
            {
                "entries": [LISTED],
                "robots_files": [SHUT | {"policy": "allow_all"}],
                "pages": [BLOCKED | {"allowed": True}],
            },
        ),
        Passes(
            "`Allow: /$` lets the home page in",
            {"entries": [LISTED], "robots_files": [SHUT | {"policy": "mixed"}], "pages": [BLOCKED]},
        ),
        Passes(
            "a listed page may be fetched",
            {"entries": [LISTED], "robots_files": [SHUT], "pages": [BLOCKED | {"allowed": True}]},
        ),
        Passes(
            "unreachable robots.txt in rfc mode",
            {"entries": [LISTED], "robots_files": [SHUT | {"state": "unreachable"}], "pages": [BLOCKED]},
        ),
        Passes(
            "an origin that the map does not use",
            {
                "entries": [LISTED],
                "robots_files": [SHUT | {"origin": "http://cdn.example.net"}],
                "pages": [BLOCKED | {"allowed": True}],
            },
        ),
    ),
)
