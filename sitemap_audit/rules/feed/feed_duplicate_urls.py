"""One feed under several addresses."""

from sitemap_audit.rules.feed_cases import feed
from sitemap_audit.rules.feeds import FEEDS
from sitemap_audit.rules.relations import count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import SITE

SAME = "00c0ffee00c0ffee-3"
ONE, TWO = f"{SITE}/?feed=rss2", f"{SITE}/feed"
TWINS = [feed(url, loc_set_hash=SAME, feed_title="Blog") for url in (ONE, TWO)]

RULE = Rule(
    id="feed-duplicate-urls",
    severity=Severity.NOTICE,
    title="One feed has several addresses",
    why="Several addresses of one feed split its subscribers, and each is asked for by itself.",
    fix="Redirect {related_url} to {sitemap}, or the other way round, and advertise that one alone.",
    source=(Source("text-001", "feeds, one address for each"),),
    needs=frozenset(),
    # RSS beside Atom is normal: only feeds of one format are compared. http and https are one address here, and a feed of another
    # title (of a category that holds all posts) is another feed.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, files[1] || ' and ' || files[2] AS subject, files[1] AS sitemap, files[2] AS related_url,
               'the ' || form || ' feed ' || array_to_string(files[:3], ' and ')
               || CASE WHEN len(files) > 3 THEN ' and ' || {count_of("len(files) - 3")} || ' more' ELSE '' END AS claim,
               'the same ' || {count_of("items")} || ' items at each of these addresses' AS reality
        FROM (
            SELECT form, loc_set_hash, split_part(loc_set_hash, '-', 2)::BIGINT AS items, list_sort(list(url)) AS files
            FROM (
                SELECT form, host, loc_set_hash, coalesce(feed_title, '') AS title, min(place) AS url FROM ({FEEDS})
                WHERE loc_set_hash IS NOT NULL AND usable > 0
                GROUP BY 1, 2, 3, 4, regexp_replace(regexp_replace(place, '^https?://', ''), '/$', '')
            ) GROUP BY form, host, loc_set_hash, title HAVING count(*) > 1
        )
    """,
    fires=(
        Fires(
            "/feed and /?feed=rss2",
            {"sitemap_files": TWINS},
            {
                "url": None,
                "subject": f"{ONE} and {TWO}",
                "sitemap": ONE,
                "related_url": TWO,
                "claim": f"the RSS feed {ONE} and {TWO}",
                "reality": "the same 3 items at each of these addresses",
                "severity": "notice",
            },
        ),
    ),
    passes=(
        Passes("rss and atom twin of one blog", {"sitemap_files": [TWINS[0], TWINS[1] | {"kind": "atom"}]}),
        Passes(
            "other items", {"sitemap_files": [TWINS[0], TWINS[1] | {"loc_set_hash": "00c0ffee00c0ffff-3"}]}
        ),
        Passes(
            "the feed of a category that holds all posts",
            {"sitemap_files": [TWINS[0], TWINS[1] | {"feed_title": "Blog: News"}]},
        ),
        Passes("two empty feeds", {"sitemap_files": [t | {"usable": 0} for t in TWINS]}),
        Passes(
            "http and https",
            {
                "sitemap_files": [
                    TWINS[0],
                    TWINS[0] | {"url": "http://example.com/?feed=rss2", "final_url": None},
                ]
            },
        ),
        Passes("the one leads to the other", {"sitemap_files": [TWINS[0], TWINS[1] | {"state": "skipped"}]}),
    ),
)
