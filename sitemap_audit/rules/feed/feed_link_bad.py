"""Items of a feed whose address leads nowhere, or by way of a stranger."""

from sitemap_audit.rules.feed_cases import feed, item
from sitemap_audit.rules.feeds import FEEDS
from sitemap_audit.rules.relations import count_of, host_of, loc_text, printable
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, SITE, entry, file, odd

RELATIVE = item(1) | {"loc_raw": "/posts/1", "loc_issues": ["relative"]}
NONE = (
    odd("x", "missing") | item(1) | {"url_key": None, "loc": None, "loc_raw": None, "loc_issues": ["missing"]}
)
PROXY = "https://feedproxy.google.com/~r/blog/~3/abc"
OTHERS = [
    entry(f"https://old.example.net/posts/{n}", n, FEED, loc_issues=["other_host"]) for n in range(1, 4)
]

RULE = Rule(
    id="feed-link-bad",
    severity=Severity.ERROR,
    title="Feed items have no usable address",
    why="An item without the full address of its page leads nobody there; an address on a tracking host hides which page is meant.",
    fix="Write the full, canonical address of its page into each item of {sitemap}, beginning with https://.",
    source=(
        Source("text-000", "RSS and Atom feeds, the address of each page"),
        Source("rss2", "elements of item, link and guid"),
        Source("rfc4287", "4.2.7, link; 2, xml:base"),
    ),
    needs=frozenset(),
    # One finding a file and fault. A guid that is a permalink has stood in already; xml:base makes an Atom link whole.
    # Without it such a link is still legal, counted from the address of the feed: a warning. A feed may point to
    # other sites: only if every item lies on one other, unrelated host is it likely a wrong base address.
    sql=f"""
        WITH items AS (
            SELECT f.url AS feed, f.kind, f.host, e.line, e.position, e.loc_raw, coalesce(e.loc_issues, []) AS issues,
                   {host_of("e.loc")} AS item_host, e.loc
            FROM entries e JOIN ({FEEDS}) f ON f.url = e.sitemap
        ),
        faults AS (
            SELECT *, CASE WHEN list_contains(issues, 'missing') THEN 'missing'
                WHEN list_contains(issues, 'relative') THEN 'relative'
                WHEN regexp_matches(item_host, '^(feedproxy\\.(google|feedburner)\\.com|feeds\\.feedburner\\.com|(da|go|rss)\\.feedsportal\\.com|feedads\\.[a-z.]+)$')
                     OR regexp_matches(loc, '^https?://feeds\\.[^/]+/~r/') THEN 'tracking' END AS fault
            FROM items
        ),
        hosts AS (SELECT DISTINCT u.h AS host FROM items i, unnest([i.host, i.item_host]) AS u(h)),
        audited AS (SELECT DISTINCT h.host FROM hosts h JOIN runs r ON contains(r.options, h.host)),
        strangers AS (
            SELECT feed, 'stranger' AS fault, any_value(item_host) AS item_host FROM faults
            GROUP BY feed
            HAVING count(*) >= (SELECT feed_now_min_entries FROM settings) AND count(DISTINCT item_host) = 1 AND bool_and(fault IS NULL)
               AND bool_and(list_contains(issues, 'other_host') AND NOT list_contains(issues, 'private_host'))
               AND array_to_string(string_split(any_value(item_host), '.')[-2:], '.')
                   <> array_to_string(string_split(any_value(host), '.')[-2:], '.')
               -- Whose feed lies with a service has its pages on a host of its own; nor is a host strange that was audited, or is in a sitemap.
               AND any_value(host) IN (SELECT a.host FROM audited a) AND any_value(item_host) NOT IN (SELECT a.host FROM audited a)
               AND any_value(item_host) NOT IN (SELECT {host_of("url")} FROM urls WHERE discovered_by = 'sitemap')
        ),
        found AS (
            SELECT i.feed, coalesce(i.fault, s.fault) AS fault, i.kind, i.line, i.position, i.loc_raw, i.item_host
            FROM faults i LEFT JOIN strangers s ON s.feed = i.feed WHERE i.fault IS NOT NULL OR s.fault IS NOT NULL
        )
        SELECT NULL::VARCHAR AS url_key, g.feed || ' ' || g.fault AS subject, g.feed AS sitemap, arg_min(g.line, g.position) AS line,
               CASE g.fault WHEN 'missing' THEN 'an item without a link'
                    ELSE 'link ' || left({printable(loc_text("arg_min(g.loc_raw, g.position)"))}, 100) END
               || ' in ' || g.feed || coalesce(', line ' || arg_min(g.line, g.position), '') AS claim,
               {count_of("count(*)")} || ' of ' || {count_of("any_value(n.n)")} || ' items '
               || CASE g.fault WHEN 'missing' THEN 'have neither a link nor a guid that is one'
                    WHEN 'relative' THEN 'have an address that is not whole'
                    WHEN 'tracking' THEN 'lead by way of ' || any_value(g.item_host)
                    ELSE 'lie on the host ' || any_value(g.item_host) || ', none on the host of the feed' END AS reality,
               CASE WHEN g.fault = 'stranger' OR (g.fault = 'relative' AND any_value(g.kind) = 'atom') THEN 'warning' END AS severity,
               CASE WHEN g.fault = 'stranger' THEN 'possible' END AS confidence
        FROM found g JOIN (SELECT feed, count(*) AS n FROM items GROUP BY feed) n ON n.feed = g.feed
        GROUP BY g.feed, g.fault
    """,
    fires=(
        Fires(
            "/a for an address",
            {"sitemap_files": [feed()], "entries": [RELATIVE, item(2)]},
            {
                "url": None,
                "subject": f"{FEED} relative",
                "sitemap": FEED,
                "line": 3,
                "claim": f"link /posts/1 in {FEED}, line 3",
                "reality": "1 of 2 items have an address that is not whole",
                "severity": "error",
            },
        ),
        Fires(
            "no link",
            {"sitemap_files": [feed()], "entries": [NONE | {"guid": "tag:1"}, item(2)]},
            {
                "claim": f"an item without a link in {FEED}, line 3",
                "reality": "1 of 2 items have neither a link nor a guid that is one",
            },
        ),
        Fires(
            "a tracking redirect",
            {
                "sitemap_files": [feed()],
                "entries": [entry(PROXY, 3, FEED, loc_issues=["other_host"]), item(2)],
            },
            {"reality": "1 of 2 items lead by way of feedproxy.google.com", "severity": "error"},
        ),
        Fires(
            "relative in Atom, without xml:base",
            {"sitemap_files": [feed(kind="atom")], "entries": [RELATIVE]},
            {"severity": "warning"},
        ),
        Fires(
            "every item lies on one other host",
            {
                "sitemap_files": [feed()],
                "entries": OTHERS,
                "runs": [{"run_id": "1", "options": '{"sites": ["example.com"]}'}],
            },
            {
                "reality": "3 of 3 items lie on the host old.example.net, none on the host of the feed",
                "severity": "warning",
                "confidence": "possible",
            },
        ),
    ),
    passes=(
        Passes("full", {"sitemap_files": [feed()], "entries": [item(1)]}),
        Passes(
            "xml:base makes a relative link legal in Atom",
            {"sitemap_files": [feed(kind="atom")], "entries": [item(1) | {"loc_raw": "/posts/1"}]},
        ),
        Passes(
            "a guid that is a permalink stands in",
            {"sitemap_files": [feed()], "entries": [item(1, guid=f"{SITE}/posts/1")]},
        ),
        Passes(
            "a feed of links to other sites",
            {
                "sitemap_files": [feed()],
                "entries": [*OTHERS, entry("https://example.org/a", 30, FEED, loc_issues=["other_host"])],
                "runs": [{"run_id": "1", "options": '{"sites": ["example.com"]}'}],
            },
        ),
        Passes(
            "the feed of a service lists pages of the audited site",
            {
                "sitemap_files": [feed("https://feeds.example.net/blog")],
                "entries": [
                    item(n, "https://feeds.example.net/blog", loc_issues=["other_host"]) for n in range(1, 4)
                ],
                "runs": [{"run_id": "1", "options": '{"sites": ["example.com"]}'}],
            },
        ),
        Passes("an XML sitemap", {"sitemap_files": [file(FEED)], "entries": [RELATIVE]}),
    ),
)
