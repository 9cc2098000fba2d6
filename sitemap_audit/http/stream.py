"""Stream: one answer whose body is taken piece by piece, with back-pressure down to the socket.

libcurl hands over wire bytes; they wait here, at most STREAM_HOLD_BYTES of them, until the reader asks.
Decoding happens then, in bounded pieces, so that neither a slow reader nor a bomb makes memory grow.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import replace
from types import TracebackType
from typing import Self

from sitemap_audit.facts import ErrorClass
from sitemap_audit.http.body import Body
from sitemap_audit.http.pool import Pool, Transfer
from sitemap_audit.http.records import Answer, Request
from sitemap_audit.settings import STREAM_HOLD_BYTES, STREAM_PIECE_BYTES


class Stream:
    """`answer_head` when opened, decoded pieces by `async for`, `answer` after the end."""

    def __init__(self, pool: Pool, request: Request, loop: asyncio.AbstractEventLoop) -> None:
        self._pool = pool
        self._request = request
        self._loop = loop
        self._transfer: Transfer | None = None
        self._held: deque[bytes] = deque()
        self._held_bytes = 0
        self._body = Body(request.max_bytes)
        self._news = asyncio.Event()
        self._head_seen = False
        self._head: Answer | None = None
        self._ended: Answer | None = None  # as libcurl sees it, without the body
        self._answer: Answer | None = None
        self._paused_at: float | None = None
        self._paused_s = 0.0
        self._deadline: asyncio.TimerHandle | None = None

    def begin(self, max_connections: int | None) -> None:
        """Start the transfer; AsyncClient.open does."""
        self._transfer = self._pool.start(
            self._request, self._done, max_connections=max_connections, sink=self
        )
        self._deadline = self._loop.call_later(self._request.timeout_s, self._expire, 0.0)

    async def wait_for_head(self) -> None:
        while not self._head_seen and self._ended is None:
            await self._wait()
        if self._ended is None and self._transfer is not None and self._transfer.exchange is not None:
            self._head = self._transfer.exchange.answer(ended=False)

    @property
    def answer_head(self) -> Answer:
        """Status, headers, times so far; the whole answer when it failed before its headers or has ended."""
        head = self._head or self._ended
        assert head is not None, "AsyncClient.open waits for the head"
        return head

    @property
    def answer(self) -> Answer:
        """The end of the transfer, body empty; after the iteration or `close`."""
        if self._answer is None:
            raise RuntimeError("the stream is neither read to its end nor closed")
        return self._answer

    @property
    def held(self) -> int:
        """Wire bytes that wait for the reader."""
        return self._held_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Decoded pieces, none of them empty, at most about STREAM_PIECE_BYTES each."""
        body = self._body
        body.open(self.answer_head.content_encoding)
        while self._answer is None and not body.stopped:
            if self._held:
                piece = body.decode(self._take(), STREAM_PIECE_BYTES)
                if piece:
                    yield piece
                while body.more and self._answer is None:
                    piece = body.decode(b"", STREAM_PIECE_BYTES)
                    if piece:
                        yield piece
            elif self._ended is not None:
                break
            else:
                await self._wait()
        self._finish()

    async def close(self) -> None:
        """Stop here. What was not read counts as truncated. Nothing happens after the end."""
        if self._ended is None or self._held or self._body.more:
            self._body.stopped = self._body.truncated = True
        self._finish()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # --- called by the exchange, from within libcurl ------------------------------------------

    def head(self) -> None:
        self._head_seen = True
        self._news.set()

    def chunk(self, data: bytes) -> bool:
        if self._held_bytes >= STREAM_HOLD_BYTES:
            self._paused_at = self._loop.time()
            return False
        self._held.append(data)
        self._held_bytes += len(data)
        self._news.set()
        return True

    # --- inside -------------------------------------------------------------------------------

    async def _wait(self) -> None:
        self._news.clear()
        await self._news.wait()

    def _take(self) -> bytes:
        data = self._held.popleft()
        self._held_bytes -= len(data)
        if self._paused_at is not None and self._held_bytes <= STREAM_HOLD_BYTES // 2:
            self._paused_s += self._loop.time() - self._paused_at
            self._paused_at = None
            if self._transfer is not None and self._transfer.exchange is not None:
                self._transfer.exchange.resume()
        return data

    def _done(self, answer: Answer) -> None:
        self._ended = answer
        self._news.set()
        if self._deadline is not None:
            self._deadline.cancel()

    def _expire(self, excused_s: float) -> None:
        """The time of the request is over, save what the reader kept it waiting."""
        now = self._loop.time()
        paused_s = self._paused_s + (now - self._paused_at if self._paused_at is not None else 0.0)
        if paused_s > excused_s:
            self._deadline = self._loop.call_later(paused_s - excused_s, self._expire, paused_s)
        elif self._transfer is not None:
            took = f"no end after {self._request.timeout_s:g} s"
            self._pool.abort(self._transfer, ErrorClass.TIMEOUT, took)

    def _finish(self) -> None:
        """Make `answer` of what libcurl and the body say; drop the transfer if it still runs."""
        if self._answer is not None:
            return
        if self._ended is None and self._transfer is not None:
            self._pool.abort(self._transfer, None, None)
        ended = self._ended
        assert ended is not None
        body = self._body
        body.end(finished=ended.error_class is None)
        error, detail = ended.error_class, ended.error_detail
        if body.failure is not None:
            error, detail = ErrorClass.CONTENT_ENCODING, body.failure
        elif body.truncated:
            error, detail = None, None
        self._held.clear()
        self._held_bytes = 0
        self._answer = replace(
            ended,
            truncated=body.truncated,
            complete=ended.complete and error is None and not body.truncated,
            error_class=error,
            error_detail=detail,
        )
