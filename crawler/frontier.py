"""Which sitemap files are known, which are read now, and what the caps left unread.

Every file is known once, by URL key; a second mention adds its provenance. At most `concurrency` files of
a host are open at a time, the others wait here as small records: a host that waits (Retry-After) or drips
holds nobody else up, and 50,000 files cost no 50,000 requests in memory.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from crawler.search import Search
from crawler.sources import Site
from sitemap_audit.facts import SitemapFile, SitemapSource
from sitemap_audit.formats.urls import Url, pace_host, url_id
from sitemap_audit.settings import INDEX_MAX_DEPTH, INDEX_TRIAL_CHILDREN, SITEMAP_MAX_FILES, UNREAD_KNOWN_MAX


@dataclass(slots=True, eq=False)
class Group:
    """The files that one robots.txt (or the user) names: they end together.

    Their records are held until the last one is read, because one of them may turn out to list another:
    only then are `parent` and `declared_in` what they are in every run, whichever file was faster.
    """

    search: Search | None = None
    """What to do when none of these files can be read."""
    open: set[Target] = field(default_factory=set)
    readable: int = 0
    held: list[tuple[Target, SitemapFile]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Brood:
    """The children of one index. The first INDEX_TRIAL_CHILDREN are on trial: if not one of them can be read,
    the index names no sitemaps, and the rest (there may be 50,000) is counted instead of asked for."""

    tried: int = 0
    open: int = 0
    good: bool = False
    waiting: list[Target] = field(default_factory=list)

    @property
    def hopeless(self) -> bool:
        """The trial is over, and nothing came of it."""
        return not self.good and not self.open and self.tried >= INDEX_TRIAL_CHILDREN


@dataclass(slots=True, eq=False)
class Target:
    """One file to read."""

    url: Url
    source: SitemapSource
    depth: int = 0
    parent: str | None = None
    declared_in: tuple[str, ...] = ()
    group: Group | None = None
    brood: Brood | None = None
    """That of the index that names it."""
    guess: Search | None = None
    """Nobody named it: it is no file until it answers as one, and the search goes on if it does not."""
    site: Site | None = None
    """It is a SITE argument with a path: if this is no sitemap, its origin is meant."""
    final_key: str | None = None
    """Where its redirects ended."""
    children: Brood = field(default_factory=Brood)
    """If it is an index."""
    page: int = 1
    """Of a feed that is parted into pages."""
    looks: int = 0
    best: SitemapFile | None = None
    """What an earlier look gave that failed."""

    def finish(self, file: SitemapFile) -> SitemapFile:
        """The record with all that was learnt of its provenance meanwhile."""
        return replace(
            file, source=self.source, parent=self.parent, depth=self.depth, declared_in=self.declared_in
        )


class Frontier:
    """Files known, open and waiting. All methods are called from one event loop."""

    def __init__(
        self, concurrency: int, *, max_files: int = SITEMAP_MAX_FILES, max_depth: int = INDEX_MAX_DEPTH
    ) -> None:
        self._concurrency = concurrency
        self._max_files = max_files
        self._max_depth = max_depth
        self._known: dict[str, Target] = {}
        self._finals: dict[str, str] = {}
        self._waiting: dict[str, deque[Target]] = {}
        self._open: dict[str, int] = {}
        self._unread_ids: set[str] = set()
        self._unread_more = 0
        self.full = False
        """No further file is read (set from outside when the cap on entries is reached)."""

    @property
    def files(self) -> int:
        return len(self._known)

    @property
    def unread(self) -> int:
        """Files that were named and not read because of a cap on files, depth or entries."""
        return len(self._unread_ids) + self._unread_more

    def knows(self, url: Url) -> bool:
        return url.key in self._known

    def add(self, target: Target) -> bool:
        """Take a file up. False: known already (its provenance is merged) or over a cap (it is counted)."""
        key = target.url.key
        if key in self._known:
            self._merge(self._known[key], target)
            return False
        if self.full or len(self._known) >= self._max_files or target.depth > self._max_depth:
            self.leave(target)
            return False
        brood = target.brood
        if brood is not None and brood.hopeless:
            self.leave(target)
            return False
        self._known[key] = target
        if target.group is not None:
            target.group.open.add(target)
        if brood is not None and not brood.good:
            if brood.tried >= INDEX_TRIAL_CHILDREN:
                brood.waiting.append(target)
                return True
            brood.tried += 1
            brood.open += 1
        self._queue(target)
        return True

    def _queue(self, target: Target) -> None:
        self._waiting.setdefault(pace_host(target.url), deque()).append(target)

    def declare(self, url: Url, origin: str) -> None:
        """robots.txt of `origin` names this file, if it is one of ours."""
        known = self._known.get(url.key)
        if known is not None:
            known.declared_in = tuple(sorted({*known.declared_in, origin}))

    def leave(self, target: Target) -> None:
        """Count a file as named and not read."""
        name = url_id(target.url.key)
        if name in self._unread_ids:
            return
        if len(self._unread_ids) < UNREAD_KNOWN_MAX:
            self._unread_ids.add(name)
        else:
            self._unread_more += 1

    def _merge(self, known: Target, again: Target) -> None:
        """A file that is still open learns who else names it. The smallest parent stands, in every order."""
        if known.guess is not None and again.guess is None:
            known.guess.found = True
            known.guess, known.source = None, again.source  # Named after all.
        if again.parent is not None and again.parent != known.url.href:
            known.parent = min(filter(None, (known.parent, again.parent)))
        known.declared_in = tuple(sorted({*known.declared_in, *again.declared_in}))
        if again.source is SitemapSource.ROBOTS and known.source is not SitemapSource.OPTION:
            known.source, known.depth = SitemapSource.ROBOTS, 0

    def same_file(self, target: Target, final_key: str) -> str | None:
        """URL under which the document at `final_key` is read already, or will be, if not as `target` itself.

        Called once the end of the redirects is known, before the body is read: one document counts once.
        """
        other = self._known.get(final_key)
        if other is not None and other is not target:
            return other.url.href
        target.final_key = final_key
        first = self._finals.setdefault(final_key, target.url.href)
        return None if first == target.url.href else first

    def ready(self) -> Iterator[Target]:
        """Files that may be asked for now; each is open until `done`."""
        for host in list(self._waiting):
            queue = self._waiting[host]
            while queue and self._open.get(host, 0) < self._concurrency:
                self._open[host] = self._open.get(host, 0) + 1
                yield queue.popleft()
            if not queue:
                del self._waiting[host]

    def again(self, target: Target) -> None:
        """Queue a file for one more look."""
        self._queue(target)

    def judged(self, target: Target, *, readable: bool) -> None:
        """The last look at a child of an index is over: its siblings go on, or are left."""
        brood = target.brood
        if brood is None or brood.good:
            return
        brood.open -= 1
        brood.good = readable
        if not readable and not brood.hopeless:
            return
        waiting, brood.waiting = brood.waiting, []
        for sibling in waiting:
            if readable:
                self._queue(sibling)
            else:
                del self._known[sibling.url.key]
                self.leave(sibling)

    def forget(self, target: Target) -> None:
        """A guess was no sitemap: whoever names this place later is heard anew."""
        self._known.pop(target.url.key, None)
        if target.final_key is not None and self._finals.get(target.final_key) == target.url.href:
            del self._finals[target.final_key]

    def done(self, target: Target) -> None:
        """The place of an open file is free again."""
        host = pace_host(target.url)
        self._open[host] -= 1
        if not self._open[host]:
            del self._open[host]
