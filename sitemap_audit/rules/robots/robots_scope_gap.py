"""Two addresses of one site follow different robots.txt files."""

from sitemap_audit.rules.relations import count_of, host_of, origin_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source

HTTPS, HTTP, MOBILE = "https://example.com", "http://example.com", "https://m.example.com"
MAP = f"{HTTPS}/sitemap.xml"


def entry(url: str, line: int) -> dict[str, object]:
    """A line of the sitemap."""
    return {"url_key": url, "loc": url, "sitemap": MAP, "position": line, "line": line}


def page(origin: str, path: str, **more: object) -> dict[str, object]:
    """A listed page that its own origin serves."""
    url = origin + path
    served = {"state": "checked", "allowed": True, "first_status": 200, "status": 200, "hop_count": 0}
    return {"url_key": url, "requested_url": url, "final_url": url, "origin": origin, **served} | more


def robots(origin: str, *disallowed: str, agent: str = "*", **more: object) -> dict[str, object]:
    """A robots.txt with these Disallow lines for one agent; without any, there is no file."""
    file = {
        "origin": origin,
        "robots_url": f"{origin}/robots.txt",
        "state": "ok" if disallowed else "missing",
        "status": 200 if disallowed else 404,
        "policy": "mixed" if disallowed else "allow_all",
        "groups": [{"line": 1, "agents": [agent]}] if disallowed else None,
        "rules": [
            {"line": n, "field": "disallow", "path": path, "group_line": 1}
            for n, path in enumerate(disallowed, 2)
        ]
        or None,
    }
    return file | more


ENTRIES = [entry(f"{HTTPS}/a", 3), entry(f"{HTTPS}/b", 4), entry(f"{HTTP}/c", 5)]
PAGES = [page(HTTPS, "/a"), page(HTTPS, "/b"), page(HTTP, "/c")]
OF_HTTPS = robots(HTTPS, "/cart")
BOTH = {"entries": ENTRIES, "pages": PAGES}

# The addresses of one site that the map uses, within the audit: how many URLs, whether an answer of it is known,
# whether it serves pages (what robots.txt keeps us from may be a page), and what its robots.txt is. `site`: the
# name without scheme, port and www. or m., so where the same paths may stand; another host is another site. The
# few addresses are counted first (materialized: once), and most maps have one.
_USED = rf"""
    WITH address AS MATERIALIZED (SELECT {origin_of("url")} AS origin, count(*) AS n FROM listing GROUP BY 1),
    twin AS (
        SELECT *, regexp_replace({host_of("origin")}, '^(?:www|m|mobile|amp)\.(.+\.)', '\1') AS site
        FROM address WHERE origin <> '' QUALIFY count(*) OVER (PARTITION BY site) > 1
    ),
    asked AS (
        SELECT origin, bool_or(reason = 'out_of_scope') AS outside,
               bool_or(first_status IS NOT NULL OR NOT allowed) AS known,
               bool_or((status = 200 AND starts_with(coalesce(final_url, requested_url), origin || '/'))
                       OR (NOT allowed AND first_status IS NULL)) AS serves
        FROM pages SEMI JOIN twin USING (origin) GROUP BY origin
    ),
    used AS (
        SELECT t.origin, t.n, t.site, coalesce(a.known, false) AS known, coalesce(a.serves, false) AS serves
        FROM twin t LEFT JOIN asked a ON a.origin = t.origin WHERE NOT coalesce(a.outside, false)
    ),
    file AS (
        FROM robots_files WHERE at_root IS DISTINCT FROM false AND state NOT IN ('unreachable', 'server_error')
    )
"""

