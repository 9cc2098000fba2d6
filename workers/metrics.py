"""Prometheus metrics of the workers of one machine: the parent serves them, its children tell it by a pipe.

Read from Redis, the figures would be those of all machines; files of prometheus_client's multi-process mode would
have to be cleaned after each worker. A pipe has one reader, needs no lock, and the sums are the parent's own.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

import psutil
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector, CollectorRegistry

from sitemap_audit import __version__
from workers.tally import BatchTally

PREFIX: Final = "sitemap_audit_worker_"


class WorkerMetrics(Collector):
    """Sums over the workers of this parent. `pipe` is the end to write to, for the children."""

    def __init__(self, running: Callable[[], list[tuple[str, int]]]) -> None:
        """`running`: queue and process id of the workers that live now."""
        self._running = running
        self._lock = threading.Lock()
        self._batches: Counter[tuple[str, str]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._results: Counter[str] = Counter()
        self.restarts = 0
        """Workers that died and were replaced."""
        self._began = time.time()
        self._last = 0.0
        self._reading, self.pipe = os.pipe()
        os.set_blocking(self.pipe, False)
        threading.Thread(target=self._read, name="tally", daemon=True).start()

    def _read(self) -> None:
        with os.fdopen(self._reading, "rb") as lines:
            for line in lines:
                self._add(BatchTally.read(line))

    def _add(self, tally: BatchTally) -> None:
        with self._lock:
            self._batches[tally.queue, "failed" if tally.failed else "done"] += 1
            self._seconds[tally.queue] += tally.seconds  # type: ignore[assignment]
            self._results.update(tally.results)
            self._last = time.time()

    def registry(self) -> CollectorRegistry:
        registry = CollectorRegistry(auto_describe=False)
        registry.register(self)
        return registry

    def collect(self) -> Iterator[Metric]:
        with self._lock:
            batches, seconds, results = dict(self._batches), dict(self._seconds), dict(self._results)
        info = GaugeMetricFamily(PREFIX + "info", "The workers of this machine.", labels=["version"])
        info.add_metric([__version__], 1)
        yield info
        done = CounterMetricFamily(PREFIX + "batches", "Batches that ended here.", labels=["queue", "result"])
        for (queue, result), number in sorted(batches.items()):
            done.add_metric([queue, result], number)
        yield done
        took = CounterMetricFamily(PREFIX + "batch_seconds", "Time spent in batches.", labels=["queue"])
        for queue, spent in sorted(seconds.items()):
            took.add_metric([queue], spent)
        yield took
        pages = CounterMetricFamily(
            PREFIX + "pages", "Pages by state and status class or failure.", labels=["state", "result"]
        )
        for words, number in sorted(results.items()):
            state, _, result = words.partition(" ")
            pages.add_metric([state, result], number)
        yield pages
        yield CounterMetricFamily(
            PREFIX + "restarts", "Workers that died and were replaced.", value=self.restarts
        )
        yield GaugeMetricFamily(
            PREFIX + "start_time_seconds", "When this parent began, in Unix time.", value=self._began
        )
        if self._last:
            yield GaugeMetricFamily(
                PREFIX + "last_batch_timestamp_seconds",
                "When a batch last ended, in Unix time.",
                value=self._last,
            )
        yield from self._of_processes()

    def _of_processes(self) -> Iterator[Metric]:
        alive = GaugeMetricFamily(PREFIX + "processes", "Worker processes that live.", labels=["queue"])
        memory, connections = psutil.Process().memory_info().rss, 0
        queues: Counter[str] = Counter()
        for queue, pid in self._running():
            try:
                process = psutil.Process(pid)
                memory += process.memory_info().rss
                connections += len(process.net_connections("tcp"))
            except psutil.Error:
                continue  # It ended meanwhile, or the system does not say.
            queues[queue] += 1
        for queue, number in sorted(queues.items()):
            alive.add_metric([queue], number)
        yield alive
        yield GaugeMetricFamily(
            PREFIX + "memory_bytes", "Resident memory of the parent and its workers.", value=memory
        )
        yield GaugeMetricFamily(
            PREFIX + "connections", "TCP connections that they hold open.", value=connections
        )
