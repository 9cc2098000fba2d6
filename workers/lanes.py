"""The hosts of one batch: who may send when, and over how many connections.

A lane takes request slots in blocks from the pace of its host. A slot late by more than half a gap is
lost, and two requests never leave closer than the gap, whatever happened before them.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final, Protocol, TypeVar

from sitemap_audit.facts import ErrorClass
from sitemap_audit.formats.urls import Url, pace_host
from sitemap_audit.http import Answer, Client, Request, Transfer
from sitemap_audit.queue.messages import LeftWhy
from sitemap_audit.queue.pace import Held, HostState, Pace, base_gap_ms, block_size
from sitemap_audit.queue.server import OUTAGE, SERVER_FULL
from sitemap_audit.settings import BLOCK_MS, HOST_FAILURES, STOOD_STILL_S

AWAY_S: Final = 0.5
"""Pause before the absent server is asked again."""
EARLY_S: Final = 0.0005
"""A request may leave so much before its slot: the timer of the loop is no finer."""
TIMER_S: Final = 0.002
"""A slot is late only beyond this: timers of the loop are no finer."""
STUCK_S: Final = 1.0
"""A host that let its connections wait so long may be one that hangs."""
LATE_S: Final = 0.05
"""However wide the gap, a slot later than this is lost: it would undercut the gap to the one after it."""
WIDE_GAP_MS: Final = 500.0
"""From here on each slot is reserved in the moment of its request."""
SURE_S: Final = 0.02
"""An answer of the server that took longer does not tell when its slots begin."""
T = TypeVar("T")


class AwayError(Exception):
    """The server does not answer now; transfers go on meanwhile."""


class Task(Protocol):
    """Something that sends requests, one after the other."""

    @property
    def first(self) -> bool:
        """Its answer may change the gap: no slots are reserved for those behind it."""

    def prepare(self) -> bool:
        """True: a request is wanted now. False: nothing is, or not yet."""

    def request(self) -> Request: ...

    def answered(self, answer: Answer) -> None: ...

    def hand_back(self, why: LeftWhy) -> None:
        """It will not be served in this batch."""

    def park(self) -> None:
        """Its host is not asked any more in this run."""


class Lane:
    """One host."""

    __slots__ = (
        "active",
        "clean",
        "dirty",
        "due",
        "gap_ms",
        "gap_s",
        "last",
        "mark",
        "name",
        "queue",
        "ready",
        "share",
        "slots",
    )

    def __init__(self, name: str, share: int, gap_ms: float) -> None:
        self.name = name
        self.share = share
        self.gap_ms = gap_ms
        """The gap of our own: rate and Crawl-delay."""
        self.queue: deque[Task] = deque()
        self.ready: Task | None = None
        """Taken from the queue, wants a request, waits for its slot."""
        self.active = 0
        self.slots = 0
        self.mark = 0
        """Of its slots: they are void once the pace has another one."""
        self.gap_s = 0.0
        """The gap that holds, back-off included."""
        self.due = 0.0
        self.last = 0.0
        self.clean = 0
        self.dirty = False

    def tasks(self) -> list[Task]:
        """What waits here, taken out."""
        found = [self.ready] if self.ready is not None else []
        found += self.queue
        self.ready = None
        self.queue.clear()
        return found


class Lanes:
    """All lanes of a batch. Times are of the monotonic clock; `box_end`: no request starts after it."""

    def __init__(
        self, client: Client, pace: Pace, *, rate: float, shares: Mapping[str, int], box_end: float
    ) -> None:
        self.box_end = box_end
        self.closed = False
        self.driven = time.monotonic()
        """When the transfers were last looked after."""
        self.flying: dict[Task, Transfer] = {}
        self._client = client
        self._pace = pace
        self._gap_ms = base_gap_ms(rate)
        self._shares = shares
        self._lanes: dict[str, Lane] = {}
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._wanted: dict[Lane, None] = {}
        self._away_until = 0.0

    def ask(self, question: Callable[..., T], *arguments: object, **named: object) -> T:
        """Ask the server; AwayError while it is away or full, without waiting for it."""
        if time.monotonic() < self._away_until:
            raise AwayError
        try:
            return question(*arguments, **named)
        except (*OUTAGE, *SERVER_FULL) as error:
            self._away_until = time.monotonic() + AWAY_S
            raise AwayError from error

    def at(self, when: float, what: Callable[[], None]) -> None:
        """Call `what` at that time, from within `serve`."""
        heapq.heappush(self._timers, (when, next(self._numbers), what))

    def add(self, task: Task, url: Url, *, front: bool = False) -> None:
        """Serve `task` at the host of the URL that it wants next."""
        lane = self._lane(url)
        (lane.queue.appendleft if front else lane.queue.append)(task)
        self._wanted[lane] = None

    def slow_down(self, url: Url, crawl_delay_s: float | None) -> None:
        """The robots.txt of this URL's origin asks us for a Crawl-delay."""
        if crawl_delay_s:
            lane, gap_ms = self._lane(url), base_gap_ms(0, crawl_delay_s)
            if gap_ms > lane.gap_ms:
                lane.gap_ms = gap_ms
                lane.slots = 0  # they were counted for a smaller gap

    def limited(self, url: Url, retry_after_s: float | None, answer: Answer) -> bool:
        """The host said 429 or the like: nothing is sent until it may be. True: the host is parked."""
        lane = self._lane(url)
        lane.slots = 0
        self._report(lane)
        try:
            held: Held = self.ask(
                self._pace.hold, lane.name, retry_after_s, lane.gap_ms, age_ms=answer.total_ms
            )
        except AwayError:
            self._give_back(lane, LeftWhy.LIMITED)
            return False
        lane.dirty = True
        if held.parked:
            self._park(lane)
        elif time.monotonic() + held.wait_ms / 1000 >= self.box_end:
            self._give_back(lane, LeftWhy.LIMITED)
        return held.parked

    def clean(self, url: Url) -> None:
        """A usable answer came."""
        lane = self._lane(url)
        if lane.dirty:
            lane.clean += 1

    def failed(self, url: Url) -> None:
        """No answer came: no connection, or a time-out."""
        lane = self._lane(url)
        self._report(lane)
        lane.dirty = True
        try:
            if self.ask(self._pace.fail, lane.name) >= HOST_FAILURES:
                lane.slots = 0
        except AwayError:
            return

    def report_clean(self) -> None:
        """Tell the pace of the clean answers at hosts that had others; call it about once a second."""
        for lane in self._lanes.values():
            self._report(lane)

    def _report(self, lane: Lane) -> None:
        """In the order of the answers: clean ones between two failures mean that these are not in a row."""
        if lane.clean:
            with suppress(AwayError):
                self.ask(self._pace.clean, lane.name, lane.clean, lane.gap_ms)
            lane.clean = 0

    def serve(self, now: float, *, pause: bool = False) -> None:
        """Start what may start. `pause`: the stream is behind, so nothing new."""
        timers = self._timers
        while timers and timers[0][0] <= now:
            heapq.heappop(timers)[2]()
        if pause:
            return
        while self._wanted:
            lane = next(iter(self._wanted))
            del self._wanted[lane]
            self._serve(lane, now)

    def next_wake(self) -> float | None:
        """When `serve` has something to do again; 0 for now, None without anything planned."""
        if self._wanted:
            return 0.0
        return self._timers[0][0] if self._timers else None

    def stuck(self, now: float) -> bool:
        """Nothing waits for a slot or a connection that is coming: all that is left is requests long under way."""
        for lane in self._lanes.values():
            waits = lane.ready is not None or bool(lane.queue)
            if waits and lane.active < lane.share:
                return False
            if lane.active and now - lane.last < STUCK_S:
                return False
        return True

    def close(self, why: LeftWhy) -> None:
        """Start nothing any more; hand back what waits. Flying transfers go on."""
        self.closed = True
        for lane in self._lanes.values():
            self._give_back(lane, why)
        self._wanted.clear()
        self._timers.clear()

    def cut(self, why: LeftWhy) -> None:
        """Cancel what flies, and hand it back."""
        for task, transfer in list(self.flying.items()):
            self._client.cancel(transfer)
            del self.flying[task]
            task.hand_back(why)

    def _lane(self, url: Url) -> Lane:
        host = pace_host(url)
        lane = self._lanes.get(host)
        if lane is None:
            lane = self._lanes[host] = Lane(host, max(1, self._shares.get(host, 1)), self._gap_ms)
        return lane

    def _serve(self, lane: Lane, now: float) -> None:
        while not self.closed and lane.active < lane.share:
            task = lane.ready
            if task is None:
                if not lane.queue:
                    return
                task = lane.queue.popleft()
                if not task.prepare():
                    continue
                lane.ready = task
            if lane.slots and lane.mark != self._pace.mark(lane.name):
                lane.slots = 0
            if lane.slots == 0 and not self._reserve(lane, now):
                return
            if lane.gap_s:
                # Each slot keeps its own time: were the rest of a block moved with a late one, its end
                # would overlap the next block, which another worker may hold.
                when = max(now, lane.due, lane.last + lane.gap_s)
                if when - lane.due > max(min(lane.gap_s / 2, LATE_S), TIMER_S):
                    lane.slots -= 1
                    lane.due += lane.gap_s
                    continue
                if when - now > EARLY_S:
                    self._wake(lane, when)
                    return
                lane.due += lane.gap_s
            elif lane.due > now:
                self._wake(lane, lane.due)
                return
            lane.slots -= 1
            lane.last = now
            lane.ready = None
            self._send(lane, task)

    def _send(self, lane: Lane, task: Task) -> None:
        lane.active += 1

        def done(answer: Answer) -> None:
            lane.active -= 1
            del self.flying[task]
            self._wanted[lane] = None
            if answer.error_class is ErrorClass.TIMEOUT and time.monotonic() - self.driven > STOOD_STILL_S:
                # This process was stopped meanwhile (a signal, a frozen machine): no word about the host.
                task.hand_back(LeftWhy.STOPPED)
                return
            task.answered(answer)

        self.flying[task] = self._client.start(task.request(), done)

    def _reserve(self, lane: Lane, now: float) -> bool:
        left_ms = 1000 * (self.box_end - now)
        if left_ms <= 0:
            return False
        first = lane.ready is not None and lane.ready.first
        wanted = 1 if first else min(len(lane.queue) + 1, block_size(lane.gap_ms))
        asked = time.monotonic()
        ahead_ms = min(BLOCK_MS, left_ms)
        if max(lane.gap_ms, 1000 * lane.gap_s) >= WIDE_GAP_MS:
            # One at a time and in its moment: a late one would undercut the gap to the next, of whichever worker.
            wanted, ahead_ms = 1, min(ahead_ms, TIMER_S * 1000)
        try:
            slots = self.ask(self._pace.reserve, lane.name, lane.gap_ms, wanted, ahead_ms)
        except AwayError:
            self._wake(lane, now + AWAY_S)
            return False
        lane.dirty = slots.dirty
        if slots.number == 0:
            slot = now + slots.wait_ms / 1000
            if slots.state is HostState.PARKED:
                self._park(lane)
            elif slots.state is HostState.DOWN:
                self._give_back(lane, LeftWhy.DOWN)
            elif slots.state is HostState.HELD and slot >= self.box_end:
                self._give_back(lane, LeftWhy.LIMITED)
            else:
                # As soon as it may be reserved, or the others would always be first.
                self._wake(lane, max(now + EARLY_S, slot - ahead_ms / 1000))
            return False
        lane.gap_s = slots.gap_ms / 1000
        after = time.monotonic()
        if lane.gap_s and after - asked > max(lane.gap_s / 2, SURE_S):
            # Nobody knows when in this time the server counted: the slots are lost, not sent late.
            self._wake(lane, after)
            return False
        lane.slots = slots.number
        lane.mark = slots.mark
        lane.due = after + slots.wait_ms / 1000
        return True

    def _wake(self, lane: Lane, when: float) -> None:
        def wanted() -> None:
            self._wanted[lane] = None

        self.at(when, wanted)

    def _give_back(self, lane: Lane, why: LeftWhy) -> None:
        for task in lane.tasks():
            task.hand_back(why)

    def _park(self, lane: Lane) -> None:
        for task in lane.tasks():
            task.park()
