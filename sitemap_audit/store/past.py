"""What earlier runs knew of each origin's robots.txt, taken over into the folder of a run.

A copy in a file of its own, so that `resume` and the next run need no folder but this one. An origin that failed
in the earlier run keeps the copy that run had taken over: a good copy survives any number of outages.
"""

from __future__ import annotations

import base64
import heapq
import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import orjson

from sitemap_audit.errors import RunFolderError
from sitemap_audit.facts import ErrorClass, RobotsFile, RobotsPast, RobotsState
from sitemap_audit.formats.robots_copy import body_of
from sitemap_audit.store.folder import RunFolder, RunRecord
from sitemap_audit.store.listed import robots_of

FILE_NAME: Final = "earlier_robots.jsonl"
RUNS_LOOKED_AT: Final = 200
"""Folders beside a new run, the newest first, among which its earlier run is looked for."""


def find_earlier(folder: RunFolder, record: RunRecord) -> RunFolder | None:
    """The newest finished run of the same SITEs beside `folder`."""
    try:
        with os.scandir(folder.path.parent) as beside:
            found = [RunFolder(Path(entry.path)) for entry in beside if entry.is_dir()]
    except OSError:
        return None
    dated = [(_written(other), other) for other in found if other.path.name != folder.path.name]
    for _, other in heapq.nlargest(RUNS_LOOKED_AT, dated, key=lambda pair: pair[0]):
        try:
            seen = other.read()
        except (RunFolderError, KeyError, TypeError, ValueError):
            continue  # No run, or one that another version wrote.
        if seen.state == "done" and _sites(seen) == _sites(record):
            return other
    return None


def take_over(earlier: RunFolder, folder: RunFolder) -> tuple[int, int]:
    """Write what `earlier` knew into `folder`: (last good copies, origins that were failing).

    Raises RunFolderError when its facts are damaged, OSError when the disk takes nothing.
    """
    copies = failing = 0
    new = folder.path / f".{FILE_NAME}.new"
    try:
        with new.open("wb") as file:
            for origin, past in _known(earlier):
                copies += past.last_good is not None
                failing += past.outage_since is not None
                file.write(_line(origin, past))
        if copies or failing:
            new.replace(folder.path / FILE_NAME)
    finally:
        new.unlink(missing_ok=True)
    return copies, failing


def robots_past(folder: RunFolder) -> Iterator[tuple[str, RobotsPast]]:
    """(origin, what runs before this one knew of its robots.txt). Raises RunFolderError when it is no such file."""
    path = folder.path / FILE_NAME
    try:
        with path.open("rb") as file:
            for line in file:
                yield _read(orjson.loads(line))
    except FileNotFoundError:
        return
    except (OSError, KeyError, TypeError, ValueError) as err:
        raise RunFolderError(
            f"{path} cannot be read ({err}): remove it to go without earlier robots.txt files"
        ) from None


def _known(earlier: RunFolder) -> Iterator[tuple[str, RobotsPast]]:
    before = dict(robots_past(earlier))
    for file in robots_of(earlier.facts):
        past = past_of(file, before.pop(file.origin, None))
        if past is not None:
            yield file.origin, past
    yield from before.items()  # origins that the earlier run had no need to ask


def past_of(file: RobotsFile, before: RobotsPast | None) -> RobotsPast | None:
    """What is known after a run that saw this and knew `before`; None: a failure from now on is the first one."""
    if file.state in (RobotsState.OK, RobotsState.HTML):
        return RobotsPast(last_good=body_of(file), last_good_at=file.fetched_at, last_good_sha256=file.sha256)
    if file.error_class is ErrorClass.PRIVATE_HOST:
        return before
    if file.state not in (RobotsState.SERVER_ERROR, RobotsState.UNREACHABLE):
        return None  # Answered, and without rules: there is no copy any more.
    old = before or RobotsPast()
    return RobotsPast(
        outage_since=old.outage_since or file.outage_since or file.fetched_at,
        last_good=old.last_good,
        last_good_at=old.last_good_at,
        last_good_sha256=old.last_good_sha256,
    )


def _sites(record: RunRecord) -> frozenset[str]:
    """A run of a list alone has no SITE: then its hosts count."""
    return frozenset(record.options.sites or record.sites_given)


def _written(folder: RunFolder) -> float:
    try:
        return folder.record_file.stat().st_mtime
    except OSError:
        return 0.0


def _line(origin: str, past: RobotsPast) -> bytes:
    data = {
        "origin": origin,
        "outage_since": past.outage_since,
        "last_good": base64.b64encode(past.last_good).decode() if past.last_good is not None else None,
        "last_good_at": past.last_good_at,
        "last_good_sha256": past.last_good_sha256,
    }
    return orjson.dumps(data, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE)


def _read(data: dict[str, Any]) -> tuple[str, RobotsPast]:
    times: Sequence[str | None] = (data["outage_since"], data["last_good_at"])
    since, at = (datetime.fromisoformat(time) if time else None for time in times)
    return data["origin"], RobotsPast(
        outage_since=since,
        last_good=base64.b64decode(data["last_good"]) if data["last_good"] is not None else None,
        last_good_at=at,
        last_good_sha256=data["last_good_sha256"],
    )
