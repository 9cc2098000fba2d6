"""What a run says of itself, and what its server shows: for `status`, `--metrics` and the progress display.

RunStatus is the coordinator's word, written into one key each second: what only it knows. ServerLook is read
by whoever asks, when he asks: queues, streams, leases, workers, memory. So a run pays for one small key a second,
whatever the number of those who look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

import orjson
import redis
from rq.worker import BaseWorker
from rq.worker_registration import WORKERS_BY_QUEUE_KEY

from sitemap_audit.queue import keys
from sitemap_audit.settings import LEASE_MS, QUEUE_NAME, SLOW_QUEUE_NAME, STATUS_TTL_S

WORKERS_SHOWN: Final = 500


class RunState(StrEnum):
    """Where a run stands."""

    DISCOVERING = "discovering"
    CHECKING = "checking"
    PAUSING = "pausing"
    """It cannot go on for now, and says why."""
    STOPPING = "stopping"
    DONE = "done"
    INTERRUPTED = "interrupted"
    KILLED = "killed"
    """run.json says that it goes on, but no process does."""


@dataclass(frozen=True, slots=True)
class HostWait:
    """A host that is left alone now. `why` of queue.pace.WaitWhy; `urls` wait for it."""

    host: str
    why: str
    seconds: float
    urls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStatus:
    """One moment of a run, as its coordinator knows it. Counts are over unique URLs."""

    run: str
    state: RunState
    why: str = ""
    """Of a pause."""
    notes: tuple[str, ...] = ()
    """What else holds up the run, in whole words."""
    sites: tuple[str, ...] = ()
    version: str = ""
    machine: str = ""
    pid: int = 0
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    started_at: datetime | None = None
    """Of the run; `seconds` are of this coordinator, which may be a later one."""
    seconds: float = 0.0
    listed: int = 0
    checked: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    unchecked: Mapping[str, int] = field(default_factory=dict)
    waiting: int = 0
    further: int = 0
    further_checked: int = 0
    files: int = 0
    second_looks: int = 0
    rate: float = 0.0
    """URLs a second over the last RATE_WINDOW_S; `mean` since the first was checked."""
    mean: float = 0.0
    left_s: float | None = None
    """None while nobody can say."""
    batches: tuple[str, ...] = ()
    """Ids of the batches under way, queued or with a worker."""
    urls_under_way: int = 0
    workers: int = 0
    by_worker: Mapping[str, int] = field(default_factory=dict)
    """Worker name → URLs it checked in this run."""
    results: Mapping[str, int] = field(default_factory=dict)
    """What workers said of pages, `state result` → number: `checked 2xx`, `checked timeout`, `unchecked challenge`."""
    hosts: int = 0
    hosts_waiting: int = 0
    waits: tuple[HostWait, ...] = ()
    """At most WAITS_SHOWN, the longest first."""
    stored_s: float | None = None
    """Seconds since facts were last put on disk."""
    memory_bytes: int = 0
    """Resident set of the coordinator."""
    events: Mapping[str, int] = field(default_factory=dict)
    """What went wrong so far, by name: lost_batches, server_restarts, worker_restarts, spider_restarts, pauses."""

    @property
    def done(self) -> int:
        """URLs that were checked, further ones included."""
        return self.checked + self.further_checked

    @property
    def open(self) -> int:
        """URLs that are still to be checked, further ones included."""
        return self.waiting + self.further - self.further_checked


def put_status(client: redis.Redis, status: RunStatus) -> None:
    """Say how the run stands. One SET."""
    client.set(keys.status(status.run), orjson.dumps(status, option=orjson.OPT_UTC_Z), ex=STATUS_TTL_S)


def get_status(client: redis.Redis, run: str) -> tuple[RunStatus, float] | None:
    """The last word of the run's coordinator and its age in seconds on the server's clock; None without one."""
    with client.pipeline(transaction=True) as pipe:
        pipe.get(keys.status(run))
        pipe.pttl(keys.status(run))
        text, left_ms = pipe.execute()
    if text is None:
        return None
    return _status(orjson.loads(text)), max(0.0, STATUS_TTL_S - left_ms / 1000)


def _status(data: dict[str, Any]) -> RunStatus:
    known = {f.name for f in fields(RunStatus)}
    data = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items() if k in known}
    data["state"] = RunState(data["state"])
    data["waits"] = tuple(HostWait(**w) for w in data.get("waits", ()))
    for name in ("at", "started_at"):
        if data.get(name):
            data[name] = datetime.fromisoformat(data[name])
    return RunStatus(**data)


@dataclass(frozen=True, slots=True)
class WorkerSeen:
    """A worker as RQ's registry and the leases show it. `batch` is what it holds of this run now."""

    name: str
    queue: str
    """`main` or `slow`."""
    machine: str
    pid: int | None
    state: str
    """idle or busy."""
    seen_s: float
    """Seconds since its last sign of life."""
    batch: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLook:
    """One moment of the server. Workers and queues are of all runs that share it, leases and streams of this one."""

    memory_bytes: int
    memory_max_bytes: int
    """0: no limit of its own."""
    version: str
    life: str
    """Which life of the server it is: another one after a restart."""
    queued: Mapping[str, int]
    """Batches that wait for a worker, by queue: main, slow."""
    messages: Mapping[str, int]
    """Messages in the streams of this run: pages, entries."""
    leases: Mapping[str, str]
    """Batch → worker that holds it."""
    workers: tuple[WorkerSeen, ...]


