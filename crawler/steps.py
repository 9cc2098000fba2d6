"""What all steps of the spider share: how a request is made, how its answer comes back, what is told."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from typing import Any, Final, Self

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from crawler.context import Context, words
from crawler.download import DOWNLOAD_ERRORS, Download, Kind
from crawler.frontier import Frontier
from crawler.origins import Origin, Origins
from sitemap_audit.errors import UsageError
from sitemap_audit.formats.urls import Url, pace_host
from sitemap_audit.settings import INDEX_MAX_DEPTH, INDEX_TRIAL_CHILDREN, LOOKED_MAX, SITEMAP_MAX_FILES

logger: Final = logging.getLogger(__name__)
Outputs = AsyncIterator[Any]
"""Facts (RobotsFile, SitemapFile, EntryBatch) and further requests."""
Step = Callable[..., Outputs]
"""Takes a Download and what `request` was given by name."""


class Steps(Spider):
    """The ground of the spider. Its steps stand in robots_steps, search_steps and spiders/sitemaps."""

    def __init__(self, context: Context, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.context = context
        self.frontier = Frontier(context.options.concurrency)
        self.origins = Origins(context, self.frontier.declare)
        self.looked: list[str] = []
        """Places that were tried, and what was there; for the user who has no sitemap."""
        self.readable = 0
        """Files that could be read."""
        self.bugs = 0
        """Steps that ended in an exception: the outcome is not complete."""

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        context: Context | None = None,
        site: str = "",
        sitemap: str = "",
        **arguments: Any,
    ) -> Self:
        """A run hands its context over; `scrapy crawl` gives addresses and settings. UsageError for neither."""
        if context is None:
            if not site and not sitemap:
                raise UsageError("give a site: scrapy crawl sitemaps -a site=https://example.com")
            context = Context.alone(crawler.settings, words(site), words(sitemap))
            context.ended, context.look_s = lambda: not crawler.crawling, 0.5
        spider = cls(context, **arguments)
        spider._set_crawler(crawler)
        return spider

    # --- steps that others need -----------------------------------------------------------------

    def need(self, url: Url) -> Outputs:
        """Ask for the robots.txt of this URL's origin, unless it was asked."""
        raise NotImplementedError

    def discover(self, origin: Origin) -> Outputs:
        """Look for the sitemaps of a SITE's origin, whose robots.txt is known."""
        raise NotImplementedError

    def ready(self) -> Outputs:
        """Requests for the files whose turn it is."""
        raise NotImplementedError

    def lost(self, arguments: dict[str, Any]) -> Outputs:
        """A step died: nobody may wait for what it would have done."""
        raise NotImplementedError

    # --- requests -----------------------------------------------------------------------------------

    def request(
        self, url: Url, kind: Kind, then: Step, *, guessed: bool = False, **arguments: Any
    ) -> Request:
        """Fetch `url`, then go on with the step, whatever comes. A guess follows no redirect that robots.txt forbids."""
        return Request(
            url.href,
            callback=self.answered,
            errback=self.failed,
            cb_kwargs={"then": then, "arguments": arguments},
            meta={
                "href": url.href,
                "kind": kind,
                "may_follow": self._may_follow if guessed else None,
                "download_slot": pace_host(url),
            },
            dont_filter=True,
        )

    def _may_follow(self, url: Url) -> bool:
        policy = self.origins.settled(url)
        return policy is None or self.origins.may_guess(policy, url)

    async def answered(self, response: Response, then: Step, arguments: dict[str, Any]) -> Outputs:
        """Callback of all requests."""
        async for output in self._guarded(response.meta["download"], then, arguments):
            yield output

    async def failed(self, failure: Failure) -> Outputs:
        """Errback of all requests: no answer is an answer too."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy sets it
        download = request.meta.get("download") or Download(request.url, request.meta["kind"])
        if not isinstance(failure.value, DOWNLOAD_ERRORS):
            self.bugs += 1
            logger.error("%s could not be requested", request.url, exc_info=failure.value)
        async for output in self._guarded(
            download, request.cb_kwargs["then"], request.cb_kwargs["arguments"]
        ):
            yield output

    async def _guarded(self, download: Download, then: Step, arguments: dict[str, Any]) -> Outputs:
        """An exception is a bug of ours: it is told and counted, and everybody else goes on."""
        try:
            async for output in then(download, **arguments):
                yield output
        except Exception:
            self.bugs += 1
            logger.exception("a bug while %s was read; its facts are not complete", download.url)
            async for output in self.lost(arguments):
                yield output

    def note(self) -> str | None:
        """A word for the user about what discovery could not do; None when all was read."""
        words = []
        if not self.readable:
            words.append("No sitemap or feed was found that can be read.")
        if self.frontier.unread:
            words.append(
                f"{self.frontier.unread} sitemap files were named and not read: a cap of ours on files "
                f"({SITEMAP_MAX_FILES}), on the depth of indexes ({INDEX_MAX_DEPTH}) or on entries was reached, "
                f"or none of the first {INDEX_TRIAL_CHILDREN} files of their index could be read."
            )
        if self.bugs:
            words.append(f"{self.bugs} steps ended in an error of ours; see the log.")
        return " ".join(words) or None

    def tell(self, text: str) -> None:
        """A place was tried."""
        if len(self.looked) < LOOKED_MAX:
            self.looked.append(text)
        logger.info("%s", text)
