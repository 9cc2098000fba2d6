"""What a person sees while a run goes on: one live block on a terminal, plain lines elsewhere, events under --log-format json.

Everything goes to stderr; stdout stays for results. A run that is over within two seconds shows nothing.
What is said (not the figures in between) also goes into audit.log, for whoever asks the next morning.
"""

from __future__ import annotations

import logging
import sys
import time
from typing import Any, Final, Protocol

from rich.console import Console
from rich.live import Live
from rich.table import Table

from sitemap_audit import logs
from sitemap_audit.formats.escape import visible
from sitemap_audit.queue.status import HostWait, RunState, RunStatus

FIRST_AFTER_S: Final = 2.0
PLAIN_EVERY_S: Final = 10.0
BAR: Final = 30
HOSTS_NAMED: Final = 3

log = logging.getLogger("sitemap_audit.run")
WHYS: Final = {
    "retry_after": "asked us to wait",
    "back_off": "limits us",
    "down": "does not answer",
    "parked": "asked for a longer wait than we keep",
    "crawl_delay": "has a Crawl-delay",
}


class Progress(Protocol):
    def show(self, status: RunStatus) -> None:
        """A moment of the run."""

    def say(self, line: str) -> None:
        """A word of ours: shown, and kept in audit.log."""

    def tell(self, line: str) -> None:
        """Somebody else's word, which stands in audit.log already: only shown."""

    def close(self) -> None:
        """The run is over."""


