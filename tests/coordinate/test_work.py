"""What the coordinator does with each word that comes back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import pytest

from sitemap_audit.coordinate.ledger import State
from sitemap_audit.coordinate.work import Work
from sitemap_audit.facts import Attempt, ErrorClass, PageState
from sitemap_audit.formats.urls import parse_url, url_id
from sitemap_audit.options import RunOptions
from sitemap_audit.queue.messages import Again, Batch, Left, LeftWhy, Target
from sitemap_audit.queue.pace import WaitWhy
from sitemap_audit.settings import CRASH_LOSSES, DOWN_ROUNDS_MAX, LIMITED_ROUNDS_MAX, SLOW_BOX_S

MAP: Final = "https://shop.example/sitemap.xml"
NOW: Final = datetime(2026, 11, 30, tzinfo=UTC)


class Clock:
    """Seconds that the test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def start(clock: Clock | None = None, **options: object) -> Work:
    given = {"rate": 0.0, "scope": ("shop.example", "www.shop.example"), "depth": "head"} | options
    return Work(RunOptions(run_id="r1", **given), clock=clock or Clock())  # type: ignore[arg-type]


def lists(work: Work, *paths: str, host: str = "shop.example") -> None:
    for path in paths:
        url = parse_url(f"https://{host}{path}")
        assert url is not None
        work.listed(int(url_id(url.key), 16), url, MAP)


def batch_of(work: Work) -> Batch:
    planned = work.next_batch(1)
    assert planned is not None
    return planned.batch


def answer(work: Work, batch: Batch) -> None:
    work.done(batch.batch, [u.seq for u in batch.urls], {})
    work.finished(batch.batch)


def test_a_url_of_two_files_is_asked_once() -> None:
    work = start()
    lists(work, "/a", "/a", "/b")
    assert [u.url for u in batch_of(work).urls] == ["https://shop.example/a", "https://shop.example/b"]


def test_other_hosts_are_skipped_and_only_their_robots_txt_is_read() -> None:
    work = start()
    lists(work, "/x", "/y", host="victim.example")
    batch = batch_of(work)
    assert [(u.url, u.how) for u in batch.urls] == [("https://victim.example/robots.txt", "robots")]
    assert work.ledger.counts().skipped == {"out_of_scope": 2}
    facts = work.take_facts()
    assert [(f.state, f.reason) for f in facts] == [(PageState.SKIPPED, "out_of_scope")] * 2
    assert work.take_facts() == []


def test_include_exclude_and_limit_are_reasons() -> None:
    work = start(include=("/p/",), exclude=("secret",), max_urls=1)
    lists(work, "/p/1", "/q/2", "/p/secret", "/p/3")
    assert [u.url for u in batch_of(work).urls] == ["https://shop.example/p/1"]
    assert work.ledger.counts().skipped == {"excluded": 2, "limit": 1}


def test_the_sample_takes_a_share_of_each_sitemap() -> None:
    work = start(sample=10)
    for number in range(90):
        lists(work, f"/big/{number}")
    url = parse_url("https://shop.example/small")
    assert url is not None
    work.listed(int(url_id(url.key), 16), url, "https://shop.example/small.xml")
    assert work.next_batch(1) is None
    work.listing_is_whole()
    asked = [u.url for u in batch_of(work).urls]
    assert len(asked) == 10
    assert "https://shop.example/small" in asked
    assert work.ledger.counts().skipped == {"sample": 81}


def test_targets_wait_until_the_listing_is_whole() -> None:
    work = start()
    lists(work, "/a")
    first = batch_of(work)
    work.targets(
        [Target("https://shop.example/b", "canonical"), Target("https://shop.example/c", "hreflang")]
    )
    answer(work, first)
    assert work.next_batch(1) is None
    lists(work, "/b")
    work.listing_is_whole()
    assert {(u.url, u.how) for u in batch_of(work).urls} == {
        ("https://shop.example/b", "sitemap"),
        ("https://shop.example/c", "hreflang"),
    }


