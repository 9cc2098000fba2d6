"""What the coordinator says of its run: rates, time left, who waits and why; and what it costs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import redis

from sitemap_audit.coordinate.collect import Collector
from sitemap_audit.coordinate.progress import describe
from sitemap_audit.coordinate.status import Meter, StatusWriter
from sitemap_audit.coordinate.work import Work
from sitemap_audit.facts import ErrorClass, RobotsState
from sitemap_audit.formats.urls import parse_url, url_id
from sitemap_audit.options import RunOptions
from sitemap_audit.queue.pace import Pace
from sitemap_audit.queue.robots import RobotsStore, StoredRobots
from sitemap_audit.queue.server import connect
from sitemap_audit.queue.status import RunState, get_status, look
from sitemap_audit.queue.stream import Reader
from sitemap_audit.settings import WAITS_SHOWN
from sitemap_audit.store.folder import RunRecord


@pytest.fixture
def client(server_url: str) -> Iterator[redis.Redis]:
    with connect(server_url) as found:
        found.flushall()
        yield found


def writer_of(client: redis.Redis, hosts: int, **options: object) -> StatusWriter:
    """A run that lists one URL on each of so many hosts."""
    scope = tuple(f"h{n}.example" for n in range(hosts))
    run = RunOptions(run_id="r1", scope=scope, rate=0, **options)  # type: ignore[arg-type]
    work = Work(run)
    for host in scope:
        url = parse_url(f"https://{host}/")
        assert url is not None
        work.listed(int(url_id(url.key), 16), url, "https://h0.example/sitemap.xml")
    record = RunRecord(run_id="r1", state="running", started_at=datetime.now(UTC), options=run)
    return StatusWriter(record, client, work, Collector(work, Reader(client, "r1"), {}))


def test_the_rate_begins_with_the_first_url_and_forgets_what_is_old() -> None:
    meter = Meter()
    for second in range(60):  # start-up and discovery: nothing is checked for a minute
        meter.add(0, second)
    for second in range(60, 100):
        meter.add(10 * (second - 59), second)
    assert meter.rate == pytest.approx(10)
    assert meter.mean == pytest.approx(10)
    for second in range(100, 120):  # half as fast
        meter.add(410 + 5 * (second - 100), second)
    assert meter.rate == pytest.approx(5, rel=0.1)
    assert 5 < meter.mean < 10


def test_a_moment_is_put_for_others_and_read_back_whole(client: redis.Redis) -> None:
    writer = writer_of(client, 3)
    writer.count("lost_batches", 2)
    said = writer.moment()
    found = get_status(client, "r1")
    assert found is not None
    status, age = found
    assert status == said
    assert 0 <= age < 5
    assert status.state is RunState.DISCOVERING
    assert status.listed == status.waiting == 3
    assert status.events == {"lost_batches": 2}
    assert status.left_s is None, "nobody knows while sitemaps are still read"
    assert writer.last(RunState.DONE).state is RunState.DONE
    assert get_status(client, "r2") is None


def test_a_pause_is_counted_once_and_says_why(client: redis.Redis) -> None:
    writer = writer_of(client, 1)
    writer.moment(paused="the disk is full")
    status = writer.moment(paused="the disk is full")
    assert (status.state, status.why, status.events["pauses"]) == (RunState.PAUSING, "the disk is full", 1)
    writer.moment()
    assert writer.moment(paused="again").events["pauses"] == 2


def test_who_waits_and_why(client: redis.Redis) -> None:
    writer = writer_of(client, 4)
    pace = Pace(client)
    pace.hold("h0.example", 120, 0.0)
    pace.hold("h1.example", None, 0.0)
    for _ in range(5):
        pace.fail("h2.example")
    now = writer.work.clock()
    for number, seconds in enumerate((120.0, 5.0, 60.0)):
        writer.work.planner.sleep(f"h{number}.example", now + seconds)
    status = writer.moment()
    assert [(w.host, w.why, w.urls) for w in status.waits] == [
        ("h0.example", "retry_after", 1),
        ("h2.example", "down", 1),
        ("h1.example", "back_off", 1),
    ]
    assert status.hosts_waiting == 3
    assert "h0.example asked us to wait: left alone for 2 min 00 s (1 URLs) and 2 more" in describe(status)


def test_a_name_that_does_not_resolve_is_said_at_once(client: redis.Redis) -> None:
    writer = writer_of(client, 1)
    store = RobotsStore(client, "r1")
    failed = StoredRobots(
        robots_url="https://h0.example/robots.txt",
        state=RobotsState.UNREACHABLE,
        error_class=ErrorClass.DNS,
        fetched_at=datetime.now(UTC),
    )
    store.put("https://h0.example", failed)
    (note,) = writer.moment().notes
    assert note.startswith("h0.example: robots.txt cannot be had, its name does not resolve, next look in ")
    store.put(
        "https://h0.example",
        StoredRobots(robots_url=failed.robots_url, state=RobotsState.OK, fetched_at=datetime.now(UTC)),
    )
    assert store.waiting() == []


def test_it_is_cheap_with_five_thousand_hosts_that_all_wait(client: redis.Redis) -> None:
    """A second of it: the bound is many times what it takes on a quiet machine (docs/operations.md)."""
    writer = writer_of(client, 5_000)
    now = writer.work.clock()
    for host in list(writer.work.planner.hosts):
        writer.work.planner.sleep(host, now + 300)
    writer.moment()
    rounds, began = 10, time.process_time()
    for _ in range(rounds):
        writer._next = 0.0  # a second has passed
        status = writer.moment()
        for _ in range(3):
            writer.moment()
    assert (time.process_time() - began) / rounds < 0.02
    assert len(status.waits) == WAITS_SHOWN
    assert status.hosts_waiting == 5_000


def test_a_look_at_the_server(client: redis.Redis, tmp_path: Path) -> None:
    seen = look(client, "r1", ["b1"])
    assert seen.memory_bytes > 0
    assert seen.queued == {"main": 0, "slow": 0}
    assert seen.messages == {"pages": 0, "entries": 0}
    assert seen.leases == {}
    assert seen.workers == ()
    client.set("sitemap-audit:r1:lease:b1", "w1", px=4_000)
    client.set("sitemap-audit:r1:lease:b2", "w1", px=400_000)  # ended, its last message not collected yet
    assert look(client, "r1", ["b1", "b2", "b3"]).leases == {"b1": "w1"}
