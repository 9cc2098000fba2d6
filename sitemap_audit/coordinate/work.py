"""What is to be asked, what is under way, and what to do with each word that comes back.

Pure of Redis and disk: the loop in run.py moves messages in and batches out. Times are seconds of a
monotonic clock that the caller gives.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from sitemap_audit.coordinate.ledger import Ledger, State
from sitemap_audit.coordinate.outstanding import Outstanding
from sitemap_audit.coordinate.plan import Draft, Planner
from sitemap_audit.coordinate.probes import probe_urls
from sitemap_audit.coordinate.select import Selection
from sitemap_audit.facts import Attempt, Page, PageState
from sitemap_audit.formats.urls import Url, pace_host, parse_url, url_id, url_number
from sitemap_audit.options import RunOptions
from sitemap_audit.queue.listing import Listed
from sitemap_audit.queue.messages import Again, Batch, BatchUrl, Left, LeftWhy, Target
from sitemap_audit.queue.pace import WaitWhy
from sitemap_audit.settings import (
    BATCH_BOX_S,
    BLOCK_MS,
    DOWN_ROUNDS_MAX,
    FOREIGN_ROBOTS_MAX,
    HOST_DOWN_MS,
    LIMITED_ROUNDS_MAX,
    SLOW_BOX_S,
)

NO_SLOT_S: Final = 1.0
"""Pause of a host whose next slot lies beyond a box, until its pace has been asked."""


class Planned(NamedTuple):
    """A batch to be queued. `front`: it was lost once and goes first; `slow`: onto the slow queue."""

    batch: Batch
    front: bool
    slow: bool


@dataclass(slots=True)
class Work:
    options: RunOptions
    clock: Callable[[], float] = time.monotonic
    ledger: Ledger = field(default_factory=Ledger)
    outstanding: Outstanding = field(default_factory=Outstanding)
    planner: Planner = field(init=False)
    selection: Selection = field(init=False)
    whole: bool = False
    """The listing is whole: the spider has said its last word."""
    _facts: list[Page] = field(default_factory=list)
    _history: dict[int, tuple[Attempt, ...]] = field(default_factory=dict)
    _looks: list[tuple[float, int]] = field(default_factory=list)
    _targets: dict[str, str] = field(default_factory=dict)
    _foreign: set[str] = field(default_factory=set)
    _requeue: list[dict[str, list[int]]] = field(default_factory=list)
    """What lost batches left, host → seqs: each becomes a batch of its own."""
    _turned_away: set[str] = field(default_factory=set)
    """Hosts that let nobody in, or had no slot within a box: their pace says how long."""

    def __post_init__(self) -> None:
        self.planner = Planner(rate=self.options.rate, concurrency=self.options.concurrency)
        self.selection = Selection(self.options)

    # --- what is to be asked -----------------------------------------------------------------

    def listed(self, identity: int, url: Url, sitemap: str) -> None:
        """An entry names this URL."""
        self.listed_run(Listed(sitemap, url.origin, url.host, pace_host(url), [identity], [url.href]))

    def listed_run(self, listed: Listed) -> None:
        """Entries name these URLs."""
        ledger, selection = self.ledger, self.selection
        in_scope = self.options.in_scope(listed.host)
        if not in_scope:
            self._foreign_robots(listed.origin, listed.pace_host)
        planned: list[int] = []
        for identity, href in zip(listed.identities, listed.hrefs, strict=True):
            seq = ledger.add(identity, href, "sitemap", listed=True)
            if seq is None:
                continue
            reason = selection.reason_in_scope(href) if in_scope else "out_of_scope"
            if reason is not None:
                self._state(seq, State.SKIPPED, reason)
            elif selection.sampling and not self.whole:
                selection.hold(seq, listed.sitemap)
            else:
                planned.append(seq)
        if planned:
            self.planner.add(listed.pace_host, planned)

    def _foreign_robots(self, origin: str, pace: str) -> None:
        """Whether the other host's robots.txt names our sitemap decides about the entry: read that file, no page."""
        if origin in self._foreign or len(self._foreign) >= FOREIGN_ROBOTS_MAX:
            return
        self._foreign.add(origin)
        seq = self.ledger.add(
            int(url_id("robots " + origin), 16), f"{origin}/robots.txt", "robots", listed=False
        )
        if seq is not None:
            self.planner.add(pace, (seq,))

    def listing_is_whole(self) -> None:
        """Discovery has ended: choose the sample, and begin with the second wave."""
        if self.whole:
            return
        self.whole = True
        if self.selection.sampling:
            asked, skipped = self.selection.choose()
            for seq in sorted(asked):
                self._plan(seq)
            for seq in sorted(skipped):
                self._state(seq, State.SKIPPED, "sample")
        held, self._targets = self._targets, {}
        self._second_wave(held.items())
        self.probe()

    def probe(self) -> None:
        """Plan the addresses that cannot exist; those that are known already stay as they are."""
        if self.options.depth == "page":
            self._second_wave([(probe, "probe") for probe in probe_urls(self.ledger.listed_urls())])

    def targets(self, targets: Iterable[Target]) -> None:
        """URLs that facts name. Until the listing is whole nobody knows whether a sitemap lists them too."""
        # Most are known, and known by their spelling: without a parse.
        known = self.ledger.number
        unknown = [target for target in targets if known(url_number(target.href)) is None]
        if self.whole:
            self._second_wave(unknown)
        else:
            for href, how in unknown:
                self._targets.setdefault(href, how)

    def _second_wave(self, targets: Iterable[tuple[str, str]]) -> None:
        limit = self.options.max_urls
        for href, how in targets:
            url = parse_url(href)
            if url is None or not self.options.in_scope(url.host):
                continue
            if limit is not None and len(self.ledger) >= limit:
                return
            seq = self.ledger.add(url_number(url.key), url.href, how, listed=False)
            if seq is not None:
                self.planner.add(pace_host(url), (seq,))

    def _plan(self, seq: int, *, front: bool = False) -> None:
        url = parse_url(self.ledger.url(seq))
        if url is not None:
            self.planner.add(pace_host(url), (seq,), front=front)

    # --- what goes out -----------------------------------------------------------------------

    def next_batch(self, workers: int, *, slow: bool = False) -> Planned | None:
        """The next batch for so many workers of a queue; None when nothing can be planned now."""
        if self.outstanding.count(slow=slow) >= self.planner.most_batches(workers):
            return None
        now = self.clock()
        while self._looks and self._looks[0][0] <= now:
            _, seq = heapq.heappop(self._looks)
            self._plan(seq, front=True)
        self.planner.early = not self.whole
        ledger = self.ledger
        while True:
            lost = self._lost_before(workers, slow=slow)
            draft = lost or self.planner.draft(workers, now, slow=slow)
            if draft is None:
                return None
            # A stale owner may have settled some of them meanwhile.
            urls = {h: [s for s in seqs if ledger.is_waiting(s)] for h, seqs in draft.urls.items()}
            self.planner.ended(host for host, seqs in urls.items() if not seqs)
            urls = {host: seqs for host, seqs in urls.items() if seqs}
            if urls:
                break
        batch = Batch(
            run=self.options.run_id,
            box_s=SLOW_BOX_S if slow else BATCH_BOX_S,
            shares={host: draft.shares[host] for host in urls},
            urls=tuple(
                BatchUrl(s, ledger.url(s), ledger.how(s), self._history.get(s, ()))
                for seqs in urls.values()
                for s in seqs
            ),
        )
        self.outstanding.add(batch.batch, urls, slow=slow)
        return Planned(batch, lost is not None, slow)

    def _lost_before(self, workers: int, *, slow: bool) -> Draft | None:
        """The first lost batch that may go out again now."""
        for number, urls in enumerate(self._requeue):
            draft = self.planner.single(urls, workers, slow=slow)
            if draft is not None:
                del self._requeue[number]
                return draft
        return None

    def not_sent(self, batch: Batch) -> None:
        """The server is full: the batch goes back into the plan."""
        under = self.outstanding.close(batch.batch)
        if under is not None:
            self._return(under.urls)
            self.planner.ended(under.hosts)

    def knows(self, batch: str) -> bool:
        """Is this batch under way?"""
        return batch in self.outstanding.batches

    # --- what comes back ---------------------------------------------------------------------

    def done(
        self,
        batch: str,
        seqs: Sequence[int],
        states: Mapping[int, tuple[State, str | None]],
        silent: Set[int] = frozenset(),
    ) -> None:
        """Facts about these URLs are on their way to disk.

        `states` names those that were not simply checked, `silent` those that got no answer: a host that
        answers nothing is given up some time, though its URLs end one by one.
        """
        hosts = self.outstanding.answered(batch, seqs)
        for host in {h for seq, h in hosts.items() if seq not in silent}:
            self.planner.hosts[host].limited = 0
            self._turned_away.discard(host)
        for seq in seqs:
            state, reason = states.get(seq, (State.CHECKED, None))
            self.ledger.settle(seq, state, reason)
            self._history.pop(seq, None)
        self._free_hosts()

    def _free_hosts(self, moved: Set[str] = frozenset()) -> None:
        """Hosts of which a batch owes nothing more may be in the next one. `moved`: to the slow queue, just now."""
        for share in self.outstanding.freed():
            self.planner.ended((share.host,))
            if share.host not in moved and (share.late or share.done == share.given):
                self.planner.managed(share.host, share.given, share.done)
            if share.late and not share.done and share.host not in moved:
                # Its next slot lies beyond a box. Until its pace is asked it need not be tried again and again.
                self._turned_away.add(share.host)
                self.planner.sleep(share.host, self.clock() + NO_SLOT_S)

    def left(self, batch: str, left: Sequence[Left]) -> None:
        """URLs handed back without a fact."""
        late = {n.seq for n in left if n.why is LeftWhy.BOX}
        hosts = self.outstanding.answered(batch, [n.seq for n in left], left=True, late=late)
        back: dict[str, list[int]] = {}
        waits: dict[str, LeftWhy] = {}
        moved: set[str] = set()
        for item in left:
            host = hosts.get(item.seq)
            if host is None or not self.ledger.is_waiting(item.seq):
                continue
            if item.attempt:
                self._remember(item.seq, item.attempt)
            back.setdefault(host, []).append(item.seq)
            if item.why in (LeftWhy.LIMITED, LeftWhy.DOWN):
                waits[host] = item.why
            elif item.why is LeftWhy.SLOW:
                self.planner.mark_slow(host)
                moved.add(host)
        for host, seqs in back.items():
            self.planner.add(host, seqs, front=True)
        for host, why in waits.items():
            self._host_waits(host, why)
        self._free_hosts(moved)

    def _host_waits(self, host: str, why: LeftWhy) -> None:
        """The host turned a batch away, or does not answer: leave it alone for a while, in the end for good."""
        queue = self.planner.hosts[host]
        queue.limited += 1
        self._turned_away.add(host)
        down = why is LeftWhy.DOWN
        if queue.limited > (DOWN_ROUNDS_MAX if down else LIMITED_ROUNDS_MAX):
            for seq in self.planner.take_all(host):
                self._state(seq, State.UNCHECKED, "host_down" if down else "rate_limited")
            return
        # Each round waits twice as long, on top of what the pace of the host itself says.
        pause = HOST_DOWN_MS / 1000 if down else 2.0 ** min(queue.limited - 1, 5)
        self.planner.sleep(host, self.clock() + pause)

    def turned_away(self) -> list[str]:
        """Hosts whose pace is to be asked how long they are to be left alone (`wait_for`)."""
        return [host for host in self._turned_away if self.planner.hosts[host].urls]

    def wait_for(self, host: str, why: WaitWhy, seconds: float) -> None:
        """The host's pace says that it wants to be left alone so long, or for more than a run has (parked)."""
        if why is WaitWhy.PARKED:
            for seq in self.planner.take_all(host):
                self._state(seq, State.UNCHECKED, "rate_limited")
        elif seconds > 0:
            # A slot can be reserved a little before its time.
            early = BLOCK_MS / 1000 if why is WaitWhy.CRAWL_DELAY else 0.0
            self.planner.sleep(host, self.clock() + seconds - early)

    def again(self, batch: str, again: Sequence[Again]) -> None:
        """URLs that want a second look, later (definitions 11)."""
        known = self.outstanding.answered(batch, [a.seq for a in again])
        due = self.clock() + self.options.recheck_after_s
        for seq, attempt in again:
            if seq in known and self.ledger.is_waiting(seq):
                if attempt is not None:
                    self._remember(seq, attempt)
                heapq.heappush(self._looks, (due, seq))
        self._free_hosts()

    def _remember(self, seq: int, attempt: Attempt) -> None:
        self._history[seq] = (*self._history.get(seq, ()), attempt)

    def finished(self, batch: str) -> None:
        """The batch has sent its last message; what it did not name is planned again."""
        under = self.outstanding.close(batch)
        if under is None:
            return
        self.outstanding.ended.append(batch)
        self._return(under.urls)
        self.planner.ended(under.hosts)

    def _return(self, urls: Mapping[int, str]) -> None:
        back: dict[str, list[int]] = {}
        for seq, host in urls.items():
            if self.ledger.is_waiting(seq):
                back.setdefault(host, []).append(seq)
        for host, seqs in back.items():
            self.planner.add(host, seqs, front=True)

    def lost(self, batch: str) -> None:
        """Neither queued nor leased nor finished: its worker died."""
        under = self.outstanding.close(batch)
        if under is None:
            return
        self.planner.ended(under.hosts)
        for seq in [s for s in under.urls if not self.ledger.is_waiting(s)]:
            del under.urls[seq]
        poisoned = self.outstanding.poisoned(under)
        if poisoned is not None:
            self._state(poisoned, State.UNCHECKED, "crashed")
            return
        for urls in self.outstanding.halves(under):
            self.planner.claim(urls)
            self._requeue.append(urls)

    def seen_before(self, identity: int, url: str, how: str, state: State, reason: str | None) -> None:
        """A fact about a URL came from elsewhere than a batch under way: it counts, whoever asked."""
        self.ledger.add(identity, url, how, listed=False)
        seq = self.ledger.number(identity)
        if seq is not None and self.ledger.settle(seq, state, reason):
            self._history.pop(seq, None)

    # --- the account -------------------------------------------------------------------------

    def _state(self, seq: int, state: State, reason: str) -> None:
        """Settle a URL without asking anybody, and keep the fact of it."""
        if not self.ledger.settle(seq, state, reason):
            return
        url = parse_url(self.ledger.url(seq))
        if url is None or self.ledger.how(seq) == "robots":
            return
        self._facts.append(
            Page(
                url_id=url_id(url.key),
                url_key=url.key,
                requested_url=url.href,
                discovered_by=self.ledger.how(seq),
                state=PageState.SKIPPED if state is State.SKIPPED else PageState.UNCHECKED,
                reason=reason,
            )
        )

    def take_facts(self) -> list[Page]:
        facts, self._facts = self._facts, []
        return facts

    @property
    def second_looks(self) -> int:
        return len(self._looks)

    @property
    def last_look_in(self) -> float:
        """About how many seconds until the last of the second looks is due (they come in with growing times)."""
        return max(0.0, self._looks[-1][0] - self.clock()) if self._looks else 0.0

    @property
    def nothing_left(self) -> bool:
        """Everything that is known is settled, and nothing is under way."""
        return (
            self.whole
            and not self.outstanding.batches
            and not self.planner.pending
            and not self._looks
            and not self._requeue
        )
