"""Which URLs go into the next batch: fair to the hosts, full for the workers.

A batch takes of each of its hosts at most what the host's rate gives in 0.8 of the time box, and as many
hosts as one worker's share of all that are active, so that a process stays busy while it is polite to each
(RELIABILITY: 500 URLs over few hosts starved a worker to a sixth). A host that manages less than its rate
(Crawl-delay, back-off, slow pages) gets less. Without a rate limit a batch is a few hundred URLs. The
connection shares of the batches under way never add up to more than `--concurrency`.

The cost of a draft grows with the hosts in it, not with those that sleep, wait or are done.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil
from typing import Final

from sitemap_audit.coordinate.packed import Numbers
from sitemap_audit.settings import BATCH_BOX_S, BATCH_MAX_URLS, BATCH_URLS

FILL: Final = 0.8
"""Share of the box that a host's URLs may need: the rest is for slow answers."""
WORKER_RATE: Final = 100.0
"""Requests a second that one worker may have of a host: with `--depth page` it reads little more than that."""
BATCHES_AHEAD: Final = 3
"""Batches a worker may have, one running and the others waiting for it: they hide the way to the coordinator and back."""
WAITING_AHEAD: Final = 1
"""With a rate, batches that may wait beside the running ones, in all: hosts in a batch that waits lose their time."""
EARLY_BOX_S: Final = 2.0
"""While hosts are still being found a batch is filled for this long: the next one holds all that came meanwhile."""
MIN_SHARE: Final = 4
"""Connections of a host that a batch must have before another one may wait beside it."""
MIN_OF_HOST: Final = 10
"""URLs of a host in a batch of many hosts without a rate limit: fewer would cost more in jobs than in checks."""


@dataclass(slots=True)
class HostQueue:
    """URLs of one host that wait, and what is under way."""

    name: str
    urls: Numbers = field(default_factory=Numbers)
    outstanding: int = 0
    ready: bool = False
    not_before: float = 0.0
    slow: bool = False
    """Its pages take longer than a box: they go to the slow queue, where a box is long."""
    claimed: int = 0
    """Lost batches of which this host is a part and that wait to be sent again: they come first."""
    limited: int = 0
    """Times in a row that a batch came back because the host asked us to wait."""
    manages: int = 0
    """URLs that it managed in a box when it did not manage all it was given; 0: whatever the rate gives."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A batch before it has a token: host → (URL numbers, connections)."""

    urls: dict[str, list[int]]
    shares: dict[str, int]
    slow: bool = False

    @property
    def size(self) -> int:
        return sum(map(len, self.urls.values()))


