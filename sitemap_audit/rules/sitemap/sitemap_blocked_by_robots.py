"""robots.txt forbids the sitemap itself."""

from sitemap_audit.rules.relations import SITEMAP_FILES, origin_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier

SITE = "https://example.com"
MAP = f"{SITE}/sitemap.xml"
BLOCKED = {
    "url": MAP,
    "source": "robots",
    "declared_in": [SITE],
    "state": "ok",
    "kind": "urlset",
    "status": 200,
    "allowed": False,
    "robots_state": "ok",
    "robots_line": 3,
    "robots_rule": "Disallow: /*.xml$",
}

RULE = Rule(
    id="sitemap-blocked-by-robots",
    tier=Tier.TOP30,
    rank=15,
    severity=Severity.ERROR,
    title="Sitemap is blocked by robots.txt",
    why="Search engines may not read the sitemap, whoever declares it.",
    fix="Allow the path of {sitemap} in {related_url}.",
    source=(
        Source("g-robots", "what allow and disallow rules cover"),
        Source("gsc-sitemaps", "list of errors, blocked by robots.txt"),
    ),
    known_as=("Lumar: Broken/Disallowed Sitemaps", "Yandex: The URL is forbidden in robots.txt"),
    needs=frozenset(),
    # By the robots.txt of the sitemap's own host. An outage has its own finding.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.claim,
               {origin_of("f.url")} || '/robots.txt, line ' || f.robots_line || ': '
               || coalesce(f.robots_rule, 'Disallow') || ' (' || (SELECT verdict_bot FROM settings) || ')' AS reality,
               {origin_of("f.url")} || '/robots.txt' AS related_url
        FROM ({SITEMAP_FILES}) f
        WHERE f.declared AND NOT f.allowed AND f.robots_line IS NOT NULL AND f.source IS DISTINCT FROM 'list'
          AND coalesce(f.robots_state NOT IN ('unreachable', 'server_error'), true)
    """,
    fires=(
        Fires(
            "all XML files are forbidden",
            {"sitemap_files": [BLOCKED]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "claim": f"declared in robots.txt of {SITE}",
                "reality": f"{SITE}/robots.txt, line 3: Disallow: /*.xml$ (googlebot)",
                "related_url": f"{SITE}/robots.txt",
                "severity": "error",
            },
        ),
    ),
    passes=(
        Passes("allowed", {"sitemap_files": [BLOCKED | {"allowed": True}]}),
        Passes(
            "only the site's robots.txt forbids it, not that of the sitemap's host",
            {
                "sitemap_files": [
                    BLOCKED
                    | {"url": "https://cdn.example.net/sitemap.xml", "allowed": True, "robots_line": None}
                ],
                "robots_files": [
                    {
                        "origin": SITE,
                        "robots_url": f"{SITE}/robots.txt",
                        "state": "ok",
                        "policy": "disallow_all",
                    }
                ],
            },
        ),
        Passes(
            "robots.txt is out of reach",
            {"sitemap_files": [BLOCKED | {"robots_state": "unreachable", "robots_line": None}]},
        ),
        Passes(
            "a guessed place that nobody may look at",
            {
                "sitemap_files": [
                    BLOCKED | {"source": "guess", "declared_in": None, "state": "blocked", "status": None}
                ]
            },
        ),
        Passes(
            "the verdict is not known", {"sitemap_files": [BLOCKED | {"allowed": None, "robots_line": None}]}
        ),
    ),
)