def test_a_second_look_waits_and_brings_its_history() -> None:
    clock = Clock()
    work = start(clock, recheck_after_s=60.0)
    lists(work, "/a")
    work.listing_is_whole()
    batch = batch_of(work)
    look = Attempt(NOW, 503, None, 12)
    work.again(batch.batch, [Again(batch.urls[0].seq, look)])
    work.finished(batch.batch)
    assert work.next_batch(1) is None
    assert not work.nothing_left
    clock.now = 60.0
    (url,) = batch_of(work).urls
    assert url.history == (look,)


def test_a_finished_batch_owes_nothing() -> None:
    work = start()
    lists(work, "/a", "/b")
    work.listing_is_whole()
    batch = batch_of(work)
    work.done(batch.batch, [batch.urls[0].seq], {})
    work.finished(batch.batch)
    rest = batch_of(work)
    assert [u.url for u in rest.urls] == ["https://shop.example/b"]
    answer(work, rest)
    assert work.nothing_left
    assert work.ledger.counts().checked == 2


def test_a_lost_batch_is_halved_until_the_poison_stands_alone() -> None:
    work = start()
    lists(work, "/a", "/poison", "/c", "/d")
    work.listing_is_whole()
    rounds = 0
    while not work.nothing_left:
        rounds += 1
        assert rounds < 50
        batch = batch_of(work)
        if any(u.url.endswith("/poison") for u in batch.urls):
            work.lost(batch.batch)
        else:
            answer(work, batch)
    counts = work.ledger.counts()
    assert counts.checked == 3
    assert counts.unchecked == {"crashed": 1}
    assert rounds >= CRASH_LOSSES
    (fact,) = work.take_facts()
    assert (fact.requested_url, fact.state, fact.reason) == (
        "https://shop.example/poison",
        PageState.UNCHECKED,
        "crashed",
    )


def test_only_losses_alone_make_a_url_a_crasher() -> None:
    """Whoever was in a batch whose worker died by chance is under no suspicion."""
    work = start()
    lists(work, "/a", "/b")
    work.listing_is_whole()
    work.lost(batch_of(work).batch)
    for _ in range(CRASH_LOSSES - 1):
        alone = batch_of(work)
        assert len(alone.urls) == 1
        work.lost(alone.batch)
    assert work.ledger.counts().unchecked == {}


def test_each_half_of_a_lost_batch_has_a_part_of_every_host() -> None:
    """All hosts are asked again with the first half: the second may have to wait for a worker."""
    work = start(rate=5.0, scope=("shop.example", "b.example"))
    lists(work, *(f"/{n}" for n in range(10)))
    lists(work, *(f"/{n}" for n in range(10)), host="b.example")
    work.listing_is_whole()
    work.lost(batch_of(work).batch)
    hosts = [u.url.split("/")[2] for u in batch_of(work).urls]
    assert sorted(hosts) == ["b.example"] * 5 + ["shop.example"] * 5


def test_a_host_that_is_busy_with_others_is_free_once_nothing_of_it_is_owed() -> None:
    work = start(concurrency=4, rate=5.0, scope=("shop.example", "hangs.example"))
    lists(work, *(f"/{n}" for n in range(60)))
    lists(work, *(f"/{n}" for n in range(60)), host="hangs.example")
    first = batch_of(work)
    assert work.next_batch(1) is None
    work.done(first.batch, [u.seq for u in first.urls if "shop" in u.url], {})
    following = batch_of(work)
    assert {u.url.split("/")[2] for u in following.urls} == {"shop.example"}
    assert work.knows(first.batch)


def test_the_rest_of_a_parked_host_is_given_up_at_once() -> None:
    work = start(rate=1.0)
    lists(work, *(f"/{n}" for n in range(50)))
    work.listing_is_whole()
    batch = batch_of(work)
    work.left(batch.batch, [Left(u.seq, LeftWhy.LIMITED) for u in batch.urls])
    work.finished(batch.batch)
    assert work.turned_away() == ["shop.example"]
    work.wait_for("shop.example", WaitWhy.PARKED, 3_600.0)
    assert work.nothing_left
    assert work.ledger.counts().unchecked == {"rate_limited": 50}
    assert {f.reason for f in work.take_facts()} == {"rate_limited"}
    assert work.turned_away() == []


