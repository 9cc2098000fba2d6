"""What one discovery was asked to do, and its means. Made once, by __main__ for a run or from Scrapy's settings.

Scrapy copies settings, so live objects travel with the spider: `Context.of(crawler)` gives them to the
download handler and the pipeline.
"""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Final, Self

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from crawler.stop import Stop
from crawler.turns import LocalPace, PaceLike, Turns
from sitemap_audit.coordinate.sites import is_bare_host, origins_of, private_sockets, read_site, scope_of
from sitemap_audit.errors import UsageError
from sitemap_audit.formats.urls import parse_url
from sitemap_audit.http import AsyncClient, ClientOptions
from sitemap_audit.options import DEFAULT_USER_AGENT, RunOptions, Transport
from sitemap_audit.queue.robots import RobotsStore
from sitemap_audit.queue.stream import Publisher
from sitemap_audit.settings import CONCURRENCY, RATE_PER_S, RECHECK_AFTER_S

logger: Final = logging.getLogger(__name__)
PREFIX: Final = "SITEMAP_AUDIT_"


@dataclass(slots=True)
class Context:
    """The options of the audit and what discovery works with. UsageError for options that cannot be used."""

    options: RunOptions
    transport: Transport
    pace: PaceLike = field(default_factory=LocalPace)
    robots: RobotsStore | None = None
    """None: alone, nobody else needs the robots.txt that we read."""
    publisher: Publisher | None = None
    """None: alone, entries become items of Scrapy."""
    give_up: threading.Event = field(default_factory=threading.Event)
    """For the publisher's thread: set when told to stop."""
    ended: Callable[[], bool] = lambda: False
    """Does Scrapy end the crawl by itself (Ctrl-C of `scrapy crawl`)? Nothing tells us: we have to look."""
    look_s: float = math.inf
    error: Exception | None = None
    """Why facts could not be handed on; discovery ends, and the process says so."""
    turns: Turns = field(init=False)
    client: AsyncClient = field(init=False)
    """Made here, so that options that cannot be used are told before anything is asked."""
    _stopped: Stop = field(default_factory=Stop)
    _when_stopped: list[Callable[[], Coroutine[Any, Any, None]]] = field(default_factory=list)
    _ending: list[asyncio.Future[None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.turns = Turns(self.pace, self.options.rate, self.options.concurrency, self._stopped)
        self.client = AsyncClient(ClientOptions.of_run(self.options, self.transport))

    @property
    def stopping(self) -> bool:
        """Told to stop: waits end, transfers are cut, nothing more is published."""
        return self._stopped.is_set

    def stop(self) -> None:
        """End discovery before it is done. Call it on the loop."""
        if not self._stopped.is_set:
            self._stopped.set()
            self.give_up.set()
            self._ending += [asyncio.ensure_future(call()) for call in self._when_stopped]

    def when_stopped(self, call: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Register what has to be cut at once when discovery is told to stop."""
        self._when_stopped.append(call)

    def fail(self, error: Exception) -> None:
        """Facts cannot be handed on any more: stop."""
        self.error = self.error or error
        logger.error("discovery ends, because its facts cannot be handed on: %s", error)
        self.stop()

    async def pause(self, seconds: float) -> bool:
        """Wait; False when told to stop meanwhile."""
        await self._wait((), seconds)
        return not self.stopping

    async def until(self, future: asyncio.Future[Any]) -> bool:
        """Wait for a future, without owning it; False when told to stop before."""
        await self._wait((future,), math.inf)
        return future.done()

    async def _wait(self, futures: tuple[asyncio.Future[Any], ...], seconds: float) -> None:
        end = time.monotonic() + seconds
        while not self.stopping and not any(f.done() for f in futures):
            left = end - time.monotonic()
            if left <= 0:
                return
            await self._stopped.wait(*futures, seconds=min(left, self.look_s))
            if self.ended():
                self.stop()

    @classmethod
    def of(cls, crawler: Crawler) -> Self:
        """The context of a crawl: the spider's own; for any other spider what the settings say."""
        context = getattr(crawler.spider, "context", None)
        return context if isinstance(context, cls) else cls.alone(crawler.settings, (), ())

    @classmethod
    def alone(cls, settings: BaseSettings, sites: tuple[str, ...], sitemaps: tuple[str, ...]) -> Self:
        """Discovery without a run, as `scrapy crawl` starts it. UsageError for what cannot be used."""
        read = [read_site(text) for text in sites]
        urls = [parse_url(text) for text in sitemaps]
        if None in urls:
            raise UsageError(f"-a sitemap={sitemaps[urls.index(None)]!r} is not an http(s) URL")
        named = [*read, *(u for u in urls if u is not None)]
        return cls(
            options=RunOptions(
                run_id="alone",
                sites=tuple(u.host if is_bare_host(s) else u.href for s, u in zip(sites, read, strict=True)),
                sitemaps=tuple(u.href for u in urls if u is not None),
                scope=scope_of(named, ()),
                origins=origins_of(named),
                allow_sockets=private_sockets(named),
                allow_private=words(settings.get(PREFIX + "ALLOW_PRIVATE")),
                rate=settings.getfloat(PREFIX + "RATE", RATE_PER_S),
                concurrency=settings.getint(PREFIX + "CONCURRENCY", CONCURRENCY),
                user_agent=settings.get(PREFIX + "USER_AGENT")
                or settings.get("USER_AGENT")
                or DEFAULT_USER_AGENT,
                recheck_after_s=settings.getfloat(PREFIX + "RECHECK_AFTER", RECHECK_AFTER_S),
            ),
            transport=Transport(
                connect_to=words(settings.get(PREFIX + "CONNECT_TO")),
                cacert=settings.get(PREFIX + "CACERT"),
                insecure=settings.getbool(PREFIX + "INSECURE"),
                http2=settings.getbool(PREFIX + "HTTP2"),
            ),
        )


def words(value: Any) -> tuple[str, ...]:
    """A list, or a text of names parted by blanks or commas."""
    if isinstance(value, str):
        value = value.replace(",", " ").split()
    return tuple(value or ())
