"""Too many listed URLs are not indexable."""

from typing import Any

from sitemap_audit.rules.relations import count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source

SITE = "https://example.com"
MAP = f"{SITE}/sitemap.xml"
FILE = {"url": MAP, "url_key": MAP, "kind": "urlset", "source": "robots", "state": "ok", "status": 200}


def tables(good: int, *others: int | None) -> dict[str, Any]:
    """A map with so many good pages, and pages that end in these statuses (None: not checked)."""
    pages = [200] * good + list(others)
    urls = [f"{SITE}/{n}" for n in range(len(pages))]
    entries = [
        {"url_key": u, "loc": u, "sitemap": MAP, "position": n, "line": 3 * n} for n, u in enumerate(urls, 1)
    ]
    facts = [
        {
            "url_key": url,
            "requested_url": url,
            "state": "checked" if status else "unchecked",
            "reason": None if status else "rate_limited",
            "first_status": status,
            "status": status,
            "hop_count": 0,
            "canonical_state": "none" if status == 200 else None,
        }
        for url, status in zip(urls, pages, strict=True)
    ]
    return {"sitemap_files": [FILE], "entries": entries, "pages": facts}


RULE = Rule(
    id="audit-dirty-share",
    severity=Severity.WARNING,
    title="Too many listed URLs cannot be indexed",
    why="Search engines trust a sitemap less when it holds dead, redirected or blocked pages.",
    fix="Mend the largest group first, or take its URLs out of the sitemaps ({reality}).",
    source=(
        Source("text-002", "line 57, only URLs that shall be found; line 93 of the checklist"),
        Source("bing-dirt", "one percent of dirt is what Bing was said to allow"),
    ),
    needs=frozenset(),
    # Of what was judged: a URL that nobody could look at says nothing. The bounds are settings, since the figure of one
    # percent is hearsay. Of a handful of URLs each has its own finding and a share says nothing more. A list of the user is no sitemap.
    sql=f"""
        WITH counted AS (
            SELECT verdict, count(*) AS n FROM urls
            WHERE listed AND verdict <> 'unknown' AND discovered_by IS DISTINCT FROM 'list' GROUP BY verdict
        ),
        total AS (
            SELECT sum(n)::BIGINT AS judged, coalesce(sum(n) FILTER (verdict <> 'indexable'), 0)::BIGINT AS dirty,
                   string_agg(replace(verdict, '_', ' ') || ' ' || {count_of("n")}, ', ' ORDER BY n DESC, verdict)
                       FILTER (verdict <> 'indexable') AS groups
            FROM counted
        )
        SELECT NULL::VARCHAR AS url_key, 'audit' AS subject, {count_of("t.judged")} || ' listed URLs were judged' AS claim,
               {count_of("t.dirty")} || ' of them (' || format('{{:.1f}}', 100 * t.dirty / t.judged) || ' %) cannot be indexed: ' || t.groups AS reality,
               CASE WHEN t.dirty > s.dirty_share_error * t.judged THEN 'error' END AS severity
        FROM total t, settings s
        WHERE t.judged >= s.dirty_share_min AND t.dirty > s.dirty_share_warning * t.judged
    """,
    fires=(
        Fires(
            "12 % of them",
            tables(22, 404, 404, 503),
            {
                "url": None,
                "subject": "audit",
                "claim": "25 listed URLs were judged",
                "reality": "3 of them (12.0 %) cannot be indexed: client error 2, server error 1",
                "severity": "error",
            },
        ),
        Fires(
            "one of twenty, and one that nobody could look at",
            tables(19, 404, None),
            {"claim": "20 listed URLs were judged", "severity": "warning"},
        ),
    ),
    passes=(
        Passes("0.2 %", tables(499, 404)),
        Passes("exactly one percent", tables(99, 404)),
        Passes("all are fine", tables(30)),
        Passes("what was not checked is not dirty", tables(30, None, None)),
        Passes("so few that each finding speaks for itself", tables(17, 404, 404)),
    ),
)
