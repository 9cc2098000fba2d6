"""Facts → tables → findings. Yesterday's facts can be judged by today's rules without one request."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import duckdb

from sitemap_audit.rules.catalogue import all_rules
from sitemap_audit.rules.engine import judge
from sitemap_audit.rules.rule import Rule, Severity
from sitemap_audit.rules.thresholds import default_thresholds
from sitemap_audit.store.base import RunRow
from sitemap_audit.store.build import build
from sitemap_audit.store.connection import open_judge
from sitemap_audit.store.folder import RunFolder, RunRecord
from sitemap_audit.store.judge_settings import JudgeSettings
from sitemap_audit.store.parts import list_parts

RANK: Final = "CASE severity WHEN 'error' THEN 1 WHEN 'warning' THEN 2 ELSE 3 END"


@dataclass(frozen=True, slots=True)
class Judged:
    """A run's tables and findings, in memory. `rules` are those that were judged."""

    con: duckdb.DuckDBPyConnection
    record: RunRecord
    rules: tuple[Rule, ...]

    def rows(self, sql: str, values: list[Any] | None = None) -> list[tuple[Any, ...]]:
        return self.con.execute(sql, values or []).fetchall()

    def one(self, sql: str, values: list[Any] | None = None) -> Any:
        """The first column of the first row; None without one."""
        row = self.con.execute(sql, values or []).fetchone()
        return row[0] if row else None


@contextmanager
def judged(
    folder: RunFolder,
    record: RunRecord,
    *,
    severities: Mapping[str, str] | None = None,
    off: frozenset[str] = frozenset(),
    thresholds: Mapping[str, Any] | None = None,
) -> Iterator[Judged]:
    """Build the tables of a run from the parts that are finished now, and judge them.

    `severities`: rule id → severity of the user's configuration; `off`: rules that are not judged.
    """
    options = record.options
    rules = tuple(r for r in all_rules() if r.id not in off and (not r.off or r.id in (severities or {})))
    values = default_thresholds() | dict(thresholds or {})
    with tempfile.TemporaryDirectory(prefix="judge-", dir=folder.path) as spill:
        con = open_judge(Path(spill))
        try:
            build(
                con,
                list_parts(folder.facts),
                settings=JudgeSettings(
                    verdict_bot=options.bots[0],
                    robots_mode=options.robots_mode,
                    depth=options.depth,
                    thresholds=values,
                ),
                run=_run_row(record),
            )
            judge(con, rules, {rule: Severity(s) for rule, s in (severities or {}).items()})
            _complete(con, record)
            yield Judged(con, record, rules)
        finally:
            con.close()


def _run_row(record: RunRecord) -> RunRow:
    return RunRow(
        run_id=record.run_id,
        started_at=record.started_at,
        finished_at=record.finished_at,
        state=record.state,
        options=record.options.to_json().decode(),
    )


def _complete(con: duckdb.DuckDBPyConnection, record: RunRecord) -> None:
    """Give the findings what the engine cannot know: their status against an earlier run, and this run."""
    con.execute(
        "UPDATE findings SET status = 'new', first_seen = ?, run_id = ?",
        [record.started_at.replace(tzinfo=None), record.run_id],
    )
