"""One time-boxed batch: the loop that serves hosts, robots.txt files and URLs until the box ends.

At the end of the box no request starts; what then outlasts HAND_BACK_S is cut and handed back. A stop
of the run or of the process hands back everything at once. Whatever happens, the last message names
every URL of the batch; if the process dies instead, the lease ends and the coordinator plans it anew.
"""

from __future__ import annotations

import logging
import threading
import time
from datetime import UTC, datetime
from typing import Final

from sitemap_audit.facts import Attempt
from sitemap_audit.formats.urls import parse_url
from sitemap_audit.queue.jobs import batches_waiting, hold_lease, is_stopped
from sitemap_audit.queue.messages import Batch, LeftWhy
from sitemap_audit.queue.server import OUTAGE, SERVER_FULL
from sitemap_audit.queue.stream import Publisher
from sitemap_audit.settings import HAND_BACK_S, LEASE_REFRESH_S, ROBOTS_POLL_S, SLOW_QUEUE_NAME
from workers.check import Check
from workers.lanes import STUCK_S, AwayError, Lanes
from workers.origins import Origin
from workers.outbox import Outbox, Sender
from workers.page_fact import PageFields, line_of, result_of
from workers.robots_fetch import RobotsFetch
from workers.station import Run, Station

log = logging.getLogger("workers")

LONGEST_WAIT_S: Final = 0.2
"""The loop looks at the stop flags at least this often."""
STUCK_LOOK_S: Final = 0.25
"""How often a batch looks whether it only waits while others could work."""
SHORTEST_BATCH_S: Final = 1.0
"""A batch whose hosts have no slot before its end waits so long, that its plan does not spin."""


