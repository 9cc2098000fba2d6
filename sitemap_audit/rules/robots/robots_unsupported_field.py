"""robots.txt has fields that Google does not use."""

from sitemap_audit.rules.relations import ROBOTS_TEXTS, count_of, seconds
from sitemap_audit.rules.robots_cases import CLAIM, ROBOTS, SITE, used
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source

DELAY = {"line": 3, "field": "crawl-delay", "value": "10"}

RULE = Rule(
    id="robots-unsupported-field",
    severity=Severity.NOTICE,
    title="robots.txt has fields that Google does not use",
    why="Google uses user-agent, allow, disallow and sitemap, and skips every other field.",
    fix="Keep these fields of {url} only for an engine that you care about and that reads them (Bing is reported to read "
    "crawl-delay; of Yandex that was not verified).",
    source=(
        Source("text-002", "line 19, the fields"),
        Source("g-robots", "syntax, supported fields"),
        Source("g-robotstxt", "the keys that the parser knows"),
    ),
    needs=frozenset(),
    # Valid for others, so never called wrong. A Crawl-delay that this audit does not keep in full is said. noindex and its kin have a rule of their own.
    sql=f"""
        WITH line AS (
            SELECT a.origin, a.robots_url, a.claim, u.x.field AS field, u.x.line AS line
            FROM ({ROBOTS_TEXTS}) a, unnest(a.unsupported) AS u(x)
            WHERE u.x.field NOT IN ('noindex', 'nofollow', 'noarchive')
            UNION ALL
            SELECT a.origin, a.robots_url, a.claim, lower(trim(split_part(u.x.text, ':', 1))), u.x.line
            FROM ({ROBOTS_TEXTS}) a, unnest(a.unknown_lines) AS u(x)
            WHERE regexp_matches(u.x.text, '^[A-Za-z][A-Za-z0-9_ -]*:')
              AND coalesce(a.charset_guess NOT IN ('utf-16le', 'utf-16be', 'binary'), true)
        ),
        field AS (
            SELECT origin, any_value(robots_url) AS robots_url, any_value(claim) AS claim, left(field, 40) AS field,
                   min(line) AS line, count(*) AS n
            FROM line GROUP BY origin, left(field, 40)
        )
        SELECT NULL::VARCHAR AS url_key, origin AS subject, any_value(robots_url) AS url, any_value(claim) AS claim,
               array_to_string((list(field || ' (line ' || line
                   || CASE WHEN n > 1 THEN ' and ' || {count_of("n - 1")} || ' more' ELSE '' END || ')' ORDER BY line))[:10], ', ')
               || CASE WHEN count(*) > 10 THEN ' and ' || (count(*) - 10) || ' more fields' ELSE '' END
               || coalesce((SELECT '; asks this audit to wait ' || {seconds("r.crawl_delay_s")}
                      || ' between requests, which waits ' || {seconds("r.crawl_delay_kept_s")}
                   FROM robots_files r WHERE r.origin = field.origin AND r.at_root IS DISTINCT FROM false
                     AND r.crawl_delay_s > r.crawl_delay_kept_s), '') AS reality
        FROM field GROUP BY origin
    """,
    fires=(
        Fires(
            "Crawl-delay",
            used(
                unsupported=[
                    DELAY,
                    DELAY | {"line": 9},
                    {"line": 11, "field": "host", "value": "example.com"},
                ]
            ),
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": CLAIM,
                "reality": "crawl-delay (line 3 and 1 more), host (line 11)",
                "severity": "notice",
            },
        ),
        Fires(
            "a Crawl-delay that this audit keeps in part",
            used(unsupported=[DELAY | {"value": "3600"}], crawl_delay_s=3600.0, crawl_delay_kept_s=10.0),
            {
                "reality": "crawl-delay (line 3); asks this audit to wait 3,600 s between requests, which waits 10 s"
            },
        ),
        Fires(
            "a Crawl-delay that this audit keeps",
            used(unsupported=[DELAY], crawl_delay_s=10.0, crawl_delay_kept_s=10.0),
            {"reality": "crawl-delay (line 3)"},
        ),
        Fires(
            "a field that nobody knows",
            used(unknown_lines=[{"line": 5, "text": "LLMs: https://example.com/llms.txt"}]),
            {"reality": "llms (line 5)"},
        ),
    ),
    passes=(
        Passes("Sitemap lines", used(sitemaps=[{"line": 4, "raw": "https://example.com/s.xml", "abs": "x"}])),
        Passes(
            "noindex has a rule of its own", used(unsupported=[DELAY | {"field": "noindex", "value": "/a"}])
        ),
        Passes("a line that is no field", used(unknown_lines=[{"line": 5, "text": "Block /admin"}])),
        Passes("a page in its place", used(state="html", unknown_lines=[{"line": 5, "text": "a: b"}])),
    ),
)
