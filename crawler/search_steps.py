"""Steps of the search: Sitemap lines, else the usual places one after the other; and the feeds of the home page."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from crawler.download import Download, Kind
from crawler.frontier import Group, Target
from crawler.origins import Origin
from crawler.reading import Reading
from crawler.robots_steps import RobotsSteps
from crawler.search import Search
from crawler.sources import feeds_of
from crawler.steps import Outputs
from sitemap_audit.facts import SitemapFile, SitemapSource, SitemapState
from sitemap_audit.formats.page import read_page
from sitemap_audit.formats.urls import Url, parse_url
from sitemap_audit.settings import FEED_PAGES_MAX


class SearchSteps(RobotsSteps):
    """Ends in files for the frontier."""

    async def discover(self, origin: Origin) -> Outputs:
        """A SITE's origin: its Sitemap lines, else the usual places; and its home page."""
        search = Search(origin)
        group = Group(search)
        for href in origin.sitemaps:
            url = parse_url(href)
            if url is not None:
                target = Target(url, SitemapSource.ROBOTS, declared_in=(origin.origin,), group=group)
                if not self.frontier.add(target) and self.frontier.knows(url):
                    search.found = True
        async for output in self.ready():
            yield output
        policy = origin.policy.result()
        home = parse_url(origin.origin + "/")
        if home is not None and self.origins.may_guess(policy, home):
            yield self.request(home, Kind.PAGE, self.parse_home, guessed=True, search=search)
        else:
            search.home_done()
        if not group.open and not search.found:
            async for output in self.look_around(search):
                yield output

    async def look_around(self, search: Search) -> Outputs:
        """Begin with the usual places."""
        policy = search.origin.policy.result()
        if policy.verdict(self.context.options.bots[0], search.origin.origin + "/").allowed is None and (
            not self.context.options.inspect_blocked
        ):
            self.tell(
                f"{search.origin.origin}: the usual places are not asked while robots.txt is {policy.state.value}"
            )
            return
        search.to_sitemaps()
        async for output in self.next_place(search):
            yield output

    async def next_place(self, search: Search) -> Outputs:
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
                self.tell(f"{url.href}: not asked, robots.txt forbids it")
            elif self.frontier.add(Target(url, SitemapSource.GUESS, guess=search)):
                async for output in self.ready():
                    yield output
                return

    async def _next_stage(self, search: Search) -> bool:
        if not await self.context.until(search.home_read):
            return False
        if search.to_feeds():
            return True
        if search.to_failed():
            return await self.context.pause(self.context.options.recheck_after_s)
        return False

    async def parse_home(self, download: Download, search: Search) -> Outputs:
        """The home page: only for the feeds that it advertises."""
        feeds = self._feeds(download) if not self.context.stopping else []
        search.home_done(feeds=bool(feeds))
        for url in feeds:
            async for output in self.need(url):
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
        async for output in self.ready():
            yield output

    async def next_of_feed(self, target: Target, file: SitemapFile) -> Outputs:
        """The next page of a feed that has been read becomes a file to read, on the same host, up to a bound.

        A page that nobody named by hand, in robots.txt or in an index is a guess like its feed.
        """
        url = None if file.next_page is None else parse_url(file.next_page)
        if url is None or not file.entries:
            return
        if url.host != target.url.host:
            self.tell(f"{url.href}: not read, the next page of a feed on another host")
            return
        page = Target(
            url,
            target.source,
            depth=target.depth,
            parent=target.url.href,
            declared_in=target.declared_in,
            page=target.page + 1,
        )
        if page.page > FEED_PAGES_MAX:
            self.frontier.leave(page)
            return
        if target.source in (SitemapSource.FEED_LINK, SitemapSource.GUESS) and not self.frontier.knows(url):
            async for output in self.need(url):
                yield output
            policy = await self.origins.wait(url.origin)
            if policy is None or not self.origins.may_guess(policy, url):
                self.tell(f"{url.href}: not asked, robots.txt forbids it")
                return
        self.frontier.add(page)

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
        return [
            url for url in feeds_of(signals.feed_links, head.url) if self.context.options.in_scope(url.host)
        ]
