"""The redirects of robots.txt lead nowhere."""

from sitemap_audit.rules.relations import ROBOTS_ASKED
from sitemap_audit.rules.robots_cases import CLAIM, ROBOTS, SITE, used
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source


def hop(n: int, location: str | None) -> dict[str, object]:
    """The n-th redirect of a chain."""
    return {"n": n, "url": ROBOTS if n == 1 else f"{SITE}/r/{n - 1}", "status": 302, "location": location}


LOST = {"state": "redirect_limit", "first_status": 302, "status": 302, "final_url": f"{SITE}/r/5"}
SIX = [hop(n, f"{SITE}/r/{n}") for n in range(1, 7)]

RULE = Rule(
    id="robots-redirects-too-many",
    severity=Severity.ERROR,
    title="The redirects of robots.txt lead to no file",
    why="After five hops, in a loop or at a redirect without a usable address, Google takes robots.txt for missing: "
    "all your rules are ignored.",
    fix="Serve the file at {url} itself, without the chain of redirects.",
    source=(
        Source("text-002", "lines 34 and 37, at least five hops"),
        Source("g-robots", "handling of errors and HTTP status codes, redirects"),
        Source("rfc9309", "2.3.1.2, redirects"),
    ),
    needs=frozenset(),
    # RFC 9309 asks for at least five hops; some crawler may follow more. Reported from the sixth on.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, a.origin AS subject, a.robots_url AS url, a.claim,
               coalesce(a.first_status, a.status, 300) || ': ' || CASE
                   WHEN coalesce(len(a.hops), 0) = 0 OR a.hops[-1].location IS NULL
                       THEN 'a redirect without a usable Location, after ' || greatest(coalesce(len(a.hops), 0) - 1, 0) || ' hops'
                   WHEN list_contains(list_transform(a.hops, lambda h: h.url), a.hops[-1].location)
                       THEN 'a loop, back to ' || a.hops[-1].location || ' after ' || len(a.hops) || ' hops'
                   ELSE 'more than ' || s.robots_max_redirects || ' hops, the last to ' || a.hops[-1].location END AS reality
        FROM ({ROBOTS_ASKED}) a, settings s WHERE a.state = 'redirect_limit'
    """,
    fires=(
        Fires(
            "six hops",
            used(**LOST, hops=SIX),
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": CLAIM,
                "reality": f"302: more than 5 hops, the last to {SITE}/r/6",
                "severity": "error",
            },
        ),
        Fires(
            "a loop",
            used(**LOST, hops=[hop(1, f"{SITE}/r/1"), hop(2, ROBOTS)]),
            {"reality": f"302: a loop, back to {ROBOTS} after 2 hops"},
        ),
        Fires(
            "no Location",
            used(**LOST, hops=[hop(1, None)]),
            {"reality": "302: a redirect without a usable Location, after 0 hops"},
        ),
        Fires(
            "300, which moves nobody",
            used(**LOST | {"status": 300, "first_status": 300}),
            {"reality": "300: a redirect without a usable Location, after 0 hops"},
        ),
    ),
    passes=(
        Passes("five hops that end in a 200", used(first_status=302, hops=SIX[:5])),
        Passes(
            "five hops that end in a 404", used(first_status=302, hops=SIX[:5], state="missing", status=404)
        ),
        Passes("an origin that the map does not use", used(**LOST, hops=SIX) | {"entries": []}),
    ),
)
