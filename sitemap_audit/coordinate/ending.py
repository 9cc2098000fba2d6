"""What a run leaves behind: its record at any moment, fewer parts, and true words when the disk was full."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import UTC, datetime

from sitemap_audit.coordinate.collect import Collector
from sitemap_audit.errors import RunFolderError
from sitemap_audit.store.compact import compact
from sitemap_audit.store.folder import RunFolder, RunRecord
from sitemap_audit.store.parts import clean_leftovers

log = logging.getLogger(__name__)


def record_now(
    record: RunRecord, collector: Collector, state: str, *, first_enqueued_at: datetime | None
) -> RunRecord:
    """The run as it stands, for run.json. `state`: running, interrupted or done."""
    counts = collector.work.ledger.counts()
    unchecked = dict(counts.unchecked)
    if counts.waiting and state != "running":
        unchecked["stopped"] = unchecked.get("stopped", 0) + counts.waiting
    return replace(
        record,
        state=state,
        finished_at=None if state == "running" else datetime.now(UTC),
        discovered=collector.discovered_stored,
        looked=collector.looked or record.looked,
        workers=dict(sorted(collector.by_worker.items())),
        first_enqueued_at=first_enqueued_at or record.first_enqueued_at,
        last_stored_at=collector.last_stored_at or record.last_stored_at,
        counts={
            "listed": counts.listed,
            "checked": counts.checked,
            "skipped": counts.skipped,
            "unchecked": unchecked,
            "waiting": counts.waiting if state == "running" else 0,
            "further": counts.further,
            "further_checked": counts.further_checked,
            "files": collector.files,
        },
    )


def put_together(folder: RunFolder) -> None:
    """Fewer parts are faster to read; a disk without room for that is no harm."""
    try:
        compact(folder.facts)
    except (RunFolderError, OSError) as err:
        log.warning("parts are left as they are: %s", err)
        clean_leftovers(folder.facts)


def unsaved_words(folder: RunFolder, collector: Collector, unsaved: int, *, own_server: bool) -> str:
    """Where a run stands that was stopped while `unsaved` facts could not be put on disk."""
    counts = collector.work.ledger.counts()
    where = (
        "what the run's own server could still log of them is taken from there, the rest is checked again"
        if own_server
        else "they stay in the Redis server and are taken from there"
    )
    return (
        f"interrupted while the disk of {folder.path} was full: {counts.checked:,} of {counts.listed:,} listed "
        f"URLs were checked, but {unsaved:,} facts could not be written ({where}). Make room, then go on with: "
        f"sitemap-audit resume {folder.path}"
    )
