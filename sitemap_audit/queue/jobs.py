"""Batches as RQ jobs: what a worker may run, how a batch is queued, held, lost and withdrawn, and a run's switches.

RQ's own job status is never the truth here (a dead worker's job stays `started` for minutes): a
batch lives while it is queued or its lease is alive, and is done when its last message says so.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import redis
from rq import Queue, Worker
from rq.intermediate_queue import IntermediateQueue
from rq.job import Job
from rq.worker_registration import REDIS_WORKER_KEYS, WORKERS_BY_QUEUE_KEY, get_keys

from sitemap_audit.options import RunOptions
from sitemap_audit.queue import keys
from sitemap_audit.queue.messages import Batch, new_batch_id
from sitemap_audit.queue.server import SERVER_FULL
from sitemap_audit.settings import (
    FAILURE_TTL_S,
    JOB_TIMEOUT_S,
    LEASE_MS,
    QUEUE_NAME,
    RUN_KEYS_TTL_S,
    SLOW_QUEUE_NAME,
)

CHECK_BATCH: Final = "workers.jobs.check_batch"
ALLOWED: Final = frozenset({CHECK_BATCH})
SERIALIZER: Final = "json"
logging.getLogger("rq.queue").setLevel(logging.WARNING)


class BatchJob(Job):
    """The only kind of job a worker runs: a listed function, JSON arguments, no callbacks, webhooks, repeats or retries.

    RQ imports whatever dotted name a job holds, and takes callbacks, webhooks and repeats from its
    hash: whoever can write to the server could run code in a worker. Here a foreign job fails.
    """

    def restore(self, raw_data: Any) -> Any:
        """Read the job's hash, leaving out everything that names further code or work."""
        answer = super().restore(raw_data)
        self._success_callback_name = self._failure_callback_name = self._stopped_callback_name = None
        self.webhooks = []
        self.retries_left = self.repeats_left = None
        return answer

    @property
    def func(self) -> Callable[..., Any] | None:
        """The listed function; PermissionError for any other name and for methods of unpickled objects."""
        if self.instance is not None or self.func_name not in ALLOWED:
            raise PermissionError(f"not one of our jobs: {str(self.func_name)[:80]!r}")
        function: Callable[..., Any] | None = super().func
        return function


def queue(client: redis.Redis, *, slow: bool = False) -> Queue:
    """RQ's queue of batches; `slow` is the one for hosts whose pages take long."""
    return Queue(
        SLOW_QUEUE_NAME if slow else QUEUE_NAME,
        connection=client,
        serializer=SERIALIZER,
        job_class=BatchJob,
    )


def enqueue_batch(client: redis.Redis, batch: Batch, *, at_front: bool = False, slow: bool = False) -> bool:
    """Queue one batch as one job; False when the server is full (wait and try again).

    `at_front` for what is planned again.
    """
    return _enqueue(
        queue(client, slow=slow),
        batch.to_job(),
        job_id=batch.batch,
        # RQ would describe the job by all its arguments.
        description=f"{batch.run} {len(batch.urls)} URLs",
        timeout=JOB_TIMEOUT_S + int(batch.box_s),
        at_front=at_front,
    )


def put_back(client: redis.Redis, job: Mapping[str, Any], queue_name: str) -> bool:
    """Queue the arguments of a job that this version cannot read again, unread; False when the server is full."""
    queued = Queue(queue_name, connection=client, serializer=SERIALIZER, job_class=BatchJob)
    # RQ drops the hash of a job that ended: the same id would lose the arguments.
    job_id = f"{job.get('batch', 'unknown')}-{new_batch_id()}"
    return _enqueue(queued, job, job_id=job_id, description="put back", timeout=2 * JOB_TIMEOUT_S)


def _enqueue(
    queue: Queue,
    job: Mapping[str, Any],
    *,
    job_id: str,
    description: str,
    timeout: int,
    at_front: bool = False,
) -> bool:
    try:
        queue.enqueue_call(
            CHECK_BATCH,
            kwargs={"job": dict(job)},
            job_id=job_id,
            description=description,
            timeout=timeout,
            result_ttl=0,
            failure_ttl=FAILURE_TTL_S,
            at_front=at_front,
        )
    except SERVER_FULL:
        return False
    return True


def hold_lease(client: redis.Redis, run: str, batch: str, worker: str) -> None:
    """Take the lease of a batch, or renew it; never shortens the lease of a batch that ended."""
    key = keys.lease(run, batch)
    with client.pipeline(transaction=True) as pipe:
        pipe.set(key, worker, px=LEASE_MS, nx=True)
        pipe.pexpire(key, LEASE_MS, gt=True)
        pipe.execute()


def count_workers(client: redis.Redis) -> int:
    """Workers that have joined this server's queue of batches and gave a sign of life lately."""
    return Worker.count(queue=queue(client))


