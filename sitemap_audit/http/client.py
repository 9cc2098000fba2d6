"""Client: transfers that its owner drives, one call a round. For workers, which own their loop.

    client = Client(options)
    client.start(Request.page(url), answers.append)
    while client.active:
        client.drive(1.0)
    client.close()

Keep one client over many batches: its connections stay open. It is bound to its process and thread.

libcurl is asked about all transfers at once (`perform`). Events of single sockets (`socket_action`, as
AsyncClient has them) cost a third more CPU a page: two callbacks and two system calls for each request.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from sitemap_audit.http.pool import Pool, Transfer
from sitemap_audit.http.records import Answer, ClientOptions, Request
from sitemap_audit.settings import SELECT_MAX_S


class Client:
    """Starts requests and calls their `done` from within `drive`."""

    def __init__(self, options: ClientOptions) -> None:
        """Raise UsageError for options that cannot be used."""
        self._pool = Pool(options)
        self._multi: Any = self._pool.multi

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

        Without transfers it sleeps for `timeout_s`: it paces its owner's loop in any case.
        """
        self._multi.perform()
        self._pool.look()
        if self._pool.reap():
            return
        self._wait(timeout_s)
        self._multi.perform()
        self._pool.reap()

    def close(self) -> None:
        """Drop what is under way, without calling `done`, and close all connections."""
        self._pool.close()

    def _wait(self, timeout_s: float) -> None:
        if not self._pool.running:
            time.sleep(timeout_s)
            return
        due_ms = self._multi.timeout()
        if due_ms >= 0:
            timeout_s = min(timeout_s, due_ms / 1000)
        timeout_s = min(timeout_s, SELECT_MAX_S)
        # No socket yet, for example in a name lookup: nothing to wait for but time.
        if self._multi.select(timeout_s) < 0 and timeout_s > 0:
            time.sleep(timeout_s)
