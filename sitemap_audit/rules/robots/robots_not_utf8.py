"""The bytes of robots.txt are not UTF-8."""

from sitemap_audit.rules.relations import ROBOTS_TEXTS, count_of
from sitemap_audit.rules.robots_cases import CLAIM, ROBOTS, SITE, rule_line, used
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source

LATIN = {"encoding_ok": False, "charset_guess": "latin-1", "rules": [rule_line(2, "/zażółć")]}

RULE = Rule(
    id="robots-not-utf8",
    severity=Severity.WARNING,
    title="robots.txt is not UTF-8",
    why="Crawlers read robots.txt as UTF-8. Rules with other bytes match nothing that you expect; in UTF-16, or where "
    "the file is no text at all, no rule holds.",
    fix="Save {url} as plain UTF-8 text, and percent-encode paths that are not ASCII.",
    source=(
        Source("text-002", "line 14, plain text in UTF-8"),
        Source("g-robots", "file format"),
    ),
    needs=frozenset(),
    # Pure ASCII is UTF-8, whatever the header says: only the bytes count.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, a.origin AS subject, a.robots_url AS url, a.claim,
               CASE WHEN a.charset_guess IN ('utf-16le', 'utf-16be')
                        THEN 'the bytes are ' || upper(a.charset_guess) || ', which crawlers read as junk'
                    WHEN a.charset_guess = 'binary' THEN 'the bytes are no text (an image or the like)'
                    ELSE 'the bytes are not UTF-8, perhaps Latin-1 or another single-byte encoding' END
               || ' (Content-Type: ' || coalesce(a.content_type, 'none') || '); rules that crawlers find in it: '
               || {count_of("coalesce(len(a.rules), 0)")} AS reality
        FROM ({ROBOTS_TEXTS}) a WHERE NOT a.encoding_ok
    """,
    fires=(
        Fires(
            "Latin-2 in a path",
            used(**LATIN),
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": CLAIM,
                "reality": "the bytes are not UTF-8, perhaps Latin-1 or another single-byte encoding (Content-Type: "
                "text/plain; charset=utf-8); rules that crawlers find in it: 1",
                "severity": "warning",
            },
        ),
        Fires(
            "UTF-16",
            used(encoding_ok=False, charset_guess="utf-16le", content_type=None),
            {
                "reality": "the bytes are UTF-16LE, which crawlers read as junk (Content-Type: none); "
                "rules that crawlers find in it: 0"
            },
        ),
        Fires(
            "an icon",
            used(encoding_ok=False, charset_guess="binary", content_type="image/x-icon"),
            {
                "reality": "the bytes are no text (an image or the like) (Content-Type: image/x-icon); "
                "rules that crawlers find in it: 0"
            },
        ),
    ),
    passes=(
        Passes("ASCII that is labelled ISO-8859-1", used(content_type="text/plain; charset=iso-8859-1")),
        Passes("UTF-8 with a byte order mark", used(bom=True)),
        Passes(
            "a page in gb2312 is a page first", used(**LATIN | {"state": "html", "content_type": "text/html"})
        ),
    ),
)
