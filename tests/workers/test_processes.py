"""Workers as processes: what they refuse, what they outlive, how they stop."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import redis
from rq import Callback, Queue
from rq.job import Job, JobStatus
from rq.webhook import Webhook

from sitemap_audit.options import RunOptions, Transport
from sitemap_audit.queue import keys
from sitemap_audit.queue.jobs import (
    CHECK_BATCH,
    BatchJob,
    count_workers,
    enqueue_batch,
    lost_batches,
    put_options,
    queue,
    queued_batches,
)
from sitemap_audit.queue.messages import Batch, BatchUrl, LeftWhy, PagesMessage
from sitemap_audit.queue.private import private_server
from sitemap_audit.queue.server import connect
from sitemap_audit.queue.stream import Reader
from sitemap_audit.settings import QUEUE_NAME, SCHEMA
from tests.site.server import End, Reply, Site, serve

ROOT = Path(__file__).parents[2]
HOST = "example.com"
HOME = Reply.html("<title>Home</title>")
SILENT = Reply(steps=lambda: [End.SILENCE])
Start = Callable[..., subprocess.Popen[bytes]]


def wait_for(what: Callable[[], object], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)


@pytest.fixture
def start(server_url: str) -> Iterator[Start]:
    """Start the parent process with these arguments; all are ended, each by its own handle."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(
        *arguments: str,
        url: str = server_url,
        transport: Transport | None = None,
        python_path: str = str(ROOT),
    ) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "PYTHONPATH": python_path, "SITEMAP_AUDIT_REDIS": url}
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "workers", "--slow-processes", "0", *arguments],
            env=environment | (transport or Transport()).to_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.poll() is None:
            process.terminate()
        process.wait(20)
        assert process.stdin is not None
        process.stdin.close()


def children(parent: subprocess.Popen[bytes]) -> list[psutil.Process]:
    return psutil.Process(parent.pid).children()


def a_batch(site: Site, client: redis.Redis, *paths: str, box_s: float = 6.0, schema: int = SCHEMA) -> Batch:
    put_options(
        client,
        RunOptions(run_id="r1", scope=(HOST,), origins=(f"https://{HOST}",), rate=0, recheck_after_s=0),
    )
    urls = tuple(BatchUrl(seq, f"https://{HOST}{path}") for seq, path in enumerate(paths))
    batch = Batch(run="r1", box_s=box_s, urls=urls, shares={HOST: 4}, schema=schema)
    assert enqueue_batch(client, batch)
    return batch


def collect(client: redis.Redis, seconds: float = 30.0) -> list[PagesMessage]:
    """Messages of pages until a batch is finished."""
    reader, found, end = Reader(client, "r1"), [], time.monotonic() + seconds
    while time.monotonic() < end:
        for delivery in reader.read(200):
            if isinstance(delivery.message, PagesMessage):
                found.append(delivery.message)
        if any(m.finished for m in found):
            return found
    raise AssertionError("no batch was finished")


def test_workers_check_what_is_queued(start: Start, client: redis.Redis) -> None:
    with serve({HOST: {"*": HOME}}) as site:
        start("--processes", "2", "--name-prefix", "here", transport=site.transport)
        batch = a_batch(site, client, *(f"/{n}" for n in range(30)))
        messages = collect(client)
    assert sorted(seq for m in messages for seq in m.done) == list(range(30))
    assert {m.batch for m in messages} == {batch.batch}
    assert all(m.worker.startswith("here.") for m in messages)
    wait_for(lambda: not client.exists(BatchJob.key_for(batch.batch)))


