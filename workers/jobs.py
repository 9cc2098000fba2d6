"""The functions that a job may name: one. sitemap_audit.queue.jobs.ALLOWED lists it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from sitemap_audit.queue.jobs import put_back
from sitemap_audit.queue.messages import Batch
from sitemap_audit.settings import SCHEMA
from workers.batch import BatchRun
from workers.station import Station

log = logging.getLogger("workers")

PUT_BACK_PAUSE_S: Final = 1.0
"""So that a worker that knows the schema comes first."""
_station: Station | None = None


def set_station(station: Station | None) -> None:
    """Tell this process what it works with; worker.py does so before the first job."""
    global _station
    _station = station


def check_batch(job: Mapping[str, Any]) -> None:
    """Check one batch (Batch.to_job). Its outcomes go to the stream; the job itself returns nothing.

    A batch of another schema goes back to the queue; one of a run that the server does not know any
    more is dropped, for nobody collects it.
    """
    station = _station
    if station is None:
        raise RuntimeError("check_batch runs in a worker of sitemap-audit only")
    if job.get("schema") != SCHEMA:
        _put_back(station, job)
        return
    batch = Batch.from_job(job)
    run = station.run(batch.run)
    if run is None:
        log.warning("batch %s belongs to run %s, which the server does not know", batch.batch, batch.run)
        return
    try:
        BatchRun(station, run, batch).go()
    except BaseException:
        station.drop(batch.run)
        raise


def _put_back(station: Station, job: Mapping[str, Any]) -> None:
    log.error(
        "a batch of schema %s came, this worker knows %s: it goes back to the queue. "
        "Run the coordinator and all workers in one version of sitemap-audit.",
        job.get("schema"),
        SCHEMA,
    )
    station.stop.wait(PUT_BACK_PAUSE_S)
    while not put_back(station.patient, job, station.queue_name):
        if station.stop.wait(PUT_BACK_PAUSE_S):
            raise RuntimeError("stopped before the batch was back in the queue")
