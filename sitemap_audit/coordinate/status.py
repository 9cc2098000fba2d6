"""What the coordinator says of its run: a record of each moment for the display, once a second for Redis.

Cheap by design: every look counts what the account knows anyway. Who waits and why is looked up once a second, and
more seldom when thousands of hosts make it dear, so that the whole stays near a thousandth of the time.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

import psutil
import redis
from redis.exceptions import ResponseError

from sitemap_audit import __version__
from sitemap_audit.coordinate.collect import Collector
from sitemap_audit.coordinate.ledger import Counts
from sitemap_audit.coordinate.progress import duration
from sitemap_audit.coordinate.work import Work
from sitemap_audit.queue.jobs import count_workers
from sitemap_audit.queue.pace import Pace, WaitWhy
from sitemap_audit.queue.robots import RobotsStore, StoredRobots
from sitemap_audit.queue.server import OUTAGE
from sitemap_audit.queue.status import HostWait, RunState, RunStatus, put_status
from sitemap_audit.settings import RATE_WINDOW_S, STATUS_EVERY_S, WAITS_SHOWN
from sitemap_audit.store.folder import RunRecord

NOTES_SHOWN: Final = 3
WAITS_SHARE: Final = 0.001
"""Of the coordinator's time for the look at hosts that wait: the more they are, the rarer it is."""
WAITS_LONGEST_S: Final = 10.0
FAILURES: Final = {
    "dns": "its name does not resolve",
    "connect": "no connection",
    "tls": "TLS fails",
    "timeout": "no answer in time",
    "reset": "it cuts the connection",
    "bad_http": "it does not speak HTTP",
}


@dataclass(slots=True)
class Meter:
    """URLs a second over the last RATE_WINDOW_S, and since the first one; what came before the first does not count."""

    _seen: deque[tuple[float, int]] = field(default_factory=deque)
    _first: tuple[float, int] | None = None

    def add(self, done: int, now: float) -> None:
        """So many are done at this moment."""
        if self._first is None:
            # Start-up and discovery are no checking: count from the last moment when nothing was done yet.
            if self._seen and done > self._seen[-1][1]:
                self._first = self._seen[-1]
            else:
                self._seen.clear()
        self._seen.append((now, done))
        while len(self._seen) > 2 and now - self._seen[0][0] > RATE_WINDOW_S:
            self._seen.popleft()

    @property
    def rate(self) -> float:
        return _slope(self._seen[0], self._seen[-1]) if self._seen else 0.0

    @property
    def mean(self) -> float:
        return _slope(self._first, self._seen[-1]) if self._first else 0.0


def _slope(before: tuple[float, int], after: tuple[float, int]) -> float:
    seconds = after[0] - before[0]
    return (after[1] - before[1]) / seconds if seconds > 0 else 0.0


