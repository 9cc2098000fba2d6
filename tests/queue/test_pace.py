"""Request slots of a host: the rate over several processes, waits the host asks for, failures."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import redis

from sitemap_audit.queue import keys
from sitemap_audit.queue.pace import HostState, Pace, base_gap_ms, block_size
from sitemap_audit.settings import (
    BACKOFF_MAX_GAP_MS,
    CRAWL_DELAY_CAP_S,
    FREE_BLOCK,
    HOST_FAILURES,
    LIMITS_IN_A_ROW,
    RECOVER_AFTER,
    RETRY_AFTER_CAP_S,
)

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
    assert client.exists(keys.pace(HOST)) == 0


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
    assert pace.status(HOST).failures == 0


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
    assert pace.status(HOST) == (0.0, 0, 0, 0, 0)
    pace.reserve(HOST, 200, 5)
    pace.hold(HOST, 10, 200.0)
    status = pace.status(HOST)
    assert status.gap_ms == 400.0
    assert 500 < status.next_ms <= 1000
    assert 9_000 < status.held_ms <= 10_000
    assert status.parked_ms == 0
    assert client.pttl(keys.pace(HOST)) > 0
