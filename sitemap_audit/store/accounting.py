"""The account of a run: listed = checked + skipped (reason) + unchecked (reason), over unique URLs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import duckdb


@dataclass(frozen=True, slots=True)
class Account:
    """Listed URLs by what became of them; `unique` counts all lines of `urls`, further URLs included."""

    listed: int
    unique: int
    checked: int
    skipped: Mapping[str, int]
    unchecked: Mapping[str, int]


def account(con: duckdb.DuckDBPyConnection) -> Account:
    """Count the table `urls`; what `derive` made of the facts, so it always adds up."""
    listed = unique = checked = 0
    skipped: dict[str, int] = {}
    unchecked: dict[str, int] = {}
    for is_listed, state, reason, n in con.execute(
        "SELECT listed, state, coalesce(reason, 'unknown'), count(*) FROM urls GROUP BY ALL ORDER BY ALL"
    ).fetchall():
        unique += n
        if not is_listed:
            continue
        listed += n
        if state == "checked":
            checked += n
        else:
            reasons = skipped if state == "skipped" else unchecked
            reasons[reason] = reasons.get(reason, 0) + n
    return Account(listed, unique, checked, skipped, unchecked)
