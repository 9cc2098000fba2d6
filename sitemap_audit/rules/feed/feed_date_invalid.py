"""Dates of a feed that are not in the form of its format."""

from sitemap_audit.rules.dates import is_written
from sitemap_audit.rules.feed_cases import feed, item
from sitemap_audit.rules.feeds import FEEDS
from sitemap_audit.rules.relations import count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, file

ISO = {"lastmod_raw": "2026-11-30T12:00:00Z", "lastmod": "2026-11-30T12:00:00Z", "lastmod_issue": "format"}
MONDAY = {
    "lastmod_raw": "Mon, 30 Nov 2026 23:30:00 -0500",
    "lastmod": "2026-12-01T04:30:00Z",
    "lastmod_offset_min": -300,
    "lastmod_precision": "second",
}

RULE = Rule(
    id="feed-date-invalid",
    severity=Severity.WARNING,
    title="Dates of the feed are in the wrong form",
    why="RSS dates are written as in mail (RFC 822), Atom dates as in RFC 3339; a date in another form is not read by all, and "
    "the item may count as undated.",
    fix="Write the dates in {sitemap} as Mon, 30 Nov 2026 12:00:00 GMT in RSS, as 2026-11-30T12:00:00Z in Atom.",
    source=(
        Source("text-000", "RSS and Atom feeds, the format of the time of each kind"),
        Source("rss2", "date-times follow RFC 822, with a year of two or four digits"),
        Source("rfc4287", "3.3, date constructs follow RFC 3339"),
    ),
    needs=frozenset(),
    # One finding a file. A wrong weekday, a small letter or a blank for the T mislead nobody: only a notice. A date in the future is readable.
    sql=f"""
        WITH odd AS (
            SELECT e.sitemap, e.position, e.line, e.lastmod_raw, f.kind, f.form,
                   CASE WHEN e.lastmod_issue NOT IN ('future', 'implausible') THEN e.lastmod_issue
                        WHEN f.kind = 'rss' AND regexp_matches(e.lastmod_raw, '^\\s*[A-Za-z]{{3}},')
                         AND lower(left(ltrim(e.lastmod_raw, ' ' || chr(9) || chr(10) || chr(13)), 3)) <>
                             lower(strftime(e.lastmod + to_minutes(e.lastmod_offset_min), '%a')) THEN 'wrong weekday' END AS issue
            FROM entries e JOIN ({FEEDS}) f ON f.url = e.sitemap WHERE e.lastmod_raw IS NOT NULL
        ),
        judged AS (SELECT *, coalesce(issue NOT IN ('wrong weekday', 'lower_case', 'blank_for_t'), false) AS wrong FROM odd)
        SELECT NULL::VARCHAR AS url_key, sitemap AS subject, sitemap,
               arg_min(line, (NOT wrong, position)) FILTER (issue IS NOT NULL) AS line,
               CASE any_value(kind) WHEN 'atom' THEN 'updated ' ELSE 'pubDate ' END
               || arg_min({is_written("lastmod_raw")}, (NOT wrong, position)) FILTER (issue IS NOT NULL) || ' in ' || sitemap
               || coalesce(', line ' || arg_min(line, (NOT wrong, position)) FILTER (issue IS NOT NULL), '') AS claim,
               {count_of("count(issue)")} || ' of ' || {count_of("count(*)")} || ' dates are not as ' || any_value(form) || ' wants them ('
               || array_to_string(list_sort(list(DISTINCT replace(issue, '_', ' ')) FILTER (issue IS NOT NULL)), ', ') || '): '
               || array_to_string(list_sort(list(DISTINCT {is_written("lastmod_raw")}) FILTER (issue IS NOT NULL))[:3], ', ') AS reality,
               CASE WHEN NOT bool_or(wrong) THEN 'notice' END AS severity
        FROM judged GROUP BY sitemap HAVING count(issue) > 0
    """,
    fires=(
        Fires(
            "ISO in pubDate: what is meant is plain, and reported all the same",
            {"sitemap_files": [feed()], "entries": [item(1, **MONDAY), item(2, **ISO)]},
            {
                "url": None,
                "subject": FEED,
                "sitemap": FEED,
                "line": 6,
                "claim": f'pubDate "2026-11-30T12:00:00Z" in {FEED}, line 6',
                "reality": '1 of 2 dates are not as RSS wants them (format): "2026-11-30T12:00:00Z"',
                "severity": "warning",
            },
        ),
        Fires(
            "no date at all",
            {
                "sitemap_files": [feed(kind="atom")],
                "entries": [item(1, lastmod_raw="insert the date here", lastmod_issue="format")],
            },
            {
                "claim": f'updated "insert the date here" in {FEED}, line 3',
                "reality": '1 of 1 dates are not as Atom wants them (format): "insert the date here"',
            },
        ),
        Fires(
            "a wrong weekday is a notice",
            {
                "sitemap_files": [feed()],
                "entries": [item(1, **MONDAY | {"lastmod_raw": "Sun, 30 Nov 2026 23:30:00 -0500"})],
            },
            {
                "reality": '1 of 1 dates are not as RSS wants them (wrong weekday): "Sun, 30 Nov 2026 23:30:00 -0500"',
                "severity": "notice",
            },
        ),
        Fires(
            "a blank for the T",
            {
                "sitemap_files": [feed(kind="atom")],
                "entries": [
                    item(1, **ISO | {"lastmod_raw": "2026-11-30 12:00:00Z", "lastmod_issue": "blank_for_t"})
                ],
            },
            {"severity": "notice"},
        ),
    ),
    passes=(
        Passes(
            "RFC 822: the weekday is that of its own zone",
            {"sitemap_files": [feed()], "entries": [item(1, **MONDAY)]},
        ),
        Passes(
            "without a weekday",
            {
                "sitemap_files": [feed()],
                "entries": [item(1, **MONDAY | {"lastmod_raw": "30 Nov 26 23:30 EST"})],
            },
        ),
        Passes(
            "RFC 3339 in Atom",
            {"sitemap_files": [feed(kind="atom")], "entries": [item(1, **ISO | {"lastmod_issue": None})]},
        ),
        Passes(
            "dc:date in RSS is W3C",
            {"sitemap_files": [feed()], "entries": [item(1, **ISO | {"lastmod_issue": None})]},
        ),
        Passes(
            "a date in the future is readable",
            {"sitemap_files": [feed()], "entries": [item(1, **MONDAY | {"lastmod_issue": "future"})]},
        ),
        Passes("no date", {"sitemap_files": [feed()], "entries": [item(1)]}),
        Passes("an XML sitemap", {"sitemap_files": [file(FEED)], "entries": [item(1, **ISO)]}),
    ),
)
