"""Tables in memory with the facts of a case, derived as in a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import duckdb
import pytest

from sitemap_audit.rules import Rule, judge
from sitemap_audit.rules.rule import Row
from sitemap_audit.rules.thresholds import default_thresholds
from sitemap_audit.store import derive
from sitemap_audit.store.judge_settings import JudgeSettings, write_settings
from sitemap_audit.store.schema import SCHEMA, TABLES

Facts = Mapping[str, Sequence[Row]]


RESULTS = ("unjudged", "hits", "rules", "findings")
VERDICTS = re.compile(r"\b(urls|seen)\b")
"""Tables that follow from all of derive.py; `listing` follows from its first steps alone."""


def reads_verdicts(rule: Rule) -> bool:
    """Half of the rules ask for no verdict and no look at a page: working those out is most of the time of a case."""
    sql = " ".join(text for text in (rule.sql, rule.targets, rule.lacks) if text)
    return bool(rule.needs or rule.target_needs or VERDICTS.search(sql))


class Bench:
    """Tables that are made once a module and emptied for each case."""

    def __init__(self) -> None:
        self._con = duckdb.connect(":memory:", config={"threads": 1})
        self._con.execute(SCHEMA)
        self._defaults = JudgeSettings(thresholds=default_thresholds())
        self._used = set(TABLES)

    def load(
        self, facts: Facts, settings: JudgeSettings | None = None, *, rule: Rule | None = None
    ) -> duckdb.DuckDBPyConnection:
        """Empty tables, the rows of `facts`, and what follows from them; for one `rule` alone what it reads."""
        con = self._con
        con.execute(";".join(f'TRUNCATE "{table}"' for table in self._used | set(RESULTS)))
        if settings is not None or "settings" in self._used:
            write_settings(con, settings or self._defaults)
        self._used = set(facts) | ({"settings"} if settings is not None else set())
        for table, rows in facts.items():
            for columns, alike in groupby(rows, key=tuple):
                values = [tuple(row.values()) for row in alike]
                names = ", ".join(f'"{name}"' for name in columns)
                marks = ", ".join(f"({', '.join('?' * len(columns))})" for _ in values)
                con.execute(
                    f'INSERT INTO "{table}" ({names}) VALUES {marks}', [v for row in values for v in row]
                )
        if facts.keys() & {"entries", "pages"}:
            if rule is None or reads_verdicts(rule):
                derive.derive(con)
            else:
                for statement in (derive._PLACES, derive._LISTING):
                    con.execute(statement.replace("$of$", ""))
            self._used |= {"listing", "urls", "seen"}
        return con

    def again(self) -> None:
        """Forget what was judged; keep the tables that rules read."""
        self._con.execute(";".join(f"TRUNCATE {table}" for table in RESULTS))

    def found(self, rules: Iterable[Rule], config: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """The findings of these rules over the tables as they are."""
        judge(self._con, rules, config)
        rows = self._con.execute("FROM findings ORDER BY rule, subject").fetchall()
        names = [column[0] for column in self._con.description or ()]
        return [dict(zip(names, row, strict=True)) for row in rows]

    def close(self) -> None:
        self._con.close()


@pytest.fixture(scope="module")
def bench() -> Iterable[Bench]:
    made = Bench()
    yield made
    made.close()
