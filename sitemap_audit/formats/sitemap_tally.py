"""What is counted over the entries of one file, exactly and in bounded memory.

A file is read to at most twice 50,000 entries; of each the tally keeps 8 bytes for its date and the 64-bit
url_id of its key: at most 2 MB, and 9 MB for a moment at its end. url_id is the identity of a URL everywhere else, too. Shares that need the
server's clock are counted at the end, when the headers are known.
"""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import reduce
from hashlib import sha256
from operator import xor
from typing import Final, NamedTuple

from sitemap_audit.settings import SERVE_TIME_AFTER_S, SERVE_TIME_BEFORE_S

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_SECOND: Final = 1_000_000
_DAY: Final = 86_400 * _SECOND


class DateFacts(NamedTuple):
    """The lastmod fields of a SitemapFile."""

    lastmod_min: datetime | None
    lastmod_max: datetime | None
    lastmod_distinct: int
    lastmod_mode: datetime | None
    lastmod_mode_share: float | None
    lastmod_day_mode_share: float | None
    lastmod_window_share: float | None


class Tally:
    """Counts of one file; the entry builder raises them."""

    def __init__(self) -> None:
        self.entries = 0
        self.lastmod_present = self.lastmod_future = self.lastmod_invalid = 0
        self.priority_count = self.changefreq_count = 0
        self.ids = bytearray()
        """Of each usable entry the first 8 bytes of the SHA-256 of its key: its url_id."""
        self.stamps = array("q")
        """Of each dated entry twice the microseconds since 1970, and 1 more with a time of day."""
        self._keys: tuple[int, int, str | None] = (0, 0, None)

    def add_key(self, key: str) -> str:
        """One usable entry; gives its url_id."""
        identity = sha256(key.encode()).digest()[:8]
        self.ids += identity
        return identity.hex()

    @property
    def usable(self) -> int:
        return len(self.ids) // 8

    @property
    def duplicates(self) -> int:
        """Usable entries whose key an earlier one has."""
        return self._key_facts()[1]

    def _key_facts(self) -> tuple[int, int, str | None]:
        """Usable entries, duplicates, hash; counted anew only when entries have come."""
        if self._keys[0] != self.usable:
            ids = array("Q", bytes(self.ids))
            if sys.byteorder == "little":
                ids.byteswap()
            distinct = set(ids)
            said = f"{reduce(xor, distinct):016x}-{len(distinct)}"
            self._keys = len(ids), len(ids) - len(distinct), said
        return self._keys

    @property
    def loc_set_hash(self) -> str | None:
        """16 hex digits, the XOR of the url_ids of the distinct keys, a hyphen, and their number."""
        return self._key_facts()[2]

    def dates(self, clock: datetime | None) -> DateFacts:
        """`clock`: what the server's clock said when it answered (definitions 4), if anything is known.

        The most frequent value is counted by whole seconds, days are UTC. The share in the serve-time window
        is of all dated entries; dates without a time of day are never in it.
        """
        if not self.stamps:
            return DateFacts(None, None, 0, None, None, None, None)
        number = len(self.stamps)
        values = Counter(self.stamps)  # most files have few: the rest is counted over these
        seconds: Counter[int] = Counter()
        days: Counter[int] = Counter()
        for value, count in values.items():
            seconds[(value >> 1) // _SECOND] += count
            days[(value >> 1) // _DAY] += count
        # Of several as frequent ones the earliest: the order of the entries plays no role.
        second, hits = min(seconds.items(), key=lambda pair: (-pair[1], pair[0]))
        day_hits = max(days.values())
        window = None
        if clock is not None:
            now = microseconds(clock)
            first, last = now - SERVE_TIME_BEFORE_S * _SECOND, now + SERVE_TIME_AFTER_S * _SECOND
            inside = sum(
                count for value, count in values.items() if value & 1 and first <= value >> 1 <= last
            )
            window = inside / number
        instants = {value >> 1 for value in values}
        return DateFacts(
            instant(min(instants)),
            instant(max(instants)),
            len(instants),
            instant(second * _SECOND),
            hits / number,
            day_hits / number,
            window,
        )


def microseconds(at: datetime) -> int:
    """Since 1970, of an aware datetime."""
    return (at - _EPOCH) // _MICROSECOND


def instant(number: int) -> datetime:
    """The datetime of such a number."""
    return _EPOCH + timedelta(microseconds=number)