class Planner:
    """Times are seconds of one monotonic clock, given by the caller."""

    def __init__(self, *, rate: float, concurrency: int, box_s: float = BATCH_BOX_S) -> None:
        self.rate, self.concurrency, self.box_s = rate, concurrency, box_s
        self.hosts: dict[str, HostQueue] = {}
        self.early = False
        """Hosts are still being found."""
        self._ready: dict[bool, deque[HostQueue]] = {False: deque(), True: deque()}
        """By whether they are slow hosts. May hold hosts that cannot be taken now: draft drops them."""
        self._busy = {False: 0, True: 0}
        """Hosts with batches under way."""
        self._asleep: list[tuple[float, str]] = []
        self._sleeping: dict[str, HostQueue] = {}
        self.pending = 0

    def add(self, host: str, seqs: Iterable[int], *, front: bool = False) -> None:
        """URLs of a host to be planned; `front`: before its others."""
        queue = self.hosts.get(host)
        if queue is None:
            queue = self.hosts[host] = HostQueue(host)
        before = len(queue.urls)
        if front:
            queue.urls.extendleft(reversed(list(seqs)))
        else:
            queue.urls.extend(seqs)
        self.pending += len(queue.urls) - before
        self._offer(queue)

    def _offer(self, queue: HostQueue) -> None:
        # Always behind the other hosts: who hands back again and again must not come first again and again.
        if queue.urls and not queue.ready and queue.not_before == 0.0 and not queue.claimed:
            queue.ready = True
            self._ready[queue.slow].append(queue)

    def _count(self, queue: HostQueue, batches: int) -> None:
        """So many batches more (or less) of this host are under way."""
        before = queue.outstanding
        queue.outstanding = max(0, before + batches)
        self._busy[queue.slow] += bool(queue.outstanding) - bool(before)

    def is_slow(self, host: str) -> bool:
        return self.hosts[host].slow

    def mark_slow(self, host: str) -> None:
        """From here on the URLs of this host go to the slow queue, so that they hold up nobody else."""
        queue = self.hosts[host]
        if queue.slow:
            return
        if queue.ready:
            self._ready[False].remove(queue)
            queue.ready = False
        self._busy[False] -= bool(queue.outstanding)
        self._busy[True] += bool(queue.outstanding)
        queue.slow = True
        self._offer(queue)

    def sleep(self, host: str, until: float) -> None:
        """Plan nothing of this host before `until`."""
        queue = self.hosts[host]
        if until > queue.not_before:
            queue.not_before = until
            self._sleeping[host] = queue
            heapq.heappush(self._asleep, (until, host))

    def _wake(self, now: float) -> None:
        while self._asleep and self._asleep[0][0] <= now:
            _, host = heapq.heappop(self._asleep)
            queue = self.hosts[host]
            if queue.not_before and queue.not_before <= now:
                queue.not_before = 0.0
                del self._sleeping[host]
                self._offer(queue)

    def asleep(self, now: float) -> list[tuple[str, float, int]]:
        """(host, seconds left, URLs waiting) of hosts that asked us to wait, longest first."""
        found = [
            (q.name, q.not_before - now, len(q.urls)) for q in self._sleeping.values() if q.not_before > now
        ]
        return sorted(found, key=lambda item: -item[1])

    def take_all(self, host: str) -> list[int]:
        """Give up on a host: its URLs, no longer planned."""
        queue = self.hosts[host]
        urls = list(queue.urls)
        queue.urls.clear()
        self.pending -= len(urls)
        return urls

    def most_batches(self, workers: int) -> int:
        """Batches that may be under way at once for so many workers of a queue."""
        return max(1, workers) + WAITING_AHEAD if self.rate else BATCHES_AHEAD * max(1, workers)

    def _width(self, workers: int) -> int:
        """Batches of one host that may be under way at once."""
        if self.rate:
            return max(1, min(workers, ceil(self.rate / WORKER_RATE), self.concurrency))
        # A batch that waits hides the way to the coordinator and back, but takes its share of the connections.
        wanted = workers
        for ahead in range(2, BATCHES_AHEAD + 1):
            if self.concurrency >= MIN_SHARE * ahead * workers:
                wanted = ahead * workers
        return max(1, min(wanted, self.concurrency))

    def draft(self, workers: int, now: float, *, slow: bool = False) -> Draft | None:
        """The next batch, or None when no host has both URLs and leave. Counts it as under way.

        `slow`: of the slow hosts, for the workers of the slow queue. Its box is longer but not fuller, so
        that a host that has just become slow does not wait long for its first turn there.
        """
        self._wake(now)
        workers = max(1, workers)
        width = self._width(workers)
        share = max(1, self.concurrency // width)
        waiting = self._ready[slow]
        ready = len(waiting)
        if not ready:
            return None
        if self.rate:
            # What is under way counts too: else the hosts of one batch that ends would be strewn over many.
            hosts = ceil((ready + self._busy[slow]) / workers)
            box_s = min(EARLY_BOX_S, self.box_s) if self.early else self.box_s
            of_host = max(1, int(FILL * box_s * self.rate / width))
        else:
            hosts = ceil(ready / workers)
            of_host = max(MIN_OF_HOST, BATCH_URLS // hosts)
        urls: dict[str, list[int]] = {}
        size = 0
        for _ in range(ready):
            if len(urls) >= hosts or size >= BATCH_MAX_URLS:
                break
            queue = waiting.popleft()
            queue.ready = False
            if queue.not_before or queue.claimed or queue.outstanding >= width:
                # It comes back with `_wake`, `single` or `ended`; until then it takes no place in the round.
                continue
            most = min(of_host, queue.manages or of_host)
            if not self.rate:
                # The last URLs of a host are shared between the workers, so that all end together.
                most = min(most, max(MIN_OF_HOST, ceil(len(queue.urls) / (width - queue.outstanding))))
            taken = queue.urls.take(most)
            if not taken:
                continue
            urls[queue.name] = taken
            size += len(taken)
            self._count(queue, 1)
            if queue.outstanding < width:
                self._offer(queue)
        self.pending -= size
        return Draft(urls, dict.fromkeys(urls, share), slow) if urls else None

    def managed(self, host: str, given: int, done: int) -> None:
        """Of `given` URLs a box of this host brought `done`; the rest found no time."""
        queue = self.hosts[host]
        if done < given:
            queue.manages = max(1, done)
        elif queue.manages:
            queue.manages = 2 * queue.manages if 2 * queue.manages < BATCH_MAX_URLS else 0

    def claim(self, hosts: Iterable[str]) -> None:
        """A batch of just these hosts is to be made next (`single`): nothing else of them goes out before it."""
        for host in hosts:
            self.hosts[host].claimed += 1

    def single(self, urls: dict[str, list[int]], workers: int, *, slow: bool = False) -> Draft | None:
        """A batch of just these claimed URLs (what a lost one left), outside of the queues.

        None while one of its hosts has as many batches under way as it may, or belongs to the other queue:
        the connections of a host never add up to more than `--concurrency`, also after a loss.
        """
        width = self._width(max(1, workers))
        queues = [self.hosts[host] for host in urls]
        if any(q.slow for q in queues) is not slow or any(q.outstanding >= width for q in queues):
            return None
        for queue in queues:
            queue.claimed -= 1
            self._count(queue, 1)
            self._offer(queue)
        return Draft(urls, dict.fromkeys(urls, max(1, self.concurrency // width)), slow)

    def ended(self, hosts: Iterable[str]) -> None:
        """A batch no longer owes anything of these hosts."""
        for host in hosts:
            queue = self.hosts[host]
            self._count(queue, -1)
            self._offer(queue)
