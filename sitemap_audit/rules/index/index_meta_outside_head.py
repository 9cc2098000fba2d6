"""The robots meta of a page stands outside of its head."""

from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source, Tier

PAGE = "https://example.com/a"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 1, "line": 3}
INSIDE = {"name": "robots", "content": "noindex", "in_head": True, "offset": 120, "in_noscript": False}
OUTSIDE = INSIDE | {"in_head": False, "content": "nofollow", "offset": 5120}
READ = {
    "url_key": PAGE,
    "requested_url": PAGE,
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "hop_count": 0,
    "final_url": PAGE,
    "canonical_state": "none",
}

RULE = Rule(
    id="index-meta-outside-head",
    tier=Tier.LATER,
    severity=Severity.NOTICE,
    title="Robots meta stands outside the head",
    why="Google obeys it wherever it stands, other engines may not; and what stands in the body may have come from a "
    "user's text.",
    fix="Move the robots meta of {url} into its head, or remove it.",
    source=(Source("g-meta", "the robots meta tag, where it may stand"),),
    known_as=("Screaming Frog: Directives: Outside <head>",),
    needs=frozenset({Need.HEAD}),
    # A noindex among them may have been put there by a stranger: a warning.
    sql="""
        SELECT p.url_key, p.url_key AS subject,
               array_to_string(list_transform(p.outside[:3], lambda m: 'meta ' || m.name || ': ' || left(m.content, 100)
                   || CASE WHEN m."offset" >= 0 THEN ' at byte ' || m."offset" ELSE '' END), '; ')
               || CASE WHEN len(p.outside) > 3 THEN ' and ' || (len(p.outside) - 3) || ' more' ELSE '' END || ', outside the head' AS reality,
               CASE WHEN len(list_filter(p.outside, lambda m: regexp_matches(lower(m.content), '(^|[ ,;])(noindex|none)([ ,;]|$)'))) > 0
                    THEN 'warning' END AS severity
        FROM (SELECT *, list_filter(meta_robots, lambda m: NOT m.in_head) AS outside FROM pages) p
        WHERE p.state = 'checked' AND len(p.outside) > 0 AND len(p.outside) = len(p.meta_robots)
    """,
    fires=(
        Fires(
            "in the body",
            {"entries": [LISTED], "pages": [READ | {"meta_robots": [OUTSIDE]}]},
            {
                "url": PAGE,
                "claim": f"listed in {MAP}, line 3",
                "reality": "meta robots: nofollow at byte 5120, outside the head",
                "severity": "notice",
            },
        ),
        Fires(
            "a noindex in the body: perhaps from a user's text",
            {"entries": [LISTED], "pages": [READ | {"meta_robots": [OUTSIDE | {"content": "noindex"}]}]},
            {"severity": "warning"},
        ),
    ),
    passes=(
        Passes("in the head", {"entries": [LISTED], "pages": [READ | {"meta_robots": [INSIDE]}]}),
        Passes("in both: the head says it", {"entries": [LISTED], "pages": [READ | {"meta_robots": [INSIDE, OUTSIDE]}]}),
        Passes("none at all", {"entries": [LISTED], "pages": [READ]}),
        Passes("nobody lists it", {"pages": [READ | {"meta_robots": [OUTSIDE], "discovered_by": "canonical"}]}),
    ),
)  # fmt: skip
