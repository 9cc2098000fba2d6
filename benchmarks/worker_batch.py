"""CPU of one worker a URL, without start-up, RQ and the other processes: batches of the site, checked in here.

    python -m benchmarks.worker_batch FOLDER [--urls 2000] [--rounds 5] [--connections 32] [--depth head]
                                      [--port N] [--profile FILE]

FOLDER is one of `python -m benchmarks.site make`; with `--port` it is served there already. A round checks the same URLs in batches of the usual size with a
client that keeps its connections; its facts go to a private Valkey and are thrown away. Prints microseconds of CPU
a URL (user and system, all threads of this process), of every round and the median, after one round to warm up.
`--profile` writes the calls of one further round for pstats; they cost more there, so compare shares only.
"""

from __future__ import annotations

import argparse
import contextlib
import cProfile
import statistics
import tempfile
import time
from pathlib import Path

import redis

from benchmarks.site import BASE, NAME, serve
from sitemap_audit.options import RunOptions, Transport
from sitemap_audit.queue.jobs import put_options
from sitemap_audit.queue.messages import Batch, BatchUrl
from sitemap_audit.queue.private import private_server
from sitemap_audit.queue.server import connect
from sitemap_audit.queue.stream import Reader
from sitemap_audit.settings import BATCH_URLS
from workers.jobs import check_batch, set_station
from workers.memory import settle
from workers.station import Station

RUN = "bench"
BOX_S = 120.0
"""Wide, so that a busy machine leaves nothing over: the time box is not what is measured."""


def one_round(client: redis.Redis, urls: list[str], connections: int) -> float:
    """CPU seconds of checking these URLs. Reading the facts back is not counted."""
    reader = Reader(client, RUN)
    spent = 0.0
    answered = 0
    for start in range(0, len(urls), BATCH_URLS):
        items = tuple(
            BatchUrl(start + n, url, "sitemap") for n, url in enumerate(urls[start : start + BATCH_URLS])
        )
        job = Batch(run=RUN, box_s=BOX_S, urls=items, shares={NAME: connections}).to_job()
        before = time.process_time()
        check_batch(job)
        spent += time.process_time() - before
        while deliveries := reader.read(0):
            answered += sum(len(getattr(delivery.message, "done", ())) for delivery in deliveries)
            reader.forget(deliveries)
    if answered != len(urls):
        raise SystemExit(f"only {answered} of {len(urls)} URLs were checked")
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--urls", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--depth", choices=("status", "head", "page"), default="head")
    parser.add_argument("--port", type=int, help="of a server of the site that runs already")
    parser.add_argument("--profile", type=Path)
    given = parser.parse_args()
    urls = (given.folder / "urls.txt").read_text().split()[: given.urls]
    with (
        contextlib.nullcontext((given.port, 0)) if given.port else serve(given.folder) as (port, _),
        tempfile.TemporaryDirectory() as scratch,
        private_server(Path(scratch) / ".server") as url,
        connect(url) as client,
    ):
        put_options(
            client,
            RunOptions(
                run_id=RUN, scope=(NAME,), origins=(BASE,), rate=0, depth=given.depth, recheck_after_s=0
            ),
        )
        station = Station(url, "bench", Transport(connect_to=(f"{NAME}:80:127.0.0.1:{port}",)))
        set_station(station)
        settle()
        try:
            one_round(client, urls, given.connections)
            figures = []
            for number in range(given.rounds):
                figures.append(one_round(client, urls, given.connections) / len(urls) * 1e6)
                print(f"round {number + 1}: {figures[-1]:.0f} us of CPU a URL", flush=True)
            print(f"median {statistics.median(figures):.0f}, least {min(figures):.0f} us of CPU a URL")
            if given.profile:
                profile = cProfile.Profile()
                profile.runcall(one_round, client, urls, given.connections)
                profile.dump_stats(given.profile)
        finally:
            set_station(None)
            station.close()


if __name__ == "__main__":
    main()
