"""Facts on their way from crawler and workers to the store: two bounded streams, pages before entries.

A fact leaves Redis only when its reader says that it is stored (`forget`). A publisher waits while
its stream is full or the server is, so memory there does not grow with the audit.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import redis
from isal import isal_zlib

from sitemap_audit.errors import ServerError
from sitemap_audit.queue import keys
from sitemap_audit.queue.messages import (
    DiscoveredMessage,
    EntriesMessage,
    Message,
    PagesMessage,
    RobotsMessage,
    SitemapsMessage,
    pack,
    unpack,
)
from sitemap_audit.queue.server import SERVER_FULL
from sitemap_audit.settings import FINISHED_LEASE_MS, MEMORY_SHARE, STREAM_MAX_MESSAGES

_GZIP: Final = 31
"""zlib's way to say: with gzip's header and checksum. The store keeps payloads as they are."""
_INFLATE_ERROR: Final[Any] = isal_zlib.error  # its stub gives it no base class
_SHORTEST_WAIT_S: Final = 0.01
_LONGEST_WAIT_S: Final = 0.5
_MEMORY_LOOK_S: Final = 1.0


class GaveUpError(Exception):
    """`give_up` was set while the publisher waited; the message was not sent."""


class Publisher:
    """Sends messages of one run; every call blocks until the message is in its stream.

    Use a patient client. Calls may come from several threads, from asyncio through
    `asyncio.to_thread`. `give_up`: set it to end a wait with GaveUpError.
    """

    def __init__(
        self,
        client: redis.Redis,
        run: str,
        *,
        give_up: threading.Event | None = None,
        max_messages: int = STREAM_MAX_MESSAGES,
    ) -> None:
        self._client = client
        self._run = run
        self._give_up = give_up or threading.Event()
        self._max = max_messages
        self._memory_seen = -_MEMORY_LOOK_S
        self._memory_tight = False

    def publish_pages(self, message: PagesMessage) -> None:
        """Page facts of a batch. With `finished` its lease becomes the long one of an ended batch, in the same step."""
        lease = keys.lease(self._run, message.batch) if message.finished else None
        self._publish(keys.pages_stream(self._run), message, lease, message.worker)

    def publish_entries(self, message: EntriesMessage) -> None:
        self._publish(keys.entries_stream(self._run), message)

    def publish_sitemaps(self, message: SitemapsMessage) -> None:
        self._publish(keys.entries_stream(self._run), message)

    def publish_robots(self, message: RobotsMessage, *, from_worker: bool = False) -> None:
        """Workers say `from_worker`: their robots files travel with the pages that they decide."""
        stream = keys.pages_stream if from_worker else keys.entries_stream
        self._publish(stream(self._run), message)

    def publish_discovered(self, message: DiscoveredMessage) -> None:
        """The last message of a spider: everything it saw stands before it in the stream."""
        self._publish(keys.entries_stream(self._run), message)

    def _publish(self, stream: str, message: Message, lease: str | None = None, worker: str = "") -> None:
        kind, head, lines = pack(message)
        fields: dict[Any, Any] = {b"k": kind, b"h": isal_zlib.compress(head, 1)}
        if lines:
            fields[b"p"] = isal_zlib.compress(lines, 1, _GZIP)
        wait = _SHORTEST_WAIT_S
        while True:
            try:
                if not self._full(stream):
                    with self._client.pipeline(transaction=lease is not None) as pipe:
                        pipe.xadd(stream, fields)
                        if lease is not None:
                            pipe.set(lease, worker, px=FINISHED_LEASE_MS)
                        pipe.execute()
                    return
            except SERVER_FULL:
                self._memory_tight = True
                self._memory_seen = time.monotonic()
            if self._give_up.wait(wait):
                raise GaveUpError(kind)
            wait = min(2 * wait, _LONGEST_WAIT_S)

    def _full(self, stream: str) -> bool:
        if self._client.xlen(stream) >= self._max:
            return True
        now = time.monotonic()
        if now - self._memory_seen >= _MEMORY_LOOK_S:
            self._memory_seen = now
            memory: dict[str, Any] = self._client.info("memory")
            limit = memory.get("maxmemory", 0)
            self._memory_tight = bool(limit) and memory.get("used_memory", 0) > MEMORY_SHARE * limit
        return self._memory_tight


class Delivery(NamedTuple):
    """A message as read. `stream` and `id` are what `forget` wants; ids of one stream ascend.

    `packed`: the lines of the message as one gzip member, as they stood in the stream.
    """

    stream: str
    id: str
    message: Message
    packed: bytes = b""


class Reader:
    """Reads both streams of a run, pages before entries.

    A new reader starts at the oldest message that nobody forgot, so what was read but not stored is
    read again after a crash. One reader a run.
    """

    def __init__(self, client: redis.Redis, run: str) -> None:
        self._client = client
        self._pages = keys.pages_stream(run)
        self._entries = keys.entries_stream(run)
        self._after = {self._pages: "0-0", self._entries: "0-0"}

    def read(self, block_ms: int, count: int = 50) -> list[Delivery]:
        """At most `count` messages, of pages while there are any; waits up to `block_ms` for the first one.

        `block_ms` 0 returns at once. ServerError when a message is of another schema.
        """
        found = self._look({self._pages: self._after[self._pages]}, count, None)
        if found or block_ms > 0:
            return found or self._look(self._after, count, block_ms)
        return self._look({self._entries: self._after[self._entries]}, count, None)

    def backlog(self) -> tuple[int, int]:
        """How many messages stand in the streams of pages and entries, those read but not forgotten included."""
        with self._client.pipeline(transaction=False) as pipe:
            pipe.xlen(self._pages)
            pipe.xlen(self._entries)
            pages, entries = pipe.execute()
        return int(pages), int(entries)

    def forget(self, deliveries: Iterable[Delivery | tuple[str, str]]) -> None:
        """Take messages out of Redis for good: what they say is stored."""
        ids: dict[str, list[str]] = {}
        for stream, message_id, *_ in deliveries:
            ids.setdefault(stream, []).append(message_id)
        if not ids:
            return
        with self._client.pipeline(transaction=True) as pipe:
            for stream, some in ids.items():
                pipe.xdel(stream, *some)
            pipe.execute()

    def forget_read(self) -> None:
        """Take out everything up to the last message read: a server that came back from its log may hold old ones.

        For a reader all of whose messages are stored.
        """
        for stream, last in self._after.items():
            if last != "0-0":
                ms, _, number = last.partition("-")
                self._client.xtrim(stream, minid=f"{ms}-{int(number) + 1}", approximate=False)

    def begin_anew(self) -> None:
        """The server lost all: what stands in the streams now was never read. As `forget_read`, all is stored."""
        self._after = dict.fromkeys(self._after, "0-0")

    def _look(self, after: dict[str, str], count: int, block_ms: int | None) -> list[Delivery]:
        streams: dict[Any, Any] = dict(after)
        answer: Any = self._client.xread(streams, count=count, block=block_ms)
        found = []
        # RESP3 gives {stream: [rows]}, RESP2 [[stream, rows]].
        for name, rows in answer.items() if isinstance(answer, dict) else answer or []:
            stream = name.decode()
            flat = [row for part in rows for row in part] if isinstance(answer, dict) else rows
            for raw_id, fields in flat:
                message_id = raw_id.decode()
                payload = fields.get(b"p")
                try:
                    message = unpack(
                        fields[b"k"].decode(),
                        isal_zlib.decompress(fields[b"h"]),
                        isal_zlib.decompress(payload, _GZIP) if payload else b"",
                    )
                except (_INFLATE_ERROR, KeyError, ValueError):
                    message = None  # whoever wrote that, it is no message of ours
                if message is None:
                    raise ServerError(
                        f"Message {message_id} of {stream} was written by another version of sitemap-audit. "
                        "Run the coordinator and all workers in one version."
                    )
                found.append(Delivery(stream, message_id, message, payload or b""))
                self._after[stream] = message_id
        found.sort(key=lambda d: d.stream != self._pages)
        return found
