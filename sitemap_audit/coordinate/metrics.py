"""Prometheus metrics of a run: made when somebody scrapes, from the coordinator's last moment and a look at the server.

A scrape runs in a thread of its own with its own client, so that neither a slow server nor many scrapes hold up
the run. Bounded whatever the audit: no label but states, reasons, queues, and of hosts only those that wait now.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

import psutil
import redis
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector as MetricsCollector
from prometheus_client.registry import CollectorRegistry

from sitemap_audit.queue.server import OUTAGE, connect
from sitemap_audit.queue.status import RunState, RunStatus, ServerLook, look

if TYPE_CHECKING:
    from sitemap_audit.coordinate.status import StatusWriter

PREFIX: Final = "sitemap_audit_"
ANSWER_S: Final = 1.0
EVENTS: Final = {
    "lost_batches": "Batches whose worker died; what they left was planned again.",
    "server_restarts": "Times the Redis server came back as another process, or without the data of the run.",
    "worker_restarts": "Times the parent of the local workers was started again.",
    "spider_restarts": "Times the discovery process was started again.",
    "pauses": "Times the run paused because disk or server took no more.",
}


class RunMetrics(MetricsCollector):
    """Of one coordinator. Made before the run, so that an address that cannot be had stops it before it begins."""

    def __init__(self) -> None:
        self._status: StatusWriter | None = None
        self._client: redis.Redis | None = None
        self._began = time.time()

    def attach(self, status: StatusWriter, url: str) -> None:
        """The run has begun; `url` of its server."""
        self._client = connect(url, patient=False, answer_s=ANSWER_S)
        self._status = status

    def collect(self) -> Iterator[Metric]:
        status = self._status.latest if self._status is not None else None
        if status is None or self._client is None:
            return
        yield from _of_run(status)
        yield from _of_waits(status)
        try:
            seen: ServerLook | None = look(self._client, status.run, status.batches)
        except (*OUTAGE, redis.ResponseError):
            seen = None
        yield _gauge("server_up", "1 while the Redis server answers.", 0 if seen is None else 1)
        if seen is not None:
            yield from _of_server(seen)
        yield _memory()
        yield _gauge("start_time_seconds", "When this coordinator began, in Unix time.", self._began)


def registry_of(collector: MetricsCollector) -> CollectorRegistry:
    """A registry of this collector alone: nothing global, and nothing is collected before the first scrape."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(collector)
    return registry


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(PREFIX + name, text, value=value)


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(PREFIX + name, text, value=value)


def _by(
    family: type[CounterMetricFamily | GaugeMetricFamily],
    name: str,
    text: str,
    labels: tuple[str, ...],
    rows: Iterable[tuple[tuple[str, ...], float]],
) -> Metric:
    metric = family(PREFIX + name, text, labels=labels)
    for values, value in rows:
        metric.add_metric(list(values), value)
    return metric


def _of_run(s: RunStatus) -> Iterator[Metric]:
    yield _by(
        GaugeMetricFamily, "info", "The run of this process.", ("run", "version"), [((s.run, s.version), 1)]
    )
    yield _by(
        GaugeMetricFamily,
        "state",
        "1 for the state the run is in.",
        ("state",),
        [((state.value,), float(state is s.state)) for state in RunState if state is not RunState.KILLED],
    )
    yield _counter("urls_listed", "Unique URLs that sitemaps list.", s.listed)
    yield _by(
        CounterMetricFamily,
        "urls_settled",
        "Listed URLs by what became of them; with urls_waiting they add up to urls_listed.",
        ("state", "reason"),
        [
            (("checked", ""), s.checked),
            *((("skipped", reason), n) for reason, n in sorted(s.skipped.items())),
            *((("unchecked", reason), n) for reason, n in sorted(s.unchecked.items())),
        ],
    )
    yield _gauge("urls_waiting", "Listed URLs that are still to be checked.", s.waiting)
    yield _counter("further_urls", "URLs that no sitemap lists but facts name (second wave).", s.further)
    yield _counter("further_urls_checked", "Of those the checked ones.", s.further_checked)
    yield _by(
        CounterMetricFamily,
        "pages",
        "Pages that workers reported, by state and status class or failure.",
        ("state", "result"),
        [((state, result), n) for (state, result), n in _two_words(s)],
    )
    yield _counter("sitemap_files", "Sitemap files that were read.", s.files)
    yield _gauge("urls_second_look", "URLs that wait for a second look.", s.second_looks)
    yield _gauge("urls_under_way", "URLs in batches that are queued or with a worker.", s.urls_under_way)
    yield _gauge("batches_under_way", "Batches that are queued or with a worker.", len(s.batches))
    if s.left_s is not None:
        yield _gauge("left_seconds", "Estimated time until all is checked.", s.left_s)
    if s.stored_s is not None:
        yield _gauge("stored_age_seconds", "Time since facts were last put on disk.", s.stored_s)
    for name, text in EVENTS.items():
        yield _counter(name, text, s.events.get(name, 0))


