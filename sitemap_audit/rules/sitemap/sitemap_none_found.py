"""A site without any sitemap that can be read."""

from sitemap_audit.rules.relations import count_of, origin_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, MAP, ROBOTS, SITE, file, robots, undeclared

RUN = {"run_id": "1", "state": "done", "options": '{"sites": ["example.com"]}'}
NOTHING = robots(state="missing", status=404)
LOST = file(state="failed", status=404, first_status=404, kind="unknown")
HOME = f"{SITE}/"

RULE = Rule(
    id="sitemap-none-found",
    severity=Severity.ERROR,
    title="No sitemap was found",
    why="There is no map to audit: search engines must find the pages of this site by links only.",
    fix="Write a sitemap of all pages that are to be found, and name it in {url} by a line `Sitemap: …`.",
    source=(
        Source("text-002", "line 42, who needs a sitemap; line 65, ways to submit"),
        Source("g-overview", "do I need a sitemap"),
    ),
    known_as=("Semrush: Sitemap.xml not found",),
    needs=frozenset(),
    # An origin with listed URLs has a map, wherever it lies. While robots.txt cannot be had nobody knows what it
    # names, and nothing was guessed; a run that was broken off has not looked everywhere. A feed is a map
    # (sitemap-feed-only). Google: a site of some 500 pages that is well linked may need none.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, u.origin AS subject, r.robots_url AS url, u.claim,
               CASE WHEN d.n > 0 THEN 'declared files: ' || {count_of("d.n")} || ', none of them can be read, the first is ' || d.first
                    ELSE r.robots_url || ' (' || coalesce(r.status::VARCHAR, r.state, '?') || ') names none' END
               || '; none at the usual places, no feed in the head of the home page' AS reality,
               CASE WHEN l.pages <= s.small_site_pages THEN 'warning' END AS severity
        FROM origins_in_use u JOIN settings s ON u.place = 1
        JOIN robots_files r ON r.origin = u.origin AND r.at_root IS DISTINCT FROM false
            AND coalesce(r.state NOT IN ('unreachable', 'server_error'), true)
        LEFT JOIN (
            SELECT origin, count(*) FILTER (readable) AS readable,
                   count(DISTINCT url) FILTER (NOT readable AND source IS DISTINCT FROM 'guess') AS n,
                   min(url || ' (' || coalesce(error_class, status::VARCHAR, state, '?') || ')')
                       FILTER (NOT readable AND source IS DISTINCT FROM 'guess') AS first
            FROM (
                SELECT f.*, state IN ('ok', 'partial') AND kind IN ('urlset', 'index', 'text', 'rss', 'atom') AS readable,
                       unnest(list_distinct(list_concat([{origin_of("url")}, {origin_of("coalesce(final_url, url)")}],
                                                        coalesce(declared_in, [])))) AS origin
                FROM sitemap_files f WHERE source IS DISTINCT FROM 'list'
            ) GROUP BY origin
        ) d ON d.origin = u.origin
        LEFT JOIN (
            SELECT {origin_of("to_key")} AS origin, count(DISTINCT to_key) AS pages FROM links GROUP BY 1
        ) l ON l.origin = u.origin
        WHERE coalesce(d.readable, 0) = 0
          -- Who names a file or a folder has not asked for a search.
          AND NOT regexp_matches(u.claim, '^the audited site ([A-Za-z]+://)?[^/]+/.')
          AND NOT EXISTS (FROM runs WHERE state IN ('running', 'interrupted'))
    """,
    fires=(
        Fires(
            "no robots.txt and no sitemap.xml",
            {"runs": [RUN], "robots_files": [NOTHING]},
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": "the audited site example.com",
                "reality": f"{ROBOTS} (404) names none; none at the usual places, no feed in the head of the home page",
                "severity": "error",
            },
        ),
        Fires(
            "the one that is named is gone",
            {"runs": [RUN], "robots_files": [robots(SITE, MAP)], "sitemap_files": [LOST]},
            {
                "reality": f"declared files: 1, none of them can be read, the first is {MAP} (404); none at the usual places, "
                "no feed in the head of the home page"
            },
        ),
        Fires(
            "the links of the site show a small one, which may need no sitemap",
            {
                "runs": [RUN],
                "robots_files": [NOTHING],
                "links": [{"from_key": HOME, "to_key": f"{SITE}/{n}"} for n in range(9)],
            },
            {"severity": "warning"},
        ),
    ),
    passes=(
        Passes("a sitemap", {"runs": [RUN], "robots_files": [NOTHING], "sitemap_files": [undeclared(MAP)]}),
        Passes(
            "only a feed: it is used, and sitemap-feed-only says so",
            {
                "runs": [RUN],
                "robots_files": [NOTHING],
                "sitemap_files": [undeclared(FEED, "feed_link", kind="atom")],
            },
        ),
        Passes(
            "its robots.txt names one on another host",
            {
                "runs": [RUN],
                "robots_files": [robots(SITE, "https://cdn.example.net/sitemap.xml")],
                "sitemap_files": [file("https://cdn.example.net/sitemap.xml")],
            },
        ),
        Passes(
            "robots.txt cannot be had: nobody looked further",
            {"runs": [RUN], "robots_files": [robots(state="unreachable", status=None)]},
        ),
        Passes(
            "the user names a file, which is gone",
            {
                "runs": [RUN | {"options": '{"sites": ["https://example.com/map.xml"]}'}],
                "robots_files": [NOTHING],
            },
        ),
        Passes(
            "the run was broken off", {"runs": [RUN | {"state": "interrupted"}], "robots_files": [NOTHING]}
        ),
        Passes(
            "a run over a list of URLs has no site",
            {"runs": [RUN | {"options": '{"sites": []}'}], "robots_files": [NOTHING]},
        ),
    ),
)
