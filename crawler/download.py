"""Scrapy's download handler over sitemap_audit.http: one way to fetch for spider and workers.

A request says in `meta` what it is for (`kind`) and its exact address (`href`: Scrapy's own URL is escaped
once more). Redirects are followed here by hand, each hop with its own turn and its own record. The answer
is the Response that Scrapy wants, and beside it, in `meta["download"]`, the Download: hops, headers, times,
and the body. The body of a sitemap is a stream: the Response comes as soon as the headers are there, and
while the callback does not read, curl does not read either.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from scrapy import Request as ScrapyRequest
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes

from crawler.context import Context
from crawler.turns import HostWaitsError
from sitemap_audit.facts import ErrorClass, Hop
from sitemap_audit.formats.headers import parse_retry_after
from sitemap_audit.formats.urls import Url, pace_host, parse_url
from sitemap_audit.http import Answer, Chain, ChainEnd, Request, Stream
from sitemap_audit.queue.pace import HostState
from sitemap_audit.settings import HOST_FAILURES, PAGE_MAX_HOPS, ROBOTS_MAX_HOPS, SITEMAP_MAX_HOPS


class Kind(StrEnum):
    """What a request is for: caps, hops, and whether the body is a stream."""

    ROBOTS = "robots"
    SITEMAP = "sitemap"
    PAGE = "page"


_REQUESTS: Final = {Kind.ROBOTS: Request.robots, Kind.SITEMAP: Request.sitemap, Kind.PAGE: Request.page}
_HOPS: Final = {Kind.ROBOTS: ROBOTS_MAX_HOPS, Kind.SITEMAP: SITEMAP_MAX_HOPS, Kind.PAGE: PAGE_MAX_HOPS}
_ERRORS: Final[dict[ErrorClass, type[Exception]]] = {
    ErrorClass.DNS: CannotResolveHostError,
    ErrorClass.CONNECT: DownloadConnectionRefusedError,
    ErrorClass.TIMEOUT: DownloadTimeoutError,
}
DOWNLOAD_ERRORS: Final[tuple[type[Exception], ...]] = (DownloadFailedError, *_ERRORS.values())
"""No answer came: a fact. Any other exception of a request is a bug."""
_SILENT: Final = frozenset({ErrorClass.DNS, ErrorClass.CONNECT, ErrorClass.TIMEOUT})
_DRAIN_BYTES: Final = 16_384
"""A redirect's body up to this size is read, so that its connection can be used again."""


@dataclass(slots=True)
class Download:
    """How one request went, over all its hops."""

    url: str
    kind: Kind
    hops: tuple[Hop, ...] = ()
    end: ChainEnd | None = None
    first_status: int | None = None
    head: Answer | None = None
    """The final answer as far as it is known: headers of a stream that is not read yet, or all of it."""
    held_s: float | None = None
    """Not asked at all: its host is not to be asked for this long."""
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    _stream: Stream | None = None
    _stack: AsyncExitStack | None = None
    _before_ms: int = 0

    @property
    def status(self) -> int | None:
        return self.head.status if self.head else None

    @property
    def error_class(self) -> ErrorClass | None:
        return self.head.error_class if self.head else None

    @property
    def final_url(self) -> str | None:
        return self.head.url if self.head else None

    @property
    def total_ms(self) -> int:
        """Over all hops."""
        return self._before_ms + (self.head.total_ms if self.head else 0)

    @property
    def redirect_problem(self) -> str | None:
        """loop, too_long or bad_location, where the redirects lead nowhere."""
        return (
            self.end.value if self.end in (ChainEnd.LOOP, ChainEnd.TOO_LONG, ChainEnd.BAD_LOCATION) else None
        )

    async def chunks(self) -> AsyncIterator[bytes]:
        """The decoded body as it arrives, once; `head` is the whole answer afterwards."""
        if self._stream is None:
            if self.head is not None and self.head.body:
                yield self.head.body
            return
        try:
            async for chunk in self._stream:
                yield chunk
        finally:
            await self.close()

    async def close(self) -> None:
        """End the transfer; what was not read counts as truncated by us."""
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.close()
            self.head = stream.answer
        stack, self._stack = self._stack, None
        if stack is not None:
            await stack.aclose()


