"""A list of parts as one typed relation, also where older parts lack columns or there is no part at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import duckdb

from sitemap_audit.store.connection import file_list


def relation(
    con: duckdb.DuckDBPyConnection,
    columns: Mapping[str, str],
    files: tuple[Path, ...],
    *,
    rows_named: bool = False,
) -> str:
    """SELECT over all `columns` of `files`; with `rows_named` also `part` and `part_row`, which name a line.

    A column that no part has is NULL. Raises duckdb.Error when a part cannot be read.
    """
    if not files:
        named = ", NULL::VARCHAR AS part, NULL::BIGINT AS part_row" if rows_named else ""
        return f"SELECT {_nulls(columns)}{named} WHERE false"
    listed = file_list(files)
    con.execute(f"SELECT * FROM read_parquet({listed}, union_by_name = true) LIMIT 0")
    found = {column[0] for column in con.description or ()}
    selected = ", ".join(
        f'CAST("{name}" AS {kind}) AS "{name}"' if name in found else f'NULL::{kind} AS "{name}"'
        for name, kind in columns.items()
    )
    extra = ", filename = true, file_row_number = true" if rows_named else ""
    named = ", filename AS part, file_row_number AS part_row" if rows_named else ""
    return f"SELECT {selected}{named} FROM read_parquet({listed}, union_by_name = true{extra})"


def _nulls(columns: Mapping[str, str]) -> str:
    return ", ".join(f'NULL::{kind} AS "{name}"' for name, kind in columns.items())
