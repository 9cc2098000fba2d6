"""Robots directives beyond the conformance cases: scopes, issues, sources, other crawlers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.facts import Directives
from sitemap_audit.formats.directives import Effective, effective, names_of, read_header, read_meta

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def meta(content: str, name: str = "robots", bot: str = "googlebot") -> Effective:
    return effective(bot, [read_meta(name, content)], NOW)


def header(*lines: str, bot: str = "googlebot") -> Effective:
    return effective(bot, [read_header(line) for line in lines], NOW)


@pytest.mark.parametrize(
    ("content", "issues"),
    [
        ("noindex, nofollow", set()),
        ("none", {"none"}),
        ("max-image-preview:none", set()),
        ("noindex nofollow", {"missing_comma"}),
        ("noindex; nofollow", {"missing_comma"}),
        ("noindex please", {"unknown"}),
        ("noindex nofollow please", {"missing_comma", "unknown"}),
        ("max-snippet: 50 noindex", {"missing_comma"}),
        ("max-snippet:x", {"unknown"}),
        ("noidex", {"unknown"}),
        ("noindexifembedded", {"unknown"}),
        ("noodp, noydir", {"obsolete"}),
        ("noarchive", {"obsolete"}),
        ("index, follow", {"redundant"}),
        ("ALL", {"redundant"}),
        ("index, follow, max-snippet:-1", set()),
        ("noindex, follow", set()),
        ("unavailable_after: someday", {"unknown"}),
        ("unavailable_after: 2030-01-01", set()),
        ("unavailable_after: 2030-01-01; noindex", {"missing_comma"}),
        ("", set()),
        (", ,", set()),
    ],
)
def test_issues(content: str, issues: set[str]) -> None:
    assert read_meta("robots", content).issues == issues
    assert read_header(content).issues == issues


def test_bing_still_reads_noarchive() -> None:
    assert read_meta("bingbot", "noarchive").issues == frozenset()
    assert meta("noarchive", bot="bingbot").directives.noarchive
    assert not meta("noarchive", bot="googlebot").directives.noarchive


@pytest.mark.parametrize(
    "content", ["noindex nofollow", "noindex;nofollow", "noindex ; , nofollow", "none foo, none"]
)
def test_the_safe_reading_of_a_missing_comma(content: str) -> None:
    found = meta(content).directives
    assert found.noindex
    assert found.nofollow


@pytest.mark.parametrize(
    ("line", "bot", "noindex"),
    [
        ("googlebot: noindex", "googlebot", True),
        ("googlebot: noindex", "bingbot", False),
        ("googlebot: noindex", "*", False),
        ("*: noindex", "*", True),
        ("otherbot: nofollow, noindex", "googlebot", False),
        ("otherbot: nofollow, googlebot: noindex", "googlebot", True),
        ("noindex, otherbot: nofollow", "googlebot", True),
        ("googlebot-image: noindex", "googlebot-image", True),
        ("googlebot-image: noindex", "googlebot", False),
        ("msnbot: noindex", "bingbot", True),
        ("max-snippet: 5, noindex", "googlebot", True),
        ("noindex max-snippet: 5", "googlebot", True),
        ("googlebot: unavailable_after: Mon, 30 Nov 2020 12:00:00 GMT, nofollow", "googlebot", True),
        ("googlebot: unavailable_after: Mon, 30 Nov 2020 12:00:00 GMT", "bingbot", False),
    ],
)
def test_scope_of_a_header_line(line: str, bot: str, noindex: bool) -> None:
    assert header(line, bot=bot).directives.noindex is noindex


def test_a_scope_ends_with_its_line() -> None:
    found = header("googlebot: nofollow", "noindex", bot="bingbot").directives
    assert (found.noindex, found.nofollow) == (True, False)


def test_where_noindex_comes_from() -> None:
    sources = [
        read_header("noindex"),
        read_header("googlebot: none"),
        read_header("bingbot: noindex"),
        read_meta("robots", "noindex"),
        read_meta("googlebot", "noindex, unavailable_after: 2020-01-01"),
        read_meta("robots", "none"),
    ]
    assert effective("googlebot", sources, NOW).noindex_sources == (
        "header",
        "header:googlebot",
        "meta:robots",
        "meta:googlebot",
        "unavailable_after",
    )
    assert effective("bingbot", sources, NOW).noindex_sources == ("header", "header:bingbot", "meta:robots")


def test_the_clock_decides_unavailable_after() -> None:
    content = "unavailable_after: 2026-11-30T12:00:00Z"
    assert meta(content).directives.noindex
    later = effective("googlebot", [read_meta("robots", content)], NOW.replace(hour=11)).directives
    assert (later.noindex, later.unavailable_after) == (False, NOW)


def test_the_earliest_date_counts() -> None:
    found = header(
        "unavailable_after: 2030-01-01", "unavailable_after: 2029-01-01", "unavailable_after: x"
    ).directives
    assert found.unavailable_after == datetime(2029, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("content", "directives"),
    [
        ("max-snippet:0", Directives(max_snippet=0, nosnippet=True)),
        ("max-snippet:-1, max-snippet:7", Directives(max_snippet=7)),
        ("max-snippet:-2", Directives()),
        ("max-snippet:999999999999", Directives(max_snippet=2_147_483_647)),
        ("max-snippet:٥", Directives()),
        ("max-video-preview : 5", Directives(max_video_preview=5)),
        ("max-image-preview:large, max-image-preview:none", Directives(max_image_preview="none")),
        ("indexifembedded", Directives()),
        ("indexifembedded, noindex", Directives(noindex=True, indexifembedded=True)),
        ("noimageindex,notranslate", Directives(noimageindex=True, notranslate=True)),
    ],
)
def test_values(content: str, directives: Directives) -> None:
    assert meta(content).directives == directives


@pytest.mark.parametrize(
    ("contents", "conflict"),
    [
        (("index, noindex",), True),
        (("index", "noindex"), True),
        (("all", "nofollow"), True),
        (("noindex, follow",), False),
        (("nosnippet, max-snippet:5",), True),
        (("nosnippet, max-snippet:0",), False),
        (("nosnippet",), False),
    ],
)
def test_conflicts(contents: tuple[str, ...], conflict: bool) -> None:
    assert effective("googlebot", [read_meta("robots", text) for text in contents], NOW).conflict is conflict


def test_names() -> None:
    assert names_of("*") == {"robots", "robot"}
    assert names_of("googlebot-image") == names_of("*")
    assert names_of("yandex") == {"robots", "robot", "yandex"}
    assert "googlebot" in names_of("googlebot-news")
    assert "googlebot-news" not in names_of("googlebot")
    assert not meta("noindex", name="googlebot-image", bot="googlebot-image").directives.noindex
    assert meta("noindex", name="yandex", bot="yandex").directives.noindex


def test_robot_is_no_documented_name_but_counts() -> None:
    assert meta("noindex", name="robot").directives.noindex
    assert read_meta("robot", "noindex").issues == {"unknown"}


@given(st.text(max_size=200), st.sampled_from(["googlebot", "bingbot", "*", "x", ""]))
def test_nothing_raises_and_index_lifts_nothing(text: str, bot: str) -> None:
    found = effective(
        bot, [read_meta("robots", text), read_header(text), read_meta("robots", "noindex")], NOW
    )
    assert found.directives.noindex


@given(
    st.lists(
        st.sampled_from(
            [
                "noindex",
                "none",
                "index",
                "follow",
                "nofollow",
                ":",
                ",",
                ";",
                " ",
                "googlebot",
                "x",
                "unavailable_after",
                "mon",
                "2020-01-01",
                "max-snippet",
                "7",
            ]
        )
    ).map("".join)
)
def test_soup_of_directives(text: str) -> None:
    for bot in ("googlebot", "*"):
        effective(bot, [read_meta("robots", text), read_header(text)], NOW)


@pytest.mark.parametrize(
    "flood", [" " * 50_000, "noindex " * 9_000, "unavailable_after:mon," * 3_000, ":" * 50_000, ";" * 50_000]
)
def test_floods_are_read_up_to_a_limit(flood: str) -> None:
    read_header(flood)
    assert len(read_meta("robots", flood).statements) <= 16_384
