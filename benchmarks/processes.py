"""Run a command and say what each of its processes cost: CPU by role, memory, and the whole.

The whole is exact: wait4 gives the CPU of the command and of every descendant that was waited for. The parts
are the last of samples (every 50 ms) of the kernel's own counters, so each lacks at most its last moments;
how much of the whole no part accounts for is said as `unseen`. Memory is the highest resident set sampled, of
the largest process of a role (`peak_mb`), and of all together (`together_mb`, shared pages counted twice).
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import psutil

SAMPLE_S: Final = 0.05
LOOK_S: Final = 0.25
"""How often new processes are looked for, which costs more than a sample."""


class Sample(NamedTuple):
    at: float
    """Seconds since 1970, to be held against the times in run.json."""
    process: int
    cpu_s: float
    resident_mb: float


@dataclass(slots=True)
class Part:
    """All processes of one role."""

    cpu_s: float = 0.0
    peak_mb: float = 0.0
    processes: int = 0
    samples: list[Sample] = field(default_factory=list)
    """Of all its processes, each in the order of time."""

    def until(self, when: float) -> Part:
        """The same up to a moment (seconds since 1970)."""
        last: dict[int, float] = {}
        peak = 0.0
        for sample in self.samples:
            if sample.at <= when:
                last[sample.process] = sample.cpu_s
                peak = max(peak, sample.resident_mb)
        return Part(sum(last.values()), peak, len(last))


@dataclass(slots=True)
class Cost:
    code: int
    wall_s: float
    cpu_s: float
    together_mb: float
    parts: dict[str, Part] = field(default_factory=dict)
    output: str = ""

    @property
    def unseen_s(self) -> float:
        """CPU that the samples missed; below zero when a part was not waited for (a server that was cut loose)."""
        return self.cpu_s - sum(part.cpu_s for part in self.parts.values())

    def part(self, role: str) -> Part:
        return self.parts.get(role, Part())


@dataclass(slots=True)
class _Seen:
    process: psutil.Process
    role: str
    samples: list[Sample] = field(default_factory=list)


def one_role(argv: Sequence[str]) -> str:
    return "all"


def measure(
    argv: Sequence[str],
    *,
    role: Callable[[Sequence[str]], str] = one_role,
    limit_s: float = 600.0,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Cost:
    """Run `argv` to its end, at most `limit_s` seconds. `role` names a process by its command line."""
    began = time.perf_counter()
    child = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **(environment or {})},
        cwd=cwd,
    )
    assert child.stdout is not None
    os.set_blocking(child.stdout.fileno(), False)
    seen: dict[int, _Seen] = {}
    output = bytearray()
    together = 0
    next_look = 0.0
    while True:
        with contextlib.suppress(BlockingIOError):
            output += os.read(child.stdout.fileno(), 1 << 20)
        now = time.perf_counter()
        if now >= next_look:
            next_look = now + LOOK_S
            _look(child.pid, role, seen)
        together = max(together, sum(map(_sample, seen.values())))
        ended, status, usage = os.wait4(child.pid, os.WNOHANG)
        if ended:
            break
        if now - began > limit_s:
            child.kill()
            _, status, usage = os.wait4(child.pid, 0)
            break
        time.sleep(SAMPLE_S)
    wall = time.perf_counter() - began
    with contextlib.suppress(BlockingIOError):
        output += os.read(child.stdout.fileno(), 1 << 20)
    child.stdout.close()
    child.returncode = os.waitstatus_to_exitcode(status)
    parts: dict[str, Part] = {}
    for one in seen.values():
        part = parts.setdefault(one.role, Part())
        part.samples += one.samples
        part.processes += 1
    for part in parts.values():
        whole = part.until(time.time())
        part.cpu_s, part.peak_mb = whole.cpu_s, whole.peak_mb
    return Cost(
        code=child.returncode,
        wall_s=wall,
        cpu_s=usage.ru_utime + usage.ru_stime,
        together_mb=together / 1e6,
        parts=parts,
        output=output.decode("utf-8", "replace"),
    )


def _look(root: int, role: Callable[[Sequence[str]], str], seen: dict[int, _Seen]) -> None:
    with contextlib.suppress(psutil.Error):
        top = psutil.Process(root)
        for process in [top, *top.children(recursive=True)]:
            known = seen.get(process.pid)
            with contextlib.suppress(psutil.Error):
                argv = process.cmdline()
                if known is None:
                    seen[process.pid] = _Seen(process, role(argv))
                elif argv:
                    # Between fork and exec a child still has its parent's command line.
                    known.role = role(argv)


def _sample(one: _Seen) -> int:
    """Resident bytes now; 0 when it has ended."""
    with contextlib.suppress(psutil.Error):
        with one.process.oneshot():
            times, memory = one.process.cpu_times(), one.process.memory_info()
        if one.process.status() != psutil.STATUS_ZOMBIE:
            one.samples.append(
                Sample(time.time(), one.process.pid, times.user + times.system, memory.rss / 1e6)
            )
        return int(memory.rss)
    return 0


def cpu_of(process: int) -> float:
    """CPU seconds of a running process and its children so far, for servers that outlive a round."""
    top = psutil.Process(process)
    times = [one.cpu_times() for one in [top, *top.children(recursive=True)]]
    return float(sum(time.user + time.system for time in times))


def start_up_s(program: Sequence[str], rounds: int = 3) -> float:
    """CPU seconds of a program that only starts, the least of the rounds."""
    return min(measure(program, limit_s=60.0).cpu_s for _ in range(rounds))