def _two_words(s: RunStatus) -> Iterator[tuple[tuple[str, str], int]]:
    for words, number in sorted(s.results.items()):
        state, _, result = words.partition(" ")
        yield (state, result), number


def _of_waits(s: RunStatus) -> Iterator[Metric]:
    yield _gauge("hosts", "Hosts that the run has URLs of.", s.hosts)
    yield _gauge("hosts_waiting", "Hosts that are left alone now.", s.hosts_waiting)
    labels = ("host", "reason")
    yield _by(
        GaugeMetricFamily,
        "host_wait_seconds",
        "For how long a host is left alone; at most 50 hosts, the longest waits.",
        labels,
        [((w.host, w.why), w.seconds) for w in s.waits],
    )
    yield _by(
        GaugeMetricFamily,
        "host_wait_urls",
        "URLs that wait for such a host.",
        labels,
        [((w.host, w.why), w.urls) for w in s.waits],
    )


def _of_server(seen: ServerLook) -> Iterator[Metric]:
    yield _gauge("server_memory_bytes", "Memory that the Redis server uses.", seen.memory_bytes)
    if seen.memory_max_bytes:
        yield _gauge("server_memory_max_bytes", "Its maxmemory.", seen.memory_max_bytes)
    yield _by(
        GaugeMetricFamily,
        "queue_batches",
        "Batches that wait for a worker, of all runs of the server.",
        ("queue",),
        [((queue,), n) for queue, n in seen.queued.items()],
    )
    yield _by(
        GaugeMetricFamily,
        "stream_messages",
        "Messages of this run that are not on disk yet.",
        ("stream",),
        [((stream,), n) for stream, n in seen.messages.items()],
    )
    yield _gauge("leases", "Batches of this run that a living worker holds.", len(seen.leases))
    workers = {(q, state): 0 for q in ("main", "slow") for state in ("idle", "busy")}
    for worker in seen.workers:
        key = worker.queue, worker.state
        workers[key] = workers.get(key, 0) + 1
    yield _by(
        GaugeMetricFamily,
        "workers",
        "Workers that have joined the server, by queue and state.",
        ("queue", "state"),
        sorted(workers.items()),
    )


def _memory() -> Metric:
    """Of this process and of those that it started."""
    sizes: dict[str, int] = {}
    own = psutil.Process(os.getpid())
    for process in (own, *own.children(recursive=True)):
        try:
            words = process.cmdline()
            size = process.memory_info().rss
        except psutil.Error:
            continue  # It ended meanwhile.
        name = "coordinator" if process is own else _name_of(words)
        sizes[name] = sizes.get(name, 0) + size
    return _by(
        GaugeMetricFamily,
        "process_memory_bytes",
        "Resident memory of the processes of this run on this machine.",
        ("process",),
        [((name,), size) for name, size in sorted(sizes.items())],
    )


def _name_of(words: list[str]) -> str:
    if "crawler" in words:
        return "spider"
    if "workers" in words:
        return "workers"
    return "server" if words and "valkey" in words[0] else "other"
