"""A page names a language version that does not name it back."""

from sitemap_audit.rules.relations import NO_PAGE
from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source, Tier

A, B = "https://example.com/en", "https://example.com/fr"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": A, "loc": A, "sitemap": MAP, "position": 1, "line": 3}
ALSO_LISTED = {"url_key": B, "loc": B, "sitemap": MAP, "position": 2, "line": 9}


def page(url: str, **more: object) -> dict[str, object]:
    """A page that was read, with head signals."""
    return {
        "url_key": url,
        "requested_url": url,
        "state": "checked",
        "first_status": 200,
        "status": 200,
        "hop_count": 0,
        "final_url": url,
        "final_key": url,
        "canonical_state": "none",
    } | more


def says(speaker: str, href: str, tag: str, source: str = "html", **more: object) -> dict[str, object]:
    """One hreflang statement."""
    return {
        "from_key": speaker,
        "source": source,
        "code_raw": tag,
        "code": tag,
        "href_raw": href,
        "href": href,
        "href_key": href,
        "in_head": True if source == "html" else None,
    } | more


SPOKEN = "href_key IS NOT NULL AND code IS NOT NULL AND in_head IS DISTINCT FROM false"

# Whom each listed page names without being named back, but for itself under another address (redirected to,
# declared canonical). A pair is clear without a request where both speak in sitemaps.
PAIRS = f"""
    WITH spoken AS (
        SELECT from_key AS url_key, href_key AS target, source, href FROM alternates
        WHERE {SPOKEN} AND href_key <> from_key
    ),
    back AS (SELECT from_key, href_key FROM alternates WHERE in_head IS DISTINCT FROM false),
    told AS (
        SELECT s.url_key, s.target, bool_or(s.source = 'sitemap') AS by_map, min(s.href) AS href
        FROM spoken s ANTI JOIN back r ON r.from_key = s.target AND r.href_key = s.url_key
        GROUP BY s.url_key, s.target
    )
    SELECT t.url_key, t.target, coalesce(t.by_map AND m.from_key IS NOT NULL, false) AS in_maps,
           p.final_key, p.canonical
    FROM told t SEMI JOIN listing l ON l.url_key = t.url_key
    LEFT JOIN pages p ON p.url_key = t.url_key
    LEFT JOIN (SELECT DISTINCT from_key FROM alternates WHERE source = 'sitemap') m ON m.from_key = t.target
    WHERE t.target IS DISTINCT FROM p.final_key AND coalesce(p.canonical NOT IN (t.target, t.href), true)
"""

