"""What becomes of each behaviour of a server: the truth site, one line a path."""

from __future__ import annotations

import socket

import orjson
import pytest

from sitemap_audit.facts import ErrorClass
from sitemap_audit.http import Client, ClientOptions, Request
from tests.http.conftest import HOST, Get, drive
from tests.site.server import Site
from tests.site.truth import GZIPPED, PAGE

BAD = ErrorClass.BAD_HTTP
CODING = ErrorClass.CONTENT_ENCODING


def test_a_page(get: Get) -> None:
    answer = get("/?first")
    assert (answer.status, answer.body, answer.bytes_wire) == (200, PAGE, len(PAGE))
    assert (answer.complete, answer.truncated, answer.error_class, answer.error_detail) == (
        True,
        False,
        None,
        None,
    )
    assert answer.headers == (
        ("content-type", "text/html; charset=utf-8"),
        ("content-length", str(len(PAGE))),
    )
    assert answer.header("content-type") == "text/html; charset=utf-8"
    assert answer.header("etag") is None
    assert (answer.ip, answer.http_version, answer.tls, answer.tls_ms) == ("127.0.0.1", "1.1", None, None)
    assert answer.dns_ms is None or answer.dns_ms < 1000
    assert answer.ttfb_ms is None or answer.ttfb_ms <= answer.total_ms
    assert answer.started_at.utcoffset() is not None
    assert answer.started_at <= answer.ended_at


@pytest.mark.parametrize(
    "status", [200, 201, 204, 205, 304, 400, 401, 403, 404, 410, 429, 451, 500, 503, 599]
)
def test_statuses(get: Get, status: int) -> None:
    answer = get(f"/status/{status}")
    assert (answer.status, answer.complete, answer.error_class) == (status, True, None)


@pytest.mark.parametrize(
    "path",
    [
        "/gzip",
        "/x-gzip",
        "/deflate",
        "/deflate-bare",
        "/identity",
        "/gzip-members",
        "/gzip-padded",
        "/gzip-slow",
    ],
)
def test_codings_that_are_undone(get: Get, path: str) -> None:
    answer = get(path)
    assert (answer.body, answer.complete, answer.error_class) == (PAGE, True, None)


def test_the_coding_and_both_sizes_are_told(get: Get) -> None:
    answer = get("/gzip")
    assert (answer.content_encoding, answer.bytes_wire, len(answer.body)) == ("gzip", len(GZIPPED), len(PAGE))


@pytest.mark.parametrize(
    ("path", "status", "body", "error", "words"),
    [
        # codings
        ("/br", 200, b"", CODING, "'br' was not asked for"),
        ("/zstd", 200, b"", CODING, "'zstd' was not asked for"),
        ("/gzip-twice", 200, b"", CODING, "'gzip, gzip' was not asked for"),
        ("/gzip-claimed", 200, b"", CODING, "the body starts with b'<!doctype html><'"),
        ("/gzip-cut", 200, None, CODING, "ends early"),
        ("/gzip-crc", 200, None, CODING, "cannot be decoded as gzip"),
        ("/gzip-garbled", 200, None, CODING, "cannot be decoded as gzip"),
        ("/gzip-empty", 200, b"", None, ""),
        ("/gzip-redirect", 301, b"", None, ""),
        # bodies
        ("/short-body", 200, b"only this", ErrorClass.RESET, "91 bytes missing"),
        ("/until-close", 200, b"until the end", None, ""),
        ("/chunked", 200, b"one two three", None, ""),
        ("/chunked-trailers", 200, b"body", None, ""),
        ("/chunked-closed", 200, b"one hal", ErrorClass.RESET, "in the body, after 7 bytes"),
        ("/chunked-bad", 200, b"one ", BAD, "chunk"),
        ("/two-lengths", 200, b"ok", None, ""),
        ("/unlike-lengths", 200, b"", BAD, "Content-Length"),
        ("/reset-in-body", 200, b"only this", ErrorClass.RESET, "in the body, after 9 bytes"),
        # breaks
        ("/close-at-once", None, b"", ErrorClass.RESET, "before the first byte"),
        ("/reset-at-once", None, b"", ErrorClass.RESET, "before the first byte"),
        ("/reset-in-headers", 200, b"", ErrorClass.RESET, "in the headers"),
        # header lines
        ("/no-colon", 200, b"", BAD, "colon"),
        ("/nul", 200, b"", BAD, "NUL"),
        ("/bare-lf", 200, b"ok", None, ""),
        ("/flood-lines", 200, b"", ErrorClass.TOO_LARGE, "500 lines"),
        ("/flood-bytes", 200, b"", ErrorClass.TOO_LARGE, "262144 bytes"),
        ("/long-line", 200, b"", ErrorClass.TOO_LARGE, "longer than libcurl reads"),
        # status lines and interim answers
        ("/http-1.0", 200, b"ok", None, ""),
        ("/no-reason", 200, b"ok", None, ""),
        ("/status-999", 999, b"ok", None, ""),
        ("/status-odd", None, b"", BAD, ""),
        ("/http-0.9", None, b"", BAD, "HTTP/0.9"),
        ("/not-http", None, b"", BAD, "HTTP/0.9"),
        ("/interim", 200, b"ok", None, ""),
        ("/interim-only", None, b"", ErrorClass.RESET, ""),
        ("/interim-flood", None, b"", ErrorClass.TOO_LARGE, "500 lines"),
        ("/redirect-with-body", 301, PAGE, None, ""),
        ("/redirect-short-body", 301, b"short", ErrorClass.RESET, "95 bytes missing"),
        ("/late", 200, b"late", None, ""),
    ],
)
def test_behaviours(
    get: Get, path: str, status: int | None, body: bytes | None, error: ErrorClass | None, words: str
) -> None:
    answer = get(path)
    assert (answer.status, answer.error_class) == (status, error), answer.error_detail
    assert body is None or answer.body == body
    assert answer.complete is (error is None)
    assert not answer.truncated
    if error is None:
        assert answer.error_detail is None
    else:
        assert answer.error_detail
        assert words in answer.error_detail
        assert len(answer.error_detail) <= 300
        assert answer.error_detail.isprintable()


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (
            "/repeated",
            [
                ("x-robots-tag", "noindex"),
                ("x-robots-tag", "googlebot: nofollow"),
                ("link", '<https://example.com/a>; rel="canonical"'),
                ("x-mixed", "kept"),
                ("link", "</b>; rel=alternate; hreflang=de"),
                ("content-length", "2"),
            ],
        ),
        ("/latin-1", [("content-length", "2"), ("x-name", "café"), ("x-nbsp", "\xa0a\xa0")]),
        ("/odd-name", [("content-length", "2"), ("bad header", "x"), ("x-robots-tag", "noindex")]),
        ("/folded", [("content-length", "2"), ("x-long", "one, two, three"), ("x-next", "n")]),
        ("/bare-lf", [("content-length", "2"), ("x-robots-tag", "noindex")]),
        ("/empty-value", [("content-length", "2"), ("x-robots-tag", "")]),
        ("/two-lengths", [("content-length", "2"), ("content-length", "2")]),
        ("/interim", [("content-length", "2"), ("x-final", "yes")]),
        ("/interim-only", []),
        ("/chunked-trailers", [("transfer-encoding", "chunked")]),
    ],
)
def test_header_lines_are_kept_as_sent(get: Get, path: str, headers: list[tuple[str, str]]) -> None:
    assert list(get(path).headers) == headers


