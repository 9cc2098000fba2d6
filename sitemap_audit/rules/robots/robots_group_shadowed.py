"""The verdict's bot has a group of its own, and the general rules are lost on it."""

from sitemap_audit.rules.relations import ROBOTS_TEXTS, count_of
from sitemap_audit.rules.robots_cases import ENTRY, FILE, ROBOTS, SITE, listed, page
from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source

GROUPS = [{"line": 1, "agents": ["*"]}, {"line": 4, "agents": ["Googlebot/2.1", "bingbot"]}]
TEXT = FILE | {"groups": GROUPS, "effective": {"googlebot": "allow_all", "*": "mixed"}}
FREED = page("/cart/1", star_allowed=False)

RULE = Rule(
    id="robots-group-shadowed",
    severity=Severity.WARNING,
    title="General rules do not bind the bot that has its own group",
    why="A crawler obeys one group only: with a Googlebot group, your general rules do not apply to Googlebot.",
    fix="Repeat the rules for `*` in the group of line {line} of {url}, or name the bot together with `*`.",
    source=(
        Source("g-robots", "order of precedence for user agents"),
        Source("rfc9309", "2.2.1, the user-agent line"),
        Source("text-002", "line 20, the group picks the robot"),
    ),
    needs=frozenset({Need.ROBOTS}),
    # Only where it changes the verdict of a URL that the map lists. A file that shuts everybody out and names those
    # whom it lets in does what it says.
    sql=f"""
        WITH freed AS (
            SELECT p.origin, count(*) FILTER (p.allowed AND NOT p.star_allowed) AS n,
                   min(p.requested_url) FILTER (p.allowed AND NOT p.star_allowed) AS url, count(*) AS judged
            FROM pages p SEMI JOIN listing l ON l.url_key = p.url_key
            WHERE p.allowed IS NOT NULL GROUP BY p.origin
        ),
        own AS (
            SELECT a.*, s.verdict_bot, list_filter(a.groups, lambda g: len(list_filter(g.agents,
                   lambda name: lower(regexp_extract(name, '^[A-Za-z_-]*')) = s.verdict_bot)) > 0)[1].line AS named
            FROM ({ROBOTS_TEXTS}) a, settings s
        )
        SELECT NULL::VARCHAR AS url_key, o.origin AS subject, o.robots_url AS url, o.claim, o.named AS line,
               o.verdict_bot || ' has a group of its own' || coalesce(' (line ' || o.named || ')', '')
               || '; listed URLs that the rules for * would block: ' || {count_of("f.n")} || ' of '
               || {count_of("f.judged")} || ', such as ' || f.url AS reality, f.url AS related_url
        FROM own o JOIN freed f ON f.origin = o.origin
        WHERE f.n > 0 AND coalesce(o.effective['*'] <> 'disallow_all', true)
    """,
    fires=(
        Fires(
            "`*: Disallow: /cart`, and `Googlebot: Allow: /`",
            {
                "entries": listed("/a", "/cart/1"),
                "robots_files": [TEXT],
                "pages": [page("/a", star_allowed=True), FREED],
            },
            {
                "subject": SITE,
                "url": ROBOTS,
                "line": 4,
                "claim": f"URLs listed on this origin: 2, the first in {SITE}/sitemap.xml, line 3",
                "reality": "googlebot has a group of its own (line 4); listed URLs that the rules for * would block: "
                f"1 of 2, such as {SITE}/cart/1",
                "related_url": f"{SITE}/cart/1",
                "severity": "warning",
            },
        ),
    ),
    passes=(
        Passes(
            "the group repeats all rules",
            {
                "entries": listed("/cart/1"),
                "robots_files": [TEXT],
                "pages": [page("/cart/1", allowed=False, star_allowed=False)],
            },
        ),
        Passes(
            "no listed URL is concerned",
            {"entries": [ENTRY], "robots_files": [TEXT], "pages": [page("/a", star_allowed=True), FREED]},
        ),
        Passes(
            "the bot has no group",
            {"entries": [ENTRY], "robots_files": [TEXT | {"groups": GROUPS[:1]}], "pages": [page("/a")]},
        ),
        Passes(
            "everybody is shut out but those who are named",
            {
                "entries": listed("/cart/1"),
                "robots_files": [TEXT | {"effective": {"googlebot": "allow_all", "*": "disallow_all"}}],
                "pages": [FREED],
            },
        ),
        Passes(
            "the group blocks more than `*`",
            {
                "entries": listed("/a"),
                "robots_files": [TEXT],
                "pages": [page("/a", allowed=False, star_allowed=True)],
            },
        ),
        Passes("nobody lists the origin", {"robots_files": [TEXT], "pages": [FREED], "entries": []}),
    ),
)
