"""The hand-written columns are those of the records, field by field, and DuckDB gives back what went in."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import duckdb
import pytest

from sitemap_audit.facts import Entry, Page, RobotsFile, SitemapFile
from sitemap_audit.store.base import PAGE_VALUES
from sitemap_audit.store.columns import FACTS, IDENTITY, Kind, declared
from sitemap_audit.store.schema import NOT_SEEN_YET, PER_RUN, SCHEMA, TABLES

RECORDS = {
    Kind.ROBOTS: RobotsFile,
    Kind.SITEMAPS: SitemapFile,
    Kind.ENTRIES: Entry,
    Kind.PAGES: Page,
}
SCALARS: dict[Any, str] = {
    str: "VARCHAR",
    int: "BIGINT",
    float: "DOUBLE",
    bool: "BOOLEAN",
    datetime: "TIMESTAMP",
}


def sql_type(annotation: Any) -> str:
    """The column type that an annotation of a fact asks for."""
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        (kept,) = (part for part in parts if part is not type(None))
        return sql_type(kept)
    if origin is tuple:
        return sql_type(parts[0]) + "[]"
    if origin is dict:
        return f"MAP(VARCHAR, {sql_type(parts[1])})"
    if is_dataclass(annotation):
        hints = typing.get_type_hints(annotation)
        inside = ", ".join(f'"{f.name}" {sql_type(hints[f.name])}' for f in fields(annotation))
        return f"STRUCT({inside})"
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return "VARCHAR"
    return SCALARS[annotation]


def as_duckdb_says_it(columns: Mapping[str, str]) -> dict[str, str]:
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE t ({declared(columns)})")
        return {name: kind for name, kind, *_ in con.execute("DESCRIBE t").fetchall()}


@pytest.mark.parametrize("kind", list(Kind))
def test_columns_are_the_fields_of_the_record(kind: Kind) -> None:
    record = RECORDS[kind]
    hints = typing.get_type_hints(record)
    wanted = {f.name: sql_type(hints[f.name]) for f in fields(record)}
    assert as_duckdb_says_it(FACTS[kind]) == as_duckdb_says_it(wanted)


@pytest.mark.parametrize("kind", list(Kind))
def test_identity_names_required_fields(kind: Kind) -> None:
    assert set(IDENTITY[kind]) <= {f.name for f in fields(RECORDS[kind])}


def test_the_schema_creates_every_table() -> None:
    with duckdb.connect() as con:
        con.execute(SCHEMA)
        made = {name for (name,) in con.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    assert made == set(TABLES)
    assert {"previous_" + name for name in PER_RUN} <= made


def test_every_column_of_pages_comes_from_somewhere_or_is_not_seen_yet() -> None:
    """What only a second fetch knows stays NULL; no other column may be forgotten."""
    unfilled = set(PER_RUN["pages"]) - set(FACTS[Kind.PAGES]) - set(PAGE_VALUES)
    assert unfilled == set(NOT_SEEN_YET)


def test_facts_never_called_like_a_column_that_is_unpacked() -> None:
    assert set(PAGE_VALUES).isdisjoint(FACTS[Kind.PAGES])