def sign_off(client: redis.Redis, start: str) -> int:
    """Strike out workers whose names start so: they died, and RQ would count them for two minutes more."""
    dead = [
        key
        for key in get_keys(connection=client)
        if key.removeprefix(Worker.redis_worker_namespace_prefix).startswith(start)
    ]
    if dead:
        with client.pipeline(transaction=True) as pipe:
            pipe.delete(*dead)
            for registry in (
                REDIS_WORKER_KEYS,
                *(WORKERS_BY_QUEUE_KEY % n for n in (QUEUE_NAME, SLOW_QUEUE_NAME)),
            ):
                pipe.srem(registry, *dead)
            pipe.execute()
    return len(dead)


def _queued_ids(pipe: Any) -> list[list[bytes]]:
    for slow in (False, True):
        pipe.lrange(f"rq:queue:{SLOW_QUEUE_NAME if slow else QUEUE_NAME}", 0, -1)
    found: list[list[bytes]] = pipe.execute()
    return found


def queued_batches(client: redis.Redis) -> set[str]:
    """Ids of the batches that wait in the queues, of all runs of this server."""
    with client.pipeline(transaction=True) as pipe:
        return {i.decode().partition("-")[0] for ids in _queued_ids(pipe) for i in ids}


def batches_waiting(client: redis.Redis, queue_name: str) -> int:
    """How many batches wait in this queue for a worker."""
    return int(client.llen(f"rq:queue:{queue_name}"))


def lost_batches(client: redis.Redis, run: str, batches: Iterable[str]) -> set[str]:
    """Of `batches` those neither queued nor leased, at one moment.

    Between the pop and the lease there are some milliseconds, and a finished message may still wait
    in the stream: believe it of a batch that is lost in two looks at least a second apart, after
    reading the pages that are there.
    """
    ids = list(batches)
    if not ids:
        return set()
    with client.pipeline(transaction=True) as pipe:
        for batch in ids:
            pipe.exists(keys.lease(run, batch))
        *leased, fast, slow = _queued_ids(pipe)
    waiting = {i.decode().partition("-")[0] for i in (*fast, *slow)}
    return {b for b, held in zip(ids, leased, strict=True) if not held and b not in waiting}


def forget_batches(client: redis.Redis, run: str, batches: Iterable[str]) -> None:
    """The last message of these batches was collected: drop their leases."""
    if names := [keys.lease(run, b) for b in batches]:
        client.delete(*names)


def withdraw_batches(client: redis.Redis, batches: Iterable[str]) -> set[str]:
    """Take batches out of the queues; returns the ids of those that had not been started."""
    taken = set()
    for batch in batches:
        for slow in (False, True):
            q = queue(client, slow=slow)
            if client.lrem(q.key, 1, batch):
                client.delete(BatchJob.key_for(batch))
                taken.add(batch)
    return taken


def clear_popped(client: redis.Redis) -> None:
    """Forget job ids that workers popped and never began (killed in that moment); their batches are planned anew."""
    for slow in (False, True):
        client.delete(IntermediateQueue.get_intermediate_queue_key(queue(client, slow=slow).key))


def put_options(client: redis.Redis, options: RunOptions) -> None:
    """Give the workers the run's options; call it now and then, each call gives the keys new life."""
    client.set(keys.options(options.run_id), options.to_json(), ex=RUN_KEYS_TTL_S)


def get_options(client: redis.Redis, run: str) -> RunOptions | None:
    """The options of a run; None when the server knows no such run."""
    text: Any = client.get(keys.options(run))
    return None if text is None else RunOptions.from_json(text)


def knows_run(client: redis.Redis, run: str) -> bool:
    """Does the server hold the options of the run? Not any more: it was emptied, or restarted without its data."""
    return bool(client.exists(keys.options(run)))


def tell_unlike(client: redis.Redis, run: str, worker: str, words: str) -> None:
    """This worker reaches the site of the run in another way than the run itself (options.difference)."""
    with client.pipeline(transaction=True) as pipe:
        pipe.hsetnx(keys.unlike(run), words, worker)
        pipe.expire(keys.unlike(run), RUN_KEYS_TTL_S)
        pipe.execute()


def take_unlike(client: redis.Redis, run: str) -> list[tuple[str, str]]:
    """(worker, words) of differences that were not taken before: each once a run, not once a process."""
    found: Any = client.hgetall(keys.unlike(run))
    fresh = {words: worker for words, worker in found.items() if worker}
    if fresh:
        client.hset(keys.unlike(run), mapping=dict.fromkeys(fresh, b""))
    return sorted((worker.decode(), words.decode()) for words, worker in fresh.items())


def set_stop(client: redis.Redis, run: str) -> None:
    """Tell every worker to hand back what it holds of this run."""
    client.set(keys.stop_flag(run), b"1", ex=RUN_KEYS_TTL_S)


def clear_stop(client: redis.Redis, run: str) -> None:
    """The run goes on (resume)."""
    client.delete(keys.stop_flag(run))


def is_stopped(client: redis.Redis, run: str) -> bool:
    """Was the run told to stop?"""
    return bool(client.exists(keys.stop_flag(run)))


def remove_run(client: redis.Redis, run: str) -> None:
    """Drop every key of a run that is done and stored."""
    for key in client.scan_iter(match=f"{keys.PREFIX}:{run}:*", count=1000):
        client.delete(key)
