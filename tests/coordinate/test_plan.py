"""Batches: polite to each host, full for the workers, and never more connections than promised."""

from __future__ import annotations

import sys
from collections import Counter
from types import FrameType
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.coordinate.plan import FILL, Draft, Planner


def drafts(planner: Planner, workers: int, now: float = 0.0) -> list[Draft]:
    """All batches that can be under way at once."""
    found = []
    while (draft := planner.draft(workers, now)) is not None:
        found.append(draft)
        assert len(found) < 1_000
    return found


def test_a_host_with_a_rate_gets_what_the_rate_gives_in_a_box() -> None:
    planner = Planner(rate=5, concurrency=4, box_s=6)
    planner.add("a.example", range(100))
    (draft,) = drafts(planner, 2)
    assert draft.size == int(FILL * 6 * 5)
    assert draft.shares == {"a.example": 4}
    assert planner.pending == 100 - draft.size


def test_without_a_rate_one_host_feeds_all_workers() -> None:
    planner = Planner(rate=0, concurrency=64)
    planner.add("a.example", range(10_000))
    found = drafts(planner, 2)
    assert len(found) == 3 * 2
    assert {d.size for d in found} == {250}
    assert sum(d.shares["a.example"] for d in found) <= 64


def test_the_last_urls_are_shared_between_the_workers() -> None:
    planner = Planner(rate=0, concurrency=64)
    planner.add("a.example", range(200))
    sizes = [d.size for d in drafts(planner, 2)]
    assert sum(sizes) == 200
    assert len(sizes) == 6
    assert max(sizes) - min(sizes) <= 1


def test_a_slow_host_takes_no_turn_of_the_others() -> None:
    planner = Planner(rate=0, concurrency=2)
    for host in ("a.example", "b.example", "c.example"):
        planner.add(host, range(40))
    planner.sleep("b.example", 60.0)
    hosts = {host for draft in drafts(planner, 1) for host in draft.urls}
    assert hosts == {"a.example", "c.example"}
    assert [name for name, _, _ in planner.asleep(0.0)] == ["b.example"]
    assert {host for draft in drafts(planner, 1, now=61.0) for host in draft.urls} == {"b.example"}


def test_what_comes_back_goes_to_the_front_in_its_order() -> None:
    planner = Planner(rate=1, concurrency=1, box_s=6)
    planner.add("a.example", [1, 2, 3])
    planner.add("a.example", [8, 9], front=True)
    draft = planner.draft(1, 0.0)
    assert draft is not None
    assert draft.urls["a.example"] == [8, 9, 1, 2]


def test_a_batch_that_ended_makes_room() -> None:
    planner = Planner(rate=5, concurrency=4)
    planner.add("a.example", range(1_000))
    assert len(drafts(planner, 1)) == 1
    planner.ended(["a.example"])
    assert len(drafts(planner, 1)) == 1


@given(
    rate=st.sampled_from([0.0, 0.2, 5.0, 50.0, 2_000.0]),
    concurrency=st.integers(1, 70),
    workers=st.integers(1, 9),
    hosts=st.lists(st.integers(1, 400), min_size=1, max_size=30),
)
def test_shares_never_add_up_to_more_than_the_concurrency_and_no_url_is_lost(
    rate: float, concurrency: int, workers: int, hosts: list[int]
) -> None:
    planner = Planner(rate=rate, concurrency=concurrency)
    waiting = {}
    for number, size in enumerate(hosts):
        waiting[f"h{number}.example"] = size
        planner.add(f"h{number}.example", range(size))
    seen: Counter[str] = Counter()
    for _ in range(500):
        under_way = drafts(planner, workers)
        if not under_way:
            break
        shares: Counter[str] = Counter()
        for draft in under_way:
            shares.update(draft.shares)
            for host, seqs in draft.urls.items():
                seen[host] += len(seqs)
        assert max(shares.values()) <= concurrency
        for draft in under_way:
            planner.ended(draft.urls)
    else:
        assert 0 < rate < 1, "only the slowest rate may need more rounds than these"
        return
    assert dict(seen) == waiting
    assert planner.pending == 0