RULE = Rule(
    id="hreflang-no-return",
    tier=Tier.TOP30,
    rank=25,
    severity=Severity.ERROR,
    title="hreflang without a link back",
    why="Language versions must name each other; without a link back the pair is ignored.",
    fix="Let {related_url} name {url} as well if it is a version of that page; else name this page's own version instead.",
    source=(
        Source("text-002", "line 69, each URL lists all versions; line 95 of the checklist"),
        Source("g-hreflang", "guidelines for all methods; missing return links"),
    ),
    known_as=("Screaming Frog: Missing Return Links",),
    needs=frozenset({Need.HEAD}),
    targets=f"SELECT url_key, target FROM ({PAIRS}) WHERE NOT in_maps",
    target_needs=frozenset({Need.HEAD}),
    lacks=f"""
        {NO_PAGE} UNION
        SELECT t.url_key, 'no_page' FROM ({PAIRS}) t JOIN pages p ON p.url_key = t.target
        WHERE p.state = 'checked' AND p.status <> 200 AND NOT t.in_maps
    """,
    # Statements of sitemap, element and header are one set. x-default owes a return only where it speaks
    # at all. A target that answers with an error has nothing to say: another finding. A target that no
    # sitemap lists may be listed in a file that could not be read: then less sure.
    sql=f"""
        WITH pairs AS ({PAIRS}),
        due AS (
            SELECT p.* FROM pairs p SEMI JOIN targets t ON t.url_key = p.url_key AND t.target = p.target
            UNION ALL FROM pairs WHERE in_maps
        ),
        back AS (SELECT from_key, href_key, href FROM alternates WHERE in_head IS DISTINCT FROM false),
        unmoved AS (FROM due d ANTI JOIN back r ON r.from_key = d.target AND r.href_key = d.final_key),
        unkeyed AS (FROM unmoved d ANTI JOIN back r ON r.from_key = d.target AND r.href_key = d.canonical),
        alone AS (FROM unkeyed d ANTI JOIN back r ON r.from_key = d.target AND r.href = d.canonical),
        told AS (
            SELECT d.url_key, d.target, d.in_maps, arg_min(a.href, a.code) AS href, min(a.code) AS code,
                   bool_and(a.code = 'x-default') AS only_default,
                   arg_min(a.source, (a.source <> 'sitemap', a.source)) AS source,
                   arg_min(a.sitemap, (a.sitemap, a.line)) AS sitemap, arg_min(a.line, (a.sitemap, a.line)) AS line
            FROM alone d JOIN (FROM alternates WHERE {SPOKEN}) a ON a.from_key = d.url_key AND a.href_key = d.target
            GROUP BY d.url_key, d.target, d.in_maps
        ),
        speakers AS (
            SELECT b.from_key, count(DISTINCT b.href_key) AS n
            FROM back b SEMI JOIN alone d ON d.target = b.from_key GROUP BY b.from_key
        ),
        lost AS (SELECT count(*) > 0 AS lost_files FROM sitemap_files
                 WHERE state IN ('partial', 'failed', 'blocked') AND source IS DISTINCT FROM 'guess')
        SELECT d.url_key, d.url_key || ' -> ' || d.target AS subject, d.sitemap, d.line,
               'names ' || d.href || ' as ' || d.code || CASE d.source
                   WHEN 'sitemap' THEN ' in ' || coalesce(d.sitemap, '?') || coalesce(', line ' || d.line, '')
                   WHEN 'http' THEN ' by Link header' ELSE ' by link element' END AS claim,
               d.href || CASE WHEN s.n IS NULL THEN ' names no language version'
                              ELSE ' names ' || s.n || ' language versions, not this one' END
               || CASE WHEN b.hop_count > 0 THEN ' (read at ' || coalesce(b.final_url, '?') || ')' ELSE '' END
                   AS reality,
               d.href AS related_url,
               -- A template that names the home page as x-default of every page: the versions themselves still pair.
               CASE WHEN d.only_default THEN 'warning' END AS severity,
               CASE WHEN l.url_key IS NULL AND (SELECT lost_files FROM lost) THEN 'possible' END AS confidence
        FROM told d
        LEFT JOIN pages b ON b.url_key = d.target
        LEFT JOIN speakers s ON s.from_key = d.target
        LEFT JOIN listing l ON l.url_key = d.target
        WHERE (d.in_maps OR b.status = 200) AND NOT (d.only_default AND s.n IS NULL)
    """,
    fires=(
        Fires(
            "A names B, B names nobody",
            {"entries": [LISTED], "pages": [page(A), page(B)], "alternates": [says(A, B, "fr")]},
            {
                "url": A,
                "subject": f"{A} -> {B}",
                "sitemap": MAP,
                "line": 3,
                "claim": f"names {B} as fr by link element",
                "reality": f"{B} names no language version",
                "related_url": B,
                "severity": "error",
                "confidence": "sure",
            },
        ),
        Fires(
            "B names others, but not A",
            {
                "entries": [LISTED],
                "pages": [page(A), page(B)],
                "alternates": [says(A, B, "fr"), says(B, B, "fr"), says(B, "https://example.com/de", "de")],
            },
            {"reality": f"{B} names 2 language versions, not this one"},
        ),
        Fires(
            "both speak in the sitemap: no page is needed",
            {
                "entries": [LISTED],
                "pages": [page(A)],
                "alternates": [
                    says(A, B, "fr", "sitemap", sitemap=MAP, line=5),
                    says(B, B, "fr", "sitemap", sitemap=MAP, line=11),
                ],
            },
            {"line": 5, "claim": f"names {B} as fr in {MAP}, line 5"},
        ),
        Fires(
            "an x-default that lists others owes a return",
            {
                "entries": [LISTED],
                "pages": [page(A), page(B)],
                "alternates": [says(A, B, "x-default"), says(B, B, "x-default")],
            },
            {"claim": f"names {B} as x-default by link element"},
        ),
        Fires(
            "a sitemap was lost that may hold the return",
            {
                "entries": [LISTED],
                "pages": [page(A), page(B)],
                "alternates": [says(A, B, "fr")],
                "sitemap_files": [
                    {"url": "https://example.com/fr.xml", "source": "robots", "state": "failed"}
                ],
            },
            {"confidence": "possible"},
        ),
        Fires(
            "the return stands outside the head",
            {
                "entries": [LISTED],
                "pages": [page(A), page(B)],
                "alternates": [says(A, B, "fr"), says(B, A, "en", in_head=False)],
            },
            {"reality": f"{B} names no language version"},
        ),
    ),
    passes=(
        Passes(
            "both name each other",
            {
                "entries": [LISTED, ALSO_LISTED],
                "pages": [page(A), page(B)],
                "alternates": [says(A, B, "fr"), says(B, A, "en")],
            },
        ),
        Passes(
            "one says it in the sitemap, the other in its head",
            {
                "entries": [LISTED, ALSO_LISTED],
                "pages": [page(A), page(B)],
                "alternates": [says(A, B, "fr", "sitemap", sitemap=MAP, line=5), says(B, A, "en", "http")],
            },
        ),
        Passes(
            "B was never read", {"entries": [LISTED], "pages": [page(A)], "alternates": [says(A, B, "fr")]}
        ),
        Passes(
            "B lies out of scope",
            {
                "entries": [LISTED],
                "pages": [
                    page(A),
                    {"url_key": B, "state": "skipped", "reason": "out_of_scope", "discovered_by": "hreflang"},
                ],
                "alternates": [says(A, B, "fr")],
            },
        ),
        Passes(
            "B speaks in the sitemap, A only in its head, and B was not read",
            {
                "entries": [LISTED],
                "pages": [page(A)],
                "alternates": [says(A, B, "fr"), says(B, B, "fr", "sitemap", sitemap=MAP, line=11)],
            },
        ),
        Passes(
            "an x-default without hreflang (a page to choose from)",
            {"entries": [LISTED], "pages": [page(A), page(B)], "alternates": [says(A, B, "x-default")]},
        ),
        Passes(
            "B names the address that A redirects to",
            {
                "entries": [LISTED],
                "pages": [
                    page(A, first_status=301, hop_count=1, final_url=A + "/", final_key=A + "/"),
                    page(B),
                ],
                "alternates": [says(A, B, "fr"), says(B, A + "/", "en")],
            },
        ),
        Passes(
            "B names A's canonical",
            {
                "entries": [LISTED],
                "pages": [page(A, canonical_state="other", canonical=A + "?all"), page(B)],
                "alternates": [says(A, B, "fr"), says(B, A + "?all", "en")],
            },
        ),
        Passes(
            "B is gone: nothing to read",
            {
                "entries": [LISTED],
                "pages": [page(A), page(B, first_status=404, status=404, canonical_state=None)],
                "alternates": [says(A, B, "fr")],
            },
        ),
        Passes(
            "the code is invalid: no statement",
            {
                "entries": [LISTED],
                "pages": [page(A), page(B)],
                "alternates": [says(A, B, "xx-yy", code=None, code_issue="unknown_language")],
            },
        ),
        Passes(
            "A names itself",
            {"entries": [LISTED], "pages": [page(A)], "alternates": [says(A, A, "en")]},
        ),
        Passes("A is not listed", {"pages": [page(A), page(B)], "alternates": [says(A, B, "fr")]}),
    ),
)
