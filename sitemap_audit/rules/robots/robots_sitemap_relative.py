"""A Sitemap line without a whole address."""

from sitemap_audit.rules.relations import ROBOTS_TEXTS
from sitemap_audit.rules.robots_cases import CLAIM, ROBOTS, used
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source


def sitemap(raw: str, absolute: str | None, line: int = 4) -> dict[str, object]:
    """A line of robots_files.sitemaps."""
    return {"line": line, "raw": raw, "abs": absolute, "same_host": True}


RULE = Rule(
    id="robots-sitemap-relative",
    severity=Severity.ERROR,
    title="A Sitemap line has no complete address",
    why="The Sitemap line needs the full address, including https:// and the host; crawlers need not make sense of "
    "anything else.",
    fix="Write the complete address in {url}, such as `Sitemap: https://example.com/sitemap.xml`.",
    source=(
        Source("text-002", "line 21, the sitemap field takes an absolute URL"),
        Source("g-robots", "sitemap, an absolute URL"),
        Source("sitemaps-org", "informing search engine crawlers, robots.txt"),
    ),
    needs=frozenset(),
    # The value need not be percent-encoded, and the letters of http may be capitals. One finding a value.
    sql=rf"""
        SELECT NULL::VARCHAR AS url_key, robots_url || ' ' || raw AS subject, robots_url AS url, any_value(claim) AS claim,
               'line ' || min(line) || CASE WHEN count(*) > 1 THEN ' and ' || (count(*) - 1) || ' more' ELSE '' END
               || ': Sitemap: ' || CASE WHEN raw = '' THEN '(no value)' ELSE left(raw, 200) END AS reality,
               any_value(target) AS related_url
        FROM (
            SELECT a.robots_url, a.claim, u.x.line AS line, u.x.raw AS raw, u.x.abs AS target
            FROM ({ROBOTS_TEXTS}) a, unnest(a.sitemaps) AS u(x)
        )
        WHERE target IS NULL OR NOT regexp_matches(raw, '^https?://[^/]', 'i')
        GROUP BY robots_url, raw
    """,
    fires=(
        Fires(
            "Sitemap: /sitemap.xml",
            used(sitemaps=[sitemap("/sitemap.xml", "https://example.com/sitemap.xml")]),
            {
                "subject": f"{ROBOTS} /sitemap.xml",
                "url": ROBOTS,
                "claim": CLAIM,
                "reality": "line 4: Sitemap: /sitemap.xml",
                "related_url": "https://example.com/sitemap.xml",
                "severity": "error",
            },
        ),
        Fires(
            "given twice: one finding",
            used(sitemaps=[sitemap("s.xml", "https://example.com/s.xml", n) for n in (4, 7)]),
            {"reality": "line 4 and 1 more: Sitemap: s.xml"},
        ),
        Fires(
            "the address stands in the next line",
            used(sitemaps=[sitemap("", None)]),
            {"reality": "line 4: Sitemap: (no value)"},
        ),
        Fires(
            "a Cyrillic letter in the scheme",
            used(sitemaps=[sitemap("htt\u0440://example.com/s.xml", None)]),
            {"reality": "line 4: Sitemap: htt\u0440://example.com/s.xml"},
        ),
        Fires(
            "a colon too few: the address lost its scheme",
            used(sitemaps=[sitemap("//example.com/s.xml", "https://example.com/s.xml")]),
            {"reality": "line 4: Sitemap: //example.com/s.xml"},
        ),
    ),
    passes=(
        Passes(
            "not percent-encoded",
            used(sitemaps=[sitemap("https://ja.example.org/テスト.xml", "https://ja.example.org/x")]),
        ),
        Passes(
            "capitals", used(sitemaps=[sitemap("HTTPS://EXAMPLE.COM/S.XML", "https://example.com/S.XML")])
        ),
        Passes("no Sitemap line", used(sitemaps=None)),
    ),
)
