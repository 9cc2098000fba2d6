"""From rows to entries: fields, dates, codes, media, counts."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.facts import Alternate, Entry, Image, News, Video
from sitemap_audit.formats.sitemap_rows import DateForm, RawAlternate, RawEntry, RawExtension, RawMore
from sitemap_audit.formats.sitemap_tally import Tally
from sitemap_audit.formats.urls import url_id
from tests.formats.entry_building import FILE, NOW, Built, entry


def test_a_plain_entry_has_all_its_fields() -> None:
    built = entry(
        "https://example.com/maps/a?x=1",
        lastmod="2026-01-02T03:04:05+01:00",
        priority=" 0.5 ",
        changefreq="daily",
    )
    key = "https://example.com/maps/a?x=1"
    assert built == Entry(
        sitemap=FILE,
        file_id=url_id(FILE),
        position=1,
        line=7,
        url_id=url_id(key),
        url_key=key,
        loc_raw=key,
        loc=key,
        lastmod_raw="2026-01-02T03:04:05+01:00",
        lastmod=datetime(2026, 1, 2, 2, 4, 5, tzinfo=UTC),
        lastmod_precision="second",
        lastmod_offset_min=60,
        priority_raw="0.5",
        changefreq_raw="daily",
    )


def test_entries_are_the_frozen_facts() -> None:
    built = entry("https://example.com/maps/a")
    assert type(built) is Entry
    with pytest.raises(dataclasses.FrozenInstanceError):
        built.line = 1  # type: ignore[misc]
    fresh = Entry(**{field.name: getattr(built, field.name) for field in dataclasses.fields(Entry)})
    assert built == fresh
    assert hash(built) == hash(fresh)
    assert repr(built) == repr(fresh)
    assert orjson.dumps(built) == orjson.dumps(fresh)
    assert dataclasses.replace(built, line=2).line == 2


# Dates


@pytest.mark.parametrize(
    ("raw", "issue"),
    [
        ("2026-11-30T12:00:00Z", None),
        ("2026-12-01T12:00:00Z", None),
        ("2026-12-01T12:00:01Z", "future"),
        ("2026-12-02", None),
        ("2026-12-03", "future"),
        ("2099-01-01", "future"),
        ("1995-01-01", None),
        ("1994-12-31", "implausible"),
        ("1970-01-01T00:00:00Z", "implausible"),
        ("30/11/2026", "format"),
        ("2026-02-30", "day_out_of_range"),
        ("2026-11-30T12:00:00", "timezone_missing"),
    ],
)
def test_lastmod_issue(raw: str, issue: str | None) -> None:
    assert entry("https://example.com/maps/a", lastmod=raw).lastmod_issue == issue


def test_a_plain_meaning_is_used_and_the_issue_stays() -> None:
    written = "Mon, 30 Nov 2026 13:00:00 +01:00"
    built = entry("https://example.com/maps/a", lastmod=written, more=RawMore(dates=DateForm.RFC822))
    assert built.lastmod_issue == "format"
    assert built.lastmod == datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_an_empty_lastmod_is_none() -> None:
    built = Built()
    (first, second) = built.build(
        RawEntry(1, "https://example.com/maps/a", " "), RawEntry(2, "https://example.com/maps/b", "")
    )
    assert first.lastmod_raw is second.lastmod_raw is None
    assert built.tally.lastmod_present == 0
    assert [(p.kind, p.line) for p in built.log.facts()] == [("lastmod-empty", 1), ("lastmod-empty", 2)]


# Alternates and media


def test_alternates() -> None:
    built = Built()
    links = [
        RawAlternate(2, "alternate", " DE-at ", "https://example.com/de"),
        RawAlternate(3, "alternate", "en-UK", "/en"),
        RawAlternate(4, "alternate", "x-default", None),
        RawAlternate(5, "ALTERNATE nofollow", "fr", "https://example.com:0x/"),
        RawAlternate(6, "alternate", None, "https://m.example.com/"),
        RawAlternate(7, None, "es", "https://example.com/es"),
    ]
    (first,) = built.build(RawEntry(1, "https://example.com/maps/a", alternates=links))
    assert first.alternates is not None
    assert first.alternates[0] == Alternate(
        line=2,
        code_raw=" DE-at ",
        code="de-AT",
        href_raw="https://example.com/de",
        href="https://example.com/de",
        href_key="https://example.com/de",
    )
    assert first.alternates[1].code is None
    assert first.alternates[1].code_issue == "reserved_region"
    assert (first.alternates[1].href_raw, first.alternates[1].href) == ("/en", "https://example.com/en")
    assert [(a.line, a.href_raw, a.href) for a in first.alternates[2:]] == [
        (4, "", None),
        (5, "https://example.com:0x/", None),
    ]
    assert [(p.kind, p.line) for p in built.log.facts()] == [("link-not-alternate", 7)]
    assert type(first.alternates[0]) is Alternate


def test_media() -> None:
    more = RawMore(
        images=[
            RawExtension("image", 1, {"loc": " /i.png "}, names=["loc", "caption"]),
            RawExtension("image", 1),
        ],
        videos=[
            RawExtension(
                "video",
                1,
                {
                    "title": " ab ",
                    "description": "x",
                    "duration": " 60 ",
                    "content_loc": "c",
                    "player_loc": "p",
                    "thumbnail_loc": "t",
                    "rating": "4.5",
                    "expiration_date": "2026",
                },
                {"description": 9_000},
                ["title", "price", "player_loc@autoplay"],
                3,
            ),
            RawExtension("video", 1, {"duration": "1.5"}),
        ],
        news=[
            RawExtension(
                "news",
                1,
                {"name": "N", "language": "en", "publication_date": "2026-11-29T08:00+01:00", "title": "T"},
                names=["publication", "name", "genres"],
            )
        ],
        news_count=2,
    )
    built = entry("https://example.com/maps/a", more=more)
    assert built.images == (Image(" /i.png ", "https://example.com/i.png", ("caption",)), Image("", None, ()))
    assert built.videos is not None
    assert built.videos[0] == Video(
        thumbnail="t",
        title_len=2,
        description_len=9_000,
        content="c",
        player="p",
        duration_s=60,
        rating="4.5",
        expiration="2026",
        tags=3,
        extra_tags=("price", "player_loc@autoplay"),
    )
    assert built.videos[1].duration_s is None
    assert built.news == News(
        name="N",
        language="en",
        publication_date_raw="2026-11-29T08:00+01:00",
        publication_date=datetime(2026, 11, 29, 7, tzinfo=UTC),
        title="T",
        extra_tags=("genres",),
        count=2,
    )


# Counts


def test_duplicates_are_told_by_key() -> None:
    built = Built()
    locs = [
        "https://example.com/maps/a",
        "https://EXAMPLE.com:443/maps/%61#x",
        "https://example.com/maps/A",
        None,
        None,
    ]
    built.build(*(RawEntry(1, loc) for loc in locs))
    assert (built.tally.entries, built.tally.usable, built.tally.duplicates) == (5, 3, 1)


@given(st.permutations(["a", "b", "c", "a"]))
def test_the_hash_of_the_set_knows_no_order(names: list[str]) -> None:
    def hashed(parts: list[str]) -> str | None:
        built = Built()
        built.build(*(RawEntry(1, f"https://example.com/{part}") for part in parts))
        return built.tally.loc_set_hash

    assert hashed(names) == hashed(["a", "b", "c"])
    assert hashed(names) != hashed(["a", "b", "d"])
    assert hashed(["a"]) == f"{url_id('https://example.com/a')}-1"


def test_date_counts() -> None:
    built = Built()
    dates = [
        "2026-11-30T11:58:00Z",
        "2026-11-30T11:58:00.5Z",
        "2026-11-30",
        "2026-11-29T10:00:00Z",
        "2030-01-01",
        "junk",
        None,
    ]
    built.build(*(RawEntry(1, "https://example.com/maps/a", date) for date in dates))
    tally = built.tally
    assert (tally.lastmod_present, tally.lastmod_future, tally.lastmod_invalid) == (6, 1, 1)
    facts = tally.dates(NOW)
    assert facts.lastmod_min == datetime(2026, 11, 29, 10, tzinfo=UTC)
    assert facts.lastmod_max == datetime(2030, 1, 1, tzinfo=UTC)
    assert facts.lastmod_distinct == 5
    assert (facts.lastmod_mode, facts.lastmod_mode_share) == (datetime(2026, 11, 30, 11, 58, tzinfo=UTC), 0.4)
    assert facts.lastmod_day_mode_share == 0.6
    assert facts.lastmod_window_share == 0.4
    assert tally.dates(NOW + timedelta(minutes=4)).lastmod_window_share == 0
    assert tally.dates(None).lastmod_window_share is None


def test_no_dates() -> None:
    facts = Tally().dates(NOW)
    assert facts.lastmod_mode_share is None
    assert facts.lastmod_distinct == 0
