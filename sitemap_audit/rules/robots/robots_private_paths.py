"""robots.txt tells everybody where the private places are."""

from sitemap_audit.rules.relations import ROBOTS_TEXTS, count_of, shown
from sitemap_audit.rules.robots_cases import CLAIM, ROBOTS, SITE, rule_line, used
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source

RULE = Rule(
    id="robots-private-paths",
    severity=Severity.NOTICE,
    off=True,
    title="robots.txt names private places",
    why="robots.txt is public and is no access control; it shows these paths to everybody.",
    fix="Protect what lies there with a login, whether {url} names it or not.",
    source=(
        Source("text-002", "line 8, no access control"),
        Source("rfc9309", "3, security considerations"),
    ),
    needs=frozenset(),
    # /admin/ and /wp-admin/ stand in every second file: one notice an origin, and only when asked for.
    sql=rf"""
        WITH f AS (
            SELECT a.origin, a.robots_url, a.claim, list_filter(a.rules, lambda x: x.field = 'disallow' AND regexp_matches(
                   x.path, '(^|[^a-z])(admin|backup|private|secret|staging|dump|sql)([^a-z]|$)|[.](git|env|sql)([^a-z]|$)', 'i'))
                   AS named FROM ({ROBOTS_TEXTS}) a
        )
        SELECT NULL::VARCHAR AS url_key, f.origin AS subject, f.robots_url AS url, f.claim,
               'paths that sound private: ' || {count_of("len(f.named)")} || ', ' || {shown("f.named", "l.path")} AS reality
        FROM f WHERE len(f.named) > 0
    """,
    fires=(
        Fires(
            "Disallow: /backup-2024.sql",
            used(rules=[rule_line(2, "/backup-2024.sql"), rule_line(3, "/wp-admin/"), rule_line(4, "/cart")]),
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": CLAIM,
                "reality": "paths that sound private: 2, line 2: /backup-2024.sql; line 3: /wp-admin/",
                "severity": "notice",
            },
        ),
        Fires(
            "a repository",
            used(rules=[rule_line(2, "/.git/")]),
            {"reality": "paths that sound private: 1, line 2: /.git/"},
        ),
    ),
    passes=(
        Passes("Disallow: /cart", used(rules=[rule_line(2, "/cart")])),
        Passes(
            "a word that holds one of these",
            used(rules=[rule_line(2, "/badminton"), rule_line(3, "/administrator-jobs")]),
        ),
        Passes("an Allow", used(rules=[rule_line(2, "/wp-admin/admin-ajax.php", "allow")])),
    ),
)