class CurlDownloadHandler(BaseDownloadHandler):
    """http and https for this project."""

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._context = Context.of(crawler)
        self._context.when_stopped(self._cut)
        self._client = self._context.client
        self._streams: set[Stream] = set()

    async def download_request(self, request: ScrapyRequest) -> Response:
        """Scrapy's entry. Raises one of DOWNLOAD_ERRORS when no answer came."""
        meta: dict[str, Any] = request.meta
        kind = Kind(meta.get("kind", Kind.PAGE))
        download = meta["download"] = Download(meta.get("href", request.url), kind)
        await self._follow(download, meta.get("may_follow"))
        head = download.head
        if head is None:
            raise DownloadFailedError(f"{download.url}: its host is not to be asked now")
        if head.status is None:
            await download.close()
            kind_of = _ERRORS.get(head.error_class or ErrorClass.RESET, DownloadFailedError)
            raise kind_of(f"{head.url}: {head.error_class}: {head.error_detail}")
        return _response(head, head.status, request, streamed=kind is Kind.SITEMAP)

    async def close(self) -> None:
        """Scrapy calls it when the engine has stopped."""
        for stream in list(self._streams):
            await stream.close()
        await self._client.close()

    async def _follow(self, download: Download, may_follow: Callable[[Url], bool] | None) -> None:
        chain = Chain(download.url, _HOPS[download.kind])
        going = True
        while going:
            stack = AsyncExitStack()
            try:
                stream = await self._open(chain.url, download.kind, stack)
                head = stream.answer_head
                going = chain.feed(head)
                if download.first_status is None:
                    download.first_status = head.status
                if going and may_follow is not None and not _allowed(may_follow, chain.url):
                    chain.stop()
                    going = False
                if going or download.kind is not Kind.SITEMAP:
                    head = await _whole(stream, keep=not going)
            except HostWaitsError as waits:
                await stack.aclose()
                download.hops = tuple(chain.hops)
                if waits.state is HostState.DOWN:
                    # It did not answer others a moment ago: that is the answer for this one as well, else a
                    # dead host would cost a minute for each of its files.
                    download.head = _dead(chain.url)
                else:
                    download.head, download.held_s = None, waits.seconds
                return
            except BaseException:
                await stack.aclose()
                raise
            if going:
                download._before_ms += head.total_ms
            elif download.kind is Kind.SITEMAP and head.status is not None:
                download._stream, download._stack = stream, stack
                download.head = head
                break
            await stack.aclose()
            download.head = head
        download.hops = tuple(chain.hops)
        download.end = chain.end

    async def _open(self, href: str, kind: Kind, stack: AsyncExitStack) -> Stream:
        """One hop: wait for the turn of its host, send, read the head, tell the pace how it went."""
        url = parse_url(href)
        host = pace_host(url) if url is not None else ""
        await stack.enter_async_context(self._context.turns.turn(host))
        sent = time.monotonic()
        opening = asyncio.ensure_future(self._client.open(_REQUESTS[kind](href)))
        if not await self._context.until(opening):
            opening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await opening
            raise HostWaitsError(host, math.inf, HostState.FREE)
        stream = opening.result()
        self._streams.add(stream)
        stack.callback(self._streams.discard, stream)
        stack.push_async_callback(stream.close)
        head = stream.answer_head
        retry_after = head.header("retry-after")
        seconds = (
            parse_retry_after(retry_after, datetime.now(UTC), date=head.header("date"))
            if retry_after is not None
            else None
        )
        await self._context.turns.answered(
            host,
            limited=head.status == 429 or (head.status == 503 and retry_after is not None),
            retry_after_s=seconds,
            failed=head.status is None and head.error_class in _SILENT,
            age_s=time.monotonic() - sent,
        )
        return stream

    async def _cut(self) -> None:
        for stream in list(self._streams):
            await stream.close()


async def _whole(stream: Stream, *, keep: bool) -> Answer:
    """The rest of an answer; with its body if it is kept."""
    parts: list[bytes] = []
    size = 0
    async for chunk in stream:
        size += len(chunk)
        if keep:
            parts.append(chunk)
        elif size > _DRAIN_BYTES:
            break
    await stream.close()
    return replace(stream.answer, body=b"".join(parts))


def _dead(url: str) -> Answer:
    now = datetime.now(UTC)
    detail = f"not asked: its host left {HOST_FAILURES} requests in a row without an answer"
    return Answer(url, error_class=ErrorClass.CONNECT, error_detail=detail, started_at=now, ended_at=now)


def _allowed(may_follow: Callable[[Url], bool], href: str) -> bool:
    url = parse_url(href)
    return url is not None and may_follow(url)


def _response(head: Answer, status: int, request: ScrapyRequest, *, streamed: bool) -> Response:
    headers = Headers()
    for name, value in head.headers:
        headers.appendlist(name, value.encode("latin-1", "replace"))
    body = b"" if streamed else head.body
    cls = Response if streamed else responsetypes.from_args(headers=headers, url=head.url, body=body)
    return cls(
        url=head.url,
        status=status,
        headers=headers,
        body=body,
        request=request,
        protocol=f"HTTP/{head.http_version}" if head.http_version else None,
    )
