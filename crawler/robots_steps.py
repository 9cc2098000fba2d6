"""Steps of robots.txt: asked for once an origin, looked at twice where it fails, and over http where https refuses."""

from __future__ import annotations

from collections.abc import Sequence

from crawler.download import Download, Kind
from crawler.origins import Origin, believed
from crawler.sources import Site, over_http, robots_below
from crawler.steps import Outputs, Steps
from sitemap_audit.formats.urls import Url
from sitemap_audit.settings import RETRY_AFTER_CAP_S


class RobotsSteps(Steps):
    """Ends in `discover` for the origins of SITEs, and in the policy that others wait for."""

    looked_below = False
    """One robots.txt below a directory is asked for in an audit, not more."""

    async def audit_origin(self, origin: Origin, site: Site) -> Outputs:
        """A SITE is this origin: discover it, now or when its robots.txt is there."""
        if origin.policy.done():
            async for output in self._begin(origin, [site]):
                yield output
            return
        origin.sites.append(site)
        async for output in self._ask(origin):
            yield output

    async def need(self, url: Url) -> Outputs:
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
            yield self.request(origin.url, Kind.ROBOTS, self.parse_robots, origin=origin)
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
                yield self.request(origin.url, Kind.ROBOTS, self.parse_robots, origin=origin)
            return
        origin.looks += 1
        look = self.origins.read(download)
        self.tell(f"{origin.url.href}: {look.said()}")
        if origin.instead_of is not None:
            async for output in self._after_http(origin, answers=not look.refused):
                yield output
            if look.refused and not origin.needed:
                return
        if believed(look, origin):
            file = self.origins.believe(origin, look, await self.origins.past(origin, look))
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
        """The robots.txt is believed: SITEs go on."""
        if origin.sites:
            sites = list(origin.sites)
            origin.sites.clear()
            async for output in self._begin(origin, sites):
                yield output

    async def _begin(self, origin: Origin, sites: Sequence[Site]) -> Outputs:
        """Discover the origin of these SITEs; where one has a path, look once for a robots.txt beside it."""
        for site in sites:
            place = robots_below(site.url)
            may = place is not None and self.origins.may_guess(origin.policy.result(), place)
            if place is not None and may and not self.looked_below:
                self.looked_below = True
                yield self.request(place, Kind.ROBOTS, self.parse_misplaced, guessed=True, place=place)
        async for output in self.discover(origin):
            yield output

    async def parse_misplaced(self, download: Download, place: Url) -> Outputs:
        """A robots.txt below a directory: of interest only if somebody wrote rules into it."""
        look = self.origins.read(download)
        self.tell(f"{place.href}: {look.said()}")
        file = self.origins.misplaced(place, look)
        if file is not None:
            yield file
