"""A web page stands in place of robots.txt."""

from sitemap_audit.rules.relations import ROBOTS_ASKED, count_of
from sitemap_audit.rules.robots_cases import CLAIM, ROBOTS, SITE, rule_line, used
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source

APP = {"state": "html", "is_html": True, "content_type": "text/html; charset=utf-8", "bytes": 1697}

RULE = Rule(
    id="robots-is-html",
    severity=Severity.ERROR,
    title="A web page answers in place of robots.txt",
    why="The server returns a web page instead of robots.txt. Crawlers look for rules in it and find none: everything "
    "may be crawled, and no sitemap is declared.",
    fix="Return a plain text file at {url}, or a real 404.",
    source=(
        Source("text-002", "line 14, plain text; line 84, what the file must return"),
        Source("g-robots", "file format, lines that are ignored"),
    ),
    needs=frozenset(),
    # A real robots.txt that is labelled text/html works: then only robots-content-type.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, a.origin AS subject, a.robots_url AS url, a.claim,
               'an HTML page of ' || {count_of("coalesce(a.bytes, 0)")} || ' bytes without one rule (Content-Type: '
               || coalesce(a.content_type, 'none') || ')'
               || CASE WHEN coalesce(len(a.hops), 0) > 0 THEN ', the redirect leads to ' || coalesce(a.final_url, '?')
                       ELSE '' END AS reality
        FROM ({ROBOTS_ASKED}) a WHERE a.state = 'html'
    """,
    fires=(
        Fires(
            "an app answers every path with its index.html",
            used(**APP),
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": CLAIM,
                "reality": "an HTML page of 1,697 bytes without one rule (Content-Type: text/html; charset=utf-8)",
                "severity": "error",
            },
        ),
        Fires(
            "a redirect to the home page",
            used(
                **APP,
                first_status=302,
                final_url=f"{SITE}/",
                hops=[{"n": 1, "url": ROBOTS, "location": f"{SITE}/"}],
            ),
            {
                "reality": "an HTML page of 1,697 bytes without one rule (Content-Type: text/html; charset=utf-8), "
                f"the redirect leads to {SITE}/"
            },
        ),
    ),
    passes=(
        Passes(
            "rules that are labelled text/html", used(content_type="text/html", rules=[rule_line(2, "/x")])
        ),
        Passes(
            "an error page with status 404",
            used(**APP | {"state": "missing", "status": 404, "is_html": False}),
        ),
        Passes("an origin that the map does not use", used(**APP) | {"entries": []}),
    ),
)
