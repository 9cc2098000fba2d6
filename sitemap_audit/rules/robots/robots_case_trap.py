"""A rule misses its target because upper and lower case differ."""

from sitemap_audit.rules.relations import ROBOTS_TEXTS
from sitemap_audit.rules.robots_cases import FILE, ROBOTS, SITE, listed, rule_line
from sitemap_audit.rules.rule import Confidence, Fires, Passes, Rule, Severity, Source


def case(path: str, *urls: str, **more: object) -> dict[str, list[dict[str, object]]]:
    """A file with one rule, and a map that lists these paths."""
    return {"entries": listed(*urls), "robots_files": [FILE | {"rules": [rule_line(2, path)]} | more]}


def _next(column: str, fold: str) -> str:
    """SQL: rule and the first listed path that is not before it in the order of the alphabet, if it begins so.

    Rules and paths are sorted together, backwards: what stands last in front of a rule is the next path.
    """
    return f"""
        SELECT origin, rule AS path, hit FROM (
            SELECT origin, rule, text, last_value(place IGNORE NULLS) OVER (
                       PARTITION BY origin ORDER BY text DESC, rule IS NOT NULL
                       ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS hit
            FROM (SELECT origin, {column} AS text, path AS rule, NULL::VARCHAR AS place FROM plain
                  UNION ALL SELECT origin, {column}, NULL, path FROM near)
        ) WHERE rule IS NOT NULL AND starts_with({fold}(hit), text)"""


RULE = Rule(
    id="robots-case-trap",
    severity=Severity.NOTICE,
    confidence=Confidence.LIKELY,
    title="A rule misses URLs that differ only in case",
    why="Paths are case-sensitive. The rule matches no listed URL as it is written, and would match some if case did "
    "not count, so it probably misses its target.",
    fix="Write the path in {url} exactly as in the URLs, such as {related_url}.",
    source=(
        Source("text-002", "line 24, paths are case-sensitive"),
        Source("g-robots", "URL matching based on path values"),
    ),
    needs=frozenset(),
    # Rules without wildcards find their URLs by one sorted pass over those that begin alike (four characters), so
    # that 15,000 rules over a million URLs cost no product. Wildcard rules are compared one by one: the first
    # hundred of a file. Rules with escapes or other than ASCII are left out: they have several spellings.
    sql=rf"""
        WITH rule AS MATERIALIZED (
            SELECT DISTINCT a.origin, a.robots_url, a.claim, u.x.path AS path, lower(u.x.path) AS low, u.x.field AS field,
                   min(u.x.line) OVER (PARTITION BY a.origin, u.x.path) AS line
            FROM ({ROBOTS_TEXTS}) a, unnest(a.rules) AS u(x)
            WHERE starts_with(u.x.path, '/') AND regexp_matches(u.x.path, '^/[!-~]*[A-Za-z][!-~]*$')
              AND NOT contains(u.x.path, '%')
        ),
        plain AS MATERIALIZED (FROM rule WHERE NOT contains(path, '*') AND NOT ends_with(path, '$')),
        wild AS MATERIALIZED (
            SELECT *, replace(replace(replace(replace(replace(rtrim(path, '$'), '!', '!!'), '%', '!%'), '_', '!_'), '[', '!['), '*', '%')
                      || CASE WHEN ends_with(path, '$') THEN '' ELSE '%' END AS pattern
            FROM rule WHERE contains(path, '*') OR ends_with(path, '$')
            QUALIFY row_number() OVER (PARTITION BY origin ORDER BY line) <= 100
        ),
        place AS MATERIALIZED (
            SELECT r.origin, substr(l.url, length(r.origin) + 1) AS path, lower(substr(l.url, length(r.origin) + 1)) AS low
            FROM (SELECT DISTINCT origin FROM rule) r JOIN listing l ON starts_with(l.url, r.origin || '/')
        ),
        near AS MATERIALIZED (
            FROM place WHERE left(low, 4) IN (SELECT left(low, 4) FROM plain)
               OR EXISTS (FROM plain WHERE length(plain.low) < 4 AND starts_with(place.low, plain.low))
        ),
        hit AS (
            SELECT origin, path, false AS folded, hit FROM ({_next("path", "")})
            UNION ALL
            SELECT origin, path, true, hit FROM ({_next("low", "lower")})
            UNION ALL
            SELECT w.origin, w.path, NOT (p.path LIKE w.pattern ESCAPE '!'), p.path
            FROM wild w JOIN place p ON p.origin = w.origin AND p.low LIKE lower(w.pattern) ESCAPE '!'
        ),
        trap AS (
            SELECT origin, path, min(hit) FILTER (folded) AS hit FROM hit GROUP BY origin, path
            HAVING bool_and(folded)
        )
        SELECT NULL::VARCHAR AS url_key, r.robots_url || ' ' || r.path AS subject, any_value(r.robots_url) AS url,
               any_value(r.claim) AS claim,
               'line ' || min(r.line) || ': ' || upper(any_value(r.field)[1]) || any_value(r.field)[2:] || ': '
               || left(r.path, 200) || ' matches no listed URL; ' || any_value(t.hit) || ' is listed' AS reality,
               any_value(t.origin || t.hit) AS related_url
        FROM trap t JOIN rule r ON r.origin = t.origin AND r.path = t.path GROUP BY r.robots_url, r.path
    """,
    fires=(
        Fires(
            "Disallow: /Folder/ with URLs /folder/…",
            case("/Folder/", "/folder/a", "/other"),
            {
                "subject": f"{ROBOTS} /Folder/",
                "url": ROBOTS,
                "reality": "line 2: Disallow: /Folder/ matches no listed URL; /folder/a is listed",
                "related_url": f"{SITE}/folder/a",
                "severity": "notice",
                "confidence": "likely",
            },
        ),
        Fires("a file type", case("/*.PDF$", "/a.pdf", "/b"), {"subject": f"{ROBOTS} /*.PDF$"}),
        Fires("a rule of three characters", case("/EN", "/en", "/de"), {"related_url": f"{SITE}/en"}),
        Fires(
            "an underscore is no wildcard",
            case("/*_X", "/a_x", "/bXX"),
            {"reality": "line 2: Disallow: /*_X matches no listed URL; /a_x is listed"},
        ),
    ),
    passes=(
        Passes("both cases are real", case("/Folder/", "/folder/a", "/Folder/b")),
        Passes("both cases are real, with a wildcard", case("/*.PDF$", "/a.pdf", "/b.PDF")),
        Passes("no URL is like it", case("/Folder/", "/files/a")),
        Passes("the end is anchored, and the URL goes on", case("/*.PDF$", "/a.pdf?x")),
        Passes("escapes have several spellings", case("/%C5%BCA", "/%c5%bca")),
        Passes("another origin lists it", case("/Folder/", "/folder/a", origin="https://www.example.com")),
    ),
)
