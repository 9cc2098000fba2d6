"""Outcomes of a batch on their way to the stream, sent by a thread of their own while the batch goes on.

A full stream or an absent server must not stop the loop that serves transfers: their time-outs would
then look like the site's fault.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter
from typing import Final

import orjson

from sitemap_audit.facts import Attempt, RobotsFile
from sitemap_audit.queue.messages import Again, Left, LeftWhy, PagesMessage, RobotsMessage, Target
from sitemap_audit.queue.stream import GaveUpError, Publisher
from sitemap_audit.settings import MESSAGE_PAGES, MESSAGE_SECONDS

MAX_WAITING: Final = 4
"""Messages that may wait for the stream before the batch starts no further request."""
JSON: Final = orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE


class Sender:
    """Publishes in the order given. `close` waits until all is sent, and raises what went wrong."""

    def __init__(self, publisher: Publisher, give_up: threading.Event) -> None:
        self._publisher = publisher
        self._give_up = give_up
        self._waiting: queue.SimpleQueue[PagesMessage | RobotsMessage | None] = queue.SimpleQueue()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="sender", daemon=True)
        self._thread.start()

    @property
    def behind(self) -> bool:
        """The stream takes less than the batch gives: start nothing new."""
        return self._waiting.qsize() >= MAX_WAITING

    def put(self, message: PagesMessage | RobotsMessage) -> None:
        self._waiting.put(message)

    def close(self, patience: threading.Event, seconds: float) -> bool:
        """Wait until everything is sent; once `patience` is set, `seconds` more. False: some was not sent."""
        self._waiting.put(None)
        while self._thread.is_alive():
            self._thread.join(0.1)
            if patience.is_set():
                self._thread.join(seconds)
                self._give_up.set()
                # A thread that waits for an absent server ends with the process.
                self._thread.join(0.5)
                break
        if self._error is not None and not isinstance(self._error, GaveUpError):
            raise self._error
        return self._error is None and not self._thread.is_alive()

    def _work(self) -> None:
        try:
            while (message := self._waiting.get()) is not None:
                if isinstance(message, RobotsMessage):
                    self._publisher.publish_robots(message, from_worker=True)
                else:
                    self._publisher.publish_pages(message)
        except BaseException as error:  # handed to the main thread by close()
            self._error = error


class Outbox:
    """Collects outcomes into messages of up to MESSAGE_PAGES pages or MESSAGE_SECONDS."""

    def __init__(self, sender: Sender, batch: str, worker: str) -> None:
        self._sender = sender
        self._batch = batch
        self._worker = worker
        self._began = time.monotonic()
        self._lines: list[bytes] = []
        self._done: list[int] = []
        self._left: list[Left] = []
        self._again: list[Again] = []
        self._targets: dict[str, str] = {}
        self._results: Counter[str] = Counter()
        self.results: Counter[str] = Counter()
        """Of the whole batch."""

    def page(self, seq: int, line: bytes, result: str) -> None:
        """A fact that is final, as its JSON line; `result` of page_fact.result_of."""
        self._results[result] += 1
        self._lines.append(line)
        self._done.append(seq)
        if len(self._done) >= MESSAGE_PAGES:
            self.flush()

    def answered(self, seq: int) -> None:
        """Done without a page fact: a robots.txt that was asked for by itself."""
        self._done.append(seq)

    def target(self, href: str, how: str) -> None:
        self._targets.setdefault(href, how)

    def left(self, seq: int, why: LeftWhy, attempt: Attempt | None = None) -> None:
        self._left.append(Left(seq, why, attempt))

    def again(self, seq: int, attempt: Attempt | None) -> None:
        self._again.append(Again(seq, attempt))

    def robots(self, file: RobotsFile) -> None:
        """At once: its pages are judged by it."""
        self._sender.put(RobotsMessage(lines=orjson.dumps(file, option=JSON), count=1))

    def flush_if_due(self, now: float) -> None:
        if now - self._began >= MESSAGE_SECONDS:
            self.flush_some()

    def flush_some(self) -> None:
        """Send what there is, if there is something."""
        if self._done or self._left or self._again:
            self.flush()

    def flush(self, *, finished: bool = False) -> None:
        """Send what there is; `finished` closes the batch."""
        self._sender.put(
            PagesMessage(
                batch=self._batch,
                worker=self._worker,
                done=tuple(self._done),
                left=tuple(self._left),
                again=tuple(self._again),
                targets=tuple(Target(href, how) for href, how in self._targets.items()),
                finished=finished,
                results=dict(self._results),
                lines=b"".join(self._lines),
            )
        )
        self._began = time.monotonic()
        self.results.update(self._results)
        for some in (self._lines, self._done, self._left, self._again, self._targets, self._results):
            some.clear()
