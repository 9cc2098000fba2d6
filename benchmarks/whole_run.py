"""A whole audit of the generated site on loopback: URLs a second, and what each process costs.

    python -m benchmarks.whole_run FOLDER [--rounds 3] [--workers 2] [--concurrency 64] [--depth head] [--keep DIR]

FOLDER is one of `python -m benchmarks.site make`. Each round is `sitemap-audit run` as a user starts it, with
a server and a run folder of its own, the rate limit off. One row a round, then the medians:

    stored/s     URLs checked, from the first batch in the queue to the last fact on disk (run.json says when)
    whole s      from the start of the command to finished reports, in parts:
                 start (until the first batch is queued), check, end (children stop), judge (with reports)
    worker ms    CPU milliseconds of the worker processes a URL, start-up included and taken off
    coord s      CPU of the command itself up to the end of collecting; MB its peak up to there, and in all
    judge s      CPU of the command after that: tables, rules, reports
    spider s, server s, server MB, parent s, nginx us a URL

Compare CPU, not wall time, when the machine does other things too: the load is printed with each round.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from benchmarks.processes import Cost, cpu_of, measure, start_up_s
from benchmarks.site import BASE, NAME, serve
from sitemap_audit.store.folder import RunFolder, RunRecord

START_UP = (sys.executable, "-P", "-c", "import workers.worker")


def role(argv: Sequence[str]) -> str:
    """Which process of a run this command line belongs to."""
    if "valkey" in (argv[0] if argv else "") or "redis-server" in (argv[0] if argv else ""):
        return "server"
    if "crawler" in argv[:4]:
        return "spider"
    if "workers" in argv[:4]:
        return "worker" if "--work" in argv else "parent"
    if "sitemap_audit.store.pack" in argv[:5]:
        return "packer"
    return "command"


@dataclass(frozen=True, slots=True)
class Figures:
    """One round. Seconds, milliseconds a URL, megabytes."""

    urls: int
    stored_per_s: float
    whole_s: float
    start_s: float
    check_s: float
    end_s: float
    judge_wall_s: float
    worker_ms: float
    worker_ms_net: float
    worker_mb: float
    coordinator_s: float
    coordinator_mb: float
    command_mb: float
    judge_s: float
    spider_s: float
    spider_mb: float
    server_s: float
    server_mb: float
    parent_s: float
    unseen_s: float
    nginx_us: float
    load: float


def figures(cost: Cost, record: RunRecord, *, began: float, start_up: float, nginx_s: float) -> Figures:
    """Figures of a finished run; `began`: when the command started, seconds since 1970."""
    assert record.finished_at is not None
    assert record.first_enqueued_at is not None
    assert record.last_stored_at is not None
    collected = record.finished_at.timestamp()
    queued, stored = record.first_enqueued_at.timestamp(), record.last_stored_at.timestamp()
    urls = sum(record.workers.values())
    command = cost.part("command")
    coordinator = command.until(collected)
    worker = cost.part("worker")
    return Figures(
        urls=urls,
        stored_per_s=urls / (stored - queued),
        whole_s=cost.wall_s,
        start_s=queued - began,
        check_s=stored - queued,
        end_s=collected - stored,
        judge_wall_s=began + cost.wall_s - collected,
        worker_ms=worker.cpu_s / urls * 1e3,
        worker_ms_net=(worker.cpu_s - worker.processes * start_up) / urls * 1e3,
        worker_mb=worker.peak_mb,
        coordinator_s=coordinator.cpu_s,
        coordinator_mb=coordinator.peak_mb,
        command_mb=command.peak_mb,
        judge_s=command.cpu_s - coordinator.cpu_s,
        spider_s=cost.part("spider").cpu_s,
        spider_mb=cost.part("spider").peak_mb,
        server_s=cost.part("server").cpu_s,
        server_mb=cost.part("server").peak_mb,
        parent_s=cost.part("parent").cpu_s,
        unseen_s=cost.unseen_s,
        nginx_us=nginx_s / urls * 1e6,
        load=os.getloadavg()[0],
    )


def audit_command(out: Path, port: int, *, workers: int, concurrency: int, depth: str) -> list[str]:
    """The command line of an audit of the site on `port` into the folder `out`."""
    return [
        *(sys.executable, "-m", "sitemap_audit", "run", BASE, "--quiet", "--out", str(out)),
        *("--rate", "0", "--concurrency", str(concurrency), "--workers", str(workers), "--depth", depth),
        *("--connect-to", f"{NAME}:80:127.0.0.1:{port}"),
    ]


def audit(out: Path, port: int, given: argparse.Namespace) -> tuple[Cost, RunRecord, float]:
    """One audit into `out`, and when it began. Raises SystemExit with its words when it fails."""
    began = time.time()
    command = audit_command(
        out, port, workers=given.workers, concurrency=given.concurrency, depth=given.depth
    )
    cost = measure(command, role=role)
    if cost.code:
        raise SystemExit(f"the audit ended with code {cost.code}:\n{cost.output[-3000:]}")
    return cost, RunFolder(out).read(), began


HEADINGS = {
    "stored/s": "stored_per_s",
    "whole s": "whole_s",
    "start": "start_s",
    "check": "check_s",
    "end": "end_s",
    "judge": "judge_wall_s",
    "worker ms": "worker_ms",
    "net": "worker_ms_net",
    "MB ": "worker_mb",
    "coord s": "coordinator_s",
    "MB": "coordinator_mb",
    "MB all": "command_mb",
    "judge s": "judge_s",
    "spider s": "spider_s",
    "MB  ": "spider_mb",
    "server s": "server_s",
    "MB   ": "server_mb",
    "parent s": "parent_s",
    "unseen s": "unseen_s",
    "nginx us": "nginx_us",
    "load": "load",
}


def row(name: str, one: Figures) -> str:
    values = [getattr(one, name) for name in HEADINGS.values()]
    return f"| {name} | " + " | ".join(f"{v:.0f}" if v >= 100 else f"{v:.3g}" for v in values) + " |"


def median(rounds: list[Figures]) -> Figures:
    return Figures(
        **{f.name: statistics.median(getattr(one, f.name) for one in rounds) for f in fields(Figures)}
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--depth", choices=("status", "head", "page"), default="head")
    parser.add_argument("--keep", type=Path, help="keep the last run folder here")
    given = parser.parse_args()
    start_up = start_up_s(START_UP)
    rounds: list[Figures] = []
    with serve(given.folder) as (port, nginx), tempfile.TemporaryDirectory() as scratch:
        print(f"start-up of a worker {start_up:.2f} s of CPU, {os.cpu_count()} cores\n")
        print(
            "| | " + " | ".join(h.strip() for h in HEADINGS) + " |\n|" + "---|" * (len(HEADINGS) + 1),
            flush=True,
        )
        for number in range(given.rounds):
            out = Path(scratch) / f"round-{number + 1}"
            before = cpu_of(nginx)
            cost, record, began = audit(out, port, given)
            one = figures(cost, record, began=began, start_up=start_up, nginx_s=cpu_of(nginx) - before)
            rounds.append(one)
            print(row(str(number + 1), one), flush=True)
        print(row("median", median(rounds)))
        print(f"\n{rounds[-1].urls} URLs checked; counts {record.counts}")
        if given.keep:
            shutil.copytree(out, given.keep, dirs_exist_ok=True)


if __name__ == "__main__":
    main()
