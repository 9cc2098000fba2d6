"""DuckDB connections: one that judges, one that writes parts. Both download nothing and keep nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import duckdb

from sitemap_audit.settings import JUDGE_MEMORY_LIMIT, WRITER_MEMORY_LIMIT

_CLOSED: Final = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
}


def open_judge(
    temp_directory: Path, *, memory_limit: str = JUDGE_MEMORY_LIMIT, threads: int | None = None
) -> duckdb.DuckDBPyConnection:
    """An empty in-memory database that spills to `temp_directory` (a folder of this process alone, which the
    caller removes). `memory_limit` as DuckDB writes it; the process takes up to 0.2 GB more.
    """
    config: dict[str, str | bool | int | float | list[str]] = {
        **_CLOSED,
        "memory_limit": memory_limit,
        "temp_directory": str(temp_directory),
        "preserve_insertion_order": "false",
    }
    if threads is not None:
        config["threads"] = threads
    con = duckdb.connect(":memory:", config=config)
    return _settled(con)


def open_writer(
    temp_directory: Path, *, memory_limit: str = WRITER_MEMORY_LIMIT, threads: int = 1
) -> duckdb.DuckDBPyConnection:
    """For parts: one thread, little memory."""
    con = duckdb.connect(
        ":memory:",
        config={
            **_CLOSED,
            "memory_limit": memory_limit,
            "threads": threads,
            "temp_directory": str(temp_directory),
            # To promise the order of rows costs several times the memory; one thread keeps it anyway.
            "preserve_insertion_order": "false",
        },
    )
    return _settled(con)


def _settled(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Times are UTC whatever the machine thinks; stdout is for results, so no bar is drawn there."""
    con.execute("SET TimeZone = 'UTC'")
    con.execute("SET enable_progress_bar = false")
    return con


def lock_down(con: duckdb.DuckDBPyConnection, export_folder: Path) -> None:
    """From here on `con` reads and writes files in `export_folder` only, for good; spilling still works.

    Load every table first. What is in `export_folder` may be overwritten by a COPY, so it holds no facts.
    """
    con.execute(f"SET allowed_directories = [{literal(str(export_folder.absolute()))}]")
    con.execute("SET enable_external_access = false")
    con.execute("SET lock_configuration = true")


def literal(text: str) -> str:
    """`text` as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def file_literal(path: Path) -> str:
    """A path to read, as an SQL string; DuckDB would take `*`, `?` and `[` in it for a pattern."""
    return literal("".join(f"[{char}]" if char in "*?[" else char for char in str(path)))


def file_list(paths: tuple[Path, ...]) -> str:
    """Paths to read, as an SQL list."""
    return "[" + ", ".join(file_literal(path) for path in paths) + "]"