class Lease:
    """Renews the batch's lease from a thread of its own, and watches the run's stop flag."""

    def __init__(self, station: Station, batch: Batch) -> None:
        self._station = station
        self._batch = batch
        self._ended = threading.Event()
        self.run_stopped = threading.Event()
        hold_lease(station.waiting, batch.run, batch.batch, station.name)
        self._thread = threading.Thread(target=self._work, name="lease", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        station, batch = self._station, self._batch
        while True:
            try:
                hold_lease(station.quick, batch.run, batch.batch, station.name)
                if is_stopped(station.quick, batch.run):
                    self.run_stopped.set()
            except (*OUTAGE, *SERVER_FULL):
                pass  # Nobody can see the lease now either.
            if self._ended.wait(LEASE_REFRESH_S):
                return

    def end(self) -> None:
        self._ended.set()
        self._thread.join(5)


class BatchRun:
    """One batch on its way. Checks and robots fetches report here."""

    def __init__(self, station: Station, run: Run, batch: Batch) -> None:
        self.run = run
        self.batch = batch
        self._station = station
        self._open: dict[int, Check] = {}
        self._own: set[str] = {u.url for u in batch.urls}
        self._resolving: dict[Origin, None] = {}
        self._failing: list[Origin] = []

    def go(self) -> None:
        """Check what can be checked; returns when the last message is sent (or cannot be, while stopping)."""
        station, batch = self._station, self.batch
        give_up = threading.Event()
        lease = Lease(station, batch)
        sender = Sender(Publisher(station.patient, batch.run, give_up=give_up), give_up)
        self.outbox = Outbox(sender, batch.batch, station.name)
        began = time.monotonic()
        self.lanes = Lanes(
            self.run.client,
            station.pace,
            rate=self.run.options.rate,
            shares=batch.shares,
            box_end=began + batch.box_s,
        )
        try:
            self._begin()
            self._loop(sender, lease.run_stopped, began)
            self.outbox.flush(finished=True)
            if not sender.close(station.stop, HAND_BACK_S):
                log.warning(
                    "batch %s: its last message could not be sent, it will be planned again", batch.batch
                )
        finally:
            give_up.set()
            lease.end()
            self._forget_origins()

    def _begin(self) -> None:
        for item in self.batch.urls:
            url = parse_url(item.url)
            if url is None:
                log.error("batch %s: %r is no URL", self.batch.batch, item.url[:200])
                self.outbox.left(item.seq, LeftWhy.BOX)
                continue
            check = self._open[item.seq] = Check(self, item, url)
            self.lanes.add(check, url)

    def _loop(self, sender: Sender, run_stopped: threading.Event, began: float) -> None:
        lanes, outbox, client, stop = self.lanes, self.outbox, self.run.client, self._station.stop
        box_end = lanes.box_end
        reported = began
        look_at = began + STUCK_S
        while self._open or lanes.flying:
            now = time.monotonic()
            if stop.is_set() or run_stopped.is_set():
                self._end(LeftWhy.STOPPED)
                break
            if now >= box_end:
                if not lanes.closed:
                    self._close(LeftWhy.BOX)
                if now >= box_end + HAND_BACK_S or not lanes.flying:
                    break
            lanes.serve(now, pause=sender.behind)
            if now - reported >= LEASE_REFRESH_S:
                reported = now
                lanes.report_clean()
            outbox.flush_if_due(now)
            if now >= look_at:
                look_at = now + STUCK_LOOK_S
                if self._holds_others_up(now):
                    break
            wake = lanes.next_wake()
            if not lanes.flying and not lanes.closed and wake is not None and wake >= box_end:
                # Nothing can be sent before the end of the box.
                if now - began >= SHORTEST_BATCH_S:
                    break
                wake = began + SHORTEST_BATCH_S
            wait = LONGEST_WAIT_S if wake is None else min(LONGEST_WAIT_S, max(0.0, wake - now))
            lanes.driven = time.monotonic()
            client.drive(0.01 if sender.behind and wait == 0 else wait)
        self._end(LeftWhy.SLOW)
        lanes.report_clean()

    def _holds_others_up(self, now: float) -> bool:
        """Is all that is left a wait for hosts that may hang, while another batch waits for this worker?

        Then they go to the slow queue now, not at the end of the box: the others lose no time by them.
        """
        station = self._station
        if station.queue_name == SLOW_QUEUE_NAME or not self.lanes.stuck(now):
            return False
        # So that the other hosts are known to be free, and can be in that other batch.
        self.outbox.flush_some()
        try:
            return self.lanes.ask(batches_waiting, station.quick, station.queue_name) > 0
        except AwayError:
            return False

    def _close(self, why: LeftWhy) -> None:
        """Nothing new starts; what waits is handed back, unless a request under way is what it waits for."""
        self.lanes.close(why)
        kept: set[object] = set(self.lanes.flying)
        for task in self.lanes.flying:
            if isinstance(task, RobotsFetch):
                kept.update(task.origin.waiting)
        for check in [c for c in self._open.values() if c not in kept]:
            check.hand_back(why)

    def _end(self, why: LeftWhy) -> None:
        """Cut what is under way and hand it back as `why`; the rest, if any, missed its turn."""
        rest = LeftWhy.BOX if why is LeftWhy.SLOW else why
        self._close(rest)
        self.lanes.cut(why)
        for check in list(self._open.values()):
            check.hand_back(rest)

    # --- robots.txt --------------------------------------------------------------------------

    def wait_for(self, origin: Origin, check: Check) -> None:
        """Go on with `check` when the robots.txt of `origin` is there, or has failed."""
        origin.waiting.append(check)
        if not origin.pending:
            origin.pending = True
            self._resolving[origin] = None
            self._look(origin)

    def _look(self, origin: Origin) -> None:
        """Has somebody fetched it, is somebody about to, or is it ours to fetch?"""
        if not origin.pending or self.lanes.closed:
            return
        lanes, store = self.lanes, self.run.robots
        try:
            stored = lanes.ask(store.get, origin.name)
            if stored is not None and stored.believed():
                origin.adopt(stored)
                self.resolved(origin)
                return
            due = stored is None or stored.look_due(datetime.now(UTC), self.run.options.recheck_after_s)
            if not due:
                self.failing(origin)
                return
            if lanes.ask(store.claim, origin.name, self._station.name):
                fetch = RobotsFetch(self, origin, 1 if stored is None else stored.looks + 1)
                lanes.add(fetch, fetch.url, front=True)
                return
        except AwayError:
            pass
        lanes.at(time.monotonic() + ROBOTS_POLL_S, lambda: self._look(origin))

    def resolved(self, origin: Origin) -> None:
        """What waited for this robots.txt goes on."""
        origin.pending = False
        waiting, origin.waiting = origin.waiting, []
        # Each goes to the front of its lane: from the last to the first keeps their order.
        for check in reversed(waiting):
            check.resume()

    def failing(self, origin: Origin) -> None:
        """It failed once and is asked again later; until then its URLs go back to the plan."""
        origin.failing = True
        self._failing.append(origin)
        self.resolved(origin)

    def parked(self, origin: Origin) -> None:
        """Its host limits us for good: neither robots.txt nor pages can be had."""
        for check in [c for c in self._open.values() if c.url.origin == origin.name]:
            check.park()

    def _forget_origins(self) -> None:
        """What is not known for good is looked at anew by the next batch."""
        for origin in self._resolving:
            origin.pending = False
            origin.waiting.clear()
        for origin in self._failing:
            origin.failing = False

    # --- outcomes ----------------------------------------------------------------------------

    @property
    def results(self) -> dict[str, int]:
        """What became of the URLs that are settled, as page_fact.result_of says it."""
        return dict(self.outbox.results) if hasattr(self, "outbox") else {}

    def settled(self, seq: int, page: PageFields) -> None:
        """A fact that is final in this run."""
        if self._open.pop(seq, None) is not None:
            self.outbox.page(seq, line_of(page), result_of(page))

    def answered(self, seq: int) -> None:
        """Done without a page."""
        if self._open.pop(seq, None) is not None:
            self.outbox.answered(seq)

    def again(self, seq: int, attempt: Attempt | None) -> None:
        if self._open.pop(seq, None) is not None:
            self.outbox.again(seq, attempt)

    def left(self, seq: int, why: LeftWhy, attempt: Attempt | None = None) -> None:
        if self._open.pop(seq, None) is not None:
            self.outbox.left(seq, why, attempt)

    def target(self, href: str, how: str) -> None:
        """An href that a fact names: checked in the second wave if it is in scope."""
        if href not in self._own and self.run.first_told(href) and self.run.fetches(href):
            self.outbox.target(href, how)

    def log_away(self, what: str) -> None:
        log.warning("the server does not answer: %s", what)
