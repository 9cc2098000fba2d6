"""The certificate of a host is not accepted."""

from sitemap_audit.rules.relations import count_of, listed_in, origin_of
from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source

SITE = "https://shop.example.com"
MAP = "https://example.com/sitemap.xml"
PAGE = f"{SITE}/a"
LISTED = {"url_key": PAGE, "loc": PAGE, "sitemap": MAP, "position": 1, "line": 3}
SECOND = LISTED | {"url_key": f"{SITE}/b", "loc": f"{SITE}/b", "position": 2, "line": 7}
REFUSED = {
    "url_key": PAGE,
    "requested_url": PAGE,
    "origin": SITE,
    "state": "checked",
    "error_class": "tls",
    "error_detail": "the certificate is not for this host: no alternative name matches",
    "tls": {"ok": False, "error": "wrong_host", "not_after": None},
    "hop_count": 0,
    "attempts": 2,
}
PAUSED = {
    "url_key": PAGE,
    "requested_url": PAGE,
    "origin": SITE,
    "state": "unchecked",
    "reason": "robots_paused",
}
ROBOTS = {
    "origin": SITE,
    "robots_url": f"{SITE}/robots.txt",
    "state": "unreachable",
    "error_class": "tls",
    "error_detail": "the certificate is outside of its dates: certificate has expired",
}
NO_TLS = "no common TLS version or cipher, or no TLS on this port: wrong version number"

RULE = Rule(
    id="url-tls-invalid",
    severity=Severity.ERROR,
    title="Certificate is not accepted",
    why="Browsers warn of the page and crawlers may not fetch it; Google may prefer the http version.",
    fix="Install a certificate on {subject} that is valid, covers this host name and comes with its whole chain.",
    source=(Source("g-canon", "reasons why the http version of a page may be preferred"),),
    needs=frozenset({Need.TRIED}),
    # One finding a host, whether the pages said it or already its robots.txt. A version or cipher that both
    # sides lack is no matter of the certificate; the host that a redirect leads to is url-redirect-bad-target.
    # Browsers often find a missing intermediate themselves: less sure, and the words say "chain".
    sql=f"""
        WITH listed AS (
            SELECT {origin_of("url")} AS origin, count(*) AS n, min(url) AS url,
                   arg_min({listed_in()}, (sitemap, line)) AS place
            FROM listing GROUP BY 1
        ),
        said AS (
            SELECT origin, tls.error AS cause, error_detail AS words FROM pages
            WHERE state = 'checked' AND error_class = 'tls' AND coalesce(hop_count, 0) = 0
            UNION ALL
            SELECT origin, NULL, error_detail FROM robots_files
            WHERE state = 'unreachable' AND error_class = 'tls' AND at_root IS DISTINCT FROM false
              AND coalesce(len(hops), 0) = 0
        )
        SELECT NULL::VARCHAR AS url_key, l.origin AS subject, l.url, s.words AS reality,
               'https, URLs listed on this origin: ' || {count_of("l.n")} || ', the first ' || l.place AS claim,
               CASE WHEN s.incomplete THEN 'likely' END AS confidence
        FROM listed l JOIN (
            SELECT origin, min(words) AS words,
                   bool_and(coalesce(cause = 'incomplete_chain', words LIKE 'the server sends its own certificate%')) AS incomplete
            FROM said WHERE words IS NOT NULL AND coalesce(cause <> 'protocol', NOT words LIKE 'no common TLS version%')
            GROUP BY origin
        ) s ON s.origin = l.origin
    """,
    fires=(
        Fires(
            "certificate for another host",
            {"entries": [LISTED], "pages": [REFUSED]},
            {
                "subject": SITE,
                "url": PAGE,
                "claim": f"https, URLs listed on this origin: 1, the first listed in {MAP}, line 3",
                "reality": "the certificate is not for this host: no alternative name matches",
                "severity": "error",
                "confidence": "sure",
            },
        ),
        Fires(
            "two pages of a host: one finding",
            {
                "entries": [LISTED, SECOND],
                "pages": [
                    REFUSED,
                    REFUSED | {"url_key": f"{SITE}/b", "requested_url": f"{SITE}/b"},
                ],
            },
            {"subject": SITE},
        ),
        Fires(
            "already its robots.txt fails, so that no page is asked",
            {"entries": [LISTED], "pages": [PAUSED], "robots_files": [ROBOTS]},
            {"reality": "the certificate is outside of its dates: certificate has expired"},
        ),
        Fires(
            "the chain is incomplete: works in most browsers",
            {
                "entries": [LISTED],
                "pages": [
                    REFUSED
                    | {
                        "error_detail": "the server sends its own certificate without that of its issuer",
                        "tls": {"ok": False, "error": "incomplete_chain", "not_after": None},
                    }
                ],
            },
            {
                "reality": "the server sends its own certificate without that of its issuer",
                "confidence": "likely",
            },
        ),
    ),
    passes=(
        Passes(
            "a valid certificate",
            {
                "entries": [LISTED],
                "pages": [REFUSED | {"error_class": None, "error_detail": None, "status": 200, "first_status": 200}],
            },
        ),
        Passes(
            "no TLS at all on this port",
            {
                "entries": [LISTED],
                "pages": [
                    REFUSED | {"error_detail": NO_TLS, "tls": {"ok": False, "error": "protocol", "not_after": None}}
                ],
            },
        ),
        Passes("the same, seen at robots.txt", {"entries": [LISTED], "pages": [PAUSED], "robots_files": [ROBOTS | {"error_detail": NO_TLS}]}),
        Passes(
            "the host that a redirect leads to",
            {"entries": [LISTED], "pages": [REFUSED | {"first_status": 301, "hop_count": 1}]},
        ),
        Passes("a host that nobody lists", {"pages": [REFUSED | {"discovered_by": "hreflang"}]}),
        Passes(
            "stopped before the second look",
            {"entries": [LISTED], "pages": [REFUSED | {"state": "unchecked", "reason": "stopped"}]},
        ),
    ),
)  # fmt: skip
