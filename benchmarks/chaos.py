"""Does an audit survive everything at once? One calm run, one disturbed, and the two compared.

    python -m benchmarks.chaos [--urls 100000] [--hosts 20] [--workers 4] [--rate 0] [--seed 1]
    python -m benchmarks.chaos --only away        the server is gone for 30 s in the middle of a run
    python -m benchmarks.chaos --only lost-host   all workers of one of two machines are killed at once

The disturbed run takes, spread over its length: 30 `kill -9` of workers, 5 of the run's own server (before one
of them the end of its log is cut off), 2 of the coordinator, one Ctrl-C (each followed by `resume`), and some
seconds without room on the disk of the run folder (a small file system where root may mount one, else a file
size limit). Only processes below its own command are touched. Ends with 1 unless

    same         urls.csv and findings.csv are those of the calm run, save times
    listed       each listed URL stands in urls.csv once
    extra        pages asked more often than in the calm run: at most kills x URLs of a batch
    worst 1 s    with --rate: no host saw more than the rate and one more in any second
    time         about twice the calm run at 100,000 URLs (a failure: three times, and EVENT_S an event)
"""

from __future__ import annotations

import argparse
import csv
import random
import signal
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.chaos_machines import away, lost_host
from benchmarks.chaos_run import LIMIT_S, TIMES, Disturber, Outcome, Run, Site, small_disk
from benchmarks.chaos_site import Asked, serve
from sitemap_audit.settings import BATCH_URLS

EVENT_S: Final = 3.0
"""What one event costs a run that is short beside the waits for leases and the starts of processes."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How often what happens."""

    workers: int = 30
    servers: int = 5
    coordinators: int = 2
    interrupts: int = 1
    cuts: int = 1
    """Of the server kills, those with the end of its log cut off."""
    full: int = 1
    times: float = 3.0
    """The disturbed run may take so many times as long as the calm one."""
    late: float = 0.0
    """Requests in a second that a busy site may see later than they were sent."""

    def events(self, chance: random.Random) -> list[tuple[float, str]]:
        """(share of the requests of the calm run, what), in order."""
        names = ["worker"] * self.workers + ["server"] * (self.servers - self.cuts) + ["cut"] * self.cuts
        names += ["coordinator"] * self.coordinators + ["interrupt"] * self.interrupts + ["full"] * self.full
        chance.shuffle(names)
        return [(0.03 + 0.9 * place / len(names), name) for place, name in enumerate(names)]


def worst_second(asked: Sequence[Asked]) -> int:
    """Most requests that one host saw in any second."""
    times: dict[str, list[float]] = defaultdict(list)
    for one in asked:
        times[one.host].append(one.at)
    worst = 0
    for found in times.values():
        found.sort()
        first = 0
        for last, at in enumerate(found):
            while at - found[first] >= 1.0:
                first += 1
            worst = max(worst, last - first + 1)
    return worst


def calm_run(site: Site, out: Path, workers: int, rate: float) -> Outcome:
    run = Run(site, out, workers, rate)
    try:
        code = run.process.wait(LIMIT_S)
    finally:
        run.kill_all()
    outcome = run.outcome(Counter())
    if code not in (0, 3):
        raise SystemExit(f"the calm run ended with {code}:\n{outcome.said[-2000:]}")
    return outcome


def disturbed_run(
    site: Site, out: Path, workers: int, rate: float, plan: Plan, calm: Outcome, seed: int, *, own_disk: bool
) -> tuple[Outcome, list[str]]:
    """The outcome, and what is wrong with it so far."""
    run = Run(site, out, workers, rate)
    disturber = Disturber(run, plan.events(random.Random(seed)), len(calm.asked), own_disk=own_disk)
    try:
        code = disturber.watch()
    finally:
        run.kill_all()
    outcome = run.outcome(disturber.done)
    wrong = [f"the run was over before: {', '.join(disturber.left)}"] if disturber.left else []
    if code not in (0, 3):
        wrong.append(f"exit code {code}: {outcome.said[-1500:]}")
    if "Traceback" in outcome.said:
        wrong.append("a traceback on the terminal")
    return outcome, wrong


