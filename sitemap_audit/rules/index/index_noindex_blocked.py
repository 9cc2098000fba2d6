"""robots.txt hides the noindex that the page carries."""

from sitemap_audit.rules.relations import NOINDEX_SEEN, ROBOTS_LINE
from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source, Tier

PAGE = "https://example.com/p"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 1, "line": 3}
HIDDEN = {
    "url_key": PAGE,
    "requested_url": PAGE,
    "origin": "https://example.com",
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "hop_count": 0,
    "canonical_state": "none",
    "allowed": False,
    "robots_state": "ok",
    "robots_line": 2,
    "robots_rule": "Disallow: /p",
    "noindex": True,
    "noindex_sources": ["meta:robots"],
    "meta_robots": [{"name": "robots", "content": "noindex", "in_head": True, "offset": 80}],
}

RULE = Rule(
    id="index-noindex-blocked",
    tier=Tier.TOP30,
    rank=16,
    severity=Severity.ERROR,
    title="noindex behind robots.txt is never read",
    why="robots.txt keeps search engines from fetching the page, so Google can never see its noindex, and the address "
    "may stay in results.",
    fix="Let {url} be crawled until it is dropped from results; then decide between noindex and robots.txt.",
    source=(
        Source("text-001", "lines 82-84, blocked pages: the tag is never read"),
        Source("text-002", "lines 28 and 73, noindex must be readable; line 90 of the checklist"),
        Source("g-block", "the note on robots.txt"),
        Source("g-meta", "combining robots.txt rules with indexing rules"),
    ),
    known_as=("Search Console: Indexed, though blocked by robots.txt",),
    needs=frozenset({Need.ROBOTS, Need.BLOCKED_PAGE}),
    # Needs the owner's leave to read blocked pages (--inspect-blocked); without it the URL is not judged.
    sql=f"""
        SELECT p.url_key, p.url_key AS subject, {ROBOTS_LINE} || '; ' || {NOINDEX_SEEN} AS reality,
               p.origin || '/robots.txt' AS related_url
        FROM pages p, settings s
        WHERE p.noindex AND NOT p.allowed AND p.robots_line IS NOT NULL
          AND coalesce(p.robots_state NOT IN ('unreachable', 'server_error'), true)
    """,
    fires=(
        Fires(
            "Disallow and a noindex tag",
            {"entries": [LISTED], "pages": [HIDDEN]},
            {
                "url": PAGE,
                "claim": f"listed in {MAP}, line 3",
                "reality": "https://example.com/robots.txt, line 2: Disallow: /p (googlebot); "
                "noindex for googlebot by meta:robots (meta robots: noindex)",
                "related_url": "https://example.com/robots.txt",
                "severity": "error",
            },
        ),
    ),
    passes=(
        Passes("allowed and noindex", {"entries": [LISTED], "pages": [HIDDEN | {"allowed": True}]}),
        Passes(
            "blocked, and the page says nothing",
            {"entries": [LISTED], "pages": [HIDDEN | {"noindex": False}]},
        ),
        Passes(
            "blocked and not read: noindex is unknown",
            {
                "entries": [LISTED],
                "pages": [
                    HIDDEN
                    | {
                        "state": "skipped",
                        "reason": "robots",
                        "first_status": None,
                        "status": None,
                        "canonical_state": None,
                        "noindex": None,
                    }
                ],
            },
        ),
        Passes(
            "complete disallow of rfc mode while robots.txt is unreachable",
            {"entries": [LISTED], "pages": [HIDDEN | {"robots_state": "unreachable", "robots_line": None}]},
        ),
        Passes("nobody lists it", {"pages": [HIDDEN | {"discovered_by": "redirect"}]}),
    ),
)
