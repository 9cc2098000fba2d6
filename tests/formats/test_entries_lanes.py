"""The short ways for plain rows and plain links say what the long ways say, to the byte of the stored fact."""

from __future__ import annotations

import orjson
from hypothesis import example, given
from hypothesis import strategies as st

from sitemap_audit.formats.entries_links import LinkReader
from sitemap_audit.formats.entries_loc import Place
from sitemap_audit.formats.sitemap_problems import ProblemLog
from sitemap_audit.formats.sitemap_rows import Link, RawEntry
from sitemap_audit.formats.urls import parse_url
from sitemap_audit.settings import XML_MAX_TEXT_BYTES
from tests.formats.entry_building import FILE, Built

ROOT = "https://example.com/"
ADDRESSES = st.one_of(
    st.text(alphabet="abZ09-._~!$&()*+,;=:@/?%#'| é\n", max_size=25).map(ROOT.__add__),
    st.sampled_from(
        [
            "",
            " ",
            "/maps/a",
            ROOT,
            f"{ROOT}maps/a?utm_source=x",
            f" {ROOT}maps/a\n",
            f"{ROOT}a\n{ROOT}b",
            f"{ROOT}maps/a&amp;b",
            "https://u:p@example.com/a",
            "https://other.example/a",
            "http://example.com/maps/a",
            ROOT + "a" * XML_MAX_TEXT_BYTES,
        ]
    ),
)
RELS = st.one_of(st.just("alternate"), st.sampled_from([None, "ALTERNATE nofollow", "canonical", ""]))
CODES = st.one_of(
    st.sampled_from(["de", "en-UK", "x-default", " fr ", "", None, "d" * 70, "d" * (XML_MAX_TEXT_BYTES + 1)]),
    st.text(max_size=4),
)
LINKS = st.lists(
    st.one_of(
        st.tuples(st.integers(1, 9), st.just("alternate"), st.sampled_from(["de", "en-UK"]), ADDRESSES),
        st.tuples(st.integers(1, 9), RELS, CODES, st.none() | ADDRESSES),
    ),
    max_size=5,
)
DATES = st.sampled_from(
    [None, "", " ", "2026-11-29", "2026-11-29T08:00:00Z", "2026-11-29T08:00", "2099-01-01", "1970", "x"]
)
VALUES = st.sampled_from([None, "", " weekly ", "0.8"])
ROWS = st.lists(
    st.builds(
        RawEntry,
        st.integers(1, 99),
        st.none() | ADDRESSES,
        DATES,
        VALUES,
        VALUES,
        st.none() | LINKS,
        more=st.none(),
        is_child=st.booleans(),
    ),
    max_size=6,
)


@given(ROWS)
def test_rows(rows: list[RawEntry]) -> None:
    short, long = Built(), Built()
    plain = short.builder.build(rows)
    general = [long.builder._entry(row) for row in rows]
    assert orjson.dumps(plain) == orjson.dumps(general)
    assert orjson.dumps(short.log.facts()) == orjson.dumps(long.log.facts())
    assert short.tally.stamps == long.tally.stamps
    assert short.tally.ids == long.tally.ids


@given(LINKS)
@example([(1, "alternate", "de", f"{ROOT}a\n{ROOT}b")])
@example([(1, "alternate", "d" * (XML_MAX_TEXT_BYTES + 1), ROOT)])
@example([(1, "alternate", "de", ROOT + "a" * XML_MAX_TEXT_BYTES), (2, "alternate", "en", ROOT)])
@example([(1, "alternate", "de", ""), (2, "alternate", "", ROOT)])
def test_links(links: list[Link]) -> None:
    url = parse_url(FILE)
    assert url is not None
    logs = ProblemLog(), ProblemLog()
    short, long = (LinkReader(Place.of(url), log) for log in logs)
    for _ in range(2):  # again, with what the first reading left known
        assert orjson.dumps(short.read(links)) == orjson.dumps(long._any(links))
    assert orjson.dumps(logs[0].facts()) == orjson.dumps(logs[1].facts())