def compare(calm: Outcome, chaos: Outcome, plan: Plan, workers: int, rate: float, urls: int) -> list[str]:
    """What the disturbed run did worse than it may."""
    wrong = []
    for name in TIMES:
        one, other = calm.rows(name), chaos.rows(name)
        if one != other:
            differing = sorted(set(one) ^ set(other))[:4]
            wrong.append(f"{name} differs: {len(one)} and {len(other)} rows, {differing}")
    with (chaos.out / "urls.csv").open(encoding="utf-8", newline="") as file:
        seen = Counter(row["url"] for row in csv.DictReader(file) if row["discovered_by"] == "sitemap")
    if len(seen) != urls or set(seen.values()) != {1}:
        wrong.append(
            f"{len(seen)} of {urls} listed URLs are there, {sum(n > 1 for n in seen.values())} twice"
        )
    if extra(calm, chaos) > allowed_extra(plan, workers):
        wrong.append(f"{extra(calm, chaos)} extra requests, {allowed_extra(plan, workers)} allowed")
    if rate and worst_second(chaos.asked) > rate + 1 + plan.late:
        wrong.append(f"{worst_second(chaos.asked)} requests of a host in one second at a rate of {rate:g}")
    if chaos.seconds > plan.times * calm.seconds + EVENT_S * sum(chaos.done.values()):
        wrong.append(f"{chaos.seconds:.0f} s against {calm.seconds:.0f} s")
    return wrong


def extra(calm: Outcome, chaos: Outcome) -> int:
    """Requests of pages beyond those of the calm run."""
    return sum((chaos.pages - calm.pages).values())


def allowed_extra(plan: Plan, workers: int) -> int:
    """A killed worker costs its batch; coordinator, Ctrl-C and a cut log those of all workers."""
    return BATCH_URLS * (plan.workers + workers * (plan.servers + plan.coordinators + plan.interrupts))


def table(calm: Outcome, chaos: Outcome, plan: Plan, workers: int) -> str:
    happened = ", ".join(f"{n} {name}" for name, n in sorted(chaos.done.items()))
    rows = [
        ("run", "seconds", "rows", "findings", "requests", "extra", "worst 1 s"),
        *(
            (
                name,
                f"{o.seconds:.1f}",
                f"{len(o.rows('urls.csv')):,}",
                f"{len(o.rows('findings.csv')):,}",
                f"{len(o.asked):,}",
                f"{extra(calm, o):,}",
                str(worst_second(o.asked)),
            )
            for name, o in (("calm", calm), ("disturbed", chaos))
        ),
    ]
    lines = ["".join(f"{cell:>12}" for cell in row) for row in rows]
    allowed = f"extra requests allowed: {allowed_extra(plan, workers):,}"
    return "\n".join([*lines, f"disturbed by: {happened}", allowed])


def whole_chaos(
    site: Site,
    urls: int,
    workers: int,
    rate: float,
    seed: int,
    plan: Plan,
    disk_mb: int,
) -> list[str]:
    """Both runs and the table; what is wrong."""
    with small_disk(disk_mb) as (disk, own_disk), tempfile.TemporaryDirectory(prefix="chaos-calm-") as folder:
        calm = calm_run(site, Path(folder) / "calm", workers, rate)
        chaos, wrong = disturbed_run(site, disk / "chaos", workers, rate, plan, calm, seed, own_disk=own_disk)
        if not (chaos.out / "urls.csv").exists():
            return [*wrong, "it wrote no report"]
        wrong += compare(calm, chaos, plan, workers, rate, urls)
        print(table(calm, chaos, plan, workers), flush=True)
        log = (chaos.out / "audit.log").read_text("utf-8", "replace")
        if "Traceback" in log:
            at = log.index("Traceback")
            wrong.append(f"a traceback in audit.log: {log[max(0, at - 300) : at + 1500]}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--urls", type=int, default=100_000)
    parser.add_argument("--hosts", type=int, default=20)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--rate", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worker-kills", type=int, default=30)
    parser.add_argument("--only", choices=("away", "lost-host"))
    given = parser.parse_args()
    # Ended by SIGTERM (timeout, kill), what we started would go on without us.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with serve(given.urls, given.hosts) as site:
        if given.only:
            wrong = (away if given.only == "away" else lost_host)(site, given.workers)
        else:
            plan = Plan(workers=given.worker_kills)
            disk_mb = 64 + given.urls // 200
            wrong = whole_chaos(site, given.urls, given.workers, given.rate, given.seed, plan, disk_mb)
    for line in wrong:
        print(f"wrong: {line}")
    print("chaos: ok" if not wrong else "chaos: failed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