def test_cookies_are_noticed_and_never_sent(get: Get) -> None:
    assert get("/cookie").set_cookie
    assert not get("/repeated").set_cookie
    sent = {name for name, _ in orjson.loads(get("/echo").body)["headers"]}
    assert sent == {"host", "user-agent", "accept", "accept-encoding"}


def test_what_is_sent(get: Get) -> None:
    told = orjson.loads(get("/echo?a=/../b&c=%2e%2e").body)
    assert told["method"] == "GET"
    assert told["path"] == "/echo?a=/../b&c=%2e%2e"
    headers = dict(told["headers"])
    assert headers["host"] == HOST
    assert headers["accept-encoding"] == "gzip"
    assert headers["user-agent"].startswith("sitemap-audit/")


@pytest.mark.parametrize(
    ("size", "limit", "truncated"),
    [(1_000, 1_001, False), (1_000, 1_000, False), (1_000, 999, True), (0, 0, False)],
)
@pytest.mark.parametrize("kind", ["body", "body-gzip"])
def test_the_limit_of_the_body(get: Get, kind: str, size: int, limit: int, truncated: bool) -> None:
    answer = get(f"/{kind}/{size}", max_bytes=limit)
    assert (len(answer.body), answer.truncated, answer.complete) == (
        min(size, limit),
        truncated,
        not truncated,
    )
    assert (answer.status, answer.error_class, answer.error_detail) == (200, None, None)


def test_an_endless_body_is_cut(get: Get) -> None:
    answer = get("/endless", max_bytes=300_000)
    assert (len(answer.body), answer.truncated, answer.error_class) == (300_000, True, None)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.com/",
        "http://user:secret@truth.example/",
        "http://truth.example/a b",
        "https://truth.example",
        "nonsense",
        "",
        "http://truth.example/\n",
        "http://truth.example/\0",
        "http://truth.example/\udc80",
    ],
)
def test_what_is_no_href_is_an_answer_too(get: Get, truth: Site, url: str) -> None:
    before = truth.connections
    client_answer = get(url) if "://" in url else None
    if client_answer is None:
        client = Client(ClientOptions())
        (client_answer,) = drive(client, Request.page(url))
        client.close()
    assert client_answer.error_class is ErrorClass.INVALID_URL
    assert client_answer.error_detail
    assert client_answer.status is None
    assert truth.connections == before


def test_a_name_that_cannot_be_resolved() -> None:
    """A label beyond 63 octets fails in the resolver itself: no question leaves the machine."""
    name = "a" * 70 + ".example"
    client = Client(ClientOptions())
    (answer,) = drive(client, Request.page(f"http://{name}/"))
    client.close()
    assert (answer.error_class, answer.status, answer.ip) == (ErrorClass.DNS, None, None)
    assert answer.error_detail is not None
    assert name in answer.error_detail


def test_a_refused_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    client = Client(ClientOptions(allow_sockets=(f"127.0.0.1 {port}",)))
    (answer,) = drive(client, Request.page(f"http://127.0.0.1:{port}/"))
    client.close()
    assert (answer.error_class, answer.status) == (ErrorClass.CONNECT, None)
