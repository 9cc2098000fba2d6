"""One run of benchmarks/chaos.py as a process, its outcome, and what is done to it."""

from __future__ import annotations

import contextlib
import csv
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

import psutil

from benchmarks.chaos_site import Asked

COMMAND: Final = [sys.executable, "-P", "-m", "sitemap_audit"]
ROOT: Final = Path(__file__).resolve().parents[1]
TIMES: Final = {
    "urls.csv": {"fetched_at", "ttfb_ms", "total_ms", "attempts"},
    "findings.csv": {"run_id", "first_seen"},
}
"""Columns that differ between two runs of one site."""
CUT_BYTES: Final = 16_384
FULL_S: Final = 4.0
LIMIT_S: Final = 900.0


class Site(Protocol):
    @property
    def arguments(self) -> Sequence[str]: ...
    @property
    def sites(self) -> Sequence[str]: ...
    def asked(self) -> Sequence[Asked]: ...


@dataclass(slots=True)
class Outcome:
    """One run. `asked`: what the site saw of it."""

    out: Path
    seconds: float = 0.0
    asked: list[Asked] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    """What happened to it, by name."""
    said: str = ""

    def rows(self, name: str) -> list[tuple[str, ...]]:
        """Lines of a report without the times, sorted."""
        with (self.out / name).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        return sorted(tuple(v for k, v in row.items() if k not in TIMES[name]) for row in rows)

    @property
    def pages(self) -> Counter[tuple[str, str]]:
        """How often each page was asked for."""
        return Counter(
            (a.host, a.path) for a in self.asked if a.path.startswith("/") and a.path.count("/") > 1
        )


def environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith("SITEMAP_AUDIT_")}


class Run:
    """The command at work, and the processes below it."""

    def __init__(self, site: Site, out: Path, workers: int, rate: float, *more: str) -> None:
        self.site = site
        self.out = out
        self.log = (out.parent / f"{out.name}.said").open("ab")
        self._first = len(site.asked())
        self._began = time.monotonic()
        self.process = self._start(
            "run", *site.sites, "--out", str(out), "--rate", f"{rate:g}", "--concurrency", "8",
            "--workers", str(workers), "--recheck-after", "0", *more, *site.arguments,
        )  # fmt: skip

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            cwd=ROOT,
            env=environment(),
            start_new_session=True,
        )

    def resume(self) -> None:
        self.process = self._start("resume", str(self.out))

    def asked(self) -> list[Asked]:
        """What the site saw since this run began."""
        return list(self.site.asked()[self._first :])

    def children(self, word: str) -> list[psutil.Process]:
        """Our own processes whose command line holds this word."""
        found = []
        with contextlib.suppress(psutil.Error):
            for child in psutil.Process(self.process.pid).children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    if word in " ".join(child.cmdline()):
                        found.append(child)
        return found

    def server(self) -> psutil.Process | None:
        """The server of the run folder, also one that a killed coordinator left behind."""
        state = (self.out / ".server").resolve()
        for process in psutil.process_iter(["name"]):
            with contextlib.suppress(psutil.Error, OSError):
                if "valkey" in (process.info["name"] or "") and Path(process.cwd()).resolve() == state:
                    return process
        return None

    def outcome(self, done: Counter[str]) -> Outcome:
        self.log.close()
        said = Path(self.log.name).read_text("utf-8", "replace")
        return Outcome(self.out, time.monotonic() - self._began, self.asked(), done, said)

    def kill_all(self) -> None:
        """Leave nothing behind, whatever happened."""
        server = self.server()
        ours = [*self.children(""), *([server] if server else [])]
        self.process.kill()
        self.process.wait()
        for process in ours:
            with contextlib.suppress(psutil.Error):
                process.kill()


@contextlib.contextmanager
def small_disk(size_mb: int) -> Iterator[tuple[Path, bool]]:
    """A folder for a run, and whether it is a file system of its own that can be filled."""
    with tempfile.TemporaryDirectory(prefix="chaos-run-") as folder:
        disk = Path(folder) / "disk"
        disk.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "tmpfs", str(disk)]
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
        try:
            yield disk, mounted
        finally:
            if mounted:
                subprocess.run(["umount", "-l", str(disk)], check=False)


class Disturber:
    """Does to a run what the plan says, each event at its share of the requests."""

    def __init__(
        self, run: Run, events: list[tuple[float, str]], calm_requests: int, *, own_disk: bool
    ) -> None:
        self.run = run
        self.done: Counter[str] = Counter()
        self._events = [(share * calm_requests, name) for share, name in events]
        self._own_disk = own_disk
        self._chance = random.Random(7)

    def watch(self) -> int:
        """Until the run is over; its last exit code."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            code = self.run.process.poll()
            if code is not None:
                return code
            if self._events and len(self.run.asked()) >= self._events[0][0]:
                name = self._events[0][1]
                if getattr(self, f"_{name}")():
                    self._events.pop(0)
                    self.done[name] += 1
            time.sleep(0.05)
        return -1

    @property
    def left(self) -> list[str]:
        """What could not be done before the run was over."""
        return [name for _, name in self._events]

    def _worker(self) -> bool:
        workers = [p for p in self.run.children("--work ") if "slow" not in " ".join(p.cmdline())]
        if not workers:
            return False
        return _kill(self._chance.choice(workers))

    def _server(self) -> bool:
        server = self.run.server()
        return server is not None and _kill(server)

    def _cut(self) -> bool:
        """Power loss: the server dies, and the end of its log was never written."""
        server = self.run.server()
        if server is None:
            return False
        # The coordinator would start it again at once, on the whole log.
        self.run.process.send_signal(signal.SIGSTOP)
        try:
            _kill(server)
            psutil.wait_procs([server], timeout=5)
            logs = sorted((self.run.out / ".server").rglob("*.incr.aof"))
            for log in logs[-1:]:
                os.truncate(log, max(0, log.stat().st_size - CUT_BYTES))
        finally:
            self.run.process.send_signal(signal.SIGCONT)
        return bool(logs)

    def _coordinator(self) -> bool:
        self.run.process.kill()
        self.run.process.wait()
        self.run.resume()
        return True

    def _interrupt(self) -> bool:
        self.run.process.send_signal(signal.SIGINT)
        began = time.monotonic()
        code = self.run.process.wait(60)
        if code != 130:
            return code == 0
        self.done["stop s"] = round(time.monotonic() - began)
        self.run.resume()
        return True

    def _full(self) -> bool:
        ballast = self.run.out.parent / "ballast"
        if not self._own_disk:
            process = psutil.Process(self.run.process.pid)
            process.rlimit(psutil.RLIMIT_FSIZE, (16, psutil.RLIM_INFINITY))
            time.sleep(FULL_S + 3)
            process.rlimit(psutil.RLIMIT_FSIZE, (psutil.RLIM_INFINITY, psutil.RLIM_INFINITY))
            return True
        with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(65_536))
        with ballast.open("ab", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(512))
        time.sleep(FULL_S)
        ballast.unlink()
        return True


def _kill(process: psutil.Process) -> bool:
    try:
        process.kill()
    except psutil.Error:
        return False
    return True
