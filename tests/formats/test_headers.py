"""Header values: what is read, and what is left alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.facts import Refresh
from sitemap_audit.formats import headers as http

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PAGE = "https://example.com/a/b"


def test_lines_stay_apart_and_the_first_counts() -> None:
    headers = [("x-robots-tag", "noindex"), ("link", "</a>"), ("x-robots-tag", "googlebot: nofollow")]
    assert http.get(headers, "x-robots-tag") == "noindex"
    assert http.get_all(headers, "x-robots-tag") == ("noindex", "googlebot: nofollow")
    assert http.get(headers, "etag") is None


@pytest.mark.parametrize(
    ("value", "media", "charset"),
    [
        ("text/html", "text/html", None),
        ("Text/HTML; Charset=UTF-8", "text/html", "UTF-8"),
        ('text/html; charset="iso-8859-1"', "text/html", "iso-8859-1"),
        ("text/html;charset=utf-8;charset=latin1", "text/html", "utf-8"),
        ("text/html; boundary=x; charset = utf-8", "text/html", "utf-8"),
        ("text/html; charset=", "text/html", None),
        ("text/html ;charset=utf-8", "text/html", "utf-8"),
        ("html", None, None),
        ("", None, None),
        ("text/html/x; charset=utf-8", None, None),
    ],
)
def test_content_type(value: str, media: str | None, charset: str | None) -> None:
    assert http.parse_content_type(value) == (media, charset)


def test_link_values() -> None:
    links = http.parse_link(
        '<https://e.com/a,b>; rel="next", </p/1>; REL="Canonical alternate"; title="a, b; \\"c\\"";hreflang=de'
    )
    assert [link.target for link in links] == ["https://e.com/a,b", "/p/1"]
    assert links[0].rel == {"next"}
    assert links[1].rel == {"canonical", "alternate"}
    assert links[1].get("title") == 'a, b; "c"'
    assert links[1].get("hreflang") == "de"


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ('https://e.com/1; rel="canonical"', []),
        ('https://e.com/1; rel="canonical", </2>; rel=canonical', ["/2"]),
        ('x="a, </no>; rel=canonical", </2>', ["/2"]),
        ("<", []),
        ("< /1 >;rel=canonical", ["/1"]),
        ("</1>; rel=a rubbish, </2>", ["/1", "/2"]),
        ("", []),
    ],
)
def test_link_values_out_of_shape(value: str, found: list[str]) -> None:
    assert [link.target for link in http.parse_link(value)] == found


def test_only_the_first_rel_counts() -> None:
    (link,) = http.parse_link("</1>; rel=next; rel=canonical")
    assert link.rel == {"next"}


@pytest.mark.parametrize(
    ("value", "seconds", "url"),
    [
        ("0;url=/new", 0.0, "https://example.com/new"),
        ("0; URL='/new'", 0.0, "https://example.com/new"),
        ('5 , url = "c"', 5.0, "https://example.com/a/c"),
        ("0 /new", 0.0, "https://example.com/new"),
        ("0;/new", 0.0, "https://example.com/new"),
        (" 1.5;url=/new ", 1.5, "https://example.com/new"),
        (".5", 0.5, None),
        ("300", 300.0, None),
        ("0;url=", 0.0, PAGE),
        ("9" * 400, 1e9, None),
        ("0; url='/new'rest", 0.0, "https://example.com/new"),
    ],
)
def test_refresh(value: str, seconds: float, url: str | None) -> None:
    assert http.parse_refresh(value, PAGE) == Refresh(seconds, url)


@pytest.mark.parametrize(
    "value", ["", "url=/new", "x", "-1;url=/", "5x;url=/", "0;url=javascript:a()", "0;url=https://"]
)
def test_no_refresh(value: str) -> None:
    assert http.parse_refresh(value, PAGE) is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        ("Mon, 30 Nov 2026 12:01:00 GMT", 60),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0),
        ("soon", None),
        ("-1", None),
        ("١٢", None),
        ("9" * 30, None),
    ],
)
def test_retry_after(value: str, seconds: int | None) -> None:
    assert http.parse_retry_after(value, NOW) == seconds


def test_a_retry_after_counts_from_the_clock_that_wrote_it() -> None:
    until = "Mon, 30 Nov 2026 13:01:00 GMT"
    assert http.parse_retry_after(until, NOW, date="Mon, 30 Nov 2026 13:00:00 GMT") == 60
    assert http.parse_retry_after(until, NOW, date="no date") == 3_660


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("max-age=600", 600),
        ("no-cache, MAX-AGE = 5", 5),
        ('max-age="7"', 7),
        ("s-maxage=9", None),
        ("x-max-age=9", None),
    ],
)
def test_max_age(value: str, seconds: int | None) -> None:
    assert http.cache_control_max_age(value) == seconds


def test_http_date_is_lenient_where_the_meaning_is_plain() -> None:
    assert http.http_date("Mon, 30 Nov 2026 12:00:00 GMT") == NOW
    assert http.http_date("yesterday") is None


@given(st.text(alphabet=st.characters(max_codepoint=255)))
def test_nothing_raises(value: str) -> None:
    http.parse_link(value)
    http.parse_content_type(value)
    http.parse_refresh(value, PAGE)
    http.parse_retry_after(value, NOW)
    http.cache_control_max_age(value)
    http.int_header(value)


def test_links_of_a_header_flood_are_read_in_linear_time() -> None:
    flood = (
        '<a>;rel="' + "\\" * 50_000,
        "<" * 100_000,
        ";" * 100_000,
        '"' * 99_999,
        " " * 100_000,
        "<a>" * 40_000,
    )
    for value in flood:
        assert len(http.parse_link(value)) <= 40_000
