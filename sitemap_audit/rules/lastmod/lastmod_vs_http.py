"""The sitemap and the header Last-Modified disagree about the last change."""

from sitemap_audit.rules.dates import MAPS, earliest, is_written, latest
from sitemap_audit.rules.relations import count_of, moment
from sitemap_audit.rules.rule import Confidence, Fires, Need, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import FEED, MAP, OTHER, SITE, entry, file, undeclared

NOW = "2026-11-30T12:00:00Z"
HEADER = "2023-05-01T08:00:00Z"
PAGE = f"{SITE}/a"
MAPPED = entry(
    PAGE, lastmod="2026-11-20T08:00:00Z", lastmod_raw="2026-11-20T08:00:00Z", lastmod_precision="second"
)
BY_DAY = MAPPED | {"lastmod": "2026-11-20", "lastmod_raw": "2026-11-20", "lastmod_precision": "day"}
READ = {
    "url_key": PAGE,
    "origin": SITE,
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "hop_count": 0,
    "date_http": NOW,
    "fetched_at": NOW,
    "last_modified_http": HEADER,
}


def site(number: int, header: str = HEADER) -> dict[str, list[dict[str, object]]]:
    """So many pages, all with this Last-Modified, each with a lastmod of its own."""
    urls = [f"{SITE}/{n}" for n in range(number)]
    return {
        "sitemap_files": [file()],
        "entries": [
            MAPPED | {"url_key": url, "loc": url, "line": n, "position": n} for n, url in enumerate(urls)
        ],
        "pages": [READ | {"url_key": url, "last_modified_http": header} for url in urls],
    }


