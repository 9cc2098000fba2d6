"""robots.txt may be cached for more than a day."""

from sitemap_audit.rules.relations import ROBOTS_TEXTS, count_of
from sitemap_audit.rules.robots_cases import CLAIM, ROBOTS, SITE, used
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source

RULE = Rule(
    id="robots-cache-long",
    severity=Severity.NOTICE,
    title="robots.txt may be cached for more than a day",
    why="Crawlers cache robots.txt, normally for up to 24 hours; a longer max-age delays your next change.",
    fix="Send {url} with a max-age of one hour or less.",
    source=(
        Source("text-002", "line 39, caching and Cache-Control"),
        Source("g-robots", "caching"),
        Source("rfc9309", "2.4, caching: no longer than 24 hours"),
    ),
    needs=frozenset(),
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, a.origin AS subject, a.robots_url AS url, a.claim,
               'Cache-Control: max-age=' || a.cache_control_max_age || ', more than '
               || {count_of("s.robots_cache_max_s")} || ' s' AS reality
        FROM ({ROBOTS_TEXTS}) a, settings s WHERE a.cache_control_max_age > s.robots_cache_max_s
    """,
    fires=(
        Fires(
            "a week",
            used(cache_control_max_age=604_800),
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": CLAIM,
                "reality": "Cache-Control: max-age=604800, more than 86,400 s",
                "severity": "notice",
            },
        ),
    ),
    passes=(
        Passes("an hour", used(cache_control_max_age=3_600)),
        Passes("exactly a day", used(cache_control_max_age=86_400)),
        Passes("no max-age", used(cache_control_max_age=None)),
        Passes("a page in its place", used(cache_control_max_age=604_800, state="html")),
    ),
)
