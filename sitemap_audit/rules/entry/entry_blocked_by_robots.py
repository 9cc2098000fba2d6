"""The map lists a page that robots.txt forbids."""

from sitemap_audit.rules.relations import ROBOTS_LINE
from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source, Tier

PAGE = "https://example.com/private/a"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 4, "line": 12}
BLOCKED = {
    "url_key": PAGE,
    "requested_url": PAGE,
    "origin": "https://example.com",
    "state": "skipped",
    "reason": "robots",
    "allowed": False,
    "robots_state": "ok",
    "robots_line": 2,
    "robots_rule": "Disallow: /private/",
}

RULE = Rule(
    id="entry-blocked-by-robots",
    tier=Tier.TOP30,
    rank=2,
    severity=Severity.ERROR,
    title="Listed URL is blocked by robots.txt",
    why="You ask search engines to visit a page that robots.txt forbids them to fetch. The address may still appear "
    "in results, without its content.",
    fix="Change the rule in {related_url} that blocks it, or take {url} out of {sitemap}.",
    source=(
        Source("text-000", "Important fields, URLs: only what Googlebot can fetch"),
        Source("text-002", "lines 26-27, blocked is not removed; line 89 of the checklist"),
        Source("g-sitemap", "best practices, which URLs to list"),
    ),
    known_as=(
        "Search Console: Sitemap contains URLs which are blocked by robots.txt",
        "Screaming Frog: Internal Blocked by Robots.txt / Non-Indexable URLs in Sitemap",
        "Sitebulb: Disallowed URL in XML Sitemaps",
        "Lumar: Disallowed/Malformed URLs in Sitemaps",
    ),
    needs=frozenset({Need.ROBOTS}),
    # While robots.txt is out of reach, its own finding says so; no page is accused by an old copy.
    sql=f"""
        SELECT p.url_key, p.url_key AS subject, {ROBOTS_LINE} AS reality, p.origin || '/robots.txt' AS related_url
        FROM pages p
        WHERE NOT p.allowed AND p.robots_line IS NOT NULL
          AND coalesce(p.robots_state NOT IN ('unreachable', 'server_error'), true)
    """,
    fires=(
        Fires(
            "a rule forbids the directory",
            {"entries": [LISTED], "pages": [BLOCKED]},
            {
                "url": PAGE,
                "sitemap": MAP,
                "line": 12,
                "claim": f"listed in {MAP}, line 12",
                "reality": "https://example.com/robots.txt, line 2: Disallow: /private/ (googlebot)",
                "related_url": "https://example.com/robots.txt",
                "severity": "error",
            },
        ),
        Fires(
            "fetched all the same (--inspect-blocked)",
            {
                "entries": [LISTED],
                "pages": [BLOCKED | {"state": "checked", "reason": None, "status": 200, "first_status": 200}],
            },
            {"url": PAGE},
        ),
    ),
    passes=(
        Passes(
            "a longer Allow wins",
            {
                "entries": [LISTED],
                "pages": [
                    BLOCKED
                    | {
                        "allowed": True,
                        "robots_line": 3,
                        "robots_rule": "Allow: /private/a",
                        "state": "checked",
                    }
                ],
            },
        ),
        Passes(
            "robots.txt is unreachable, an old copy blocks",
            {"entries": [LISTED], "pages": [BLOCKED | {"robots_state": "unreachable"}]},
        ),
        Passes(
            "complete disallow of rfc mode",
            {"entries": [LISTED], "pages": [BLOCKED | {"robots_state": "unreachable", "robots_line": None}]},
        ),
        Passes(
            "crawling is paused",
            {
                "entries": [LISTED],
                "pages": [
                    BLOCKED
                    | {
                        "allowed": None,
                        "robots_state": "server_error",
                        "robots_line": None,
                        "state": "unchecked",
                        "reason": "robots_paused",
                    }
                ],
            },
        ),
        Passes(
            "only our own agent is shut out",
            {
                "entries": [LISTED],
                "pages": [BLOCKED | {"allowed": True, "robots_line": None, "reason": "own_agent"}],
            },
        ),
        Passes(
            "only the star group is shut out",
            {
                "entries": [LISTED],
                "pages": [BLOCKED | {"allowed": True, "star_allowed": False, "state": "checked"}],
            },
        ),
        Passes("blocked, but nobody lists it", {"pages": [BLOCKED | {"discovered_by": "canonical"}]}),
    ),
)
