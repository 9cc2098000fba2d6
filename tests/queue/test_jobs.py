"""Batches in the queue: held, lost, withdrawn; the switches of a run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import redis

from sitemap_audit.facts import ErrorClass, RobotsState
from sitemap_audit.options import RunOptions
from sitemap_audit.queue import jobs, keys
from sitemap_audit.queue.messages import Batch, BatchUrl
from sitemap_audit.queue.robots import RobotsStore, StoredRobots
from sitemap_audit.settings import FINISHED_LEASE_MS, LEASE_MS, QUEUE_NAME, RECHECK_COUNT


def a_batch(run: str = "r1") -> Batch:
    return Batch(run=run, box_s=6.0, urls=(BatchUrl(1, "https://example.com/"),), shares={"example.com": 4})


def test_a_batch_is_queued_as_one_job(client: redis.Redis) -> None:
    batches = [a_batch() for _ in range(3)]
    for batch in batches[:2]:
        assert jobs.enqueue_batch(client, batch)
    assert jobs.enqueue_batch(client, batches[2], at_front=True)
    assert jobs.queued_batches(client) == {b.batch for b in batches}
    first = jobs.queue(client).jobs[0]
    assert isinstance(first, jobs.BatchJob)
    assert Batch.from_job(first.kwargs["job"]) == batches[2]
    assert first.func_name == jobs.CHECK_BATCH
    assert (first.result_ttl, first.timeout) == (0, 66)
    assert "https" not in str(first.description)


def test_lost_is_neither_queued_nor_leased(client: redis.Redis) -> None:
    queued, slow, leased, lost = (a_batch() for _ in range(4))
    jobs.enqueue_batch(client, queued)
    jobs.enqueue_batch(client, slow, slow=True)
    jobs.hold_lease(client, "r1", leased.batch, "w1")
    everything = [b.batch for b in (queued, slow, leased, lost)]
    assert jobs.lost_batches(client, "r1", everything) == {lost.batch}
    assert jobs.lost_batches(client, "r1", []) == set()
    jobs.forget_batches(client, "r1", [leased.batch])
    assert jobs.lost_batches(client, "r1", everything) == {lost.batch, leased.batch}


def test_a_renewal_never_shortens_the_lease_of_an_ended_batch(client: redis.Redis) -> None:
    jobs.hold_lease(client, "r1", "b1", "w1")
    assert 0 < client.pttl(keys.lease("r1", "b1")) <= LEASE_MS
    client.set(keys.lease("r1", "b1"), "w1", px=FINISHED_LEASE_MS)
    jobs.hold_lease(client, "r1", "b1", "w1")
    assert client.pttl(keys.lease("r1", "b1")) > LEASE_MS


def test_withdrawn_batches_are_those_that_nobody_began(client: redis.Redis) -> None:
    queued, begun = a_batch(), a_batch()
    jobs.enqueue_batch(client, queued)
    assert jobs.withdraw_batches(client, [queued.batch, begun.batch]) == {queued.batch}
    assert jobs.queued_batches(client) == set()
    assert client.exists(jobs.BatchJob.key_for(queued.batch)) == 0


def test_a_full_server_queues_nothing_and_says_so(client: redis.Redis) -> None:
    client.config_set("maxmemory", "1")
    assert not jobs.enqueue_batch(client, a_batch())
    client.config_set("maxmemory", "1gb")
    assert jobs.queued_batches(client) == set()
    assert jobs.enqueue_batch(client, a_batch())


def test_what_is_put_back_still_counts_as_queued(client: redis.Redis) -> None:
    job = {**a_batch().to_job(), "schema": 99, "something": "new"}
    assert jobs.put_back(client, job, QUEUE_NAME)
    assert jobs.queued_batches(client) == {job["batch"]}
    assert jobs.queue(client).jobs[0].kwargs == {"job": job}


def test_options_and_stop_flag_of_a_run(client: redis.Redis) -> None:
    options = RunOptions(run_id="r1", scope=("example.com",), bots=("googlebot", "bingbot"), rate=2.5)
    assert jobs.get_options(client, "r1") is None
    jobs.put_options(client, options)
    assert jobs.get_options(client, "r1") == options
    assert not jobs.is_stopped(client, "r1")
    jobs.set_stop(client, "r1")
    assert jobs.is_stopped(client, "r1")
    jobs.clear_stop(client, "r1")
    assert not jobs.is_stopped(client, "r1")
    jobs.set_stop(client, "r1")
    jobs.set_stop(client, "r2")
    jobs.remove_run(client, "r1")
    assert list(client.scan_iter(match="*:r1:*")) == []
    assert jobs.is_stopped(client, "r2")


def test_robots_are_fetched_by_one_and_shared(client: redis.Redis) -> None:
    spider, worker = RobotsStore(client, "r1"), RobotsStore(client, "r1")
    origin = "https://example.com"
    assert spider.get(origin) is None
    assert spider.claim(origin, "spider")
    assert not worker.claim(origin, "w1")
    assert worker.claim("https://example.com:8443", "w1"), "another port has a file of its own"
    stored = StoredRobots(
        robots_url=f"{origin}/robots.txt",
        state=RobotsState.OK,
        body=b"User-agent: *\nDisallow: /caf\xc3\xa9\n",
        status=200,
        fetched_at=datetime(2026, 11, 30, 12, 0, 0, 5, UTC),
    )
    spider.put(origin, stored)
    assert worker.get(origin) == stored
    assert RobotsStore(client, "r2").get(origin) is None
    spider.release("https://example.com:8443")
    assert spider.claim("https://example.com:8443")


def test_a_failed_robots_is_believed_after_its_second_look(client: redis.Redis) -> None:
    now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
    first = StoredRobots(
        robots_url="https://example.com/robots.txt",
        state=RobotsState.UNREACHABLE,
        error_class=ErrorClass.TIMEOUT,
        fetched_at=now,
    )
    RobotsStore(client, "r1").put("https://example.com", first)
    assert RobotsStore(client, "r1").get("https://example.com") == first
    assert not first.believed()
    assert not first.look_due(now + timedelta(seconds=59), 60)
    assert first.look_due(now + timedelta(seconds=60), 60)
    second = StoredRobots(
        robots_url=first.robots_url, state=RobotsState.SERVER_ERROR, fetched_at=now, looks=RECHECK_COUNT
    )
    assert second.believed()
    assert not second.look_due(now + timedelta(days=1), 60)
    private = StoredRobots(
        robots_url=first.robots_url,
        state=RobotsState.UNREACHABLE,
        error_class=ErrorClass.PRIVATE_HOST,
        fetched_at=now,
    )
    assert private.believed()
