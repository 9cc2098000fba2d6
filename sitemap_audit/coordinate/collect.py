"""Messages of the two streams → Parquet parts, and what they mean for the account and the plan.

A message is forgotten in Redis only when the parts that hold its facts are on disk, all kinds together:
killed at any moment, the next coordinator reads again what was not stored, and a repeated row is known by
its key.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import orjson

from sitemap_audit.coordinate.ledger import State
from sitemap_audit.coordinate.work import Work
from sitemap_audit.formats.urls import parse_url
from sitemap_audit.queue.messages import (
    DiscoveredMessage,
    EntriesMessage,
    PagesMessage,
    RobotsMessage,
    SitemapsMessage,
)
from sitemap_audit.queue.stream import Delivery, Reader
from sitemap_audit.settings import PART_ROWS, PART_SECONDS
from sitemap_audit.store.writer import PartWriter

log = logging.getLogger(__name__)
_CHECKED = b'"state":"checked"'
_ANSWERED = b'"first_status":'
_STATES = {"checked": State.CHECKED, "skipped": State.SKIPPED, "unchecked": State.UNCHECKED}


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
    last_stored_at: datetime | None = None
    """When a flush last put facts on disk."""
    _unstored: list[Delivery] = field(default_factory=list)
    _flushed: float = field(default_factory=time.monotonic)

    def collect(self, block_ms: int) -> int:
        """Read what is there (waiting up to `block_ms` for the first message); returns the number of messages."""
        deliveries = self.reader.read(block_ms)
        for delivery in deliveries:
            self._take(delivery)
            self._unstored.append(delivery)
        if self._rows() >= PART_ROWS or time.monotonic() - self._flushed >= PART_SECONDS:
            self.flush()
        return len(deliveries)

    def _rows(self) -> int:
        return max(writer.rows for writer in self.writers.values())

    def flush(self) -> None:
        """Put everything collected so far on disk, then let Redis forget it."""
        self._store_own()
        stored = self._rows() > 0
        for writer in self.writers.values():
            for written in writer.flush():
                if written.unreadable or written.mended:
                    log.warning(
                        "%s: %d lines were no facts (kept beside it)%s",
                        written.path,
                        written.unreadable,
                        ", some values did not fit and are empty" if written.mended else "",
                    )
        if stored:
            self.last_stored_at = datetime.now(UTC)
        self.discovered_stored = self.discovered
        self.reader.forget(self._unstored)
        self._unstored.clear()
        self._flushed = time.monotonic()

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
                self._pages(message, name)
            case EntriesMessage():
                self.writers["entries"].add(message.lines, message.count, name)
                self.entries(message.lines)
            case SitemapsMessage():
                self.files += message.count
                self.writers["sitemaps"].add(message.lines, message.count, name)
            case RobotsMessage():
                self.writers["robots"].add(message.lines, message.count, name)
            case DiscoveredMessage():
                self.discovered = True
                self.looked = message.looked
                self.note = message.note
                self.work.listing_is_whole()

    def own_entries(self, lines: bytes, count: int) -> None:
        """Entry facts that come from no stream (`--list`)."""
        self.writers["entries"].add(lines, count, None)
        self.entries(lines)

    def own_sitemap(self, line: bytes) -> None:
        """The fact of a file that comes from no stream."""
        self.files += 1
        self.writers["sitemaps"].add(line, 1, None)

    def entries(self, lines: bytes) -> None:
        """Entry facts, as JSON lines → the account."""
        for line in lines.splitlines():
            entry: dict[str, Any] = orjson.loads(line)
            if entry.get("is_child") or not entry.get("url_key"):
                continue
            url = parse_url(entry["loc"])
            if url is not None:
                self.work.listed(int(entry["url_id"], 16), url, entry["sitemap"])

    def _pages(self, message: PagesMessage, name: str) -> None:
        if message.lines:
            self.writers["pages"].add(message.lines, message.lines.count(b"\n"), name)
        work = self.work
        self.by_worker[message.worker] = self.by_worker.get(message.worker, 0) + len(message.done)
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
            if page["state"] in _STATES:
                self.work.seen_before(
                    int(page["url_id"], 16),
                    page["requested_url"],
                    page["discovered_by"],
                    _STATES[page["state"]],
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
            if seq is not None and page["state"] in _STATES:
                states[seq] = (_STATES[page["state"]], page.get("reason"))
        return states
