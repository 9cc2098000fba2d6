"""The table `settings`: one line, a column for each threshold of the catalogue and for the run's choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

import duckdb

Threshold = bool | int | float | str | date | datetime | tuple[str, ...] | tuple[int, ...] | tuple[float, ...]
"""A value of the catalogue's `thresholds`; the type of its column follows from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """How stored facts are judged: for which bot, by whose reading of robots.txt, down to which depth."""

    verdict_bot: str = "googlebot"
    robots_mode: str = "google"
    depth: str = "page"
    """What was asked for when the facts were seen: status, head or page."""
    thresholds: Mapping[str, Threshold] = field(default_factory=dict)


def column_type(value: Threshold) -> str:
    """The DuckDB type of a threshold's column. An empty list is a list of texts."""
    if isinstance(value, tuple):
        return (column_type(value[0]) if value else "VARCHAR") + "[]"
    for python, sql in (
        (bool, "BOOLEAN"),
        (int, "BIGINT"),
        (float, "DOUBLE"),
        (datetime, "TIMESTAMP"),
        (date, "DATE"),
    ):
        if isinstance(value, python):
            return sql
    return "VARCHAR"


def write_settings(con: duckdb.DuckDBPyConnection, settings: JudgeSettings) -> None:
    """Replace the table `settings` by one line with the values of `settings`."""
    values: dict[str, Threshold] = {
        "verdict_bot": settings.verdict_bot,
        "robots_mode": settings.robots_mode,
        "depth": settings.depth,
        **settings.thresholds,
    }
    columns = ", ".join(f'CAST(? AS {column_type(value)}) AS "{name}"' for name, value in values.items())
    bound = [list(value) if isinstance(value, tuple) else value for value in values.values()]
    con.execute(f"CREATE OR REPLACE TABLE settings AS SELECT {columns}", bound)
