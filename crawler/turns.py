"""A host's turn to be asked: one request slot before each request, from the pace that all processes share.

In a run the slots come from Redis (sitemap_audit.queue.pace); alone from LocalPace, the same promise
kept in this process. How many connections a host gets is kept here as well.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, Protocol

from crawler.stop import Stop
from sitemap_audit.queue.pace import Held, HostState, Slots, base_gap_ms, block_size
from sitemap_audit.settings import (
    BACKOFF_MAX_GAP_MS,
    BACKOFF_MIN_GAP_MS,
    BLOCK_MS,
    CRAWLER_OPEN_MAX,
    CRAWLER_WAIT_S,
    HOST_DOWN_MS,
    HOST_FAILURES,
    LIMITS_IN_A_ROW,
    RECOVER_AFTER,
    RETRY_AFTER_CAP_S,
)


class HostWaitsError(Exception):
    """No slot of this host for `seconds`; infinite when the host is given up for this run."""

    def __init__(self, host: str, seconds: float, state: HostState) -> None:
        super().__init__(f"{host} is not asked for {seconds:.0f} s ({state.name.lower()})")
        self.seconds = seconds
        self.state = state


class PaceLike(Protocol):
    """What Turns needs of a pace; blocking calls, made in a thread."""

    def reserve(self, host: str, gap_ms: float, want: int, ahead_ms: float = ...) -> Slots: ...
    def hold(
        self, host: str, retry_after_s: float | None, base_gap_ms: float, *, age_ms: float = ...
    ) -> Held: ...
    def clean(self, host: str, answers: int, base_gap_ms: float) -> float: ...
    def fail(self, host: str) -> int: ...
    def mark(self, host: str) -> int: ...


@dataclass(slots=True)
class _Host:
    """State of one host in LocalPace; times are ms of `time.monotonic`."""

    last: float = -math.inf
    """The last slot that was given."""
    gap: float = 0.0
    until: float = 0.0
    parked: float = 0.0
    held: float = -math.inf
    down: float = 0.0
    strikes: int = 0
    fails: int = 0
    clean: int = 0
    mark: int = 0


class LocalPace:
    """sitemap_audit.queue.pace.Pace for one process alone, without a server."""

    def __init__(self) -> None:
        self._hosts: dict[str, _Host] = {}

    def reserve(self, host: str, gap_ms: float, want: int, ahead_ms: float = BLOCK_MS) -> Slots:
        now, seen = self._look(host)
        gap = max(gap_ms, seen.gap)
        dirty = bool(seen.gap or seen.strikes or seen.fails)
        if seen.parked > now:
            return Slots(0, math.ceil(seen.parked - now), gap, HostState.PARKED, dirty, seen.mark)
        if seen.fails >= HOST_FAILURES:
            if seen.down > now:
                return Slots(0, math.ceil(seen.down - now), gap, HostState.DOWN, dirty, seen.mark)
            want = 1
        start = max(now, seen.last + gap, seen.until)
        if start > now + ahead_ms:
            state = HostState.HELD if now < seen.until >= seen.last + gap else HostState.FREE
            return Slots(0, math.ceil(start - now), gap, state, dirty, seen.mark)
        number = want if gap <= 0 else min(want, 1 + int((now + ahead_ms - start) / gap))
        # Without a gap too: the robots.txt that is fetched with this slot may ask for one.
        seen.last = start + (number - 1) * gap
        if seen.fails >= HOST_FAILURES:
            seen.down = now + HOST_DOWN_MS
        return Slots(number, math.ceil(start - now), gap, HostState.FREE, dirty, seen.mark)

    def hold(
        self, host: str, retry_after_s: float | None, base_gap_ms: float, *, age_ms: float = 0.0
    ) -> Held:
        now, seen = self._look(host)
        seen.mark += 1
        if now - age_ms >= seen.held:  # Requests that were on the wire at the last doubling are excused.
            wider = 2 * max(BACKOFF_MIN_GAP_MS, base_gap_ms, seen.gap)
            seen.gap = max(min(BACKOFF_MAX_GAP_MS, wider), base_gap_ms)
            seen.held, seen.clean = now, 0
            seen.strikes += 1
        wait = seen.gap if retry_after_s is None else 1000.0 * max(0.0, retry_after_s)
        cap = 1000.0 * RETRY_AFTER_CAP_S
        if wait > cap or seen.strikes >= LIMITS_IN_A_ROW:
            seen.parked = max(seen.parked, now + max(wait, cap))
        seen.until = max(seen.until, now + min(wait, cap))
        return Held(math.ceil(seen.until - now), seen.gap, seen.parked > now)

    def clean(self, host: str, answers: int, base_gap_ms: float) -> float:
        _, seen = self._look(host)
        seen.strikes = seen.fails = 0
        seen.clean += answers
        while seen.gap and seen.clean >= RECOVER_AFTER:
            seen.clean -= RECOVER_AFTER
            seen.gap *= 0.9
            if seen.gap <= max(base_gap_ms, 1.0):
                seen.gap = 0.0
        return seen.gap

    def fail(self, host: str) -> int:
        now, seen = self._look(host)
        seen.fails += 1
        if seen.fails >= HOST_FAILURES:
            seen.down = now + HOST_DOWN_MS
        return seen.fails

    def mark(self, host: str) -> int:
        return self._look(host)[1].mark

    def _look(self, host: str) -> tuple[float, _Host]:
        return time.monotonic() * 1000, self._hosts.setdefault(host, _Host())


@dataclass(slots=True)
class _Lane:
    places: asyncio.Semaphore
    last_sent: float = -math.inf
    delay_s: float | None = None
    dirty: bool = False
    free: int = 0
    """Slots in hand of a host that has no rate, until `free_until`."""
    free_until: float = 0.0
    free_mark: int = 0


_SLACK_S: Final = 0.002
"""Timers of the loop may fire this early."""
_LATEST_S: Final = 0.05
"""However wide the gap: a later one would undercut the gap to the next."""
_WIDE_MS: Final = 500.0
_LATE_S: Final = 0.005
"""Less is no lateness: the way to the server and back takes about this long on a busy machine."""


@dataclass(slots=True)
class Turns:
    """Whose turn it is. `rate` requests a second and `concurrency` connections for each pace host."""

    pace: PaceLike
    rate: float
    concurrency: int
    stopped: Stop = field(default_factory=Stop)
    """Set when discovery is told to stop: waits end."""
    _lanes: dict[str, _Lane] = field(default_factory=dict)
    _open: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(CRAWLER_OPEN_MAX))

    def crawl_delay(self, host: str, seconds: float | None) -> None:
        """Keep the Crawl-delay of our own agent's group, also under rate 0."""
        lane = self._lane(host)
        lane.delay_s = seconds
        if seconds:
            lane.free = 0  # they were given for no gap

    def gap_ms(self, host: str) -> float:
        return base_gap_ms(self.rate, self._lane(host).delay_s)

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Hold a connection of the host, entered at the moment when its next request may be sent.

        Raises HostWaitsError at once when that moment is more than CRAWLER_WAIT_S away: whoever waits that
        long must not hold a place that another host could use.
        """
        async with self._lane(host).places:
            while True:
                due = await self._slot(host)
                async with self._open:
                    # A slot that waited here for its place is late, as below.
                    if due is None or time.monotonic() - due <= max(self.gap_ms(host) / 2000, _LATE_S):
                        yield
                        return

    async def answered(
        self, host: str, *, limited: bool, retry_after_s: float | None, failed: bool, age_s: float
    ) -> None:
        """Report how a request ended, so that all processes slow down or recover together."""
        lane = self._lane(host)
        gap = self.gap_ms(host)
        if limited or failed:
            lane.free = 0
        if limited:
            lane.dirty = True
            await asyncio.to_thread(self.pace.hold, host, retry_after_s, gap, age_ms=1000 * age_s)
        elif failed:
            lane.dirty = True
            await asyncio.to_thread(self.pace.fail, host)
        elif lane.dirty:
            lane.dirty = await asyncio.to_thread(self.pace.clean, host, 1, gap) > 0

    async def _slot(self, host: str) -> float | None:
        """Sleep until a slot; returns the time it was taken, None where there is no gap to keep."""
        lane = self._lane(host)
        while True:
            asked = time.monotonic()
            if (
                lane.free > 0
                and asked < lane.free_until
                and lane.free_mark == self.pace.mark(host)
                and not self.stopped.is_set
            ):
                lane.free -= 1
                return None
            # Slots that lie a gap apart are taken one by one; without a gap a block costs no more than one.
            gap_ms = self.gap_ms(host)
            want = block_size(gap_ms) if gap_ms <= 0 else 1
            # A wide gap is not to be undercut by a late slot: it is reserved in its moment.
            ahead = BLOCK_MS if gap_ms < _WIDE_MS else 1000 * _LATE_S
            slots = await asyncio.to_thread(self.pace.reserve, host, gap_ms, want, ahead)
            got = time.monotonic()  # The slot lies between asked + wait and got + wait: never send early.
            lane.dirty = lane.dirty or slots.dirty
            wait = slots.wait_ms / 1000
            if not slots.number:
                if slots.state is HostState.PARKED or wait > CRAWLER_WAIT_S:
                    raise HostWaitsError(host, wait, slots.state)
                await self._sleep(host, wait)
                continue
            gap = slots.gap_ms / 1000
            due = max(got + wait, lane.last_sent + gap)
            await self._sleep(host, due - time.monotonic())
            now = time.monotonic()
            # A slot that is late by more than half a gap is lost, and two late ones are no burst: a slot
            # that is sent late would meet the one after it.
            late = now - asked - wait > max(min(gap / 2, _LATEST_S), _LATE_S)
            if slots.mark != self.pace.mark(host):
                continue  # Another one was told meanwhile to leave the host alone.
            if gap <= 0:
                lane.free, lane.free_until = slots.number - 1, got + BLOCK_MS / 1000
                lane.free_mark = slots.mark
            if gap <= 0 or (not late and now - lane.last_sent >= gap - _SLACK_S):
                lane.last_sent = now
                return now if gap > 0 else None

    async def _sleep(self, host: str, seconds: float) -> None:
        await self.stopped.wait(seconds=seconds)
        if self.stopped.is_set:
            raise HostWaitsError(host, math.inf, HostState.FREE)

    def _lane(self, host: str) -> _Lane:
        lane = self._lanes.get(host)
        if lane is None:
            lane = self._lanes[host] = _Lane(asyncio.Semaphore(self.concurrency))
        return lane
