"""A robots.txt lies below a directory, where no crawler looks."""

from sitemap_audit.rules.relations import count_of
from sitemap_audit.rules.robots_cases import FILE, SITE, rule_line
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source

BELOW = FILE | {"robots_url": f"{SITE}/blog/robots.txt", "at_root": False, "rules": [rule_line(2, "/blog/x")]}

RULE = Rule(
    id="robots-wrong-location",
    severity=Severity.NOTICE,
    title="A robots.txt below a directory is never read",
    why="robots.txt works only in the root of a host; a copy below a directory is ignored.",
    fix="Move the rules of {url} to {related_url}.",
    source=(
        Source("text-002", "line 12, exactly /robots.txt in the root; line 87"),
        Source("g-robots", "file location and range of validity"),
    ),
    needs=frozenset(),
    # Asked once an audit, only where the SITE argument has a path.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, robots_url AS subject, robots_url AS url,
               'a robots.txt below the audited address' AS claim,
               'status ' || coalesce(status::VARCHAR, '200') || ', rules that nobody reads: ' || {count_of("len(rules)")} AS reality,
               origin || '/robots.txt' AS related_url
        FROM robots_files WHERE NOT at_root AND state = 'ok' AND len(rules) > 0
    """,
    fires=(
        Fires(
            "/blog/robots.txt holds rules",
            {"robots_files": [BELOW]},
            {
                "subject": f"{SITE}/blog/robots.txt",
                "url": f"{SITE}/blog/robots.txt",
                "reality": "status 200, rules that nobody reads: 1",
                "related_url": f"{SITE}/robots.txt",
                "severity": "notice",
            },
        ),
    ),
    passes=(
        Passes("404 there", {"robots_files": [BELOW | {"state": "missing", "status": 404, "rules": None}]}),
        Passes("a file without rules", {"robots_files": [BELOW | {"rules": None}]}),
        Passes(
            "the robots.txt of the root",
            {"robots_files": [BELOW | {"at_root": True, "robots_url": f"{SITE}/robots.txt"}]},
        ),
    ),
)
