"""SQL over the dates of entries: which span of time a lastmod names, and which files are asked.

A date without time covers its whole UTC day, widened by 14 hours on both sides, because nobody knows in which zone
it was written; a month and a year cover all their days, a time without zone the 14 hours around it.
"""

from __future__ import annotations

from typing import Final

_ALONE: Final = (
    "coalesce({e}.lastmod_precision IN ('year', 'month', 'day'), NOT contains({e}.lastmod_raw, ':'), false)"
)
_UNZONED: Final = "coalesce({e}.lastmod_issue = 'timezone_missing', false)"


def earliest(e: str) -> str:
    """SQL over a line `e` of `entries`: the first moment that its lastmod may mean; NULL without one."""
    return (
        f"({e}.lastmod - CASE WHEN {_ALONE.format(e=e)} OR {_UNZONED.format(e=e)} THEN INTERVAL 14 HOURS "
        "ELSE INTERVAL 0 HOURS END)"
    )


def latest(e: str) -> str:
    """SQL over a line `e` of `entries`: the last moment that its lastmod may mean; NULL without one."""
    return (
        f"({e}.lastmod + CASE WHEN {e}.lastmod_precision = 'year' THEN INTERVAL 366 DAYS + INTERVAL 14 HOURS "
        f"WHEN {e}.lastmod_precision = 'month' THEN INTERVAL 31 DAYS + INTERVAL 14 HOURS "
        f"WHEN {_ALONE.format(e=e)} THEN INTERVAL 38 HOURS "
        f"WHEN {_UNZONED.format(e=e)} THEN INTERVAL 14 HOURS ELSE INTERVAL 0 HOURS END)"
    )


def is_written(raw: str) -> str:
    """SQL: a date as it stands in the file, short and in quotes."""
    return f"'\"' || left(trim({raw}), 60) || '\"'"


MAPS: Final = """
    SELECT url, any_value(coalesce(fetched_at, date_http)) AS fetched_at, any_value(lastmod_present) AS lastmod_present
    FROM sitemap_files WHERE kind = 'urlset' AND source IS DISTINCT FROM 'list' GROUP BY url
"""
"""XML sitemaps: `url, fetched_at, lastmod_present`. The dates of a feed are those of publication."""
