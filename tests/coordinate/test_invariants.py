"""Whatever comes back in whatever order: no URL twice under way, none lost, no host asked more than promised."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import Final

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from sitemap_audit.coordinate.ledger import State
from sitemap_audit.coordinate.plan import FILL
from sitemap_audit.coordinate.work import Work
from sitemap_audit.facts import Attempt
from sitemap_audit.formats.urls import pace_host, parse_url, url_id
from sitemap_audit.options import RunOptions
from sitemap_audit.queue.messages import Again, Batch, Left, LeftWhy
from sitemap_audit.queue.pace import WaitWhy
from sitemap_audit.settings import BATCH_BOX_S, CRASH_LOSSES
from tests.depth import examples

HOSTS: Final = tuple(f"h{n}.example" for n in range(6))
NOW: Final = datetime(2026, 11, 30, tzinfo=UTC)
WHYS: Final = (LeftWhy.BOX, LeftWhy.SLOW, LeftWhy.LIMITED, LeftWhy.DOWN, LeftWhy.STOPPED)


class Run(RuleBasedStateMachine):
    """A coordinator's plan, and workers that answer, hand back, are lost, come too late."""

    @initialize(
        rate=st.sampled_from([0.0, 0.5, 5.0, 1_200.0]),
        concurrency=st.integers(1, 9),
        workers=st.integers(1, 4),
    )
    def begin(self, rate: float, concurrency: int, workers: int) -> None:
        self.now = 0.0
        self.workers = workers
        self.work = Work(
            RunOptions(run_id="r1", rate=rate, concurrency=concurrency, scope=HOSTS, recheck_after_s=5.0),
            clock=lambda: self.now,
        )
        self.under: list[tuple[Batch, bool]] = []
        self.stale: list[Batch] = []
        self.listed = 0
        self.alone: Counter[int] = Counter()

    # --- what happens ------------------------------------------------------------------------

    @precondition(lambda self: not self.work.whole)
    @rule(host=st.sampled_from(HOSTS), number=st.integers(1, 40))
    def entries(self, host: str, number: int) -> None:
        for _ in range(number):
            url = parse_url(f"https://{host}/{self.listed}")
            assert url is not None
            self.work.listed(int(url_id(url.key), 16), url, "map")
            self.listed += 1

    @rule()
    def whole(self) -> None:
        self.work.listing_is_whole()

    @rule(seconds=st.sampled_from([0.1, 1.0, 6.0, 61.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @rule(slow=st.booleans(), sent=st.integers(0, 9))
    def plan(self, slow: bool, sent: int) -> None:
        workers = 1 if slow else self.workers
        while (planned := self.work.next_batch(workers, slow=slow)) is not None:
            if not sent:
                self.work.not_sent(planned.batch)
                return
            self.under.append((planned.batch, planned.slow))

    @precondition(lambda self: self.under)
    @rule(data=st.data())
    def word(self, data: st.DataObject) -> None:
        """A message of a batch under way: some done, some handed back, some to be looked at again."""
        batch, _ = data.draw(st.sampled_from(self.under))
        owed = list(self.work.outstanding.batches[batch.batch].urls)
        done = data.draw(st.integers(0, len(owed)))
        back = data.draw(st.integers(0, len(owed) - done))
        again = data.draw(st.integers(0, min(3, len(owed) - done - back)))
        states = dict.fromkeys(owed[: done // 3], (State.SKIPPED, "robots"))
        self.work.done(batch.batch, owed[:done], states, set(owed[: done // 2]))
        why = data.draw(st.sampled_from(WHYS))
        look = Attempt(NOW, 429, None, 5) if why is LeftWhy.LIMITED else None
        self.work.left(batch.batch, [Left(s, why, look) for s in owed[done : done + back]])
        rest = owed[done + back : done + back + again]
        self.work.again(batch.batch, [Again(s, Attempt(NOW, 503, None, 5)) for s in rest])
        if data.draw(st.booleans()):
            self.work.finished(batch.batch)
            self.gone(batch)

    @precondition(lambda self: self.under)
    @rule(data=st.data())
    def lost(self, data: st.DataObject) -> None:
        batch, _ = data.draw(st.sampled_from(self.under))
        owed = self.work.outstanding.batches[batch.batch].urls
        if len(owed) == 1:
            self.alone.update(list(owed))
        self.work.lost(batch.batch)
        self.gone(batch)
        self.stale.append(batch)

    @precondition(lambda self: self.stale)
    @rule(data=st.data())
    def too_late(self, data: st.DataObject) -> None:
        """A worker that was given up says what it did: its facts count, its word about the batch does not."""
        batch = data.draw(st.sampled_from(self.stale))
        for url in batch.urls[:3]:
            known = parse_url(url.url)
            assert known is not None
            self.work.seen_before(int(url_id(known.key), 16), url.url, url.how, State.CHECKED, None)
        self.work.finished(batch.batch)

    @rule(host=st.sampled_from(HOSTS), why=st.sampled_from(list(WaitWhy)))
    def pace_says(self, host: str, why: WaitWhy) -> None:
        if host in self.work.planner.hosts and why is not WaitWhy.PARKED:
            self.work.wait_for(host, why, 3.0)

    def gone(self, batch: Batch) -> None:
        self.under = [(b, slow) for b, slow in self.under if b.batch != batch.batch]

    # --- what always holds -------------------------------------------------------------------

    @invariant()
    def no_url_is_in_two_batches_that_live(self) -> None:
        owed = Counter(s for u in self.work.outstanding.batches.values() for s in u.urls)
        assert max(owed.values(), default=1) == 1

    @invariant()
    def connections_never_add_up_to_more(self) -> None:
        work = self.work
        shares: Counter[str] = Counter()
        for batch, _ in self.under:
            for host in work.outstanding.batches[batch.batch].hosts:
                shares[host] += batch.shares[host]
        assert max(shares.values(), default=0) <= work.options.concurrency

    @invariant()
    def a_host_gets_no_more_of_a_box_than_its_rate_gives(self) -> None:
        options = self.work.options
        if options.rate:
            most = max(1, int(FILL * BATCH_BOX_S * options.rate))
            for batch, _ in self.under:
                of_host = Counter(pace_host(url) for u in batch.urls if (url := parse_url(u.url)))
                assert max(of_host.values()) <= most

    @invariant()
    def the_account_is_whole(self) -> None:
        counts = self.work.ledger.counts()
        settled = counts.checked + sum(counts.skipped.values()) + sum(counts.unchecked.values())
        assert counts.listed == self.listed == settled + counts.waiting

    @invariant()
    def what_waits_is_somewhere_and_once(self) -> None:
        work = self.work
        places: Counter[int] = Counter(s for q in work.planner.hosts.values() for s in q.urls)
        assert sum(places.values()) == work.planner.pending
        places.update(s for u in work.outstanding.batches.values() for s in u.urls)
        places.update(s for urls in work._requeue for seqs in urls.values() for s in seqs)
        places.update(s for _, s in work._looks)
        waiting = set(work.ledger.waiting())
        assert waiting <= places.keys()
        assert max((places[s] for s in waiting), default=1) == 1

    @invariant()
    def a_url_counts_as_crashed_only_after_it_was_lost_alone_again_and_again(self) -> None:
        crashed = self.work.ledger.counts().unchecked.get("crashed", 0)
        assert crashed <= sum(n >= CRASH_LOSSES for n in self.alone.values())

    def teardown(self) -> None:
        """Workers that answer everything bring every run to its end."""
        if not hasattr(self, "work"):
            return
        work = self.work
        work.listing_is_whole()
        for _ in range(3_000):
            for batch, _ in self.under:
                work.done(batch.batch, list(work.outstanding.batches[batch.batch].urls), {})
                work.finished(batch.batch)
            self.under.clear()
            if work.nothing_left:
                break
            self.now += 61.0
            self.plan(False, 1)
            self.plan(True, 1)
        assert work.nothing_left
        counts = work.ledger.counts()
        assert counts.waiting == 0
        assert counts.listed == self.listed


Run.TestCase.settings = settings(max_examples=examples(30), stateful_step_count=30, deadline=None)
TestRun = Run.TestCase
