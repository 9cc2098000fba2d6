"""Time and size: slow peers in each phase, bombs, floods. Limits are shortened by the request."""

from __future__ import annotations

import os
import resource
import socket
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from sitemap_audit.facts import ErrorClass
from sitemap_audit.http import Answer, Client, ClientOptions, Request
from sitemap_audit.settings import PAGE_MAX_BYTES
from tests.http.conftest import HOST, Get, drive
from tests.site.truth import bomb, members_bomb

MIB = 1 << 20


def test_slow_peers_in_each_phase(client: Client) -> None:
    """Silence or one octet a half second: all end by the least rate, all at the same time."""
    phases = {
        "/silent": (None, b"", "before the first byte"),
        "/drip-status": (None, b"", "before the first byte"),
        "/silent-in-headers": (200, b"", "in the headers"),
        "/drip-headers": (200, b"", "in the headers"),
        "/silent-in-body": (200, b"only this", "in the body"),
        "/drip-body": (200, None, "in the body"),
        "/chunked-cut": (200, b"one hal", "in the body"),
    }
    began = time.monotonic()
    requests = [replace(Request.page(f"http://{HOST}{path}"), slow_s=1.0) for path in phases]
    answers = drive(client, *requests)
    assert 1.0 <= time.monotonic() - began < 5.0
    for answer, (path, (status, body, words)) in zip(answers, phases.items(), strict=True):
        assert (answer.status, answer.error_class) == (status, ErrorClass.TIMEOUT), path
        assert body is None or answer.body == body
        assert not answer.complete
        assert answer.error_detail is not None
        assert words in answer.error_detail, (path, answer.error_detail)


def test_the_whole_request_has_a_limit_too(get: Get) -> None:
    answer = get("/drip-body", timeout_s=0.3, min_bytes_per_s=0)
    assert (answer.status, answer.error_class) == (200, ErrorClass.TIMEOUT)
    assert 250 <= answer.total_ms < 3_000


@pytest.fixture
def full_backlog() -> Iterator[int]:
    """A port that answers no SYN: its queue of connections is full."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        port = listener.getsockname()[1]
        waiting = []
        for _ in range(4):
            peer = socket.socket()
            peer.setblocking(False)
            peer.connect_ex(("127.0.0.1", port))
            waiting.append(peer)
        yield port
        for peer in waiting:
            peer.close()


def test_a_connection_that_is_not_accepted(full_backlog: int) -> None:
    client = Client(ClientOptions(allow_sockets=(f"127.0.0.1 {full_backlog}",)))
    request = replace(Request.page(f"http://127.0.0.1:{full_backlog}/"), connect_timeout_s=0.3)
    (answer,) = drive(client, request)
    client.close()
    assert (answer.status, answer.error_class) == (None, ErrorClass.TIMEOUT)
    assert answer.error_detail is not None
    assert answer.error_detail == "over 0.3 s while connecting"


def test_a_handshake_that_does_not_go_on() -> None:
    """The peer accepts and says nothing: TLS has a limit of its own."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        client = Client(ClientOptions(allow_sockets=(f"127.0.0.1 {port}",)))
        request = replace(Request.page(f"https://127.0.0.1:{port}/"), tls_timeout_s=0.3)
        (answer,) = drive(client, request)
        client.close()
    assert (answer.status, answer.error_class) == (None, ErrorClass.TIMEOUT)
    assert answer.error_detail is not None
    assert answer.error_detail == "over 0.3 s in the TLS handshake"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_first_byte_has_a_limit_of_its_own(get: Get, scheme: str) -> None:
    """Over a new connection and over a kept one, whatever the least rate and the whole request allow."""
    for path in ("/silent", "/", "/silent"):
        answer = get(f"{scheme}://{HOST}{path}?first-byte", first_byte_timeout_s=0.3)
        if path == "/":
            assert (answer.status, answer.error_class) == (200, None)
        else:
            assert (answer.status, answer.error_class) == (None, ErrorClass.TIMEOUT)
            assert answer.error_detail == "over 0.3 s before the first byte of the answer"
            assert 250 <= answer.total_ms < 2_000


def test_the_first_byte_of_a_slow_body_is_no_matter(get: Get) -> None:
    answer = get("/drip-body", first_byte_timeout_s=0.2, timeout_s=0.7, min_bytes_per_s=0)
    assert (answer.status, answer.error_class) == (200, ErrorClass.TIMEOUT)
    assert answer.error_detail is not None
    assert "(in the body)" in answer.error_detail


def resident() -> int:
    """Octets of memory that this process holds."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read in /proc")
@pytest.mark.parametrize("path", ["/bomb", "/bomb-members"])
def test_a_gibibyte_of_zeros_is_stopped(client: Client, path: str) -> None:
    bomb(), members_bomb()  # made before the memory is looked at
    drive(client, Request.page(f"http://{HOST}/?warm"))
    before, peak = resident(), 0
    got: list[Answer] = []
    began = time.process_time()
    client.start(Request.page(f"http://{HOST}{path}"), got.append)
    while client.active:
        client.drive(0.05)
        peak = max(peak, resident())
    assert time.process_time() - began < 1.0
    assert peak - before < 32 * MIB
    (answer,) = got
    assert (answer.status, answer.truncated, answer.complete) == (200, True, False)
    assert answer.error_class is None
    assert len(answer.body) == PAGE_MAX_BYTES
    assert answer.bytes_wire < MIB
