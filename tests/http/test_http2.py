"""HTTP/2: the same facts as over HTTP/1.1. A real server (nginx), and one that breaks the rules by hand."""

from __future__ import annotations

import shutil
import socket
import ssl
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sitemap_audit.facts import ErrorClass
from sitemap_audit.http import Answer, AsyncClient, Client, ClientOptions, Request
from sitemap_audit.options import Transport
from tests.http.conftest import drive
from tests.site.server import Site, authority, context_of

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
BODY = b"<title>two</title>" + b"x" * 200_000
CONFIG = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
  access_log {folder}/access.log;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  gzip on; gzip_types text/html; default_type text/html; proxy_buffering off;
  server {{
    listen 127.0.0.1:{port} ssl http2; server_name _; absolute_redirect off;
    ssl_certificate {folder}/site.pem; ssl_certificate_key {folder}/site.pem;
    root {folder}/files;
    location = /moved {{ return 301 /page.html; }}
    location = /gone {{ return 410; }}
    location = /twice {{ add_header X-Robots-Tag noindex; add_header X-Robots-Tag "bot: nofollow"; return 200 ok; }}
    location = /abrupt {{ return 444; }}
    location = /short-body {{ proxy_pass http://127.0.0.1:{upstream}; proxy_set_header Host truth.example; }}
    location = /echo {{ proxy_pass http://127.0.0.1:{upstream}; proxy_set_header Host truth.example; }}
  }}
}}
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


@pytest.fixture
def nginx(tmp_path: Path, truth: Site) -> Iterator[int]:
    """The port of a real server that speaks both versions, by ALPN."""
    if NGINX is None:
        pytest.skip("nginx is not installed here")
    certificate = authority().issue_cert("two.example")
    chain = b"".join(blob.bytes() for blob in certificate.cert_chain_pems)
    (tmp_path / "site.pem").write_bytes(certificate.private_key_pem.bytes() + chain)
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "page.html").write_bytes(BODY)
    port = free_port()
    config = CONFIG.format(folder=tmp_path, port=port, upstream=truth.http_port)
    (tmp_path / "nginx.conf").write_text(config)
    log = (tmp_path / "out").open("wb")
    server = subprocess.Popen([NGINX, "-p", str(tmp_path), "-c", "nginx.conf"], stdout=log, stderr=log)
    try:
        end = time.monotonic() + 10
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert server.poll() is None, (tmp_path / "out").read_text()
                assert time.monotonic() < end
                time.sleep(0.02)
        yield port
    finally:
        server.terminate()
        server.wait(10)
        log.close()


def options_for(port: int, truth: Site, *, http2: bool = True) -> ClientOptions:
    pin = f"two.example:443:127.0.0.1:{port}"
    return ClientOptions(
        transport=Transport(connect_to=(pin,), cacert=str(truth.ca_file), http2=http2, headers=("X-Key: k",)),
        origins=("https://two.example",),
    )


def ask(port: int, truth: Site, *paths: str, http2: bool = True, **changes: object) -> list[Answer]:
    client = Client(options_for(port, truth, http2=http2))
    requests = [replace(Request.page(f"https://two.example{path}"), **changes) for path in paths]  # type: ignore[arg-type]
    answers = drive(client, *requests)
    client.close()
    return answers


def test_both_versions_tell_the_same(nginx: int, truth: Site) -> None:
    paths = ("/page.html", "/moved", "/gone", "/twice", "/missing")
    second, first = (ask(nginx, truth, *paths, http2=http2) for http2 in (True, False))
    assert {a.http_version for a in second} == {"2"}
    assert {a.http_version for a in first} == {"1.1"}
    for two, one in zip(second, first, strict=True):
        assert (two.status, two.body, two.complete, two.error_class) == (
            one.status,
            one.body,
            True,
            None,
        )
        kept = [
            (name, value)
            for name, value in one.headers
            if name not in ("connection", "transfer-encoding", "date")
        ]
        assert [(name, value) for name, value in two.headers if name != "date"] == kept
    assert [a.status for a in second] == [200, 301, 410, 200, 404]
    assert (second[0].body, second[0].content_encoding) == (BODY, "gzip")
    assert second[1].header("location") == "/page.html"
    tags = [value for name, value in second[3].headers if name == "x-robots-tag"]
    assert tags == ["noindex", "bot: nofollow"]
    assert all(a.tls is not None and a.tls.ok and a.ip == "127.0.0.1" for a in second)


def test_one_connection_carries_them_all(nginx: int, truth: Site) -> None:
    client = Client(options_for(nginx, truth))
    drive(client, Request.page("https://two.example/page.html"))
    answers = drive(client, *(Request.page(f"https://two.example/page.html?{n}") for n in range(50)))
    client.close()
    assert {(a.status, a.http_version, a.connect_ms, a.tls_ms) for a in answers} == {(200, "2", None, None)}


def test_what_is_sent_over_http2(nginx: int, truth: Site) -> None:
    truth.log.clear()
    ask(nginx, truth, "/echo")
    (seen,) = truth.requests(path="/echo")
    assert {name for name, _ in seen.headers} - {"host", "connection"} == {
        "user-agent",
        "accept",
        "accept-encoding",
        "x-key",
    }


def test_streams_that_end_without_their_end(nginx: int, truth: Site) -> None:
    cut, abrupt, after = ask(nginx, truth, "/short-body", "/abrupt", "/page.html")
    assert (cut.status, cut.body, cut.complete) == (200, b"only this", False)
    assert cut.error_class is ErrorClass.RESET
    assert (abrupt.status, abrupt.error_class) == (None, ErrorClass.RESET)
    assert (after.status, after.complete) == (200, True)


def test_limits_hold(nginx: int, truth: Site) -> None:
    (cut,) = ask(nginx, truth, "/page.html", max_bytes=1_000)
    assert (cut.status, len(cut.body), cut.truncated, cut.error_class) == (200, 1_000, True, None)


async def test_a_stream_over_http2(nginx: int, truth: Site) -> None:
    async with AsyncClient(options_for(nginx, truth)) as client:
        stream = await client.open(Request.sitemap("https://two.example/page.html"))
        assert b"".join([piece async for piece in stream]) == BODY
        assert (stream.answer.http_version, stream.answer.complete) == ("2", True)


# --- a server that breaks the rules ------------------------------------------------------------

SETTINGS, HEADERS, DATA, RST, GOAWAY, CONTINUATION = 0x4, 0x1, 0x0, 0x3, 0x7, 0x9
END_STREAM, END_HEADERS = 0x1, 0x4


def frame(kind: int, flags: int, payload: bytes, stream: int = 1) -> bytes:
    """RFC 9113, 4.1."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def field(name: bytes, value: bytes) -> bytes:
    """A literal without indexing and without Huffman (RFC 7541, 6.2.2); lengths below 127."""
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


OK = field(b":status", b"200") + field(b"content-type", b"text/html")
ANSWERS: dict[str, list[bytes]] = {
    "good": [frame(HEADERS, END_HEADERS, OK), frame(DATA, END_STREAM, b"ok")],
    "reset in the body": [
        frame(HEADERS, END_HEADERS, OK),
        frame(DATA, 0, b"half"),
        frame(RST, 0, struct.pack(">I", 2)),
    ],
    "short of its length": [
        frame(HEADERS, END_HEADERS, OK + field(b"content-length", b"9")),
        frame(DATA, END_STREAM, b"half"),
    ],
    "refused": [frame(GOAWAY, 0, struct.pack(">II", 0, 11), stream=0)],
    "nul in a value": [
        frame(HEADERS, END_HEADERS, OK + field(b"x-a", b"a\0b")),
        frame(DATA, END_STREAM, b"ok"),
    ],
    "line break in a value": [
        frame(HEADERS, END_HEADERS, OK + field(b"x-a", b"a\r\nx-robots-tag: noindex")),
        frame(DATA, END_STREAM, b"ok"),
    ],
    "upper case name": [
        frame(HEADERS, END_HEADERS, OK + field(b"X-A", b"a")),
        frame(DATA, END_STREAM, b"ok"),
    ],
    "no status": [frame(HEADERS, END_HEADERS, field(b"x-a", b"a")), frame(DATA, END_STREAM, b"ok")],
    "endless continuation": [
        frame(HEADERS, 0, OK),
        *(frame(CONTINUATION, 0, field(b"x-%d" % n, b"v" * 100) * 100) for n in range(200)),
    ],
    "garbage": [b"\xff" * 5_000],
}


@pytest.fixture
def breaking(truth: Site) -> Iterator[Callable[[str], Answer]]:
    """The answer to one request when the server sends these frames for it, and then nothing."""
    context = context_of(authority().issue_cert("two.example"))
    context.set_alpn_protocols(["h2"])
    listener = socket.create_server(("127.0.0.1", 0))
    replies: list[list[bytes]] = []

    def serve() -> None:
        while True:
            try:
                raw, _ = listener.accept()
            except OSError:
                return
            try:
                with context.wrap_socket(raw, server_side=True) as peer:
                    peer.sendall(frame(SETTINGS, 0, b"", stream=0))
                    got = b""
                    while (
                        b"\x01\x05" not in got and b"\x01\x25" not in got
                    ):  # HEADERS with its end, maybe a priority
                        data = peer.recv(65_536)
                        got += data
                        if not data:
                            break
                    peer.sendall(frame(SETTINGS, 0x1, b"", stream=0) + b"".join(replies[-1]))
                    while peer.recv(65_536):
                        pass
            except (OSError, ssl.SSLError):
                continue

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()

    def answer(name: str) -> Answer:
        replies.append(ANSWERS[name])
        (got,) = ask(listener.getsockname()[1], truth, "/", timeout_s=3.0)
        return got

    yield answer
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join(5)


@pytest.mark.parametrize(
    ("name", "status", "body", "error"),
    [
        ("good", 200, b"ok", None),
        ("reset in the body", 200, b"half", ErrorClass.RESET),
        ("short of its length", 200, b"half", ErrorClass.RESET),
        ("refused", None, b"", ErrorClass.RESET),
        # nghttp2 drops a header whose value cannot be one (RFC 9113, 8.2.1), so it cannot be kept as sent
        ("nul in a value", 200, b"ok", None),
        ("line break in a value", 200, b"ok", None),
        ("upper case name", 200, b"", ErrorClass.BAD_HTTP),
        ("no status", None, b"", ErrorClass.BAD_HTTP),
        ("endless continuation", 200, b"", ErrorClass.TOO_LARGE),
        ("garbage", None, b"", ErrorClass.BAD_HTTP),
    ],
)
def test_a_server_that_breaks_the_rules(
    breaking: Callable[[str], Answer],
    name: str,
    status: int | None,
    body: bytes,
    error: ErrorClass | None,
) -> None:
    answer = breaking(name)
    assert (answer.status, answer.body) == (status, body), answer
    assert answer.error_class is error, answer
    assert answer.complete is (error is None)
    assert answer.header("x-robots-tag") is None