def test_nothing_but_our_job_is_run(start: Start, client: redis.Redis, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    touch = f"touch {canary}"
    plain = Queue(QUEUE_NAME, connection=client, serializer="json")
    ours = {"job": {"schema": 1, "run": "gone", "batch": "b1", "box_s": 1, "shares": {}, "urls": []}}
    with serve({"*": {"*": HOME}}) as site:
        hooks = [Webhook(f"http://127.0.0.1:{site.http_port}/hook", end) for end in ("finished", "failed")]
        jobs: list[Job] = [
            plain.enqueue("os.system", touch),
            plain.enqueue("subprocess.getoutput", touch),
            plain.enqueue("workers.jobs.set_station", None),
            plain.enqueue("workers.jobs.no_such_function", touch),
            plain.enqueue("no_such_module.check_batch", touch),
            plain.enqueue("sitemap_audit.queue.jobs.put_options", None, None),
            Queue(QUEUE_NAME, connection=client).enqueue("os.system", touch),  # pickled
            plain.enqueue("os.system", touch, retry=None, on_failure=Callback("os.system"), webhooks=hooks),
        ]
        allowed = plain.enqueue(
            CHECK_BATCH, kwargs=ours, on_success=Callback("os.system"), webhooks=hooks, result_ttl=500
        )
        start("--processes", "1")
        wait_for(lambda: Job.fetch(allowed.id, client, serializer="json").is_finished)
        failed = JobStatus.FAILED.value.encode()
        wait_for(lambda: all(client.hget(job.key, "status") == failed for job in jobs))
        assert site.requests() == [], "no webhook was called"
    assert not canary.exists()


def test_a_killed_worker_acknowledges_nothing_and_is_replaced(start: Start, client: redis.Redis) -> None:
    with serve({HOST: {"/robots.txt": Reply.text(""), "/hang": SILENT, "*": HOME}}) as site:
        parent = start("--processes", "1", transport=site.transport)
        batch = a_batch(site, client, "/hang", "/a", "/b")
        wait_for(lambda: site.requests(path="/b"))
        assert lost_batches(client, "r1", [batch.batch]) == set()
        (worker,) = children(parent)
        worker.kill()
        wait_for(lambda: lost_batches(client, "r1", [batch.batch]), 10)
        messages = [d.message for d in Reader(client, "r1").read(0) if isinstance(d.message, PagesMessage)]
        assert not any(m.finished or 0 in m.done for m in messages)
        again = a_batch(site, client, "/a")
        assert {m.batch for m in collect(client) if m.finished} == {again.batch}
        assert worker.pid not in {c.pid for c in children(parent)}
        assert count_workers(client) == 1, "the dead one is struck out by the one that replaces it"


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_hands_back_and_ends_all(start: Start, client: redis.Redis, signal_number: int) -> None:
    with serve({HOST: {"/robots.txt": Reply.text(""), "*": SILENT}}) as site:
        parent = start("--processes", "1", transport=site.transport)
        a_batch(site, client, "/1", "/2", "/3", box_s=30.0)
        wait_for(lambda: site.requests(path="/3"))
        workers = children(parent)
        parent.send_signal(signal_number)
        began = time.monotonic()
        assert parent.wait(10) == 0
        assert time.monotonic() - began < 4
        assert not psutil.wait_procs(workers, timeout=0)[1]
        messages = collect(client)
    assert [(n.seq, n.why) for m in messages for n in m.left] == [(s, LeftWhy.STOPPED) for s in range(3)]


def test_idle_workers_stop_at_once_and_sign_off(start: Start, client: redis.Redis) -> None:
    parent = start("--processes", "2", "--slow-processes", "0")
    wait_for(lambda: client.scard("rq:workers") == 2)
    parent.terminate()
    assert parent.wait(5) == 0
    assert client.scard("rq:workers") == 0


def test_a_worker_that_is_stopped_while_it_signs_on_signs_off(server_url: str, client: redis.Redis) -> None:
    told = """
import os, signal, sys
from workers.worker import BatchWorker, work
BatchWorker.subscribe = lambda self: os.kill(os.getpid(), signal.SIGTERM)  # right after it has signed on
work(sys.argv[1], "sitemap-audit")
"""
    done = subprocess.run([sys.executable, "-P", "-c", told, server_url], capture_output=True, timeout=20)
    assert (done.returncode, done.stderr) == (0, b"")
    assert client.scard("rq:workers") == 0


def test_workers_end_with_whoever_started_them(start: Start, client: redis.Redis) -> None:
    parent = start("--processes", "1", "--exit-with-parent")
    wait_for(lambda: client.scard("rq:workers") == 1)
    workers = children(parent)
    assert parent.stdin is not None
    parent.stdin.close()
    assert parent.wait(8) == 0
    orphaned = start("--processes", "1")
    wait_for(lambda: client.scard("rq:workers") == 1)
    workers += children(orphaned)
    orphaned.kill()
    assert not psutil.wait_procs(workers, timeout=8)[1], "no worker outlives its parent"


def test_a_worker_waits_for_an_absent_server(start: Start, tmp_path: Path) -> None:
    state = tmp_path / ".server"
    with serve({HOST: {"*": HOME}}) as site:
        with private_server(state) as url, connect(url) as client:
            parent = start("--processes", "1", url=url, transport=site.transport)
            wait_for(lambda: client.scard("rq:workers") == 1)
            workers = children(parent)
        time.sleep(2.5)  # the server is away, as in an outage
        with private_server(state) as url, connect(url) as client:
            a_batch(site, client, "/a")
            began = time.monotonic()
            messages = collect(client)
            assert time.monotonic() - began < 5
            assert children(parent) == workers, "no worker ended"
            assert [seq for m in messages for seq in m.done] == [0]
            parent.terminate()
            parent.wait(10)


def test_a_server_killed_in_the_middle_of_a_batch(start: Start, tmp_path: Path) -> None:
    state = tmp_path / ".server"
    with serve({HOST: {"/robots.txt": Reply.text(""), "*": Reply(200, b"late", wait_s=1.0)}}) as site:
        with private_server(state) as url, connect(url) as client:
            parent = start("--processes", "1", url=url, transport=site.transport)
            a_batch(site, client, *(f"/{n}" for n in range(8)))
            wait_for(lambda: site.requests(path="/3"))
            workers = children(parent)
            psutil.Process(int(client.info()["process_id"])).kill()
        with private_server(state) as url, connect(url) as client:
            messages = collect(client)
            assert sorted(seq for m in messages for seq in m.done) == list(range(8))
            assert children(parent) == workers, "no worker ended"
            parent.terminate()
            parent.wait(10)


def test_a_parent_without_a_server_address_says_so() -> None:
    environment = {k: v for k, v in os.environ.items() if k != "SITEMAP_AUDIT_REDIS"} | {
        "PYTHONPATH": str(ROOT)
    }
    ended = subprocess.run(
        [sys.executable, "-P", "-m", "workers"], env=environment, capture_output=True, text=True
    )
    assert ended.returncode == 2
    assert "SITEMAP_AUDIT_REDIS" in ended.stderr


def test_a_newer_batch_stays_queued(start: Start, client: redis.Redis) -> None:
    job: dict[str, Any] = {"schema": 99, "run": "r1", "batch": "b99", "new": True}
    queue(client).enqueue_call(CHECK_BATCH, kwargs={"job": job}, job_id="b99", result_ttl=0)
    start("--processes", "1")
    wait_for(lambda: [i for i in queue(client).job_ids if i.startswith("b99-")])
    assert queued_batches(client) == {"b99"}


def test_old_and_new_workers_side_by_side(start: Start, client: redis.Redis, tmp_path: Path) -> None:
    """Each batch is done by the worker that knows its schema, whoever meets it first."""
    (tmp_path / "sitecustomize.py").write_text("from sitemap_audit import settings\nsettings.SCHEMA = 99\n")
    newer = os.pathsep.join([str(tmp_path), str(ROOT)])
    with serve({HOST: {"*": HOME}}) as site:
        start("--processes", "1", "--name-prefix", "old", transport=site.transport)
        start("--processes", "1", "--name-prefix", "new", transport=site.transport, python_path=newer)
        wait_for(lambda: client.scard("rq:workers") == 2)
        old, new = a_batch(site, client, "/old"), a_batch(site, client, "/new", schema=99)
        holders = {}

        def both() -> bool:
            for batch in (old, new):
                holder = client.get(keys.lease("r1", batch.batch))
                if isinstance(holder, bytes):
                    holders[batch.batch] = holder.partition(b".")[0]
            return (
                len(site.requests(path="/old")) == len(site.requests(path="/new")) == 1 and len(holders) == 2
            )

        wait_for(both)
    assert holders == {old.batch: b"old", new.batch: b"new"}


def test_what_times_out_while_the_worker_is_stopped_is_not_the_hosts_fault(
    start: Start, client: redis.Redis, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "from sitemap_audit import settings\nsettings.PAGE_TIMEOUT_S = 2.0\nsettings.STOOD_STILL_S = 1.5\n"
    )
    slowly = Reply(200, b"late", wait_s=1.5)
    with serve({HOST: {"/robots.txt": Reply.text(""), "/slow": slowly, "/hang": SILENT}}) as site:
        parent = start(
            "--processes",
            "1",
            transport=site.transport,
            python_path=os.pathsep.join([str(tmp_path), str(ROOT)]),
        )
        a_batch(site, client, "/slow", "/hang", box_s=10.0)
        wait_for(lambda: site.requests(path="/hang") and site.requests(path="/slow"))
        (worker,) = children(parent)
        worker.suspend()
        time.sleep(3.0)  # both are over their time by now
        worker.resume()
        messages = collect(client)
    assert not [seq for m in messages for seq in m.done if seq == 1]
    assert not [again for m in messages for again in m.again]
    assert [left.why for m in messages for left in m.left if left.seq == 1] == [LeftWhy.STOPPED]
