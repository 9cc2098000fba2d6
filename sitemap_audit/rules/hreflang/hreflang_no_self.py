"""A page lists its language versions, but not itself."""

from sitemap_audit.rules.relations import NO_PAGE
from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source, Tier

EN, DE, FR = "https://example.com/en", "https://example.com/de", "https://example.com/fr"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": FR, "loc": FR, "sitemap": MAP, "position": 3, "line": 20}
PAGE = {
    "url_key": FR,
    "requested_url": FR,
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "hop_count": 0,
    "final_url": FR,
    "final_key": FR,
    "canonical_state": "self",
    "canonical": FR,
}


def says(href: str, tag: str, source: str = "html", **more: object) -> dict[str, object]:
    """One hreflang statement of the French page."""
    return {
        "from_key": FR,
        "source": source,
        "code_raw": tag,
        "code": tag,
        "href_raw": href,
        "href": href,
        "href_key": href,
        "in_head": True if source == "html" else None,
    } | more


RULE = Rule(
    id="hreflang-no-self",
    tier=Tier.TOP30,
    rank=26,
    severity=Severity.WARNING,
    title="hreflang set without the page itself",
    why="Each language version must list all versions, itself among them.",
    fix="Add a hreflang line for {url} itself to its own set.",
    source=(
        Source("text-002", "line 69, each URL lists all versions and itself; line 95 of the checklist"),
        Source("g-hreflang", "guidelines for all methods"),
    ),
    known_as=("Screaming Frog: Hreflang: Missing Self Reference",),
    needs=frozenset({Need.HEAD}),
    lacks=NO_PAGE,
    # The statements of sitemap, element and header are one set. Where it names the page's canonical
    # instead, hreflang is on the wrong page, which is not this defect. Invalid codes count for nobody.
    sql="""
        SELECT a.from_key AS url_key, a.from_key AS subject,
               count(DISTINCT a.href_key) || ' versions named by ' || string_agg(DISTINCT CASE a.source
                   WHEN 'sitemap' THEN 'sitemap' WHEN 'http' THEN 'Link header' ELSE 'link element' END, ', ')
               || ', none of them itself: ' || array_to_string(list_sort(list(DISTINCT a.code))[:10], ', ') AS reality
        FROM alternates a LEFT JOIN pages p ON p.url_key = a.from_key
        WHERE a.href_key IS NOT NULL AND a.code IS NOT NULL AND a.in_head IS DISTINCT FROM false
        GROUP BY a.from_key
        HAVING NOT bool_or(a.href_key = a.from_key OR coalesce(a.href_key = p.final_key, false)
                           OR coalesce(p.canonical IN (a.href, a.href_key), false))
    """,
    fires=(
        Fires(
            "de and en on the French page",
            {"entries": [LISTED], "pages": [PAGE], "alternates": [says(DE, "de"), says(EN, "en")]},
            {
                "url": FR,
                "claim": f"listed in {MAP}, line 20",
                "reality": "2 versions named by link element, none of them itself: de, en",
                "severity": "warning",
            },
        ),
        Fires(
            "in the sitemap, and the page says nothing",
            {
                "entries": [LISTED],
                "pages": [PAGE],
                "alternates": [says(DE, "de", "sitemap", sitemap=MAP, line=21)],
            },
            {"reality": "1 versions named by sitemap, none of them itself: de"},
        ),
    ),
    passes=(
        Passes(
            "fr is listed",
            {"entries": [LISTED], "pages": [PAGE], "alternates": [says(DE, "de"), says(FR, "fr")]},
        ),
        Passes(
            "the sitemap names the others, the page itself",
            {
                "entries": [LISTED],
                "pages": [PAGE],
                "alternates": [says(DE, "de", "sitemap", sitemap=MAP, line=21), says(FR, "fr")],
            },
        ),
        Passes(
            "it names the address that the listed one redirects to",
            {
                "entries": [LISTED],
                "pages": [
                    PAGE | {"first_status": 301, "hop_count": 1, "final_url": FR + "/", "final_key": FR + "/"}
                ],
                "alternates": [says(DE, "de"), says(FR + "/", "fr")],
            },
        ),
        Passes(
            "it names the page's canonical",
            {
                "entries": [LISTED],
                "pages": [PAGE | {"canonical_state": "other", "canonical": FR + "/"}],
                "alternates": [says(DE, "de"), says(FR + "/", "fr")],
            },
        ),
        Passes(
            "the only statement has an invalid code",
            {
                "entries": [LISTED],
                "pages": [PAGE],
                "alternates": [says(DE, "de", code=None, code_issue="malformed")],
            },
        ),
        Passes("no hreflang at all", {"entries": [LISTED], "pages": [PAGE]}),
        Passes(
            "nobody lists the page",
            {"pages": [PAGE | {"discovered_by": "hreflang"}], "alternates": [says(DE, "de")]},
        ),
    ),
)
