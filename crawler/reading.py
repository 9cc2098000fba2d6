"""One look at one file: its chunks → batches of entries, and in the end its record."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from crawler.download import Download
from crawler.frontier import Target
from sitemap_audit.facts import Entry, ErrorClass, RobotsVerdict, SitemapFile, SitemapState
from sitemap_audit.formats.sitemap import SitemapEnd, SitemapReader
from sitemap_audit.settings import CRAWLER_READ_BATCH, XML_BLOCK_BYTES

_MAY_PASS: Final = frozenset(
    {
        ErrorClass.DNS,
        ErrorClass.CONNECT,
        ErrorClass.TLS,
        ErrorClass.TIMEOUT,
        ErrorClass.RESET,
        ErrorClass.BAD_HTTP,
    }
)


class Reading:
    """Reads a Download as a sitemap. Only a 2xx body is one; other answers give a record without entries."""

    def __init__(self, download: Download, target: Target) -> None:
        self._download = download
        self._reader = SitemapReader(
            target.url.href,
            source=target.source,
            parent=target.parent,
            depth=target.depth,
            declared_in=target.declared_in,
            location=download.final_url,
        )
        self._rest: list[Entry] = []
        self._stopped = False

    async def batches(self) -> AsyncIterator[list[Entry]]:
        """Entries while they arrive, about CRAWLER_READ_BATCH at a time; the rest comes with `end`."""
        status = self._download.status
        if status is None or not 200 <= status < 300:
            await self._download.close()
            return
        weight = 0
        async for chunk in self._download.chunks():
            # Many files are read at the same time: of each only so many entries may wait for their turn.
            for start in range(0, len(chunk), XML_BLOCK_BYTES):
                found = self._reader.feed(chunk[start : start + XML_BLOCK_BYTES])
                self._rest += found
                # What entries carry counts as well: fifty hreflang links weigh more than the entry.
                weight += sum(1 + len(e.alternates or ()) + len(e.images or ()) for e in found)
                if weight >= CRAWLER_READ_BATCH:
                    yield self._rest
                    self._rest, weight = [], 0
                if self._reader.stopped or self._stopped:
                    break
            if self._reader.stopped or self._stopped:
                break
        await self._download.close()

    def stop(self) -> None:
        """A cap of the whole audit is reached: read no further."""
        self._stopped = True

    def end(
        self, robots: dict[str, RobotsVerdict] | None, state: SitemapState | None = None
    ) -> tuple[list[Entry], SitemapFile]:
        """The last entries and the record of the file; the transfer has ended. `state`: it was not read."""
        download, head = self._download, self._download.head
        last, file = self._reader.close(
            SitemapEnd(
                headers=head.headers if head else (),
                first_status=download.first_status,
                status=download.status,
                hops=download.hops,
                final_url=download.final_url,
                error_class=download.error_class,
                error_detail=head.error_detail
                if head
                else "its host asked us to stay away for longer than we wait",
                content_encoding=head.content_encoding if head else None,
                bytes_wire=head.bytes_wire if head else 0,
                complete=head.complete if head else False,
                ttfb_ms=head.ttfb_ms if head else None,
                total_ms=download.total_ms,
                fetched_at=head.ended_at if head else datetime.now(UTC),
                robots=robots,
                state=state,
            )
        )
        entries = [*self._rest, *last]
        return entries, replace(file, stopped_by_us=True) if self._stopped else file


def may_pass(file: SitemapFile) -> bool:
    """Is this a failure that a second look may not meet: no answer, a broken one, 5xx or 429?"""
    if file.stopped_by_us:
        return False
    if file.status is not None and (file.status >= 500 or file.status == 429):
        return True
    return file.error_class in _MAY_PASS and file.state in (SitemapState.FAILED, SitemapState.PARTIAL)


def better(first: SitemapFile | None, second: SitemapFile) -> SitemapFile:
    """Of two looks the one that saw more: its entries are what is stored of the file."""
    if first is not None and second.state is SitemapState.SKIPPED:
        return first
    if first is None or (second.complete, second.entries) >= (first.complete, first.entries):
        return second
    return first
