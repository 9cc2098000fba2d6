"""From a raw row to an Entry: addresses, dates and codes are read, and what is odd about them is named.

Nothing here knows XML or how a file arrived. Speed matters: 50,000 entries a file pass here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import MISSING, fields, make_dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from sitemap_audit.facts import Alternate, Entry
from sitemap_audit.formats.dates import ParsedDate, parse_rfc822, parse_rfc3339, parse_w3c
from sitemap_audit.formats.entries_loc import SPACE, Place, place_issues, spelling_issues
from sitemap_audit.formats.entries_media import image_facts, news_facts, video_facts
from sitemap_audit.formats.hreflang import parse_hreflang
from sitemap_audit.formats.sitemap_problems import ProblemLog, without_user_info
from sitemap_audit.formats.sitemap_rows import DateForm, RawAlternate, RawEntry, RawMore
from sitemap_audit.formats.sitemap_tally import Tally, microseconds
from sitemap_audit.formats.urls import Url, parse_url, url_id
from sitemap_audit.settings import LASTMOD_FUTURE_S, LASTMOD_OLDEST, XML_MAX_TEXT_BYTES

DATE_PARSERS: Final[dict[DateForm, Callable[[str], ParsedDate]]] = {
    DateForm.W3C: parse_w3c,
    DateForm.RFC3339: parse_rfc3339,
    DateForm.RFC822: parse_rfc822,
}
_OLDEST: Final = datetime.fromisoformat(LASTMOD_OLDEST).replace(tzinfo=UTC)
_EASTMOST: Final = timedelta(hours=14)
_DATES_CACHED: Final = 4_096
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


def _draft(fact: type[Any]) -> Any:
    """A twin of a frozen fact that can be filled at the price of a plain object.

    A frozen dataclass sets each field through object.__setattr__: 23 fields took half of the time of an
    entry. The twin has the same slots, and its class is changed when it is full; a test compares both ways.
    """
    names = [
        (field.name, Any) if field.default is MISSING else (field.name, Any, field.default)
        for field in fields(fact)
    ]
    return make_dataclass(f"_{fact.__name__}Draft", names, slots=True, kw_only=True)


_EntryDraft: Final = _draft(Entry)
_AlternateDraft: Final = _draft(Alternate)


class Dated(NamedTuple):
    """A lastmod, read. `issue`: as in ParsedDate, or future, or implausible."""

    at: datetime | None
    precision: str | None
    offset_min: int | None
    issue: str | None
    invalid: bool
    microseconds: int
    timed: bool


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
        self._dates: dict[tuple[DateForm, str], Dated] = {}
        self.newest: datetime | None = None

    def build(self, rows: Iterable[RawEntry]) -> list[Entry]:
        """The facts of the next rows of the file."""
        return [self._entry(row) for row in rows]

    def _entry(self, row: RawEntry) -> Entry:
        tally = self._tally
        tally.entries += 1
        line, loc_raw, lastmod_raw, changefreq, priority, links, more, is_child = row
        if loc_raw is None or loc_raw == "" or more is not None:
            url, issues, loc_raw = self._odd_loc(loc_raw, more)
        else:
            url, issues = self._loc(loc_raw, self._base)
            if "@" in loc_raw:
                loc_raw = self._without_user_info(loc_raw, line)
        key = identity = href = None
        if url is not None:
            href, key = url.href, url.key
            identity = url_id(key)
            tally.add_key(identity)
        dated = None
        if lastmod_raw is not None:
            if lastmod_raw == "" or lastmod_raw.isspace():
                self._log.note("lastmod-empty", line=line)
                lastmod_raw = None
            else:
                dated = self._dated(lastmod_raw, DateForm.W3C if more is None else more.dates)
        if priority is not None:
            priority = priority.strip(SPACE) or None
            tally.priority_count += priority is not None
        if changefreq is not None:
            changefreq = changefreq.strip(SPACE) or None
            tally.changefreq_count += changefreq is not None
        entry = _EntryDraft(
            sitemap=self._url,
            file_id=self._file_id,
            position=tally.entries,
            line=line,
            is_child=is_child,
            url_id=identity,
            url_key=key,
            loc_raw=loc_raw,
            loc=href,
            loc_issues=issues,
            lastmod_raw=lastmod_raw,
            priority_raw=priority,
            changefreq_raw=changefreq,
        )
        if dated is not None:
            entry.lastmod = dated.at
            entry.lastmod_precision = dated.precision
            entry.lastmod_offset_min = dated.offset_min
            entry.lastmod_issue = dated.issue
        if links:
            entry.alternates = self._alternates(links)
        if more is not None:
            entry.images = image_facts(more.images, self._base)
            entry.videos = video_facts(more.videos)
            entry.news = news_facts(more.news, more.news_count)
            entry.guid = _text(more.guid)
            entry.published_raw = _text(more.published)
        entry.__class__ = Entry
        made: Entry = entry
        return made

    def _loc(self, raw: str, base: str | None) -> tuple[Url | None, tuple[str, ...]]:
        text = raw.strip(SPACE)
        if not text:
            return None, ("missing",)
        issues = spelling_issues(text)
        url = parse_url(text, base)
        if len(text) != len(raw):
            issues.append("whitespace")
        if url is None:
            if "invalid" not in issues:
                issues.append("invalid")
        elif self._place is not None and not url.href.startswith(self._place.prefix):
            issues.extend(place_issues(url, self._place))
        return url, _in_order(issues)

    def _odd_loc(
        self, raw: str | None, more: RawMore | None
    ) -> tuple[Url | None, tuple[str, ...], str | None]:
        url: Url | None = None
        issues: tuple[str, ...] = ("missing",)
        more = more or RawMore()
        if raw:
            base = self._base if more.resolvable else None
            if more.base and base:
                joined = parse_url(more.base, base)
                base = joined.href if joined is not None else base
            url, issues = self._loc(raw, base)
            if more.base and "relative" in issues and url is not None:  # xml:base makes it legal
                issues = tuple(issue for issue in issues if issue != "relative")
            if more.loc_cut:  # what is here is only the beginning of an address
                url, issues = None, _in_order({*issues, "too_long"})
            raw = without_user_info(raw)
        if more.locs > 1:
            issues = _in_order((*issues, "twice"))
        return url, issues, raw or None

    def _without_user_info(self, raw: str, line: int) -> str:
        bare = without_user_info(raw)
        if bare != raw:
            self._log.note("loc-user-info", line=line, text=bare)
        return bare

    def _dated(self, raw: str, form: DateForm) -> Dated:
        tally = self._tally
        tally.lastmod_present += 1
        dated = self._dates.get((form, raw))
        if dated is None:
            if len(self._dates) >= _DATES_CACHED:
                self._dates.clear()
            dated = self._dates[form, raw] = self._read_date(raw, form)
        if dated.invalid:
            tally.lastmod_invalid += 1
        elif dated.issue == "future":
            tally.lastmod_future += 1
        if dated.at is not None:
            tally.add_date(dated.microseconds, timed=dated.timed)
            if self.newest is None or dated.at > self.newest:
                self.newest = dated.at
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
        number = 0 if at is None else microseconds(at)
        return Dated(
            at, parsed.precision, parsed.offset_min, issue, parsed.issue is not None, number, not alone
        )

    def _alternates(self, links: Sequence[RawAlternate]) -> tuple[Alternate, ...] | None:
        made = []
        for line, rel, code_raw, href_raw in links:
            if rel != "alternate" and "alternate" not in (rel or "").lower().split():
                self._log.note("link-not-alternate", line=line, text=rel)
                continue
            if code_raw is None:  # a mobile version or the like says nothing about languages
                continue
            href_raw = href_raw or ""
            code, issue, _ = parse_hreflang(code_raw)
            url = None
            if len(href_raw) > XML_MAX_TEXT_BYTES:
                href_raw = href_raw[:XML_MAX_TEXT_BYTES]
            elif href_raw.strip(SPACE):
                url = parse_url(href_raw, self._base)
            draft = _AlternateDraft(
                line=line,
                code_raw=code_raw[:XML_MAX_TEXT_BYTES],
                code=code,
                code_issue=issue,
                href_raw=without_user_info(href_raw),
            )
            if url is not None:
                draft.href, draft.href_key = url.href, url.key
            draft.__class__ = Alternate
            made.append(draft)
        return tuple(made) or None


def _in_order(issues: Collection[str]) -> tuple[str, ...]:
    return tuple(sorted(issues, key=_ORDER.__getitem__)) if len(issues) > 1 else tuple(issues)


def _text(raw: str | None) -> str | None:
    return None if raw is None else without_user_info(raw.strip(SPACE)) or None
