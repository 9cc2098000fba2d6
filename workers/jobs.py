"""The functions that a job may name: one. sitemap_audit.queue.jobs.ALLOWED lists it."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from sitemap_audit import logs
from sitemap_audit.queue.jobs import forget_batches, put_back
from sitemap_audit.queue.messages import Batch
from sitemap_audit.queue.server import OUTAGE, SERVER_FULL
from sitemap_audit.settings import BATCH_MAX_BYTES, SCHEMA, SLOW_QUEUE_NAME
from workers.batch import BatchRun
from workers.caps import capped
from workers.station import Station
from workers.tally import BatchTally, tell

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
    logs.bind(run=batch.run, batch=batch.batch)
    began, checked, whole = time.monotonic(), BatchRun(station, run, batch), False
    try:
        with capped(batch.box_s):
            checked.go()
        whole = True
    except MemoryError:
        log.error(
            "a batch of %d URLs wanted more than %d MiB: it is planned again in halves",
            len(batch.urls),
            BATCH_MAX_BYTES >> 20,
        )
        _give_up(station, batch)
    except BaseException:
        _give_up(station, batch)
        raise
    finally:
        tell(
            BatchTally(
                queue="slow" if station.queue_name == SLOW_QUEUE_NAME else "main",
                seconds=round(time.monotonic() - began, 3),
                results=checked.results,
                failed=not whole,
            )
        )
        logs.bind(batch="")


def _give_up(station: Station, batch: Batch) -> None:
    """What was begun is closed; without its lease the batch counts as lost at once."""
    station.drop(batch.run)
    with suppress(*OUTAGE, *SERVER_FULL):
        forget_batches(station.quick, batch.run, [batch.batch])


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
