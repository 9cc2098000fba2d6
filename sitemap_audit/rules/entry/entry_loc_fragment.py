"""An entry's address with a part behind #."""

from sitemap_audit.rules.relations import entries_with, listed_in, loc_text, printable
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, MAP, SITE, entry, file, odd, undeclared

APP = odd(f"{SITE}/#/products", "fragment", loc=f"{SITE}/", url_key=f"{SITE}/", line=7)

RULE = Rule(
    id="entry-loc-fragment",
    severity=Severity.WARNING,
    title="Sitemap entry's address has a fragment",
    why="Search engines ignore the part behind #: this entry names the same page as the address without it.",
    fix="List {url} instead; give each view of an application an address of its own, without #.",
    source=(
        Source("g-url", "URL structure, fragments"),
        Source("g-canon", "no fragments as canonical"),
    ),
    needs=frozenset(),
    # The old AJAX scheme #! is as dead. A feed may well link to a part of a page.
    sql=f"""
        SELECT url_key, raw || ' in ' || sitemap AS subject, loc AS url, sitemap, line, {listed_in()} AS claim,
               'the loc is ' || {printable("left(raw, 300)")} || CASE WHEN loc IS NOT NULL THEN '; search engines read ' || left(loc, 300) ELSE '' END AS reality
        FROM (
            SELECT {loc_text("loc_raw")} AS raw, sitemap, min(line) AS line, any_value(loc) AS loc, any_value(url_key) AS url_key
            FROM ({entries_with("fragment")}) WHERE NOT feed GROUP BY raw, sitemap
        )
    """,
    fires=(
        Fires(
            "a view of an application",
            {"entries": [APP], "sitemap_files": [file()]},
            {
                "url": f"{SITE}/",
                "subject": f"{SITE}/#/products in {MAP}",
                "sitemap": MAP,
                "line": 7,
                "claim": f"listed in {MAP}, line 7",
                "reality": f"the loc is {SITE}/#/products; search engines read {SITE}/",
                "severity": "warning",
            },
        ),
        Fires(
            "the old scheme #!",
            {"entries": [APP | {"loc_raw": f"{SITE}/#!/products"}], "sitemap_files": [file()]},
            {"severity": "warning"},
        ),
    ),
    passes=(
        Passes(
            "a feed that links to a comment",
            {"entries": [APP | {"sitemap": FEED}], "sitemap_files": [undeclared(FEED, kind="rss")]},
        ),
        Passes("no fragment", {"entries": [entry(f"{SITE}/a")], "sitemap_files": [file()]}),
        Passes(
            "an escaped number sign is no fragment",
            {"entries": [entry(f"{SITE}/a%23b")], "sitemap_files": [file()]},
        ),
    ),
)
