"""An entry's address with letters or signs that should be escaped."""

from sitemap_audit.rules.relations import entries_with, listed_in, loc_text, printable
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier
from sitemap_audit.rules.sitemap_cases import FEED, MAP, SITE, entry, file, odd, undeclared

ESCAPED = f"{SITE}/gem%C3%BCse"
RAW = odd(f"{SITE}/gemüse", "not_encoded", loc=ESCAPED, url_key=ESCAPED, line=7)

RULE = Rule(
    id="entry-loc-not-encoded",
    tier=Tier.LATER,
    severity=Severity.WARNING,
    title="Sitemap entry's address is not percent-encoded",
    why="An address in a sitemap must be URL-encoded; letters beyond ASCII and blanks usually work, but not with every "
    "search engine.",
    fix="Write {url} in {sitemap}, line {line}.",
    source=(
        Source("sitemaps-org", "entity escaping, URL-escaped addresses"),
        Source("g-url", "URL structure, percent encoding"),
    ),
    needs=frozenset(),
    # The audit fetches the encoded form, and compares addresses by it. What no browser can open is entry-loc-invalid.
    sql=f"""
        SELECT url_key, raw || ' in ' || sitemap AS subject, loc AS url, sitemap, line, {listed_in()} AS claim,
               'the loc is ' || {printable("left(raw, 300)")} || '; encoded it is ' || left(loc, 300) AS reality
        FROM (
            SELECT {loc_text("loc_raw")} AS raw, sitemap, min(line) AS line, any_value(loc) AS loc, any_value(url_key) AS url_key
            FROM ({entries_with("not_encoded")})
            WHERE NOT feed AND loc IS NOT NULL AND NOT list_contains(loc_issues, 'invalid') AND NOT list_contains(loc_issues, 'relative')
            GROUP BY raw, sitemap
        )
    """,
    fires=(
        Fires(
            "a letter beyond ASCII",
            {"entries": [RAW], "sitemap_files": [file()]},
            {
                "url": ESCAPED,
                "sitemap": MAP,
                "line": 7,
                "claim": f"listed in {MAP}, line 7",
                "reality": f"the loc is {SITE}/gemüse; encoded it is {ESCAPED}",
                "severity": "warning",
            },
        ),
        Fires(
            "a blank",
            {"entries": [odd(f"{SITE}/a b", "not_encoded", loc=f"{SITE}/a%20b")], "sitemap_files": [file()]},
            {"line": 3},
        ),
    ),
    passes=(
        Passes("encoded", {"entries": [entry(ESCAPED)], "sitemap_files": [file()]}),
        Passes(
            "white space around it",
            {"entries": [odd(f" {ESCAPED}", "whitespace", loc=ESCAPED)], "sitemap_files": [file()]},
        ),
        Passes(
            "no browser can open it",
            {
                "entries": [odd("https://exa mple.com/", "not_encoded", "invalid", loc=None, url_key=None)],
                "sitemap_files": [file()],
            },
        ),
        Passes(
            "an item of a feed",
            {"entries": [RAW | {"sitemap": FEED}], "sitemap_files": [undeclared(FEED, kind="rss")]},
        ),
    ),
)
