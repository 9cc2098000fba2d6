"""robots.txt is larger than what crawlers read of it."""

from sitemap_audit.rules.relations import ROBOTS_TEXTS, count_of
from sitemap_audit.rules.robots_cases import CLAIM, ROBOTS, SITE, used
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source

RULE = Rule(
    id="robots-too-large",
    severity=Severity.ERROR,
    title="robots.txt is larger than 500 KiB",
    why="Google ignores everything behind the first 500 KiB (512,000 bytes) of a robots.txt, so the last rules do nothing.",
    fix="Shorten {url}: merge rules with wildcards, or move what they block below one directory.",
    source=(
        Source("text-002", "line 14, 500 KiB"),
        Source("g-robots", "file size limit"),
        Source("rfc9309", "2.5, limits"),
    ),
    needs=frozenset(),
    # Bytes after Content-Encoding. The audit reads one byte more than the limit, so the whole size is not known.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, a.origin AS subject, a.robots_url AS url, a.claim,
               'more than ' || {count_of("s.robots_max_bytes")} || ' bytes: the rest is not read; line '
               || coalesce(a.lines::VARCHAR, '?') || ' is the last that counts' AS reality
        FROM ({ROBOTS_TEXTS}) a, settings s WHERE a.bytes > s.robots_max_bytes OR a.cut_at IS NOT NULL
    """,
    fires=(
        Fires(
            "700 KiB, the only Disallow at the end",
            used(bytes=512_001, cut_at=512_000, lines=9_000),
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": CLAIM,
                "reality": "more than 512,000 bytes: the rest is not read; line 9000 is the last that counts",
                "severity": "error",
            },
        ),
    ),
    passes=(
        Passes("499 KiB", used(bytes=510_976)),
        Passes("512,000 bytes exactly", used(bytes=512_000)),
        Passes(
            "a large error page is no file", used(bytes=512_001, cut_at=512_000, state="missing", status=404)
        ),
    ),
)
