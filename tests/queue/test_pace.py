"""Request slots of a host: the rate over several processes, waits the host asks for, failures."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis

from sitemap_audit.queue import keys
from sitemap_audit.queue.pace import HostState, Pace, base_gap_ms, block_size
from sitemap_audit.queue.server import connect
from sitemap_audit.settings import (
    BACKOFF_MAX_GAP_MS,
    CRAWL_DELAY_CAP_S,
    FREE_BLOCK,
    HOST_FAILURES,
    LIMITS_IN_A_ROW,
    RECOVER_AFTER,
    RETRY_AFTER_CAP_S,
)
from tests.pace_key import pace_status

ROOT = Path(__file__).parents[2]
HOST = "example.com"

# One taker of slots, as a worker takes them: prints the time of each request it would send.
TAKER = """
import sys, time
from sitemap_audit.queue.pace import Pace
from sitemap_audit.queue.server import connect
pace = Pace(connect(sys.argv[1]))
gap, last = float(sys.argv[2]), 0.0
print("ready", flush=True)
sys.stdin.readline()
end = time.time() + float(sys.argv[3])
while time.time() < end:
    asked = time.monotonic()
    slots = pace.reserve("example.com", gap, 5)
    due = time.monotonic() + slots.wait_ms / 1000
    if not slots.number:
        time.sleep(max(1, slots.wait_ms - 1000) / 1000)
    elif time.monotonic() - asked < gap / 2000:
        for _ in range(slots.number):
            time.sleep(max(0.0, due - time.monotonic(), last + gap / 1000 - time.monotonic()))
            if time.monotonic() - due < gap / 2000:
                last = time.monotonic()
                print(time.time(), flush=True)
            due += gap / 1000
