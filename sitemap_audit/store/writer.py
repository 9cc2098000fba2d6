"""Facts of the streams → parts, in the form in which they came: nothing is parsed on the way to disk."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sitemap_audit.store.columns import Kind
from sitemap_audit.store.lines import gzip_member, messages_of, write_lines
from sitemap_audit.store.parts import TEMPORARY, list_kind, next_number, part_name, settle
from sitemap_audit.store.room import refused


@dataclass(frozen=True, slots=True)
class Written:
    """What `flush` put on disk; `rows` as its messages say."""

    path: Path
    rows: int


class _Member(NamedTuple):
    packed: bytes
    message: str | None


class PartWriter:
    """Collects the facts of one kind and writes them as a part at each `flush`.

    What is collected stays in memory, packed. The caller decides when to flush (PART_ROWS, PART_SECONDS,
    PART_LINE_BYTES) and lets the queue forget its messages only after that.
    """

    def __init__(self, facts: Path, kind: str) -> None:
        self._folder = facts / Kind(kind)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._number = next_number(facts, Kind(kind))
        in_lines = [part.path for part in list_kind(facts, Kind(kind)) if part.in_lines]
        self._stored = frozenset(message for path in in_lines for message in messages_of(path))
        self._members: list[_Member] = []
        self.rows = 0
        """Lines collected since the last flush."""
        self.bytes = 0
        """Their length, before packing."""

    def add(self, lines: bytes, rows: int, message_id: str | None = None, *, packed: bytes = b"") -> bool:
        """Collect facts: JSON lines, `rows` of them. Returns False when that message is in a part already.

        `packed`: the same lines as one gzip member, when the caller has it.
        `message_id` names the message over all streams of the run; None for facts that come from no message.
        Only messages that an earlier process stored but did not live to forget come twice, so only those are
        known by their id. Lines are not looked at: what is no fact is found when the part is packed.
        """
        if message_id is not None and message_id in self._stored:
            return False
        if not lines:
            return True
        if not packed or not lines.endswith(b"\n"):
            packed = gzip_member(lines if lines.endswith(b"\n") else lines + b"\n")
        self._members.append(_Member(packed, message_id))
        self.rows += rows
        self.bytes += len(lines)
        return True

    def flush(self) -> Written | None:
        """Put what was collected on disk as one part; None for nothing.

        Raises RunFolderError when the disk does not take it (DiskFullError where waiting helps). Nothing is
        lost or doubled then: what is not stored yet is still there, and the next flush stores it.
        """
        if not self._members:
            return None
        path = self._folder / part_name(self._number, self._number, self.rows, in_lines=True)
        temporary = self._folder / f"{TEMPORARY}part"
        messages = [member.message for member in self._members if member.message is not None]
        try:
            with temporary.open("wb") as file:
                write_lines(file, (member.packed for member in self._members), messages)
            settle(temporary, path)
        except OSError as err:
            # What takes room goes; so does a part of which nobody knows whether it would outlive a crash.
            for tried in (temporary, path):
                with suppress(OSError):
                    tried.unlink()
            raise refused(self._folder, err) from None
        written = Written(path, self.rows)
        self._number += 1
        self._members, self.rows, self.bytes = [], 0, 0
        return written