def duration(seconds: float) -> str:
    """3 s, 4 min 05 s, 2 h 07 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def wait_words(wait: HostWait) -> str:
    """Who waits, why, how long, for how many URLs."""
    return f"{wait.host} {WHYS.get(wait.why, wait.why)}: left alone for {duration(wait.seconds)} ({wait.urls:,} URLs)"


def pace_words(status: RunStatus) -> list[str]:
    """How fast, and how long it will take."""
    words = []
    if status.rate > 0:
        words.append(f"{status.rate:,.1f} URLs/s")
    if status.left_s is not None and status.open:
        words.append(f"about {duration(status.left_s)} left")
    return words


def hold_words(status: RunStatus) -> list[str]:
    """What a person should know about why it takes so long."""
    words = []
    if status.second_looks:
        words.append(f"{status.second_looks:,} wait for a second look")
    if status.waits:
        others = f" and {status.hosts_waiting - 1:,} more" if status.hosts_waiting > 1 else ""
        words.append(wait_words(status.waits[0]) + others)
    words += status.notes
    if not status.workers and (status.open or status.state is RunState.DISCOVERING):
        words.append("no worker has joined yet")
    if status.why:
        words.append(status.why)
    return words


def describe(status: RunStatus) -> str:
    """One plain line of a moment."""
    more = "…" if status.state is RunState.DISCOVERING else ""
    parts = [
        f"discovered {status.listed:,}{more} in {status.files:,} files",
        f"checked {status.done:,}",
    ]
    if skipped := sum(status.skipped.values()):
        parts.append(f"skipped {skipped:,}")
    return " · ".join([*parts, *pace_words(status), *hold_words(status)])


def figures(status: RunStatus) -> dict[str, Any]:
    """The numbers of a moment, for an event."""
    return {
        "state": status.state,
        "listed": status.listed,
        "checked": status.checked,
        "skipped": dict(status.skipped),
        "unchecked": dict(status.unchecked),
        "waiting": status.waiting,
        "further": status.further,
        "further_checked": status.further_checked,
        "files": status.files,
        "urls_per_second": round(status.rate, 2),
        "left_seconds": None if status.left_s is None else round(status.left_s),
        "workers": status.workers,
        "batches": len(status.batches),
        "hosts_waiting": status.hosts_waiting,
    }


class _Turn:
    """When a line is due: every PLAIN_EVERY_S, and at once when something new holds the run up."""

    def __init__(self) -> None:
        self._next = time.monotonic() + PLAIN_EVERY_S
        self._told: frozenset[str] = frozenset()

    def has_come(self, status: RunStatus) -> bool:
        now = time.monotonic()
        news = frozenset(_without_seconds(note) for note in (*status.notes, status.why) if note)
        if now < self._next and news <= self._told:
            return False
        self._told = news
        self._next = now + PLAIN_EVERY_S
        return True


class Plain:
    """Log lines for pipes, cron and CI."""

    def __init__(self) -> None:
        self._turn = _Turn()

    def show(self, status: RunStatus) -> None:
        if self._turn.has_come(status):
            print(_stamp(), visible(describe(status)), file=sys.stderr, flush=True)

    def say(self, line: str) -> None:
        log.info("%s", line)
        self.tell(line)

    def tell(self, line: str) -> None:
        print(_stamp(), logs.shown(line), file=sys.stderr, flush=True)

    def close(self) -> None:
        pass


def _without_seconds(note: str) -> str:
    return note.partition(", next look")[0]


def _stamp() -> str:
    return time.strftime("%H:%M:%S")


class Events:
    """--log-format json: each word an event, the figures in between as well."""

    def __init__(self) -> None:
        self._turn = _Turn()

    def show(self, status: RunStatus) -> None:
        if self._turn.has_come(status):
            log.info("progress: %s", describe(status), extra={"figures": figures(status)})

    def say(self, line: str) -> None:
        log.info("%s", line)

    def tell(self, line: str) -> None:
        logs.say(line, level=logging.INFO)

    def close(self) -> None:
        pass


class Quiet:
    """--quiet: nothing but what must be said; audit.log has the rest."""

    def show(self, status: RunStatus) -> None:
        pass

    def say(self, line: str) -> None:
        log.info("%s", line)

    def tell(self, line: str) -> None:
        pass

    def close(self) -> None:
        pass


class Terminal:
    """A live display: what was found, what is done, how fast, how long."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._live: Live | None = None
        self._began = time.monotonic()

    def show(self, status: RunStatus) -> None:
        if time.monotonic() - self._began < FIRST_AFTER_S:
            return
        if self._live is None:
            self._live = Live(console=self._console, refresh_per_second=4, transient=True)
            self._live.start()
        self._live.update(table_of(status))

    def say(self, line: str) -> None:
        log.info("%s", line)
        self.tell(line)

    def tell(self, line: str) -> None:
        self._console.print(logs.shown(line), highlight=False, markup=False)

    def close(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


def table_of(status: RunStatus) -> Table:
    """The live block of a run: also what `status --watch` shows first."""
    from rich.text import Text

    discovering = status.state is RunState.DISCOVERING
    total = status.listed - sum(status.skipped.values()) + status.further
    filled = BAR * status.done // total if total else 0
    left = duration(status.left_s) if status.left_s is not None else "…"
    table = Table.grid(padding=(0, 2))

    def row(name: str, text: str) -> None:
        table.add_row(name, Text(visible(text)))

    row(
        "discover",
        f"{status.listed:,} URLs in {status.files:,} files" + (" …" if discovering else ""),
    )
    row("check", f"{'█' * filled}{'░' * (BAR - filled)} {status.done:,} of {total:,}")
    row(
        "",
        f"{status.rate:,.1f} URLs/s · {duration(status.seconds)} so far · {left} left · "
        f"{status.workers} workers, {len(status.batches)} batches",
    )
    for wait in status.waits[:HOSTS_NAMED]:
        row("wait", wait_words(wait))
    if status.hosts_waiting > HOSTS_NAMED:
        row("wait", f"{status.hosts_waiting - HOSTS_NAMED:,} more hosts")
    if status.second_looks:
        row("wait", f"{status.second_looks:,} URLs wait for a second look")
    for note in (*status.notes, status.why):
        if note:
            row("", note)
    return table


def choose(*, quiet: bool) -> Progress:
    if quiet:
        return Quiet()
    if logs.chosen() == "json":
        return Events()
    return Terminal() if sys.stderr.isatty() else Plain()
