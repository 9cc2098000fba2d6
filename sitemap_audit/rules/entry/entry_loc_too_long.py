"""An entry's address that is longer than the protocol allows."""

from sitemap_audit.rules.relations import count_of, listed_in, loc_text
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import MAP, SITE, entry, file, undeclared

START = f"{SITE}/"
LONG = START + "a" * (2_048 - len(START))

RULE = Rule(
    id="entry-loc-too-long",
    severity=Severity.ERROR,
    title="Sitemap entry's address is too long",
    why="An address in a sitemap must be shorter than 2,048 characters; a longer one may be dropped.",
    fix="Shorten the address, or leave it out of {sitemap}, line {line}.",
    source=(Source("sitemaps-org", "XML tag definitions, length of loc"),),
    needs=frozenset(),
    # Counted as written, after the escapes of XML are undone and without white space around: 2,047 characters pass.
    sql=f"""
        SELECT url_key, coalesce(url_key, raw) || ' in ' || sitemap AS subject, loc AS url, sitemap, line, {listed_in()} AS claim,
               {count_of("length(raw)")} || ' characters; the address must be shorter than '
               || {count_of("bound")} || ': ' || left(raw, 100) || ' …' AS reality
        FROM (
            SELECT {loc_text("e.loc_raw")} AS raw, e.sitemap, min(e.line) AS line, any_value(e.loc) AS loc, any_value(e.url_key) AS url_key,
                   any_value(s.loc_max_chars_exclusive) AS bound
            FROM (
                SELECT sitemap, line, loc_raw, loc, url_key FROM entries
                UNION ALL SELECT sitemap, line, loc_raw, loc, NULL FROM index_children
            ) e
            JOIN settings s ON length(e.loc_raw) >= s.loc_max_chars_exclusive
            ANTI JOIN (FROM sitemap_files WHERE source = 'list') f ON f.url = e.sitemap
            GROUP BY raw, e.sitemap
        ) WHERE length(raw) >= bound
    """,
    fires=(
        Fires(
            "2,048 characters",
            {"entries": [entry(LONG, 7)], "sitemap_files": [file()]},
            {
                "url": LONG,
                "sitemap": MAP,
                "line": 7,
                "claim": f"listed in {MAP}, line 7",
                "reality": f"2,048 characters; the address must be shorter than 2,048: {LONG[:100]} …",
                "severity": "error",
            },
        ),
        Fires(
            "so long that it was not kept whole",
            {
                "entries": [entry(LONG * 4, 7, loc=None, url_key=None, loc_issues=["too_long"])],
                "sitemap_files": [file()],
            },
            {"url": None, "line": 7},
        ),
    ),
    passes=(
        Passes("2,047 characters", {"entries": [entry(LONG[:-1])], "sitemap_files": [file()]}),
        Passes(
            "2,047 with white space around",
            {"entries": [entry(LONG[:-1], loc_raw=f"  {LONG[:-1]}\n")], "sitemap_files": [file()]},
        ),
        Passes(
            "a list of the user is no sitemap",
            {"entries": [entry(LONG)], "sitemap_files": [undeclared(MAP, "list", kind="text")]},
        ),
    ),
)
