"""Each origin's robots.txt with the way it was answered: fetched once a run, shared by spider and workers.

Who needs one that is not there claims it, fetches it (redirects by hand, at most ROBOTS_MAX_HOPS),
puts it here and publishes its RobotsFile. A failed one is believed after RECHECK_COUNT looks
(definitions 11): until then its URLs go back to the plan, and whoever comes when the next look is
due claims it again and counts the look in `looks`.

What earlier runs knew of an origin (its last good copy, since when it fails) lies beside it from the
start of the run: whoever judges by a failed robots.txt takes it along.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final

import redis
from isal import isal_zlib

from sitemap_audit.facts import ErrorClass, RobotsPast, RobotsState
from sitemap_audit.formats.robots import RobotsMode, RobotsText, read_robots
from sitemap_audit.formats.robots_policy import RobotsPolicy, outage_of
from sitemap_audit.queue import keys
from sitemap_audit.settings import RECHECK_COUNT, ROBOTS_CLAIM_MS, ROBOTS_PAST_TTL_S, ROBOTS_TTL_S

FAILED = frozenset({RobotsState.UNREACHABLE, RobotsState.SERVER_ERROR})
RULED: Final = frozenset({RobotsState.OK, RobotsState.HTML})
"""States whose body states rules."""
_AT_ONCE: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRobots:
    """`body`: decoded bytes, at most ROBOTS_MAX_BYTES. `looks`: how often it was asked, at `fetched_at` last."""

    robots_url: str
    state: RobotsState
    body: bytes = b""
    status: int | None = None
    error_class: ErrorClass | None = None
    """private_host: the address guard refused the origin; nothing of it is fetched."""
    fetched_at: datetime
    looks: int = 1
    past: RobotsPast | None = None
    """Of an origin that failed: what earlier runs knew of it. `get` reads it; `put` leaves it where it is."""

    def policy(self, mode: RobotsMode | str) -> tuple[RobotsPolicy, RobotsText | None]:
        """The verdicts that follow, and the text of the answer (None where it states no rules)."""
        text = read_robots(self.body) if self.state in RULED else None
        outage = outage_of(self.past, self.fetched_at)
        return RobotsPolicy(self.robots_url, self.state, text, mode, status=self.status, outage=outage), text

    def believed(self) -> bool:
        """May URLs be judged by this, or is a failure still waiting for its second look?"""
        refused = self.error_class is ErrorClass.PRIVATE_HOST
        return self.state not in FAILED or refused or self.looks >= RECHECK_COUNT

    def look_due(self, now: datetime, recheck_after_s: float) -> bool:
        """Not believed, and the time has come to ask again."""
        return not self.believed() and (now - self.fetched_at).total_seconds() >= recheck_after_s


class RobotsStore:
    """Origins are those of the requested URLs, never of redirect targets: A's redirect to B binds A only."""

    def __init__(self, client: redis.Redis, run: str) -> None:
        self._client = client
        self._run = run

    def get(self, origin: str) -> StoredRobots | None:
        """What was answered, or None when nobody has fetched it yet."""
        seen: Any = self._client.hgetall(keys.robots(self._run, origin))
        if not seen:
            return None
        state = RobotsState(seen[b"state"].decode())
        return StoredRobots(
            robots_url=seen[b"url"].decode(),
            state=state,
            body=isal_zlib.decompress(seen[b"body"]) if seen[b"body"] else b"",
            status=int(seen[b"status"]) if seen[b"status"] else None,
            error_class=ErrorClass(seen[b"error"].decode()) if seen[b"error"] else None,
            fetched_at=datetime.fromtimestamp(float(seen[b"at"]), UTC),
            looks=int(seen[b"looks"]),
            past=self.past(origin) if state in FAILED else None,
        )

    def past(self, origin: str) -> RobotsPast | None:
        """What earlier runs knew of an origin's robots.txt; None where they did not read it."""
        seen: Any = self._client.hgetall(keys.robots_past(self._run, origin))
        if not seen:
            return None
        return RobotsPast(
            outage_since=_time(seen[b"since"]),
            last_good=isal_zlib.decompress(seen[b"body"]) if seen[b"body"] else None,
            last_good_at=_time(seen[b"at"]),
            last_good_sha256=seen[b"sha256"].decode() or None,
        )

    def put_past(self, known: Iterable[tuple[str, RobotsPast]]) -> None:
        """Lay (origin, what earlier runs knew of it) beside the answers to come."""
        rest = iter(known)
        while some := list(islice(rest, _AT_ONCE)):
            with self._client.pipeline(transaction=False) as pipe:
                for origin, past in some:
                    key = keys.robots_past(self._run, origin)
                    pipe.hset(
                        key,
                        mapping={
                            "since": _stamp(past.outage_since),
                            "body": b"" if past.last_good is None else isal_zlib.compress(past.last_good, 1),
                            "at": _stamp(past.last_good_at),
                            "sha256": past.last_good_sha256 or "",
                        },
                    )
                    pipe.expire(key, ROBOTS_PAST_TTL_S)
                pipe.execute()

    def waiting(self, limit: int = 10) -> list[tuple[str, StoredRobots]]:
        """(origin, what was answered) of robots.txt files that wait for their second look, the oldest first."""
        found: Any = self._client.zrange(keys.robots_waiting(self._run), 0, limit - 1)
        stored = [(origin.decode(), self.get(origin.decode())) for origin in found]
        return [(origin, one) for origin, one in stored if one is not None and not one.believed()]

    def claim(self, origin: str, who: str = "") -> bool:
        """True: fetch it now and `put` it. False: somebody else does; `get` again in a moment."""
        key = keys.robots_claim(self._run, origin)
        return bool(self._client.set(key, who or "claimed", nx=True, px=ROBOTS_CLAIM_MS))

    def release(self, origin: str) -> None:
        """Give a claim back unfulfilled (told to stop), so that another need not wait for its end."""
        self._client.delete(keys.robots_claim(self._run, origin))

    def put(self, origin: str, robots: StoredRobots) -> None:
        """Share what was answered; ends the claim."""
        key = keys.robots(self._run, origin)
        with self._client.pipeline(transaction=True) as pipe:
            pipe.hset(
                key,
                mapping={
                    "url": robots.robots_url,
                    "state": robots.state.value,
                    "body": isal_zlib.compress(robots.body, 1) if robots.body else b"",
                    "status": "" if robots.status is None else robots.status,
                    "error": robots.error_class or "",
                    "at": f"{robots.fetched_at.timestamp():.6f}",
                    "looks": robots.looks,
                },
            )
            pipe.expire(key, ROBOTS_TTL_S)
            waiting = keys.robots_waiting(self._run)
            if robots.believed():
                pipe.zrem(waiting, origin)
            else:
                pipe.zadd(waiting, {origin: robots.fetched_at.timestamp()})
                pipe.expire(waiting, ROBOTS_TTL_S)
            pipe.delete(keys.robots_claim(self._run, origin))
            pipe.execute()


def _stamp(time: datetime | None) -> str:
    return f"{time.timestamp():.6f}" if time is not None else ""


def _time(stamp: bytes) -> datetime | None:
    return datetime.fromtimestamp(float(stamp), UTC) if stamp else None
