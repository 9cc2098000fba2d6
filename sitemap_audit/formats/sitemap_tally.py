"""What is counted over the entries of one file, exactly and in bounded memory.

A file is read to at most twice 50,000 entries; of each the tally keeps 8 bytes for its date and the 64-bit
url_id of its key: at most 2 MB, and 9 MB for a moment at its end. url_id is the identity of a URL everywhere else, too. Shares that need the
server's clock are counted at the end, when the headers are known.
"""

from __future__ import annotations

from array import array
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import reduce
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
        self._ids = array("Q")
        self._dates = array("q")
        self._timed = bytearray()

    def add_key(self, url_id: str) -> None:
        """One usable entry."""
        self._ids.append(int(url_id, 16))

    @property
    def usable(self) -> int:
        return len(self._ids)

    @property
    def duplicates(self) -> int:
        """Usable entries whose key an earlier one has. Made anew at each call."""
        return len(self._ids) - len(set(self._ids))

    def add_date(self, microseconds: int, *, timed: bool) -> None:
        """One dated entry; `timed`: the date has a time of day."""
        self._dates.append(microseconds)
        self._timed.append(timed)

    @property
    def loc_set_hash(self) -> str | None:
        """16 hex digits, the XOR of the url_ids of the distinct keys, a hyphen, and their number. Made anew likewise."""
        distinct = set(self._ids)
        return f"{reduce(xor, distinct):016x}-{len(distinct)}" if distinct else None

    def dates(self, clock: datetime | None) -> DateFacts:
        """`clock`: what the server's clock said when it answered (definitions 4), if anything is known.

        The most frequent value is counted by whole seconds, days are UTC. The share in the serve-time window
        is of all dated entries; dates without a time of day are never in it.
        """
        if not self._dates:
            return DateFacts(None, None, 0, None, None, None, None)
        number = len(self._dates)
        # Of several as frequent ones the earliest: the order of the entries plays no role.
        second, hits = min(
            Counter(at // _SECOND for at in self._dates).items(), key=lambda pair: (-pair[1], pair[0])
        )
        day_hits = max(Counter(at // _DAY for at in self._dates).values())
        window = None
        if clock is not None:
            now = microseconds(clock)
            first, last = now - SERVE_TIME_BEFORE_S * _SECOND, now + SERVE_TIME_AFTER_S * _SECOND
            inside = sum(
                1 for at, timed in zip(self._dates, self._timed, strict=True) if timed and first <= at <= last
            )
            window = inside / number
        return DateFacts(
            instant(min(self._dates)),
            instant(max(self._dates)),
            len(set(self._dates)),
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
