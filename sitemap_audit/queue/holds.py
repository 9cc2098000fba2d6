"""What one process remembers of hosts that asked to be left alone, and how it hears of them at once.

Slots are reserved in blocks, so another process may hold some when a host says 429. hold.lua publishes
each hold; who hears it throws those slots away. The memory also outlives the server: a log that lacks its
last second forgets a hold, and whoever knows it says it again when the server is back.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Final

import redis
from redis.exceptions import NoPermissionError

from sitemap_audit.queue import keys
from sitemap_audit.queue.server import OUTAGE, SERVER_FULL, without_patience

log = logging.getLogger(__name__)
LISTEN_S: Final = 1.0
"""How often the listener looks whether it is to end."""
AGAIN_S: Final = 0.2
"""Pause before it calls an absent server again."""
HOSTS_KEPT: Final = 10_000


class Holds:
    """Holds by host. Used by the loop of a worker and by the listener's thread."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        """When each hold ends, on this process's monotonic clock."""
        self._marks: dict[str, int] = {}
        self._era = 0

    def mark(self, host: str) -> int:
        """A number that changes when slots of this host lose their worth."""
        return self._era + self._marks.get(host, 0)

    def note(self, host: str, seconds: float) -> None:
        """The host is to be left alone for so long; slots in hand are void."""
        if len(self._marks) >= HOSTS_KEPT:
            self.void()
        self._marks[host] = self._marks.get(host, 0) + 1
        self.remember(host, seconds)

    def remember(self, host: str, seconds: float) -> None:
        """The same for the slots to come only."""
        self._until[host] = max(self._until.get(host, 0.0), time.monotonic() + seconds)

    def void(self) -> None:
        """All slots in hand are void: the server that gave them is gone, and may forget that it did."""
        self._era += 1 + max(self._marks.values(), default=0)
        self._marks.clear()

    def left_ms(self, host: str) -> float:
        """For how many ms the host is to be left alone yet."""
        until = self._until.get(host)
        return 0.0 if until is None else max(0.0, 1000 * (until - time.monotonic()))

    def standing(self) -> dict[str, float]:
        """Seconds left of each hold that has not ended; forgets the others."""
        now = time.monotonic()
        self._until = {host: until for host, until in list(self._until.items()) if until > now}
        return {host: until - now for host, until in self._until.items()}


class Listener:
    """A thread that hears the holds of all processes. `again` is called when the server is (again) there."""

    def __init__(self, client: redis.Redis, holds: Holds, who: str, again: Callable[[], None]) -> None:
        self._client = without_patience(client)
        self._holds = holds
        self._who = who
        self._again = again
        self._ended = threading.Event()
        self.listening = threading.Event()
        """It hears what is published."""
        self._thread = threading.Thread(target=self._work, name="holds", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Ask it to end; the thread does so by itself, within LISTEN_S."""
        self._ended.set()

    def _work(self) -> None:
        while not self._ended.is_set():
            try:
                self._listen()
            except NoPermissionError:
                log.warning(
                    "this user of the server may not subscribe to %s (ACL: &%s): a host that says 429 to another "
                    "worker is left alone up to a second later",
                    keys.holds(),
                    keys.holds(),
                )
                break
            except (*OUTAGE, *SERVER_FULL, OSError):
                self.listening.clear()
                self._holds.void()
                self._ended.wait(AGAIN_S)
        self._client.close()

    def _listen(self) -> None:
        with self._client.pubsub() as heard:  # type: ignore[no-untyped-call]
            heard.subscribe(keys.holds())
            while not self._ended.is_set():
                message: Any = heard.get_message(timeout=LISTEN_S)
                if message is None:
                    continue
                if message["type"] == "subscribe":
                    self.listening.set()
                    self._again()
                elif message["type"] == "message":
                    who, ms, host = message["data"].decode().split(" ", 2)
                    if who != self._who:
                        self._holds.note(host, float(ms) / 1000)