def test_a_host_without_a_slot_in_a_box_waits_as_long_as_its_pace_says() -> None:
    """Its Crawl-delay is longer than a box: planned again at once it would occupy workers for nothing."""
    clock = Clock()
    work = start(clock, rate=1.0)
    lists(work, "/a", "/b")
    batch = batch_of(work)
    work.left(batch.batch, [Left(u.seq, LeftWhy.BOX) for u in batch.urls])
    work.finished(batch.batch)
    assert work.next_batch(1) is None
    assert work.turned_away() == ["shop.example"]
    work.wait_for("shop.example", WaitWhy.CRAWL_DELAY, 25.0)
    clock.now = 23.0
    assert work.next_batch(1) is None
    clock.now = 24.0
    assert len(batch_of(work).urls) == 1


def test_a_host_that_answers_nothing_is_given_up_though_its_urls_end_one_by_one() -> None:
    clock = Clock()
    work = start(clock)
    lists(work, *(f"/{n}" for n in range(50)))
    work.listing_is_whole()
    for _ in range(DOWN_ROUNDS_MAX + 1):
        batch = batch_of(work)
        first, *rest = [u.seq for u in batch.urls]
        work.done(batch.batch, [first], {}, {first})
        work.left(batch.batch, [Left(seq, LeftWhy.DOWN) for seq in rest])
        work.finished(batch.batch)
        clock.now += 61
    assert work.nothing_left
    counts = work.ledger.counts()
    assert counts.checked == DOWN_ROUNDS_MAX + 1
    assert counts.unchecked == {"host_down": 50 - counts.checked}


def test_halves_of_a_lost_batch_keep_to_the_connections_of_their_host_and_use_them_all() -> None:
    work = start(concurrency=4, rate=5.0)
    lists(work, *(f"/{n}" for n in range(60)))
    lost = batch_of(work)
    assert lost.shares == {"shop.example": 4}
    work.lost(lost.batch)
    half = batch_of(work)
    assert half.shares == {"shop.example": 4}, "one connection would take four times as long"
    assert work.next_batch(1) is None, "the host has all its connections under way"
    answer(work, half)
    other = batch_of(work)
    assert {u.seq for u in (*half.urls, *other.urls)} == {u.seq for u in lost.urls}, "lost ones come first"


def test_words_about_an_unknown_batch_change_no_plan() -> None:
    work = start()
    lists(work, "/a")
    batch = batch_of(work)
    work.lost(batch.batch)
    again = batch_of(work)
    # The stale owner comes back: its facts are true and count, its "done" closes nothing.
    work.done(batch.batch, [batch.urls[0].seq], {})
    work.finished(batch.batch)
    assert again.batch in work.outstanding.batches
    assert work.ledger.counts().checked == 1
    answer(work, again)
    assert work.ledger.counts().checked == 1


@pytest.mark.parametrize(
    ("why", "rounds", "reason"),
    [(LeftWhy.LIMITED, LIMITED_ROUNDS_MAX, "rate_limited"), (LeftWhy.DOWN, DOWN_ROUNDS_MAX, "host_down")],
)
def test_a_host_that_never_lets_us_in_is_given_up(why: LeftWhy, rounds: int, reason: str) -> None:
    clock = Clock()
    work = start(clock)
    lists(work, "/a", "/b")
    work.listing_is_whole()
    for _ in range(rounds + 1):
        clock.now += 3_600
        batch = batch_of(work)
        work.left(batch.batch, [Left(u.seq, why) for u in batch.urls])
        work.finished(batch.batch)
    assert work.nothing_left
    assert work.ledger.counts().unchecked == {reason: 2}