def test_hosts_that_come_back_together_go_out_together() -> None:
    """Strewn over many batches most of them would wait for a worker, and lose the time that their rate gives."""
    planner = Planner(rate=10, concurrency=4)
    for number in range(40):
        planner.add(f"h{number}.example", range(1_000))
    running = [planner.draft(4, 0.0) for _ in range(4)]
    assert [len(d.urls) for d in running if d is not None] == [10, 10, 10, 10]
    assert planner.draft(4, 0.0) is None
    assert running[0] is not None
    planner.ended(running[0].urls)
    again = planner.draft(4, 0.0)
    assert again is not None
    assert set(again.urls) == set(running[0].urls)


def test_while_hosts_are_found_a_batch_is_short() -> None:
    planner = Planner(rate=10, concurrency=4)
    planner.add("a.example", range(100))
    planner.early = True
    early = planner.draft(1, 0.0)
    assert early is not None
    assert early.size == 16
    planner.ended(early.urls)
    planner.early = False
    late = planner.draft(1, 0.0)
    assert late is not None
    assert late.size == 48


def test_a_host_gets_what_it_manages() -> None:
    """By Crawl-delay, back-off or slow pages a host may do less than its rate: the rest would only be handed back."""
    planner = Planner(rate=10, concurrency=4)
    planner.add("a.example", range(1_000))

    def given() -> int:
        draft = planner.draft(1, 0.0)
        assert draft is not None
        planner.ended(draft.urls)
        return draft.size

    assert given() == 48
    planner.managed("a.example", 48, 5)
    assert given() == 5
    planner.managed("a.example", 5, 5)
    assert given() == 10
    planner.managed("a.example", 10, 0)
    assert given() == 1
    for _ in range(20):
        planner.managed("a.example", 1, 1)
    assert given() == 48


def test_who_hands_back_again_and_again_does_not_come_first_again_and_again() -> None:
    planner = Planner(rate=10, concurrency=4)
    for host in ("greedy.example", "b.example", "c.example"):
        planner.add(host, range(100))
    first = planner.draft(3, 0.0)
    assert first is not None
    assert list(first.urls) == ["greedy.example"]
    planner.add("greedy.example", first.urls["greedy.example"], front=True)
    planner.ended(first.urls)
    following = planner.draft(3, 0.0)
    assert following is not None
    assert list(following.urls) == ["b.example"]


def lines_run(planner: Planner) -> int:
    """Lines of plan.py that one draft runs: its cost, the same on every machine."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if not frame.f_code.co_filename.endswith("plan.py"):
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        draft = planner.draft(2, 100.0)
    finally:
        sys.settrace(before)
    assert draft is not None
    return count


def test_a_draft_costs_the_same_beside_thousands_of_hosts_that_sleep_or_are_done() -> None:
    costs = []
    for sleepers in (10, 5_000):
        planner = Planner(rate=5, concurrency=4)
        for number in range(sleepers):
            planner.add(f"s{number}.example", range(3))
            planner.sleep(f"s{number}.example", 1_000.0)
            planner.add(f"done{number}.example", [1])
        while planner.draft(1, 0.0) is not None:
            pass
        planner.add("a.example", range(50))
        costs.append(lines_run(planner))
        assert len(planner.asleep(100.0)) == sleepers
    assert costs[0] == costs[1]


def test_a_host_told_to_sleep_each_second_is_remembered_once() -> None:
    planner = Planner(rate=5, concurrency=4)
    planner.add("a.example", range(3))
    for _ in range(1_000):
        planner.sleep("a.example", 50.0)
    assert planner.draft(1, 49.0) is None
    assert planner.draft(1, 50.0) is not None
    assert planner.asleep(50.0) == []
