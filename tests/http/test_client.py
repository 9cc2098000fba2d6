"""The synchronous client against the truth site: one behaviour of a server, one line."""

from __future__ import annotations

import gc
import os
import socket
from dataclasses import replace

import orjson
import pytest

from sitemap_audit.errors import UsageError
from sitemap_audit.facts import ErrorClass
from sitemap_audit.http import Answer, Client, ClientOptions, Request
from sitemap_audit.options import RunOptions, Transport
from tests.http.conftest import HOST, Get, drive
from tests.site.server import Reply, Site, serve
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


def test_the_header_of_the_user_goes_to_exact_origins_only(truth: Site) -> None:
    """Scheme, host and port must be those of a SITE: decided anew for each request, so for each hop too."""
    options = ClientOptions(
        transport=replace(truth.transport, headers=("Authorization: Bearer secret", "X-Name: käse")),
        origins=("https://site.example", f"http://other.example:{truth.http_port}"),
        allow_private=("127.0.0.0/8",),
    )
    with_it = ["https://site.example/echo"]
    without = [
        "http://site.example/echo",
        "https://www.site.example/echo",
        "https://site.example.evil.example/echo",
        "https://evilsite.example/echo",
        "http://other.example/echo",
    ]
    client = Client(options)
    answers = drive(client, *map(Request.page, with_it + without + with_it))
    client.close()
    told = [dict(orjson.loads(a.body)["headers"]) for a in answers]
    assert [t.get("authorization") for t in told] == ["Bearer secret", *[None] * 5, "Bearer secret"]
    assert told[0]["x-name"] == "käse".encode().decode("latin-1")
    assert all(t["accept-encoding"] == "gzip" for t in told)


def test_header_lines_of_a_request(get: Get) -> None:
    told = dict(
        orjson.loads(get("/echo", headers=('If-None-Match: "caf\xe9\r\nX-Evil: 1"',)).body)["headers"]
    )
    assert told["if-none-match"] == '"caf\xe9  X-Evil: 1"'
    assert "x-evil" not in told
    assert "if-none-match" not in dict(orjson.loads(get("/echo").body)["headers"])


@pytest.mark.parametrize("line", ["X: a\r\nY: b", "X: a\nb", "X: \0"])
def test_header_lines_that_would_break_out_are_refused(line: str) -> None:
    with pytest.raises(UsageError, match="line break"):
        Client(ClientOptions(transport=Transport(headers=(line,))))
    with pytest.raises(UsageError, match="line break"):
        Client(ClientOptions(user_agent=line))


