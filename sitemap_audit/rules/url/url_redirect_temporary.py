"""The way from a listed address to its page is said to be for a while only."""

from sitemap_audit.rules.relations import path_of
from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source

OLD, NEW = "https://example.com/shop/a", "https://example.com/shop/b"
MAP = "https://example.com/sitemap.xml"
LISTED = {"url_key": OLD, "loc": OLD, "sitemap": MAP, "position": 1, "line": 12}
MOVED = {
    "url_key": OLD,
    "requested_url": OLD,
    "state": "checked",
    "first_status": 302,
    "hop_count": 1,
    "status": 200,
    "final_url": NEW,
    "final_key": NEW,
    "redirect_flags": ["temporary"],
}
HOP = {"url_key": OLD, "n": 1, "url": OLD, "status": 302, "kind": "http", "location": NEW}
STAYS = MOVED | {
    "first_status": 200,
    "hop_count": 0,
    "final_url": OLD,
    "final_key": OLD,
    "redirect_flags": [],
}


def leads(start: str, target: str, status: int = 302) -> dict[str, list[dict[str, object]]]:
    """A listed address that leads to another one."""
    return {
        "entries": [LISTED | {"url_key": start, "loc": start}],
        "pages": [MOVED | {"url_key": start, "requested_url": start, "first_status": status, "final_url": target, "final_key": target}],
        "hops": [HOP | {"url_key": start, "url": start, "status": status, "location": target}],
    }  # fmt: skip


RULE = Rule(
    id="url-redirect-temporary",
    severity=Severity.WARNING,
    title="Listed URL redirects temporarily",
    why="A temporary redirect tells search engines to keep the old address and to come back to it.",
    fix="If the move is for good, answer 301 or 308; in any case list {related_url} instead of {url}.",
    source=(Source("g-redirect", "types of redirects, temporary ones"),),
    needs=frozenset({Need.RESPONSE}),
    # The first temporary hop of the way, or a refresh after some seconds. A way to a login, to a consent page,
    # to a language or to a variant of the same path (a test of two versions) is rightly temporary.
    sql=f"""
        WITH temporary AS (
            SELECT h.url_key, arg_min(h.status, h.n) AS status, arg_min(h.location, h.n) AS location, arg_min(h.url, h.n) AS url, min(h.n) AS n
            FROM hops h WHERE h.status IN (302, 303, 307) AND h.kind = 'http' AND h.location IS NOT NULL GROUP BY h.url_key
        ),
        slow AS (
            SELECT url_key, coalesce(final_url, requested_url) AS url,
                   CASE WHEN refresh_header.seconds > 0 AND refresh_header.url IS NOT NULL
                        THEN refresh_header.seconds ELSE refresh.seconds END AS seconds,
                   CASE WHEN refresh_header.seconds > 0 AND refresh_header.url IS NOT NULL
                        THEN refresh_header.url ELSE refresh.url END AS location
            FROM pages WHERE state = 'checked' AND status = 200
        ),
        ways AS (
            SELECT url_key, url, location, status || ' at hop ' || n || ', to ' || location AS reality FROM temporary
            UNION ALL
            SELECT url_key, url, location, 'a refresh after ' || seconds::BIGINT || ' s, to ' || location FROM slow
            WHERE seconds > 0 AND location IS NOT NULL AND split_part(location, '#', 1) NOT IN (url, url_key)
        )
        SELECT w.url_key, w.url_key AS subject, arg_min(w.reality, w.reality) AS reality, arg_min(w.location, w.reality) AS related_url
        FROM ways w JOIN pages p ON p.url_key = w.url_key
        WHERE p.state = 'checked' AND NOT coalesce(p.challenge, false)
          AND {path_of("w.url")} <> {path_of("w.location")}
          AND NOT regexp_matches(lower(w.location), '[/._=-](log-?in|sign-?in|auth|oauth2?|sso|consent|cookies?|account)([/?._=&-]|$)')
          AND NOT regexp_matches({path_of("w.location")}, '^/[a-z][a-z]([-_][A-Za-z][A-Za-z])?' || regexp_escape(rtrim({path_of("w.url")}, '/')) || '/?$')
        GROUP BY w.url_key
    """,
    fires=(
        Fires(
            "302",
            {"entries": [LISTED], "pages": [MOVED], "hops": [HOP]},
            {
                "url": OLD,
                "claim": f"listed in {MAP}, line 12",
                "reality": f"302 at hop 1, to {NEW}",
                "related_url": NEW,
                "severity": "warning",
            },
        ),
        Fires(
            "301, then 307",
            {
                "entries": [LISTED],
                "pages": [MOVED | {"first_status": 301, "hop_count": 2}],
                "hops": [
                    HOP | {"status": 301, "location": OLD + "/"},
                    HOP | {"n": 2, "url": OLD + "/", "status": 307},
                ],
            },
            {"reality": f"307 at hop 2, to {NEW}"},
        ),
        Fires(
            "a refresh after five seconds",
            {"entries": [LISTED], "pages": [STAYS | {"refresh": {"seconds": 5, "url": NEW}}]},
            {"reality": f"a refresh after 5 s, to {NEW}"},
        ),
    ),
    passes=(
        Passes("301", leads(OLD, NEW, 301)),
        Passes("a login", leads(OLD, "https://example.com/login?next=/shop/a")),
        Passes("a consent page of another host", leads(OLD, "https://consent.example.net/collect?to=1")),
        Passes("a country: the same path below a language", leads(OLD, "https://example.com/de-at/shop/a")),
        Passes("the root leads to a language", leads("https://example.com/", "https://example.com/en/")),
        Passes("a test of two versions", leads(OLD, OLD + "?variant=b")),
        Passes(
            "a page that loads itself again",
            {"entries": [LISTED], "pages": [STAYS | {"refresh": {"seconds": 300, "url": OLD}}]},
        ),
        Passes("nobody lists it", {"pages": [MOVED | {"discovered_by": "hreflang"}], "hops": [HOP]}),
    ),
)  # fmt: skip
