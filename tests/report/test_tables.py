"""The columns are a contract: names and order, in both dialects."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitemap_audit.report.screaming_frog import dialect
from sitemap_audit.report.tables import FINDINGS, ROBOTS, SITEMAPS, TABLES, URLS, Table

OUTPUT = (Path(__file__).resolve().parents[2] / "docs" / "output.md").read_text("utf-8")


@pytest.mark.parametrize("table", TABLES, ids=lambda t: t.name)
def test_columns_are_those_of_the_document(table: Table) -> None:
    """docs/output.md is what scripts are written against."""
    (line,) = [row for row in OUTPUT.splitlines() if row.startswith(f"- **{table.name}**")]
    listed = line.split("`")[1::2]
    names = next(part for part in listed if part.count(",") > 5)
    assert [c.name for c in table.columns] == [n.strip() for n in names.split(",")]


@pytest.mark.parametrize("table", TABLES, ids=lambda t: t.name)
def test_the_other_dialect_has_as_many_columns_in_the_same_order(table: Table) -> None:
    other = dialect(table)
    assert len(other.columns) == len(table.columns)
    assert len({c.name for c in other.columns}) == len(other.columns)


def test_screaming_frog_names() -> None:
    names = [c.name for c in dialect(URLS).columns]
    assert names[:3] == ["Address", "Indexability", "Indexability Status"]
    assert "Canonical Link Element 1" in names
    assert "Sitemap Count" in names


def test_nothing_is_named_twice() -> None:
    assert {t.name for t in (URLS, FINDINGS, SITEMAPS, ROBOTS)} == {
        "urls.csv", "findings.csv", "sitemaps.csv", "robots.csv",
    }  # fmt: skip
