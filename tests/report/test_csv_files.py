"""Cells: what a site sends must stay text in a spreadsheet, and quiet in a terminal."""

from __future__ import annotations

import csv
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.report.csv_files import Cell, Column, cell_sql, write_csv
from sitemap_audit.report.judged import Judged

CON = duckdb.connect()


def cell(value: Any, kind: Cell = Cell.TEXT, sql_type: str = "VARCHAR") -> Any:
    """What stands in the file for this value."""
    sql = f"SELECT {cell_sql(Column('x', 'v', kind))} FROM (SELECT CAST(? AS {sql_type}) AS v)"
    row = CON.execute(sql, [value]).fetchone()
    assert row is not None
    return row[0]


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u00a0=1", "\ufeff=1", "\x00=1", "\u3000@x", "＝1", "＋1", "－1", "＠x", "  \t -2", "\tplain", "\nplain"],
)  # fmt: skip
def test_a_formula_gets_an_apostrophe(text: str) -> None:
    shown = cell(text)
    assert shown.startswith("'")


@pytest.mark.parametrize("text", ["https://a.example/?a=1", "a=1", "plain", "'quoted'", "1-2", "a@b"])
def test_what_is_no_formula_stays(text: str) -> None:
    assert cell(text) == text


@given(st.text(max_size=40))
def test_no_control_character_and_no_formula_leaves(text: str) -> None:
    shown = cell(text.replace("\ud800", "")) or ""
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]", shown)
    visible = shown.lstrip(" \u00a0\ufeff\u3000\u00ad")
    assert not re.match("[=+@＝＋－＠-]", visible)


@pytest.mark.parametrize(
    ("value", "kind", "sql_type", "shown"),
    [
        (datetime(2026, 11, 30, 12, 15, 12), Cell.TIME, "TIMESTAMP", "2026-11-30T12:15:12Z"),  # noqa: DTZ001
        (True, Cell.FLAG, "BOOLEAN", "true"),
        (False, Cell.FLAG, "BOOLEAN", "false"),
        (None, Cell.FLAG, "BOOLEAN", None),
        (["a", "b"], Cell.TEXTS, "VARCHAR[]", "a | b"),
        ([], Cell.TEXTS, "VARCHAR[]", None),
        (["=1", "b"], Cell.TEXTS, "VARCHAR[]", "'=1 | b"),
        (0.123456, Cell.SHARE, "DOUBLE", 0.1235),
        ("", Cell.TEXT, "VARCHAR", None),
    ],
)
def test_each_kind_of_cell(value: Any, kind: Cell, sql_type: str, shown: Any) -> None:
    assert cell(value, kind, sql_type) == shown


def test_a_file_is_read_back_as_it_was(tmp_path: Path) -> None:
    texts = ['say "hi"', "a,b", "two\nlines", "ünïcode", None, "=cmd"]
    con = duckdb.connect()
    try:
        con.execute("CREATE TABLE t (n INTEGER, v VARCHAR)")
        con.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(texts)))
        run = Judged(con, None, ())  # type: ignore[arg-type]
        rows = write_csv(
            run, tmp_path / "t.csv", [Column("n", "n", Cell.NUMBER), Column("v", "v")], "FROM t", "n"
        )
    finally:
        con.close()
    assert rows == len(texts)
    raw = (tmp_path / "t.csv").read_bytes()
    assert b"\r" not in raw
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert [r["v"] for r in read] == ['say "hi"', "a,b", "two lines", "ünïcode", "", "'=cmd"]


def test_a_file_without_rows_has_its_header(tmp_path: Path) -> None:
    con = duckdb.connect()
    try:
        con.execute("CREATE TABLE t (v VARCHAR)")
        run = Judged(con, None, ())  # type: ignore[arg-type]
        assert write_csv(run, tmp_path / "t.csv", [Column("v", "v")], "FROM t", "v") == 0
    finally:
        con.close()
    assert (tmp_path / "t.csv").read_text() == "v\n"
