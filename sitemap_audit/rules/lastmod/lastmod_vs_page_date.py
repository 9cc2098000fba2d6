"""The page itself names another date of its last change than the sitemap."""

from sitemap_audit.rules.dates import MAPS, earliest, is_written, latest
from sitemap_audit.rules.relations import moment
from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, MAP, OTHER, SITE, entry, file, undeclared

PAGE = f"{SITE}/a"
MAPPED = entry(PAGE, lastmod="2026-11-20", lastmod_raw="2026-11-20", lastmod_precision="day")
READ = {
    "url_key": PAGE,
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "hop_count": 0,
    "canonical_state": "none",
    "sniffed_type": "html",
    "main_hash": "a" * 16,
}


def dates(**named: str) -> dict[str, object]:
    """The page, with these of its dates."""
    none: dict[str, object] = {
        "jsonld_modified": None,
        "jsonld_published": None,
        "og_modified": None,
        "og_published": None,
        "visible": [],
    }
    return READ | {"page_dates": none | named}


def case(page: dict[str, object], *entries: dict[str, object]) -> dict[str, list[dict[str, object]]]:
    """A page, listed in the map as MAPPED says, or as the entries do."""
    return {"sitemap_files": [file(), file(OTHER)], "entries": list(entries or (MAPPED,)), "pages": [page]}


def _first(date: str) -> str:
    """SQL: the first moment that a date of a page may mean; midnight sharp is a date without time."""
    return f"({date} - CASE WHEN {date} = date_trunc('day', {date}) THEN INTERVAL 14 HOURS ELSE INTERVAL 0 HOURS END)"


def _last(date: str) -> str:
    """SQL: the last one."""
    return f"({date} + CASE WHEN {date} = date_trunc('day', {date}) THEN INTERVAL 38 HOURS ELSE INTERVAL 0 HOURS END)"


def _apart(date: str) -> str:
    """SQL: do the entry's lastmod and this date differ? True without a date: it does not agree."""
    days = "to_days(s.lastmod_page_days::INT)"
    return (
        f"coalesce({earliest('e')} > {_last(date)} + {days} OR {latest('e')} < {_first(date)} - {days}, true)"
    )


