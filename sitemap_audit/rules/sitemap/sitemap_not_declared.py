"""A sitemap that nothing names."""

from sitemap_audit.rules.relations import SITEMAP_FILES, count_of, origin_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import (
    FEED,
    INDEX,
    MAP,
    ROBOTS,
    SITE,
    child_file,
    file,
    robots,
    undeclared,
)

GUESSED = undeclared(MAP)

RULE = Rule(
    id="sitemap-not-declared",
    severity=Severity.NOTICE,
    title="Sitemap is declared nowhere",
    why="This file was found only because its name is a usual one: neither robots.txt nor a sitemap index names it, so "
    "search engines may not know it.",
    fix="Add the line `Sitemap: {sitemap}` to {related_url}, or submit the file in Search Console and Bing Webmaster Tools.",
    source=(
        Source("text-002", "line 65, ways to submit a sitemap"),
        Source("g-sitemap", "submit your sitemap"),
    ),
    needs=frozenset(),
    # A submission in Search Console cannot be seen from outside: never more than a notice. While robots.txt
    # cannot be had nobody knows what it names.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, f.url AS subject, f.url AS sitemap, f.claim,
               coalesce(r.robots_url || ' (' || coalesce(r.status::VARCHAR, r.state, '?') || ')', 'robots.txt')
               || ' does not name it; entries: ' || {count_of("coalesce(f.entries, 0)")} AS reality,
               coalesce(r.robots_url, {origin_of("f.url")} || '/robots.txt') AS related_url
        FROM ({SITEMAP_FILES}) f
        LEFT JOIN (FROM robots_files WHERE at_root IS DISTINCT FROM false) r ON r.origin = {origin_of("f.url")}
        WHERE NOT f.declared AND f.state IN ('ok', 'partial') AND f.kind IN ('urlset', 'index', 'text')
          AND coalesce(r.state NOT IN ('unreachable', 'server_error'), true)
    """,
    fires=(
        Fires(
            "at the usual place, robots.txt names none",
            {"sitemap_files": [GUESSED], "robots_files": [robots()]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "claim": "found under a usual name, declared nowhere",
                "reality": f"{ROBOTS} (200) does not name it; entries: 3",
                "related_url": ROBOTS,
                "severity": "notice",
            },
        ),
        Fires(
            "there is no robots.txt",
            {"sitemap_files": [GUESSED], "robots_files": [robots(state="missing", status=404)]},
            {"reality": f"{ROBOTS} (404) does not name it; entries: 3"},
        ),
    ),
    passes=(
        Passes("declared", {"sitemap_files": [file()], "robots_files": [robots(SITE, MAP)]}),
        Passes(
            "found by its name, and an index names it too",
            {
                "sitemap_files": [GUESSED, file(INDEX, kind="index")],
                "index_children": [{"sitemap": INDEX, "position": 1, "line": 3, "loc": MAP, "url_key": MAP}],
            },
        ),
        Passes("a child of an index", {"sitemap_files": [child_file(MAP)]}),
        Passes("the user names it: perhaps it was submitted", {"sitemap_files": [undeclared(MAP, "option")]}),
        Passes("a feed at a usual place", {"sitemap_files": [undeclared(FEED, kind="rss")]}),
        Passes("no sitemap is there", {"sitemap_files": [GUESSED | {"state": "failed", "kind": "html"}]}),
        Passes(
            "robots.txt cannot be had",
            {"sitemap_files": [GUESSED], "robots_files": [robots(state="server_error", status=503)]},
        ),
    ),
)
