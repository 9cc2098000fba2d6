"""Batches under way: what each still owes, whether its lease lives, and what a lost one left.

At a loss the rest of a batch is planned again in halves, so that a URL that kills its worker ends up
alone; alone and lost CRASH_LOSSES times it is `unchecked: crashed`. Nothing is retried for ever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from sitemap_audit.settings import CRASH_LOSSES

LOOKS: Final = 2
"""Looks in a row that must find a batch neither queued nor leased: between the pop and the lease there
are some milliseconds, and its last message may still wait in the stream."""


class Share(NamedTuple):
    """What a batch made of one of its hosts: URLs given and done; `late`: some were handed back for want of time."""

    host: str
    given: int
    done: int
    late: bool


@dataclass(slots=True)
class _Part:
    """One host of a batch."""

    given: int
    owed: int
    late: bool = False
    left: int = 0


@dataclass(slots=True)
class Under:
    """A batch under way."""

    urls: dict[int, str]
    """seq → pace host, of what is not yet answered or handed back."""
    parts: dict[str, _Part]
    """Hosts of which something is owed: their connections belong to this batch."""
    slow: bool = False
    misses: int = 0

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts of which this batch still owes something."""
        return tuple(self.parts)


@dataclass(slots=True)
class Outstanding:
    batches: dict[str, Under] = field(default_factory=dict)
    losses: Counter[int] = field(default_factory=Counter)
    """How often a URL was lost alone: among others it may have been their fault, or a worker killed by chance."""

    ended: list[str] = field(default_factory=list)
    """Batches that sent their last message, until somebody takes them."""
    _free: list[Share] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.batches)

    def count(self, *, slow: bool) -> int:
        """Batches under way on the slow queue, or on the other."""
        return sum(under.slow is slow for under in self.batches.values())

    def add(self, batch: str, urls: dict[str, list[int]], *, slow: bool) -> None:
        owed = {s: host for host, seqs in urls.items() for s in seqs}
        parts = {host: _Part(len(seqs), len(seqs)) for host, seqs in urls.items()}
        self.batches[batch] = Under(owed, parts, slow)

    def answered(
        self, batch: str, seqs: Iterable[int], *, left: bool = False, late: Set[int] = frozenset()
    ) -> dict[int, str]:
        """These URLs of the batch are no longer owed; returns them with their hosts. Unknown ones are left out.

        `left`: they were handed back, `late` of them for want of time. A host of which nothing is owed any
        more is free (`freed`), though its batch goes on with others.
        """
        under = self.batches.get(batch)
        if under is None:
            return {}
        found = {}
        for s in seqs:
            host = under.urls.pop(s, None)
            if host is None:
                continue
            found[s] = host
            part = under.parts[host]
            part.owed -= 1
            part.left += left
            part.late = part.late or s in late
            if not part.owed:
                del under.parts[host]
                self._free.append(Share(host, part.given, part.given - part.left, part.late))
        return found

    def freed(self) -> list[Share]:
        """Hosts that became free since the last call."""
        free, self._free = self._free, []
        return free

    def close(self, batch: str) -> Under | None:
        """The batch has ended; None when it is not (or no longer) known."""
        return self.batches.pop(batch, None)

    def miss(self, looked: Iterable[str], lost: set[str]) -> list[str]:
        """Note one look; the batches that are lost for good."""
        gone = []
        for batch in looked:
            under = self.batches.get(batch)
            if under is None:
                continue
            under.misses = under.misses + 1 if batch in lost else 0
            if under.misses >= LOOKS:
                gone.append(batch)
        return gone

    def halves(self, under: Under) -> Iterator[dict[str, list[int]]]:
        """What a lost batch left, as one or two smaller ones: host → seqs. Counts the loss of one that was alone.

        Each half has a share of every host: with the first one all hosts are asked again, in half the time.
        """
        seqs = list(under.urls)
        if len(seqs) == 1:
            self.losses.update(seqs)
        for half in (seqs[::2], seqs[1::2]):
            if half:
                urls: dict[str, list[int]] = {}
                for s in half:
                    urls.setdefault(under.urls[s], []).append(s)
                yield urls

    def poisoned(self, under: Under) -> int | None:
        """The URL that killed its worker again and again, alone; else None."""
        if len(under.urls) == 1:
            (seq,) = under.urls
            if self.losses[seq] + 1 >= CRASH_LOSSES:
                return seq
        return None
