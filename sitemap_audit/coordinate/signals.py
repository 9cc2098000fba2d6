"""Ctrl-C, SIGTERM and a closed terminal (SIGHUP): counted from its first moment to its last, looked at by the loop.

A KeyboardInterrupt in the middle of anything would leave things half done (and DuckDB turns it into an
error of its own); so a run never gets one.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass(slots=True)
class Signals:
    count: int = 0
    """How often we were told to stop."""

    @contextmanager
    def listen(self) -> Iterator[None]:
        """Until the end of the block, signals are counted and do nothing else. Main thread only."""

        def note(number: int, frame: FrameType | None) -> None:
            self.count += 1

        before = {s: signal.signal(s, note) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
