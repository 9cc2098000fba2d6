"""What makes a run wait instead of ending it: a full disk, a server that is away or takes no writes.

Nothing is lost in a pause: facts that are not on disk stay in memory and in the server's streams, nothing
new is read or planned, and the run goes on by itself when the next look finds the trouble gone.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from redis.exceptions import AuthenticationError, NoPermissionError, OutOfMemoryError, TimeoutError

from sitemap_audit.errors import DiskFullError
from sitemap_audit.queue.server import OUTAGE, SERVER_FULL, LogRefusedError

PAUSES: Final = (DiskFullError, *OUTAGE, *SERVER_FULL)
LOOK_S: Final = 1.0
"""Between two looks whether a run can go on."""
SOON_S: Final = 0.2
"""The first look comes sooner: a server that is started again takes less than a second."""
SILENT_S: Final = 1.0
"""An outage or a full memory that is over within this time is not worth a word."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a run waits. `words` for the person; `silent_s`: say it only when it lasts longer."""

    words: str
    silent_s: float = 0.0
    outage: bool = False
    """The server was away: leases may have ended meanwhile."""
    disk: bool = False

    @property
    def note(self) -> str:
        """In short, for the progress line."""
        return self.words.partition(". ")[0]


def reason_of(problem: Exception, folder: Path, *, own_server: bool) -> Reason:
    """The reason of a pause, and what the operator can do."""
    back = "Nothing is lost; the run goes on by itself"
    if isinstance(problem, DiskFullError) or (own_server and isinstance(problem, LogRefusedError)):
        return Reason(f"paused: the disk of {folder} is full. {back} when there is room", disk=True)
    if isinstance(problem, LogRefusedError):
        return Reason(
            f"paused: the Redis server cannot write its own data (MISCONF: its disk is full or broken). {back} "
            "when that is mended"
        )
    if isinstance(problem, OutOfMemoryError):
        return Reason(
            f"paused: the memory of the Redis server is full (maxmemory). {back} when there is room: raise "
            "maxmemory or remove other data there",
            silent_s=SILENT_S,
        )
    if isinstance(problem, NoPermissionError):
        return Reason(f"paused: the Redis server forbids its user a command ({problem}). {back} when allowed")
    if isinstance(problem, SERVER_FULL):
        return Reason(
            "paused: the Redis server is a replica now and takes no writes. "
            f"{back} when a primary answers at its address"
        )
    if isinstance(problem, AuthenticationError):
        return Reason(
            f"paused: the Redis server refuses our user or password now. {back} when they are accepted again; "
            f"or press Ctrl-C, then: sitemap-audit resume {folder} --redis URL-WITH-THE-NEW-ONE",
            outage=True,
        )
    return Reason(
        f"paused: the Redis server does not answer ({problem}). {back} when it does",
        # Who timed out has waited already.
        silent_s=0.0 if isinstance(problem, TimeoutError) else SILENT_S,
        outage=True,
    )


@dataclass(slots=True)
class Pause:
    """One pause, from the first refusal until all works again; its reasons may change meanwhile."""

    reason: Reason
    began: float = field(default_factory=time.monotonic)
    outage: bool = False
    _said: set[str] = field(default_factory=set)

    def meets(self, reason: Reason) -> None:
        """The latest look found this."""
        self.reason = reason
        self.outage |= reason.outage

    @property
    def wait_s(self) -> float:
        """Until the next look."""
        return SOON_S if time.monotonic() - self.began < 2 * SOON_S else LOOK_S

    def news(self) -> str | None:
        """What is to be said now: each reason once a pause."""
        reason = self.reason
        what = "disk" if reason.disk else reason.words.partition("(")[0]
        if what in self._said or time.monotonic() - self.began < reason.silent_s:
            return None
        self._said.add(what)
        return reason.words

    @property
    def was_said(self) -> bool:
        return bool(self._said)
