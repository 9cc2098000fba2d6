"""From a raw row to an Entry: addresses, dates and codes are read, and what is odd about them is named.

Nothing here knows XML or how a file arrived. Speed matters: 50,000 entries a file pass here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Final, NamedTuple

from sitemap_audit.facts import Entry
from sitemap_audit.formats.dates import ParsedDate, parse_rfc822, parse_rfc3339, parse_w3c
from sitemap_audit.formats.entries_draft import draft_of
from sitemap_audit.formats.entries_links import LinkReader
from sitemap_audit.formats.entries_loc import (
    PARAMETER,
    PLAIN_REST,
    SPACE,
    Place,
    parameter_issues,
    place_issues,
    spelling_issues,
)
from sitemap_audit.formats.entries_media import image_facts, media_facts, news_facts, video_facts
from sitemap_audit.formats.sitemap_problems import ProblemLog, without_user_info
from sitemap_audit.formats.sitemap_rows import DateForm, RawEntry, RawMore
from sitemap_audit.formats.sitemap_tally import Tally, microseconds
from sitemap_audit.formats.urls import parse_url
from sitemap_audit.settings import LASTMOD_FUTURE_S, LASTMOD_OLDEST, LOC_MAX_CHARS

DATE_PARSERS: Final[dict[DateForm, Callable[[str], ParsedDate]]] = {
    DateForm.W3C: parse_w3c,
    DateForm.RFC3339: parse_rfc3339,
    DateForm.RFC822: parse_rfc822,
}
_OLDEST: Final = datetime.fromisoformat(LASTMOD_OLDEST).replace(tzinfo=UTC)
_EASTMOST: Final = timedelta(hours=14)
_DATES_CACHED: Final = 4_096
_DATE_CHARS_CACHED: Final = 64
_DATE_ALONE: Final = frozenset({"year", "month", "day"})
_ORDER: Final = {
    issue: place
    for place, issue in enumerate(
        [
            "missing",
            "twice",
            "relative",
            "invalid",
            "too_long",
            "not_encoded",
            "double_escaped",
            "fragment",
            "session",
            "tracking",
            "whitespace",
            "private_host",
            "other_host",
            "other_scheme",
            "outside_directory",
        ]
    )
}


_EntryDraft: Final = draft_of(Entry)


Issues = tuple[str, ...]
_Located = tuple[str | None, str | None, Issues]


class Dated(NamedTuple):
    """A lastmod, read. `issue`: as in ParsedDate, or future, or implausible."""

    at: datetime | None
    precision: str | None
    offset_min: int | None
    issue: str | None
    invalid: bool
    stamp: int
    """As in Tally.stamps."""


_UNDATED: Final = Dated(None, None, None, None, False, 0)


class EntryBuilder:
    """Makes the entries of one file, in order, and tallies them.

    `url`: the file as requested, `place`: where it stands in the end, None if its address is no URL;
    `now`: the clock that tells the future.
    """

    def __init__(
        self, url: str, file_id: str, place: Place | None, now: datetime, tally: Tally, log: ProblemLog
    ) -> None:
        self._url = url
        self._file_id = file_id
        self._place = place
        self._base = None if place is None else place.url.href
        self._tally = tally
        self._log = log
        self._future = now + timedelta(seconds=LASTMOD_FUTURE_S)
        # A date alone: later than the day after today, where it is today first (UTC+14).
        self._future_date = (now + _EASTMOST + timedelta(seconds=LASTMOD_FUTURE_S)).date()
        self._form = DateForm.W3C
        self._dates: dict[str, Dated] = {}  # read already, of that form
        self._links = LinkReader(place, log)

    def build(self, rows: Iterable[RawEntry]) -> list[Entry]:
        """The facts of the next rows of the file.

        Most rows are plain (see Place.is_plain) and take the short way here; `_entry` reads any row, and a test
        holds the short way to it.
        """
        place, tally, url, file_id = self._place, self._tally, self._url, self._file_id
        if place is None:
            return [self._entry(row) for row in rows]
        root, prefix, plain, dates = place.root, place.prefix, PLAIN_REST.fullmatch, self._dates
        size, ids, may_be_parameter, stamp = len(root), tally.ids, PARAMETER.search, tally.stamps.append
        made: list[Entry] = []
        for row in rows:
            line, loc, lastmod_raw, changefreq, priority, links, more, is_child = row
            if (
                more is not None
                or loc is None
                or not loc.startswith(root)
                or plain(loc, size) is None
                or "/." in loc
                or "@" in loc
                or len(loc) >= LOC_MAX_CHARS
            ):
                made.append(self._entry(row))
                continue
            issues: Issues = ()
            if (
                not loc.startswith(prefix)
                or ("=" in loc and (";" in loc or may_be_parameter(loc, loc.find("?", size)) is not None))
                or "&amp;" in loc
            ):
                issues = self._loc(loc, self._base)[2]
            dated = _UNDATED
            if lastmod_raw is not None:
                known = dates.get(lastmod_raw) if self._form is DateForm.W3C else None
                if known is not None and known.issue is None:
                    dated = known
                    tally.lastmod_present += 1
                    if known.at is not None:
                        stamp(known.stamp)
                else:
                    lastmod_raw, dated = self._lastmod(lastmod_raw, line, DateForm.W3C)
            if priority is not None:
                priority = priority.strip(SPACE) or None
                tally.priority_count += priority is not None
            if changefreq is not None:
                changefreq = changefreq.strip(SPACE) or None
                tally.changefreq_count += changefreq is not None
            tally.entries += 1
            identity = sha256(loc.encode()).digest()[:8]
            ids += identity
            at, precision, offset, issue, _, _ = dated
            draft = _EntryDraft(  # in the order of the fact's fields
                url, file_id, tally.entries, line, is_child, identity.hex(), loc, loc, loc, issues,
                lastmod_raw, at, precision, offset, issue, priority, changefreq,
            )  # fmt: skip
            if links:
                draft.alternates = self._links.read(links)
            draft.__class__ = Entry
            made.append(draft)
        return made

    def _entry(self, row: RawEntry) -> Entry:
        tally = self._tally
        tally.entries += 1
        line, loc_raw, lastmod_raw, changefreq, priority, links, more, is_child = row
        if loc_raw is None or more is not None:
            href, key, issues, loc_raw = self._odd_loc(loc_raw, more)
        else:
            href, key, issues = self._loc(loc_raw, self._base)
            if "@" in loc_raw:
                loc_raw = self._without_user_info(loc_raw, line)
        identity = None
        if key is not None:
            identity = tally.add_key(key)
        dated = _UNDATED
        if lastmod_raw is not None:
            form = DateForm.W3C if more is None else more.dates
            lastmod_raw, dated = self._lastmod(lastmod_raw, line, form)
        if priority is not None:
            priority = priority.strip(SPACE) or None
            tally.priority_count += priority is not None
        if changefreq is not None:
            changefreq = changefreq.strip(SPACE) or None
            tally.changefreq_count += changefreq is not None
        entry = _EntryDraft(  # in the order of the fact's fields
            self._url,
            self._file_id,
            tally.entries,
            line,
            is_child,
            identity,
            key,
            loc_raw or None,
            href,
            issues,
            lastmod_raw,
            dated.at,
            dated.precision,
            dated.offset_min,
            dated.issue,
            priority,
            changefreq,
        )
        if links:
            entry.alternates = self._links.read(links)
        if more is not None:
            entry.images = image_facts(more.images, self._base)
            entry.videos = video_facts(more.videos)
            entry.news = news_facts(more.news, more.news_count)
            entry.guid = _text(more.guid)
            entry.published_raw = _text(more.published)
            entry.media = media_facts(more.media, self._base)
        entry.__class__ = Entry
        made: Entry = entry
        return made

    def _loc(self, raw: str, base: str | None) -> _Located:
        """href, key and issues of a loc that is there."""
        text = raw.strip(SPACE)
        place = self._place
        if place is not None and place.is_plain(text):
            href = key = text
            query = text.find("?")
            issues = parameter_issues(text, query) if query >= 0 or ";" in text else []
            if len(text) >= LOC_MAX_CHARS:
                issues.append("too_long")
            if "&amp;" in text:
                issues.append("double_escaped")
            if not text.startswith(place.prefix):
                issues.append("outside_directory")
            if len(text) != len(raw):
                issues.append("whitespace")
            return href, key, _in_order(issues) if issues else ()
        if not text:
            return None, None, ("missing",)
        issues = spelling_issues(text)
        if len(text) != len(raw):
            issues.append("whitespace")
        url = parse_url(text, base)
        if url is None:
            return None, None, _in_order({*issues, "invalid"})
        if place is not None:
            issues += place_issues(url, place)
        return url.href, url.key, _in_order(issues)

    def _odd_loc(
        self, raw: str | None, more: RawMore | None
    ) -> tuple[str | None, str | None, Issues, str | None]:
        href: str | None = None
        key: str | None = None
        issues: Issues = ("missing",)
        more = more or RawMore()
        if raw:
            base = self._base if more.resolvable else None
            if more.base and base:
                joined = parse_url(more.base, base)
                base = joined.href if joined is not None else base
            href, key, issues = self._loc(raw, base)
            if more.base and "relative" in issues and href is not None:  # xml:base makes it legal
                issues = tuple(issue for issue in issues if issue != "relative")
            if more.loc_cut:  # what is here is only the beginning of an address
                href, key, issues = None, None, _in_order({*issues, "too_long"})
            raw = without_user_info(raw)
        if more.locs > 1:
            issues = _in_order((*issues, "twice"))
        return href, key, issues, raw

    def _without_user_info(self, raw: str, line: int) -> str:
        bare = without_user_info(raw)
        if bare != raw:
            self._log.note("loc-user-info", line=line, text=bare)
        return bare

    def _lastmod(self, raw: str, line: int, form: DateForm) -> tuple[str | None, Dated]:
        if raw == "" or raw.isspace():
            self._log.note("lastmod-empty", line=line)
            return None, _UNDATED
        return raw, self._dated(raw, form)

    def _dated(self, raw: str, form: DateForm) -> Dated:
        tally = self._tally
        tally.lastmod_present += 1
        cache = self._dates
        if form is not self._form:  # hardly ever twice in a file
            cache.clear()
            self._form = form
        dated = cache.get(raw)
        if dated is None:
            dated = self._read_date(raw, form)
            if len(cache) >= _DATES_CACHED:
                cache.clear()
            if len(raw) <= _DATE_CHARS_CACHED:
                cache[raw] = dated
        if dated.invalid:
            tally.lastmod_invalid += 1
        elif dated.issue == "future":
            tally.lastmod_future += 1
        if dated.at is not None:
            tally.stamps.append(dated.stamp)
        return dated

    def _read_date(self, raw: str, form: DateForm) -> Dated:
        parsed = DATE_PARSERS[form](raw)
        at = parsed.utc if parsed.utc is not None else parsed.lenient_utc
        issue = parsed.issue
        alone = parsed.precision in _DATE_ALONE if parsed.precision is not None else ":" not in raw
        if issue is None and at is not None:
            if at < _OLDEST:
                issue = "implausible"
            elif at.date() > self._future_date if alone else at > self._future:
                issue = "future"
        stamp = 0 if at is None else 2 * microseconds(at) + (not alone)
        return Dated(at, parsed.precision, parsed.offset_min, issue, parsed.issue is not None, stamp)


def _in_order(issues: Collection[str]) -> tuple[str, ...]:
    return tuple(sorted(issues, key=_ORDER.__getitem__)) if len(issues) > 1 else tuple(issues)


def _text(raw: str | None) -> str | None:
    return None if raw is None else without_user_info(raw.strip(SPACE)) or None
