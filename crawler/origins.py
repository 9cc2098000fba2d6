"""One robots.txt an origin: who needs it, who fetches it, what it says, and when a failure is believed.

It is a page like any other here (its HTTP state is a fact), fetched once a run and shared with the
workers. A failed one is asked a second time later; until then whoever needs it waits, nobody else does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from crawler.context import Context
from crawler.download import Download
from crawler.sources import Site, robots_url
from sitemap_audit.facts import ErrorClass, RobotsFile, RobotsPast, RobotsState, RobotsVerdict
from sitemap_audit.formats.headers import cache_control_max_age
from sitemap_audit.formats.robots import RobotsText, read_robots
from sitemap_audit.formats.robots_policy import (
    Outage,
    RobotsPolicy,
    is_html_answer,
    outage_of,
    robots_file,
    state_of,
)
from sitemap_audit.formats.urls import Url, pace_host, parse_url
from sitemap_audit.queue.robots import FAILED, RULED, StoredRobots
from sitemap_audit.settings import (
    PRODUCT_TOKEN,
    RECHECK_COUNT,
    REPORT_BOTS,
    ROBOTS_CLAIM_MS,
    ROBOTS_MAX_BYTES,
)

"""States whose body states rules."""
_REFUSED: Final = frozenset({ErrorClass.CONNECT, ErrorClass.TIMEOUT, ErrorClass.RESET})
"""https fails like this where only http is served."""
_POLL_S: Final = 0.25
"""How often to look whether the worker that claimed a robots.txt has delivered."""


@dataclass(slots=True, eq=False)
class Origin:
    """What is known of an origin. `sites` are the SITEs whose discovery goes on when `policy` is there."""

    origin: str
    url: Url
    policy: asyncio.Future[RobotsPolicy]
    sitemaps: tuple[str, ...] = ()
    """Usable Sitemap lines, each once, in order."""
    sites: list[Site] = field(default_factory=list)
    looks: int = 0
    asked: bool = False
    """The question is on its way."""
    needed: bool = False
    """Somebody other than a bare SITE wants to know."""
    instead_of: Origin | None = None
    """This is the http origin that stands in for an https one that refused."""


@dataclass(frozen=True, slots=True)
class Look:
    """One answer of a robots.txt."""

    state: RobotsState
    text: RobotsText | None
    body: bytes
    download: Download

    @property
    def failed(self) -> bool:
        return self.state in FAILED

    @property
    def refused(self) -> bool:
        """Nobody answers there; another scheme may."""
        return self.state is RobotsState.UNREACHABLE and self.download.error_class in _REFUSED

    def said(self) -> str:
        """For the list of places looked at."""
        return str(self.download.status or self.download.error_class or "not asked")


class Origins:
    """The origins of one discovery."""

    def __init__(self, context: Context, declare: Callable[[Url, str], None] | None = None) -> None:
        """`declare` is told of each file that an origin's robots.txt names, before anyone goes on."""
        self._context = context
        self._declare = declare
        self._known: dict[str, Origin] = {}

    def get(self, origin: str) -> Origin:
        """The record of an origin, made at the first mention."""
        found = self._known.get(origin)
        if found is None:
            policy: asyncio.Future[RobotsPolicy] = asyncio.get_running_loop().create_future()
            found = self._known[origin] = Origin(origin, robots_url(origin), policy)
        return found

    def forget(self, origin: Origin) -> None:
        """A bare SITE turned out to be another origin, and nobody else asked for this one."""
        self._known.pop(origin.origin, None)

    def settled(self, url: Url) -> RobotsPolicy | None:
        """The policy of the URL's origin if it is there already."""
        found = self._known.get(url.origin)
        return found.policy.result() if found is not None and found.policy.done() else None

    async def wait(self, origin: str) -> RobotsPolicy | None:
        """The policy of an origin that somebody asks for; None when told to stop before."""
        policy = self.get(origin).policy
        return policy.result() if await self._context.until(policy) else None

    async def claim(self, origin: Origin) -> StoredRobots | None:
        """What another process of the run has read there; None: it is ours to fetch now."""
        store = self._context.robots
        waited = 0.0
        while store is not None and not self._context.stopping:
            stored = await asyncio.to_thread(store.get, origin.origin)
            if stored is not None and stored.believed():
                return stored
            if stored is not None and not stored.look_due(
                datetime.now(UTC), self._context.options.recheck_after_s
            ):
                pass  # Failed a moment ago: the next look is not due.
            elif await asyncio.to_thread(store.claim, origin.origin, "spider"):
                origin.looks = max(origin.looks, stored.looks if stored is not None else 0)
                return None
            if waited > ROBOTS_CLAIM_MS / 1000 + self._context.options.recheck_after_s:
                return None  # Whoever claimed it is gone.
            waited += _POLL_S
            await self._context.pause(_POLL_S)
        return None

    def read(self, download: Download) -> Look:
        """What came of asking."""
        head = download.head
        body = head.body if head is not None else b""
        text = read_robots(body) if body or download.status is not None else None
        is_html = text is not None and is_html_answer(text, head.header("content-type") if head else None)
        state = state_of(download.status, download.error_class, download.redirect_problem, is_html)
        return Look(state, text, body, download)

    async def share(self, origin: Origin, look: Look) -> None:
        """Tell the workers of the run."""
        store = self._context.robots
        if store is None:
            return
        stored = StoredRobots(
            robots_url=origin.url.href,
            state=look.state,
            body=look.body[:ROBOTS_MAX_BYTES] if look.state in RULED else b"",
            status=look.download.status,
            error_class=look.download.error_class,
            fetched_at=datetime.now(UTC),
            looks=origin.looks,
        )
        await asyncio.to_thread(store.put, origin.origin, stored)

    async def past(self, origin: Origin, look: Look) -> RobotsPast | None:
        """What earlier runs knew of an origin whose robots.txt fails now."""
        store = self._context.robots
        return (
            await asyncio.to_thread(store.past, origin.origin) if store is not None and look.failed else None
        )

    async def release(self, origin: Origin) -> None:
        """Told to stop before our look: another process need not wait for it."""
        if self._context.robots is not None:
            await asyncio.to_thread(self._context.robots.release, origin.origin)

    def believe(self, origin: Origin, look: Look, past: RobotsPast | None = None) -> RobotsFile:
        """From now on this is what the origin's robots.txt says. Returns the fact."""
        download, head = look.download, look.download.head
        outage = outage_of(past, download.started_at)
        policy = self._policy(origin, look.state, look.text, download.status, outage)
        control = head.header("cache-control") if head else None
        file = robots_file(
            policy,
            look.text,
            bots=reported_bots(self._context.options.bots),
            truncated=head.truncated if head else False,
            first_status=download.first_status,
            status=download.status,
            hops=download.hops,
            final_url=download.final_url,
            error_class=download.error_class,
            error_detail=head.error_detail if head else "its host asked us to stay away",
            content_type=head.header("content-type") if head else None,
            cache_control_max_age=cache_control_max_age(control) if control else None,
            past=past,
            fetched_at=head.ended_at if head else datetime.now(UTC),
            total_ms=download.total_ms,
        )
        self._settle(origin, policy)
        return file

    def misplaced(self, place: Url, look: Look) -> RobotsFile | None:
        """The fact about a robots.txt below a directory that holds rules; no verdict ever depends on it."""
        if look.state is not RobotsState.OK or look.text is None or not look.text.rules or look.download.hops:
            return None
        head = look.download.head
        return robots_file(
            RobotsPolicy(place.href, look.state, look.text, self._context.options.robots_mode),
            look.text,
            at_root=False,
            first_status=look.download.first_status,
            status=look.download.status,
            final_url=look.download.final_url,
            content_type=head.header("content-type") if head else None,
            fetched_at=head.ended_at if head else datetime.now(UTC),
            total_ms=look.download.total_ms,
        )

    def adopt(self, origin: Origin, stored: StoredRobots) -> None:
        """Another process of the run read it, and published the fact."""
        self._settle(origin, stored.policy(self._context.options.robots_mode)[0])

    def _policy(
        self,
        origin: Origin,
        state: RobotsState,
        text: RobotsText | None,
        status: int | None,
        outage: Outage,
    ) -> RobotsPolicy:
        mode = self._context.options.robots_mode
        return RobotsPolicy(origin.url.href, state, text, mode, status=status, outage=outage)

    def _settle(self, origin: Origin, policy: RobotsPolicy) -> None:
        self._context.turns.crawl_delay(pace_host(origin.url), policy.kept_delay(PRODUCT_TOKEN))
        origin.sitemaps = tuple(dict.fromkeys(line.abs for line in policy.sitemaps() if line.abs is not None))
        for href in origin.sitemaps:
            url = parse_url(href)
            if url is not None and self._declare is not None:
                self._declare(url, origin.origin)
        if not origin.policy.done():
            origin.policy.set_result(policy)

    def give_up(self, origin: Origin) -> None:
        """A bug of ours: nobody may wait for this origin for ever."""
        if not origin.policy.done():
            origin.policy.set_result(self._policy(origin, RobotsState.UNREACHABLE, None, None, Outage()))

    def may_guess(self, policy: RobotsPolicy, url: Url) -> bool:
        """May a place that nobody named be asked for: by the verdict's bot, and by us?"""
        options = self._context.options
        return options.inspect_blocked or all(
            policy.verdict(bot, url.href).allowed for bot in (options.bots[0], PRODUCT_TOKEN)
        )

    def verdicts(self, policy: RobotsPolicy, url: Url) -> dict[str, RobotsVerdict]:
        """What robots.txt of its own origin says about a file, for the bots of the run."""
        return {bot: policy.verdict(bot, url.href) for bot in self._context.options.bots}


def reported_bots(bots: Sequence[str]) -> tuple[str, ...]:
    """The bots of the robots table: those of the run, then those of every report."""
    return tuple(dict.fromkeys((*bots, *REPORT_BOTS)))


def believed(look: Look, origin: Origin) -> bool:
    """Is this the last word? A failure is, when the last look agrees (definitions 11)."""
    return not look.failed or origin.looks >= RECHECK_COUNT
