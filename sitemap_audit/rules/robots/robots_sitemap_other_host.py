"""A Sitemap line leads to another host."""

from sitemap_audit.rules.relations import ROBOTS_TEXTS, host_of
from sitemap_audit.rules.robots_cases import CLAIM, ROBOTS, used
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier

FAR = "https://cdn.example.org/e-com.xml"
LINE = {"line": 4, "raw": FAR, "abs": FAR, "same_host": False}

RULE = Rule(
    id="robots-sitemap-other-host",
    tier=Tier.LATER,
    severity=Severity.NOTICE,
    title="A Sitemap line names a file on another host",
    why="This is allowed: the line in robots.txt proves the right to list this host's URLs in a file that lies elsewhere "
    "(cross-submission).",
    fix="Make sure that {related_url} lists only URLs of this host, or of hosts whose robots.txt names it too.",
    source=(
        Source("g-sitemap", "cross-submission"),
        Source("g-robots", "sitemap, may lie on another host"),
        Source("sitemaps-org", "sitemaps and cross submits"),
    ),
    needs=frozenset(),
    # A robots.txt that is itself served by the other host, by redirect, is that host's own.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, a.robots_url || ' ' || u.x.abs AS subject, a.robots_url AS url,
               any_value(a.claim) AS claim, 'line ' || min(u.x.line) || ': Sitemap: ' || left(u.x.abs, 200) AS reality,
               u.x.abs AS related_url
        FROM ({ROBOTS_TEXTS}) a, unnest(a.sitemaps) AS u(x)
        WHERE NOT u.x.same_host AND u.x.abs IS NOT NULL
          AND {host_of("u.x.abs")} IS DISTINCT FROM {host_of("a.final_url")}
        GROUP BY a.robots_url, u.x.abs
    """,
    fires=(
        Fires(
            "a content network",
            used(sitemaps=[LINE]),
            {
                "subject": f"{ROBOTS} {FAR}",
                "url": ROBOTS,
                "claim": CLAIM,
                "reality": f"line 4: Sitemap: {FAR}",
                "related_url": FAR,
                "severity": "notice",
            },
        ),
    ),
    passes=(
        Passes("the same host", used(sitemaps=[LINE | {"same_host": True}])),
        Passes("no usable address", used(sitemaps=[LINE | {"abs": None}])),
        Passes(
            "the robots.txt is served from there",
            used(sitemaps=[LINE], final_url="https://cdn.example.org/robots.txt"),
        ),
    ),
)
