"""A feed that no page names in its head."""

from sitemap_audit.rules.feed_cases import HOME, feed, home, item, link
from sitemap_audit.rules.feeds import ADVERTISES, FEEDS, HOMES
from sitemap_audit.rules.relations import count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import DECLARED, FEED, SITE, file

NAMED = feed(source="robots", declared_in=[SITE])
CASE = {"sitemap_files": [NAMED], "entries": [item(1)], "pages": [home()]}

RULE = Rule(
    id="feed-not-advertised",
    severity=Severity.NOTICE,
    title="Feed is not advertised on the home page",
    why="Browsers, feed readers and search engines look for a feed in the head of a page; nothing there leads to this one.",
    fix='Add <link rel="alternate" type="application/rss+xml" href="{sitemap}"> to the head of {url}; for Atom the type is '
    "application/atom+xml.",
    source=(Source("text-001", "feeds, autodiscovery by a link element in the head"),),
    needs=frozenset(),
    # Once a host, and only where the head of its home page was read. A page of the section may advertise the feed instead of the home page;
    # a media feed that is a video sitemap (mRSS) is not for readers.
    sql=f"""
        WITH homes AS (SELECT host, min(requested_url) AS url, bool_or({ADVERTISES}) AS advertises FROM ({HOMES}) p GROUP BY host),
        advertised AS (SELECT u.k.href AS href FROM pages p, unnest(p.feed_links) AS u(k)),
        media AS (SELECT sitemap FROM entries GROUP BY sitemap HAVING bool_and(len(media) > 0))
        SELECT NULL::VARCHAR AS url_key, f.host AS subject, h.url AS url, min(f.url) AS sitemap, arg_min(f.claim, f.url) AS claim,
               'the head of ' || h.url || ' links to no feed; feeds of this host: ' || {count_of("count(*)")} AS reality
        FROM ({FEEDS}) f JOIN homes h ON h.host = f.host
        ANTI JOIN media m ON m.sitemap = f.url
        WHERE NOT h.advertises AND f.first_page
          AND f.host NOT IN (SELECT a.host FROM ({FEEDS}) a WHERE a.source = 'feed_link'
                             OR a.url IN (SELECT href FROM advertised WHERE href IS NOT NULL)
                             OR a.place IN (SELECT href FROM advertised WHERE href IS NOT NULL))
        GROUP BY f.host, h.url
    """,
    fires=(
        Fires(
            "robots.txt names the feed, the home page does not",
            CASE,
            {
                "url": HOME,
                "subject": "example.com",
                "sitemap": FEED,
                "claim": DECLARED,
                "reality": f"the head of {HOME} links to no feed; feeds of this host: 1",
                "severity": "notice",
            },
        ),
    ),
    passes=(
        Passes("link", CASE | {"pages": [home(link())]}),
        Passes("it advertises another feed", CASE | {"pages": [home(link(f"{SITE}/atom.xml"))]}),
        Passes(
            "a page of that section advertises it",
            CASE | {"pages": [home(), home(link(), url_key=f"{SITE}/blog/")]},
        ),
        Passes(
            "a Link header",
            CASE | {"pages": [home(link_header=[f'<{FEED}>; rel="alternate"; type="application/atom+xml"'])]},
        ),
        Passes("the head was not read", CASE | {"pages": [home(canonical_state=None)]}),
        Passes("the home page is not known", CASE | {"pages": [home(url_key=f"{SITE}/posts/1")]}),
        Passes("a video sitemap in mRSS", CASE | {"entries": [item(1, media=[{"url": f"{SITE}/a.mp4"}])]}),
        Passes("no feed", CASE | {"sitemap_files": [file()]}),
    ),
)
