"""What a person sees while a run goes on: one live line on a terminal, plain lines elsewhere.

Everything goes to stderr; stdout stays for results. A run that is over within two seconds shows nothing.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Final, Protocol

from rich.console import Console
from rich.live import Live
from rich.table import Table

from sitemap_audit.coordinate.ledger import Counts

FIRST_AFTER_S: Final = 2.0
PLAIN_EVERY_S: Final = 10.0
RATE_WINDOW_S: Final = 15.0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One moment of a run. `waiting_hosts`: (host, seconds, URLs) of hosts that asked us to wait or do not answer."""

    counts: Counts
    discovering: bool
    files: int
    workers: int
    batches: int
    second_looks: int = 0
    waiting_hosts: tuple[tuple[str, float, int], ...] = ()
    note: str = ""


class Progress(Protocol):
    def show(self, snapshot: Snapshot) -> None: ...
    def say(self, line: str) -> None: ...
    def close(self) -> None: ...


@dataclass(slots=True)
class Meter:
    """Rate over the last seconds, and the time left by it."""

    _seen: deque[tuple[float, int]] = field(default_factory=deque)

    def rate(self, done: int, now: float) -> float:
        """URLs a second."""
        self._seen.append((now, done))
        while len(self._seen) > 2 and now - self._seen[0][0] > RATE_WINDOW_S:
            self._seen.popleft()
        began, before = self._seen[0]
        return (done - before) / (now - began) if now > began else 0.0


def duration(seconds: float) -> str:
    """3 s, 4 min 05 s, 2 h 07 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def describe(snapshot: Snapshot, rate: float) -> str:
    """One plain line of a snapshot."""
    c = snapshot.counts
    done = c.checked + c.further_checked
    left = c.waiting + c.further - c.further_checked
    more = "…" if snapshot.discovering else ""
    parts = [f"discovered {c.listed:,}{more} in {snapshot.files:,} files", f"checked {done:,}"]
    if skipped := sum(c.skipped.values()):
        parts.append(f"skipped {skipped:,}")
    if rate > 0:
        parts.append(f"{rate:,.1f} URLs/s")
        if left and not snapshot.discovering:
            parts.append(f"about {duration(left / rate)} left")
    if snapshot.second_looks:
        parts.append(f"{snapshot.second_looks:,} wait for a second look")
    if snapshot.waiting_hosts:
        host, seconds, urls = snapshot.waiting_hosts[0]
        others = f" and {len(snapshot.waiting_hosts) - 1} more" if len(snapshot.waiting_hosts) > 1 else ""
        parts.append(f"{host} is left alone for {duration(seconds)} ({urls:,} URLs){others}")
    if not snapshot.workers:
        parts.append("no worker has joined yet")
    if snapshot.note:
        parts.append(snapshot.note)
    return " · ".join(parts)


class Plain:
    """Log lines for pipes, cron and CI."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._next = self._began + PLAIN_EVERY_S
        self._meter = Meter()

    def show(self, snapshot: Snapshot) -> None:
        now = time.monotonic()
        rate = self._meter.rate(snapshot.counts.checked + snapshot.counts.further_checked, now)
        if now >= self._next:
            self._next = now + PLAIN_EVERY_S
            self.say(describe(snapshot, rate))

    def say(self, line: str) -> None:
        print(time.strftime("%H:%M:%S"), line, file=sys.stderr, flush=True)

    def close(self) -> None:
        pass


class Quiet:
    """--quiet: nothing but what must be said."""

    def show(self, snapshot: Snapshot) -> None:
        pass

    def say(self, line: str) -> None:
        pass

    def close(self) -> None:
        pass


class Terminal:
    """A live display: what was found, what is done, how fast, how long."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._live: Live | None = None
        self._began = time.monotonic()
        self._meter = Meter()

    def show(self, snapshot: Snapshot) -> None:
        now = time.monotonic()
        rate = self._meter.rate(snapshot.counts.checked + snapshot.counts.further_checked, now)
        if now - self._began < FIRST_AFTER_S:
            return
        if self._live is None:
            self._live = Live(console=self._console, refresh_per_second=4, transient=True)
            self._live.start()
        self._live.update(self._table(snapshot, rate, now))

    def _table(self, snapshot: Snapshot, rate: float, now: float) -> Table:
        c = snapshot.counts
        done = c.checked + c.further_checked
        total = c.listed - sum(c.skipped.values()) + c.further
        width = 30
        filled = width * done // total if total else 0
        table = Table.grid(padding=(0, 2))
        left = duration((total - done) / rate) if rate > 0 and not snapshot.discovering else "…"
        table.add_row(
            "discover",
            f"{c.listed:,} URLs in {snapshot.files:,} files" + (" …" if snapshot.discovering else ""),
        )
        table.add_row("check", f"{'█' * filled}{'░' * (width - filled)} {done:,} of {total:,}")
        table.add_row(
            "",
            f"{rate:,.1f} URLs/s · {duration(now - self._began)} so far · {left} left · {snapshot.workers} workers, {snapshot.batches} batches",
        )
        for host, seconds, urls in snapshot.waiting_hosts[:3]:
            table.add_row("wait", f"{host} is left alone for {duration(seconds)} ({urls:,} URLs)")
        if snapshot.second_looks:
            table.add_row("wait", f"{snapshot.second_looks:,} URLs wait for a second look")
        if snapshot.note:
            table.add_row("", snapshot.note)
        return table

    def say(self, line: str) -> None:
        self._console.print(line, highlight=False, markup=False)

    def close(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


def choose(*, quiet: bool) -> Progress:
    if quiet:
        return Quiet()
    return Terminal() if sys.stderr.isatty() else Plain()
