"""URLs: the WHATWG form and the key (definition 1)."""

from __future__ import annotations

import ada_url
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitemap_audit.formats.urls import (
    had_user_info,
    is_normal,
    pace_host,
    parse_url,
    url_id,
    url_key,
    url_number,
)

BASE = "https://shop.example/a/b?q#f"

URL_TEXT = st.lists(
    st.sampled_from(
        [
            "http",
            "https",
            "HTTPS",
            ":",
            "//",
            "/",
            "\\",
            "?",
            "#",
            "@",
            "a",
            "B",
            "shop",
            ".",
            "..",
            "example",
            "%",
            "%4",
            "%41",
            "%7e",
            "%2f",
            "%2E",
            "%37",
            "E",
            "é",
            "xn--",
            ":80",
            ":443",
            ":8080",
            "[::1]",
            "1",
            "0x7f",
            "127.1",
            " ",
            "\t",
            "\n",
            "|",
            "'",
            "{",
            "+",
            "&",
            "=",
            "~",
            "\ud800",
            "-",
            "_",
        ]
    ),
    max_size=14,
).map("".join)
ABSOLUTE = URL_TEXT.map(lambda tail: "https://shop.example/" + tail)


def key(text: str) -> str:
    url = parse_url(text)
    assert url is not None
    return url.key


@pytest.mark.parametrize(
    ("text", "href", "same_key"),
    [
        (" https://Shop.Example:443/a \n", "https://shop.example/a", True),
        ("http://shop.example:80", "http://shop.example/", True),
        ("https://shop.example/a/./b/../c", "https://shop.example/a/c", True),
        ("https://shop.example/%2e%2E/c", "https://shop.example/c", True),
        ("https://us\ter:pw@shop.example/a#frag", "https://shop.example/a", True),
        ("https://żółw.example/", "https://xn--w-uga1v8h.example/", True),
        ("http://127.1/", "http://127.0.0.1/", True),
        ("https:\\\\shop.example\\a", "https://shop.example/a", True),
        ("https://shop.example/a?", "https://shop.example/a?", True),
        ("https://shop.example/é?é", "https://shop.example/%C3%A9?%C3%A9", True),
        ("https://shop.example/%7Ejoe%2f", "https://shop.example/%7Ejoe%2f", False),
        ("https://shop.example/\ud800", "https://shop.example/%EF%BF%BD", True),
    ],
)
def test_what_is_requested(text: str, href: str, same_key: bool) -> None:
    url = parse_url(text)
    assert url is not None
    assert url.href == href
    assert (url.key == href) is same_key


@pytest.mark.parametrize(
    "text",
    [
        "",
        "mailto:a@b.example",
        "javascript:void(0)",
        "ftp://shop.example/",
        "file:///etc/passwd",
        "/relative",
        "https://",
        "https://sh op.example/",
        "http://shop.example:99999/",
        "data:,x",
        "blob:https://a.example/x",
    ],
)
def test_what_is_no_http_url(text: str) -> None:
    assert parse_url(text) is None


def test_relative_values_are_resolved() -> None:
    found = [parse_url(text, BASE) for text in ("c", "/c", "?x", "", "//other.example")]
    assert [url and url.href for url in found] == [
        "https://shop.example/a/c",
        "https://shop.example/c",
        "https://shop.example/a/b?x",
        "https://shop.example/a/b?q",
        "https://other.example/",
    ]
    assert parse_url("c", "no base") is None
    assert parse_url("mailto:a@b.example", BASE) is None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("https://shop.example/%7ejoe", "https://shop.example/~joe"),
        ("https://shop.example/%c5%bc", "https://shop.example/ż"),
        ("https://shop.example/a%2fb", "https://shop.example/a%2Fb"),
        ("https://shop.example/a#x", "https://shop.example/a#y"),
        ("HTTPS://USER@SHOP.example:443", "https://shop.example/"),
        ("https://shop.example/?a=%41", "https://shop.example/?a=A"),
    ],
)
def test_two_spellings_of_one_url(a: str, b: str) -> None:
    assert key(a) == key(b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("https://shop.example/a", "http://shop.example/a"),
        ("https://shop.example/a", "https://www.shop.example/a"),
        ("https://shop.example/a", "https://shop.example/a/"),
        ("https://shop.example/a", "https://shop.example/A"),
        ("https://shop.example/a", "https://shop.example/a?"),
        ("https://shop.example/?a=1&b=2", "https://shop.example/?b=2&a=1"),
        ("https://shop.example/a%2Fb", "https://shop.example/a/b"),
        ("https://shop.example/%2541", "https://shop.example/%41"),
        ("https://shop.example/%%37E", "https://shop.example/~"),
    ],
)
def test_two_urls(a: str, b: str) -> None:
    assert key(a) != key(b)


