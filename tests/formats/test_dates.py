"""Dates of sitemaps, feeds and headers (definition 10)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitemap_audit.formats.dates import ParsedDate, parse_http_date, parse_rfc822, parse_rfc3339, parse_w3c
from sitemap_audit.formats.dates import _parse_w3c as slow_w3c

PARSERS = (parse_w3c, parse_rfc3339, parse_rfc822, parse_http_date)
Parser = Callable[[str], ParsedDate]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize(
    ("text", "utc", "precision", "offset"),
    [
        ("2025", "2025-01-01T00:00:00Z", "year", None),
        ("2025-11", "2025-11-01T00:00:00Z", "month", None),
        ("\t2025-11-09 ", "2025-11-09T00:00:00Z", "day", None),
        ("2000-02-29", "2000-02-29T00:00:00Z", "day", None),
        ("2025-11-09T08:07Z", "2025-11-09T08:07:00Z", "minute", 0),
        ("2025-11-09T08:07:06+05:30", "2025-11-09T02:37:06Z", "second", 330),
        ("2025-11-09T08:07:06.5-03:00", "2025-11-09T11:07:06.500000Z", "fraction", -180),
        ("2025-11-09T08:07:06.1234567Z", "2025-11-09T08:07:06.123456Z", "fraction", 0),
        ("2017-01-01T05:29:60+05:30", "2017-01-01T00:00:00Z", "second", 330),
    ],
)
def test_w3c(text: str, utc: str, precision: str, offset: int | None) -> None:
    assert parse_w3c(text) == (at(utc), precision, offset, None, None)


@pytest.mark.parametrize(
    ("text", "issue"),
    [
        ("", "format"),
        ("25-11-09", "format"),
        ("2025-11-9", "format"),
        ("2025-11-09T8:07Z", "format"),
        ("2025-11-09T08:07:06.Z", "format"),
        ("2025-11-09T08:07.5Z", "format"),
        ("2025-11-09\u00a0", "format"),
        ("2025-11-09T08:07:06z", "format"),
        ("2025-11-0٩", "format"),
        ("2025-11-31", "day_out_of_range"),
        ("2100-02-29", "day_out_of_range"),
        ("2025-14", "month_out_of_range"),
        ("0000", "year_out_of_range"),
        ("2025-11-09T24:00Z", "hour_out_of_range"),
        ("2025-11-09T08:60Z", "minute_out_of_range"),
        ("2025-11-09T08:07:61Z", "second_out_of_range"),
        ("2025-11-09T08:07:60Z", "second_out_of_range"),
        ("2025-11-09T08:07:06+24:00", "offset_out_of_range"),
        ("2025-11-09T08:07", "timezone_missing"),
        ("0001-01-01T00:00+00:01", "utc_out_of_range"),
        ("9999-12-31T23:59-00:01", "utc_out_of_range"),
        ("9999-12-31T23:59:60Z", "utc_out_of_range"),
    ],
)
def test_w3c_says_what_is_wrong(text: str, issue: str) -> None:
    assert parse_w3c(text) == (None, None, None, issue, None)


def test_atom_reads_looser_spellings_with_a_warning() -> None:
    utc = at("2025-11-09T08:07:06Z")
    assert parse_rfc3339("2025-11-09T08:07:06Z") == (utc, "second", 0, None, None)
    assert parse_rfc3339("2025-11-09t08:07:06z") == (utc, "second", 0, "lower_case", None)
    assert parse_rfc3339("2025-11-09 08:07:06Z") == (utc, "second", 0, "blank_for_t", None)


@pytest.mark.parametrize(
    ("text", "issue"),
    [
        ("2025-11-09", "format"),
        ("2025-11-09T08:07Z", "format"),
        ("2025-11-09T08:07:06", "timezone_missing"),
        ("2025-02-30T08:07:06Z", "day_out_of_range"),
    ],
)
def test_atom_wants_all_of_it(text: str, issue: str) -> None:
    assert parse_rfc3339(text).issue == issue
    assert parse_rfc3339(text).utc is None


@pytest.mark.parametrize(
    ("text", "utc", "precision", "offset"),
    [
        ("Sun, 09 Nov 2025 08:07:06 GMT", "2025-11-09T08:07:06Z", "second", 0),
        ("Mon, 09 Nov 2025 08:07:06 GMT", "2025-11-09T08:07:06Z", "second", 0),
        ("9 Nov 2025 08:07 +0530", "2025-11-09T02:37:00Z", "minute", 330),
        ("09 Nov 25 08:07:06 MST", "2025-11-09T15:07:06Z", "second", -420),
        ("09 Nov 99 08:07:06 ut", "1999-11-09T08:07:06Z", "second", 0),
        ("Sun,9 NOV 2025 08:07:06 -0000 (UTC)", "2025-11-09T08:07:06Z", "second", 0),
    ],
)
def test_rss(text: str, utc: str, precision: str, offset: int) -> None:
    assert parse_rfc822(text) == (at(utc), precision, offset, None, None)


@pytest.mark.parametrize(
    ("text", "issue", "lenient"),
    [
        ("Sun, 09 Nov 2025 08:07:06 UTC", "timezone_unknown", "2025-11-09T08:07:06Z"),
        ("Sun, 09 Nov 2025 08:07:06 CEST", "timezone_unknown", "2025-11-09T06:07:06Z"),
        ("Sun, 09 Nov 2025 08:07:06 XYZ", "timezone_unknown", None),
        ("Sun, 09 Nov 2025 08:07:06 J", "timezone_unknown", None),
        ("Sun, 09 Nov 2025 08:07:06 B", "timezone_ambiguous", None),
        ("Sun, 09 Nov 2025 08:07:06", "timezone_missing", None),
        ("Sunday, 09 Nov 2025 08:07:06 GMT", "format", "2025-11-09T08:07:06Z"),
        ("Sun, 09 November 2025 08:07:06 CET", "format", "2025-11-09T07:07:06Z"),
        ("Sun, 09 Nov 2025 08:07:06 +01:00", "format", "2025-11-09T07:07:06Z"),
        ("2025-11-09T08:07:06+01:00", "format", "2025-11-09T07:07:06Z"),
        ("Sun Nov  9 08:07:06 2025", "format", "2025-11-09T08:07:06Z"),
        ("Sun, 09 Nix 2025 08:07:06 GMT", "format", None),
        ("Son, 09 Nov 2025 08:07:06 GMT", "format", None),
        ("Sun, 09 Nov 125 08:07:06 GMT", "format", None),
        ("Sun, 09 Nov 2025", "format", None),
        ("Sun, 31 Nov 2025 08:07:06 GMT", "day_out_of_range", None),
        ("Sun, 09 Nov 2025 24:07:06 GMT", "hour_out_of_range", None),
        ("Sun, 09 Nov 2025 08:07:06 +2400", "offset_out_of_range", None),
    ],
)
def test_rss_says_what_is_wrong_and_what_is_plainly_meant(text: str, issue: str, lenient: str | None) -> None:
    assert parse_rfc822(text) == (None, None, None, issue, lenient and at(lenient))


@pytest.mark.parametrize(
    "text", ["Sun, 09 Nov 2025 08:07:06 GMT", "Sunday, 09-Nov-25 08:07:06 GMT", "Sun Nov  9 08:07:06 2025"]
)
def test_http_has_three_forms(text: str) -> None:
    assert parse_http_date(text) == (at("2025-11-09T08:07:06Z"), "second", 0, None, None)


@pytest.mark.parametrize(
    ("text", "issue", "lenient"),
    [
        ("sun, 09 nov 2025 08:07:06 gmt", "format", "2025-11-09T08:07:06Z"),
        ("Sun, 9 Nov 2025 08:07:06 GMT", "format", "2025-11-09T08:07:06Z"),
        ("Sun, 09 Nov 2025 08:07:06 UTC", "format", "2025-11-09T08:07:06Z"),
        ("Sun, 09 Nov 2025 08:07:06", "format", None),
        ("0", "format", None),
        ("Sun, 30 Feb 2025 08:07:06 GMT", "day_out_of_range", None),
    ],
)
def test_http_wants_its_own_spelling(text: str, issue: str, lenient: str | None) -> None:
    assert parse_http_date(text) == (None, None, None, issue, lenient and at(lenient))


INSTANTS = st.datetimes(
    min_value=datetime(1, 1, 3),  # noqa: DTZ001  # hypothesis wants naive bounds
    max_value=datetime(9999, 12, 29),  # noqa: DTZ001
    timezones=st.integers(-1_439, 1_439).map(lambda m: timezone(timedelta(minutes=m))),
)


@given(INSTANTS)
def test_iso_dates_come_back(when: datetime) -> None:
    for parse in (parse_w3c, parse_rfc3339):
        read = parse(when.isoformat())
        assert (read.utc, read.issue) == (when.astimezone(UTC), None)
        offset = when.utcoffset()
        assert offset is not None
        assert read.offset_min == offset.total_seconds() / 60


@given(INSTANTS)
def test_mail_dates_come_back(when: datetime) -> None:
    whole = when.replace(microsecond=0)
    assert parse_rfc822(format_datetime(whole)).utc == whole.astimezone(UTC)
    assert parse_http_date(format_datetime(whole.astimezone(UTC), usegmt=True)).utc == whole.astimezone(UTC)


PIECES = st.lists(
    st.sampled_from(
        [
            "2025",
            "-",
            "11",
            "09",
            "T",
            " ",
            "08",
            ":",
            "60",
            "24",
            "Z",
            "+",
            "00",
            ".",
            "5",
            "Sun",
            ",",
            "Nov",
            "GMT",
            "CET",
            "A",
            "00:00",
            "9999",
            "0000",
            "12-31",
            "23:59:60",
            "٠",
            "(",
            ")",
            "99",
        ]
    ),
    max_size=12,
).map("".join)


@given(st.text(max_size=60) | PIECES, st.sampled_from(PARSERS))
def test_nothing_raises_and_the_fields_agree(text: str, parse: Parser) -> None:
    read = parse(text)
    assert (read.utc is None) == (read.precision is None)
    assert read.utc is not None or read.issue is not None
    assert read.utc is None or read.lenient_utc is None
    for instant in (read.utc, read.lenient_utc):
        assert instant is None or instant.tzinfo is UTC


@given(PIECES | INSTANTS.map(datetime.isoformat) | st.dates().map(str))
@example("2025-11-09T08:07:60Z")
@example("2025-02-29T08:07Z")
@example("9999-12-31T23:59:59-01:00")
def test_the_short_way_gives_what_the_long_way_gives(text: str) -> None:
    assert parse_w3c(text) == slow_w3c(text.strip(" \t\n\r\f\v"))