RULE = Rule(
    id="lastmod-vs-http",
    severity=Severity.NOTICE,
    confidence=Confidence.LIKELY,
    title="lastmod and Last-Modified disagree",
    why="The server's header and the sitemap name different times of the last change: at least one of them is wrong, and "
    "search engines cannot know which.",
    fix="Fill lastmod in {sitemap} and the header Last-Modified of {url} from one source, or leave out the one that is not "
    "known.",
    source=(
        Source("g-sitemap", "additional notes, lastmod has to be verifiable, by comparing with the page"),
        Source("sitemaps-org", "tag definitions, lastmod beside the If-Modified-Since answer"),
    ),
    needs=frozenset({Need.RESPONSE}),
    # A Last-Modified that is just the time of the answer says nothing of a change, nor does one that most pages of the
    # origin share: then all files were written anew, for a layout or a deployment. A header that is newer may still be the
    # time at which a cache wrote the page: less sure. Of several lastmods the nearest counts; feeds have other dates.
    sql=f"""
        WITH heads AS (
            SELECT p.url_key, p.last_modified_http AS changed,
                   count(*) OVER (PARTITION BY p.origin, epoch(p.last_modified_http) // s.deploy_window_s) AS alike,
                   count(*) OVER (PARTITION BY p.origin) AS dated
            FROM pages p SEMI JOIN listing l ON l.url_key = p.url_key, settings s
            WHERE p.status = 200 AND coalesce(p.hop_count, 0) = 0
              AND p.last_modified_http < coalesce(p.date_http, p.fetched_at) - to_seconds(coalesce(p.age_s, 0)) - INTERVAL 5 MINUTES
        ),
        apart AS (
            SELECT h.url_key, h.changed, e.sitemap, e.line, e.lastmod_raw,
                   h.changed > {latest("e")} AS newer,
                   CASE WHEN h.changed > {latest("e")} THEN h.changed - {latest("e")}
                        WHEN h.changed < {earliest("e")} THEN {earliest("e")} - h.changed ELSE INTERVAL 0 DAYS END AS gap
            FROM heads h JOIN entries e ON e.url_key = h.url_key JOIN ({MAPS}) f ON f.url = e.sitemap, settings s
            WHERE e.lastmod IS NOT NULL AND e.lastmod_raw IS NOT NULL
              AND NOT (h.alike >= s.lastmod_one_stamp_min_entries OR (h.alike > 2 AND h.alike >= s.deploy_moved_share * h.dated))
        )
        SELECT a.url_key, a.url_key AS subject, a.sitemap, a.line,
               'lastmod ' || {is_written("a.lastmod_raw")} || ' in ' || a.sitemap || coalesce(', line ' || a.line, '') AS claim,
               'Last-Modified of the page is ' || {moment("a.changed")} || ', ' || {count_of("date_part('day', a.gap)")}
               || CASE WHEN a.newer THEN ' days later' ELSE ' days earlier' END AS reality,
               CASE WHEN a.newer THEN 'possible' END AS confidence
        FROM (
            SELECT url_key, unnest(arg_min(apart, (gap, sitemap, line))) FROM apart GROUP BY url_key
        ) a, settings s
        WHERE a.gap > to_days(s.lastmod_http_days::INT)
    """,
    fires=(
        Fires(
            "the header says 2023, the sitemap 2026",
            {"sitemap_files": [file()], "entries": [MAPPED], "pages": [READ]},
            {
                "url": PAGE,
                "subject": PAGE,
                "sitemap": MAP,
                "line": 3,
                "claim": f'lastmod "2026-11-20T08:00:00Z" in {MAP}, line 3',
                "reality": f"Last-Modified of the page is {HEADER}, 1,299 days earlier",
                "severity": "notice",
                "confidence": "likely",
            },
        ),
        Fires(
            "the header is newer: a cache may have written it",
            {
                "sitemap_files": [file()],
                "entries": [BY_DAY | {"lastmod": "2026-01-20", "lastmod_raw": "2026-01-20"}],
                "pages": [READ | {"last_modified_http": "2026-11-29T08:00:00Z"}],
            },
            {
                "claim": f'lastmod "2026-01-20" in {MAP}, line 3',
                "reality": "Last-Modified of the page is 2026-11-29T08:00:00Z, 311 days later",
                "confidence": "possible",
            },
        ),
        Fires(
            "in two files: the nearest date is held against it",
            {
                "sitemap_files": [file(), file(OTHER)],
                "entries": [
                    MAPPED,
                    BY_DAY | {"sitemap": OTHER, "lastmod": "2024-01-20", "lastmod_raw": "2024-01-20"},
                ],
                "pages": [READ],
            },
            {"sitemap": OTHER, "claim": f'lastmod "2024-01-20" in {OTHER}, line 3'},
        ),
    ),
    passes=(
        Passes(
            "a page that is made for each answer sends the time of the answer",
            {
                "sitemap_files": [file()],
                "entries": [MAPPED | {"lastmod": "2026-01-01", "lastmod_raw": "2026-01-01"}],
                "pages": [READ | {"last_modified_http": "2026-11-30T11:56:00Z"}],
            },
        ),
        Passes(
            "the same, out of a cache",
            {
                "sitemap_files": [file()],
                "entries": [MAPPED | {"lastmod": "2026-01-01", "lastmod_raw": "2026-01-01"}],
                "pages": [READ | {"last_modified_http": "2026-11-29T12:00:00Z", "age_s": 86_400}],
            },
        ),
        Passes("a layout was deployed: all files have one time", site(24, "2026-11-29T08:00:00Z")),
        Passes("the same on a small site", site(3, "2026-11-29T08:00:00Z")),
        Passes(
            "six days apart",
            {
                "sitemap_files": [file()],
                "entries": [MAPPED],
                "pages": [READ | {"last_modified_http": "2026-11-14T08:00:00Z"}],
            },
        ),
        Passes(
            "a date alone covers its whole day in every zone",
            {
                "sitemap_files": [file()],
                "entries": [BY_DAY],
                "pages": [READ | {"last_modified_http": "2026-11-28T13:00:00Z"}],
            },
        ),
        Passes(
            "one of two files agrees",
            {
                "sitemap_files": [file(), file(OTHER)],
                "entries": [
                    MAPPED,
                    BY_DAY | {"sitemap": OTHER, "lastmod": "2023-05-01", "lastmod_raw": "2023-05-01"},
                ],
                "pages": [READ],
            },
        ),
        Passes(
            "the date of a feed is that of publication",
            {
                "sitemap_files": [undeclared(FEED, kind="rss")],
                "entries": [MAPPED | {"sitemap": FEED}],
                "pages": [READ],
            },
        ),
        Passes(
            "the header of another page, to which this one redirects",
            {
                "sitemap_files": [file()],
                "entries": [MAPPED],
                "pages": [READ | {"first_status": 301, "hop_count": 1}],
            },
        ),
        Passes(
            "no header",
            {"sitemap_files": [file()], "entries": [MAPPED], "pages": [READ | {"last_modified_http": None}]},
        ),
    ),
)
