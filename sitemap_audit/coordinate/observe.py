"""How a run stands, seen from outside: another terminal, another machine, or the morning after. Locks nothing.

A run that goes on is told by its coordinator's last word in Redis and by the server itself; one that is over by
its run.json. When run.json says that it goes on and its process is gone, it was killed.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import redis
from redis.exceptions import AuthenticationError, RedisError

from sitemap_audit.errors import RunFolderError, ServerError
from sitemap_audit.logs import without_password
from sitemap_audit.queue.jobs import get_options
from sitemap_audit.queue.private import private_url
from sitemap_audit.queue.server import check_server, connect
from sitemap_audit.queue.status import RunState, RunStatus, ServerLook, get_status, look
from sitemap_audit.settings import STATUS_SILENT_S
from sitemap_audit.store.folder import RunFolder, RunRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """`age_s`: how old the coordinator's word is; None when `status` is of run.json."""

    status: RunStatus
    server: ServerLook | None = None
    age_s: float | None = None
    folder: str | None = None
    resume: str | None = None
    """The command that goes on with it."""
    trouble: str = ""
    """What could not be seen, and why."""

    @property
    def silent(self) -> bool:
        """It should go on, but has said nothing for a while."""
        return self.age_s is not None and self.age_s > STATUS_SILENT_S and not self.over

    @property
    def over(self) -> bool:
        return self.status.state in (RunState.DONE, RunState.INTERRUPTED, RunState.KILLED)


def observe_folder(folder: RunFolder, redis_url: str | None) -> Observed:
    """A run folder. `redis_url` is needed where the run uses a server with a password. Raises RunFolderError."""
    record = folder.read()
    status = _of_record(record)
    shown = str(folder.path)
    if record.state == "done":
        return Observed(status=status, folder=shown)
    command = folder.resume_command(record.redis)
    if record.state == "interrupted":
        return Observed(status=status, folder=shown, resume=command)
    holder = folder.holder()
    if holder is not None and holder.alive is False:
        return Observed(status=replace(status, state=RunState.KILLED), folder=shown, resume=command)
    try:
        url = _server_of(folder, record, redis_url)
        with closing(connect(url, patient=False)) as client:
            found = get_status(client, record.run_id)
            if found is None:
                return Observed(status=status, folder=shown, trouble="its process has said nothing yet")
            return replace(_seen(client, *found), folder=shown)
    except AuthenticationError:
        return Observed(
            status=status,
            folder=shown,
            trouble="its Redis server wants a password: say --redis URL, or set SITEMAP_AUDIT_REDIS; figures are of run.json",
        )
    except (RedisError, ServerError, OSError) as error:
        return Observed(
            status=status,
            folder=shown,
            trouble=f"its Redis server does not answer ({error}); figures are of run.json",
        )


def _server_of(folder: RunFolder, record: RunRecord, given: str | None) -> str:
    if record.redis is None:
        url = private_url(folder.server)
        if url is None:
            raise ServerError("its private server has not begun")
        return url
    # The folder keeps no password; the one given, if it is of the same server, has it.
    return given if given and without_password(given) == without_password(record.redis) else record.redis


def observe_run(redis_url: str, run: str) -> Observed:
    """A run by its id, seen through the server. Raises ServerError, RunFolderError when nobody there knows it."""
    with closing(connect(redis_url, patient=False)) as client:
        check_server(client)
        found = get_status(client, run)
        if found is None:
            known = get_options(client, run) is not None
            raise RunFolderError(
                f"run {run} has queued work on this server, but its coordinator said nothing for a day: it was killed. "
                "Go on with `sitemap-audit resume RUN` where its folder is"
                if known
                else f"the server knows no run {run!r}: it is over for more than a day, its id is another one "
                "(run_id in run.json), or RUN was meant to be a folder that does not exist here"
            )
        return _seen(client, *found)


def _seen(client: redis.Redis, status: RunStatus, age_s: float) -> Observed:
    over = status.state in (RunState.DONE, RunState.INTERRUPTED)
    return Observed(
        status=status, age_s=age_s, server=None if over else look(client, status.run, status.batches)
    )


def _of_record(record: RunRecord) -> RunStatus:
    counts = record.counts
    end = record.finished_at or datetime.now(UTC)
    began = record.first_enqueued_at
    checked = int(counts.get("checked", 0)) + int(counts.get("further_checked", 0))
    seconds = (record.last_stored_at - began).total_seconds() if record.last_stored_at and began else 0.0
    states = {"done": RunState.DONE, "interrupted": RunState.INTERRUPTED}
    going_on = RunState.CHECKING if record.discovered else RunState.DISCOVERING
    return RunStatus(
        run=record.run_id,
        state=states.get(record.state, going_on),
        sites=record.sites_given,
        version=record.versions.get("sitemap-audit", ""),
        at=end,
        started_at=record.started_at,
        seconds=(end - record.started_at).total_seconds(),
        listed=int(counts.get("listed", 0)),
        checked=int(counts.get("checked", 0)),
        skipped=counts.get("skipped", {}),
        unchecked=counts.get("unchecked", {}),
        waiting=int(counts.get("waiting", 0)),
        further=int(counts.get("further", 0)),
        further_checked=int(counts.get("further_checked", 0)),
        files=int(counts.get("files", 0)),
        mean=checked / seconds if seconds > 0 else 0.0,
        by_worker=record.workers,
    )
