"""Lines of robots.txt that crawlers do not understand, or only because they are forgiving."""

from sitemap_audit.rules.relations import ROBOTS_TEXTS, count_of, shown
from sitemap_audit.rules.robots_cases import CLAIM, ROBOTS, SITE, used
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier

_NO_FIELD = "list_filter(a.unknown_lines, lambda u: NOT regexp_matches(u.text, '^[A-Za-z][A-Za-z0-9_ -]*:'))"
_SKIPPED = (
    "'lines that crawlers skip: ' || " + count_of("len(f.odd)") + " || ', ' || " + shown("f.odd", "l.text")
)
_REPAIRED = (
    "'misspelt lines that Google repairs: '|| "
    + count_of("len(f.typos)")
    + " || ', ' || "
    + shown("f.typos", "l.text")
)

RULE = Rule(
    id="robots-syntax-line",
    tier=Tier.LATER,
    severity=Severity.NOTICE,
    title="robots.txt has lines that are not understood",
    why="Crawlers skip lines that are neither a field with a colon and a value nor a comment. Some misspellings Google "
    "accepts, which other crawlers need not do.",
    fix="Correct or delete these lines of {url}: {reality}.",
    source=(
        Source("g-robots", "syntax, lines that are ignored"),
        Source("rfc9309", "2.2, the grammar of lines"),
    ),
    needs=frozenset(),
    # Google accepts `Disalow`, `useragent` and a missing colon: told apart, and not called ignored. Unknown fields
    # with a value are robots-unsupported-field; a file that is no text has a finding of its own.
    sql=f"""
        WITH f AS (
            SELECT a.origin, a.robots_url, a.claim, coalesce({_NO_FIELD}, []) AS odd, coalesce(a.typos, []) AS typos
            FROM ({ROBOTS_TEXTS}) a WHERE coalesce(a.charset_guess NOT IN ('utf-16le', 'utf-16be', 'binary'), true)
        )
        SELECT NULL::VARCHAR AS url_key, f.origin AS subject, f.robots_url AS url, f.claim,
               concat_ws('; ', CASE WHEN len(f.odd) > 0 THEN {_SKIPPED} END,
                         CASE WHEN len(f.typos) > 0 THEN {_REPAIRED} END) AS reality
        FROM f WHERE len(f.odd) > 0 OR len(f.typos) > 0
    """,
    fires=(
        Fires(
            "a line without a field",
            used(unknown_lines=[{"line": 4, "text": "Block /admin"}]),
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": CLAIM,
                "reality": "lines that crawlers skip: 1, line 4: Block /admin",
                "severity": "notice",
            },
        ),
        Fires(
            "misspelt fields, which the engine repairs",
            used(
                typos=[
                    {"line": 1, "text": "useragent: *"},
                    {"line": 2, "text": "Disalow: /a"},
                    {"line": 3, "text": "Disallow /b"},
                    {"line": 4, "text": "Disallow /c"},
                ]
            ),
            {
                "reality": "misspelt lines that Google repairs: 4, line 1: useragent: *; line 2: Disalow: /a; "
                "line 3: Disallow /b and 1 more"
            },
        ),
    ),
    passes=(
        Passes("a comment is left out before the lines are read", used(unknown_lines=None)),
        Passes("an unknown field with a value", used(unknown_lines=[{"line": 4, "text": "llms: /llms.txt"}])),
        Passes(
            "UTF-16 is junk in every line",
            used(encoding_ok=False, charset_guess="utf-16le", unknown_lines=[{"line": 1, "text": "\u0001"}]),
        ),
        Passes("a page in its place", used(state="html", unknown_lines=[{"line": 1, "text": "<html>"}])),
    ),
)
