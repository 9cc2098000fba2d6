"""The page forwards its visitors itself, in place of the server."""

from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source, Tier

PAGE, NEW = "https://example.com/a", "https://example.com/new"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 1, "line": 3}
READ = {
    "url_key": PAGE,
    "requested_url": PAGE,
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "hop_count": 0,
    "final_url": PAGE,
    "final_key": PAGE,
    "canonical_state": "none",
}
LED = READ | {"hop_count": 1, "final_url": NEW, "final_key": NEW}
HOP = {"url_key": PAGE, "n": 1, "url": PAGE, "status": 200, "kind": "meta_refresh", "location": NEW}

RULE = Rule(
    id="page-meta-refresh",
    tier=Tier.LATER,
    severity=Severity.WARNING,
    title="Page forwards its visitors",
    why="The page sends visitors on to another one: at once counts as a permanent redirect, after some seconds as "
    "a temporary one.",
    fix="Let the server redirect {url}, and list {related_url} instead.",
    source=(Source("g-redirect", "meta refresh redirects"),),
    known_as=("Screaming Frog: Meta Refresh", "Screaming Frog: Directives: Refresh"),
    needs=frozenset({Need.HEAD}),
    # An immediate one is a hop of its own kind. A page that only loads itself again forwards nobody.
    sql="""
        WITH at_once AS (
            SELECT url_key, arg_min(kind, n) AS kind, arg_min(location, n) AS location, arg_min(url, n) AS url FROM hops
            WHERE kind IN ('meta_refresh', 'refresh_header') AND location IS NOT NULL GROUP BY url_key
        ),
        said AS (
            SELECT url_key, 'refresh_header' AS kind, refresh_header.seconds AS seconds, refresh_header.url AS location, final_url, requested_url
            FROM pages WHERE state = 'checked' AND status = 200
            UNION ALL
            SELECT url_key, 'meta_refresh', refresh.seconds, refresh.url, final_url, requested_url FROM pages WHERE state = 'checked' AND status = 200
        ),
        ways AS (
            SELECT url_key, kind, 0 AS seconds, location FROM at_once
            UNION ALL
            SELECT s.url_key, s.kind, s.seconds, s.location FROM said s ANTI JOIN at_once a ON a.url_key = s.url_key
            WHERE s.location IS NOT NULL AND split_part(s.location, '#', 1) NOT IN (s.url_key, coalesce(s.final_url, s.url_key), s.requested_url)
        )
        SELECT url_key, url_key AS subject, arg_min(location, (seconds, kind)) AS related_url,
               CASE arg_min(kind, (seconds, kind)) WHEN 'refresh_header' THEN 'Refresh header' ELSE 'meta refresh' END
               || CASE WHEN min(seconds) > 0 THEN ' after ' || min(seconds)::BIGINT || ' s' ELSE ' at once' END
               || ', to ' || arg_min(location, (seconds, kind)) AS reality
        FROM ways GROUP BY url_key
    """,
    fires=(
        Fires(
            "at once",
            {"entries": [LISTED], "pages": [LED], "hops": [HOP]},
            {
                "url": PAGE,
                "claim": f"listed in {MAP}, line 3",
                "reality": f"meta refresh at once, to {NEW}",
                "related_url": NEW,
                "severity": "warning",
            },
        ),
        Fires(
            "after ten seconds",
            {"entries": [LISTED], "pages": [READ | {"refresh": {"seconds": 10, "url": NEW}}]},
            {"reality": f"meta refresh after 10 s, to {NEW}"},
        ),
        Fires(
            "by a header, to another host that was not followed",
            {"entries": [LISTED], "pages": [READ | {"refresh_header": {"seconds": 0, "url": "https://example.net/"}}]},
            {"reality": "Refresh header at once, to https://example.net/"},
        ),
    ),
    passes=(
        Passes("a news ticker loads itself again", {"entries": [LISTED], "pages": [READ | {"refresh": {"seconds": 300, "url": PAGE}}]}),
        Passes("without an address", {"entries": [LISTED], "pages": [READ | {"refresh": {"seconds": 300, "url": None}}]}),
        Passes("a place in itself", {"entries": [LISTED], "pages": [READ | {"refresh": {"seconds": 0, "url": PAGE + "#top"}}]}),
        Passes("301 of the server", {"entries": [LISTED], "pages": [LED | {"first_status": 301}], "hops": [HOP | {"kind": "http", "status": 301}]}),
        Passes("nobody lists it", {"pages": [LED | {"discovered_by": "hreflang"}], "hops": [HOP]}),
    ),
)  # fmt: skip
