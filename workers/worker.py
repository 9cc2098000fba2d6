"""Our RQ worker: one queue, allow-listed JSON jobs, a client that outlives an outage, a stop within seconds.

One a process, started by __main__.py. RQ takes the jobs and runs the function; what it knows about a
job's fate is for its own tools, never the truth about a batch.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
from types import FrameType
from typing import Any, Final

from rq import SimpleWorker
from rq.exceptions import InvalidJobOperation, StopRequested
from rq.worker_registration import register

from sitemap_audit import logs
from sitemap_audit.queue.jobs import SERIALIZER, BatchJob, sign_off
from sitemap_audit.queue.messages import new_batch_id
from sitemap_audit.queue.server import OUTAGE, SERVER_FULL, connect
from sitemap_audit.settings import FAILURE_TTL_S, IDLE_POLL_S, WORKER_TTL_S
from workers.caps import no_core_dump
from workers.jobs import set_station
from workers.memory import settle
from workers.station import Station

log = logging.getLogger("workers")

MAINTENANCE_S: Final = 60
_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9_.-]", re.ASCII)


def worker_name(prefix: str = "") -> str:
    """A name that no other worker of the server has: prefix or host, process, a random end."""
    return f"{_name_start(prefix, os.getpid())}{new_batch_id()[:6]}"


def _name_start(prefix: str, process: int) -> str:
    start = _NOT_IN_A_NAME.sub("", prefix or socket.gethostname())[:30] or "worker"
    return f"{start}.{process}."


class BatchWorker(SimpleWorker):
    """An RQ SimpleWorker for batches: no fork, so connections live on from one batch to the next."""

    def __init__(self, station: Station) -> None:
        super().__init__(
            [station.queue_name],
            name=station.name,
            # Its own client: RQ raises the time-outs of the one it gets. A full server is waited for.
            connection=connect(station.url, wait_when_full=True),
            serializer=SERIALIZER,
            job_class=BatchJob,
            worker_ttl=WORKER_TTL_S,
            maintenance_interval=MAINTENANCE_S,
            default_result_ttl=0,
            log_job_description=False,
        )
        self._station = station
        self._busy = False

    @property
    def dequeue_timeout(self) -> int:
        """Seconds that one blocking pop lasts."""
        return IDLE_POLL_S

    def heartbeat(self, timeout: int | None = None, pipeline: Any = None) -> None:
        """A sign of life, which also signs on again: a server that was emptied knows no worker any more."""
        super().heartbeat(timeout, pipeline)
        register(self, pipeline)

    def handle_job_success(self, *arguments: Any, **named: Any) -> None:
        """RQ's book-keeping, which a server that was emptied meanwhile does not need."""
        try:
            super().handle_job_success(*arguments, **named)
        except InvalidJobOperation:
            log.warning("worker %s: the server knows its job no more", self.name)

    def subscribe(self) -> None:
        """No command channel: nobody but the parent process tells a worker what to do."""

    def unsubscribe(self) -> None:
        """Nothing was subscribed to."""

    def execute_job(self, job: Any, queue: Any) -> None:
        """Run one batch in this process."""
        self._busy = True
        if job.failure_ttl is None or job.failure_ttl > FAILURE_TTL_S:
            job.failure_ttl = FAILURE_TTL_S
        try:
            super().execute_job(job, queue)
        finally:
            self._busy = False
        if self._station.stop.is_set():
            raise StopRequested

    def bootstrap(self, *arguments: Any, **options: Any) -> None:
        """Sign on. RQ listens to signals only afterwards: one that came in between left the worker signed on."""
        self._install_signal_handlers()
        super().bootstrap(*arguments, **options)

    def _install_signal_handlers(self) -> None:
        signal.signal(signal.SIGINT, self.request_stop)
        signal.signal(signal.SIGTERM, self.request_stop)

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Stop: at once when idle, else after the batch has handed back what it holds.

        Sends nothing to the server, which may be away, and may be called any number of times.
        """
        self._station.stop.set()
        self._stop_requested = True
        if not self._busy:
            raise StopRequested

    def teardown(self) -> None:
        """Sign off, unless the server is away."""
        patient, self.connection = self.connection, connect(self._station.url, patient=False)
        try:
            super().teardown()  # type: ignore[no-untyped-call]
        except (*OUTAGE, *SERVER_FULL):
            log.debug("worker %s: the server is away or full, not signed off", self.name)
        finally:
            self.connection.close()
            patient.close()


def work(url: str, queue_name: str, name_prefix: str = "", *, replaces: int | None = None) -> None:
    """Work until told to stop. Transport comes from the environment variable.

    `replaces`: process id of a worker of this place that died and could not sign off.
    """
    no_core_dump()
    station = Station(url, worker_name(name_prefix), queue_name=queue_name)
    logs.bind(worker=station.name)
    if replaces is not None:
        sign_off(station.waiting, _name_start(name_prefix, replaces))
    set_station(station)
    settle()
    worker = BatchWorker(station)
    try:
        worker.work(logging_level="WARNING")
    except StopRequested:
        worker.teardown()  # told to stop before it looked for work: RQ knows of no such stop
    finally:
        set_station(None)
        station.close()
