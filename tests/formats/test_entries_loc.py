"""Addresses of entries: what is wrong with them, what is kept of them."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.formats.entries_loc import Place, private_host
from sitemap_audit.formats.sitemap_problems import without_user_info
from sitemap_audit.formats.sitemap_rows import RawAlternate, RawEntry, RawExtension, RawMore
from sitemap_audit.formats.urls import parse_url
from sitemap_audit.settings import LOC_MAX_CHARS
from tests.formats.entry_building import FILE, Built, entry


@pytest.mark.parametrize(
    ("loc", "issues"),
    [
        ("https://example.com/maps/a", ()),
        ("https://example.com/maps/", ()),
        ("https://example.com/maps/a?id=5&page=2", ()),
        ("https://example.com/maps/a%20b%C3%BC", ()),
        ("https://EXAMPLE.com/maps/a", ()),
        ("https://example.com:443/maps/a", ()),
        ("https://example.com/maps/(a)~'b'!;v=1", ()),
        # relative
        ("a.html", ("relative",)),
        ("//example.com/maps/a", ("relative",)),
        ("/maps/a", ("relative",)),
        ("/a", ("relative", "outside_directory")),
        # invalid
        ("javascript:void(0)", ("invalid",)),
        ("mailto:a@example.com", ("invalid",)),
        ("ftp://example.com/a", ("invalid",)),
        ("file:///etc/passwd", ("invalid",)),
        ("https://example.com:99999/", ("invalid",)),
        ("https://", ("invalid",)),
        ("https://exa mple.com/", ("invalid", "not_encoded")),
        ("https://example.com/maps/a\nb", ("invalid", "not_encoded")),
        # too long
        ("https://example.com/maps/" + "a" * (LOC_MAX_CHARS - 26), ()),
        ("https://example.com/maps/" + "a" * (LOC_MAX_CHARS - 25), ("too_long",)),
        ("https://example.com/maps/?" + "%20" * 800, ("too_long",)),
        # not encoded
        ("https://example.com/maps/ü", ("not_encoded",)),
        ("https://example.com/maps/a b", ("not_encoded",)),
        ("https://example.com/maps/a|b", ("not_encoded",)),
        ("https://example.com/maps/{a}", ("not_encoded",)),
        ("https://example.com/maps/a\u00a0", ("not_encoded",)),
        # double escaped
        ("https://example.com/maps/a?x=1&amp;y=2", ("double_escaped",)),
        ("https://example.com/maps/a?x=1&#38;y=2", ("double_escaped", "fragment")),
        ("https://example.com/maps/a%2520b", ("double_escaped",)),
        ("https://example.com/maps/a%25C3%25BC", ("double_escaped",)),
        ("https://example.com/maps/100%25", ()),
        ("https://example.com/maps/a%2541", ()),
        # fragment
        ("https://example.com/maps/#top", ("fragment",)),
        # session
        ("https://example.com/maps/a;jsessionid=8A3F", ("session",)),
        ("https://example.com/maps/a?PHPSESSID=1", ("session",)),
        ("https://example.com/maps/a?sid=0123456789abcdef", ("session",)),
        ("https://example.com/maps/a?sid=12", ()),
        ("https://example.com/maps/a?sid=0123456789abcdefgh", ()),
        ("https://example.com/maps/a?residence=0123456789abcdef", ()),
        # tracking
        ("https://example.com/maps/a?utm_source=x", ("tracking",)),
        ("https://example.com/maps/a?b=1&gclid=x", ("tracking",)),
        ("https://example.com/maps/a?ref=x", ("tracking",)),
        ("https://example.com/maps/a?xref=1&preference=2", ()),
        ("https://example.com/maps/utm_source=x", ()),
        # white space
        (" https://example.com/maps/a\n", ("whitespace",)),
        # hosts and scopes
        ("https://www.example.com/maps/a", ("other_host",)),
        ("http://example.com/maps/a", ("other_scheme",)),
        ("https://example.com:8443/maps/a", ("other_scheme",)),
        ("https://example.com/shop/a", ("outside_directory",)),
        ("https://example.com/mapsa", ("outside_directory",)),
        ("https://example.com/maps/../a", ("outside_directory",)),
        ("http://example.com/a", ("other_scheme", "outside_directory")),
        ("http://localhost:3000/a", ("private_host", "other_host")),
        ("http://192.168.1.1/a", ("private_host", "other_host")),
        ("http://127.1/", ("private_host", "other_host")),
        ("https://8.8.8.8/", ("other_host",)),
    ],
)
def test_loc_issues(loc: str, issues: tuple[str, ...]) -> None:
    assert entry(loc).loc_issues == issues


@pytest.mark.parametrize("loc", [None, "", "  \n"])
def test_a_missing_loc(loc: str | None) -> None:
    built = entry(loc)
    assert built.loc_issues == ("missing",)
    assert built.loc is built.url_key is built.url_id is None
    assert built.loc_raw != ""


def test_two_locs() -> None:
    assert entry("https://example.com/maps/a", more=RawMore(locs=2)).loc_issues == ("twice",)
    assert entry(None, more=RawMore(locs=2)).loc_issues == ("missing", "twice")


def test_a_cut_loc_is_no_address() -> None:
    built = entry("https://example.com/maps/" + "a" * 8_000, more=RawMore(loc_cut=True))
    assert built.loc is None
    assert built.loc_issues == ("too_long",)


def test_issues_of_the_scheme_leave_no_address() -> None:
    assert entry("javascript:void(0)").loc is None
    assert entry("a.html").loc == "https://example.com/maps/a.html"
    assert entry("https://example.com/maps/a#b").loc == "https://example.com/maps/a"


def test_the_files_own_private_host_is_no_issue() -> None:
    assert entry("http://127.0.0.1:8000/a", "http://127.0.0.1:8000/sitemap.xml").loc_issues == ()


@pytest.mark.parametrize(
    ("host", "private"),
    [
        ("localhost", True),
        ("intranet", True),
        ("a.local", True),
        ("a.test", True),
        ("a.internal.", True),
        ("10.0.0.1", True),
        ("[::1]", True),
        ("[fd00::1]", True),
        ("169.254.169.254", True),
        ("100.64.0.1", True),
        ("example.com", False),
        ("8.8.8.8", False),
        ("[2606:4700::1]", False),
        ("localhost.example.com", False),
        ("example.c0m1", False),
    ],
)
def test_private_hosts(host: str, private: bool) -> None:
    assert private_host(host) is private


def test_user_info_is_never_kept() -> None:
    built = Built()
    row = RawEntry(
        1,
        "https://user:secret@example.com/maps/a",
        more=RawMore(
            images=[RawExtension("image", 1, {"loc": "https://u:secret@example.com/i.png"})],
            guid="https://u:secret@example.com/",
        ),
        alternates=[RawAlternate(1, "alternate", "de", "https://u:secret@example.com/de")],
    )
    (first,) = built.build(row)
    (second,) = built.build(RawEntry(2, "https://user:secret@example.com/maps/a"))
    assert b"secret" not in orjson.dumps([first, second, built.log.facts()])
    assert first.loc == second.loc == "https://example.com/maps/a"
    assert "loc-user-info" in built.log


@pytest.mark.parametrize(
    "text", ["https://example.com/@user/a", "mail a@b.example", "https://example.com/?q=a@b", "a@b"]
)
def test_an_at_sign_elsewhere_stays(text: str) -> None:
    assert without_user_info(text) == text


PATHS = st.text(alphabet="abcXYZ019-._~!$&()*+,;=:@/?%#'\\|^ é", max_size=30)


@given(PATHS, st.sampled_from(["https://example.com/", "https://example.com", "https://example.com/maps/"]))
def test_plain_addresses_are_what_the_parser_says(path: str, start: str) -> None:
    url = parse_url(FILE)
    assert url is not None
    text = start + path
    if Place.of(url).is_plain(text):
        parsed = parse_url(text)
        assert parsed is not None
        assert (parsed.href, parsed.key, parsed.origin) == (text, text, "https://example.com")


@given(st.text(max_size=60), st.sampled_from(["", "https://example.com/", "http://", "//", "https://user@"]))
def test_never_raises(tail: str, start: str) -> None:
    built = Built()
    text = start + tail
    built.build(
        RawEntry(
            1,
            text,
            text,
            text,
            text,
            [RawAlternate(1, "alternate", text, text), RawAlternate(1, text, text, None)],
            None,
        ),
        RawEntry(
            1,
            text,
            text,
            more=RawMore(base=text, resolvable=False, images=[RawExtension("image", 1, {"loc": text})]),
        ),
    )
