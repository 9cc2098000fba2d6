"""Batches under way: what each still owes, whether its lease lives, and what a lost one left.

At a loss the rest of a batch is planned again in halves, so that a URL that kills its worker ends up
alone; alone and lost CRASH_LOSSES times it is `unchecked: crashed`. Nothing is retried for ever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from sitemap_audit.settings import CRASH_LOSSES

LOOKS: Final = 2
"""Looks in a row that must find a batch neither queued nor leased: between the pop and the lease there
are some milliseconds, and its last message may still wait in the stream."""


@dataclass(slots=True)
class Under:
    """A batch under way. `hosts` of its URLs still count as under way until it ends."""

    urls: dict[int, str]
    """seq → pace host, of what is not yet answered or handed back."""
    hosts: tuple[str, ...]
    slow: bool = False
    misses: int = 0


@dataclass(slots=True)
class Outstanding:
    batches: dict[str, Under] = field(default_factory=dict)
    losses: Counter[int] = field(default_factory=Counter)

    ended: list[str] = field(default_factory=list)
    """Batches that sent their last message, until somebody takes them."""

    def __len__(self) -> int:
        return len(self.batches)

    def count(self, *, slow: bool) -> int:
        """Batches under way on the slow queue, or on the other."""
        return sum(under.slow is slow for under in self.batches.values())

    def add(self, batch: str, urls: dict[str, list[int]], *, slow: bool) -> None:
        owed = {s: host for host, seqs in urls.items() for s in seqs}
        self.batches[batch] = Under(owed, tuple(urls), slow)

    def answered(self, batch: str, seqs: Iterable[int]) -> dict[int, str]:
        """These URLs of the batch are no longer owed; returns them with their hosts. Unknown ones are left out."""
        under = self.batches.get(batch)
        if under is None:
            return {}
        return {s: host for s in seqs if (host := under.urls.pop(s, None)) is not None}

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
        """What a lost batch left, as one or two smaller ones: host → seqs. Counts the loss."""
        seqs = list(under.urls)
        self.losses.update(seqs)
        middle = (len(seqs) + 1) // 2
        for half in (seqs[:middle], seqs[middle:]):
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
