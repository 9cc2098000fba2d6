"""An entry's address that is no URL."""

from sitemap_audit.rules.relations import entries_with, listed_in, loc_text, printable
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, INDEX, MAP, SITE, entry, file, named, odd, undeclared

PORT = odd("https://example.com:99999/", "invalid", loc=None, url_key=None, line=7)
BROKEN = odd(f"{SITE}/a\nb", "invalid", "not_encoded", loc=f"{SITE}/ab", url_key=f"{SITE}/ab")

RULE = Rule(
    id="entry-loc-invalid",
    severity=Severity.ERROR,
    title="Sitemap entry's address is not a URL",
    why="Search engines cannot use this address: it is no URL by the rules of the web, or no http or https one.",
    fix="Correct the address in {sitemap}, line {line}: one http or https URL, without line breaks inside.",
    source=(
        Source("sitemaps-org", "definition of loc; entity escaping, URLs follow RFC 3986"),
        Source("g-url", "URL structure, valid URLs"),
    ),
    known_as=(
        "Search Console: Invalid URL",
        "Yandex: Incorrect URL",
        "Lumar: Disallowed/Malformed URLs in Sitemaps",
    ),
    needs=frozenset(),
    # Read as browsers do (WHATWG); what they would make of it is shown. A path without host is entry-loc-not-absolute, a
    # blank or a letter beyond ASCII inside is entry-loc-not-encoded.
    sql=f"""
        SELECT url_key, raw || ' in ' || sitemap AS subject, loc AS url, sitemap, line, {listed_in()} AS claim,
               'the loc is ' || {printable("left(raw, 300)")}
               || CASE WHEN loc IS NOT NULL THEN ': a browser would make ' || left(loc, 300) || ' of it'
                       WHEN regexp_matches(raw, '^[a-zA-Z][a-zA-Z0-9+.-]*:') AND NOT regexp_matches(raw, '^https?:', 'i')
                       THEN ': neither http nor https'
                       ELSE ': no browser could open it' END AS reality
        FROM (
            SELECT {loc_text("loc_raw")} AS raw, sitemap, min(line) AS line, any_value(loc) AS loc, any_value(url_key) AS url_key
            FROM ({entries_with("invalid")})
            WHERE NOT feed AND loc_raw IS NOT NULL AND NOT list_contains(loc_issues, 'relative')
            GROUP BY raw, sitemap
        )
    """,
    fires=(
        Fires(
            "a port that cannot be",
            {"entries": [PORT], "sitemap_files": [file()]},
            {
                "url": None,
                "subject": f"https://example.com:99999/ in {MAP}",
                "sitemap": MAP,
                "line": 7,
                "claim": f"listed in {MAP}, line 7",
                "reality": "the loc is https://example.com:99999/: no browser could open it",
                "severity": "error",
            },
        ),
        Fires(
            "a line break inside: what a browser makes of it is kept",
            {"entries": [BROKEN], "sitemap_files": [file()]},
            {
                "url": f"{SITE}/ab",
                "reality": f"the loc is {SITE}/a\\nb: a browser would make {SITE}/ab of it",
            },
        ),
        Fires(
            "a mail address, twice: one finding",
            {
                "entries": [
                    odd("mailto:a@example.com", "invalid", loc=None, url_key=None, line=n) for n in (4, 9)
                ],
                "sitemap_files": [file()],
            },
            {"line": 4, "reality": "the loc is mailto:a@example.com: neither http nor https"},
        ),
        Fires(
            "a child of an index",
            {
                "index_children": [named("http://", 3, loc=None, url_key=None, loc_issues=["invalid"])],
                "sitemap_files": [file(INDEX, kind="index")],
            },
            {"sitemap": INDEX, "reality": "the loc is http://: no browser could open it"},
        ),
    ),
    passes=(
        Passes("a URL", {"entries": [entry(f"{SITE}/a")], "sitemap_files": [file()]}),
        Passes(
            "white space around it",
            {
                "entries": [odd(f" {SITE}/a\n", "whitespace", loc=f"{SITE}/a", url_key=f"{SITE}/a")],
                "sitemap_files": [file()],
            },
        ),
        Passes(
            "a path in a text sitemap has a finding of its own",
            {
                "entries": [odd("www.example.com/a", "relative", "invalid", loc=None, url_key=None)],
                "sitemap_files": [file(kind="text")],
            },
        ),
        Passes(
            "no loc at all",
            {"entries": [{"sitemap": MAP, "position": 1, "line": 3, "loc_issues": ["missing"]}]},
        ),
        Passes(
            "an item of a feed",
            {"entries": [PORT | {"sitemap": FEED}], "sitemap_files": [undeclared(FEED, kind="rss")]},
        ),
    ),
)
