"""Parts in lines → Parquet: many into one, outside of the way of a run; a bad line loses a value at most.

    while a run goes on   a process of its own at the lowest priority: python -m sitemap_audit.store.pack FACTS
    at its end            the coordinator packs the rest (compact.py)
    at a resume           the same, before the parts are read
    by a reader           into a folder of its own, when it finds parts that nobody has packed yet

Write, fsync, rename, and only then delete what was replaced (parts.py says why nothing doubles).
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import duckdb
import orjson

from sitemap_audit.settings import COMPACT_ROWS, PACK_BYTES, PACK_MEMORY_LIMIT
from sitemap_audit.store.columns import FACTS, IDENTITY, Kind
from sitemap_audit.store.connection import file_literal, literal, open_writer
from sitemap_audit.store.lines import copy_lines
from sitemap_audit.store.parts import (
    PARQUET,
    TEMPORARY,
    UNREADABLE,
    Part,
    list_kind,
    part_name,
    settle,
)
from sitemap_audit.store.room import refused

log = logging.getLogger(__name__)
_LINE_MAX_BYTES: Final = 16_777_216
"""DuckDB's own default for one JSON object; a fact is a thousand times smaller."""


def pack(
    facts: Path, *, keep_newest: bool = False, full_only: bool = False, threads: int | None = None
) -> int:
    """Make Parquet of the parts of every kind that are still in lines. Returns the number of those that went.

    For the process that writes to the folder, or its packer. `keep_newest`: leave the last part of each kind,
    whose messages the queue may not have forgotten yet. `full_only`: pack only what makes a part of
    COMPACT_ROWS. Raises RunFolderError when a part is damaged or the disk does not take it.
    """
    gone = 0
    for kind in Kind:
        parts = list_kind(facts, kind)
        if keep_newest:
            parts = parts[:-1]
        for group in _groups(parts, full_only=full_only):
            gone += _pack(facts / kind, kind, group, threads or _cores())
    return gone


def _groups(parts: Sequence[Part], *, full_only: bool = False) -> Iterator[list[Part]]:
    """Neighbours in lines, together about COMPACT_ROWS rows."""
    group: list[Part] = []
    rows = 0
    for part in parts:
        if group and (not part.in_lines or rows + part.rows > COMPACT_ROWS):
            yield group
            group, rows = [], 0
        if part.in_lines:
            group.append(part)
            rows += part.rows
    if group and (not full_only or rows >= COMPACT_ROWS):
        yield group


def _pack(folder: Path, kind: Kind, group: list[Part], threads: int) -> int:
    """Pack a group, in several parts where its lines are long. Returns the number of parts that went."""
    rest = list(group)
    while rest:
        some = _pack_first(folder, kind, rest, threads)
        del rest[: len(some)]
        for part in some:
            part.path.unlink()
    return len(group)


def _pack_first(folder: Path, kind: Kind, group: list[Part], threads: int) -> list[Part]:
    """Make one Parquet part of as many parts of the group as fit; returns those."""
    lines, made = folder / f"{TEMPORARY}lines.ndjson", folder / f"{TEMPORARY}packed.parquet"
    try:
        some = _unpack(group, lines)
        rows = _to_parquet(folder, kind, lines, made, sum(part.rows for part in some), threads)
        settle(made, folder / part_name(some[0].first, some[-1].last, rows))
        lines.unlink()
    except (OSError, duckdb.IOException, duckdb.OutOfMemoryException) as err:
        for tried in (lines, made):
            tried.unlink(missing_ok=True)
        raise refused(folder, err) from None
    return some


def _unpack(group: Sequence[Part], lines: Path) -> list[Part]:
    """Unpack parts into the file `lines` until it holds PACK_BYTES; returns those that it holds."""
    some = []
    with lines.open("wb") as file:
        for part in group:
            copy_lines(part.path, file)
            some.append(part)
            if file.tell() >= PACK_BYTES:
                break
    return some


