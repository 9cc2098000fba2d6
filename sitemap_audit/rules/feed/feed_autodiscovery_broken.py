"""A link element that advertises a feed and leads to none."""

from sitemap_audit.rules.feed_cases import HOME, feed, home, link
from sitemap_audit.rules.relations import count_of, host_of, printable
from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, SITE, entry

GONE = feed(state="failed", status=404, kind="unknown")
WORKS = {"pages": [home(link())], "sitemap_files": [feed()], "entries": [entry(HOME)]}
OTHER = f"{SITE}/posts/1"

RULE = Rule(
    id="feed-autodiscovery-broken",
    severity=Severity.WARNING,
    title="Link to the feed leads to no feed",
    why="The page announces a feed by a link that programs cannot follow, so nobody can subscribe to it.",
    fix="In {url}, put the link into the head with straight quotes, the type of the feed, and an href that leads to it.",
    source=(Source("text-001", "feeds, autodiscovery: the link element and its quotes"),),
    needs=frozenset({Need.HEAD}),
    # Once a link and host, however many pages hold it. What a link leads to is judged only where it was read. RSS announced as Atom
    # is read by all: a notice. A JSON feed has no file of its kind here.
    sql=f"""
        WITH links AS (
            SELECT p.url_key, p.requested_url AS page, {host_of("p.url_key")} AS host, u.k AS k
            FROM pages p, unnest(p.feed_links) AS u(k) WHERE p.status = 200
        ),
        files AS (
            SELECT url, min(status) AS status, any_value(kind) AS kind, any_value(state) AS state, any_value(error_class) AS error_class
            FROM (SELECT url, status, kind, state, error_class FROM sitemap_files
                  UNION ALL SELECT requested_url, status, NULL, NULL, NULL FROM pages WHERE status >= 400 AND status <> 429
                        AND NOT coalesce(challenge, false)) GROUP BY url
        ),
        judged AS (
            SELECT l.*, CASE
                WHEN NOT coalesce(l.k.quote_ok, true) THEN 'typographic quotes around its attributes'
                WHEN coalesce(l.k.href_raw, '') = '' THEN 'it has no href'
                WHEN l.k.href IS NULL THEN 'its href is no address'
                WHEN f.status NOT IN (200, 304, 429) THEN l.k.href || ' answers ' || f.status
                WHEN f.status IS NULL AND f.error_class IN ('dns', 'connect', 'tls', 'timeout') THEN l.k.href || ' does not answer: ' || f.error_class
                WHEN f.status = 200 AND f.kind = 'html' THEN l.k.href || ' is a web page'
                WHEN f.status = 200 AND f.kind IN ('urlset', 'index', 'text', 'other_xml') THEN l.k.href || ' is no feed'
                WHEN NOT l.k.in_head THEN 'it stands outside the head'
                WHEN f.kind = 'atom' AND l.k.type = 'application/rss+xml' THEN 'its type says RSS, the feed is Atom'
                WHEN f.kind = 'rss' AND l.k.type = 'application/atom+xml' THEN 'its type says Atom, the feed is RSS' END AS fault
            FROM links l LEFT JOIN files f ON f.url = l.k.href
        )
        SELECT arg_min(url_key, (len(url_key), url_key)) AS url_key, arg_min(page, (len(url_key), url_key)) AS url,
               host || ' ' || left(coalesce(k.href, k.href_raw, ''), 300) AS subject,
               'link to the feed ' || {printable("left(coalesce(nullif(k.href_raw, ''), any_value(k.title), '?'), 200)")}
               || ' in ' || arg_min(page, (len(url_key), url_key))
               || CASE WHEN count(DISTINCT url_key) > 1 THEN ' and ' || {count_of("count(DISTINCT url_key) - 1")} || ' more' ELSE '' END AS claim,
               fault AS reality, k.href AS related_url,
               CASE WHEN starts_with(fault, 'its type says') THEN 'notice' END AS severity
        FROM judged WHERE fault IS NOT NULL
        GROUP BY host, k.href, k.href_raw, fault
        QUALIFY row_number() OVER (PARTITION BY subject ORDER BY len(claim), claim, fault) = 1
    """,
    fires=(
        Fires(
            "href 404",
            WORKS | {"sitemap_files": [GONE]},
            {
                "url": HOME,
                "subject": f"example.com {FEED}",
                "claim": f"link to the feed {FEED} in {HOME}",
                "reality": f"{FEED} answers 404",
                "related_url": FEED,
                "severity": "warning",
            },
        ),
        Fires(
            "typographic quotes",
            WORKS | {"pages": [home(link(None, "”/feed.xml”", quote_ok=False))]},
            {
                "claim": f"link to the feed ”/feed.xml” in {HOME}",
                "reality": "typographic quotes around its attributes",
            },
        ),
        Fires(
            "once per href, on two pages",
            WORKS
            | {
                "pages": [
                    home(link(in_head=False)),
                    home(link(in_head=False), url_key=OTHER, requested_url=OTHER),
                ]
            },
            {
                "url": HOME,
                "claim": f"link to the feed {FEED} in {HOME} and 1 more",
                "reality": "it stands outside the head",
            },
        ),
        Fires("no href", WORKS | {"pages": [home(link(None, ""))]}, {"reality": "it has no href"}),
        Fires(
            "it leads to a web page",
            WORKS | {"sitemap_files": [feed(state="failed") | {"kind": "html"}]},
            {"reality": f"{FEED} is a web page"},
        ),
        Fires(
            "the wrong type",
            WORKS | {"pages": [home(link(type="application/atom+xml"))]},
            {"reality": "its type says Atom, the feed is RSS", "severity": "notice"},
        ),
    ),
    passes=(
        Passes("works", WORKS),
        Passes("nobody asked for it", WORKS | {"sitemap_files": []}),
        Passes("429 may be our doing", WORKS | {"sitemap_files": [GONE | {"status": 429}]}),
        Passes(
            "a JSON feed",
            {"pages": [home(link(type="application/feed+json"))], "sitemap_files": [GONE | {"status": 200}]},
        ),
        Passes("no link", WORKS | {"pages": [home()]}),
    ),
)
