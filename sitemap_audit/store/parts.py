"""The append-only log of facts: parts below `facts/<kind>/`, written whole or not at all.

A part is written under a temporary name, fsynced and renamed; from then on it never changes. It has one of
two forms: lines as they came (`.ndjson.gz`, lines.py), and later Parquet, made of one or several of those
(pack.py). Its name is `<first>-<last>-<rows>` and the form: numbers in the order of writing, first = last
unless several were put into one. A part whose range lies inside the range of another, or is the same and in
lines, is replaced by it and left out, so a process that dies between the rename and the deletion doubles
nothing. The coordinator (under the lock of the run) and its packer write to a folder; any number may read.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from sitemap_audit.errors import RunFolderError
from sitemap_audit.store.columns import Kind

TEMPORARY: Final = ".new-"
"""Begin of the names of unfinished files. Nobody reads them; `clean_leftovers` removes them."""
UNREADABLE: Final = "unreadable.ndjson"
"""Lines that are no fact of their kind, kept as they came."""
PARQUET: Final = "FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 10240, ROW_GROUP_SIZE_BYTES '16MB'"
"""Options of each COPY into a part. Row groups of DuckDB's own size need more memory than a writer has."""
_LINES: Final = ".ndjson.gz"
_NAME: Final = re.compile(r"([0-9]{8})-([0-9]{8})-([0-9]+)\.(?:parquet|ndjson\.gz)", re.ASCII)


class Part(NamedTuple):
    """A finished part. `first`, `last`: the numbers it stands for; `rows`: its lines."""

    first: int
    last: int
    rows: int
    path: Path

    @property
    def in_lines(self) -> bool:
        """Still lines as they came, not Parquet yet."""
        return self.path.name.endswith(_LINES)

    def replaces(self, other: Part) -> bool:
        if (self.first, self.last) == (other.first, other.last):
            return other.in_lines and not self.in_lines
        return self.first <= other.first and other.last <= self.last


@dataclass(frozen=True, slots=True)
class Parts:
    """The fixed list of finished parts that one judgement reads: what is written later is not in it."""

    facts: Path
    of: Mapping[Kind, tuple[Part, ...]]

    def files(self, kind: Kind) -> tuple[Path, ...]:
        """Of both forms."""
        return tuple(part.path for part in self.of[kind])

    def rows(self, kind: Kind) -> int:
        """Lines in the parts, repeated facts included."""
        return sum(part.rows for part in self.of[kind])


def part_name(first: int, last: int, rows: int, *, in_lines: bool = False) -> str:
    return f"{first:08d}-{last:08d}-{rows}{_LINES if in_lines else '.parquet'}"


def _finished(folder: Path) -> Iterator[Part]:
    """Every finished part of a kind's folder, also replaced ones. RunFolderError for a foreign part."""
    try:
        found = sorted(path.name for path in folder.iterdir())
    except FileNotFoundError:
        return
    except OSError as err:
        raise RunFolderError(f"cannot read {folder}: {err.strerror}") from None
    for name in found:
        if not name.endswith((".parquet", _LINES)) or name.startswith("."):
            continue
        match = _NAME.fullmatch(name)
        if match is None:
            raise RunFolderError(
                f"{folder / name} is no part of this run (parts are named like {part_name(12, 12, 10000)}): "
                "move it out of the facts folder"
            )
        first, last, rows = map(int, match.groups())
        yield Part(first, last, rows, folder / name)


def list_kind(facts: Path, kind: Kind) -> tuple[Part, ...]:
    """The finished parts of one kind in the order of writing, without those that another replaces."""
    kept: list[Part] = []
    for part in sorted(_finished(facts / kind), key=lambda p: (p.first, -p.last, p.in_lines)):
        if not (kept and kept[-1].replaces(part)):
            kept.append(part)
    return tuple(kept)


def list_parts(facts: Path) -> Parts:
    """The finished parts below `facts` (the folder of that name in a run folder), listed once.

    Raises RunFolderError when a file there is no part of ours.
    """
    return Parts(facts, {kind: list_kind(facts, kind) for kind in Kind})


def next_number(facts: Path, kind: Kind) -> int:
    """The number of the next part."""
    return max((part.last for part in _finished(facts / kind)), default=0) + 1


def clean_leftovers(facts: Path) -> int:
    """Remove what a killed writer left: unfinished files and parts that another one replaces.

    For the process that holds the run's lock. Returns the number of files removed.
    """
    removed = 0
    for kind in Kind:
        folder = facts / kind
        if not folder.is_dir():
            continue
        kept = {part.path for part in list_kind(facts, kind)}
        replaced = [part.path for part in _finished(folder) if part.path not in kept]
        for path in [*folder.glob(TEMPORARY + "*"), *replaced]:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
            removed += 1
    return removed


def settle(temporary: Path, name: Path) -> None:
    """Give a finished file its name, so that it survives a crash of the machine: fsync, rename, fsync folder."""
    _fsync(temporary)
    temporary.replace(name)
    _fsync(name.parent)


def _fsync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
