"""The loop of a run: collect, plan, watch, show, until nothing is left or somebody stops it.

collect     facts to disk, their meaning into the account
plan        batches into the queue, as many as may be under way
watch       leases (a lost batch is planned again), the server, and children (one that died is replaced)
show        a snapshot for the display

Each step can be tried again: when the disk is full, or the server is away or takes no writes, the loop
pauses (pause.py) and begins again where it was refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

import redis

from sitemap_audit.coordinate.children import Children
from sitemap_audit.coordinate.collect import Collector
from sitemap_audit.coordinate.ending import put_together, record_now, unsaved_words
from sitemap_audit.coordinate.known import say_unlike, tell_run
from sitemap_audit.coordinate.pause import PAUSES, Pause, reason_of
from sitemap_audit.coordinate.plan import BATCHES_AHEAD
from sitemap_audit.coordinate.progress import Progress, duration
from sitemap_audit.coordinate.signals import Signals
from sitemap_audit.coordinate.status import StatusWriter
from sitemap_audit.coordinate.work import Work
from sitemap_audit.errors import RunFolderError, ServerError, UnsavedError
from sitemap_audit.queue import jobs
from sitemap_audit.queue.messages import Target
from sitemap_audit.queue.pace import Pace
from sitemap_audit.queue.server import OUTAGE, SERVER_FULL
from sitemap_audit.queue.status import RunState
from sitemap_audit.store.folder import RunFolder, RunRecord
from sitemap_audit.store.room import refused
from sitemap_audit.store.targets import known_targets

BLOCK_MS: Final = 50
WATCH_S: Final = 1.0
SHOW_S: Final = 0.25
RECORD_S: Final = 5.0
SPIDER_STARTS: Final = 3
STOP_S: Final = 5.0
"""How long a stop waits for the workers to hand back what they hold; saved within 8 s in all."""

LEASE_AGAIN_S: Final = 3.0
"""After an outage a worker takes its lease again within LEASE_REFRESH_S and the longest pause of its client."""
RQ_SIGNS_ON_S: Final = 15.0
"""A server that lost its data knows a worker again after its next sign of life."""


@dataclass(slots=True)
class Coordinator:
    folder: RunFolder
    record: RunRecord
    client: redis.Redis
    """Fails within seconds: the loop has signals and a display to serve."""
    work: Work
    collector: Collector
    children: Children
    progress: Progress
    signals: Signals
    status: StatusWriter
    spider_wanted: bool = True
    _begun: bool = False
    _pause: Pause | None = None
    _workers: int = 1
    """Workers that batches are planned for."""
    _spider_starts: int = 0
    _next_watch: float = 0.0
    _next_show: float = 0.0
    _next_record: float = 0.0
    _stop_began: float | None = field(default=None)
    _server_life: str = ""
    """Which life of the server it is: another one after a restart."""
    _listing_safe: bool = False
    """The listing was whole when the server was last seen alive."""
    _lost_from: float = 0.0
    """Before this time no batch counts as lost: after an outage its worker has to take the lease again."""
    _uncertain: set[str] = field(default_factory=set)
    """Batches that may have gone with a server, not with a worker: their loss is no URL's fault."""
    _doubtful: list[str] = field(default_factory=list)
    """Batches whose enqueueing got no answer: planned again, and taken out of the queue if they are there."""
    _targets_due: bool = False
    """The server lost something: targets that workers told may be missing; the facts on disk name them."""
    _first_enqueued_at: datetime | None = field(default=None)

    def run(self) -> RunRecord:
        """Go on until done or stopped; returns the record as written to run.json.

        UnsavedError when it was stopped while the disk was full.
        """
        try:
            self._loop(self._turn)
        finally:
            # What cannot be handed back to an absent server need not be waited for.
            away = self._pause is not None and self._pause.outage
            self.children.stop(seconds=2.0) if away else self.children.stop()
        return self._end()

    # --- the loop, its pauses and its end -------------------------------------------------------

    def _loop(self, step: Callable[[], bool]) -> None:
        """Repeat `step` until it says that it is over; wait while the disk or the server refuses."""
        while True:
            try:
                if step():
                    return
            except PAUSES as problem:
                self._wait(problem)
                if self.stopping and (self._stop_began or step != self._turn):
                    return

    def _begin(self) -> None:
        tell_run(self.client, self.folder, self.record)
        jobs.clear_stop(self.client, self.record.run_id)
        self.children.start_workers(self.record.workers_wanted or 0)
        if self.spider_wanted:
            self._start_spider()
        else:
            self.work.listing_is_whole()
            self.collector.discovered = self.collector.discovered_stored = True

    def _turn(self) -> bool:
        """Once round; True when nothing is left, or all is handed back after a stop."""
        if self.stopping:
            return self._stopped(time.monotonic())
        if not self._begun:
            self._begin()
            self._begun = True
        if self._pause is not None:
            self._try_again()
        self.collector.collect(BLOCK_MS)
        now = time.monotonic()
        self._plan()
        if self.work.nothing_left and self.collector.discovered and not self.collector.collect(0):
            # On disk first: ending the children takes a while.
            self.collector.flush()
            return not self._further_targets()
        if now >= self._next_watch:
            self._next_watch = now + WATCH_S
            self._watch()
        self._show(now)
        if now >= self._next_record:
            self._next_record = now + RECORD_S
            self._write(self._record("running"))
        return False

    def _show(self, now: float) -> None:
        if now >= self._next_show:
            self._next_show = now + SHOW_S
            pause = self._pause
            self.progress.show(
                self.status.moment(
                    paused=pause.reason.note if pause else "",
                    stopping=self.stopping,
                    ask=pause is None or not pause.reason.outage,
                )
            )

    def _wait(self, problem: Exception) -> None:
        """The disk or the server refused: say why, once, and let some time pass."""
        reason = reason_of(problem, self.folder.path, own_server=self.record.redis is None)
        pause = self._pause = self._pause or Pause(reason)
        pause.meets(reason)
        if news := pause.news():
            self.progress.say(news)
        if not reason.disk:
            # A server behind a name may be another one by now.
            self.client.connection_pool.disconnect()
        end = time.monotonic() + pause.wait_s
        while (now := time.monotonic()) < end and not self.stopping:
            with suppress(*PAUSES):
                self._show(now)
            time.sleep(0.05)

    def _try_again(self) -> None:
        """Does everything work that a pause waited for? Raises what does not."""
        pause = self._pause
        assert pause is not None
        self.collector.flush()
        self.collector.collect(0)
        self.collector.flush()
        if self._doubtful:
            jobs.withdraw_batches(self.client, self._doubtful)
            self._doubtful.clear()
        self._watch_server()
        jobs.put_options(self.client, self.record.options)
        self._write(self._record("running"))
        if pause.outage:
            self._expect_leases()
        if pause.was_said:
            self.progress.say(f"going on after {duration(time.monotonic() - pause.began)}")
        self._pause = None

    def _further_targets(self) -> bool:
        """Where the server lost something, the facts say which targets were named; True: there are more to ask."""
        if not self._targets_due:
            return False
        self._targets_due = False
        self.work.targets(Target(t.href, t.how) for t in known_targets(self.folder.facts))
        return not self.work.nothing_left

    def _end(self) -> RunRecord:
        if not self.stopping:
            self._loop(self._save)
        unsaved = self._save_what_can_be() if self.stopping else 0
        self.collector.close()
        state = "interrupted" if self.stopping else "done"
        if not unsaved:
            put_together(self.folder)
            try:
                self._write(self._record(state))
            except RunFolderError:
                if not self.stopping:
                    raise
        self.record = self._record(state)
        if unsaved:
            own = self.record.redis is None
            raise UnsavedError(unsaved_words(self.folder, self.collector, unsaved, own_server=own))
        if state == "done":
            with suppress(*OUTAGE, *SERVER_FULL):
                jobs.remove_run(self.client, self.record.run_id)
        self.status.last(RunState(state))
        return self.record

    def _save(self) -> bool:
        while self.collector.collect(0):
            pass
        self.collector.flush()
        return True

    def _save_what_can_be(self) -> int:
        """The last facts of a run that was stopped; returns how many could not be put on disk.

        What the server holds and what it cannot be told to forget is read, and recognised, by `resume`.
        """
        with suppress(*PAUSES):
            self._save()
        with suppress(*PAUSES):
            self.collector.flush()
        return self.collector.unstored_rows

    def _write(self, record: RunRecord) -> None:
        try:
            self.folder.write(record)
        except OSError as err:
            raise refused(self.folder.path, err) from None

    # --- plan --------------------------------------------------------------------------------

    def _plan(self) -> None:
        for slow, workers in ((False, self._workers), (True, 1)):
            while self.work.outstanding.count(slow=slow) < BATCHES_AHEAD * workers:
                planned = self.work.next_batch(workers, slow=slow)
                if planned is None:
                    break
                batch = planned.batch
                try:
                    sent = jobs.enqueue_batch(self.client, batch, at_front=planned.front, slow=slow)
                except OUTAGE:
                    self._doubtful.append(batch.batch)
                    self.work.not_sent(batch)
                    raise
                if not sent:
                    self.work.not_sent(batch)
                    # It says why it takes nothing, or takes something again.
                    jobs.put_options(self.client, self.record.options)
                    return
                if self._first_enqueued_at is None:
                    self._first_enqueued_at = datetime.now(UTC)

    # --- watch -------------------------------------------------------------------------------

    def _watch(self) -> None:
        self._watch_server()
        now = time.monotonic()
        joined = jobs.count_workers(self.client)
        say_unlike(self.client, self.record.run_id, self.progress.say)
        if joined or now >= self._lost_from + RQ_SIGNS_ON_S:
            self._workers = max(1, joined)
        if now >= self._lost_from:
            self._watch_leases()
        jobs.put_options(self.client, self.record.options)
        for host, (why, seconds) in Pace(self.client).whys(self.work.turned_away()).items():
            self.work.wait_for(host, why, seconds)
        self._watch_children()

    def _watch_leases(self) -> None:
        """A batch that is neither queued nor leased nor finished is planned again."""
        under = self.work.outstanding
        looked = list(under.batches)
        gone = under.miss(looked, jobs.lost_batches(self.client, self.record.run_id, looked))
        if gone:
            # A last message may still wait in the stream: what it says comes first.
            while self.collector.collect(0):
                pass
            jobs.clear_popped(self.client)
            for batch in gone:
                if batch in self._uncertain:
                    self.work.finished(batch)
                else:
                    self.work.lost(batch)
            self.status.count("lost_batches", len(gone))
        self._uncertain.intersection_update(under.batches)
        jobs.forget_batches(self.client, self.record.run_id, under.ended)
        under.ended.clear()

    def _watch_server(self) -> None:
        """A server that was killed comes back from its log, which may lack the last moment, or with nothing.

        Batches and facts of workers that are gone with it are planned again; entries would be missing in
        silence, so discovery begins anew if it was not over before.
        """
        life = str(self.client.info("server").get("run_id", ""))
        emptied = bool(self._server_life) and not jobs.knows_run(self.client, self.record.run_id)
        if self._server_life and (emptied or life != self._server_life):
            self.collector.flush()
            reader = self.collector.reader
            (reader.begin_anew if emptied else reader.forget_read)()
            tell_run(self.client, self.folder, self.record)
            self.progress.say(
                "the Redis server lost the data of this run (emptied, or started without it): what was under way "
                "is planned again"
                if emptied
                else "the Redis server was started again: going on"
            )
            self.status.count("server_restarts")
            self._expect_leases()
            self._uncertain.update(self.work.outstanding.batches)
            self._targets_due = True
            if not self._listing_safe and self.spider_wanted:
                self.collector.discovered = False
                self.children.restart_spider()
        self._server_life = life
        self._listing_safe = self.collector.discovered

    def _expect_leases(self) -> None:
        """The server is back: give workers time to notice it."""
        self._lost_from = time.monotonic() + LEASE_AGAIN_S

    def _watch_children(self) -> None:
        if self.children.workers_code() is not None:
            self.progress.say(
                f"the worker processes ended (exit code {self.children.workers_code()}); started again"
            )
            self.status.count("worker_restarts")
            self.children.start_workers(self.record.workers_wanted or 0)
        code = self.children.spider_code()
        if code is None or self._all_discovered():
            return
        if self._spider_starts >= SPIDER_STARTS:
            raise ServerError(
                f"the discovery process ended {SPIDER_STARTS} times without a result (exit code {code}): "
                f"its last words are in {self.folder.log}"
            )
        self._start_spider()

    def _all_discovered(self) -> bool:
        """Has the spider said its last word? What still stands in the streams is read first."""
        while not self.collector.discovered and self.collector.collect(0):
            pass
        return self.collector.discovered

    def _start_spider(self) -> None:
        self._spider_starts += 1
        if self._spider_starts > 1:
            self.status.count("spider_restarts")
        self.children.start_spider()

    @property
    def stopping(self) -> bool:
        return self.signals.count > 0

    # --- stop --------------------------------------------------------------------------------

    def _stopped(self, now: float) -> bool:
        """First call: tell the workers. True when all is handed back, time is up, or nothing can be had."""
        batches = self.work.outstanding.batches
        if self._stop_began is None:
            self._stop_began = now
            if self._pause is not None:
                # Neither disk nor server is there to hand back to: save what can be, and end.
                return True
            self.progress.say("stopping: what is under way is handed back, facts are saved")
            jobs.set_stop(self.client, self.record.run_id)
            for batch in jobs.withdraw_batches(self.client, list(batches)):
                self.work.finished(batch)
        self.collector.collect(0)
        self._show(now)
        time.sleep(0.02)
        return not batches or now - self._stop_began > STOP_S or self.signals.count > 1

    def _record(self, state: str) -> RunRecord:
        return record_now(self.record, self.collector, state, first_enqueued_at=self._first_enqueued_at)
