"""Messages of the two streams → parts on disk, and what they mean for the account and the plan.

A message is forgotten in Redis only when the parts that hold its facts are on disk, all kinds together:
killed at any moment, the next coordinator reads again what was not stored, and a repeated row is known by
its key.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from sitemap_audit.coordinate.ledger import SETTLED, State
from sitemap_audit.coordinate.packer import Packer
from sitemap_audit.coordinate.work import Work
from sitemap_audit.queue.listing import Listed
from sitemap_audit.queue.messages import (
    DiscoveredMessage,
    EntriesMessage,
    PagesMessage,
    RobotsMessage,
    SitemapsMessage,
)
from sitemap_audit.queue.stream import Delivery, Reader
from sitemap_audit.settings import PART_LINE_BYTES, PART_ROWS, PART_SECONDS
from sitemap_audit.store.writer import PartWriter

_CHECKED = b'"state":"checked"'
_ANSWERED = b'"first_status":'
_MESSAGES: Final = 10
"""Read at once: one of entries may be CRAWLER_MESSAGE_BYTES long."""


@dataclass(slots=True)
class Collector:
    work: Work
    reader: Reader
    writers: dict[str, PartWriter]
    """By kind: robots, sitemaps, entries, pages."""
    files: int = 0
    discovered: bool = False
    discovered_stored: bool = False
    """The listing is whole, and on disk."""
    looked: tuple[str, ...] = ()
    note: str | None = None
    by_worker: dict[str, int] = field(default_factory=dict)
    results: Counter[str] = field(default_factory=Counter)
    """What workers said of pages, `state result` → number."""
    last_stored_at: datetime | None = None
    """When a flush last put facts on disk."""
    packer: Packer | None = None
    _unstored: list[tuple[str, str]] = field(default_factory=list)
    """Stream and id of the messages that Redis must keep until the next flush."""
    _flushed: float = field(default_factory=time.monotonic)

    def collect(self, block_ms: int) -> int:
        """Read what is there (waiting up to `block_ms` for the first message); returns the number of messages."""
        deliveries = self.reader.read(block_ms, _MESSAGES)
        for delivery in deliveries:
            self._take(delivery)
            self._unstored.append((delivery.stream, delivery.id))
        if self._full() or time.monotonic() - self._flushed >= PART_SECONDS:
            self.flush()
        return len(deliveries)

    @property
    def unstored_rows(self) -> int:
        """Facts that are not on disk yet."""
        return sum(writer.rows for writer in self.writers.values())

    def _full(self) -> bool:
        return any(w.rows >= PART_ROWS or w.bytes >= PART_LINE_BYTES for w in self.writers.values())

    def flush(self) -> None:
        """Put everything collected so far on disk, then let Redis forget it.

        When the disk or the server refuses, nothing is lost, and the next flush goes on where this one ended.
        """
        self._store_own()
        stored = sum(written.rows for writer in self.writers.values() if (written := writer.flush()))
        if stored:
            self.last_stored_at = datetime.now(UTC)
        self.discovered_stored = self.discovered
        self.reader.forget(self._unstored)
        self._unstored.clear()
        self._flushed = time.monotonic()
        if self.packer is not None:
            self.packer.stored(stored)

    def close(self) -> None:
        """Nothing more comes: end the packer, which whoever packs now would meet."""
        if self.packer is not None:
            self.packer.close()

    def _store_own(self) -> None:
        """Facts that the coordinator itself states: what is skipped, and what cannot be checked."""
        rows = self.work.take_facts()
        if rows:
            lines = b"\n".join(orjson.dumps(row, option=orjson.OPT_UTC_Z) for row in rows) + b"\n"
            self.writers["pages"].add(lines, len(rows), None)

    def _take(self, delivery: Delivery) -> None:
        message = delivery.message
        name = f"{delivery.stream}/{delivery.id}"
        match message:
            case PagesMessage():
                rows = message.lines.count(b"\n")
                self.writers["pages"].add(message.lines, rows, name, packed=delivery.packed)
                self._pages(message)
            case EntriesMessage():
                self.writers["entries"].add(message.lines, message.count, name, packed=delivery.packed)
                self._listed(message.listed)
            case SitemapsMessage():
                self.files += message.count
                self.writers["sitemaps"].add(message.lines, message.count, name, packed=delivery.packed)
            case RobotsMessage():
                self.writers["robots"].add(message.lines, message.count, name, packed=delivery.packed)
            case DiscoveredMessage():
                self.discovered = True
                self.looked = message.looked
                self.note = message.note
                self.work.listing_is_whole()

    def own_entries(self, lines: bytes, count: int, listed: tuple[Listed, ...]) -> None:
        """Entry facts that come from no stream (`--list`)."""
        self.writers["entries"].add(lines, count, None)
        self._listed(listed)

    def own_sitemap(self, line: bytes) -> None:
        """The fact of a file that comes from no stream."""
        self.files += 1
        self.writers["sitemaps"].add(line, 1, None)

    def _listed(self, listed: tuple[Listed, ...]) -> None:
        for run in listed:
            self.work.listed_run(run)

    def _pages(self, message: PagesMessage) -> None:
        work = self.work
        self.by_worker[message.worker] = self.by_worker.get(message.worker, 0) + len(message.done)
        self.results.update(message.results)
        if not work.knows(message.batch):
            self._foreign_batch(message)
            return
        if message.done:
            work.done(message.batch, message.done, self._states(message), self._silent(message))
        if message.left:
            work.left(message.batch, message.left)
        if message.again:
            work.again(message.batch, message.again)
        if message.targets:
            work.targets(message.targets)
        if message.finished:
            work.finished(message.batch)

    def _foreign_batch(self, message: PagesMessage) -> None:
        """A batch of an earlier coordinator, or one that was given up: its numbers mean nothing here, its facts do."""
        for line in message.lines.splitlines():
            page: dict[str, Any] = orjson.loads(line)
            if page["state"] in SETTLED:
                self.work.seen_before(
                    int(page["url_id"], 16),
                    page["requested_url"],
                    page["discovered_by"],
                    SETTLED[page["state"]],
                    page.get("reason"),
                )
        self.work.targets(message.targets)

    def _silent(self, message: PagesMessage) -> set[int]:
        """Those that got no answer (the usual case costs one scan: what is not known stands in no line)."""
        if message.lines.count(_ANSWERED) == len(message.done):
            return set()
        silent = (orjson.loads(line) for line in message.lines.splitlines() if _ANSWERED not in line)
        seqs = (self.work.ledger.number(int(page["url_id"], 16)) for page in silent)
        return {seq for seq in seqs if seq is not None}

    def _states(self, message: PagesMessage) -> dict[int, tuple[State, str | None]]:
        """seq → what became of it, for those that were not simply checked (the usual case costs one scan)."""
        if message.lines.count(_CHECKED) == len(message.done):
            return {}
        states = {}
        for line in message.lines.splitlines():
            if _CHECKED in line:
                continue
            page: dict[str, Any] = orjson.loads(line)
            seq = self.work.ledger.number(int(page["url_id"], 16))
            if seq is not None and page["state"] in SETTLED:
                states[seq] = (SETTLED[page["state"]], page.get("reason"))
        return states