def test_the_proxy_of_the_environment_is_not_used(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert get("/").status == 200


def test_the_options_of_a_run() -> None:
    run = RunOptions(
        run_id="r",
        user_agent="x/1",
        origins=("https://a.example",),
        allow_private=("10.0.0.0/8",),
        allow_sockets=("::1 80",),
    )
    transport = Transport(connect_to=("::127.0.0.1:1",))
    options = ClientOptions.of_run(run, transport)
    assert options == ClientOptions(
        user_agent="x/1",
        transport=transport,
        origins=("https://a.example",),
        allow_private=("10.0.0.0/8",),
        allow_sockets=("::1 80",),
    )


def test_connections_are_kept_over_rounds() -> None:
    with serve({"*": {"*": Reply.html("ok")}}) as site:
        client = Client(ClientOptions(transport=site.transport))
        for _ in range(5):
            answers = drive(client, *[Request.page(f"http://a.example/{n}") for n in range(4)])
            assert {a.status for a in answers} == {200}
        assert site.connections <= 4
        assert answers[0].connect_ms is None
        client.close()


def test_a_cap_on_the_connections_of_a_host() -> None:
    """Each host by itself; the requests that wait begin in their order as others end."""
    with serve({"*": {"*": Reply(200, b"ok", wait_s=0.02)}}) as site:
        client = Client(ClientOptions(transport=site.transport))
        order: list[str] = []

        def done(answer: Answer) -> None:
            assert answer.status == 200
            order.append(answer.url)

        urls = [f"http://{host}.example/{n}" for n in range(12) for host in "ab"]
        for url in urls:
            client.start(Request.page(url), done, 3 if "a.example" in url else 1)
        assert client.active == 24
        while client.active:
            client.drive(1.0)
        client.close()
        assert len({seen.connection for seen in site.requests("a.example")}) == 3
        assert len({seen.connection for seen in site.requests("b.example")}) == 1
        assert [url for url in order if "b.example" in url] == [url for url in urls if "b.example" in url]


def test_ports_80_and_443_are_one_host_other_ports_are_another() -> None:
    with serve({"*": {"*": Reply(200, b"ok", wait_s=0.05)}}) as site:
        pins = (*site.connect_to, f":81:127.0.0.1:{site.http_port}")
        client = Client(ClientOptions(transport=replace(site.transport, connect_to=pins)))
        order: list[str] = []
        for url in ("http://a.example/", "https://a.example/", "http://a.example:81/"):
            client.start(Request.page(url), lambda answer: order.append(answer.url), 1)
        while client.active:
            client.drive(1.0)
        client.close()
        assert order[2] == "https://a.example/"  # it waited for port 80, port 81 did not


def test_cancel(client: Client, truth: Site) -> None:
    got: list[Answer] = []
    urls = [f"http://{HOST}/silent?cancel={n}" for n in range(3)]
    transfers = [client.start(Request.page(url), got.append, 2) for url in urls]
    invalid = client.start(Request.page("nonsense"), got.append)
    assert client.active == 4
    while not truth.requests(path="/silent?cancel=0"):
        client.drive(0.1)
    for transfer in [*transfers, invalid]:
        client.cancel(transfer)
        client.cancel(transfer)
    assert client.active == 0
    client.drive(0.0)
    assert [a.url for a in got] == ["nonsense"] * (len(got) > 0)
    assert drive(client, Request.page(f"http://{HOST}/?after-cancel"))[0].status == 200


def test_a_cancelled_place_goes_to_the_next(client: Client) -> None:
    got: list[Answer] = []
    first = client.start(Request.page(f"http://{HOST}/silent"), got.append, 1)
    client.start(Request.page(f"http://{HOST}/?next"), got.append, 1)
    client.drive(0.01)
    client.cancel(first)
    while client.active:
        client.drive(1.0)
    assert [a.url for a in got] == [f"http://{HOST}/?next"]


def test_done_may_start_the_next(client: Client) -> None:
    seen: list[str] = []

    def done(answer: Answer) -> None:
        seen.append(answer.url)
        if len(seen) < 5:
            client.start(Request.page(f"http://{HOST}/?turn={len(seen)}"), done)

    client.start(Request.page(f"http://{HOST}/?turn=0"), done)
    while client.active:
        client.drive(1.0)
    assert seen == [f"http://{HOST}/?turn={n}" for n in range(5)]


def test_an_error_in_done_loses_no_other_answer(client: Client) -> None:
    got: list[Answer] = []

    def fail(_: Answer) -> None:
        raise ZeroDivisionError

    client.start(Request.page("nonsense"), fail)
    client.start(Request.page("more nonsense"), got.append)
    with pytest.raises(ZeroDivisionError):
        client.drive(0.0)
    client.drive(0.0)
    assert [a.url for a in got] == ["more nonsense"]


def test_drive_waits_without_work_and_not_with_answers(client: Client) -> None:
    client.drive(0.0)
    got: list[Answer] = []
    client.start(Request.page("nonsense"), got.append)
    client.drive(60.0)
    assert len(got) == 1


def test_a_closed_client(options: ClientOptions) -> None:
    client = Client(options)
    transfer = client.start(Request.page(f"http://{HOST}/silent"), lambda _: None)
    client.drive(0.01)
    client.close()
    client.close()
    client.cancel(transfer)
    assert client.active == 0
    with pytest.raises(RuntimeError, match="closed"):
        client.start(Request.page(f"http://{HOST}/"), lambda _: None)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted in /proc")
def test_no_files_are_left_open() -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(2):
        with serve({"*": {"*": Reply.html("ok")}}) as site:
            client = Client(ClientOptions(transport=site.transport))
            drive(client, *[Request.page(f"http://a.example/{n}") for n in range(20)])
            client.close()
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= before
