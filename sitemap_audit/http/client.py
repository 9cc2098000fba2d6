"""Client: transfers that its owner drives, one call a round. For workers, which own their loop.

    client = Client(options)
    client.start(Request.page(url), answers.append)
    while client.active:
        client.drive(1.0)
    client.close()

Keep one client over many batches: its connections stay open. It is bound to its process and thread.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from sitemap_audit.http.libcurl import pycurl
from sitemap_audit.http.pool import Pool, Transfer
from sitemap_audit.http.records import Answer, ClientOptions, Request

READ: Final = select.POLLIN
WRITE: Final = select.POLLOUT
BROKEN: Final = select.POLLERR | select.POLLHUP
MASKS: Final = {
    pycurl.POLL_IN: READ,
    pycurl.POLL_OUT: WRITE,
    pycurl.POLL_INOUT: READ | WRITE,
}


class Client:
    """Starts requests and calls their `done` from within `drive`."""

    def __init__(self, options: ClientOptions) -> None:
        """Raise UsageError for options that cannot be used."""
        self._pool = Pool(options)
        self._multi: Any = self._pool.multi
        self._poller = Poller()
        self._due: float | None = None  # monotonic time at which libcurl wants to be called without an event
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._on_socket)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._on_timer)

    def start(
        self, request: Request, done: Callable[[Answer], None], max_connections: int | None = None
    ) -> Transfer:
        """Begin a GET; `done` gets its Answer from within a later `drive`, and may start further requests.

        With `max_connections` the request waits in the client while its host (host and port for ports
        other than 80 and 443) has that many running. A URL that is no http(s) href is an answer too.
        """
        return self._pool.start(request, done, max_connections=max_connections)

    def cancel(self, transfer: Transfer) -> None:
        """Drop a request; its `done` is never called. Nothing happens if it has ended."""
        self._pool.cancel(transfer)

    @property
    def active(self) -> int:
        """Requests whose `done` was not called yet."""
        return self._pool.active

    def drive(self, timeout_s: float) -> None:
        """Go on with all transfers; wait for their sockets at most that long, not at all when one ended.

        Without transfers it sleeps for `timeout_s`: one call paces its owner's loop in any case.
        """
        action = self._multi.socket_action
        if self._is_due():
            action(pycurl.SOCKET_TIMEOUT, 0)
        if self._pool.reap():
            timeout_s = 0.0
        if self._due is not None:
            timeout_s = min(timeout_s, max(0.0, self._due - time.monotonic()))
        for fd, events in self._poller.wait(timeout_s):
            mask = pycurl.CSELECT_IN if events & READ else 0
            if events & WRITE:
                mask |= pycurl.CSELECT_OUT
            if events & BROKEN:
                mask |= pycurl.CSELECT_ERR
            action(fd, mask)
        if self._is_due():
            action(pycurl.SOCKET_TIMEOUT, 0)
        self._pool.reap()

    def close(self) -> None:
        """Drop what is under way, without calling `done`, and close all connections."""
        self._pool.close()
        self._poller.close()

    def _is_due(self) -> bool:
        if self._due is None or self._due > time.monotonic():
            return False
        self._due = None
        return True

    def _on_timer(self, after_ms: int) -> None:
        self._due = None if after_ms < 0 else time.monotonic() + after_ms / 1000

    def _on_socket(self, what: int, fd: int, _multi: object, _data: object) -> None:
        if what == pycurl.POLL_REMOVE:
            self._poller.forget(fd)
        else:
            self._poller.watch(fd, MASKS[what])


class Poller:
    """epoll where there is one, poll elsewhere; select would end at 1,024 files."""

    def __init__(self) -> None:
        self._epoll: Any = select.epoll() if hasattr(select, "epoll") else None
        self._poll: Any = self._epoll or select.poll()
        self._watched: set[int] = set()

    def watch(self, fd: int, mask: int) -> None:
        if fd in self._watched:
            self._poll.modify(fd, mask)
        else:
            self._poll.register(fd, mask)
            self._watched.add(fd)

    def forget(self, fd: int) -> None:
        self._watched.discard(fd)
        with suppress(OSError, KeyError):  # closed already, which took it out
            self._poll.unregister(fd)

    def wait(self, timeout_s: float) -> list[tuple[int, int]]:
        ready: list[tuple[int, int]] = self._poll.poll(timeout_s if self._epoll else timeout_s * 1000)
        return ready

    def close(self) -> None:
        if self._epoll is not None:
            self._epoll.close()