"""


def test_two_processes_together_keep_the_rate(client: redis.Redis, server_url: str) -> None:
    rate, seconds = 20, 3.0
    takers = [
        subprocess.Popen(
            [sys.executable, "-c", TAKER, server_url, str(1000 / rate), str(seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for _ in range(2)
    ]
    for taker in takers:
        assert taker.stdout is not None
        assert taker.stdout.readline() == "ready\n"
    outputs = [""] * len(takers)

    def let_go(number: int) -> None:
        outputs[number] = takers[number].communicate("go\n")[0]

    threads = [threading.Thread(target=let_go, args=[number]) for number in range(len(takers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sent = sorted(float(line) for output in outputs for line in output.split())
    worst = max(sum(start <= at < start + 1 for at in sent) for start in sent)
    assert worst <= rate + 1
    assert len(sent) > rate * seconds / 2
    assert all(len(output.split()) >= 5 for output in outputs)


def test_slots_lie_a_gap_apart_and_never_past_the_end_of_the_box(client: redis.Redis) -> None:
    pace = Pace(client)
    first = pace.reserve(HOST, 200, 10, ahead_ms=1000)
    assert (first.number, first.wait_ms, first.gap_ms) == (6, 0, 200)
    after = pace.reserve(HOST, 200, 10, ahead_ms=1000)
    assert after.number <= 1
    assert 900 < pace.reserve(HOST, 200, 1, ahead_ms=100).wait_ms <= 1400


def test_no_rate_gives_blocks_without_waiting(client: redis.Redis) -> None:
    pace = Pace(client)
    assert block_size(base_gap_ms(0)) == FREE_BLOCK
    for _ in range(3):
        assert pace.reserve(HOST, 0, FREE_BLOCK)[:3] == (FREE_BLOCK, 0, 0.0)


def test_a_crawl_delay_widens_the_gap_up_to_the_cap() -> None:
    assert base_gap_ms(5) == 200
    assert base_gap_ms(5, 2.0) == 2000
    assert base_gap_ms(0, 1.0) == 1000
    assert base_gap_ms(5, 0.1) == 200
    assert base_gap_ms(5, 3600.0) == 1000 * CRAWL_DELAY_CAP_S


def test_retry_after_holds_the_host_for_all(client: redis.Redis) -> None:
    pace = Pace(client)
    held = pace.hold(HOST, 30, 200.0)
    assert (held.wait_ms, held.gap_ms, held.parked) == (30_000, 400.0, False)
    slots = Pace(client).reserve(HOST, 200, 10)
    assert slots.number == 0
    assert slots.state is HostState.HELD
    assert 29_000 < slots.wait_ms <= 30_000
    assert slots.dirty
    assert pace.hold(HOST, 5, 200.0).wait_ms > 29_000, "a shorter wait takes nothing back"


def test_the_gap_doubles_once_a_round_trip(client: redis.Redis) -> None:
    pace = Pace(client)
    assert pace.hold(HOST, 0, 0.0).gap_ms == 200.0
    # These were on the wire when the gap doubled.
    assert pace.hold(HOST, 0, 0.0, age_ms=5_000).gap_ms == 200.0
    assert pace.hold(HOST, 0, 0.0).gap_ms == 400.0
    for _ in range(10):
        gap = pace.hold(HOST, 0, 0.0).gap_ms
    assert gap == BACKOFF_MAX_GAP_MS
    assert pace.hold(HOST, 0, 9_000.0).gap_ms == 9_000.0, "a wider gap of our own is kept"


@pytest.mark.parametrize("retry_after", [RETRY_AFTER_CAP_S + 1, 10 * 365 * 86_400, 1e300])
def test_too_long_a_wait_parks_the_host(client: redis.Redis, retry_after: float) -> None:
    pace = Pace(client)
    assert pace.hold(HOST, retry_after, 200.0).parked
    assert pace.reserve(HOST, 200, 1).state is HostState.PARKED
    assert pace.reserve("other.example", 200, 1).number == 1


def test_a_host_that_limits_again_and_again_is_parked(client: redis.Redis) -> None:
    pace = Pace(client)
    for _ in range(LIMITS_IN_A_ROW - 1):
        assert not pace.hold(HOST, None, 0.0).parked
    pace.clean(HOST, 1, 0.0)
    for _ in range(LIMITS_IN_A_ROW - 1):
        assert not pace.hold(HOST, None, 0.0).parked
    assert pace.hold(HOST, None, 0.0).parked


def test_clean_answers_narrow_the_gap_again(client: redis.Redis) -> None:
    pace = Pace(client)
    pace.hold(HOST, 0, 200.0)
    assert pace.clean(HOST, RECOVER_AFTER - 1, 200.0) == 400.0
    assert pace.clean(HOST, 1, 200.0) == 360.0
    assert pace.clean(HOST, 2 * RECOVER_AFTER, 200.0) == pytest.approx(291.6)
    assert pace.clean(HOST, 10 * RECOVER_AFTER, 200.0) == 0.0
    slots = pace.reserve(HOST, 200, 1)
    assert (slots.number, slots.gap_ms, slots.dirty) == (1, 200.0, False)


def test_a_host_that_fails_is_tried_now_and_then(client: redis.Redis) -> None:
    pace = Pace(client)
    for number in range(1, HOST_FAILURES + 1):
        assert pace.reserve(HOST, 0, 5).number == 5
        assert pace.fail(HOST) == number
    down = pace.reserve(HOST, 0, 5)
    assert (down.number, down.state) == (0, HostState.DOWN)
    assert 50_000 < down.wait_ms <= 60_000
    client.hset(keys.pace(HOST), "down", "0")  # a minute later
    assert pace.reserve(HOST, 0, 5).number == 1
    assert pace.reserve(HOST, 0, 5).number == 0
    pace.clean(HOST, 1, 0.0)
    assert pace.reserve(HOST, 0, 5).number == 5
    assert pace_status(client, HOST).failures == 0


def test_the_scripts_come_back_after_a_flush(client: redis.Redis) -> None:
    pace = Pace(client)
    for _ in range(3):
        client.script_flush()
        assert pace.reserve(HOST, 200, 1, 10_000).number == 1
        pace.hold(HOST, 0, 200.0)
        client.script_flush()
        pace.clean(HOST, 1, 200.0)


def test_the_status_tells_what_holds(client: redis.Redis) -> None:
    pace = Pace(client)
    assert pace_status(client, HOST) == (0.0, 0, 0, 0, 0)
    pace.reserve(HOST, 200, 5)
    pace.hold(HOST, 10, 200.0)
    status = pace_status(client, HOST)
    assert status.gap_ms == 400.0
    assert 500 < status.next_ms <= 1000
    assert 9_000 < status.held_ms <= 10_000
    assert status.parked_ms == 0
    assert client.pttl(keys.pace(HOST)) > 0


def test_a_gap_that_grew_holds_from_the_last_request_on(client: redis.Redis) -> None:
    """The robots.txt that asks for a Crawl-delay was itself fetched at the usual pace."""
    pace = Pace(client)
    for host, gap in ((HOST, 50), ("free.example", 0)):
        assert pace.reserve(host, gap, 1).wait_ms == 0
        assert 900 < pace.reserve(host, 1_000, 1).wait_ms <= 1_000


@pytest.fixture
def listening(client: redis.Redis, server_url: str) -> Iterator[Pace]:
    """The pace of another process, which hears of holds."""
    with connect(server_url, patient=False) as other:
        pace = Pace(other)
        pace.listen()
        until(lambda: pace.listening)
        yield pace
        pace.close()


def until(true: Callable[[], object], seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.005)


def test_slots_in_hand_are_void_when_another_process_is_turned_away(
    client: redis.Redis, listening: Pace
) -> None:
    slots = listening.reserve(HOST, 100, 5)
    others = listening.reserve("other.example", 100, 5)
    assert listening.mark(HOST) == slots.mark
    Pace(client).hold(HOST, 3, 100.0)
    until(lambda: listening.mark(HOST) != slots.mark)
    assert listening.mark("other.example") == others.mark
    assert listening.reserve(HOST, 100, 5).state is HostState.HELD


def test_its_own_holds_void_no_slots_that_came_after(client: redis.Redis, listening: Pace) -> None:
    listening.hold(HOST, 0, 100.0)
    slots = listening.reserve(HOST, 100, 1, 10_000)
    Pace(client).hold("other.example", 1, 100.0)
    before = listening.mark("other.example")
    until(lambda: listening.mark("other.example") != before or listening.reserve("other.example", 0, 1).dirty)
    assert listening.mark(HOST) == slots.mark


def test_a_hold_that_the_server_forgot_is_kept_by_who_heard_of_it(
    client: redis.Redis, listening: Pace
) -> None:
    """As after a kill: the log lacks its last second."""
    mark = listening.mark(HOST)
    Pace(client).hold(HOST, 30, 100.0)
    until(lambda: listening.mark(HOST) != mark)
    client.delete(keys.pace(HOST))
    assert Pace(client).reserve(HOST, 100, 1).number == 1, "who has not heard of it knows nothing"
    client.delete(keys.pace(HOST))
    slots = listening.reserve(HOST, 100, 1)
    assert (slots.number, slots.state) == (0, HostState.HELD)
    assert 25_000 < slots.wait_ms <= 30_000


def test_a_lost_connection_voids_all_slots_and_holds_are_said_again(
    client: redis.Redis, listening: Pace
) -> None:
    host = "again.example"  # listeners of other tests, that end at this moment, say again what they heard of HOST
    mark = listening.mark(host)
    Pace(client).hold(host, 30, 100.0)
    until(lambda: listening.mark(host) != mark)
    other = listening.mark("other.example")
    client.delete(keys.pace(host))
    client.client_kill_filter(_type="pubsub")
    until(lambda: listening.mark("other.example") != other)
    until(lambda: client.hget(keys.pace(host), "until"))
    status = pace_status(client, host)
    assert 25_000 < status.held_ms <= 30_000
    assert status.gap_ms == 0.0, "said again it widens no gap"


def test_after_a_restart_of_the_server_each_host_rests_for_a_gap(client: redis.Redis) -> None:
    """Its log may lack the last slots: a Crawl-delay would be undercut."""
    client.script_flush()
    pace = Pace(client)
    assert pace.reserve(HOST, 5_000, 1).wait_ms == 0, "in its first life a server has given none"
    client.delete(keys.pace(HOST))
    client.script_flush()  # as a new process has none
    assert 4_900 < pace.reserve(HOST, 5_000, 1, 10_000).wait_ms <= 5_000
    assert 0 < pace.reserve("other.example", 300, 1).wait_ms <= 300
    assert pace.reserve("free.example", 0, 1).wait_ms == 0


@pytest.mark.parametrize(("retry_after", "wait_ms"), [(None, 400.0), (0, 0), (3, 3_000)])
def test_what_a_host_may_ask_for(client: redis.Redis, retry_after: float | None, wait_ms: float) -> None:
    held = Pace(client).hold(HOST, retry_after, 200.0)
    assert (held.wait_ms, held.gap_ms, held.parked) == (wait_ms, 400.0, False)
