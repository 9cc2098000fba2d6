"""A host's request slots: one promise over spider and all workers, kept on the server's clock.

Slots are reserved in blocks by GCRA (reserve.lua). Retry-After, back-off, failures in a row and the
gap that a Crawl-delay raised live in the same key, so every worker slows at once (hold.lua, clean.lua).
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from enum import IntEnum, StrEnum
from importlib.resources import files
from typing import Any, Final, NamedTuple

import redis
from redis.exceptions import NoScriptError

from sitemap_audit.queue import keys
from sitemap_audit.queue.holds import Holds, Listener
from sitemap_audit.settings import (
    BACKOFF_MAX_GAP_MS,
    BACKOFF_MIN_GAP_MS,
    BLOCK_MS,
    CRAWL_DELAY_CAP_S,
    FREE_BLOCK,
    HOST_DOWN_MS,
    HOST_FAILURES,
    LIMITS_IN_A_ROW,
    PACE_TTL_MS,
    RECOVER_AFTER,
    RETRY_AFTER_CAP_S,
)


class HostState(IntEnum):
    """Why there are no slots."""

    FREE = 0
    """They are taken, or there are some."""
    HELD = 1
    """The host asked us to wait (Retry-After, back-off)."""
    DOWN = 2
    """It failed several times in a row and is tried now and then."""
    PARKED = 3
    """It asked for a longer wait than we honour, or limited us again and again."""


class WaitWhy(StrEnum):
    """Why a host is waited for, as status and metrics say it."""

    RETRY_AFTER = "retry_after"
    """It said how long (Retry-After of a 429 or 503)."""
    BACK_OFF = "back_off"
    """It limited us without saying how long."""
    DOWN = "down"
    """It failed several times in a row and is tried now and then."""
    PARKED = "parked"
    """It asked for a longer wait than we honour, or limited us again and again."""
    CRAWL_DELAY = "crawl_delay"
    """The Crawl-delay of our group in its robots.txt, or a rate below one request in two seconds."""


class Slots(NamedTuple):
    """`number` requests may be sent, the first in `wait_ms`, the next each `gap_ms` later.

    Number 0: the next one lies `wait_ms` ahead and can be reserved `ahead_ms` before that. Each slot keeps
    its time: one late by more than half a gap is lost, and no two requests leave closer than the gap.
    `dirty`: report clean answers of this host (`clean`). `mark`: the slots are good while `Pace.mark` says so.
    """

    number: int
    wait_ms: int
    gap_ms: float
    state: HostState = HostState.FREE
    dirty: bool = False
    mark: int = 0


class Held(NamedTuple):
    """After a 429: nothing for `wait_ms`, then each `gap_ms`; `parked`: give the host up for this run."""

    wait_ms: int
    gap_ms: float
    parked: bool


def base_gap_ms(rate: float, crawl_delay_s: float | None = None) -> float:
    """Gap in ms by the user's rate (requests a second, 0 = none) and the Crawl-delay of our group, capped."""
    gap = 1000.0 / rate if rate > 0 else 0.0
    if crawl_delay_s is not None and crawl_delay_s > 0:
        gap = max(gap, 1000.0 * min(crawl_delay_s, CRAWL_DELAY_CAP_S))
    return gap


def block_size(gap_ms: float, ahead_ms: float = BLOCK_MS) -> int:
    """How many slots to ask for at once."""
    return FREE_BLOCK if gap_ms <= 0 else 1 + int(ahead_ms / gap_ms)


def _script(client: redis.Redis, name: str) -> Any:
    return client.register_script(files(__package__).joinpath(name).read_text(encoding="ascii"))


_MAX_MS: Final = 10**12
_LONG_AGO_MS: Final = 10**15
"""Before any time of day."""


