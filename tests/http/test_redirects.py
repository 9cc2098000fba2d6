"""Chains of redirects: pure cases first, then the truth site."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import ada_url
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.facts import ErrorClass, HopKind
from sitemap_audit.http import Answer, Chain, ChainEnd, RefreshTo
from sitemap_audit.http.redirects import resolve_location, without_user_info
from sitemap_audit.settings import LOCATION_MAX_CHARS, PAGE_MAX_HOPS, ROBOTS_MAX_HOPS
from tests.http.conftest import HOST, Get
from tests.site.server import Site

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BASE = "https://example.com/a/b?c"


def answer(
    url: str, status: int | None, location: str | None = None, error: ErrorClass | None = None
) -> Answer:
    headers = () if location is None else (("location", location),)
    return Answer(url, status, headers, error_class=error, total_ms=7, started_at=NOW, ended_at=NOW)


def walk(start: str, steps: Sequence[tuple[int, str | None]], max_hops: int = 10) -> Chain:
    chain = Chain(start, max_hops)
    for status, location in steps:
        if not chain.feed(answer(chain.url, status, location)):
            break
    return chain


@pytest.mark.parametrize(
    ("raw", "href"),
    [
        ("https://other.example/x", "https://other.example/x"),
        ("/x", "https://example.com/x"),
        ("x", "https://example.com/a/x"),
        ("../x", "https://example.com/x"),
        ("./", "https://example.com/a/"),
        ("?q", "https://example.com/a/b?q"),
        ("//other.example/x", "https://other.example/x"),
        ("\\\\other.example\\x", "https://other.example/x"),
        ("https:/x", "https://example.com/x"),
        ("#part", BASE),
        ("/x#part", "https://example.com/x"),
        ("  /x\t", "https://example.com/x"),
        ("/a b", "https://example.com/a%20b"),
        ("/a\tb", "https://example.com/ab"),
        ("HTTPS://EXAMPLE.com:443/X", "https://example.com/X"),
        ("/caf\u00c3\u00a9", "https://example.com/caf%C3%A9"),  # UTF-8 seen as latin-1
        ("/caf\u00e9", "https://example.com/caf%E9"),  # latin-1 itself
        ("/caf\u00e9?\u20ac", "https://example.com/caf%C3%A9?%E2%82%AC"),  # no header text: characters
        ("https://b\u00c3\u00bccher.example/", "https://xn--bcher-kva.example/"),
        ("https://user:pass@other.example/", "https://other.example/"),
        ("//user@other.example/", "https://other.example/"),
        ("/%2e%2e/x", "https://example.com/x"),
        ("/x%00", "https://example.com/x%00"),
        ("http://127.1/", "http://127.0.0.1/"),
        ("", None),
        (" \t ", None),
        ("http://[::1", None),
        ("http://", None),
        ("https://exa mple.com/", None),
        ("http://a.example:99999/", None),
        ("file:///etc/passwd", None),
        ("FiLe:///etc/passwd", None),
        ("fi\tle:///etc/passwd", None),
        ("javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("mailto:a@example.com", None),
        ("ftp://example.com/", None),
        ("view-source:https://example.com/", None),
        ("/" + "a" * LOCATION_MAX_CHARS, None),
    ],
)
def test_locations(raw: str, href: str | None) -> None:
    assert resolve_location(raw, BASE) == href


@given(st.text(st.characters(max_codepoint=0xFF), max_size=60))
def test_any_location_gives_an_href_or_nothing(raw: str) -> None:
    href = resolve_location(raw, BASE)
    if href is not None:
        url = ada_url.URL(href)
        assert url.href == href
        assert (url.username, url.password, url.hash) == ("", "", "")
        assert url.protocol in ("http:", "https:")


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("https://user:pass@example.com/a@b", "https://example.com/a@b"),
        ("//u@h/", "//h/"),
        (" HTTPS:\\\\u:p@h\\", " HTTPS:\\\\h\\"),
        ("https://a:b@c@h/", "https://h/"),
        ("/a@b", "/a@b"),
        ("mailto:a@b", "mailto:a@b"),
        ("https://h/?m=a@b", "https://h/?m=a@b"),
    ],
)
def test_credentials_are_not_kept(raw: str, shown: str) -> None:
    assert without_user_info(raw) == shown


def test_no_redirect() -> None:
    for status in (200, 204, 300, 304, 305, 306, 404, 500, 101, 999, None):
        chain = walk(BASE, [(status or 0, "/elsewhere")] if status else [])
        if status is None:
            assert chain.feed(answer(BASE, None, error=ErrorClass.DNS)) is False
        assert (chain.end, chain.hops, chain.followed, chain.flags) == (ChainEnd.ANSWER, [], 0, ())
        assert chain.final is not None
        assert chain.final.status == status


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_each_redirect_status(status: int) -> None:
    chain = walk(BASE, [(status, "/x"), (200, None)])
    (hop,) = chain.hops
    assert (hop.n, hop.url, hop.status, hop.kind) == (1, BASE, status, HopKind.HTTP)
    assert (hop.location_raw, hop.location, hop.ms) == ("/x", "https://example.com/x", 7)
    assert (chain.end, chain.followed, chain.url) == (ChainEnd.ANSWER, 1, "https://example.com/x")
    assert chain.flags == (("temporary",) if status in (302, 303, 307) else ())


def test_the_longest_chain_and_one_more() -> None:
    ten = [(301, f"/{n}") for n in range(10)]
    fits = walk(BASE, [*ten, (200, None)])
    assert (fits.end, fits.followed, len(fits.hops), fits.flags) == (ChainEnd.ANSWER, 10, 10, ())
    over = walk(BASE, [*ten, (301, "/one-more"), (200, None)])
    assert (over.end, over.followed, len(over.hops)) == (ChainEnd.TOO_LONG, 10, 11)
    assert over.flags == ("too_long",)
    assert over.final is not None
    assert over.final.status == 301
    assert over.hops[-1].location == "https://example.com/one-more"


@pytest.mark.parametrize(
    ("steps", "hops"),
    [
        ([(301, BASE)], 1),
        ([(301, "#x")], 1),
        ([(301, "/x"), (301, "/a/b?c")], 2),
        ([(301, "/x"), (301, "/y"), (302, "/x")], 3),
    ],
)
def test_loops(steps: list[tuple[int, str]], hops: int) -> None:
    chain = walk(BASE, steps)
    assert chain.end is ChainEnd.LOOP
    assert (len(chain.hops), chain.followed) == (hops, hops - 1)
    assert "loop" in chain.flags


@pytest.mark.parametrize("location", [None, "", "http://[", "file:///etc/passwd", "javascript:1"])
def test_nowhere_to_go(location: str | None) -> None:
    chain = walk(BASE, [(301, location)])
    assert (chain.end, chain.followed, chain.flags) == (ChainEnd.BAD_LOCATION, 0, ("bad_location",))
    assert (chain.hops[0].location_raw, chain.hops[0].location) == (location, None)


@pytest.mark.parametrize(
    ("start", "locations", "flags"),
    [
        ("https://a.example/x", ["https://www.a.example/x"], {"cross_host"}),
        ("https://a.example/x", ["https://b.example/", "https://a.example/y"], set()),
        ("https://a.example/x", ["http://a.example/x"], {"downgrade"}),
        ("https://a.example/x", ["http://a.example/x", "https://a.example/y"], {"downgrade"}),
        ("http://a.example/x", ["https://a.example/x"], set()),
        ("https://a.example/x", ["/"], {"to_root"}),
        ("https://a.example/x", ["https://b.example/"], {"to_root", "cross_host"}),
        ("https://a.example/x", ["/?from=x"], set()),
        ("https://a.example/", ["https://b.example/"], {"cross_host"}),
        ("https://a.example/?x", ["/"], set()),
    ],
)
def test_where_it_led(start: str, locations: list[str], flags: set[str]) -> None:
    chain = walk(start, [*((301, location) for location in locations), (200, None)])
    assert set(chain.flags) == flags


def test_a_broken_head_points_nowhere_a_broken_body_is_no_matter() -> None:
    head = Chain(BASE, 10)
    assert not head.feed(answer(BASE, 301, "/x", ErrorClass.BAD_HTTP))
    assert head.end is ChainEnd.BAD_LOCATION
    body = Chain(BASE, 10)
    assert body.feed(answer(BASE, 301, "/x", ErrorClass.RESET))
    assert body.url == "https://example.com/x"


def test_the_driver_may_stop_and_note_what_robots_says() -> None:
    chain = Chain(BASE, 10)
    assert chain.feed(answer(BASE, 301, "/x"))
    chain.judge_target(False)
    chain.stop()
    assert (chain.end, chain.followed, chain.hops[0].robots_allowed) == (ChainEnd.STOPPED, 0, False)
    chain.stop()
    assert chain.followed == 0


def test_refreshes_are_hops_of_their_own_kind() -> None:
    chain = Chain(BASE, 10)
    target = RefreshTo(HopKind.META_REFRESH, 0.0, "https://example.com/x", "/x")
    assert chain.feed(answer(BASE, 200), target)
    assert (chain.hops[0].kind, chain.hops[0].status, chain.hops[0].location_raw) == (
        HopKind.META_REFRESH,
        200,
        "/x",
    )
    late = RefreshTo(HopKind.REFRESH_HEADER, 5.0, "https://example.com/y")
    assert chain.feed(answer(chain.url, 200), late)
    assert chain.flags == ("temporary",)
    to_itself = RefreshTo(HopKind.META_REFRESH, 0.0, chain.url)
    assert not chain.feed(answer(chain.url, 200), to_itself)
    assert chain.end is ChainEnd.ANSWER


def follow(get: Get, path: str, max_hops: int = PAGE_MAX_HOPS) -> Chain:
    chain = Chain(f"http://{HOST}{path}", max_hops)
    while chain.feed(get(chain.url)):
        pass
    return chain


@pytest.mark.parametrize(
    ("path", "end", "last", "flags"),
    [
        ("/moved", ChainEnd.ANSWER, "/", ("to_root",)),
        ("/permanent", ChainEnd.ANSWER, "/", ("to_root",)),
        ("/found", ChainEnd.ANSWER, "/", ("to_root", "temporary")),
        ("/see-other", ChainEnd.ANSWER, "/", ("to_root", "temporary")),
        ("/temporary", ChainEnd.ANSWER, "/", ("to_root", "temporary")),
        ("/choices", ChainEnd.ANSWER, "/choices", ()),
        ("/not-modified", ChainEnd.ANSWER, "/not-modified", ()),
        ("/deep/relative", ChainEnd.ANSWER, "/gzip", ()),
        ("/to-query", ChainEnd.LOOP, "/to-query?a=1", ("loop",)),
        ("/to-fragment", ChainEnd.ANSWER, "/gzip", ()),
        ("/to-own-fragment", ChainEnd.LOOP, "/to-own-fragment", ("loop",)),
        ("/to-utf-8", ChainEnd.ANSWER, "/caf%C3%A9?q=%C3%BC", ()),
        ("/to-latin-1", ChainEnd.ANSWER, "/caf%E9", ()),
        ("/to-blanks", ChainEnd.ANSWER, "/a%20b", ()),
        ("/to-empty", ChainEnd.BAD_LOCATION, "/to-empty", ("bad_location",)),
        ("/to-nowhere", ChainEnd.BAD_LOCATION, "/to-nowhere", ("bad_location",)),
        ("/to-nonsense", ChainEnd.BAD_LOCATION, "/to-nonsense", ("bad_location",)),
        ("/to-file", ChainEnd.BAD_LOCATION, "/to-file", ("bad_location",)),
        ("/to-javascript", ChainEnd.BAD_LOCATION, "/to-javascript", ("bad_location",)),
        ("/to-mail", ChainEnd.BAD_LOCATION, "/to-mail", ("bad_location",)),
        ("/to-data", ChainEnd.BAD_LOCATION, "/to-data", ("bad_location",)),
        ("/to-long", ChainEnd.BAD_LOCATION, "/to-long", ("bad_location",)),
        ("/to-two", ChainEnd.BAD_LOCATION, "/to-two", ("bad_location",)),
        ("/to-self", ChainEnd.LOOP, "/to-self", ("loop",)),
        ("/loop-a", ChainEnd.LOOP, "/loop-b", ("loop", "temporary")),
        ("/redirect-with-body", ChainEnd.ANSWER, "/", ("to_root",)),
        ("/redirect-short-body", ChainEnd.ANSWER, "/", ("to_root",)),
        ("/chain/10", ChainEnd.ANSWER, "/", ("to_root",)),
        ("/chain/11", ChainEnd.TOO_LONG, "/chain/1", ("too_long", "to_root")),
    ],
)
def test_on_the_truth_site(get: Get, path: str, end: ChainEnd, last: str, flags: tuple[str, ...]) -> None:
    chain = follow(get, path)
    assert (chain.end, chain.url, chain.flags) == (end, f"http://{HOST}{last}", flags)


@pytest.mark.parametrize(
    ("path", "last"),
    [
        ("/to-protocol-relative", "http://other.example/x"),
        ("/to-backslash", "http://other.example/x"),
        ("/to-other-host", "https://other.example/"),
        ("/to-user-info", "https://other.example/"),
        ("/to-idn", "https://xn--bcher-kva.example/"),
    ],
)
def test_to_other_hosts(get: Get, path: str, last: str) -> None:
    chain = follow(get, path)
    assert (chain.end, chain.url) == (ChainEnd.ANSWER, last)
    assert "cross_host" in chain.flags
    assert "secret" not in repr(chain.hops)


def test_robots_take_five_hops(get: Get) -> None:
    assert follow(get, "/chain/5", ROBOTS_MAX_HOPS).end is ChainEnd.ANSWER
    assert follow(get, "/chain/6", ROBOTS_MAX_HOPS).end is ChainEnd.TOO_LONG


def test_a_redirect_to_a_private_address_ends_at_the_guard(get: Get, truth: Site) -> None:
    chain = Chain(f"http://{HOST}/to-private", PAGE_MAX_HOPS)
    assert chain.feed(get(chain.url))
    assert chain.url == "http://10.0.0.1/"


def test_downgrade_over_tls(get: Get) -> None:
    chain = Chain(f"https://{HOST}/to-http", PAGE_MAX_HOPS)
    while chain.feed(get(chain.url)):
        pass
    assert set(chain.flags) == {"downgrade", "to_root"}


def test_cookies_are_noticed_and_not_sent_back(get: Get, truth: Site) -> None:
    chain = follow(get, "/to-self-with-cookie")
    assert (chain.end, chain.hops[0].set_cookie) == (ChainEnd.LOOP, True)
    assert all(seen.header("cookie") is None for seen in truth.log)