@dataclass(slots=True)
class StatusWriter:
    """`moment` is for the display and, once a second, for Redis; `count` notes what went wrong."""

    record: RunRecord
    client: redis.Redis
    work: Work
    collector: Collector
    events: Counter[str] = field(default_factory=Counter)
    latest: RunStatus | None = None
    """The last moment; read by the metrics' thread."""
    workers: int = 0
    meter: Meter = field(default_factory=Meter)
    _began: float = field(default_factory=time.monotonic)
    _next: float = 0.0
    _waits: tuple[HostWait, ...] = ()
    _hosts_waiting: int = 0
    _next_waits: float = 0.0
    _notes: tuple[str, ...] = ()
    _process: psutil.Process = field(default_factory=psutil.Process)
    _memory: int = 0
    _pace: Pace = field(init=False)
    _robots: RobotsStore = field(init=False)
    _paused: bool = False

    def __post_init__(self) -> None:
        self._pace = Pace(self.client)
        self._robots = RobotsStore(self.client, self.record.run_id)

    def count(self, event: str, number: int = 1) -> None:
        """Something went wrong so often: lost_batches, server_restarts, worker_restarts, spider_restarts."""
        self.events[event] += number

    def moment(self, *, paused: str = "", stopping: bool = False, ask: bool = True) -> RunStatus:
        """The run as it stands. Once a second it reads and writes a little on the server, unless not to `ask` it."""
        now = time.monotonic()
        if ask and now >= self._next:
            self._next = now + STATUS_EVERY_S
            self._look(now)
            self.latest = self._moment(now, paused, stopping)
            # A server that is full, or cannot write its log, has more important things to say.
            with contextlib.suppress(ResponseError):
                put_status(self.client, self.latest)
            return self.latest
        self.latest = self._moment(now, paused, stopping)
        return self.latest

    def last(self, state: RunState) -> RunStatus:
        """The end of the run, said for whoever asks the server later. A server that is away hears nothing."""
        self._waits, self._hosts_waiting, self._notes = (), 0, ()
        self.latest = self._moment(time.monotonic(), "", False, state)
        with contextlib.suppress(*OUTAGE, ResponseError):
            put_status(self.client, self.latest)
        return self.latest

    # --- once a second -----------------------------------------------------------------------

    def _look(self, now: float) -> None:
        self.workers = count_workers(self.client)
        self._memory = self._process.memory_info().rss
        self._notes = tuple(
            _robots_note(origin, stored, self.record.options.recheck_after_s)
            for origin, stored in self._robots.waiting(NOTES_SHOWN)
        )
        if now >= self._next_waits:
            began = time.thread_time()
            self._look_at_waits()
            spent = time.thread_time() - began
            self._next_waits = now + min(WAITS_LONGEST_S, max(STATUS_EVERY_S, spent / WAITS_SHARE))

    def _look_at_waits(self) -> None:
        asleep = self.work.planner.asleep(self.work.clock())
        self._hosts_waiting = len(asleep)
        asleep = asleep[:WAITS_SHOWN]
        whys = self._pace.whys([host for host, _, _ in asleep])
        self._waits = tuple(
            HostWait(host, whys.get(host, (WaitWhy.BACK_OFF, 0.0))[0].value, round(seconds, 1), urls)
            for host, seconds, urls in asleep
        )

    # --- the record --------------------------------------------------------------------------

    def _moment(self, now: float, paused: str, stopping: bool, end: RunState | None = None) -> RunStatus:
        work, collector = self.work, self.collector
        counts = work.ledger.counts()
        self.meter.add(counts.checked + counts.further_checked, now)
        if bool(paused) is not self._paused:
            self._paused = bool(paused)
            self.events["pauses"] += self._paused
        stored = collector.last_stored_at
        batches = tuple(work.outstanding.batches)
        return RunStatus(
            run=self.record.run_id,
            state=end or _state(collector, paused, stopping),
            why=paused,
            notes=self._notes,
            sites=self.record.sites_given,
            version=__version__,
            machine=socket.gethostname(),
            pid=os.getpid(),
            started_at=self.record.started_at,
            seconds=round(now - self._began, 3),
            listed=counts.listed,
            checked=counts.checked,
            skipped=counts.skipped,
            unchecked=counts.unchecked,
            waiting=counts.waiting,
            further=counts.further,
            further_checked=counts.further_checked,
            files=collector.files,
            second_looks=work.second_looks,
            rate=round(self.meter.rate, 3),
            mean=round(self.meter.mean, 3),
            left_s=self._left(counts, now),
            batches=batches,
            urls_under_way=sum(len(under.urls) for under in work.outstanding.batches.values()),
            workers=self.workers,
            by_worker=dict(collector.by_worker),
            results=dict(collector.results),
            hosts=len(work.planner.hosts),
            hosts_waiting=self._hosts_waiting,
            waits=self._waits,
            stored_s=None if stored is None else round((datetime.now(UTC) - stored).total_seconds(), 3),
            memory_bytes=self._memory,
            events=dict(self.events),
        )

    def _left(self, counts: Counts, now: float) -> float | None:
        """Seconds until all is checked: by the rate of now, and not before the longest wait is over."""
        left = counts.waiting + counts.further - counts.further_checked
        if not self.collector.discovered:
            return None
        if not left:
            return 0.0
        rate = self.meter.rate or self.meter.mean
        if rate <= 0:
            return None
        host_rate = self.work.options.rate
        waits = [w.seconds + (w.urls / host_rate if host_rate else 0.0) for w in self._waits]
        looks = self.work.last_look_in
        return round(max([left / rate, looks, *waits]), 1)


def _state(collector: Collector, paused: str, stopping: bool) -> RunState:
    if stopping:
        return RunState.STOPPING
    if paused:
        return RunState.PAUSING
    return RunState.CHECKING if collector.discovered else RunState.DISCOVERING


def _robots_note(origin: str, stored: StoredRobots, recheck_after_s: float) -> str:
    """Why an origin is not asked for pages yet."""
    host = origin.partition("://")[2]
    status = f"status {stored.status}" if stored.status else "it could not be asked"
    why = FAILURES.get(stored.error_class or "", stored.error_class or status)
    due = recheck_after_s - (datetime.now(UTC) - stored.fetched_at).total_seconds()
    when = f"next look in {duration(due)}" if due > 0 else "looking again"
    return f"{host}: robots.txt cannot be had, {why}, {when}"
