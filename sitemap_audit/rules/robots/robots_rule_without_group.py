"""A rule stands in front of the first User-agent line."""

from sitemap_audit.rules.relations import ROBOTS_TEXTS, count_of, shown
from sitemap_audit.rules.robots_cases import CLAIM, ROBOTS, SITE, rule_line, used
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier

RULE = Rule(
    id="robots-rule-without-group",
    tier=Tier.LATER,
    severity=Severity.WARNING,
    title="A rule stands before any User-agent line",
    why="An allow or disallow line in front of the first User-agent line belongs to no crawler and is ignored.",
    fix="Put these lines of {url} below a User-agent line.",
    source=(
        Source("rfc9309", "2.2.1, groups begin with a user-agent line"),
        Source("g-robots", "grouping of lines and rules"),
    ),
    needs=frozenset(),
    sql=f"""
        WITH f AS (
            SELECT a.origin, a.robots_url, a.claim, list_filter(a.rules, lambda x: x.group_line = 0) AS loose
            FROM ({ROBOTS_TEXTS}) a
        )
        SELECT NULL::VARCHAR AS url_key, f.origin AS subject, f.robots_url AS url, f.claim,
               'rules that bind nobody: ' || {count_of("len(f.loose)")} || ', '
               || {shown("f.loose", "upper(l.field[1]) || l.field[2:] || ': ' || l.path")} AS reality
        FROM f WHERE len(f.loose) > 0
    """,
    fires=(
        Fires(
            "Disallow in the first line",
            used(rules=[rule_line(1, "/x", group_line=0)]),
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": CLAIM,
                "reality": "rules that bind nobody: 1, line 1: Disallow: /x",
                "severity": "warning",
            },
        ),
    ),
    passes=(
        Passes(
            "a Sitemap line comes first", used(sitemaps=[{"line": 1, "raw": "https://example.com/s.xml"}])
        ),
        Passes("the rule has its group", used(rules=[rule_line(2, "/x")])),
    ),
)
