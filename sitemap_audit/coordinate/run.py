"""The loop of a run: collect, plan, watch, show, until nothing is left or somebody stops it.

collect     facts to disk, their meaning into the account
plan        batches into the queue, as many as may be under way
watch       leases (a lost batch is planned again) and children (one that died is replaced)
show        a snapshot for the display
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

import redis

from sitemap_audit.coordinate.children import Children
from sitemap_audit.coordinate.collect import Collector
from sitemap_audit.coordinate.plan import BATCHES_AHEAD
from sitemap_audit.coordinate.progress import Progress, Snapshot
from sitemap_audit.coordinate.signals import Signals
from sitemap_audit.coordinate.work import Work
from sitemap_audit.errors import ServerError
from sitemap_audit.queue import jobs
from sitemap_audit.queue.pace import Pace
from sitemap_audit.store.compact import compact
from sitemap_audit.store.folder import RunFolder, RunRecord

BLOCK_MS: Final = 50
WATCH_S: Final = 1.0
SHOW_S: Final = 0.25
RECORD_S: Final = 5.0
SPIDER_STARTS: Final = 3
STOP_S: Final = 5.0
"""How long a stop waits for the workers to hand back what they hold; saved within 8 s in all."""


@dataclass(slots=True)
class Coordinator:
    folder: RunFolder
    record: RunRecord
    client: redis.Redis
    work: Work
    collector: Collector
    children: Children
    progress: Progress
    signals: Signals
    spider_wanted: bool = True
    _workers: int = 1
    _spider_starts: int = 0
    _next_watch: float = 0.0
    _next_show: float = 0.0
    _next_record: float = 0.0
    _paused: str = ""
    _stop_began: float | None = field(default=None)
    _server_life: str = ""
    """Which life of the server it is: another one after a restart."""
    _listing_safe: bool = False
    """The listing was whole when the server was last seen alive."""
    _first_enqueued_at: datetime | None = field(default=None)

    def run(self) -> RunRecord:
        """Go on until done or stopped; returns the record as written to run.json."""
        try:
            self._begin()
            self._loop()
        finally:
            self.children.stop()
        return self._end()

    def _begin(self) -> None:
        options = self.record.options
        jobs.put_options(self.client, options)
        jobs.clear_stop(self.client, options.run_id)
        self.children.start_workers(self.record.workers_wanted or 0)
        if self.spider_wanted:
            self._start_spider()
        else:
            self.work.listing_is_whole()
            self.collector.discovered = self.collector.discovered_stored = True

    def _end(self) -> RunRecord:
        while self.collector.collect(0):
            pass
        self.collector.flush()
        for writer in self.collector.writers.values():
            writer.close()
        compact(self.folder.facts)
        state = "interrupted" if self.stopping else "done"
        self.record = self._record(state)
        self.folder.write(self.record)
        if state == "done":
            jobs.remove_run(self.client, self.record.run_id)
        return self.record

    def _loop(self) -> None:
        while True:
            self.collector.collect(0 if self._stop_began else BLOCK_MS)
            now = time.monotonic()
            if self.stopping:
                if self._stopped(now):
                    return
                continue
            self._plan()
            if self.work.nothing_left and self.collector.discovered and not self.collector.collect(0):
                # On disk first: ending the children takes a while.
                self.collector.flush()
                return
            if now >= self._next_watch:
                self._next_watch = now + WATCH_S
                self._watch()
            if now >= self._next_show:
                self._next_show = now + SHOW_S
                self.progress.show(self.snapshot())
            if now >= self._next_record:
                self._next_record = now + RECORD_S
                self.folder.write(self._record("running"))

    # --- plan --------------------------------------------------------------------------------

    def _plan(self) -> None:
        self._paused = ""
        for slow, workers in ((False, self._workers), (True, 1)):
            while self.work.outstanding.count(slow=slow) < BATCHES_AHEAD * workers:
                planned = self.work.next_batch(workers, slow=slow)
                if planned is None:
                    break
                if not jobs.enqueue_batch(self.client, planned.batch, at_front=planned.front, slow=slow):
                    self.work.not_sent(planned.batch)
                    self._paused = "the server's memory is full: waiting until the facts there are stored"
                    return
                if self._first_enqueued_at is None:
                    self._first_enqueued_at = datetime.now(UTC)

    # --- watch -------------------------------------------------------------------------------

    def _watch(self) -> None:
        self._watch_server()
        self._workers = max(1, jobs.count_workers(self.client))
        looked = list(self.work.outstanding.batches)
        lost = jobs.lost_batches(self.client, self.record.run_id, looked)
        gone = self.work.outstanding.miss(looked, lost)
        if gone:
            # A last message may still wait in the stream: what it says comes first.
            while self.collector.collect(0):
                pass
            jobs.clear_popped(self.client)
            for batch in gone:
                self.work.lost(batch)
        jobs.forget_batches(self.client, self.record.run_id, self.work.outstanding.ended)
        self.work.outstanding.ended.clear()
        jobs.put_options(self.client, self.record.options)
        pace = Pace(self.client)
        for host, queue in list(self.work.planner.hosts.items()):
            if queue.limited and queue.urls:
                held = pace.status(host)
                self.work.wait_for(host, max(held.held_ms, held.parked_ms) / 1000)
        self._watch_children()

    def _watch_server(self) -> None:
        """A server that was killed comes back from its log, which may lack the last moment.

        Batches and facts of workers that are gone with it are planned again like those of a lost worker;
        entries would be missing in silence, so discovery begins anew if it was not over before.
        """
        life = str(self.client.info("server").get("run_id", ""))
        if self._server_life and life != self._server_life:
            self.progress.say("the Redis server was started again: going on")
            self.collector.flush()
            self.collector.reader.forget_read()
            if not self._listing_safe and self.spider_wanted:
                self.collector.discovered = False
                self.children.restart_spider()
        self._server_life = life
        self._listing_safe = self.collector.discovered

    def _watch_children(self) -> None:
        if self.children.workers_code() is not None:
            self.progress.say(
                f"the worker processes ended (exit code {self.children.workers_code()}); started again"
            )
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
        self.children.start_spider()

    @property
    def stopping(self) -> bool:
        return self.signals.count > 0

    # --- stop --------------------------------------------------------------------------------

    def _stopped(self, now: float) -> bool:
        """First call: tell the workers. True when all is handed back, time is up, or a second signal came."""
        if self._stop_began is None:
            self._stop_began = now
            self.progress.say("stopping: what is under way is handed back, facts are saved")
            jobs.set_stop(self.client, self.record.run_id)
            for batch in jobs.withdraw_batches(self.client, list(self.work.outstanding.batches)):
                self.work.finished(batch)
        time.sleep(0.02)
        return not self.work.outstanding.batches or now - self._stop_began > STOP_S or self.signals.count > 1

    # --- words -------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        work = self.work
        return Snapshot(
            counts=work.ledger.counts(),
            discovering=not self.collector.discovered,
            files=self.collector.files,
            workers=jobs.count_workers(self.client),
            batches=len(work.outstanding),
            second_looks=work.second_looks,
            waiting_hosts=tuple(work.planner.asleep(work.clock())),
            note=self._paused,
        )

    def _record(self, state: str) -> RunRecord:
        counts = self.work.ledger.counts()
        unchecked = dict(counts.unchecked)
        if counts.waiting and state != "running":
            unchecked["stopped"] = unchecked.get("stopped", 0) + counts.waiting
        return replace(
            self.record,
            state=state,
            finished_at=None if state == "running" else datetime.now(UTC),
            discovered=self.collector.discovered_stored,
            looked=self.collector.looked or self.record.looked,
            workers=dict(sorted(self.collector.by_worker.items())),
            first_enqueued_at=self._first_enqueued_at or self.record.first_enqueued_at,
            last_stored_at=self.collector.last_stored_at or self.record.last_stored_at,
            counts={
                "listed": counts.listed,
                "checked": counts.checked,
                "skipped": counts.skipped,
                "unchecked": unchecked,
                "waiting": counts.waiting if state == "running" else 0,
                "further": counts.further,
                "files": self.collector.files,
            },
        )
