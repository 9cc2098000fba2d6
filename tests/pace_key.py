"""What stands in the pace key of a host (sitemap_audit/queue/reserve.lua), for tests to look at."""

from __future__ import annotations

import math
from typing import NamedTuple

import redis

from sitemap_audit.queue import keys


class PaceStatus(NamedTuple):
    """A host's key as it stands; times in ms from now, 0 where nothing holds."""

    gap_ms: float
    next_ms: int
    held_ms: int
    parked_ms: int
    failures: int


def pace_status(client: redis.Redis, host: str) -> PaceStatus:
    """What holds for the host now."""
    with client.pipeline(transaction=True) as pipe:
        pipe.time()
        pipe.hmget(keys.pace(host), ["gap", "tat", "until", "parked", "fails"])
        (seconds, micros), seen = pipe.execute()
    now = seconds * 1000 + micros / 1000
    gap, tat, held, parked, fails = (float(v or 0) for v in seen)
    return PaceStatus(
        gap,
        max(0, math.ceil(tat - now)),
        max(0, math.ceil(held - now)),
        max(0, math.ceil(parked - now)),
        int(fails),
    )
