"""Dates of a sitemap that no W3C date-time parser reads."""

from sitemap_audit.rules.relations import count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier

MAP = "https://example.com/sitemap.xml"
INDEX = "https://example.com/index.xml"
FILE = {"url": MAP, "kind": "urlset", "source": "robots", "state": "ok", "status": 200, "lastmod_present": 40}


def entry(position: int, lastmod: str, issue: str | None) -> dict[str, object]:
    """An entry with this date; the parser's name for what is wrong with it."""
    url = f"https://example.com/{position}"
    return {
        "url_key": url,
        "loc": url,
        "sitemap": MAP,
        "position": position,
        "line": 4 * position,
        "lastmod_raw": lastmod,
        "lastmod_issue": issue,
    }


CHILD = {
    "sitemap": INDEX,
    "position": 1,
    "line": 4,
    "loc": MAP,
    "lastmod_raw": "202-05-20",
    "lastmod_issue": "format",
}

RULE = Rule(
    id="lastmod-invalid-format",
    tier=Tier.TOP30,
    rank=29,
    severity=Severity.ERROR,
    title="lastmod is not a W3C date",
    why="The date cannot be read, so the entry counts as undated.",
    fix="Write dates in {sitemap} as 2026-11-30 or 2026-11-30T12:00:00+01:00: a T before the time, a colon in the zone, and "
    "a zone wherever there is a time.",
    source=(
        Source("text-000", "Last modification time, the format of each kind of file"),
        Source("sitemaps-org", "tag definitions, lastmod"),
        Source("g-index", "index reference, lastmod"),
    ),
    known_as=("Search Console: Invalid date",),
    needs=frozenset(),
    # One finding a file. Where the meaning is plain other rules use it; the form is wrong all the same.
    # A future or implausible date is readable; dates of feeds have other forms: rules of their own.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, e.sitemap AS subject, e.sitemap, min(e.line) AS line,
               'lastmod ' || arg_min('"' || left(e.lastmod_raw, 60) || '"', e.position) || ' in ' || e.sitemap
               || coalesce(', line ' || min(e.line), '') AS claim,
               {count_of("count(*)")} || coalesce(' of ' || {count_of("any_value(f.lastmod_present)")} || ' dates', ' dates')
               || ' cannot be read (' || array_to_string(list_sort(list(DISTINCT e.lastmod_issue)), ', ') || '): '
               || array_to_string(list_sort(list(DISTINCT '"' || left(e.lastmod_raw, 60) || '"'))[:3], ', ') AS reality
        FROM (
            SELECT sitemap, position, line, lastmod_raw, lastmod_issue FROM entries WHERE lastmod_issue IS NOT NULL
            UNION ALL
            SELECT sitemap, position, line, lastmod_raw, lastmod_issue FROM index_children WHERE lastmod_issue IS NOT NULL
        ) e LEFT JOIN sitemap_files f ON f.url = e.sitemap
        WHERE e.lastmod_issue NOT IN ('future', 'implausible') AND e.lastmod_raw IS NOT NULL
          AND coalesce(f.kind NOT IN ('rss', 'atom'), true)
        GROUP BY e.sitemap
    """,
    fires=(
        Fires(
            "a blank for the T, and a time without zone: one finding a file",
            {
                "sitemap_files": [FILE],
                "entries": [
                    entry(1, "2026-11-30", None),
                    entry(2, "2026-11-30 12:00", "format"),
                    entry(3, "2026-11-30T12:00:00", "timezone_missing"),
                ],
            },
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "line": 8,
                "claim": f'lastmod "2026-11-30 12:00" in {MAP}, line 8',
                "reality": "2 of 40 dates cannot be read (format, timezone_missing): "
                '"2026-11-30 12:00", "2026-11-30T12:00:00"',
                "severity": "error",
            },
        ),
        Fires(
            "in an index",
            {
                "sitemap_files": [FILE | {"url": INDEX, "kind": "index", "lastmod_present": 1}],
                "index_children": [CHILD],
            },
            {"sitemap": INDEX, "line": 4, "reality": '1 of 1 dates cannot be read (format): "202-05-20"'},
        ),
    ),
    passes=(
        Passes(
            "a full date-time", {"sitemap_files": [FILE], "entries": [entry(1, "2026-11-30T12:00:00Z", None)]}
        ),
        Passes(
            "a date in the future is readable",
            {"sitemap_files": [FILE], "entries": [entry(1, "2031-01-01", "future")]},
        ),
        Passes(
            "an old date is readable",
            {"sitemap_files": [FILE], "entries": [entry(1, "1970-01-01", "implausible")]},
        ),
        Passes(
            "an RSS date has another form",
            {
                "sitemap_files": [FILE | {"kind": "rss"}],
                "entries": [entry(1, "30 Nov 2026", "timezone_missing")],
            },
        ),
        Passes(
            "no lastmod",
            {
                "sitemap_files": [FILE],
                "entries": [{"url_key": MAP, "sitemap": MAP, "position": 1, "line": 2}],
            },
        ),
    ),
)
