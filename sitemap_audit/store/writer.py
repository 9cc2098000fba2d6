"""Facts as JSON lines → a Parquet part; a line that does not fit loses a value at most, never its batch."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

import duckdb
import orjson

from sitemap_audit.errors import RunFolderError
from sitemap_audit.settings import PART_LINE_BYTES
from sitemap_audit.store.columns import FACTS, IDENTITY, Kind
from sitemap_audit.store.connection import file_list, file_literal, literal, open_writer
from sitemap_audit.store.parts import (
    PARQUET,
    TEMPORARY,
    UNREADABLE,
    list_kind,
    next_number,
    part_name,
    settle,
)
from sitemap_audit.store.unreadable import raise_unreadable

_LINE_MAX_BYTES: Final = 16_777_216
"""DuckDB's own default for one JSON object; a fact is a thousand times smaller."""
_MESSAGES: Final = "messages"
"""Key in the metadata of a part: the ids of the messages that it holds, blanks between."""


@dataclass(frozen=True, slots=True)
class Written:
    """What `flush` put on disk. `unreadable`: lines that were no fact, kept in a file beside the parts."""

    path: Path
    rows: int
    unreadable: int = 0
    mended: bool = False
    """Some value did not fit its column and is NULL now."""


@dataclass(slots=True)
class _Collected:
    """Lines of one part to be, in an unfinished file."""

    path: Path
    file: BinaryIO
    messages: list[str] = field(default_factory=list)
    rows: int = 0
    bytes: int = 0


class PartWriter:
    """Collects the facts of one kind and writes them as a part at each `flush`.

    What is collected lies in an unfinished file, not in memory. The caller decides when to flush
    (PART_ROWS, PART_SECONDS) and lets the queue forget its messages only after that.
    """

    def __init__(self, facts: Path, kind: str) -> None:
        self._kind = Kind(kind)
        self._folder = facts / self._kind
        self._folder.mkdir(parents=True, exist_ok=True)
        self._number = next_number(facts, self._kind)
        self._con = open_writer(self._folder / f"{TEMPORARY}spill")
        self._stored = self._messages_on_disk(facts)
        self._collected: list[_Collected] = []
        self._opened = 0

    @property
    def rows(self) -> int:
        """Lines collected since the last flush."""
        return sum(collected.rows for collected in self._collected)

    def add(self, lines: bytes, rows: int, message_id: str | None = None) -> bool:
        """Collect facts: JSON lines, `rows` of them. Returns False when that message is in a part already.

        When a part does not come out with as many rows, its lines are looked at one by one.
        `message_id` names the message over all streams of the run (no blanks); None for facts that come
        from no message. Only messages that an earlier process stored but did not live to forget come
        twice, so only those are known by their id.
        """
        if message_id is not None and message_id in self._stored:
            return False
        if not lines:
            return True
        if not self._collected or self._collected[-1].bytes >= PART_LINE_BYTES:
            self._collected.append(self._open())
        collected = self._collected[-1]
        collected.file.write(lines if lines.endswith(b"\n") else lines + b"\n")
        collected.rows += rows
        collected.bytes += len(lines)
        if message_id is not None:
            collected.messages.append(message_id)
        return True

    def flush(self) -> tuple[Written, ...]:
        """Put what was collected on disk: one part, or several where the lines are long; () for nothing.

        Raises RunFolderError when the disk does not take it; what is not stored yet is still there then.
        """
        written = []
        while self._collected:
            collected = self._collected[0]
            try:
                collected.file.flush()
                written.append(self._write(collected))
            except (OSError, duckdb.IOException, duckdb.OutOfMemoryException) as err:
                raise RunFolderError(
                    f"cannot write facts to {self._folder}: {err}. Make room, then go on with `sitemap-audit resume`: "
                    "nothing that was stored is lost"
                ) from None
            del self._collected[0]
            self._drop(collected)
        return tuple(written)

    def close(self) -> None:
        """Let go of the files. What was not flushed is dropped: its messages will come again."""
        for collected in self._collected:
            self._drop(collected)
        self._collected.clear()
        self._con.close()

    def _open(self) -> _Collected:
        self._opened += 1
        path = self._folder / f"{TEMPORARY}lines-{self._opened}.ndjson"
        return _Collected(path, path.open("wb"))

    def _drop(self, collected: _Collected) -> None:
        collected.file.close()
        collected.path.unlink(missing_ok=True)

    def _messages_on_disk(self, facts: Path) -> frozenset[str]:
        files = tuple(part.path for part in list_kind(facts, self._kind) if part.first == part.last)
        if not files:
            return frozenset()
        try:
            found = self._con.execute(
                f"SELECT decode(value) FROM parquet_kv_metadata({file_list(files)}) WHERE key = '{_MESSAGES}'::BLOB"
            ).fetchall()
        except duckdb.Error as err:
            raise_unreadable(self._con, files, err)
        return frozenset(message for (text,) in found for message in text.split(" "))

    def _write(self, collected: _Collected) -> Written:
        temporary = self._folder / f"{TEMPORARY}part.parquet"
        unreadable, mended = 0, False
        try:
            rows = self._copy(collected, collected.path, temporary, lenient=False)
        except (duckdb.InvalidInputException, duckdb.ConversionException):
            rows, mended = -1, True
        if rows != collected.rows:
            readable, good, unreadable = self._sift(collected.path)
            rows = self._copy(collected, readable, temporary, lenient=True)
            unreadable += good - rows
            readable.unlink()
        path = self._folder / part_name(self._number, self._number, rows)
        settle(temporary, path)
        self._number += 1
        return Written(path, rows, unreadable, mended)

    def _copy(self, collected: _Collected, lines: Path, part: Path, *, lenient: bool) -> int:
        columns = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in FACTS[self._kind].items())
        known = " AND ".join(f'"{name}" IS NOT NULL' for name in IDENTITY[self._kind])
        counted = self._con.execute(
            f"COPY (SELECT * FROM read_json({file_literal(lines)}, format = 'newline_delimited', "
            f"columns = {{{columns}}}, ignore_errors = {str(lenient).lower()}) WHERE {known}) "
            f"TO {literal(str(part))} ({PARQUET}, "
            f"KV_METADATA {{{_MESSAGES}: {literal(' '.join(collected.messages))}}})"
        ).fetchone()
        return int(counted[0]) if counted else 0

    def _sift(self, collected: Path) -> tuple[Path, int, int]:
        """Part the lines that are facts from those that are not; the latter are kept beside the parts.

        Returns the file of the facts, their number, and the number of the others.
        """
        readable = self._folder / f"{TEMPORARY}readable.ndjson"
        good, bad = 0, 0
        with collected.open("rb") as lines, readable.open("wb") as facts:
            for line in lines:
                if not line.strip():
                    continue
                if self._is_fact(line):
                    good += 1
                    facts.write(line)
                    continue
                bad += 1
                with (self._folder / UNREADABLE).open("ab") as kept:
                    kept.write(line)
                    kept.flush()
                    os.fsync(kept.fileno())
        return readable, good, bad

    def _is_fact(self, line: bytes) -> bool:
        if len(line) > _LINE_MAX_BYTES:
            return False
        try:
            fact: Any = orjson.loads(line)
        except orjson.JSONDecodeError:
            return False
        return isinstance(fact, dict) and all(fact.get(name) is not None for name in IDENTITY[self._kind])
