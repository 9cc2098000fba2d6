"""robots.txt begins with a byte order mark."""

from sitemap_audit.rules.relations import ROBOTS_TEXTS
from sitemap_audit.rules.robots_cases import CLAIM, ROBOTS, SITE, used
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier

RULE = Rule(
    id="robots-bom",
    tier=Tier.LATER,
    severity=Severity.NOTICE,
    title="robots.txt begins with a byte order mark",
    why="Google skips the byte order mark, but other parsers then miss the first line, and with a User-agent line the "
    "group below it.",
    fix="Save {url} without a byte order mark (UTF-8 without BOM).",
    source=(
        Source("g-robots", "file format, the Unicode byte order mark"),
        Source("protego-test", "a mark in front of the first User-agent line: Protego reads no group"),
    ),
    needs=frozenset(),
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, a.origin AS subject, a.robots_url AS url, a.claim,
               'the first three bytes are EF BB BF; Google skips them' AS reality
        FROM ({ROBOTS_TEXTS}) a WHERE a.bom
    """,
    fires=(
        Fires(
            "a mark in front of `User-agent: *`",
            used(bom=True),
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": CLAIM,
                "reality": "the first three bytes are EF BB BF; Google skips them",
                "severity": "notice",
            },
        ),
    ),
    passes=(
        Passes("no mark", used()),
        Passes(
            "UTF-16 has a mark of its own, and a finding", used(encoding_ok=False, charset_guess="utf-16le")
        ),
        Passes("the mark of an error page", used(bom=True, state="missing", status=404)),
    ),
)
