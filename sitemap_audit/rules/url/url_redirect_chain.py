"""A listed address takes more than one redirect to its page."""

from sitemap_audit.rules.relations import count_of, host_of, origin_of
from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source

MAP = "https://example.com/sitemap.xml"
A, B, C = (f"https://example.com/{name}" for name in "abc")
LISTED = {"url_key": A, "loc": A, "sitemap": MAP, "position": 1, "line": 3}
MOVED = {
    "url_key": A,
    "requested_url": A,
    "state": "checked",
    "first_status": 301,
    "hop_count": 2,
    "status": 200,
    "final_url": C,
    "final_key": C,
    "redirect_flags": [],
}
HOP = {"url_key": A, "n": 1, "url": A, "status": 301, "kind": "http", "location": B}
HOPS = [HOP, HOP | {"n": 2, "url": B, "location": C}]


def to_www(path: str) -> tuple[dict[str, object], dict[str, object], list[dict[str, object]]]:
    """An http address that is led to https and then to www: entry, page, hops."""
    start, middle, end = (
        f"{base}{path}" for base in ("http://example.com", "https://example.com", "https://www.example.com")
    )
    page = MOVED | {"url_key": start, "requested_url": start, "final_url": end, "final_key": end}
    first = HOP | {"url_key": start, "url": start, "location": middle}
    return (
        LISTED | {"url_key": start, "loc": start},
        page,
        [first, first | {"n": 2, "url": middle, "location": end}],
    )


WWW = [to_www(path) for path in ("/a", "/b?x=1")]

RULE = Rule(
    id="url-redirect-chain",
    severity=Severity.WARNING,
    title="Listed URL redirects more than once",
    why="Every redirect on the way costs the crawler a request and is one more place that can break.",
    fix="Redirect straight to the end, {related_url}, and list that.",
    source=(
        Source("g-move", "avoid chaining redirects"),
        Source("g-crawlerr", "long redirect chains"),
    ),
    known_as=("Screaming Frog: Internal Redirect Chain", "Ahrefs: Redirect chain"),
    needs=frozenset({Need.RESPONSE}),
    # Where only scheme and host change on the way it is one rule of the server: one finding a pattern, with the
    # number of URLs. Loops and ways without end are other findings.
    sql=f"""
        WITH chains AS (
            SELECT p.url_key, any_value(p.requested_url) AS url, any_value(p.final_url) AS final_url, any_value(p.hop_count) AS n,
                   list(h.url ORDER BY h.n) AS way, list(h.status ORDER BY h.n) AS statuses
            FROM pages p JOIN hops h ON h.url_key = p.url_key, settings s
            WHERE p.state = 'checked' AND p.hop_count >= s.redirect_warn_hops
              AND NOT list_has_any(coalesce(p.redirect_flags, []), ['loop', 'too_long', 'bad_location'])
            GROUP BY p.url_key
        ),
        told AS (
            SELECT c.*, l.claim AS place, l.sitemap AS map, l.line AS map_line, list_transform(way || [final_url], lambda u: {origin_of("u")}) AS origins,
                   len(list_distinct(list_transform(way || [final_url], lambda u: replace(u, {origin_of("u")}, '')))) = 1
                   AND len(list_distinct(list_transform(way || [final_url], lambda u: regexp_replace({host_of("u")}, '^www[.]', '')))) = 1 AS same_path
            FROM chains c JOIN listing l ON l.url_key = c.url_key
        )
        SELECT url_key, url_key AS subject, NULL::VARCHAR AS url, NULL::VARCHAR AS claim,
               n || ' redirects: ' || array_to_string(list_transform(list_zip(statuses, way), lambda z: z[2] || ' (' || z[1] || ')')[:5], ' → ')
               || CASE WHEN len(way) > 5 THEN ' → …' ELSE '' END || ' → ' || final_url AS reality, final_url AS related_url
        FROM told WHERE NOT same_path
        UNION ALL
        SELECT NULL, array_to_string(origins, ' → '), min(url), arg_min(place, url) || ', and ' || {count_of("count(*) - 1")} || ' more URLs like it',
               {count_of("count(*)")} || ' URLs take ' || any_value(n) || ' redirects of scheme and host alone: ' || array_to_string(origins, ' → '),
               arg_min(final_url, url)
        FROM told WHERE same_path GROUP BY origins
    """,
    fires=(
        Fires(
            "two hops",
            {"entries": [LISTED], "pages": [MOVED], "hops": HOPS},
            {
                "url": A,
                "claim": f"listed in {MAP}, line 3",
                "reality": f"2 redirects: {A} (301) → {B} (301) → {C}",
                "related_url": C,
                "severity": "warning",
            },
        ),
        Fires(
            "http to https to www, for every URL: one finding",
            {
                "entries": [entry for entry, _, _ in WWW],
                "pages": [page for _, page, _ in WWW],
                "hops": [hop for _, _, hops in WWW for hop in hops],
            },
            {
                "url": "http://example.com/a",
                "claim": f"listed in {MAP}, line 3, and 1 more URLs like it",
                "reality": "2 URLs take 2 redirects of scheme and host alone: "
                "http://example.com → https://example.com → https://www.example.com",
                "related_url": "https://www.example.com/a",
            },
        ),
    ),
    passes=(
        Passes("one hop", {"entries": [LISTED], "pages": [MOVED | {"hop_count": 1, "final_url": B}], "hops": [HOP]}),
        Passes("a loop", {"entries": [LISTED], "pages": [MOVED | {"redirect_flags": ["loop"]}], "hops": HOPS}),
        Passes("the second hop was not followed", {"entries": [LISTED], "pages": [MOVED | {"hop_count": 1}], "hops": HOPS}),
        Passes("nobody lists it", {"pages": [MOVED | {"discovered_by": "hreflang"}], "hops": HOPS}),
    ),
)  # fmt: skip
