"""Batches: polite to each host, full for the workers, and never more connections than promised."""

from __future__ import annotations

from collections import Counter

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
