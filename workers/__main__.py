"""`python -P -m workers`: a small parent that keeps N worker processes going.

    --redis URL            the server; without it the environment variable SITEMAP_AUDIT_REDIS
    --processes N          workers on the main queue (default: the cores); one more serves slow hosts
    --slow-processes N     workers on the queue of slow hosts (default 1)
    --name-prefix TEXT     how the workers are called (default: the host's name)
    --metrics ADDRESS      serve Prometheus metrics of these workers (default: off)
    --exit-with-parent     stop when standard input ends: the process that started us is gone

The children are new processes, never forks (libcurl handles do not survive one). A child that dies is
replaced, later and later if it dies young. SIGTERM and SIGINT end all of them within eight seconds.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Final

from sitemap_audit import logs
from sitemap_audit.errors import UsageError
from sitemap_audit.settings import QUEUE_NAME, SLOW_QUEUE_NAME, STOP_GRACE_S
from workers.tally import PIPE_VARIABLE

if TYPE_CHECKING:
    from workers.metrics import WorkerMetrics

URL_VARIABLE: Final = "SITEMAP_AUDIT_REDIS"
YOUNG_S: Final = 10.0
"""A worker that dies before this age is replaced with growing pauses."""
SLOW_START_S: Final = 6.0
"""The workers of slow hosts start this much later."""
LONGEST_PAUSE_S: Final = 30.0
WATCH_S: Final = 0.2
log = logging.getLogger("workers")


@dataclass(slots=True)
class Place:
    """One worker that there should be; its process comes and goes."""

    queue: str
    process: subprocess.Popen[bytes] | None = None
    before: int | None = None
    """Process id of the worker that it replaces."""
    started: float = 0.0
    pause_s: float = 0.0
    not_before: float = field(default=0.0)


class Parent:
    def __init__(self, url: str, processes: int, slow_processes: int, name_prefix: str) -> None:
        self._environment = {**os.environ, URL_VARIABLE: url}
        self._prefix = name_prefix
        self._places = [Place(QUEUE_NAME) for _ in range(processes)]
        # Nothing is slow before a box has passed: short runs need not pay for these processes.
        later = time.monotonic() + SLOW_START_S
        self._places += [Place(SLOW_QUEUE_NAME, not_before=later) for _ in range(slow_processes)]
        self.stop = threading.Event()
        self.metrics: WorkerMetrics | None = None
        """Told of each batch and each restart, if somebody wants to know."""

    def running(self) -> list[tuple[str, int]]:
        """Queue and process id of the workers that were started and not yet seen to end."""
        processes = [(place.queue, place.process) for place in self._places]
        return [("slow" if q == SLOW_QUEUE_NAME else "main", p.pid) for q, p in processes if p is not None]

    def run(self) -> int:
        """Until `stop` is set; the exit code."""
        try:
            while True:
                for place in self._places:
                    self._watch(place)
                if self.stop.wait(WATCH_S):
                    break
        finally:
            self._end()
        return 0

    def _watch(self, place: Place) -> None:
        now = time.monotonic()
        if place.process is None:
            if now >= place.not_before:
                self._start(place, now)
            return
        code = place.process.poll()
        if code is None:
            return
        young = now - place.started < YOUNG_S
        place.pause_s = min(LONGEST_PAUSE_S, max(0.5, 2 * place.pause_s)) if young else 0.0
        place.not_before = now + place.pause_s
        log.warning(
            "worker %d ended with code %d, another one starts in %.1f s",
            place.process.pid,
            code,
            place.pause_s,
        )
        place.before = place.process.pid
        if self.metrics is not None:
            self.metrics.restarts += 1
        self._close(place)

    def _start(self, place: Place, now: float) -> None:
        place.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "workers", "--work", place.queue, "--name-prefix", self._prefix]
            + (["--replaces", str(place.before)] if place.before else []),
            # A pipe that only we hold: its end tells the child that we are gone.
            stdin=subprocess.PIPE,
            env=self._environment | ({PIPE_VARIABLE: str(self.metrics.pipe)} if self.metrics else {}),
            pass_fds=[self.metrics.pipe] if self.metrics else [],
            # Ctrl-C of a terminal is for the parent, which tells its children.
            start_new_session=True,
        )
        place.started = now

    def _end(self) -> None:
        for place in self._places:
            if place.process is not None:
                place.process.terminate()
        deadline = time.monotonic() + STOP_GRACE_S
        for place in self._places:
            if place.process is None:
                continue
            try:
                place.process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                place.process.kill()
                place.process.wait()
            self._close(place)

    @staticmethod
    def _close(place: Place) -> None:
        assert place.process is not None
        if place.process.stdin is not None:
            place.process.stdin.close()
        place.process = None


def when_standard_input_ends(action: threading.Event | None) -> None:
    """Set `action` (None: SIGTERM to ourselves) when whoever holds the other end of standard input is gone."""

    def wait() -> None:
        while os.read(0, 4096):
            pass
        if action is not None:
            action.set()
        else:
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="parent", daemon=True).start()


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -P -m workers", description="Workers of sitemap-audit.")
    parser.add_argument("--redis", default=os.environ.get(URL_VARIABLE))
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--slow-processes", type=int, default=1)
    parser.add_argument("--name-prefix", default="")
    parser.add_argument("--metrics", metavar="ADDRESS")
    parser.add_argument("--exit-with-parent", action="store_true")
    parser.add_argument("--work", metavar="QUEUE", help=argparse.SUPPRESS)
    parser.add_argument("--replaces", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if not arguments.redis:
        parser.error(f"say which server: --redis URL, or the environment variable {URL_VARIABLE}")
    if arguments.processes < 0 or arguments.slow_processes < 0:
        parser.error("a number of processes cannot be negative")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Parent, or with `--work` one of its children."""
    arguments = _arguments(argv)
    logs.configure(level=logging.WARNING)
    if arguments.work:
        from workers.worker import work  # only the children pay for RQ and libcurl

        when_standard_input_ends(None)
        work(arguments.redis, arguments.work, arguments.name_prefix, replaces=arguments.replaces)
        return 0
    parent = Parent(arguments.redis, arguments.processes, arguments.slow_processes, arguments.name_prefix)

    def stop(signum: int, frame: FrameType | None) -> None:
        parent.stop.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    if arguments.exit_with_parent:
        when_standard_input_ends(parent.stop)
    return _run(parent, arguments.metrics)


def _run(parent: Parent, metrics: str | None) -> int:
    if metrics is None:
        return parent.run()
    from sitemap_audit.metrics import read_address, serving
    from workers.metrics import WorkerMetrics

    parent.metrics = WorkerMetrics(parent.running)
    try:
        with serving(read_address(metrics), parent.metrics.registry()):
            return parent.run()
    except UsageError as error:
        logs.say(f"sitemap-audit: {error}")
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