RULE = Rule(
    id="robots-scope-gap",
    severity=Severity.WARNING,
    title="Two addresses of a site follow different robots.txt files",
    why="A robots.txt holds for its own protocol, host and port alone: the rules of https://example.com do not apply "
    "to http://, www., m. or another port.",
    fix="Publish at {url} the rules of {related_url}, or redirect all pages of that address.",
    source=(
        Source("text-002", "line 13, the scope of robots.txt; line 82; line 88 of the checklist"),
        Source("g-robots", "file location and range of validity"),
    ),
    needs=frozenset(),
    # Compared are the rules that bind the verdict's bot, each origin with the one of its site that lists most.
    # Two that block all, or nothing, are alike however they are written; two that block some things may
    # still come to the same (`/a` beside `/a` and `/a/b`): likely.
    lacks=f"""
        {_USED}
        SELECT l.url_key, CASE WHEN f.origin IS NOT NULL THEN coalesce(s.reason, 'depth')
                               WHEN r.origin IS NULL THEN 'never_tried' ELSE 'robots_paused' END AS reason
        FROM used u JOIN (SELECT site FROM used GROUP BY site HAVING count(*) > 1) t ON t.site = u.site
        LEFT JOIN file f ON f.origin = u.origin
        LEFT JOIN (SELECT DISTINCT origin FROM robots_files WHERE at_root IS DISTINCT FROM false) r ON r.origin = u.origin
        JOIN listing l ON starts_with(l.url, u.origin || '/')
        LEFT JOIN seen s ON s.url_key = l.url_key
        WHERE (u.serves AND f.origin IS NULL) OR NOT u.known
    """,
    sql=rf"""
        {_USED},
        agent AS (
            SELECT f.origin, u.g.line AS line,
                   CASE WHEN regexp_matches(v.a, '^\*(\s|$)') THEN '*'
                        ELSE lower(regexp_extract(v.a, '^[A-Za-z_-]+')) END AS token
            FROM file f, unnest(f.groups) AS u(g), unnest(u.g.agents) AS v(a)
        ),
        named AS (SELECT DISTINCT a.origin FROM agent a JOIN settings s ON a.token = s.verdict_bot),
        binding AS (
            SELECT DISTINCT a.origin, a.line FROM agent a CROSS JOIN settings s LEFT JOIN named n ON n.origin = a.origin
            WHERE a.token = CASE WHEN n.origin IS NULL THEN '*' ELSE s.verdict_bot END
        ),
        rule AS (
            SELECT f.origin, u.x.field AS field, u.x.path AS path
            FROM file f, unnest(f.rules) AS u(x) JOIN binding b ON b.origin = f.origin AND b.line = u.x.group_line
            WHERE u.x.path <> '' GROUP BY ALL
        ),
        bound AS (
            SELECT origin, list(CASE field WHEN 'allow' THEN 'Allow: ' ELSE 'Disallow: ' END || path
                                ORDER BY field DESC, path) AS said
            FROM rule GROUP BY origin
        ),
        side AS (
            SELECT u.*, f.robots_url, f.policy, f.robots_url || ' (' || coalesce(f.status::VARCHAR, f.state) || ')' AS file,
                   coalesce(r.said, []) AS said,
                   row_number() OVER (PARTITION BY u.site ORDER BY u.n DESC, u.origin DESC) AS place
            FROM used u JOIN file f ON f.origin = u.origin LEFT JOIN bound r ON r.origin = u.origin
            WHERE u.serves AND f.policy IS NOT NULL
        ),
        pair AS (
            -- `gap`: the side without rules, else the one that lists less.
            SELECT CASE WHEN m.policy = 'allow_all' THEN m ELSE o END AS gap,
                   CASE WHEN m.policy = 'allow_all' THEN o ELSE m END AS other
            FROM side m JOIN side o ON o.site = m.site
            WHERE m.place = 1 AND o.place > 1
              AND (m.policy <> o.policy OR (m.policy = 'mixed' AND list_sort(m.said) <> list_sort(o.said)))
        ),
        told AS (
            SELECT gap, other, list_filter(other.said, lambda r: NOT list_contains(gap.said, r)) AS lost,
                   list_filter(gap.said, lambda r: NOT list_contains(other.said, r)) AS added FROM pair
        )
        SELECT NULL::VARCHAR AS url_key,
               least(o.gap.origin, o.other.origin) || ' and ' || greatest(o.gap.origin, o.other.origin) AS subject,
               o.gap.robots_url AS url, o.other.robots_url AS related_url,
               'URLs listed: ' || {count_of("o.gap.n")} || ' at ' || o.gap.origin || ', '
               || {count_of("o.other.n")} || ' at ' || o.other.origin AS claim,
               'rules for ' || (SELECT verdict_bot FROM settings) || ' that only ' || o.other.file || ' has: '
               || {count_of("len(o.lost)")} || coalesce(' (' || left(o.lost[1], 200) || ')', '')
               || ', that only ' || o.gap.file || ' has: '
               || {count_of("len(o.added)")} || coalesce(' (' || left(o.added[1], 200) || ')', '') AS reality,
               CASE WHEN o.gap.policy <> 'allow_all' THEN 'likely' END AS confidence
        FROM told o
    """,
    fires=(
        Fires(
            "https blocks /cart, http has no robots.txt and serves pages",
            BOTH | {"robots_files": [OF_HTTPS, robots(HTTP)]},
            {
                "subject": f"{HTTP} and {HTTPS}",
                "url": f"{HTTP}/robots.txt",
                "related_url": f"{HTTPS}/robots.txt",
                "claim": f"URLs listed: 1 at {HTTP}, 2 at {HTTPS}",
                "reality": f"rules for googlebot that only {HTTPS}/robots.txt (200) has: 1 (Disallow: /cart), "
                f"that only {HTTP}/robots.txt (404) has: 0",
                "severity": "warning",
                "confidence": "sure",
            },
        ),
        Fires(
            "the address that lists most has no rules",
            BOTH | {"robots_files": [robots(HTTPS), robots(HTTP, "/cart")]},
            {"url": f"{HTTPS}/robots.txt", "related_url": f"{HTTP}/robots.txt", "confidence": "sure"},
        ),
        Fires(
            "the mobile host blocks something else",
            {
                "entries": [*ENTRIES[:2], entry(f"{MOBILE}/a", 6)],
                "pages": [*PAGES[:2], page(MOBILE, "/a")],
                "robots_files": [OF_HTTPS, robots(MOBILE, "/basket")],
            },
            {
                "url": f"{MOBILE}/robots.txt",
                "reality": f"rules for googlebot that only {HTTPS}/robots.txt (200) has: 1 (Disallow: /cart), "
                f"that only {MOBILE}/robots.txt (200) has: 1 (Disallow: /basket)",
                "confidence": "likely",
            },
        ),
        Fires(
            "another port, shut out as a whole: nothing of it was fetched",
            {
                "entries": [*ENTRIES[:2], entry(f"{HTTPS}:8443/a", 6)],
                "pages": [
                    *PAGES[:2],
                    page(
                        f"{HTTPS}:8443",
                        "/a",
                        state="skipped",
                        reason="robots",
                        allowed=False,
                        first_status=None,
                        status=None,
                        final_url=None,
                    ),
                ],
                "robots_files": [OF_HTTPS, robots(f"{HTTPS}:8443", "/", policy="disallow_all")],
            },
            {"url": f"{HTTPS}:8443/robots.txt"},
        ),
        Fires(
            "a group for the bot replaces the one for all",
            BOTH
            | {
                "robots_files": [
                    OF_HTTPS,
                    robots(
                        HTTP,
                        "/cart",
                        policy="mixed",
                        groups=[{"line": 1, "agents": ["*"]}, {"line": 5, "agents": ["Googlebot/2.1"]}],
                        rules=[
                            {"line": 2, "field": "disallow", "path": "/cart", "group_line": 1},
                            {"line": 6, "field": "disallow", "path": "/old", "group_line": 5},
                        ],
                    ),
                ]
            },
            {
                "reality": f"rules for googlebot that only {HTTPS}/robots.txt (200) has: 1 (Disallow: /cart), "
                f"that only {HTTP}/robots.txt (200) has: 1 (Disallow: /old)"
            },
        ),
    ),
    passes=(
        Passes(
            "http redirects everything to https: it needs none",
            {
                "entries": ENTRIES,
                "pages": [
                    *PAGES[:2],
                    page(HTTP, "/c", first_status=301, hop_count=1, final_url=f"{HTTPS}/c"),
                ],
                "robots_files": [OF_HTTPS, robots(HTTP)],
            },
        ),
        Passes(
            "both follow the same rules", BOTH | {"robots_files": [OF_HTTPS, robots(HTTP, "/cart", "/cart")]}
        ),
        Passes(
            "neither blocks anything",
            BOTH | {"robots_files": [robots(HTTPS, "", policy="allow_all"), robots(HTTP)]},
        ),
        Passes(
            "both block everything, in other words",
            BOTH
            | {
                "robots_files": [
                    robots(HTTPS, "/", policy="disallow_all"),
                    robots(HTTP, "/*", policy="disallow_all"),
                ]
            },
        ),
        Passes(
            "the rules of another bot differ",
            BOTH | {"robots_files": [robots(HTTPS, "/", agent="OtherBot", policy="allow_all"), robots(HTTP)]},
        ),
        Passes(
            "one robots.txt fails: that is a finding of its own",
            BOTH | {"robots_files": [OF_HTTPS, robots(HTTP, state="server_error", status=503, policy=None)]},
        ),
        Passes(
            "nothing is listed at http",
            {"entries": ENTRIES[:2], "pages": PAGES[:2], "robots_files": [OF_HTTPS, robots(HTTP)]},
        ),
        Passes(
            "another host of the company is a site of its own",
            {
                "entries": [*ENTRIES[:2], entry("https://blog.example.com/a", 6)],
                "pages": [*PAGES[:2], page("https://blog.example.com", "/a")],
                "robots_files": [OF_HTTPS, robots("https://blog.example.com")],
            },
        ),
        Passes(
            "the mobile host is out of scope",
            {
                "entries": [*ENTRIES[:2], entry(f"{MOBILE}/a", 6)],
                "pages": [
                    *PAGES[:2],
                    page(
                        MOBILE,
                        "/a",
                        state="skipped",
                        reason="out_of_scope",
                        allowed=None,
                        first_status=None,
                        status=None,
                        final_url=None,
                    ),
                ],
                "robots_files": [OF_HTTPS, robots(MOBILE)],
            },
        ),
        Passes(
            "all that is listed at http is gone",
            {
                "entries": ENTRIES,
                "pages": [*PAGES[:2], page(HTTP, "/c", first_status=404, status=404)],
                "robots_files": [OF_HTTPS, robots(HTTP)],
            },
        ),
    ),
)
