"""A host refuses much of what the audit asks."""

from sitemap_audit.rules.relations import BLOCKING_ORIGINS, count_of
from sitemap_audit.rules.rule import Confidence, Fires, Passes, Rule, Severity, Source

SITE = "https://example.com"
MAP = f"{SITE}/sitemap.xml"


def page(n: int, status: int, **more: object) -> dict[str, object]:
    """The n-th page of the host and what it answered."""
    return {
        "url_key": f"{SITE}/{n}",
        "requested_url": f"{SITE}/{n}",
        "origin": SITE,
        "state": "checked",
        "reason": None,
        "first_status": status,
        "status": status,
        "hop_count": 0,
        "allowed": True,
        "challenge": False,
    } | more


def listed(pages: int) -> list[dict[str, object]]:
    """Entries for the first pages of the host."""
    return [
        {"url_key": f"{SITE}/{n}", "loc": f"{SITE}/{n}", "sitemap": MAP, "position": n, "line": n}
        for n in range(pages)
    ]


WALL = {"state": "unchecked", "reason": "challenge", "challenge": True}
GOOD = [page(n, 200) for n in range(3, 10)]

RULE = Rule(
    id="audit-host-blocking",
    severity=Severity.WARNING,
    # Only the owner knows whom the server refuses.
    confidence=Confidence.POSSIBLE,
    title="Host seems to refuse this audit",
    why="Much of what this audit asked was refused or held up, so what it says of this host is not reliable.",
    fix="Let the user agent or the address of this audit through on {subject}, or run again with a lower --rate.",
    source=(Source("practice", "an audit says where it was not let in"),),
    needs=frozenset(),
    # In place of the findings 403 and 429 of single URLs. A bot wall or a 429 is meant for programs: likely.
    # What robots.txt forbids us is no refusal of the server.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, b.origin AS subject, b.url,
               'open to crawlers: robots.txt allows the ' || {count_of("b.asked")} || ' URLs that were asked' AS claim,
               {count_of("b.refused")} || ' of ' || {count_of("b.asked")} || ' answers refuse: ' || b.kinds AS reality,
               CASE WHEN b.walled THEN 'likely' END AS confidence
        FROM ({BLOCKING_ORIGINS}) b
    """,
    fires=(
        Fires(
            "challenge pages of a bot wall",
            {"entries": listed(10), "pages": [*GOOD, *(page(n, 403, **WALL) for n in range(3))]},
            {
                "subject": SITE,
                "url": f"{SITE}/0",
                "claim": "open to crawlers: robots.txt allows the 10 URLs that were asked",
                "reality": "3 of 10 answers refuse: bot wall (3)",
                "severity": "warning",
                "confidence": "likely",
            },
        ),
        Fires(
            "403 and 429",
            {
                "entries": listed(10),
                "pages": [
                    *GOOD,
                    page(0, 403),
                    page(1, 403),
                    page(2, 429, state="unchecked", reason="rate_limited"),
                ],
            },
            {"reality": "3 of 10 answers refuse: 403 (2), 429 (1)", "confidence": "likely"},
        ),
        Fires(
            "nothing but 403: perhaps all of it is private",
            {"entries": listed(3), "pages": [page(n, 403) for n in range(3)]},
            {"reality": "3 of 3 answers refuse: 403 (3)", "confidence": "possible"},
        ),
    ),
    passes=(
        Passes("few 403", {"entries": listed(10), "pages": [*GOOD, page(0, 403), page(1, 200), page(2, 200)]}),
        Passes("two URLs prove nothing", {"entries": listed(2), "pages": [page(0, 403), page(1, 403)]}),
        Passes(
            "robots.txt forbids us these",
            {"entries": listed(10), "pages": [*GOOD, *(page(n, 403, allowed=False) for n in range(3))]},
        ),
        Passes("pages that are gone", {"entries": listed(10), "pages": [*GOOD, *(page(n, 404) for n in range(3))]}),
        Passes("a host that nobody lists", {"pages": [page(n, 403, discovered_by="hreflang") for n in range(3)]}),
    ),
)  # fmt: skip
