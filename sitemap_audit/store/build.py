"""From a fixed list of parts to tables that rules and reports read."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import duckdb

from sitemap_audit.errors import RunFolderError
from sitemap_audit.store.accounting import account
from sitemap_audit.store.base import RunRow, load
from sitemap_audit.store.columns import Kind
from sitemap_audit.store.derive import derive, derive_previous
from sitemap_audit.store.judge_settings import JudgeSettings, write_settings
from sitemap_audit.store.pack import parquet_files
from sitemap_audit.store.parts import Parts, list_parts
from sitemap_audit.store.schema import PREVIOUS, SCHEMA
from sitemap_audit.store.unreadable import raise_unreadable

_LISTINGS: Final = 5
"""How often a list is made anew when compaction took parts of it away meanwhile."""


def build(
    con: duckdb.DuckDBPyConnection,
    parts: Parts,
    *,
    settings: JudgeSettings,
    run: RunRow,
    previous: Parts | None = None,
    previous_run: RunRow | None = None,
) -> Parts:
    """Create every table of the schema in `con` (empty before) and fill what follows from the facts.

    `previous`: the parts of the earlier run; without it the tables `previous_*` are empty. Returns the list
    of parts that was read: the given one, or a newer one when compaction replaced some of it meanwhile.
    Raises RunFolderError when a part is damaged.
    """
    con.execute(SCHEMA)
    write_settings(con, settings)
    parts = _load(con, parts, settings.verdict_bot, "")
    if previous is not None:
        _load(con, previous, settings.verdict_bot, PREVIOUS)
        _write_run(con, previous_run, PREVIOUS)
        derive_previous(con)
    derive(con)
    _write_run(con, run, "")
    return parts


def _load(con: duckdb.DuckDBPyConnection, parts: Parts, bot: str, of: str) -> Parts:
    spill = con.execute("SELECT current_setting('temp_directory')").fetchone()
    with TemporaryDirectory(
        prefix="facts-", dir=Path(spill[0]).parent if spill and spill[0] else None
    ) as scratch:
        return _load_by(con, parts, bot, of, Path(scratch))


def _load_by(con: duckdb.DuckDBPyConnection, parts: Parts, bot: str, of: str, scratch: Path) -> Parts:
    files: dict[Kind, tuple[Path, ...]] = {}
    for _ in range(_LISTINGS):
        try:
            files = {kind: parquet_files(kind, parts.of[kind], scratch) for kind in Kind}
            load(con, files, bot, of)
        except (duckdb.Error, FileNotFoundError) as err:
            if isinstance(err, duckdb.OutOfMemoryException):
                raise RunFolderError(
                    f"judging needs more memory or disk than it may take: {err}. Free some, then `sitemap-audit judge`"
                ) from None
            if isinstance(err, duckdb.Error) and all(
                file.exists() for some in files.values() for file in some
            ):
                raise_unreadable(con, tuple(file for some in files.values() for file in some), err)
            parts = list_parts(parts.facts)
        else:
            return parts
    raise RunFolderError(f"the parts in {parts.facts} changed each time they were read: try again")


def _write_run(con: duckdb.DuckDBPyConnection, run: RunRow | None, of: str) -> None:
    """The line of `runs`. The earlier run has one in any case: it is the sign that there is an earlier run."""
    if run is None:
        con.execute(f"INSERT INTO {of}runs (state) VALUES ('done')")
        return
    con.execute(
        f"INSERT INTO {of}runs (run_id, started_at, finished_at, state, options, versions) VALUES (?, ?, ?, ?, ?, ?)",
        [run.run_id, run.started_at, run.finished_at, run.state, run.options, run.versions],
    )
    if of:
        return
    counts = account(con)
    con.execute(
        "UPDATE runs SET counts = {'listed': ?, 'unique': ?, 'checked': ?, 'skipped': map(?::VARCHAR[], ?::BIGINT[]), "
        "'unchecked': map(?::VARCHAR[], ?::BIGINT[]), 'requests': ?::BIGINT, 'bytes': ?::BIGINT}",
        [
            counts.listed,
            counts.unique,
            counts.checked,
            list(counts.skipped),
            list(counts.skipped.values()),
            list(counts.unchecked),
            list(counts.unchecked.values()),
            run.requests,
            run.bytes,
        ],
    )
