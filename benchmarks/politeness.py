"""Is the promise to each host kept by all workers together, calm and while workers and the server are killed?

    python -m benchmarks.politeness [--workers 8] [--hosts 20] [--rate 20] [--urls 240] [--calm | --chaos]

One audit over so many hosts of benchmarks/hosts.py, judged by what the hosts saw, robots.txt and sitemaps
included: one row a run.

    worst 1 s    most requests at any host in any stretch of one second (target: the rate and one more)
    429          answers with Retry-After 3, given by a quarter of the hosts now and then
    in window    requests that came while such a wait ran, but later than what was on the wire (target: 0)
    latest wire  ms after a 429 of the last request that counts as being on the wire, at most WIRE_S
    Crawl-delay  least ms between two requests at the hosts that ask for 1 s (target: 1,000 less TIMER_MS)

With `--chaos` a worker is killed every 2.5 s and the server once. Ends with 1 when a target is missed or an
URL has no result.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import psutil

from benchmarks.hosts import Asked, Host, Hosts, by_host, serve, worst_window

WIRE_S: Final = 0.1
"""So long after a 429 was sent a request may have been on its way on a machine that is busy."""
TIMER_MS: Final = 50
"""What timers and a busy machine may take off a gap between slot and arrival."""
KILL_EVERY_S: Final = 2.5
LIMIT_S: Final = 240.0
RETRY_AFTER_S: Final = 3


def hosts_of(number: int, urls: int) -> list[Host]:
    """A quarter limits now and then, a tenth asks for a Crawl-delay, the rest is plain."""
    found = []
    for n in range(number):
        name = f"h{n:02d}.example"
        if n % 10 == 9:
            found.append(Host(name, min(urls, 12), crawl_delay=1.0))
        elif n % 4 == 1:
            found.append(Host(name, urls, limit_every=70, retry_after=RETRY_AFTER_S))
        else:
            found.append(Host(name, urls))
    return found


@dataclass(frozen=True, slots=True)
class Seen:
    """What the hosts saw in one run."""

    seconds: float
    requests: int
    worst: int
    worst_host: str
    limited: int
    in_window: int
    latest_wire_ms: float
    least_delay_ms: float
    without_result: int
    worker_kills: int
    server_kills: int

    def kept(self, rate: float) -> bool:
        return (
            self.worst <= rate + 1
            and self.in_window == 0
            and self.least_delay_ms >= 1000 - TIMER_MS
            and self.without_result == 0
        )


def judged(
    hosts: Sequence[Host], asked: Sequence[Asked], seconds: float, kills: tuple[int, int], lacking: int
) -> Seen:
    of_host = by_host(asked)
    worst, worst_host = max((worst_window([a.at for a in rows]), name) for name, rows in of_host.items())
    in_window, latest, limited = 0, 0.0, 0
    for host in hosts:
        rows = of_host.get(host.name, [])
        waits = [a.at for a in rows if a.status == 429]
        limited += len(waits)
        for a in rows:
            since = min((a.at - w for w in waits if w < a.at), default=RETRY_AFTER_S + 1.0)
            if since < WIRE_S:
                latest = max(latest, since)
            elif since < RETRY_AFTER_S - TIMER_MS / 1000:
                in_window += 1
    delays = [
        b.at - a.at for host in hosts if host.crawl_delay for a, b in pairwise(of_host.get(host.name, []))
    ]
    return Seen(
        seconds=seconds,
        requests=len(asked),
        worst=worst,
        worst_host=worst_host,
        limited=limited,
        in_window=in_window,
        latest_wire_ms=1000 * latest,
        least_delay_ms=1000 * min(delays, default=1.0),
        without_result=lacking,
        worker_kills=kills[0],
        server_kills=kills[1],
    )


def children(process: int, *words: str) -> list[psutil.Process]:
    """Processes below this one whose command line holds these words."""
    found = []
    for child in psutil.Process(process).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            line = " ".join(child.cmdline())
            if all(word in line for word in words):
                found.append(child)
    return found


def one_run(given: argparse.Namespace, *, chaos: bool) -> Seen:
    hosts = hosts_of(given.hosts, given.urls)
    with tempfile.TemporaryDirectory(prefix="politeness-") as folder, serve(hosts) as site:
        out = Path(folder) / "run"
        began = time.monotonic()
        run = subprocess.Popen(
            [
                *(
                    sys.executable,
                    "-P",
                    "-m",
                    "sitemap_audit",
                    "run",
                    *site.sites,
                    "--quiet",
                    "--out",
                    str(out),
                ),
                *("--rate", str(given.rate), "--workers", str(given.workers), "--recheck-after", "1"),
                *site.arguments,
            ],
            stdin=subprocess.DEVNULL,
            cwd=Path(__file__).parents[1],
        )
        try:
            kills = watch(run, began, site, chaos=chaos)
        finally:
            if run.poll() is None:
                run.terminate()
                run.wait(20)
        if run.returncode:
            raise SystemExit(f"the audit ended with code {run.returncode}")
        took = time.monotonic() - began
        with (out / "urls.csv").open(encoding="utf-8", newline="") as file:
            fetched = sum(row["status"] == "200" for row in csv.DictReader(file))
        return judged(hosts, site.asked(), took, kills, sum(h.pages for h in hosts) - fetched)


def watch(run: subprocess.Popen[bytes], began: float, site: Hosts, *, chaos: bool) -> tuple[int, int]:
    """Wait for the end of the run, and disturb it meanwhile. Returns (worker kills, server kills)."""
    worker_kills = server_kills = 0
    next_kill = None
    while run.poll() is None:
        now = time.monotonic()
        if now - began > LIMIT_S:
            raise SystemExit(f"the audit does not end within {LIMIT_S:.0f} s")
        if chaos and next_kill is None and len(site.asked()) > 200:
            next_kill = now + KILL_EVERY_S
        if next_kill is not None and now >= next_kill:
            next_kill = now + KILL_EVERY_S
            with contextlib.suppress(psutil.Error):
                if worker_kills == 2 and not server_kills:
                    for server in children(run.pid, "valkey")[:1]:
                        server.kill()
                        server_kills += 1
                else:
                    workers = children(run.pid, "--work sitemap-audit ")
                    if workers:
                        workers[worker_kills % len(workers)].kill()
                        worker_kills += 1
        time.sleep(0.1)
    return worker_kills, server_kills


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--hosts", type=int, default=20)
    parser.add_argument("--rate", type=float, default=20.0)
    parser.add_argument("--urls", type=int, default=240)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--calm", action="store_true", help="only the calm run")
    which.add_argument("--chaos", action="store_true", help="only the run with kills")
    given = parser.parse_args()
    modes = [False] * (not given.chaos) + [True] * (not given.calm)
    kept = True
    for chaos in modes:
        seen = one_run(given, chaos=chaos)
        good = seen.kept(given.rate)
        kept = kept and good
        print(
            f"{'chaos' if chaos else 'calm':5}  {seen.seconds:6.1f} s  {seen.requests:,} requests  "
            f"worst 1 s {seen.worst} of {given.rate:g} ({seen.worst_host})  429 {seen.limited}  "
            f"in window {seen.in_window}  latest wire {seen.latest_wire_ms:.0f} ms  "
            f"Crawl-delay {seen.least_delay_ms:.0f} ms  without result {seen.without_result}  "
            f"kills {seen.worker_kills} workers, {seen.server_kills} server  {'ok' if good else 'MISSED'}",
            flush=True,
        )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