def test_one_answer_of_a_host_forgives_its_refusals() -> None:
    clock = Clock()
    work = start(clock)
    lists(work, *(f"/{n}" for n in range(4)))
    for _ in range(3):
        clock.now += 3_600
        batch = batch_of(work)
        first, *rest = batch.urls
        work.done(batch.batch, [first.seq], {})
        work.left(batch.batch, [Left(u.seq, LeftWhy.LIMITED) for u in rest])
        work.finished(batch.batch)
    assert work.ledger.counts().unchecked == {}
    assert work.planner.hosts["shop.example"].limited <= 1


def test_what_a_worker_could_not_check_keeps_its_reason() -> None:
    work = start()
    lists(work, "/a")
    batch = batch_of(work)
    work.done(batch.batch, [0], {0: (State.UNCHECKED, "robots_paused")})
    assert work.ledger.counts().unchecked == {"robots_paused": 1}


def test_a_batch_that_the_full_server_did_not_take_is_planned_again() -> None:
    work = start()
    lists(work, "/a", "/b")
    batch = batch_of(work)
    work.not_sent(batch)
    assert {u.seq for u in batch_of(work).urls} == {u.seq for u in batch.urls}


def test_attempts_that_failed_come_along() -> None:
    work = start(recheck_after_s=0.0)
    lists(work, "/a")
    batch = batch_of(work)
    limited = Attempt(NOW, 429, None, 5)
    work.left(batch.batch, [Left(0, LeftWhy.LIMITED, limited)])
    work.finished(batch.batch)
    clock = work.clock
    assert isinstance(clock, Clock)
    clock.now = 3_600
    batch = batch_of(work)
    reset = Attempt(NOW, None, ErrorClass.RESET, 5)
    work.again(batch.batch, [Again(0, reset)])
    work.finished(batch.batch)
    (url,) = batch_of(work).urls
    assert url.history == (limited, reset)


def test_what_a_stale_owner_settled_is_not_asked_again() -> None:
    work = start()
    lists(work, "/a", "/b")
    work.listing_is_whole()
    batch = batch_of(work)
    work.lost(batch.batch)
    url = parse_url("https://shop.example/a")
    assert url is not None
    work.seen_before(int(url_id(url.key), 16), url.href, "sitemap", State.CHECKED, None)
    asked = []
    while (planned := work.next_batch(1)) is not None:
        asked += [u.url for u in planned.batch.urls]
        answer(work, planned.batch)
    assert asked == ["https://shop.example/b"]
    assert work.nothing_left


def test_a_fact_that_comes_before_its_entry_counts_once_listed() -> None:
    work = start()
    url = parse_url("https://shop.example/a")
    assert url is not None
    work.seen_before(int(url_id(url.key), 16), url.href, "sitemap", State.CHECKED, None)
    lists(work, "/a")
    work.listing_is_whole()
    assert work.next_batch(1) is None
    counts = work.ledger.counts()
    assert (counts.listed, counts.checked) == (1, 1)


def test_a_slow_host_moves_to_the_slow_queue_and_holds_up_nobody() -> None:
    work = start(concurrency=2, scope=("shop.example", "b.example"))
    lists(work, *(f"/{n}" for n in range(4)))
    lists(work, "/x", host="b.example")
    batch = batch_of(work)
    slow = [u.seq for u in batch.urls if "shop" in u.url]
    work.left(batch.batch, [Left(seq, LeftWhy.SLOW) for seq in slow])
    work.finished(batch.batch)
    work.listing_is_whole()
    fast = work.next_batch(1)
    assert fast is not None
    assert {u.url for u in fast.batch.urls} == {"https://b.example/x"}
    planned = work.next_batch(1, slow=True)
    assert planned is not None
    assert planned.slow
    assert planned.batch.box_s == SLOW_BOX_S
    assert {u.seq for u in planned.batch.urls} == set(slow)
    answer(work, fast.batch)
    answer(work, planned.batch)
    assert work.nothing_left
