"""The spider: from SITEs to robots.txt, sitemaps, indexes and feeds, and to their entries.

    start ─► robots.txt ─► Sitemap lines ─► files ─► entries, children of indexes ─► files …
                       └─► else the usual places, one after the other
                       └─► home page ─► feeds that it advertises

Every request names its callback; what a callback yields are facts (RobotsFile, SitemapFile, EntryBatch)
and further requests. Nothing waits for a failed robots.txt or file: its second look comes later.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

from crawler.download import Download, Kind
from crawler.frontier import Group, Target
from crawler.publish import EntryBatch
from crawler.reading import Reading, better, may_pass
from crawler.search_steps import SearchSteps
from crawler.sources import Site, answers_as_sitemap, can_be_read, named_like_a_sitemap, read_site
from crawler.steps import Outputs
from sitemap_audit.errors import UsageError
from sitemap_audit.facts import Entry, SitemapFile, SitemapSource, SitemapState
from sitemap_audit.formats.urls import parse_url
from sitemap_audit.settings import ENTRIES_MAX, ENTRY_BATCH, RECHECK_COUNT, RETRY_AFTER_CAP_S


class SitemapsSpider(SearchSteps):
    """`-a site=` and `-a sitemap=` take one address or several, parted by blanks or commas."""

    name = "sitemaps"
    entries = 0
    """Handed on so far."""

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
        async for output in self.ready():
            yield output
        for site in origins:
            async for output in self.audit_origin(self.origins.get(site.url.origin), site):
                yield output

    async def parse_file(self, download: Download, target: Target) -> Outputs:
        """A sitemap, index or feed as it arrives, and then its record."""
        if self.context.stopping:
            return
        if download.held_s is not None and download.held_s <= RETRY_AFTER_CAP_S:
            # It keeps its place meanwhile: the host's other files would be told the same.
            if await self.context.pause(download.held_s):
                yield self.request(
                    target.url, Kind.SITEMAP, self.parse_file, guessed=target.guess is not None, target=target
                )
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
        async for output in self.ready():
            yield output
        policy = await self.origins.wait(target.url.origin)
        if policy is None or self.context.stopping:
            return  # Cut by us: a resumed run reads it anew.
        verdicts = self.origins.verdicts(policy, target.url)
        skipped = twin is not None or download.head is None
        last, file = reading.end(verdicts, SitemapState.SKIPPED if skipped else None)
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
                self.tell(f"{target.url.href}: {_said(file)}")
                if may_pass(file):
                    search.failed(target.url)
            async for output in self.next_place(search):
                yield output
            return
        if may_pass(file) and target.looks < RECHECK_COUNT:
            target.best = better(target.best, file)
            async for output in self.ready():
                yield output
            if await self.context.pause(self.context.options.recheck_after_s):
                self.frontier.again(target)
                async for output in self.ready():
                    yield output
            return
        file = better(target.best, file)
        target.best = None
        meant = twin or answers_as_sitemap(file)
        readable = twin or can_be_read(file)
        self.readable += readable
        self.frontier.judged(target, readable=readable)
        if target.guess is not None:
            self.tell(f"{target.url.href}: {_said(file)}")
            target.guess.found = True
        if readable and not twin:
            async for output in self.next_of_feed(target, file):
                yield output
        if not meant and target.site is not None:
            origin = self.origins.get(target.url.origin)
            origin.needed = True
            async for output in self.audit_origin(origin, target.site):
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
        async for output in self.ready():
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
            async for output in self.look_around(search):
                yield output

    def _hand_on(self, entries: Sequence[Entry], target: Target, reading: Reading) -> EntryBatch:
        """Entries on their way out; children of an index become files to read."""
        for entry in entries:
            if not entry.is_child:
                continue
            url = parse_url(entry.loc) if entry.loc is not None else None
            if url is not None:
                self.frontier.add(
                    Target(
                        url,
                        SitemapSource.INDEX,
                        depth=target.depth + 1,
                        parent=target.url.href,
                        brood=target.children,
                    )
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

    async def ready(self) -> Outputs:
        """Requests for the files whose turn it is, and for the robots.txt that judges them."""
        for target in list(self.frontier.ready()):
            async for output in self.need(target.url):
                yield output
            yield self.request(
                target.url, Kind.SITEMAP, self.parse_file, guessed=target.guess is not None, target=target
            )

    async def lost(self, arguments: dict[str, Any]) -> Outputs:
        """A step died: nobody may wait for what it would have done."""
        if "origin" in arguments:
            self.origins.give_up(arguments["origin"])
        if "search" in arguments:
            arguments["search"].home_done()
        target = arguments.get("target")
        if target is not None:
            self.frontier.judged(target, readable=False)
            if target.group is not None:
                async for output in self._leave(target.group, target):
                    yield output
        async for output in self.ready():
            yield output


def _said(file: SitemapFile) -> str:
    """What a place answered, in a few words."""
    if file.status is None:
        return file.error_class or "not asked"
    what = f", {file.kind.value}" if 200 <= file.status < 300 else ""
    return f"{file.status}{what}"


async def _nothing() -> AsyncIterator[list[Entry]]:
    none: tuple[list[Entry], ...] = ()
    for batch in none:
        yield batch
