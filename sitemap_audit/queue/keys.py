"""Every Redis key of ours, one function each, with type and lifetime. No key is built anywhere else.

To keep this file: a new key gets a function here, never a literal where it is used. RQ's own keys
(`rq:...`) are RQ's. Keys of a run hold its id; a host's pace is shared by all runs of the server,
because the promise is made to the host.
"""

from __future__ import annotations

from typing import Final

PREFIX: Final = "sitemap-audit"


def options(run: str) -> str:
    """String: RunOptions as JSON. Lives RUN_KEYS_TTL_S after the last sign of life of the run."""
    return f"{PREFIX}:{run}:options"


def stop_flag(run: str) -> str:
    """String: present while the run is to stop. Lives RUN_KEYS_TTL_S."""
    return f"{PREFIX}:{run}:stop"


def unlike(run: str) -> str:
    """Hash: how workers reach the site otherwise than the run, to the first that did; empty once it was said. Lives RUN_KEYS_TTL_S."""
    return f"{PREFIX}:{run}:unlike"


def status(run: str) -> str:
    """String: RunStatus as JSON, written each second by the coordinator. Lives STATUS_TTL_S after the last one."""
    return f"{PREFIX}:{run}:status"


def pages_stream(run: str) -> str:
    """Stream of page facts and batch heads. Entries leave it by XDEL once they are stored."""
    return f"{PREFIX}:{run}:pages"


def entries_stream(run: str) -> str:
    """Stream of what discovery saw: robots files, sitemap files, entries. Left like `pages_stream`."""
    return f"{PREFIX}:{run}:entries"


def lease(run: str, batch: str) -> str:
    """String: name of the worker that holds the batch. Lives LEASE_MS, FINISHED_LEASE_MS once it ended."""
    return f"{PREFIX}:{run}:lease:{batch}"


def robots(run: str, origin: str) -> str:
    """Hash: the origin's robots.txt as it was answered. Lives ROBOTS_TTL_S."""
    return f"{PREFIX}:{run}:robots:{origin}"


def robots_waiting(run: str) -> str:
    """Sorted set: origins whose robots.txt failed and waits for its second look, by the time of the first. Lives ROBOTS_TTL_S."""
    return f"{PREFIX}:{run}:robots-waiting"


def robots_claim(run: str, origin: str) -> str:
    """String: who fetches the origin's robots.txt now. Lives ROBOTS_CLAIM_MS."""
    return f"{PREFIX}:{run}:robots-claim:{origin}"


def robots_past(run: str, origin: str) -> str:
    """Hash: what earlier runs knew of the origin's robots.txt (facts.RobotsPast). Lives ROBOTS_PAST_TTL_S."""
    return f"{PREFIX}:{run}:robots-past:{origin}"


def pace(host: str) -> str:
    """Hash {last, tat, gap, until, asked, clean, strikes, fails, down, parked} of a host, over all runs. Lives PACE_TTL_MS."""
    return f"{PREFIX}:pace:{host}"


def pace_life() -> str:
    """String: ms at which the server last came back from its log (reserve.lua). Stays."""
    return f"{PREFIX}:pace-life"


def holds() -> str:
    """Channel: holds of hosts, as they are set (hold.lua)."""
    return f"{PREFIX}:holds"
