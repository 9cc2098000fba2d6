"""The two figures of benchmarks/chaos.py that need a server and workers of their own: `--only away` and `lost-host`."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import psutil
import redis

from benchmarks.chaos_run import COMMAND, LIMIT_S, ROOT, Run, Site, environment
from sitemap_audit.queue import keys
from sitemap_audit.queue.jobs import BatchJob
from sitemap_audit.queue.private import start_valkey, stop_valkey

AWAY_S: Final = 30.0
WITHIN_S: Final = 5.0
"""Work goes on so soon after the server is back (RELIABILITY 8.3)."""
LOST_S: Final = 12.0
"""What a lost machine held runs elsewhere within this time (8.2)."""
RATE: Final = 20.0


def away(site: Site, workers: int) -> list[str]:
    """The server is killed, stays away for AWAY_S, and comes back on its data."""
    with tempfile.TemporaryDirectory(prefix="away-") as folder:
        state, path = Path(folder) / "server", Path(folder) / "s.sock"
        server = start_valkey(state, path)
        run = Run(site, Path(folder) / "run", workers, RATE, "--redis", f"unix://{path}?db=0")
        try:
            _until(lambda: len(run.asked()) > 100, "pages are asked")
            before = {p.pid for p in run.children("--work")}
            pid = int(_ask(path).info("server")["process_id"])
            os.kill(pid, signal.SIGKILL)
            server.terminate()
            time.sleep(AWAY_S)
            asked = len(run.asked())
            server = start_valkey(state, path)
            back = time.monotonic()
            _until(lambda: len(run.asked()) > asked, "pages are asked again")
            again = time.monotonic() - back
            exits = len(before - {p.pid for p in run.children("--work")})
            code = run.process.wait(LIMIT_S)
        finally:
            run.kill_all()
            stop_valkey(server, path)
    print(
        f"server away for {AWAY_S:.0f} s: {exits} of {len(before)} workers ended, asking again after {again:.1f} s"
    )
    wrong = [f"{exits} workers ended"] if exits else []
    if again > WITHIN_S:
        wrong.append(f"asking again after {again:.1f} s, {WITHIN_S:.0f} wanted")
    if code not in (0, 3):
        wrong.append(f"the run ended with {code}")
    return wrong


def lost_host(site: Site, workers: int) -> list[str]:
    """Two machines with half of the workers each: all processes of one are killed, or stopped for good."""
    wrong = []
    for number, name in ((signal.SIGKILL, "killed"), (signal.SIGSTOP, "stopped")):
        seconds = _lost_host(site, max(1, workers // 2), number)
        if seconds is None:
            wrong.append(f"a machine {name}: it held no batch")
            continue
        print(f"a machine {name}: its URLs are asked elsewhere after {seconds:.1f} s")
        if seconds > LOST_S:
            wrong.append(f"a machine {name}: {seconds:.1f} s, {LOST_S:.0f} wanted")
    return wrong


def _lost_host(site: Site, processes: int, number: signal.Signals) -> float | None:
    with tempfile.TemporaryDirectory(prefix="lost-") as folder, contextlib.ExitStack() as stack:
        path = Path(folder) / "s.sock"
        server = start_valkey(Path(folder) / "server", path)
        stack.callback(stop_valkey, server, path)
        url = f"unix://{path}?db=0"
        _, lost = [stack.enter_context(_machine(url, site, processes)) for _ in range(2)]
        run = Run(site, Path(folder) / "run", 0, RATE, "--redis", url)
        stack.callback(run.kill_all)
        _until(lambda: len(run.asked()) > 100, "pages are asked")
        client = _ask(path)
        victims = [psutil.Process(lost), *psutil.Process(lost).children(recursive=True)]
        held: set[str] = set()
        end = time.monotonic() + 30
        while not held and time.monotonic() < end:
            held = _held(client, {p.pid for p in victims})
        for victim in victims:
            victim.send_signal(number)
        gone, before = time.monotonic(), len(run.asked())
        held -= {f"http://{a.host}{a.path}" for a in run.asked()}
        while held and time.monotonic() - gone < 60:
            if any(f"http://{a.host}{a.path}" in held for a in run.asked()[before:]):
                return time.monotonic() - gone
            time.sleep(0.02)
    return None


def _held(client: redis.Redis, pids: set[int]) -> set[str]:
    """URLs of the batches whose lease is held by one of these processes."""
    urls: set[str] = set()
    for key in client.scan_iter(match=keys.lease("*", "*")):
        holder = client.get(key)
        if isinstance(holder, bytes) and any(f".{pid}." in holder.decode() for pid in pids):
            with contextlib.suppress(Exception):
                job = BatchJob.fetch(key.decode().rpartition(":")[2], connection=client, serializer="json")
                urls |= {url[1] for url in job.kwargs["job"]["urls"]}
    return urls


@contextlib.contextmanager
def _machine(url: str, site: Site, processes: int) -> Iterator[int]:
    """`sitemap-audit worker` with so many processes; yields the id of their parent."""
    arguments: Sequence[str] = ["worker", "--redis", url, "--processes", str(processes), *site.arguments]
    parent = subprocess.Popen(
        [*COMMAND, *arguments], cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        yield parent.pid
    finally:
        with contextlib.suppress(psutil.Error):
            for process in psutil.Process(parent.pid).children(recursive=True):
                process.kill()
        parent.kill()
        parent.wait()


def _ask(path: Path) -> redis.Redis:
    return redis.Redis.from_url(f"unix://{path}?db=0")


def _until(true: object, what: str) -> None:
    assert callable(true)
    end = time.monotonic() + 60
    while not true():
        if time.monotonic() > end:
            raise SystemExit(f"not within 60 s: {what}")
        time.sleep(0.02)