def test_parts() -> None:
    url = parse_url("http://[2001:DB8::1]:8080/x")
    assert url is not None
    assert (url.scheme, url.host, url.port, url.origin) == (
        "http",
        "[2001:db8::1]",
        8080,
        "http://[2001:db8::1]:8080",
    )
    assert pace_host(url) == "[2001:db8::1]:8080"
    plain = parse_url("https://[::1]/")
    assert plain is not None
    assert (plain.host, plain.port, plain.origin, pace_host(plain)) == (
        "[::1]",
        443,
        "https://[::1]",
        "[::1]",
    )


def test_one_rate_for_both_schemes_and_another_for_another_port() -> None:
    texts = (
        "http://shop.example/",
        "https://shop.example/",
        "https://shop.example:80/",
        "http://shop.example:81/",
    )
    hosts = [pace_host(url) for url in map(parse_url, texts) if url]
    assert hosts == ["shop.example", "shop.example", "shop.example", "shop.example:81"]


def test_id_of_a_key() -> None:
    # The first eight bytes of SHA-256, as sha256sum prints them.
    assert url_id("https://shop.example/") == "0ebceea5fcc8e4fb"
    assert url_number("https://shop.example/") == 0x0EBCEEA5FCC8E4FB


@pytest.mark.parametrize("text", ["https://u@shop.example/", "https://u:p@shop.example", "//u@shop.example/"])
def test_user_info_is_seen(text: str) -> None:
    assert had_user_info(text)


@pytest.mark.parametrize(
    "text", ["https://shop.example/@u", "https://shop.example/?a@b", "mailto:u@shop.example", "@"]
)
def test_no_user_info(text: str) -> None:
    assert not had_user_info(text)


@given(ABSOLUTE | URL_TEXT | st.text(max_size=40))
@example("https://shop.example/%%37E")
@example("https://shop.example/%%%333337E")
@example("https://shop.example/%4%31")
def test_the_key_of_a_key_is_the_key(text: str) -> None:
    url = parse_url(text)
    if url is not None:
        assert url_key(url.key) == url.key
        again = parse_url(url.key)
        assert again is not None
        assert (again.key, again.origin) == (url.key, url.origin)


@given(ABSOLUTE | URL_TEXT)
@example("https://shop.example/a/.hidden")
@example("https://xn--a.example/")
@example("https://1.2.3.example/a//b")
@example("https://a..b.example/")
def test_the_short_way_gives_what_ada_gives(text: str) -> None:
    url = parse_url(text)
    try:
        href = ada_url.normalize_url(text)
    except ValueError:
        assert url is None or "\ud800" in text
        return
    if not href.startswith(("http://", "https://")):
        assert url is None
    elif "@" not in href:
        assert url is not None
        assert url.href == href.partition("#")[0]


@given(st.text(), st.none() | st.text())
def test_nothing_raises(text: str, base: str | None) -> None:
    parse_url(text, base)
    had_user_info(text)
    url_id(url_key(text).encode("utf-8", "replace").decode())


def test_a_long_text_is_no_trouble() -> None:
    long = "https://shop.example/" + "a" * 100_000
    assert key(long) == long


NORMAL_TEXT = st.lists(
    st.sampled_from(
        [
            "shop",
            "example",
            ".",
            "..",
            "a",
            "B",
            "1",
            "-",
            "_",
            "~",
            "/",
            "//",
            "/.",
            "?",
            "&",
            "=",
            ":",
            "@",
            "+",
            "%",
            "%41",
            "xn--",
            ":80",
            "é",
            "#",
            "!$()*,",
            "com",
            "127.0.0.1",
            "\\",
            "|",
            "'",
            "^",
        ]
    ),
    max_size=12,
).map("".join)


@given(st.sampled_from(["http://", "https://", "http:/", "HTTPS://"]), NORMAL_TEXT, NORMAL_TEXT)
@example("https://", "shop.example/", "a//b/?q=/x:y@z")
@example("https://", "xn--a.example/", "")
@example("https://", "shop.example/", "a/../b")
@example("https://", "shop.example/", "a?b=/../c")
def test_what_looks_normal_is_its_own_href_and_key(scheme: str, host: str, rest: str) -> None:
    text = scheme + host + rest
    if is_normal(text):
        assert ada_url.normalize_url(text) == text == url_key(text)
        url = parse_url(text)
        assert url is not None
        assert url.href == url.key == text


def test_the_usual_url_looks_normal() -> None:
    assert is_normal("https://www.shop.example/a/b-c_d.html?x=1&y=2")
    assert not is_normal("https://shop.example/a%20b")
    assert not is_normal("https://shop.example")