def parquet_files(kind: Kind, parts: Sequence[Part], scratch: Path) -> tuple[Path, ...]:
    """The parts as Parquet files: what is still in lines is packed into `scratch`, for this reader alone.

    Raises RunFolderError when a part is damaged or there is no room, FileNotFoundError when one was packed
    into its folder meanwhile.
    """
    files = [part.path for part in parts if not part.in_lines]
    folder = scratch / kind
    folder.mkdir(parents=True, exist_ok=True)
    for group in _groups(parts):
        rest = list(group)
        while rest:
            lines = folder / f"{TEMPORARY}lines.ndjson"
            some = _unpack(rest, lines)
            del rest[: len(some)]
            rows = sum(part.rows for part in some)
            files.append(folder / part_name(some[0].first, some[-1].last, rows))
            _to_parquet(folder, kind, lines, files[-1], rows, _cores())
            lines.unlink()
    return tuple(files)


def _to_parquet(folder: Path, kind: Kind, lines: Path, made: Path, rows: int, threads: int) -> int:
    """JSON lines → a Parquet file that is neither fsynced nor renamed; returns its rows.

    When it does not come out with `rows` rows, its lines are looked at one by one. Lines that are no facts
    are kept in a file in `folder`.
    """
    con = open_writer(folder / f"{TEMPORARY}spill", memory_limit=PACK_MEMORY_LIMIT, threads=threads)
    try:
        try:
            copied, mended = _copy(con, kind, lines, made, lenient=False), False
        except (duckdb.InvalidInputException, duckdb.ConversionException):
            copied, mended = -1, True
        if copied == rows:
            return copied
        readable, good, bad = _sift(folder, kind, lines)
        copied = _copy(con, kind, readable, made, lenient=True)
        readable.unlink()
        if bad or good != copied or mended:
            log.warning(
                "%s: %d lines were no facts (kept beside it)%s",
                folder,
                bad + good - copied,
                ", some values did not fit and are empty" if mended else "",
            )
        return copied
    finally:
        con.close()


def _copy(con: duckdb.DuckDBPyConnection, kind: Kind, lines: Path, made: Path, *, lenient: bool) -> int:
    columns = ", ".join(f"{literal(name)}: {literal(type_)}" for name, type_ in FACTS[kind].items())
    known = " AND ".join(f'"{name}" IS NOT NULL' for name in IDENTITY[kind])
    counted = con.execute(
        f"COPY (SELECT * FROM read_json({file_literal(lines)}, format = 'newline_delimited', "
        f"columns = {{{columns}}}, ignore_errors = {str(lenient).lower()}) WHERE {known}) "
        f"TO {literal(str(made))} ({PARQUET})"
    ).fetchone()
    return int(counted[0]) if counted else 0


def _sift(folder: Path, kind: Kind, collected: Path) -> tuple[Path, int, int]:
    """Part the lines that are facts from those that are not; the latter are kept beside the parts.

    Returns the file of the facts, their number, and the number of the others.
    """
    readable = folder / f"{TEMPORARY}readable.ndjson"
    good, bad = 0, 0
    with collected.open("rb") as lines, readable.open("wb") as facts:
        for line in lines:
            if not line.strip():
                continue
            if _is_fact(kind, line):
                good += 1
                facts.write(line)
                continue
            bad += 1
            with (folder / UNREADABLE).open("ab") as kept:
                kept.write(line)
                kept.flush()
                os.fsync(kept.fileno())
    return readable, good, bad


def _is_fact(kind: Kind, line: bytes) -> bool:
    if len(line) > _LINE_MAX_BYTES:
        return False
    try:
        fact: Any = orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return isinstance(fact, dict) and all(fact.get(name) is not None for name in IDENTITY[kind])


def _cores() -> int:
    return os.cpu_count() or 1


def _end_with_parent() -> None:
    """The coordinator holds the other end of our standard input: when it is gone, so are we."""
    os.read(sys.stdin.fileno(), 1)
    os._exit(0)


def main() -> None:
    os.nice(19)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    pack(Path(sys.argv[1]), keep_newest=True, full_only=True, threads=1)


if __name__ == "__main__":
    main()
