"""What one batch may take of this machine: memory (an rlimit) and CPU time (a timer) of the process.

A document that makes a parser loop for ever, or take all memory, ends its worker and not the machine: the
batch is lost, planned again in halves, and in the end the one URL is `unchecked: crashed`. Pages have
tighter bounds of their own (formats/html_guard.py); these hold for everything else.
"""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sitemap_audit.settings import BATCH_CPU_SPARE_S, BATCH_MAX_BYTES

_STATM: Final = Path("/proc/self/statm")
_PAGE_BYTES: Final = resource.getpagesize()


def no_core_dump() -> None:
    """A worker that the system ends leaves no file of its memory behind: it may hold headers and cookies."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@contextmanager
def capped(box_s: float) -> Iterator[None]:
    """Let the block take BATCH_MAX_BYTES more memory than now, and a CPU time that no batch of `box_s` needs.

    Too much memory is a MemoryError (on systems that keep RLIMIT_DATA, as Linux does); too much CPU time is
    SIGPROF, whose default action ends the process: also in code that no Python exception reaches. A timer and
    not RLIMIT_CPU: that one is absolute and counts ticks, which run up to a tenth ahead of getrusage, so that
    a worker of some minutes of CPU was ended with every batch.
    """
    before: tuple[int, int] | None = None
    try:
        taken = int(_STATM.read_text().split()[5]) * _PAGE_BYTES
    except OSError:
        pass
    else:
        before = _lower(resource.RLIMIT_DATA, taken + BATCH_MAX_BYTES)
    signal.setitimer(signal.ITIMER_PROF, box_s + BATCH_CPU_SPARE_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        if before is not None:
            resource.setrlimit(resource.RLIMIT_DATA, before)


def _lower(limit: int, value: int) -> tuple[int, int]:
    """Set a soft limit, never above what holds; returns what held."""
    soft, hard = resource.getrlimit(limit)
    bounds = [bound for bound in (soft, hard) if bound != resource.RLIM_INFINITY]
    resource.setrlimit(limit, (min(value, *bounds) if bounds else value, hard))
    return soft, hard
