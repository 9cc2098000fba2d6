"""A rule's path begins neither with a slash nor with a wildcard."""

from sitemap_audit.rules.relations import ROBOTS_TEXTS, count_of, shown
from sitemap_audit.rules.robots_cases import CLAIM, ROBOTS, SITE, rule_line, used
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source

RULE = Rule(
    id="robots-rule-path-no-slash",
    severity=Severity.WARNING,
    title="A rule's path does not begin with /",
    why="The path of a rule must begin with /: it is compared with the path of a URL from its start, so that a name "
    "without slash, a whole address or a template mark that was left in matches nothing.",
    fix="Write paths as `Disallow: /private/`, without scheme and host.",
    source=(
        Source("g-robots", "allow and disallow, the path"),
        Source("protego-test", "Disallow: private matches nothing in Protego either"),
    ),
    needs=frozenset(),
    # A leading `*` works, a leading `$` is somebody's intent; an empty Disallow means that all is allowed.
    sql=f"""
        WITH f AS (
            SELECT a.origin, a.robots_url, a.claim,
                   list_filter(a.rules, lambda x: x.path <> '' AND x.path[1] NOT IN ('/', '*', '$')) AS lost
            FROM ({ROBOTS_TEXTS}) a
            WHERE coalesce(a.charset_guess NOT IN ('utf-16le', 'utf-16be', 'binary'), true)
        )
        SELECT NULL::VARCHAR AS url_key, f.origin AS subject, f.robots_url AS url, f.claim,
               'rules that match nothing: ' || {count_of("len(f.lost)")} || ', '
               || {shown("f.lost", "upper(l.field[1]) || l.field[2:] || ': ' || l.path")} AS reality
        FROM f WHERE len(f.lost) > 0
    """,
    fires=(
        Fires(
            "Disallow: private/",
            used(rules=[rule_line(2, "private/"), rule_line(3, "/ok")]),
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": CLAIM,
                "reality": "rules that match nothing: 1, line 2: Disallow: private/",
                "severity": "warning",
            },
        ),
        Fires(
            "whole addresses and a template mark",
            used(rules=[rule_line(2, "https://example.com/a", "allow"), rule_line(3, "{{url}}")]),
            {
                "reality": "rules that match nothing: 2, line 2: Allow: https://example.com/a; line 3: Disallow: {{url}}"
            },
        ),
    ),
    passes=(
        Passes("Disallow: /private/", used(rules=[rule_line(2, "/private/")])),
        Passes("a leading star", used(rules=[rule_line(2, "*.pdf$"), rule_line(3, "*")])),
        Passes("a lone dollar", used(rules=[rule_line(2, "$")])),
        Passes("an empty Disallow", used(rules=[rule_line(2, "")])),
    ),
)
