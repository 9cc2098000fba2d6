"""The turn of a host: spacing, connections, waits. LocalPace is held against the pace of a run."""

from __future__ import annotations

import asyncio
import itertools
import math
import time

import pytest
import redis

from crawler.turns import HostWaitsError, LocalPace, PaceLike, Turns
from sitemap_audit.queue.pace import HostState, Pace
from sitemap_audit.settings import HOST_FAILURES, RETRY_AFTER_CAP_S


@pytest.fixture(params=["local", "redis"])
def pace(request: pytest.FixtureRequest, client: redis.Redis) -> PaceLike:
    if request.param == "local":
        return LocalPace()
    for key in client.scan_iter("sitemap-audit:pace:*"):
        client.delete(key)
    return Pace(client)


def test_slots_lie_a_gap_apart(pace: PaceLike) -> None:
    first = pace.reserve("h.example", 100.0, 3, 10_000)
    assert (first.number, first.gap_ms, first.state) == (3, 100.0, HostState.FREE)
    assert first.wait_ms == 0
    then = pace.reserve("h.example", 100.0, 1, 10_000)
    assert 250 < then.wait_ms <= 300
    assert pace.reserve("other.example", 100.0, 1, 10_000).wait_ms == 0


def test_no_slot_further_ahead_than_asked(pace: PaceLike) -> None:
    assert pace.reserve("h.example", 1_000.0, 10, 2_500).number == 3
    none = pace.reserve("h.example", 1_000.0, 1, 500)
    assert none.number == 0
    assert 2_400 < none.wait_ms <= 3_000


def test_no_limit_means_no_wait(pace: PaceLike) -> None:
    for _ in range(3):
        slots = pace.reserve("h.example", 0.0, 50)
        assert (slots.number, slots.wait_ms) == (50, 0)


def test_retry_after_holds_the_host_and_widens_the_gap(pace: PaceLike) -> None:
    held = pace.hold("h.example", 7.0, 0.0)
    assert 6_900 < held.wait_ms <= 7_000
    assert (held.gap_ms, held.parked) == (200.0, False)
    assert pace.hold("h.example", 7.0, 0.0, age_ms=5_000).gap_ms == 200.0, "was on the wire already"
    none = pace.reserve("h.example", 0.0, 1)
    assert (none.number, none.state, none.dirty) == (0, HostState.HELD, True)


def test_too_long_a_wait_parks_the_host(pace: PaceLike) -> None:
    assert pace.hold("h.example", RETRY_AFTER_CAP_S + 1, 0.0).parked
    assert pace.reserve("h.example", 0.0, 1).state is HostState.PARKED


def test_a_host_that_never_answers_is_tried_now_and_then(pace: PaceLike) -> None:
    for n in range(1, HOST_FAILURES + 1):
        assert pace.fail("h.example") == n
    assert pace.reserve("h.example", 0.0, 1).state is HostState.DOWN
    pace.clean("h.example", 1, 0.0)
    assert pace.reserve("h.example", 0.0, 1).number == 1


def test_clean_answers_narrow_the_gap_again(pace: PaceLike) -> None:
    pace.hold("h.example", None, 100.0)
    before = pace.clean("h.example", 1, 100.0)
    assert before == 200.0
    assert pace.clean("h.example", 100, 100.0) < 200.0
    assert pace.clean("h.example", 1_000, 100.0) == 0.0


async def test_requests_of_a_host_keep_the_rate_and_others_do_not_wait() -> None:
    turns = Turns(LocalPace(), rate=50.0, concurrency=4)
    sent: dict[str, list[float]] = {"a.example": [], "b.example": []}

    async def ask(host: str) -> None:
        async with turns.turn(host):
            sent[host].append(time.monotonic())

    start = time.monotonic()
    await asyncio.gather(*(ask(host) for host in sent for _ in range(11)))
    for times in sent.values():
        assert min(b - a for a, b in itertools.pairwise(times)) > 0.01
        assert times[-1] - start >= 0.2


async def test_a_host_gets_so_many_connections() -> None:
    turns = Turns(LocalPace(), rate=0.0, concurrency=3)
    open_now, most = 0, 0
    release = asyncio.Event()

    async def ask() -> None:
        nonlocal open_now, most
        async with turns.turn("a.example"):
            open_now += 1
            most = max(most, open_now)
            if open_now == 3:
                release.set()
            await release.wait()
            open_now -= 1

    await asyncio.gather(*(ask() for _ in range(9)))
    assert most == 3


async def test_crawl_delay_counts_without_a_rate() -> None:
    turns = Turns(LocalPace(), rate=0.0, concurrency=4)
    turns.crawl_delay("a.example", 0.08)
    times = []
    for _ in range(3):
        async with turns.turn("a.example"):
            times.append(time.monotonic())
    assert times[2] - times[0] >= 0.155
    assert turns.gap_ms("b.example") == 0.0


async def test_who_would_wait_long_gives_the_place_back_at_once() -> None:
    turns = Turns(LocalPace(), rate=0.0, concurrency=1)
    await turns.answered("a.example", limited=True, retry_after_s=600.0, failed=False, age_s=0.1)
    start = time.monotonic()
    for _ in range(2):
        with pytest.raises(HostWaitsError) as waits:
            async with turns.turn("a.example"):
                raise AssertionError("no turn")
        assert 590 < waits.value.seconds <= 600
        assert waits.value.state is HostState.HELD
    assert time.monotonic() - start < 1


async def test_being_stopped_ends_a_wait() -> None:
    turns = Turns(LocalPace(), rate=0.1, concurrency=2)
    async with turns.turn("a.example"):
        pass

    async def late() -> None:
        async with turns.turn("a.example"):
            raise AssertionError("no turn")

    waiting = asyncio.ensure_future(late())
    await asyncio.sleep(0.05)
    turns.stopped.set()
    with pytest.raises(HostWaitsError) as waits:
        await asyncio.wait_for(waiting, 2)
    assert waits.value.seconds == math.inf
