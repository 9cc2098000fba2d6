"""An index names files that do not belong to it."""

from sitemap_audit.rules.relations import count_of, host_of, listed_in, origin_of
from sitemap_audit.rules.rule import Confidence, Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import INDEX, SITE, child_file, file, named, robots, undeclared

CDN = "https://cdn.example.net"
FAR = f"{CDN}/a.xml"
DIRECTORY = undeclared(f"{SITE}/public/index.xml", "option", kind="index")
ASIDE = named(f"{SITE}/other/a.xml", 4, DIRECTORY["url"], loc_issues=["outside_directory"])
FOREIGN = named(FAR, 4, loc_issues=["other_host"])
OUTER = file(INDEX, kind="index")

RULE = Rule(
    id="sitemap-index-child-scope",
    severity=Severity.WARNING,
    # What was submitted to Search Console cannot be seen from outside.
    confidence=Confidence.LIKELY,
    title="Sitemap index lists files outside its own site or folder",
    why="An index may list only sitemaps of its own host, in its own folder or below; others are dropped unless their "
    "host's robots.txt names them.",
    fix="Move {sitemap} to the root of its host, or declare the files, or the index itself, in {related_url}.",
    source=(
        Source("g-index", "sitemap index best practices, same site and same or lower directory"),
        Source("sitemaps-org", "sitemap index, only sitemaps of the same site"),
    ),
    needs=frozenset(),
    # One finding for an index and the host of such children: the cause is the place of the index. A robots.txt that
    # names the index or the child proves the authority over its host; one that cannot be had proves nothing.
    sql=f"""
        WITH far AS (
            SELECT e.sitemap, e.line, e.loc, {origin_of("e.loc")} AS origin, list_contains(e.issues, 'other_host') AS foreign_host
            FROM (
                SELECT sitemap, line, loc, loc_issues AS issues FROM index_children
                WHERE list_has_any(loc_issues, ['other_host', 'outside_directory']) AND loc IS NOT NULL
            ) e
        ),
        declared AS (
            SELECT {host_of("r.origin")} AS host, u.s."abs" AS url FROM robots_files r, unnest(r.sitemaps) AS u(s)
            UNION SELECT {host_of("o.origin")}, f.url FROM sitemap_files f, unnest(f.declared_in) AS o(origin)
            UNION SELECT {host_of("o.origin")}, f.final_url FROM sitemap_files f, unnest(f.declared_in) AS o(origin)
        ),
        open AS (
            SELECT e.* FROM far e
            LEFT JOIN sitemap_files i ON i.url = e.sitemap
            ANTI JOIN declared d ON d.host = {host_of("e.loc")} AND d.url IN (e.sitemap, e.loc)
            WHERE NOT e.foreign_host OR {host_of("e.loc")} NOT IN ({host_of("e.sitemap")}, {host_of("coalesce(i.final_url, e.sitemap)")})
        )
        SELECT NULL::VARCHAR AS url_key, o.sitemap || ' to ' || o.origin AS subject, o.sitemap, min(o.line) AS line,
               {listed_in("o.sitemap", "min(o.line)")} AS claim,
               CASE WHEN bool_or(o.foreign_host) THEN 'files on another host: ' ELSE 'files beside its folder: ' END
               || {count_of("count(DISTINCT o.loc)")} || ', such as ' || min(o.loc)
               || '; ' || any_value(coalesce(r.robots_url, o.origin || '/robots.txt')) || ' ('
               || any_value(coalesce(r.status::VARCHAR, r.state, '?')) || ') names neither them nor the index' AS reality,
               any_value(coalesce(r.robots_url, o.origin || '/robots.txt')) AS related_url
        FROM open o JOIN (FROM robots_files WHERE at_root IS DISTINCT FROM false) r ON r.origin = o.origin
        WHERE coalesce(r.state NOT IN ('unreachable', 'server_error'), true)
        GROUP BY o.sitemap, o.origin
    """,
    fires=(
        Fires(
            "beside its folder",
            {"sitemap_files": [DIRECTORY], "index_children": [ASIDE], "robots_files": [robots()]},
            {
                "url": None,
                "subject": f"{SITE}/public/index.xml to {SITE}",
                "sitemap": f"{SITE}/public/index.xml",
                "line": 4,
                "claim": f"listed in {SITE}/public/index.xml, line 4",
                "reality": f"files beside its folder: 1, such as {SITE}/other/a.xml; {SITE}/robots.txt (200) names neither them nor the index",
                "related_url": f"{SITE}/robots.txt",
                "severity": "warning",
                "confidence": "likely",
            },
        ),
        Fires(
            "on another host, twice: one finding",
            {
                "sitemap_files": [OUTER],
                "index_children": [FOREIGN, named(f"{CDN}/b.xml", 6, loc_issues=["other_host"])],
                "robots_files": [robots(SITE, INDEX), robots(CDN, state="missing", status=404)],
            },
            {
                "line": 4,
                "reality": f"files on another host: 2, such as {CDN}/a.xml; {CDN}/robots.txt (404) names neither them nor the index",
            },
        ),
    ),
    passes=(
        Passes(
            "a root index with a child in a folder",
            {
                "sitemap_files": [OUTER],
                "index_children": [named(f"{SITE}/public/a.xml")],
                "robots_files": [robots()],
            },
        ),
        Passes(
            "the other host's robots.txt names the index",
            {"sitemap_files": [OUTER], "index_children": [FOREIGN], "robots_files": [robots(CDN, INDEX)]},
        ),
        Passes(
            "it names the child",
            {
                "sitemap_files": [OUTER, child_file(FAR)],
                "index_children": [FOREIGN],
                "robots_files": [robots(CDN, FAR)],
            },
        ),
        Passes(
            "beside its folder, but robots.txt names the index",
            {
                "sitemap_files": [DIRECTORY | {"source": "robots", "declared_in": [SITE]}],
                "index_children": [ASIDE],
                "robots_files": [robots(SITE, DIRECTORY["url"])],
            },
        ),
        Passes(
            "the other host's robots.txt cannot be had",
            {
                "sitemap_files": [OUTER],
                "index_children": [FOREIGN],
                "robots_files": [robots(CDN, state="unreachable", status=None)],
            },
        ),
        Passes(
            "the index moved away from that host",
            {
                "sitemap_files": [OUTER | {"final_url": "https://www.example.com/index.xml"}],
                "index_children": [named(f"{SITE}/a.xml", loc_issues=["other_host"])],
                "robots_files": [robots()],
            },
        ),
    ),
)
