"""Dates from before the web: a zero that stands for not known."""

from sitemap_audit.rules.dates import MAPS, is_written, latest
from sitemap_audit.rules.relations import count_of
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, MAP, SITE, entry, file, undeclared

FILE = file(lastmod_present=40)
ZERO = entry(
    f"{SITE}/a",
    7,
    lastmod_raw="1970-01-01T00:00:00Z",
    lastmod="1970-01-01T00:00:00Z",
    lastmod_precision="second",
    lastmod_issue="implausible",
)


def day(raw: str, line: int = 7) -> dict[str, object]:
    """An entry with this date, without time."""
    return ZERO | {
        "lastmod_raw": raw,
        "lastmod": raw,
        "lastmod_precision": "day",
        "line": line,
        "position": line,
    }


RULE = Rule(
    id="lastmod-implausible",
    severity=Severity.NOTICE,
    title="lastmod from before the web",
    why="A zero date says that the real one is not known: it helps nobody, and makes the other dates of the file doubtful.",
    fix="Leave lastmod out of {sitemap} where the time of the last change is not known.",
    source=(Source("g-ping", "lastmod, has to be verifiably right"),),
    needs=frozenset(),
    # An archive may hold documents of 1890: their date of creation is still wrong for an address on the web.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, e.sitemap AS subject, e.sitemap, arg_min(e.line, e.position) AS line,
               'lastmod ' || arg_min({is_written("e.lastmod_raw")}, e.position) || ' in ' || e.sitemap
               || coalesce(', line ' || arg_min(e.line, e.position), '') AS claim,
               {count_of("count(*)")} || coalesce(' of ' || {count_of("any_value(f.lastmod_present)")} || ' dates', ' dates')
               || ' lie before ' || any_value(s.lastmod_oldest)::DATE || ': '
               || array_to_string(list_sort(list(DISTINCT {is_written("e.lastmod_raw")}))[:3], ', ') AS reality
        FROM entries e JOIN ({MAPS}) f ON f.url = e.sitemap, settings s
        WHERE {latest("e")} < s.lastmod_oldest AND e.lastmod_raw IS NOT NULL
        GROUP BY e.sitemap
    """,
    fires=(
        Fires(
            "the beginning of Unix time",
            {"sitemap_files": [FILE], "entries": [ZERO]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "line": 7,
                "claim": f'lastmod "1970-01-01T00:00:00Z" in {MAP}, line 7',
                "reality": '1 of 40 dates lie before 1995-01-01: "1970-01-01T00:00:00Z"',
                "severity": "notice",
            },
        ),
        Fires(
            "the year 1: one finding a file",
            {"sitemap_files": [FILE], "entries": [day("0001-01-01", 9), ZERO]},
            {
                "line": 7,
                "reality": '2 of 40 dates lie before 1995-01-01: "0001-01-01", "1970-01-01T00:00:00Z"',
            },
        ),
        Fires(
            "an archive of old documents: still no change of a page",
            {"sitemap_files": [FILE], "entries": [day("1891-05-02")]},
            {"reality": '1 of 40 dates lie before 1995-01-01: "1891-05-02"'},
        ),
    ),
    passes=(
        Passes("2004", {"sitemap_files": [FILE], "entries": [day("2004-03-02")]}),
        Passes("the first day that is plausible", {"sitemap_files": [FILE], "entries": [day("1995-01-01")]}),
        Passes(
            "an archive of old documents that dates its pages",
            {"sitemap_files": [FILE], "entries": [day("2019-05-02") | {"loc_raw": f"{SITE}/1891-05-02"}]},
        ),
        Passes(
            "the dates of a feed are no lastmod",
            {"sitemap_files": [undeclared(FEED, kind="rss")], "entries": [ZERO | {"sitemap": FEED}]},
        ),
        Passes("no date", {"sitemap_files": [FILE], "entries": [entry(f"{SITE}/a")]}),
    ),
)
