"""robots.txt is not served as plain text."""

from sitemap_audit.rules.relations import ROBOTS_TEXTS
from sitemap_audit.rules.robots_cases import CLAIM, ROBOTS, SITE, used
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source

RULE = Rule(
    id="robots-content-type",
    severity=Severity.NOTICE,
    title="robots.txt is not labelled as plain text",
    why="robots.txt should be plain text. Google reads it whatever the label; other crawlers may not.",
    fix="Send {url} with `Content-Type: text/plain; charset=utf-8`.",
    source=(
        Source("text-002", "line 14, plain text in UTF-8"),
        Source("g-robots", "file format"),
    ),
    needs=frozenset(),
    # Never an error alone. An empty body needs no label.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, a.origin AS subject, a.robots_url AS url, a.claim,
               CASE WHEN a.content_type IS NULL THEN 'no Content-Type' ELSE 'Content-Type: ' || left(a.content_type, 100) END
               AS reality
        FROM ({ROBOTS_TEXTS}) a
        WHERE lower(trim(split_part(coalesce(a.content_type, ''), ';', 1))) <> 'text/plain' AND a.bytes > 0
    """,
    fires=(
        Fires(
            "application/octet-stream",
            used(content_type="application/octet-stream"),
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": CLAIM,
                "reality": "Content-Type: application/octet-stream",
                "severity": "notice",
            },
        ),
        Fires("no label", used(content_type=None), {"reality": "no Content-Type"}),
    ),
    passes=(
        Passes("text/plain with a charset, in capitals", used(content_type="Text/Plain;charset=UTF-8")),
        Passes("an empty file without a label", used(content_type=None, bytes=0)),
        Passes("a page in its place is a finding of its own", used(content_type="text/html", state="html")),
        Passes("an error page", used(content_type="text/html", state="missing", status=404)),
    ),
)
