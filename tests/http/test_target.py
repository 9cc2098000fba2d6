"""Which texts are fetched at all: WHATWG hrefs with http or https and without credentials."""

from __future__ import annotations

import ada_url
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.http.target import Target, read_target


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("https://example.com/", Target("https://example.com", "https", "example.com", 443, "example.com")),
        ("http://example.com/a?b=c", Target("http://example.com", "http", "example.com", 80, "example.com")),
        ("http://example.com:443/", Target("http://example.com:443", "http", "example.com", 443, "example.com")),
        ("http://h.example:8080/x", Target("http://h.example:8080", "http", "h.example", 8080, "h.example:8080")),
        ("http://[::1]:81/", Target("http://[::1]:81", "http", "[::1]", 81, "[::1]:81")),
        ("http://127.0.0.1/", Target("http://127.0.0.1", "http", "127.0.0.1", 80, "127.0.0.1")),
        ("https://xn--bcher-kva.example/%C3%BC", Target("https://xn--bcher-kva.example", "https", "xn--bcher-kva.example", 443, "xn--bcher-kva.example")),
        ("https://example.com/a/.well-known/%2e%2ex", Target("https://example.com", "https", "example.com", 443, "example.com")),
        ("https://example.com/it's?it%27s", Target("https://example.com", "https", "example.com", 443, "example.com")),
    ],
)  # fmt: skip
def test_hrefs_are_read(href: str, target: Target) -> None:
    assert read_target(href) == target


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "cannot be read"),
        ("example.com/", "cannot be read"),
        ("http://", "cannot be read"),
        ("http://[::1", "cannot be read"),
        ("file:///etc/passwd", "scheme is 'file'"),
        ("FILE:///etc/passwd", "scheme is 'file'"),
        ("ftp://example.com/", "scheme is 'ftp'"),
        ("data:text/html,x", "scheme is 'data'"),
        ("gopher://example.com/", "scheme is 'gopher'"),
        ("javascript:alert(1)", "scheme is 'javascript'"),
        ("jar:http://example.com/x.jar!/", "scheme is 'jar'"),
        ("s3://bucket/key", "scheme is 's3'"),
        ("fi\tle:///etc/passwd", "scheme is 'file'"),
        ("\nhttp://example.com/", "normal form"),
        ("http://user@example.com/", "user name"),
        ("http://:secret@example.com/", "user name"),
        ("https://example.com", "normal form"),
        ("HTTPS://example.com/", "normal form"),
        ("https://example.com:443/", "normal form"),
        ("https://Example.com/", "normal form"),
        ("https://example.com/a/../b", "normal form"),
        ("https://example.com/a/%2e%2E/b", "normal form"),
        ("https://example.com/a b", "normal form"),
        ("https://example.com/ü", "normal form"),
        ("https://example.com/?it's", "normal form"),
        ("https://bücher.example/", "normal form"),
        ("http://127.1/", "normal form"),
        ("http://2130706433/", "normal form"),
        ("http://example.com\\x", "normal form"),
    ],
)
def test_anything_else_is_refused_with_its_reason(text: str, reason: str) -> None:
    target = read_target(text)
    assert isinstance(target, str)
    assert reason in target


URL_TEXT = st.text(st.sampled_from("htps:/.@?#%2eE[]'\"\\ab0189-_~ \t\n\xfc"), max_size=40)


@given(st.sampled_from(["", "http://", "https://", "https://example.com/", "http://1.2.3.4:80"]), URL_TEXT)
def test_what_is_read_is_what_the_whatwg_parser_says(start: str, text: str) -> None:
    """The short way for plain paths must never say more than the parser does."""
    target = read_target(start + text)
    try:
        url = ada_url.URL(start + text)
    except ValueError:
        assert isinstance(target, str)
        return
    fetched = (
        url.href == start + text
        and url.protocol in ("http:", "https:")
        and not (url.username or url.password)
    )
    assert isinstance(target, Target) is fetched
    if isinstance(target, Target):
        assert (target.origin, target.host) == (url.origin, url.hostname)
        assert target.port == int(url.port or {"http": 80, "https": 443}[target.scheme])
