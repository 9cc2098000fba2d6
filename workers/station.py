"""What a worker process keeps from one batch to the next: connections, options, robots policies."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from contextlib import suppress
from typing import Final

import redis

from sitemap_audit.formats.urls import parse_url
from sitemap_audit.http import Client, ClientOptions
from sitemap_audit.options import RunOptions, Transport, difference
from sitemap_audit.queue.jobs import get_options, tell_unlike
from sitemap_audit.queue.pace import Pace
from sitemap_audit.queue.robots import RobotsStore
from sitemap_audit.queue.server import OUTAGE, SERVER_FULL, connect
from sitemap_audit.settings import ORIGINS_KEPT, QUEUE_NAME, REPORT_BOTS, TARGETS_KEPT
from workers.origins import Origin

RUNS_KEPT: Final = 2
log = logging.getLogger("workers")


class Run:
    """One audit as this process sees it. The HTTP client keeps its connections over batches."""

    def __init__(self, station: Station, options: RunOptions) -> None:
        self.options = options
        self.bots: tuple[str, ...] = tuple(dict.fromkeys((*options.bots, *REPORT_BOTS)))
        """Whose robots verdicts a page carries; the first is the verdict's bot."""
        self.client = Client(ClientOptions.of_run(options, station.transport))
        self.robots = RobotsStore(station.quick, options.run_id)
        self._origins: OrderedDict[str, Origin] = OrderedDict()
        self._in_scope: dict[str, bool] = {}
        self.told: set[str] = set()
        """Targets that pages of this run named here, see `first_told`."""

    def fetches(self, href: str) -> bool:
        """Are pages of this URL's host in the scope of the audit? `href` is a WHATWG form."""
        place = href.split("/", 3)[2]
        known = self._in_scope.get(place)
        if known is None:
            url = parse_url(href)
            known = url is not None and self.options.in_scope(url.host)
            if len(self._in_scope) < ORIGINS_KEPT:
                self._in_scope[place] = known
        return known

    def first_told(self, href: str) -> bool:
        """Has no page of this run named this target here before? Bounded: an old one may be told again."""
        if href in self.told:
            return False
        if len(self.told) >= TARGETS_KEPT:
            self.told.clear()
        self.told.add(href)
        return True

    def origin(self, name: str) -> Origin:
        """What is known of an origin's robots.txt, perhaps nothing yet."""
        found = self._origins.get(name)
        if found is None:
            found = self._origins[name] = Origin(name, self.bots, self.options.robots_mode)
            while len(self._origins) > ORIGINS_KEPT:
                self._origins.popitem(last=False)
        else:
            self._origins.move_to_end(name)
        return found

    def close(self) -> None:
        self.client.close()


class Station:
    """One a process.

    `patient` waits while the server is away, `waiting` also while it takes no writes, `quick` fails at
    once, for the loop that has transfers to serve. `stop`: the process was told to end.
    """

    def __init__(
        self, url: str, name: str, transport: Transport | None = None, *, queue_name: str = QUEUE_NAME
    ) -> None:
        self.url = url
        self.name = name
        self.queue_name = queue_name
        self.transport = transport if transport is not None else Transport.from_environment()
        self.stop = threading.Event()
        self.patient: redis.Redis = connect(url)
        self.waiting: redis.Redis = connect(url, wait_when_full=True)
        self.quick: redis.Redis = connect(url, patient=False)
        self.pace = Pace(self.quick)
        self.pace.listen()
        self._runs: OrderedDict[str, Run] = OrderedDict()

    def run(self, run_id: str) -> Run | None:
        """The run of a batch; None when the server knows it no more."""
        found = self._runs.get(run_id)
        if found is None:
            options = get_options(self.waiting, run_id)
            if options is None:
                return None
            self._compare(options)
            found = self._runs[run_id] = Run(self, options)
            while len(self._runs) > RUNS_KEPT:
                self._runs.popitem(last=False)[1].close()
        else:
            self._runs.move_to_end(run_id)
        return found

    def _compare(self, options: RunOptions) -> None:
        """A worker without the run's --connect-to or --cacert finds a site that is down: nobody may miss why."""
        words = difference(options.marks, self.transport.marks()) if options.marks is not None else ""
        if not words:
            return
        log.warning(
            "this worker reaches the site of run %s otherwise than the run: it %s", options.run_id, words
        )
        with suppress(*OUTAGE, *SERVER_FULL):
            tell_unlike(self.quick, options.run_id, self.name, words)

    def drop(self, run_id: str) -> None:
        """Begin anew with this run: a batch ended in the middle of something."""
        found = self._runs.pop(run_id, None)
        if found is not None:
            found.close()

    def close(self) -> None:
        while self._runs:
            self._runs.popitem()[1].close()
        self.pace.close()
        self.patient.close()
        self.waiting.close()
        self.quick.close()
