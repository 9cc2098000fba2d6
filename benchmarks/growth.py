"""Does a worker stay as fast and as small? CPU a URL and memory from 20,000 to 200,000 URLs, in one process.

    python -m benchmarks.growth FOLDER [--steps 20000 50000 100000 200000] [--depth head] [--connections 32]

FOLDER is one of `python -m benchmarks.site make`. Its URLs are asked again and again, each time with another
query, so that no URL, key or robots verdict is met twice and nothing that is remembered helps. CPU is that of
this process (all threads) since the step before; memory is the resident set, and the highest one so far. The
last line holds the last step against the first: both should be near 1.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from typing import Final

import psutil

from benchmarks.site import BASE, NAME, serve
from benchmarks.worker_batch import RUN, one_round
from sitemap_audit.options import RunOptions, Transport
from sitemap_audit.queue.jobs import put_options
from sitemap_audit.queue.private import private_server
from sitemap_audit.queue.server import connect
from sitemap_audit.settings import BATCH_URLS
from workers.jobs import set_station
from workers.memory import settle
from workers.station import Station

STEPS: Final = (20_000, 50_000, 100_000, 200_000)
PIECE: Final = 5 * BATCH_URLS
"""URLs between two looks at the memory."""


def endless(urls: list[str]) -> Iterator[str]:
    """The URLs in rounds, each round with a query of its own."""
    for number in count(1):
        for url in urls:
            yield f"{url}?round={number}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, nargs="+", default=STEPS)
    parser.add_argument("--depth", choices=("status", "head", "page"), default="head")
    parser.add_argument("--connections", type=int, default=32)
    given = parser.parse_args()
    urls = endless((given.folder / "urls.txt").read_text().split())
    process = psutil.Process()
    with (
        serve(given.folder) as (port, _),
        tempfile.TemporaryDirectory() as scratch,
        private_server(Path(scratch) / ".server") as server,
        connect(server) as client,
    ):
        options = RunOptions(
            run_id=RUN, scope=(NAME,), origins=(BASE,), rate=0, depth=given.depth, recheck_after_s=0
        )
        put_options(client, options)
        station = Station(server, "bench", Transport(connect_to=(f"{NAME}:80:127.0.0.1:{port}",)))
        set_station(station)
        settle()
        print(
            "| URLs | CPU us a URL of the step | MB | peak MB | seconds | load |\n|---|---|---|---|---|---|"
        )
        figures: list[tuple[float, float]] = []
        peak = 0.0
        done = 0
        try:
            for step in given.steps:
                began, spent, first = time.perf_counter(), 0.0, done
                while done < step:
                    some = list(islice(urls, min(PIECE, step - done)))
                    spent += one_round(client, some, given.connections)
                    done += len(some)
                    resident = process.memory_info().rss / 1e6
                    peak = max(peak, resident)
                figures.append((spent / (done - first) * 1e6, peak))
                print(
                    f"| {done:,} | {figures[-1][0]:.0f} | {resident:.0f} | {peak:.0f} "
                    f"| {time.perf_counter() - began:.0f} | {os.getloadavg()[0]:.1f} |",
                    flush=True,
                )
        finally:
            set_station(None)
            station.close()
        (cpu, mb), (last_cpu, last_mb) = figures[0], figures[-1]
        print(f"last to first: CPU {last_cpu / cpu:.2f}, peak memory {last_mb / mb:.2f}")


if __name__ == "__main__":
    main()
