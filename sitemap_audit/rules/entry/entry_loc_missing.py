"""An entry without an address, or with two."""

from sitemap_audit.rules.relations import count_of, entries_with, listed_in
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, INDEX, MAP, SITE, entry, file, named, odd, undeclared

NONE = {"sitemap": MAP, "position": 4, "line": 12, "loc_issues": ["missing"]}
TWO = odd(f"{SITE}/a", "twice", line=30)

RULE = Rule(
    id="entry-loc-missing",
    severity=Severity.ERROR,
    title="Sitemap entry without exactly one address",
    why="An entry is its address: without a loc it says nothing, and of two nobody knows which one counts.",
    fix="Give each entry of {sitemap} exactly one loc, from line {line} on.",
    source=(Source("sitemaps-org", "XML tag definitions, loc is required"),),
    known_as=("Yandex: Tag not found / Tag found more than once",),
    needs=frozenset(),
    # Such entries have no name of their own: one finding for a file and a kind of fault, with its lines. White space
    # around an address is trimmed. An item of a feed without a link is feed-link-bad.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, sitemap || ': ' || fault AS subject, sitemap, lines[1] AS line,
               {listed_in("sitemap", "lines[1]")} AS claim,
               CASE fault WHEN 'twice' THEN 'more than one loc in an entry (the first is read): '
                          ELSE 'no loc in an entry, or an empty one: ' END
               || CASE WHEN n = 1 THEN 'line ' || coalesce(lines[1]::VARCHAR, '?')
                       ELSE {count_of("n")} || ' entries, lines ' || array_to_string(lines[:5], ', ')
                            || CASE WHEN n > 5 THEN ' …' ELSE '' END END AS reality
        FROM (
            SELECT sitemap, fault, count(*) AS n, list_sort(list(line))[:5] AS lines FROM (
                SELECT sitemap, line, 'missing' AS fault FROM ({entries_with("missing")}) WHERE NOT feed
                UNION ALL
                SELECT sitemap, line, 'twice' FROM ({entries_with("twice")}) WHERE NOT feed
            ) GROUP BY sitemap, fault
        )
    """,
    fires=(
        Fires(
            "a date, but no address",
            {"entries": [NONE], "sitemap_files": [file()]},
            {
                "url": None,
                "subject": f"{MAP}: missing",
                "sitemap": MAP,
                "line": 12,
                "claim": f"listed in {MAP}, line 12",
                "reality": "no loc in an entry, or an empty one: line 12",
                "severity": "error",
            },
        ),
        Fires(
            "seven of them: one finding",
            {
                "entries": [NONE | {"position": n, "line": n + 10} for n in range(2, 9)],
                "sitemap_files": [file()],
            },
            {
                "line": 12,
                "reality": "no loc in an entry, or an empty one: 7 entries, lines 12, 13, 14, 15, 16 …",
            },
        ),
        Fires(
            "two addresses",
            {"entries": [TWO], "sitemap_files": [file()]},
            {"line": 30, "reality": "more than one loc in an entry (the first is read): line 30"},
        ),
        Fires(
            "a sitemap element without loc",
            {"index_children": [NONE | {"sitemap": INDEX}], "sitemap_files": [file(INDEX, kind="index")]},
            {"sitemap": INDEX, "line": 12},
        ),
    ),
    passes=(
        Passes("one loc", {"entries": [entry(f"{SITE}/a")], "sitemap_files": [file()]}),
        Passes(
            "white space around it",
            {
                "entries": [odd(f" {SITE}/a\n", "whitespace", loc=f"{SITE}/a", url_key=f"{SITE}/a")],
                "sitemap_files": [file()],
            },
        ),
        Passes(
            "an item of a feed",
            {"entries": [NONE | {"sitemap": FEED}], "sitemap_files": [undeclared(FEED, kind="rss")]},
        ),
        Passes(
            "a child of an index",
            {"index_children": [named(MAP)], "sitemap_files": [file(INDEX, kind="index")]},
        ),
    ),
)
