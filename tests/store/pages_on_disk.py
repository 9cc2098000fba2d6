"""Page facts for the tests of parts: made, written, and read back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import orjson

from sitemap_audit.facts import Page, PageState
from sitemap_audit.store.columns import Kind
from sitemap_audit.store.connection import file_list
from sitemap_audit.store.pack import pack, parquet_files
from sitemap_audit.store.parts import list_kind
from sitemap_audit.store.writer import PartWriter

WHEN = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


def page(n: int, **more: Any) -> bytes:
    fact = Page(
        url_id=f"{n:016x}",
        url_key=f"https://example.com/{n}",
        requested_url=f"https://example.com/{n}",
        discovered_by="sitemap",
        state=PageState.CHECKED,
        fetched_at=WHEN,
        status=200,
        **more,
    )
    return orjson.dumps(fact, option=orjson.OPT_UTC_Z) + b"\n"


def pages(*numbers: int) -> bytes:
    return b"".join(page(n) for n in numbers)


def read(facts: Path, what: str = "url_key") -> list[Any]:
    """What a reader finds, in whichever form it is."""
    with TemporaryDirectory() as scratch, duckdb.connect() as con:
        files = parquet_files(Kind.PAGES, list_kind(facts, Kind.PAGES), Path(scratch))
        found = con.execute(f"SELECT {what} FROM read_parquet({file_list(files)})").fetchall()
    return [value for (value,) in found]


def keys(*numbers: int) -> list[str]:
    return [f"https://example.com/{n}" for n in numbers]


def names(facts: Path) -> list[str]:
    return sorted(path.name for path in (facts / Kind.PAGES).iterdir())


def fill(writer: PartWriter, parts: int) -> None:
    for n in range(parts):
        writer.add(pages(n), 1, f"pages/{n}-0")
        writer.flush()


def packed_one_by_one(facts: Path, writer: PartWriter, sizes: Sequence[int]) -> None:
    """Small Parquet parts, as runs leave them that were stopped and resumed."""
    number = 0
    for size in sizes:
        writer.add(pages(*range(number, number + size)), size)
        writer.flush()
        pack(facts)
        number += size
