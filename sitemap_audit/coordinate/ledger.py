"""The account of a run: each unique URL once, with what became of it.

The promise that every report repeats: listed = checked + skipped(reason) + unchecked(reason). A URL is
known by the 64 bits of its url_id, exactly: no filter that could skip an entry in silence. 30 to 60 bytes
a URL (packed.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from sitemap_audit.coordinate.packed import Identities, Texts

HOWS: Final = ("sitemap", "feed", "list", "canonical", "hreflang", "redirect", "robots", "probe")
"""discovered_by, as small numbers. `robots` asks a worker for an origin's robots.txt alone: no URL of the account.
`probe`: an address that cannot exist (probes.py)."""


class State(IntEnum):
    WAITING = 0
    """Planned or to be planned."""
    CHECKED = 1
    SKIPPED = 2
    UNCHECKED = 3


_WAITING: Final = int(State.WAITING)
_HOW_NUMBERS: Final = {how: number for number, how in enumerate(HOWS)}


SETTLED: Final = {"checked": State.CHECKED, "skipped": State.SKIPPED, "unchecked": State.UNCHECKED}
"""`state` of a page fact → what it means for the account."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Over the unique listed URLs; `further` are URLs of the second wave."""

    listed: int
    checked: int
    skipped: dict[str, int]
    unchecked: dict[str, int]
    waiting: int
    further: int
    further_checked: int

    @property
    def open(self) -> int:
        """Listed URLs that are neither checked nor skipped."""
        return self.waiting + sum(self.unchecked.values())


@dataclass(slots=True)
class Ledger:
    _known: Identities = field(default_factory=Identities)
    _urls: Texts = field(default_factory=Texts)
    _hows: bytearray = field(default_factory=bytearray)
    _states: bytearray = field(default_factory=bytearray)
    _listed: bytearray = field(default_factory=bytearray)
    _tally: tuple[list[int], list[int]] = field(default_factory=lambda: ([0] * len(State), [0] * len(State)))
    """Of the further and of the listed URLs, by state."""
    skipped: Counter[str] = field(default_factory=Counter)
    unchecked: Counter[str] = field(default_factory=Counter)
    _reasons: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._known)

    def add(self, identity: int, url: str, how: str, *, listed: bool) -> int | None:
        """Give a URL its number; None when it has one already (a second listing only marks it listed)."""
        seq = self._known.get(identity)
        if seq is not None:
            if listed and not self._listed[seq]:
                self._mark_listed(seq)
            return None
        seq = self._known.add(identity)
        self._urls.append(url)
        self._hows.append(_HOW_NUMBERS[how])
        self._states.append(_WAITING)
        self._listed.append(listed)
        self._tally[listed][_WAITING] += 1
        return seq

    def _mark_listed(self, seq: int) -> None:
        state = State(self._states[seq])
        self._tally[False][state] -= 1
        self._tally[True][state] += 1
        self._listed[seq] = True
        reason = self._reasons.get(seq)
        if reason is not None:
            self._by_reason(state)[reason] += 1

    def _by_reason(self, state: State) -> Counter[str]:
        return self.skipped if state is State.SKIPPED else self.unchecked

    def settle(self, seq: int, state: State, reason: str | None = None) -> bool:
        """Say what became of a URL. The first word stands: False when it was settled before."""
        if self._states[seq] != _WAITING:
            return False
        listed = self._listed[seq]
        self._states[seq] = state
        self._tally[listed][_WAITING] -= 1
        self._tally[listed][state] += 1
        if state is not State.CHECKED:
            self._reasons[seq] = reason or "unknown"
            if listed:
                self._by_reason(state)[self._reasons[seq]] += 1
        return True

    def url(self, seq: int) -> str:
        return self._urls[seq]

    def how(self, seq: int) -> str:
        return HOWS[self._hows[seq]]

    def is_waiting(self, seq: int) -> bool:
        return self._states[seq] == _WAITING

    def is_listed(self, seq: int) -> bool:
        return bool(self._listed[seq])

    def listed_urls(self) -> Iterator[str]:
        """Listed URLs that are to be asked or were, in the order of their numbers."""
        states = (State.WAITING, State.CHECKED)
        return (
            url
            for url, listed, state in zip(self._urls, self._listed, self._states, strict=True)
            if listed and state in states
        )

    def number(self, identity: int) -> int | None:
        return self._known.get(identity)

    def waiting(self) -> Iterator[int]:
        """Numbers of all URLs that are still to be settled."""
        return (seq for seq, state in enumerate(self._states) if state == _WAITING)

    def counts(self) -> Counts:
        further, listed = self._tally
        return Counts(
            listed=sum(listed),
            checked=listed[State.CHECKED],
            skipped=dict(+self.skipped),
            unchecked=dict(+self.unchecked),
            waiting=listed[State.WAITING],
            further=sum(further),
            further_checked=further[State.CHECKED],
        )
