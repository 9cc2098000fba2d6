"""At the end of a run: what is still in lines becomes Parquet, and small parts become large ones.

Runs that are stopped and resumed leave small parts, and each query opens them all.

Write, fsync, rename, and only then delete what was replaced (parts.py says why nothing doubles). Rows
are copied as they are, repeats included: the log stays a log.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb

from sitemap_audit.settings import COMPACT_PARTS, COMPACT_ROWS
from sitemap_audit.store.columns import FACTS, Kind
from sitemap_audit.store.connection import literal, open_writer
from sitemap_audit.store.pack import pack
from sitemap_audit.store.parts import PARQUET, TEMPORARY, Part, list_kind, part_name, settle
from sitemap_audit.store.relation import relation
from sitemap_audit.store.unreadable import raise_unreadable


def compact(facts: Path, *, least: int = COMPACT_PARTS) -> int:
    """Pack what is in lines; then put neighbouring small parts of every kind together, where they are `least`.

    For the process that writes to the folder, when its messages are forgotten and no packer runs. Returns the
    number of parts that went. Raises RunFolderError when one of them is damaged.
    """
    gone = pack(facts)
    for kind in Kind:
        for group in _groups(list_kind(facts, kind), least):
            try:
                _merge(facts / kind, kind, group)
            except duckdb.OutOfMemoryException:
                continue  # rows of an unusual size: many parts are slow, but as good
            gone += len(group)
    return gone


def _groups(parts: tuple[Part, ...], least: int) -> Iterator[tuple[Part, ...]]:
    group: list[Part] = []
    rows = 0
    for part in parts:
        large = part.rows >= COMPACT_ROWS // 2
        if group and (large or rows + part.rows > COMPACT_ROWS):
            if len(group) >= least:
                yield tuple(group)
            group, rows = [], 0
        if not large:
            group.append(part)
            rows += part.rows
    if len(group) >= max(least, 2):
        yield tuple(group)


def _merge(folder: Path, kind: Kind, group: tuple[Part, ...]) -> None:
    files = tuple(part.path for part in group)
    temporary = folder / f"{TEMPORARY}compacted.parquet"
    con = open_writer(folder / f"{TEMPORARY}spill")
    try:
        con.execute(f"COPY ({relation(con, FACTS[kind], files)}) TO {literal(str(temporary))} ({PARQUET})")
    except duckdb.OutOfMemoryException:
        temporary.unlink(missing_ok=True)
        raise
    except duckdb.Error as err:
        raise_unreadable(con, files, err)
    finally:
        con.close()
    rows = sum(part.rows for part in group)
    settle(temporary, folder / part_name(group[0].first, group[-1].last, rows))
    for path in files:
        path.unlink()
