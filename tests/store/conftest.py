"""Tables in memory with given rows, derived as in a run; and facts on disk as a run writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import orjson
import pytest

from sitemap_audit.facts import Entry, Page, RobotsFile, SitemapFile
from sitemap_audit.store.columns import Kind
from sitemap_audit.store.derive import derive
from sitemap_audit.store.judge_settings import JudgeSettings, write_settings
from sitemap_audit.store.schema import SCHEMA, TABLES
from sitemap_audit.store.writer import PartWriter

Row = dict[str, Any]
KIND_OF = {Page: Kind.PAGES, Entry: Kind.ENTRIES, SitemapFile: Kind.SITEMAPS, RobotsFile: Kind.ROBOTS}


@pytest.fixture(scope="session")
def tables() -> Iterator[duckdb.DuckDBPyConnection]:
    """Every table of the schema, made once; `empty` and `load` empty them."""
    with duckdb.connect(config={"threads": 1}) as con:
        con.execute(SCHEMA)
        yield con


@pytest.fixture(scope="session")
def empty(tables: duckdb.DuckDBPyConnection) -> Callable[[], duckdb.DuckDBPyConnection]:
    def clear() -> duckdb.DuckDBPyConnection:
        tables.execute(";".join(f"TRUNCATE {table}" for table in TABLES))
        write_settings(tables, JudgeSettings(thresholds={"soft404_report": 0.7}))
        return tables

    return clear


@pytest.fixture(scope="session")
def load(
    empty: Callable[[], duckdb.DuckDBPyConnection],
) -> Callable[..., duckdb.DuckDBPyConnection]:
    """Fill the tables with these rows and nothing else, then derive."""

    def fill(
        facts: Mapping[str, Sequence[Row]], settings: JudgeSettings | None = None
    ) -> duckdb.DuckDBPyConnection:
        con = empty()
        if settings is not None:
            write_settings(con, settings)
        for table, rows in facts.items():
            for row in rows:
                names = ", ".join(row)
                con.execute(
                    f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values())
                )
        derive(con)
        return con

    return fill


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    """A run folder may be called anything, DuckDB's pattern signs included."""
    return tmp_path / "run [1]*" / "facts"


@pytest.fixture
def store() -> Callable[..., None]:
    """One part of each record, in this order."""

    def write(facts: Path, *records: Any) -> None:
        for record in records:
            writer = PartWriter(facts, KIND_OF[type(record)])
            writer.add(orjson.dumps(record, option=orjson.OPT_UTC_Z), 1)
            writer.flush()

    return write


@pytest.fixture
def writer(facts: Path) -> PartWriter:
    return PartWriter(facts, Kind.PAGES)
