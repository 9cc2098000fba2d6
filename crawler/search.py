"""The search for sitemaps of one SITE whose robots.txt names none that can be read: place after place."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

from crawler.origins import Origin
from crawler.sources import FEED_PLACES, SITEMAP_PLACES, places
from sitemap_audit.formats.urls import Url


@dataclass(slots=True, eq=False)
class Search:
    """Where to look next. `found`: something was there, the search is over."""

    origin: Origin
    found: bool = False
    home_read: asyncio.Future[None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    """The home page has said which feeds it advertises (or there is none to ask)."""
    has_feeds: bool = False
    """It advertises some: no feed has to be guessed."""
    looks: int = 1
    _places: deque[Url] = field(default_factory=deque)
    _failed: list[Url] = field(default_factory=list)

    def home_done(self, *, feeds: bool = False) -> None:
        """The home page is read, or not asked for."""
        self.has_feeds = self.has_feeds or feeds
        if not self.home_read.done():
            self.home_read.set_result(None)

    def next(self) -> Url | None:
        """The next place of this stage, None when it has no more."""
        return self._places.popleft() if self._places and not self.found else None

    def failed(self, url: Url) -> None:
        """No answer, or 5xx: worth a second look when all other places were tried."""
        if self.looks == 1:
            self._failed.append(url)

    def to_sitemaps(self) -> None:
        """First stage."""
        self._places.extend(places(self.origin.origin, SITEMAP_PLACES))

    def to_feeds(self) -> bool:
        """Second stage, for a site without any sitemap; False when it has been, or need not be."""
        if self.has_feeds:
            return False
        self.has_feeds = True
        self._places.extend(places(self.origin.origin, FEED_PLACES))
        return True

    def to_failed(self) -> bool:
        """Last stage: the places that failed; False when there are none."""
        self._places.extend(self._failed)
        self._failed.clear()
        self.looks = 2
        return bool(self._places)
