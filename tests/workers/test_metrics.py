"""What workers tell their parent of batches, what the parent makes of it, and the health check of a container."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from sitemap_audit.metrics import Address, serving
from tests.cli.audit import until
from workers.health import main as health
from workers.metrics import WorkerMetrics
from workers.tally import LINE_BYTES, PIPE_VARIABLE, BatchTally, tell


def samples(metrics: WorkerMetrics) -> dict[str, float]:
    text = generate_latest(metrics.registry()).decode()
    return {
        sample.name + "".join(f" {value}" for _, value in sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_batches_are_added_up_also_those_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = WorkerMetrics(lambda: [("main", os.getpid()), ("slow", 2**22 + 1)])
    monkeypatch.setenv(PIPE_VARIABLE, str(metrics.pipe))
    tell(BatchTally(queue="main", seconds=1.5, results={"checked 2xx": 3, "unchecked challenge": 1}))
    tell(BatchTally(queue="main", seconds=0.5, results={"checked 2xx": 2, "checked timeout": 1}))
    tell(BatchTally(queue="slow", seconds=9.0, failed=True))
    until(
        lambda: samples(metrics).get("sitemap_audit_worker_batches_total slow failed") == 1,
        "all are read",
        10,
    )
    metrics.restarts += 1
    seen = samples(metrics)
    assert seen["sitemap_audit_worker_batches_total main done"] == 2
    assert seen["sitemap_audit_worker_batch_seconds_total main"] == 2.0
    assert seen["sitemap_audit_worker_pages_total 2xx checked"] == 5
    assert seen["sitemap_audit_worker_pages_total timeout checked"] == 1
    assert seen["sitemap_audit_worker_pages_total challenge unchecked"] == 1
    assert seen["sitemap_audit_worker_restarts_total"] == 1
    assert seen["sitemap_audit_worker_processes main"] == 1, "a process that is gone does not count"
    assert seen["sitemap_audit_worker_memory_bytes"] > 1_000_000


def test_figures_never_stop_a_worker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    monkeypatch.setenv(PIPE_VARIABLE, str(writing))
    one = BatchTally(queue="main", seconds=1.0, results={f"checked {n}": n for n in range(100)})
    assert len(one.line()) < LINE_BYTES
    for _ in range(200):  # more than the pipe holds, and nobody reads
        tell(one)
    os.close(reading)
    tell(one)
    os.close(writing)
    tell(one)
    monkeypatch.delenv(PIPE_VARIABLE)
    tell(one)


def test_healthy_is_a_parent_that_answers_with_a_worker_that_lives() -> None:
    running = [("slow", os.getpid())]
    metrics = WorkerMetrics(lambda: running)
    with serving(Address("127.0.0.1", 0), metrics.registry()) as port:
        assert health([f"127.0.0.1:{port}"]) == 1, "no worker of the main queue"
        running.append(("main", os.getpid()))
        assert health([f"127.0.0.1:{port}"]) == 0
    assert health([f"127.0.0.1:{port}"]) == 1, "nobody answers"
