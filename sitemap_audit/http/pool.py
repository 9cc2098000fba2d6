"""The transfers of one process: one CurlMulti, its connections, its easy handles.

How sockets are waited for is the business of Client and AsyncClient: each drives `multi` in its way, and then
calls `reap`. Nothing here may cross a fork: make a client after it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from sitemap_audit.facts import ErrorClass
from sitemap_audit.http.failures import printable
from sitemap_audit.http.libcurl import pycurl
from sitemap_audit.http.records import Answer, ClientOptions, Request
from sitemap_audit.http.setup import Setup
from sitemap_audit.http.target import Target, read_target
from sitemap_audit.http.transfer import Exchange, Sink
from sitemap_audit.settings import KEPT_CONNECTIONS, OPEN_CONNECTIONS, PHASE_LOOK_S


class Transfer:
    """A request under way. Its starter gives it to `cancel` and looks at nothing but `request`."""

    __slots__ = ("cap", "done", "exchange", "request", "sink", "target")

    def __init__(
        self, request: Request, done: Callable[[Answer], None], cap: int | None, sink: Sink | None
    ) -> None:
        self.request = request
        self.done = done
        self.cap = cap
        self.sink = sink
        self.target: Target | None = None
        self.exchange: Exchange | None = None


class Lane:
    """The transfers to one host: how many run, which wait for one of them to end."""

    __slots__ = ("running", "waiting")

    def __init__(self) -> None:
        self.running = 0
        self.waiting: deque[Transfer] = deque()


class Pool:
    """Starts, cancels and ends transfers. Not thread-safe."""

    def __init__(self, options: ClientOptions) -> None:
        """Raise UsageError for options that cannot be used."""
        self._setup = Setup(options)
        self.multi: Any = pycurl.CurlMulti()
        self.multi.setopt(pycurl.M_MAXCONNECTS, KEPT_CONNECTIONS)
        self.multi.setopt(pycurl.M_MAX_TOTAL_CONNECTIONS, OPEN_CONNECTIONS)
        self._idle: list[Exchange] = []
        self._running: dict[Exchange, Transfer] = {}
        self._lanes: dict[str, Lane] = {}
        self._finished: deque[tuple[Exchange, int, str]] = deque()  # ended for libcurl
        self._ended: deque[tuple[Transfer, Answer]] = deque()  # to be handed out
        self._unnamed: list[tuple[Exchange, int, str]] = []  # ended for libcurl, the cause is being asked for
        self._overdue: list[tuple[Exchange, int, str]] = []
        self._look_at = 0.0
        self._waiting = 0
        self.closed = False

    @property
    def active(self) -> int:
        """Transfers that were started and whose `done` was not called yet."""
        return len(self._running) + self._waiting + len(self._ended)

    @property
    def running(self) -> int:
        """Transfers that libcurl has."""
        return len(self._running)

    @property
    def ended(self) -> bool:
        """There are answers to hand out: call `reap` without waiting."""
        return bool(self._ended)

    def start(
        self,
        request: Request,
        done: Callable[[Answer], None],
        *,
        max_connections: int | None = None,
        sink: Sink | None = None,
    ) -> Transfer:
        """Begin a request; it waits here while its host has `max_connections` transfers running."""
        if self.closed:
            raise RuntimeError("the client is closed")
        transfer = Transfer(request, done, max_connections, sink)
        target = read_target(request.url)
        if isinstance(target, str):
            self._refuse(transfer, f"{request.url[:200]!r} is not fetched: {target}")
            return transfer
        transfer.target = target
        lane = self._lanes.get(target.lane)
        if lane is None:
            lane = self._lanes[target.lane] = Lane()
        if max_connections is not None and lane.running >= max_connections:
            lane.waiting.append(transfer)
            self._waiting += 1
        else:
            self._begin(transfer, target, lane)
        return transfer

    def cancel(self, transfer: Transfer) -> None:
        """Drop a request; its `done` is never called. Nothing happens if it was called already."""
        if transfer.exchange is not None:
            self._forget_end(transfer.exchange)
            self._release(transfer.exchange, transfer)
            return
        if transfer.target is not None and (lane := self._lanes.get(transfer.target.lane)) is not None:
            before = len(lane.waiting)
            lane.waiting = deque(t for t in lane.waiting if t is not transfer)
            self._waiting -= before - len(lane.waiting)
        self._ended = deque(pair for pair in self._ended if pair[0] is not transfer)

    def abort(self, transfer: Transfer, error: ErrorClass | None, detail: str | None) -> None:
        """End a request from our side: its `done` gets what is known, with this error, at once."""
        exchange = transfer.exchange
        if exchange is None:
            self.cancel(transfer)
            self._fail(transfer, error, detail)
        else:
            if error is not None and detail is not None:
                exchange.stop = (error, detail)
            self._forget_end(exchange)
            self._end(exchange, 0, "")
        self.reap()

    @property
    def wake(self) -> Callable[[], None] | None:
        """Called from another thread when `reap` has something new to do."""
        return self._setup.names.wake

    @wake.setter
    def wake(self, call: Callable[[], None] | None) -> None:
        self._setup.names.wake = call

    def look(self) -> None:
        """End what is overdue in its phase; at most every PHASE_LOOK_S, before `reap` hands it out."""
        now = time.monotonic()
        if now < self._look_at:
            return
        self._look_at = now + PHASE_LOOK_S
        self._overdue.extend([(exchange, 0, "") for exchange in self._running if exchange.look(now)])

    def reap(self) -> int:
        """Call `done` of all that ended, one by one, so that one body at a time is held; the number of calls."""
        queued = not self.closed
        while queued:
            queued, succeeded, failed = self.multi.info_read()
            self._finished.extend((curl.exchange, 0, "") for curl in succeeded)
            self._finished.extend((curl.exchange, code, message) for curl, code, message in failed)
        if self._unnamed:
            self._finished.extend(self._unnamed)
            self._unnamed = []
        if self._overdue:
            overdue = dict.fromkeys(end[0] for end in self._overdue)  # each is to end once
            self._finished = deque([*self._overdue, *(e for e in self._finished if e[0] not in overdue)])
            self._overdue.clear()
        count = 0
        while self._finished or self._ended:
            if self._finished:
                end = self._finished.popleft()
                if end[1] == pycurl.E_COULDNT_RESOLVE_HOST and not self._named(*end):
                    continue
                self._end(*end)
            transfer, answer = self._ended.popleft()
            count += 1
            transfer.done(answer)
        return count

    def close(self) -> None:
        """Drop everything and close all connections; no `done` is called. A second call does nothing."""
        if self.closed:
            return
        self.closed = True
        self._ended.clear()
        self._finished.clear()
        self._unnamed.clear()
        self._overdue.clear()
        self.wake = None
        self._lanes.clear()
        self._waiting = 0
        for exchange, transfer in self._running.items():
            self.multi.remove_handle(exchange.curl)
            transfer.exchange = None
            self._idle.append(exchange)
        self._running.clear()
        for exchange in self._idle:
            exchange.close()
        self._idle.clear()
        self.multi.close()

    def _begin(self, transfer: Transfer, target: Target, lane: Lane) -> None:
        exchange = self._idle.pop() if self._idle else Exchange(self._setup)
        try:
            exchange.begin(transfer.request, target, transfer.sink)
        except (pycurl.error, ValueError, TypeError) as error:
            self._idle.append(exchange)
            self._refuse(transfer, f"{transfer.request.url[:200]!r} cannot be requested: {error}")
            return
        transfer.exchange = exchange
        self._running[exchange] = transfer
        lane.running += 1
        self.multi.add_handle(exchange.curl)

    def _end(self, exchange: Exchange, code: int, message: str) -> None:
        transfer = self._running[exchange]
        answer = exchange.answer(code, message)
        self._release(exchange, transfer)
        self._ended.append((transfer, answer))

    def _named(self, exchange: Exchange, code: int, message: str) -> bool:
        """Is it known why this name was not resolved? If not yet, it waits for that."""
        exchange.dns_error = self._setup.names.why(message.rpartition(": ")[2])
        exchange.unnamed = exchange.dns_error is None
        if exchange.unnamed:
            self._unnamed.append((exchange, code, message))
        return not exchange.unnamed

    def _forget_end(self, exchange: Exchange) -> None:
        """It is ended by somebody else; libcurl may have ended it too, which is not to be handed out then."""
        self._finished = deque(end for end in self._finished if end[0] is not exchange)
        self._unnamed = [end for end in self._unnamed if end[0] is not exchange]
        self._overdue = [end for end in self._overdue if end[0] is not exchange]

    def _release(self, exchange: Exchange, transfer: Transfer) -> None:
        """Take the handle out, and let the next request of its host begin."""
        self.multi.remove_handle(exchange.curl)
        del self._running[exchange]
        transfer.exchange = None
        exchange.forget()
        self._idle.append(exchange)
        name = exchange.target.lane
        lane = self._lanes[name]
        lane.running -= 1
        while lane.waiting and (lane.waiting[0].cap is None or lane.running < lane.waiting[0].cap):
            following = lane.waiting.popleft()
            self._waiting -= 1
            assert following.target is not None
            self._begin(following, following.target, lane)
        if not lane.running:
            del self._lanes[name]

    def _refuse(self, transfer: Transfer, reason: str) -> None:
        self._fail(transfer, ErrorClass.INVALID_URL, printable(reason))

    def _fail(self, transfer: Transfer, error: ErrorClass | None, detail: str | None) -> None:
        """End a request that never reached libcurl."""
        now = datetime.now(UTC)
        answer = Answer(
            transfer.request.url,
            error_class=error,
            error_detail=detail,
            started_at=now,
            ended_at=now,
        )
        self._ended.append((transfer, answer))