def look(client: redis.Redis, run: str, batches: Sequence[str]) -> ServerLook:
    """Read what the server shows of a run; `batches` are those under way. Errors of the client pass through."""
    with client.pipeline(transaction=False) as pipe:
        pipe.info()
        pipe.time()
        pipe.llen(f"rq:queue:{QUEUE_NAME}")
        pipe.llen(f"rq:queue:{SLOW_QUEUE_NAME}")
        pipe.xlen(keys.pages_stream(run))
        pipe.xlen(keys.entries_stream(run))
        pipe.smembers(WORKERS_BY_QUEUE_KEY % QUEUE_NAME)
        pipe.smembers(WORKERS_BY_QUEUE_KEY % SLOW_QUEUE_NAME)
        for batch in batches:
            pipe.get(keys.lease(run, batch))
            pipe.pttl(keys.lease(run, batch))
        info, (seconds, micros), main, slow, pages, entries, mains, slows, *held = pipe.execute()
    running = {
        batch: (holder.decode(), left_ms)
        for batch, holder, left_ms in zip(batches, held[::2], held[1::2], strict=True)
        # A batch that ended keeps a longer lease until its last message is collected.
        if holder is not None and left_ms <= LEASE_MS
    }
    leases = {batch: worker for batch, (worker, _) in running.items()}
    renewed = dict(running.values())
    return ServerLook(
        memory_bytes=int(info.get("used_memory", 0)),
        memory_max_bytes=int(info.get("maxmemory", 0)),
        version=str(info.get("valkey_version") or info.get("redis_version", "")),
        life=str(info.get("run_id", "")),
        queued={"main": main, "slow": slow},
        messages={"pages": pages, "entries": entries},
        leases=leases,
        workers=_workers(client, sorted(mains), sorted(slows), seconds + micros / 1e6, leases, renewed),
    )


def _workers(
    client: redis.Redis,
    mains: list[bytes],
    slows: list[bytes],
    now: float,
    leases: Mapping[str, str],
    renewed: Mapping[str, int],
) -> tuple[WorkerSeen, ...]:
    names = [(key.decode(), "main") for key in mains] + [(key.decode(), "slow") for key in slows]
    names = names[:WORKERS_SHOWN]
    with client.pipeline(transaction=False) as pipe:
        for key, _ in names:
            pipe.hmget(key, ["hostname", "pid", "state", "last_heartbeat"])
        rows = pipe.execute()
    holds = {worker: batch for batch, worker in leases.items()}
    found = []
    for (key, queue), (machine, pid, state, beat) in zip(names, rows, strict=True):
        if beat is None:
            continue  # It died, and RQ's registry has not noticed yet.
        name = key.removeprefix(BaseWorker.redis_worker_namespace_prefix)
        seen_s = max(0.0, now - datetime.fromisoformat(beat.decode()).timestamp())
        if name in renewed:
            seen_s = min(seen_s, (LEASE_MS - renewed[name]) / 1000)
        found.append(
            WorkerSeen(
                name,
                queue,
                (machine or b"").decode(),
                int(pid) if pid else None,
                (state or b"?").decode(),
                seen_s,
                holds.get(name),
            )
        )
    return tuple(found)
