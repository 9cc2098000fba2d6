"""What the account keeps of each URL, in few bytes: 50 million of them must fit into memory.

Python objects cost 190 bytes a URL (two integers, a text, a place in a dict). Here it is its identity (8), a
place in a table (6 to 12) and its text in packed blocks (10 to 30).
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Final

from isal import isal_zlib

_SHARDS_BITS: Final = 8
_SHARD: Final = (1 << _SHARDS_BITS) - 1
_FIRST_SLOTS: Final = 16
_BLOCK: Final = 256
"""URLs packed together: they share most of their text, and one costs 40 us to read again."""
_BLOCKS_KEPT: Final = 64


class Identities:
    """64-bit identities → their numbers, in the order in which they came; exact, by open addressing.

    256 small tables, so that none takes long to grow. The identities are parts of hashes: evenly spread.
    """

    def __init__(self) -> None:
        self._all = array("Q")
        self._tables = [array("I", bytes(4 * _FIRST_SLOTS)) for _ in range(_SHARD + 1)]
        """Number + 1 of the identity in each slot, 0 for an empty one."""
        self._held = [0] * (_SHARD + 1)

    def __len__(self) -> int:
        return len(self._all)

    @property
    def bytes(self) -> int:
        """What they take, without the objects around."""
        return 8 * len(self._all) + 4 * sum(map(len, self._tables))

    def get(self, identity: int) -> int | None:
        """The number of a known identity."""
        table = self._tables[identity & _SHARD]
        mask = len(table) - 1
        slot = identity >> _SHARDS_BITS & mask
        while number := table[slot]:
            if self._all[number - 1] == identity:
                return number - 1
            slot = slot + 1 & mask
        return None

    def add(self, identity: int) -> int:
        """Take in an identity that is not known yet; returns its number."""
        shard = identity & _SHARD
        table = self._tables[shard]
        if 3 * self._held[shard] >= 2 * len(table):
            table = self._grow(shard)
        self._all.append(identity)
        self._put(table, identity, len(self._all))
        self._held[shard] += 1
        return len(self._all) - 1

    def _put(self, table: array[int], identity: int, number: int) -> None:
        mask = len(table) - 1
        slot = identity >> _SHARDS_BITS & mask
        while table[slot]:
            slot = slot + 1 & mask
        table[slot] = number

    def _grow(self, shard: int) -> array[int]:
        old = self._tables[shard]
        table = self._tables[shard] = array("I", bytes(4 * 2 * len(old)))
        for number in old:
            if number:
                self._put(table, self._all[number - 1], number)
        return table


class Texts:
    """An append-only list of URLs, packed in blocks. They hold no line break (WHATWG form)."""

    def __init__(self) -> None:
        self._blocks: list[bytes] = []
        self._open: list[str] = []
        self._block = lru_cache(maxsize=_BLOCKS_KEPT)(self._unpacked)

    def __len__(self) -> int:
        return _BLOCK * len(self._blocks) + len(self._open)

    @property
    def bytes(self) -> int:
        """What the packed blocks take."""
        return sum(map(len, self._blocks))

    def append(self, text: str) -> None:
        self._open.append(text)
        if len(self._open) == _BLOCK:
            self._blocks.append(isal_zlib.compress("\n".join(self._open).encode("utf-8", "surrogatepass"), 1))
            self._open = []

    def __getitem__(self, number: int) -> str:
        block, place = divmod(number, _BLOCK)
        return self._open[place] if block == len(self._blocks) else self._block(block)[place]

    def __iter__(self) -> Iterator[str]:
        for block in range(len(self._blocks)):
            yield from self._unpacked(block)
        yield from self._open

    def _unpacked(self, block: int) -> list[str]:
        text: str = isal_zlib.decompress(self._blocks[block]).decode("utf-8", "surrogatepass")
        return text.split("\n")


class Numbers:
    """A queue of numbers, kept as ranges: URLs of a host are mostly listed one after the other."""

    def __init__(self) -> None:
        self._ranges: deque[range] = deque()
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[int]:
        return chain.from_iterable(self._ranges)

    def extend(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            last = self._ranges[-1] if self._ranges else None
            if last is not None and last.stop == number:
                self._ranges[-1] = range(last.start, number + 1)
            else:
                self._ranges.append(range(number, number + 1))
            self._length += 1

    def extendleft(self, numbers: Iterable[int]) -> None:
        """As of a deque: the last of `numbers` comes first."""
        for number in numbers:
            first = self._ranges[0] if self._ranges else None
            if first is not None and first.start == number + 1:
                self._ranges[0] = range(number, first.stop)
            else:
                self._ranges.appendleft(range(number, number + 1))
            self._length += 1

    def take(self, most: int) -> list[int]:
        """Take the first `most` numbers out, or what there is."""
        taken: list[int] = []
        while self._ranges and len(taken) < most:
            first = self._ranges.popleft()
            some = first[: most - len(taken)]
            taken += some
            if len(some) < len(first):
                self._ranges.appendleft(first[len(some) :])
        self._length -= len(taken)
        return taken

    def clear(self) -> None:
        self._ranges.clear()
        self._length = 0
