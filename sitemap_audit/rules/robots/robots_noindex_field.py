"""noindex stands in robots.txt, where it does nothing."""

from sitemap_audit.rules.relations import ROBOTS_TEXTS, count_of, shown
from sitemap_audit.rules.robots_cases import CLAIM, ROBOTS, SITE, used
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source

LINE = {"line": 7, "field": "noindex", "value": "/old/"}

RULE = Rule(
    id="robots-noindex-field",
    severity=Severity.WARNING,
    title="noindex stands in robots.txt",
    why="A noindex, nofollow or noarchive line inside robots.txt has no effect; the pages stay indexable.",
    fix="Put noindex into a meta robots tag or an X-Robots-Tag header of those pages, and let them be crawled.",
    source=(
        Source("text-002", "lines 29 and 76, noindex in robots.txt"),
        Source("g-block", "the note on noindex in robots.txt"),
        Source("g-robotstxt", "the keys that the parser knows"),
    ),
    needs=frozenset(),
    # Comments never reach the list of fields.
    sql=f"""
        WITH f AS (
            SELECT a.origin, a.robots_url, a.claim, list_filter(a.unsupported, lambda u:
                   u.field IN ('noindex', 'nofollow', 'noarchive')) AS lines FROM ({ROBOTS_TEXTS}) a
        )
        SELECT NULL::VARCHAR AS url_key, f.origin AS subject, f.robots_url AS url, f.claim,
               'lines without effect: ' || {count_of("len(f.lines)")} || ', '
               || {shown("f.lines", "l.field || ': ' || l.value")} AS reality
        FROM f WHERE len(f.lines) > 0
    """,
    fires=(
        Fires(
            "Noindex: /old/",
            used(unsupported=[LINE]),
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": CLAIM,
                "reality": "lines without effect: 1, line 7: noindex: /old/",
                "severity": "warning",
            },
        ),
        Fires(
            "many of them: one finding",
            used(unsupported=[LINE | {"line": n} for n in range(7, 12)]),
            {
                "reality": "lines without effect: 5, line 7: noindex: /old/; line 8: noindex: /old/; "
                "line 9: noindex: /old/ and 2 more"
            },
        ),
    ),
    passes=(
        Passes("a comment about noindex", used(unsupported=None)),
        Passes("Crawl-delay is another rule's business", used(unsupported=[LINE | {"field": "crawl-delay"}])),
        Passes("nobody uses this origin", used(unsupported=[LINE]) | {"entries": []}),
    ),
)
