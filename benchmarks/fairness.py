"""Do hosts that hang hold up the others? The same audit with healthy hosts only, and with a tenth of them at fault.

    python -m benchmarks.fairness [--hosts 40] [--urls 60] [--rate 10] [--workers 4] [--faults header,drip,…]

For each fault an audit of the healthy hosts, then one with further hosts whose pages misbehave:

    header    take the request and never answer          body     stop in the middle of the body
    drip      a byte of the header each half second      reset    reset the connection
    connect   never take the connection (full queue)

What counts is when the healthy hosts were done: seconds from their first page asked to their last, at the
site. Target: at most 1.15 times the time without hosts at fault. The audit itself goes on until it has
given the others up; it is stopped once the healthy ones are done. Ends with 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from benchmarks.hosts import Host, serve

FAULTS: Final = ("header", "body", "drip", "reset", "connect")
TARGET: Final = 1.15
LIMIT_S: Final = 150.0


def one_run(given: argparse.Namespace, fault: str) -> float:
    """Seconds until every page of the healthy hosts was asked for."""
    sick = given.hosts // 10
    hosts = [Host(f"h{n:02d}.example", given.urls) for n in range(given.hosts - sick)]
    if fault:
        # Strewn among the others, as on the command line of a user.
        for n in range(sick):
            hosts.insert(3 + 10 * n, Host(f"sick{n}.example", given.urls, fault=fault))
    wanted = given.urls * (given.hosts - sick)
    with tempfile.TemporaryDirectory(prefix="fairness-") as folder, serve(hosts) as site:
        run = subprocess.Popen(
            [
                *(sys.executable, "-P", "-m", "sitemap_audit", "run", *site.sites, "--quiet"),
                *("--out", str(Path(folder) / "run"), "--rate", str(given.rate)),
                *("--workers", str(given.workers), *site.arguments),
            ],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,  # it is interrupted on purpose, and says so
            cwd=Path(__file__).parents[1],
        )
        try:
            began = time.monotonic()
            while True:
                pages = [a for a in site.asked() if a.path.startswith("/p/") and a.status == 200]
                if len(pages) >= wanted:
                    return pages[-1].at - pages[0].at
                if run.poll() is not None or time.monotonic() - began > LIMIT_S:
                    raise SystemExit(f"{fault or 'calm'}: only {len(pages)} of {wanted} pages were asked for")
                time.sleep(0.25)
        finally:
            run.terminate()
            run.wait(30)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hosts", type=int, default=40)
    parser.add_argument("--urls", type=int, default=60)
    parser.add_argument("--rate", type=float, default=10.0)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--faults", default=",".join(FAULTS))
    given = parser.parse_args()
    faults = given.faults.split(",")
    if unknown := set(faults) - set(FAULTS):
        parser.error(f"no such fault: {', '.join(sorted(unknown))}")
    kept = True
    for fault in faults:
        # Each beside its own calm run: the speed of a machine that others use too varies within minutes.
        calm = one_run(given, "")
        took = one_run(given, fault)
        good = took <= TARGET * calm
        kept = kept and good
        print(
            f"{fault:8} calm {calm:5.1f} s, with it {took:5.1f} s: {took / calm:.2f} times  load {os.getloadavg()[0]:.1f}  "
            f"{'ok' if good else 'MISSED'}",
            flush=True,
        )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
