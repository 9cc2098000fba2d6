"""A news sitemap lists an article that is no news any more."""

from sitemap_audit.rules.relations import count_of, listed_in, moment
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import MAP, SITE, entry, file

SERVED = "2026-11-30T12:00:00Z"
FILE = file(news=1, date_http=SERVED, fetched_at=SERVED)
STORY = f"{SITE}/story"


def story(date: str | None, raw: str | None = None, line: int = 3) -> dict[str, object]:
    """An article of this publication date."""
    news: dict[str, object] = {
        "name": "The Example",
        "language": "en",
        "publication_date_raw": raw or date,
        "publication_date": date,
        "title": "A story",
        "extra_tags": [],
        "count": 1,
    }
    return entry(STORY, line, news=news)


RULE = Rule(
    id="news-too-old",
    severity=Severity.ERROR,
    title="News entry is older than two days",
    why="News metadata is for articles of the last two days only: older ones do not belong into a news sitemap.",
    fix="Remove {url} from {sitemap}, or its news:news block; the page may stay in the usual sitemap.",
    source=(
        Source("text-002", "news sitemaps, articles of the last two days"),
        Source("g-news", "best practices, articles older than two days"),
    ),
    needs=frozenset(),
    # The clock is the server's: an answer out of a cache was right when it was made. A date without time gets a calendar
    # day more than whole days in the bound (3 for 48 h), a time without zone 14 hours.
    sql=f"""
        SELECT url_key, coalesce(url_key, raw) || ' in ' || sitemap AS subject, url, sitemap, line,
               {listed_in()} || ', with the news publication date "' || left(date_raw, 60) || '"' AS claim,
               'published ' || {count_of("hours")} || ' hours before the file was served (' || {moment("clock")} || ')' AS reality
        FROM (
            SELECT e.url_key, coalesce(e.loc_raw, '') AS raw, e.sitemap, any_value(e.loc) AS url, min(e.line) AS line,
                   arg_min(e.news.publication_date_raw, e.position) AS date_raw, arg_min(f.clock, e.position) AS clock,
                   arg_min(date_sub('hour', e.news.publication_date, f.clock), e.position) AS hours
            FROM entries e JOIN (
                SELECT url, any_value(coalesce(date_http - to_seconds(coalesce(age_s, 0)), fetched_at)) AS clock
                FROM sitemap_files WHERE news > 0 AND source IS DISTINCT FROM 'list' GROUP BY url
            ) f ON f.url = e.sitemap, settings s
            WHERE e.news.publication_date IS NOT NULL AND e.news.publication_date_raw IS NOT NULL
              AND CASE WHEN NOT contains(e.news.publication_date_raw, ':')
                       THEN date_diff('day', e.news.publication_date, f.clock) > ceil(s.news_max_age_hours / 24) + 1
                       ELSE e.news.publication_date < f.clock - to_hours(s.news_max_age_hours::BIGINT)
                            - CASE WHEN regexp_matches(trim(e.news.publication_date_raw), '([Zz]|[+-][0-9][0-9]:?[0-9][0-9])$')
                                   THEN INTERVAL 0 HOURS ELSE INTERVAL 14 HOURS END END
            GROUP BY e.url_key, coalesce(e.loc_raw, ''), e.sitemap
        )
    """,
    fires=(
        Fires(
            "ten days old",
            {"sitemap_files": [FILE], "entries": [story("2026-11-20T12:00:00Z")]},
            {
                "url": STORY,
                "subject": f"{STORY} in {MAP}",
                "sitemap": MAP,
                "line": 3,
                "claim": f'listed in {MAP}, line 3, with the news publication date "2026-11-20T12:00:00Z"',
                "reality": f"published 240 hours before the file was served ({SERVED})",
                "severity": "error",
            },
        ),
        Fires(
            "a date without time, four days back",
            {"sitemap_files": [FILE], "entries": [story("2026-11-26", "2026-11-26")]},
            {"reality": f"published 108 hours before the file was served ({SERVED})"},
        ),
        Fires(
            "twice in the file: one finding",
            {
                "sitemap_files": [FILE],
                "entries": [story("2026-11-20T12:00:00Z", line=9), story("2026-11-20T12:00:00Z")],
            },
            {"line": 3},
        ),
    ),
    passes=(
        Passes("30 hours old", {"sitemap_files": [FILE], "entries": [story("2026-11-29T06:00:00Z")]}),
        Passes("48 hours old", {"sitemap_files": [FILE], "entries": [story("2026-11-28T12:00:00Z")]}),
        Passes(
            "a date without time: three calendar days are given",
            {"sitemap_files": [FILE], "entries": [story("2026-11-27", "2026-11-27")]},
        ),
        Passes(
            "an old page of a usual sitemap, without news tags",
            {
                "sitemap_files": [FILE],
                "entries": [entry(STORY, lastmod="2020-01-01", lastmod_raw="2020-01-01")],
            },
        ),
        Passes(
            "an hour too old, but the answer is two hours old",
            {
                "sitemap_files": [FILE | {"age_s": 7200}],
                "entries": [story("2026-11-28T11:00:00Z")],
            },
        ),
        Passes(
            "a time without zone: nobody knows where",
            {"sitemap_files": [FILE], "entries": [story("2026-11-28T02:00:00Z", "2026-11-28T02:00:00")]},
        ),
        Passes(
            "a zone",
            {
                "sitemap_files": [FILE],
                "entries": [story("2026-11-28T13:00:00Z", "2026-11-28T08:00:00-05:00")],
            },
        ),
        Passes(
            "a date that cannot be read", {"sitemap_files": [FILE], "entries": [story(None, "yesterday")]}
        ),
        Passes("tomorrow", {"sitemap_files": [FILE], "entries": [story("2026-12-01T12:00:00Z")]}),
    ),
)
