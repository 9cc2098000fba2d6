"""Dates of sitemaps, feeds and headers: text to an instant in UTC, and what is wrong with the text.

Definition 10. Nothing here knows the present time; future and implausible dates are judged elsewhere.
The standard library is not asked: datetime.fromisoformat takes week dates, the basic form and times
without a zone, email.utils takes unknown zones for none.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

_SPACE: Final = " \t\n\r\f\v"

_W3C: Final = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:(T)(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)?)?)?)?",
    re.ASCII,
)
_USUAL: Final = re.compile(
    r"\d{4}-\d\d-\d\d(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(\.\d+)?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?",
    re.ASCII,
)
"""W3C texts for which datetime.fromisoformat is right, and a quarter of the time: a sitemap has millions."""
_RFC3339: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)([Tt ])(\d\d):(\d\d):(\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)?", re.ASCII
)
_RFC822: Final = re.compile(
    r"(?:([a-z]{3,9})[ \t]*,)?[ \t]*(\d{1,2})[ \t]+([a-z]{3,9})[ \t]+(\d{4}|\d\d)[ \t]+(\d\d):(\d\d)(?::(\d\d))?"
    r"(?:[ \t]+([a-z]+|[+-]\d\d:?\d\d))?(?:[ \t]*\([^()]*\))?",
    re.ASCII | re.IGNORECASE,
)
_HTTP: Final = re.compile(
    r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT", re.ASCII
)
_RFC850: Final = re.compile(
    r"(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\d\d)-([A-Z][a-z]{2})-(\d\d) (\d\d):(\d\d):(\d\d) GMT",
    re.ASCII,
)
_ASCTIME: Final = re.compile(
    r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d) (\d{4})", re.ASCII
)

_LONG_MONTHS: Final = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTHS: Final = {name: n for n, long in enumerate(_LONG_MONTHS, 1) for name in (long[:3], long)}
_LONG_WEEKDAYS: Final = frozenset(
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
)
_WEEKDAYS: Final = frozenset(day[:3] for day in _LONG_WEEKDAYS)
_ZONES: Final = {
    "ut": 0,
    "gmt": 0,
    "z": 0,
    "est": -300,
    "edt": -240,
    "cst": -360,
    "cdt": -300,
    "mst": -420,
    "mdt": -360,
    "pst": -480,
    "pdt": -420,
}
"""RFC 822, 5.1, in minutes; all other letters of the military zones had contradictory signs."""
_OTHER_ZONES: Final = {
    "utc": 0,
    "wet": 0,
    "west": 60,
    "cet": 60,
    "met": 60,
    "cest": 120,
    "mest": 120,
    "eet": 120,
    "eest": 180,
    "msk": 180,
    "jst": 540,
    "kst": 540,
    "akst": -540,
    "akdt": -480,
    "hst": -600,
    "aest": 600,
    "aedt": 660,
    "nzst": 720,
    "nzdt": 780,
}
"""Names that no standard here lists but that mean one offset only: good for `lenient_utc`."""


class ParsedDate(NamedTuple):
    """What a date text says.

    `utc`: the instant (a date alone is midnight UTC), None where the text is not valid in its format.
    `precision`: year, month, day, minute, second or fraction (digits behind the sixth are cut).
    `offset_min`: the zone as written, in minutes; None for dates alone.
    `issue`: None = valid; `format`, `year_out_of_range`, `month_out_of_range`, `day_out_of_range`,
    `hour_out_of_range`, `minute_out_of_range`, `second_out_of_range`, `offset_out_of_range`,
    `utc_out_of_range`, `timezone_missing`, `timezone_unknown`, `timezone_ambiguous`. Beside a `utc` it is a
    warning: `lower_case`, `blank_for_t` (RFC 3339 lets them pass, Atom does not).
    `lenient_utc`: the instant that an invalid text plainly means; None for valid and for unclear texts.
    """

    utc: datetime | None
    precision: str | None
    offset_min: int | None
    issue: str | None
    lenient_utc: datetime | None


def parse_w3c(text: str) -> ParsedDate:
    """Sitemap lastmod, news and video dates: W3C Date and Time Formats (1997), all six forms."""
    text = text.strip(_SPACE)
    usual = _USUAL.fullmatch(text)
    if usual is not None:
        fraction, zone = usual.groups()
        try:
            if zone is None:
                return ParsedDate(datetime.fromisoformat(f"{text}T00:00Z"), "day", None, None, None)
            at = datetime.fromisoformat(text)
            precision = "fraction" if fraction else "second" if len(text) - len(zone) > 16 else "minute"
            if zone == "Z":
                return ParsedDate(at, precision, 0, None, None)
            minutes = int(zone[1:3]) * 60 + int(zone[4:])
            offset = -minutes if zone[0] == "-" else minutes
            return ParsedDate(at.astimezone(UTC), precision, offset, None, None)
        except (ValueError, OverflowError):
            pass  # what is wrong with it is found below
    return _parse_w3c(text)


def _parse_w3c(text: str) -> ParsedDate:
    match = _W3C.fullmatch(text)
    if match is None:
        return _invalid("format")
    year, month, day, mark, hour, minute, second, fraction, zone = match.groups()
    issue = _date_issue(int(year), int(month or 1), int(day or 1))
    if issue:
        return _invalid(issue)
    if not mark:
        at = datetime(int(year), int(month or 1), int(day or 1), tzinfo=UTC)
        return ParsedDate(at, "day" if day else "month" if month else "year", None, None, None)
    return _instant(int(year), int(month), int(day), hour, minute, second, fraction, _offset(zone))


def parse_rfc3339(text: str) -> ParsedDate:
    """Atom dates: RFC 3339, 5.6, under RFC 4287, 3.3.

    Lower-case letters and a blank for T are read, with an issue beside the instant.
    """
    match = _RFC3339.fullmatch(text.strip(_SPACE))
    if match is None:
        return _invalid("format")
    year, month, day, mark, hour, minute, second, fraction, zone = match.groups()
    issue = _date_issue(int(year), int(month), int(day))
    if issue:
        return _invalid(issue)
    read = _instant(int(year), int(month), int(day), hour, minute, second, fraction, _offset(zone))
    if read.utc is None:
        return read
    warning = "blank_for_t" if mark == " " else "lower_case" if mark == "t" or zone == "z" else None
    return read._replace(issue=warning)


def parse_rfc822(text: str) -> ParsedDate:
    """RSS dates: RFC 822, 5.1, with the four-digit years of RFC 2822; names ignore case.

    A weekday that does not fit its date is no fault here.
    """
    text = text.strip(_SPACE)
    match = _RFC822.fullmatch(text)
    if match is None:
        return _invalid("format", parse_rfc3339(text).utc or _read_http(text).utc)
    weekday, day, name, year, hour, minute, second, zone = match.groups()
    weekday, month = (weekday or "").lower(), _MONTHS.get(name.lower())
    if month is None or (weekday and weekday not in _WEEKDAYS and weekday not in _LONG_WEEKDAYS):
        return _invalid("format")
    read = _rfc822_instant(_full_year(year, pivot=50), month, int(day), hour, minute, second, zone)
    long_names = len(name) > 3 or weekday in _LONG_WEEKDAYS
    colon = zone is not None and ":" in zone
    return _invalid("format", read.utc or read.lenient_utc) if long_names or colon else read


def parse_http_date(text: str) -> ParsedDate:
    """Date, Last-Modified and the like: RFC 9110, 5.6.7, all three forms. Case counts, GMT only.

    A two-digit year of RFC 850 below 70 is of this century: what RFC 9110 asks for (at most 50 years
    ahead) comes to the same for every date a server of today can mean, and needs no clock.
    """
    text = text.strip(_SPACE)
    read = _read_http(text)
    if read.utc is None and read.issue == "format":
        loose = parse_rfc822(text)
        return _invalid("format", loose.utc or loose.lenient_utc)
    return read


def _read_http(text: str) -> ParsedDate:
    if match := _HTTP.fullmatch(text) or _RFC850.fullmatch(text):
        _, day, name, year, hour, minute, second = match.groups()
    elif match := _ASCTIME.fullmatch(text):
        _, name, day, hour, minute, second, year = match.groups()
    else:
        return _invalid("format")
    month = _MONTHS.get(name.lower())
    if month is None:
        return _invalid("format")
    return _rfc822_instant(_full_year(year, pivot=70), month, int(day), hour, minute, second, "GMT")


def _rfc822_instant(
    year: int, month: int, day: int, hour: str, minute: str, second: str | None, zone: str | None
) -> ParsedDate:
    issue = _date_issue(year, month, day)
    if issue:
        return _invalid(issue)
    if zone is None or zone[0] in "+-":
        offset = _offset(zone)
    elif zone.lower() in _ZONES:
        offset = _ZONES[zone.lower()]
    elif zone.lower() in _OTHER_ZONES:
        read = _instant(year, month, day, hour, minute, second, None, _OTHER_ZONES[zone.lower()])
        return _invalid(read.issue or "timezone_unknown", read.utc)
    else:
        offset = "timezone_ambiguous" if len(zone) == 1 and zone not in "jJ" else "timezone_unknown"
    return _instant(year, month, day, hour, minute, second, None, offset)


def _instant(
    year: int,
    month: int,
    day: int,
    hour: str,
    minute: str,
    second: str | None,
    fraction: str | None,
    offset: int | str,
) -> ParsedDate:
    """The instant of a date that exists; `offset` in minutes, or the issue that the zone has."""
    seconds = int(second or 0)
    if int(hour) > 23:
        return _invalid("hour_out_of_range")
    if int(minute) > 59:
        return _invalid("minute_out_of_range")
    if seconds > 60:
        return _invalid("second_out_of_range")
    if isinstance(offset, str):
        return _invalid(offset)
    micro = int((fraction or "0")[:6].ljust(6, "0"))
    leap = seconds == 60
    at = datetime(year, month, day, int(hour), int(minute), 59 if leap else seconds, micro, tzinfo=UTC)
    try:
        at -= timedelta(minutes=offset)
        if leap:
            # datetime has no second 60: the instant behind it stands in, with no fraction.
            if (at.month, at.day, at.hour, at.minute) not in ((6, 30, 23, 59), (12, 31, 23, 59)):
                return _invalid("second_out_of_range")
            at = at.replace(microsecond=0) + timedelta(seconds=1)
    except OverflowError:
        return _invalid("utc_out_of_range")
    precision = "fraction" if fraction else "second" if second else "minute"
    return ParsedDate(at, precision, offset, None, None)


def _date_issue(year: int, month: int, day: int) -> str | None:
    if not 1 <= month <= 12:
        return "month_out_of_range"
    leap_year = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = 30 if month in (4, 6, 9, 11) else 31 if month != 2 else 29 if leap_year else 28
    if not 1 <= day <= days:
        return "day_out_of_range"
    return None if year else "year_out_of_range"


def _offset(zone: str | None) -> int | str:
    """Minutes of Z or a numeric zone, or the issue. -00:00 is an instant as good as +00:00."""
    if zone is None:
        return "timezone_missing"
    if zone in "Zz":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[-2:])
    if hours > 23 or minutes > 59:
        return "offset_out_of_range"
    return (hours * 60 + minutes) * (-1 if zone[0] == "-" else 1)


def _full_year(year: str, *, pivot: int) -> int:
    short = int(year)
    return short if len(year) == 4 else short + (2000 if short < pivot else 1900)


def _invalid(issue: str, lenient: datetime | None = None) -> ParsedDate:
    return ParsedDate(None, None, None, issue, lenient)