class Pace:
    """The slots of hosts (formats.urls.pace_host). Errors of the client pass through."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._who = secrets.token_hex(4)
        self._holds = Holds()
        self._listener: Listener | None = None
        self._reserve: Any = _script(client, "reserve.lua")
        self._hold = _script(client, "hold.lua")
        self._clean = _script(client, "clean.lua")

    def reserve(self, host: str, gap_ms: float, want: int, ahead_ms: float = BLOCK_MS) -> Slots:
        """Up to `want` slots that lie at most `ahead_ms` ahead; never ask for slots past the end of a box."""
        mark = self._holds.mark(host)
        count, wait, gap, state, dirty = self._reserved(host, gap_ms, want, ahead_ms)
        held = self._holds.left_ms(host)
        if count and wait < held:
            # The server has forgotten (a log without its last second), or was not told: it was away.
            return Slots(0, math.ceil(held), float(gap), HostState.HELD, True, mark)
        return Slots(count, wait, float(gap), HostState(state), bool(dirty), mark)

    def _reserved(
        self, host: str, gap_ms: float, want: int, ahead_ms: float
    ) -> tuple[int, int, bytes, int, int]:
        script = self._reserve
        names = (keys.pace(host), keys.pace_life())
        numbers = (f"{gap_ms:.3f}", want, int(ahead_ms), PACE_TTL_MS, HOST_FAILURES, HOST_DOWN_MS)
        found: Any
        try:
            found = self._client.evalsha(script.sha, len(names), *names, *numbers, 0)
        except NoScriptError:
            found = self._client.eval(script.script, len(names), *names, *numbers, 1)
        count, wait, gap, state, dirty = found
        return count, wait, gap, state, dirty

    def mark(self, host: str) -> int:
        """Slots that were reserved under another mark are void: the host has asked to be left alone since."""
        return self._holds.mark(host)

    def listen(self) -> None:
        """Hear at once of holds that other processes set, in a thread of its own until `close`."""
        self._listener = Listener(self._client, self._holds, self._who, self._say_again)

    @property
    def listening(self) -> bool:
        """Are holds of other processes heard now?"""
        return self._listener is not None and self._listener.listening.is_set()

    def close(self) -> None:
        """End the listener."""
        if self._listener is not None:
            self._listener.end()
            self._listener = None

    def _say_again(self) -> None:
        """The server is there: tell it of holds that it may not know."""
        for host, seconds in self._holds.standing().items():
            # As if that request was sent before all others: no gap is doubled by it.
            self._held(host, math.ceil(1000 * seconds), 0.0, _LONG_AGO_MS)

    def hold(
        self, host: str, retry_after_s: float | None, base_gap_ms: float, *, age_ms: float = 0.0
    ) -> Held:
        """The host answered 429, or 503 with Retry-After. `age_ms`: how long ago that request was sent."""
        asked = (
            -1
            if retry_after_s is None
            else min(_MAX_MS, max(0, math.ceil(1000 * min(retry_after_s, _MAX_MS))))
        )
        # Before the server is told, who may be away: this process at least keeps it.
        least = base_gap_ms + BACKOFF_MIN_GAP_MS if asked < 0 else min(asked, PACE_TTL_MS)
        self._holds.note(host, least / 1000)
        held = self._held(host, asked, base_gap_ms, age_ms)
        self._holds.remember(host, held.wait_ms / 1000)
        return held

    def _held(self, host: str, asked_ms: int, base_gap_ms: float, age_ms: float) -> Held:
        wait, gap, parked = self._hold(
            keys=[keys.pace(host)],
            args=[
                asked_ms,
                f"{base_gap_ms:.3f}",
                BACKOFF_MIN_GAP_MS,
                BACKOFF_MAX_GAP_MS,
                int(1000 * RETRY_AFTER_CAP_S),
                f"{age_ms:.3f}",
                LIMITS_IN_A_ROW,
                PACE_TTL_MS,
                keys.holds(),
                self._who,
                host,
            ],
        )
        return Held(wait, float(gap), bool(parked))

    def clean(self, host: str, answers: int, base_gap_ms: float) -> float:
        """`answers` > 0 clean answers came; returns the widened gap that is left in ms, 0 for none."""
        return float(self._cleaned(host, max(1, answers), base_gap_ms)[0])

    def fail(self, host: str) -> int:
        """One request got no answer (no connection, timeout); returns the failures in a row."""
        return int(self._cleaned(host, 0, 0.0)[1])

    def _cleaned(self, host: str, answers: int, base_gap_ms: float) -> tuple[bytes, int]:
        text, fails = self._clean(
            keys=[keys.pace(host)],
            args=[answers, f"{base_gap_ms:.3f}", RECOVER_AFTER, HOST_FAILURES, HOST_DOWN_MS, PACE_TTL_MS],
        )
        return text, fails

    def whys(self, hosts: Sequence[str]) -> dict[str, tuple[WaitWhy, float]]:
        """Why hosts have to be waited for, and for how many seconds; those that may be asked now are left out."""
        if not hosts:
            return {}
        with self._client.pipeline(transaction=False) as pipe:
            pipe.time()
            for host in hosts:
                pipe.hmget(keys.pace(host), ["tat", "until", "parked", "fails", "down", "asked"])
            (seconds, micros), *rows = pipe.execute()
        now = seconds * 1000 + micros / 1000
        found = {}
        for host, row in zip(hosts, rows, strict=True):
            tat, until, parked, fails, down, asked = (float(v or 0) for v in row)
            if parked > now:
                found[host] = WaitWhy.PARKED, (parked - now) / 1000
            elif fails >= HOST_FAILURES and down > now:
                found[host] = WaitWhy.DOWN, (down - now) / 1000
            elif until > now:
                found[host] = WaitWhy.RETRY_AFTER if asked else WaitWhy.BACK_OFF, (until - now) / 1000
            elif tat > now + 2 * BLOCK_MS:
                # Slots are reserved one block ahead: a longer way to the next one is a gap that was asked for.
                found[host] = WaitWhy.CRAWL_DELAY, (tat - now) / 1000
        return found
