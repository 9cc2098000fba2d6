"""What the spider saw, on its way out.

In a run: Scrapy's item pipeline collects facts, and sends them in batches through the run's stream. When
the stream is full it waits; then the spider's callbacks wait for it, and the transfers behind them pause.
Alone (`scrapy crawl sitemaps`): a spider middleware makes one item of each entry, for any exporter.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, fields
from typing import Any, Final, Self

import orjson
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.logformatter import LogFormatter, LogFormatterResult

from crawler.context import Context
from sitemap_audit.facts import Entry, RobotsFile, SitemapFile
from sitemap_audit.queue.listing import Listed, Listing
from sitemap_audit.queue.messages import EntriesMessage, RobotsMessage, SitemapsMessage
from sitemap_audit.queue.stream import GaveUpError, Publisher
from sitemap_audit.settings import CRAWLER_FACTS_BATCH, CRAWLER_FLUSH_S, CRAWLER_MESSAGE_BYTES, ENTRY_BATCH

logger: Final = logging.getLogger(__name__)
ENTRY_FIELDS: Final = tuple(f.name for f in fields(Entry) if f.name != "is_child")
"""The view `entries`: children of an index are no entries of pages."""


@dataclass(frozen=True, slots=True)
class EntryBatch:
    """Entries of one file, at most ENTRY_BATCH."""

    sitemap: str
    entries: tuple[Entry, ...]


Fact = RobotsFile | SitemapFile | EntryBatch


def line(fact: Any) -> bytes:
    """A fact as one NDJSON line, without its end."""
    return orjson.dumps(fact, option=orjson.OPT_UTC_Z)


@dataclass(slots=True)
class _Buffer:
    """Lines of one kind that wait for their batch to fill."""

    most: int
    lines: list[bytes] = field(default_factory=list)
    size: int = 0
    listing: Listing = field(default_factory=Listing)

    def add(self, text: bytes) -> bool:
        """Put a line in; True when it is time to send."""
        self.lines.append(text)
        self.size += len(text)
        return len(self.lines) >= self.most or self.size >= CRAWLER_MESSAGE_BYTES

    def add_entry(self, entry: Entry) -> bool:
        if entry.url_id is not None and entry.loc is not None and not entry.is_child:
            self.listing.add(entry.sitemap, entry.url_id, entry.loc)
        return self.add(line(entry))

    def take(self) -> tuple[bytes, int, tuple[Listed, ...]]:
        """(NDJSON, number of lines, what they list); the buffer is empty then."""
        taken = b"\n".join((*self.lines, b"")), len(self.lines), self.listing.take()
        self.lines, self.size = [], 0
        return taken


class PublishPipeline:
    """Facts in batches to the stream of the run; without a publisher items pass as they are."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._publisher: Publisher | None = context.publisher
        self._robots = _Buffer(CRAWLER_FACTS_BATCH)
        self._files = _Buffer(CRAWLER_FACTS_BATCH)
        self._entries = _Buffer(ENTRY_BATCH)
        # One call at a time: messages keep their order, and a full stream blocks one thread, not all.
        self._turn = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._late: set[asyncio.Task[None]] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Context.of(crawler))

    async def process_item(self, item: Any) -> Any:
        if self._publisher is None:
            return item
        if isinstance(item, EntryBatch):
            for entry in item.entries:
                if self._entries.add_entry(entry):
                    await self._flush()
        elif isinstance(item, SitemapFile):
            if self._files.add(line(item)):
                await self._flush()
        elif isinstance(item, RobotsFile):
            if self._robots.add(line(item)):
                await self._flush()
        else:
            raise DropItem(f"{type(item).__name__} is no fact of discovery")
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(CRAWLER_FLUSH_S, self._flush_later)
        return item

    async def close_spider(self) -> None:
        if self._late:
            await asyncio.wait(self._late)
        await self._flush()

    def _flush_later(self) -> None:
        self._timer = None
        task = asyncio.ensure_future(self._flush())
        self._late.add(task)
        task.add_done_callback(self._late.discard)

    async def _flush(self) -> None:
        """Send what is there: what decides (robots.txt) before what is decided, records of files last."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        async with self._turn:
            await self._send(
                self._robots, lambda p, t, n, _: p.publish_robots(RobotsMessage(lines=t, count=n))
            )
            await self._send(
                self._entries,
                lambda p, t, n, listed: p.publish_entries(EntriesMessage(lines=t, count=n, listed=listed)),
            )
            await self._send(
                self._files, lambda p, t, n, _: p.publish_sitemaps(SitemapsMessage(lines=t, count=n))
            )

    async def _send(
        self, buffer: _Buffer, publish: Callable[[Publisher, bytes, int, tuple[Listed, ...]], None]
    ) -> None:
        if not buffer.lines or self._publisher is None or self._context.stopping:
            return
        try:
            await asyncio.to_thread(publish, self._publisher, *buffer.take())
        except GaveUpError:
            pass  # We were told to stop while the stream was full; a resumed run discovers anew.
        except Exception as error:
            # A fact that is lost here would be missing in silence: end discovery, loudly.
            self._context.fail(error)


class UnpackMiddleware:
    """Without a run: one item an entry; what else was seen goes to the log and to Scrapy's statistics."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._alone = Context.of(crawler).publisher is None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_spider_output(self, response: Any, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for output in result:
            if isinstance(output, Request) or not self._alone:
                yield output
            elif isinstance(output, EntryBatch):
                for entry in output.entries:
                    if not entry.is_child:
                        row = orjson.loads(line(entry))
                        yield {name: row[name] for name in ENTRY_FIELDS}
            else:
                self._tell(output)

    def _tell(self, fact: RobotsFile | SitemapFile) -> None:
        stats = self._crawler.stats
        if isinstance(fact, RobotsFile):
            stats.inc_value(f"sitemap_audit/robots/{fact.state.value}")
            logger.info("%s: %s, %d Sitemap lines", fact.robots_url, fact.state.value, len(fact.sitemaps))
        else:
            stats.inc_value(f"sitemap_audit/files/{fact.kind.value}/{fact.state.value}")
            stats.inc_value("sitemap_audit/entries", fact.entries)
            logger.info(
                "%s: %s, %s, %d entries%s",
                fact.url,
                fact.kind.value,
                fact.state.value,
                fact.entries,
                f" ({fact.error_detail})" if fact.error_detail else "",
            )


class QuietItems(LogFormatter):
    """An item may be 2,000 entries: its text is never built, at no log level."""

    def scraped(self, item: Any, response: Any, spider: Any) -> LogFormatterResult:
        return None  # type: ignore[return-value]  # Scrapy's documented way to log nothing
