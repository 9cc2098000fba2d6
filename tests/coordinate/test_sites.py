"""SITE arguments: what they mean, which hosts they put into scope, who gets the headers."""

from __future__ import annotations

import pytest

from sitemap_audit.coordinate.sites import (
    is_bare_host,
    origins_of,
    private_sockets,
    read_site,
    scope_of,
    twin,
)
from sitemap_audit.errors import UsageError
from sitemap_audit.options import RunOptions


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("example.com", "https://example.com/"),
        ("http://example.com", "http://example.com/"),
        ("HTTPS://Example.COM:443/Map.xml", "https://example.com/Map.xml"),
        ("localhost:8080", "https://localhost:8080/"),
        ("bücher.example", "https://xn--bcher-kva.example/"),
        (" example.com ", "https://example.com/"),
    ],
)
def test_site_is_an_origin_a_bare_host_or_a_url(text: str, href: str) -> None:
    assert read_site(text).href == href


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "ftp://example.com",
        "javascript:alert(1)",
        "http://",
        "https://exa mple.com",
        "file:///etc/passwd",
    ],
)
def test_what_is_no_site_gives_one_clear_line(text: str) -> None:
    with pytest.raises(UsageError, match="SITE"):
        read_site(text)


def test_bare_host() -> None:
    assert is_bare_host("example.com")
    assert not is_bare_host("http://example.com")


@pytest.mark.parametrize(
    ("host", "other"),
    [
        ("example.com", "www.example.com"),
        ("www.example.com", "example.com"),
        ("localhost", None),
        ("127.0.0.1", None),
        ("[::1]", None),
    ],
)
def test_twin(host: str, other: str | None) -> None:
    assert twin(host) == other


def test_scope_holds_the_twin_and_what_is_named() -> None:
    scope = scope_of([read_site("https://example.com")], ["shop.example.com", "*.cdn.example"])
    assert scope == ("*.cdn.example", "example.com", "shop.example.com", "www.example.com")
    options = RunOptions(run_id="x", scope=scope)
    assert options.in_scope("a.cdn.example")
    assert not options.in_scope("cdn.example")
    assert not options.in_scope("evilexample.com")


@pytest.mark.parametrize("text", ["", "*", "a b", "https://example.com/x"])
def test_a_scope_that_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--scope"):
        scope_of([], [text])


def test_headers_go_to_the_origins_of_the_sites_alone() -> None:
    assert origins_of([read_site("https://example.com")]) == (
        "http://example.com",
        "http://www.example.com",
        "https://example.com",
        "https://www.example.com",
    )
    assert origins_of([read_site("http://127.0.0.1:8080")]) == ("http://127.0.0.1:8080",)


def test_a_private_site_admits_its_own_address_and_port() -> None:
    assert private_sockets([read_site("http://127.0.0.1:8080/")]) == ("127.0.0.1 8080",)
    assert private_sockets([read_site("http://93.184.216.34/")]) == ()