RULE = Rule(
    id="lastmod-vs-page-date",
    severity=Severity.NOTICE,
    title="lastmod and the date in the page disagree",
    why="The page names another date of its last change than the sitemap: one of the two is not to be trusted.",
    fix="Fill lastmod in {sitemap} and dateModified of {url} from one field.",
    source=(
        Source("g-sitemap", "additional notes, lastmod has to be verifiable, by comparing with the page"),
        Source("g-ping", "lastmod, has to be verifiably right"),
    ),
    needs=frozenset({Need.CONTENT}),
    # A page that only names its publication may well have changed since; before it was published it cannot have changed.
    # Agreement of any lastmod of a sitemap with any date of change is enough; the dates of feeds are others.
    sql=f"""
        WITH named AS (
            SELECT p.url_key, p.page_dates.jsonld_modified AS linked, p.page_dates.og_modified AS og,
                   CASE WHEN p.page_dates.jsonld_modified IS NULL AND p.page_dates.og_modified IS NULL
                        THEN least(p.page_dates.jsonld_published, p.page_dates.og_published) END AS published
            FROM pages p WHERE p.status = 200 AND coalesce(p.hop_count, 0) = 0 AND p.page_dates IS NOT NULL
        ),
        held AS (
            SELECT n.url_key, n.linked, n.og, n.published, e.sitemap, e.line, e.lastmod, e.lastmod_raw,
                   CASE WHEN n.published IS NULL THEN {_apart("n.linked")} AND {_apart("n.og")}
                        ELSE {latest("e")} < {_first("n.published")} - to_days(s.lastmod_page_days::INT) END AS apart
            FROM named n JOIN entries e ON e.url_key = n.url_key JOIN ({MAPS}) f ON f.url = e.sitemap, settings s
            WHERE e.lastmod IS NOT NULL AND e.lastmod_raw IS NOT NULL
              AND coalesce(n.linked, n.og, n.published) IS NOT NULL
        )
        SELECT h.url_key, h.url_key AS subject, h.sitemap, h.line,
               'lastmod ' || {is_written("h.lastmod_raw")} || ' in ' || h.sitemap || coalesce(', line ' || h.line, '') AS claim,
               CASE WHEN h.published IS NOT NULL THEN 'the page was published only at ' || {moment("h.published")}
                    ELSE 'the page says: ' || concat_ws(', ', 'dateModified ' || {moment("h.linked")},
                                                        'article:modified_time ' || {moment("h.og")}) END AS reality
        FROM (
            SELECT url_key, unnest(arg_max(held, (lastmod, sitemap, line))) FROM held GROUP BY url_key HAVING bool_and(apart)
        ) h
    """,
    fires=(
        Fires(
            "dateModified is two years older",
            case(dates(jsonld_modified="2024-05-02T08:00:00Z")),
            {
                "url": PAGE,
                "subject": PAGE,
                "sitemap": MAP,
                "line": 3,
                "claim": f'lastmod "2026-11-20" in {MAP}, line 3',
                "reality": "the page says: dateModified 2024-05-02T08:00:00Z",
                "severity": "notice",
                "confidence": "sure",
            },
        ),
        Fires(
            "both dates of the page are newer",
            case(dates(jsonld_modified="2026-11-29T08:00:00Z", og_modified="2026-11-29T08:00:01Z")),
            {
                "reality": "the page says: dateModified 2026-11-29T08:00:00Z, article:modified_time 2026-11-29T08:00:01Z",
            },
        ),
        Fires(
            "only a date of publication, and lastmod is older",
            case(dates(jsonld_published="2026-11-28T08:00:00Z", og_published="2026-11-28T08:00:00Z")),
            {"reality": "the page was published only at 2026-11-28T08:00:00Z"},
        ),
        Fires(
            "in two files: one finding",
            case(
                dates(og_modified="2024-05-02"), MAPPED | {"sitemap": OTHER, "lastmod": "2026-11-01"}, MAPPED
            ),
            {"sitemap": MAP, "reality": "the page says: article:modified_time 2024-05-02T00:00:00Z"},
        ),
    ),
    passes=(
        Passes("the same day", case(dates(jsonld_modified="2026-11-20T17:00:00Z"))),
        Passes("the next day but one, without a time", case(dates(jsonld_modified="2026-11-22"))),
        Passes(
            "only a date of publication: the page has changed since",
            case(dates(jsonld_published="2019-05-02T08:00:00Z", og_published="2019-05-02T08:00:00Z")),
        ),
        Passes(
            "one of the two dates of the page agrees",
            case(dates(jsonld_modified="2024-05-02T08:00:00Z", og_modified="2026-11-20T08:00:00Z")),
        ),
        Passes(
            "one of two files agrees",
            case(
                dates(jsonld_modified="2024-05-02T08:00:00Z"),
                MAPPED,
                MAPPED | {"sitemap": OTHER, "lastmod": "2024-05-02", "lastmod_raw": "2024-05-02"},
            ),
        ),
        Passes("dates in the text alone prove nothing", case(dates())),
        Passes(
            "the date of a feed is that of publication",
            {
                "sitemap_files": [undeclared(FEED, kind="rss")],
                "entries": [MAPPED | {"sitemap": FEED}],
                "pages": [dates(jsonld_modified="2024-05-02T08:00:00Z")],
            },
        ),
        Passes(
            "the dates of another page, to which this one redirects",
            case(dates(jsonld_modified="2024-05-02T08:00:00Z") | {"first_status": 301, "hop_count": 1}),
        ),
        Passes("no lastmod", case(dates(jsonld_modified="2024-05-02T08:00:00Z"), entry(PAGE))),
    ),
)
