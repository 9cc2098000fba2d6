"""An Allow and a Disallow of equal length decide about a URL."""

from sitemap_audit.rules.robots_cases import MAP, SITE, listed, page
from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source

TIE = page("/folder/a", robots_line=3, robots_rule="Allow: /folder", robots_group_line=1, tie_line=2)

RULE = Rule(
    id="robots-tie-allow-wins",
    severity=Severity.NOTICE,
    title="An Allow and a Disallow are equally specific",
    why="For this URL the longest allow and the longest disallow rule have the same length; the least restrictive one, "
    "the allow, wins.",
    fix="Make the rule that you mean the longer one, in {related_url}.",
    source=(
        Source("text-002", "line 23, the longest path wins, and allow at equal length"),
        Source("g-robots", "order of precedence for rules"),
        Source("rfc9309", "2.2.2, the most specific match"),
    ),
    needs=frozenset({Need.ROBOTS}),
    # The length is that of the pattern, wildcards included; the matcher has measured it.
    sql="""
        SELECT p.url_key, p.url_key AS subject,
               p.origin || '/robots.txt, line ' || coalesce(p.robots_line::VARCHAR, '?') || ': '
               || coalesce(p.robots_rule, 'Allow') || ' wins over the Disallow of line ' || p.tie_line
               || ' (' || (SELECT verdict_bot FROM settings) || ')' AS reality,
               p.origin || '/robots.txt' AS related_url
        FROM pages p
        WHERE p.allowed AND p.tie_line IS NOT NULL AND p.origin IS NOT NULL
          AND coalesce(p.robots_state NOT IN ('unreachable', 'server_error'), true)
    """,
    fires=(
        Fires(
            "Allow: /folder and Disallow: /folder",
            {"entries": listed("/folder/a"), "pages": [TIE]},
            {
                "url": f"{SITE}/folder/a",
                "claim": f"listed in {MAP}, line 3",
                "reality": f"{SITE}/robots.txt, line 3: Allow: /folder wins over the Disallow of line 2 (googlebot)",
                "related_url": f"{SITE}/robots.txt",
                "severity": "notice",
            },
        ),
    ),
    passes=(
        Passes("a longer Allow", {"entries": listed("/folder/a"), "pages": [TIE | {"tie_line": None}]}),
        Passes(
            "a longer Disallow",
            {
                "entries": listed("/folder/a"),
                "pages": [TIE | {"allowed": False, "tie_line": None, "state": "skipped"}],
            },
        ),
        Passes("nobody lists it", {"pages": [TIE | {"discovered_by": "canonical"}]}),
    ),
)
