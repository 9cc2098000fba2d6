"""AsyncClient: the same transfers on a running asyncio loop, whole answers and streams.

    async with AsyncClient(options) as client:
        answer = await client.fetch(Request.robots(url))
        async with await client.open(Request.sitemap(url)) as stream:
            async for chunk in stream:
                reader.feed(chunk)
        stream.answer

It needs a loop with add_reader and add_writer, and belongs to the loop of its first use.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Self

from sitemap_audit.http.libcurl import pycurl
from sitemap_audit.http.pool import Pool
from sitemap_audit.http.records import Answer, ClientOptions, Request
from sitemap_audit.http.stream import Stream
from sitemap_audit.settings import PHASE_LOOK_S


class AsyncClient:
    """Not thread-safe; close it on the loop that used it."""

    def __init__(self, options: ClientOptions) -> None:
        """Raise UsageError for options that cannot be used."""
        self._pool = Pool(options)
        self._pool.multi.setopt(pycurl.M_SOCKETFUNCTION, self._on_socket)
        self._pool.multi.setopt(pycurl.M_TIMERFUNCTION, self._on_timer)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.Handle | None = None
        self._looking: asyncio.Handle | None = None
        self._watched: dict[int, int] = {}  # file → CSELECT bits that are watched
        self._closed = False

    @property
    def active(self) -> int:
        """Requests that have not ended."""
        return self._pool.active

    async def fetch(self, request: Request, max_connections: int | None = None) -> Answer:
        """GET the whole answer. `max_connections` as for Client.start; cancelling drops the request."""
        future: asyncio.Future[Answer] = self._running_loop().create_future()

        def done(answer: Answer) -> None:
            if not future.done():
                future.set_result(answer)

        transfer = self._pool.start(request, done, max_connections=max_connections)
        self._reap_soon()
        try:
            return await future
        finally:
            if not future.done() or future.cancelled():
                self._pool.cancel(transfer)

    async def open(self, request: Request, max_connections: int | None = None) -> Stream:
        """GET as a stream: returns when the headers are there, or the failure. Close it, or read it to its end."""
        stream = Stream(self._pool, request, self._running_loop())
        stream.begin(max_connections)
        self._reap_soon()
        try:
            await stream.wait_for_head()
        except BaseException:
            await stream.close()
            raise
        return stream

    async def close(self) -> None:
        """Close all connections. What is still under way must have been cancelled by its owner."""
        if self._closed:
            return
        self._closed = True
        self._pool.close()
        if self._timer is not None:
            self._timer.cancel()
        if self._looking is not None:
            self._looking.cancel()
        for fd in list(self._watched):
            self._watch(fd, 0)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._pool.wake = self._reap_from_thread
        return self._loop

    def _reap_soon(self) -> None:
        if self._pool.ended:
            self._running_loop().call_soon(self._pool.reap)
        if self._looking is None:
            self._looking = self._running_loop().call_later(PHASE_LOOK_S, self._look)

    def _reap_from_thread(self) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._pool.reap)

    def _look(self) -> None:
        """The limits of phases, as long as something runs."""
        self._looking = None
        if not self._closed and self._pool.running:
            self._looking = self._running_loop().call_later(PHASE_LOOK_S, self._look)
            self._pool.look()
            self._pool.reap()

    # --- libcurl asks to be called ------------------------------------------------------------

    def _act(self, fd: int, bits: int) -> None:
        if self._closed:
            return
        self._pool.multi.socket_action(fd, bits)
        self._pool.reap()

    def _on_timer(self, after_ms: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if after_ms >= 0 and self._loop is not None:
            self._timer = self._loop.call_later(after_ms / 1000, self._act, pycurl.SOCKET_TIMEOUT, 0)

    def _on_socket(self, what: int, fd: int, _multi: object, _data: object) -> None:
        bits = {
            pycurl.POLL_IN: pycurl.CSELECT_IN,
            pycurl.POLL_OUT: pycurl.CSELECT_OUT,
            pycurl.POLL_INOUT: pycurl.CSELECT_IN | pycurl.CSELECT_OUT,
        }.get(what, 0)
        self._watch(fd, bits)

    def _watch(self, fd: int, bits: int) -> None:
        loop: Any = self._loop
        before = self._watched.pop(fd, 0)
        for bit, add, remove in (
            (pycurl.CSELECT_IN, loop.add_reader, loop.remove_reader),
            (pycurl.CSELECT_OUT, loop.add_writer, loop.remove_writer),
        ):
            if bits & bit and not before & bit:
                add(fd, self._act, fd, bit)
            elif before & bit and not bits & bit:
                remove(fd)
        if bits:
            self._watched[fd] = bits
