"""The spider: from SITEs to robots.txt, sitemaps, indexes and feeds, and to their entries.

    start ─► robots.txt ─► Sitemap lines ─► files ─► entries, children of indexes ─► files …
                       └─► else the usual places, one after the other
                       └─► home page ─► feeds that it advertises

Every request names its callback; what a callback yields are facts (RobotsFile, SitemapFile, EntryBatch)
and further requests. Nothing waits for a failed robots.txt or file: its second look comes later.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, Self

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadFailedError
from scrapy.http import Response
from sitemap_audit.formats.page import read_page
from twisted.python.failure import Failure

from crawler.context import Context, words
from crawler.download import Download, Kind
from crawler.frontier import Frontier, Group, Target
from crawler.origins import Origin, Origins, believed
from crawler.publish import EntryBatch
from crawler.reading import Reading, better, may_pass
from crawler.search import Search
from crawler.sources import (
    Site,
    answers_as_sitemap,
    can_be_read,
    feeds_of,
    named_like_a_sitemap,
    over_http,
    read_site,
)
from sitemap_audit.errors import UsageError
from sitemap_audit.facts import Entry, SitemapFile, SitemapSource, SitemapState
from sitemap_audit.formats.urls import Url, pace_host, parse_url
from sitemap_audit.settings import (
    ENTRIES_MAX,
    ENTRY_BATCH,
    INDEX_MAX_DEPTH,
    LOOKED_MAX,
    RECHECK_COUNT,
    RETRY_AFTER_CAP_S,
    SITEMAP_MAX_FILES,
)

logger: Final = logging.getLogger(__name__)
Outputs = AsyncIterator[Any]


class SitemapsSpider(Spider):  # type: ignore[misc]
    """`-a site=` and `-a sitemap=` take one address or several, parted by blanks or commas."""

    name = "sitemaps"

    def __init__(self, context: Context, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.context = context
        self.origins = Origins(context)
        self.frontier = Frontier(context.options.concurrency)
        self.looked: list[str] = []
        """Places that were tried, and what was there; for the user who has no sitemap."""
        self.bugs = 0
        """Callbacks that ended in an exception: the outcome is not complete."""
        self.entries = 0
        self.readable = 0

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
        spider = cls(context, **arguments)
        spider._set_crawler(crawler)
        return spider

    async def start(self) -> Outputs:
        """What the user named."""
        asked = Group()
        origins: list[Site] = []
        for text in self.context.options.sitemaps:
            url = parse_url(text)
            if url is not None:
                self.frontier.add(Target(url, SitemapSource.OPTION, group=asked))
        for text in self.context.options.sites:
            site = read_site(text)
            if site is None:
                raise UsageError(f"SITE {text!r} is no http(s) address")
            if site.is_origin:
                origins.append(site)
            else:
                self.frontier.add(Target(site.url, SitemapSource.OPTION, group=asked, site=site))
        async for output in self._ready():
            yield output
        for site in origins:
            async for output in self._audit_origin(self.origins.get(site.url.origin), site):
                yield output

    # --- robots.txt ---------------------------------------------------------------------------

    async def _audit_origin(self, origin: Origin, site: Site) -> Outputs:
        """A SITE is this origin: discover it, now or when its robots.txt is there."""
        if origin.policy.done():
            async for output in self._discover(origin):
                yield output
            return
        origin.sites.append(site)
        async for output in self._ask(origin):
            yield output

    async def _need(self, url: Url) -> Outputs:
        """Somebody wants to know what robots.txt of this URL's origin says."""
        origin = self.origins.get(url.origin)
        origin.needed = True
        async for output in self._ask(origin):
            yield output

    async def _ask(self, origin: Origin) -> Outputs:
        if origin.asked:
            return
        origin.asked = True
        async for output in self._ask_again(origin):
            yield output

    async def _ask_again(self, origin: Origin) -> Outputs:
        stored = await self.origins.claim(origin)
        if self.context.stopping:
            return
        if stored is None:
            yield self._request(origin.url, Kind.ROBOTS, self.parse_robots, origin=origin)
            return
        self.origins.adopt(origin, stored)
        async for output in self._settled(origin):
            yield output

    async def parse_robots(self, download: Download, origin: Origin) -> Outputs:
        """An answer of /robots.txt, whatever it is."""
        if self.context.stopping:
            await self.origins.release(origin)
            return
        if download.held_s is not None and download.held_s <= RETRY_AFTER_CAP_S:
            if await self.context.pause(download.held_s):
                yield self._request(origin.url, Kind.ROBOTS, self.parse_robots, origin=origin)
            return
        origin.looks += 1
        look = self.origins.read(download)
        self._tell(f"{origin.url.href}: {look.said()}")
        if origin.instead_of is not None:
            async for output in self._after_http(origin, answers=not look.refused):
                yield output
            if look.refused and not origin.needed:
                return
        if believed(look, origin):
            file = self.origins.believe(origin, look)
            await self.origins.share(origin, look)
            yield file
            async for output in self._settled(origin):
                yield output
            return
        await self.origins.share(origin, look)
        if look.refused and origin.looks == 1:
            http = self._over_http(origin)
            if http is not None:
                async for output in self._ask(http):
                    yield output
                return
        async for output in self._second_look(origin):
            yield output

    async def _second_look(self, origin: Origin) -> Outputs:
        if await self.context.pause(self.context.options.recheck_after_s):
            async for output in self._ask_again(origin):
                yield output

    def _over_http(self, origin: Origin) -> Origin | None:
        """https refuses, and only bare SITEs led here: their http origin, to be asked instead."""
        sites = [over_http(site) for site in origin.sites]
        plain = [site for site in sites if site is not None]
        if not plain or len(plain) != len(sites) or origin.needed:
            return None
        http = self.origins.get(plain[0].url.origin)
        if http.asked:
            return None
        http.instead_of = origin
        http.sites = plain
        return http

    async def _after_http(self, http: Origin, *, answers: bool) -> Outputs:
        """http answered for a SITE whose https refused, or refused as well: then https is looked at again."""
        https, http.instead_of = http.instead_of, None
        assert https is not None
        if answers:
            https.sites.clear()
            if not https.needed:
                self.origins.forget(https)
                return
        else:
            http.sites.clear()
            if not http.needed:
                self.origins.forget(http)
        async for output in self._second_look(https):
            yield output

    async def _settled(self, origin: Origin) -> Outputs:
        """The robots.txt is believed: SITEs go on, and known files learn who declares them."""
        for href in origin.sitemaps:
            url = parse_url(href)
            if url is not None:
                self.frontier.declare(url, origin.origin)
        if origin.sites:
            origin.sites.clear()
            async for output in self._discover(origin):
                yield output

    # --- where sitemaps are looked for ------------------------------------------------------------

    async def _discover(self, origin: Origin) -> Outputs:
        """A SITE's origin: its Sitemap lines, else the usual places; and its home page."""
        search = Search(origin)
        group = Group(search)
        for href in origin.sitemaps:
            url = parse_url(href)
            if url is not None:
                target = Target(url, SitemapSource.ROBOTS, declared_in=(origin.origin,), group=group)
                if not self.frontier.add(target) and self.frontier.knows(url):
                    search.found = True
        async for output in self._ready():
            yield output
        policy = origin.policy.result()
        home = parse_url(origin.origin + "/")
        if home is not None and self.origins.may_guess(policy, home):
            yield self._request(home, Kind.PAGE, self.parse_home, search=search)
        else:
            search.home_read.set()
        if not group.open and not search.found:
            async for output in self._look_around(search):
                yield output

    async def _look_around(self, search: Search) -> Outputs:
        """Begin with the usual places."""
        policy = search.origin.policy.result()
        if policy.verdict(self.context.options.bots[0], search.origin.origin + "/").allowed is None and (
            not self.context.options.inspect_blocked
        ):
            self._tell(
                f"{search.origin.origin}: the usual places are not asked while robots.txt is {policy.state.value}"
            )
            return
        search.to_sitemaps()
        async for output in self._next_place(search):
            yield output

    async def _next_place(self, search: Search) -> Outputs:
        """Ask the next place that may be asked; stages as sources.py lists them."""
        policy = search.origin.policy.result()
        while not search.found and not self.context.stopping:
            url = search.next()
            if url is None:
                if not await self._next_stage(search):
                    return
            elif self.frontier.knows(url):
                search.found = True
            elif not self.origins.may_guess(policy, url):
                self._tell(f"{url.href}: not asked, robots.txt forbids it")
            elif self.frontier.add(Target(url, SitemapSource.GUESS, guess=search)):
                async for output in self._ready():
                    yield output
                return

    async def _next_stage(self, search: Search) -> bool:
        while not search.home_read.is_set():
            if not await self.context.pause_for(search.home_read):
                return False
        if search.to_feeds():
            return True
        if search.to_failed():
            return await self.context.pause(self.context.options.recheck_after_s)
        return False

    async def parse_home(self, download: Download, search: Search) -> Outputs:
        """The home page: only for the feeds that it advertises."""
        feeds = self._feeds(download) if not self.context.stopping else []
        search.has_feeds = bool(feeds)
        search.home_read.set()
        for url in feeds:
            async for output in self._need(url):
                yield output
        for url in feeds:
            policy = await self.origins.wait(url.origin)
            if policy is None:
                return
            target = Target(url, SitemapSource.FEED_LINK)
            if self.origins.may_guess(policy, url):
                self.frontier.add(target)
            elif not self.frontier.knows(url):
                reading = Reading(Download(url.href, Kind.SITEMAP), target)
                _, file = reading.end(self.origins.verdicts(policy, url), SitemapState.BLOCKED)
                yield replace(file, error_detail=None)
        async for output in self._ready():
            yield output

    def _feeds(self, download: Download) -> list[Url]:
        head = download.head
        if head is None or head.status != 200:
            return []
        signals = read_page(
            head.body,
            head.headers,
            final_url=head.url,
            status=head.status,
            bots=self.context.options.bots[:1],
            now=datetime.now(UTC),
            truncated=head.truncated,
        )
        return [url for url in feeds_of(signals.feed_links) if self.context.options.in_scope(url.host)]

    # --- files --------------------------------------------------------------------------------------

    async def parse_file(self, download: Download, target: Target) -> Outputs:
        """A sitemap, index or feed as it arrives, and then its record."""
        if self.context.stopping:
            return
        if download.held_s is not None and download.held_s <= RETRY_AFTER_CAP_S:
            # It keeps its place meanwhile: the host's other files would be told the same.
            if await self.context.pause(download.held_s):
                yield self._request(target.url, Kind.SITEMAP, self.parse_file, target=target)
            return
        target.looks += 1
        reading = Reading(download, target)
        twin = self._twin(download, target)
        entries: list[Entry] = []
        sure = target.guess is None
        try:
            async for batch in reading.batches() if twin is None else _nothing():
                entries += batch
                sure = sure or any(entry.loc is not None for entry in batch)
                if sure:
                    yield self._hand_on(entries, target, reading)
                    entries = []
        finally:
            await download.close()
            self.frontier.done(target)
        async for output in self._ready():
            yield output
        policy = await self.origins.wait(target.url.origin)
        if policy is None or self.context.stopping:
            return  # Cut by us: a resumed run reads it anew.
        verdicts = self.origins.verdicts(policy, target.url)
        last, file = reading.end(verdicts, None if twin is None else SitemapState.SKIPPED)
        entries += last
        if twin is not None:
            file = replace(file, error_detail=f"the same file is read as {twin}")
        if entries and (sure or answers_as_sitemap(file)):
            for at in range(0, len(entries), ENTRY_BATCH):
                yield self._hand_on(entries[at : at + ENTRY_BATCH], target, reading)
        async for output in self._after_look(target, file, twin=twin is not None):
            yield output

    async def _after_look(self, target: Target, file: SitemapFile, *, twin: bool) -> Outputs:
        """What follows from one look at a file: its record, a second look, or the next place."""
        if target.guess is not None and (twin or not answers_as_sitemap(file)):
            search = target.guess
            self.frontier.forget(target)
            search.found = search.found or twin
            if not twin:
                self._tell(f"{target.url.href}: {_said(file)}")
                if may_pass(file):
                    search.failed(target.url)
            async for output in self._next_place(search):
                yield output
            return
        if may_pass(file) and target.looks < RECHECK_COUNT:
            target.best = better(target.best, file)
            async for output in self._ready():
                yield output
            if await self.context.pause(self.context.options.recheck_after_s):
                self.frontier.again(target)
                async for output in self._ready():
                    yield output
            return
        file = better(target.best, file)
        target.best = None
        meant = twin or answers_as_sitemap(file)
        readable = twin or can_be_read(file)
        self.readable += readable
        if target.guess is not None:
            self._tell(f"{target.url.href}: {_said(file)}")
            target.guess.found = True
        if not meant and target.site is not None:
            origin = self.origins.get(target.url.origin)
            origin.needed = True
            async for output in self._audit_origin(origin, target.site):
                yield output
        if target.group is None:
            yield target.finish(file)
        else:
            # A SITE argument that is a page and is not called like a sitemap is no file.
            if meant or target.site is None or named_like_a_sitemap(target.url):
                target.group.held.append((target, file))
            target.group.readable += readable
            async for output in self._leave(target.group, target):
                yield output
        async for output in self._ready():
            yield output

    async def _leave(self, group: Group, target: Target) -> Outputs:
        """A file of a group is through; with the last one the group's records are published."""
        group.open.discard(target)
        if group.open:
            return
        held, group.held = group.held, []
        for member, file in held:
            yield member.finish(file)
        search = group.search
        if search is not None and not search.found and not group.readable and not self.context.stopping:
            async for output in self._look_around(search):
                yield output

    def _hand_on(self, entries: Sequence[Entry], target: Target, reading: Reading) -> EntryBatch:
        """Entries on their way out; children of an index become files to read."""
        for entry in entries:
            if not entry.is_child:
                continue
            url = parse_url(entry.loc) if entry.loc is not None else None
            if url is not None:
                self.frontier.add(
                    Target(url, SitemapSource.INDEX, depth=target.depth + 1, parent=target.url.href)
                )
        self.entries += len(entries)
        if self.entries >= ENTRIES_MAX:
            self.frontier.full = True
            reading.stop()
        return EntryBatch(target.url.href, tuple(entries))

    def _twin(self, download: Download, target: Target) -> str | None:
        """Under which other URL this document is read, if the redirects end at one that is known."""
        if download.status is None or not 200 <= download.status < 300 or download.final_url is None:
            return None
        final = parse_url(download.final_url)
        return self.frontier.same_file(target, final.key) if final is not None else None

    # --- requests ---------------------------------------------------------------------------------

    async def _ready(self) -> Outputs:
        """Requests for the files whose turn it is, and for the robots.txt that judges them."""
        for target in list(self.frontier.ready()):
            async for output in self._need(target.url):
                yield output
            yield self._request(target.url, Kind.SITEMAP, self.parse_file, target=target)

    def _request(self, url: Url, kind: Kind, then: Callable[..., Outputs], **arguments: Any) -> Request:
        guessed = kind is Kind.PAGE or (kind is Kind.SITEMAP and arguments["target"].guess is not None)
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

    async def answered(
        self, response: Response, then: Callable[..., Outputs], arguments: dict[str, Any]
    ) -> Outputs:
        """Callback of all requests."""
        async for output in self._guarded(response.meta["download"], then, arguments):
            yield output

    async def failed(self, failure: Failure) -> Outputs:
        """Errback of all requests: no answer is an answer too."""
        request = failure.request
        download = request.meta.get("download") or Download(request.url, request.meta["kind"])
        if not failure.check(DownloadFailedError):
            self.bugs += 1
            logger.error("%s could not be requested: %s", request.url, failure.getTraceback())
        async for output in self._guarded(
            download, request.cb_kwargs["then"], request.cb_kwargs["arguments"]
        ):
            yield output

    async def _guarded(
        self, download: Download, then: Callable[..., Outputs], arguments: dict[str, Any]
    ) -> Outputs:
        """An exception is a bug of ours: it is told and counted, and everybody else goes on."""
        try:
            async for output in then(download, **arguments):
                yield output
        except Exception:
            self.bugs += 1
            logger.exception("a bug while %s was read; its facts are not complete", download.url)
            for name, subject in arguments.items():
                if name == "origin":
                    self.origins.give_up(subject)
                elif name == "search":
                    subject.home_read.set()
                elif subject.group is not None:
                    async for output in self._leave(subject.group, subject):
                        yield output
            async for output in self._ready():
                yield output

    def note(self) -> str | None:
        """A word for the user about what discovery could not do; None when all was read."""
        words = []
        if not self.readable:
            words.append("No sitemap or feed was found that can be read.")
        if self.frontier.unread:
            words.append(
                f"{self.frontier.unread} sitemap files were named and not read: a cap of ours on files "
                f"({SITEMAP_MAX_FILES}), on the depth of indexes ({INDEX_MAX_DEPTH}) or on entries was reached."
            )
        if self.bugs:
            words.append(f"{self.bugs} steps ended in an error of ours; see the log.")
        return " ".join(words) or None

    def _tell(self, text: str) -> None:
        if len(self.looked) < LOOKED_MAX:
            self.looked.append(text)
        logger.info("%s", text)


def _said(file: SitemapFile) -> str:
    """What a place answered, in a few words."""
    if file.status is None:
        return file.error_class or "not asked"
    what = f", {file.kind.value}" if 200 <= file.status < 300 else ""
    return f"{file.status}{what}"


async def _nothing() -> AsyncIterator[list[Entry]]:
    for batch in ():
        yield batch
