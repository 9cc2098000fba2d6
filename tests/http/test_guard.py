"""The address guard: nothing that is not public is connected to, however it is spelled or resolved.

No test here can leave the machine: sockets are stubbed, or the addresses are of 127.0.0.0/8.
"""

from __future__ import annotations

import itertools
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from ipaddress import ip_address

import ada_url
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.errors import UsageError
from sitemap_audit.facts import ErrorClass
from sitemap_audit.http import Client, ClientOptions, Guard, Request
from sitemap_audit.http.libcurl import pycurl
from sitemap_audit.http.target import Target
from sitemap_audit.http.transfer import Exchange, Sink
from sitemap_audit.options import Transport
from tests.http.conftest import drive
from tests.http.spellings import SPELLINGS
from tests.site.server import Site

PUBLIC = (
    "8.8.8.8",
    "1.1.1.1",
    "93.184.216.34",
    "192.0.1.1",
    "172.32.0.1",
    "100.63.255.255",
    "2606:4700::1111",
    "2a00:1450:4001::200e",
)


@pytest.fixture
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """Whatever would be opened is noted and refused."""
    opened: list[tuple[object, ...]] = []

    def refuse(*arguments: object) -> socket.socket:
        opened.append(arguments)
        raise OSError("no sockets in this test")

    monkeypatch.setattr("sitemap_audit.http.transfer._Socket", refuse)
    return opened


def test_there_are_enough_spellings() -> None:
    assert len(set(SPELLINGS)) >= 60


def test_no_spelling_opens_a_socket(no_sockets: list[tuple[object, ...]]) -> None:
    client = Client(ClientOptions())
    urls = [ada_url.URL(f"{scheme}://{host}/x").href for host in SPELLINGS for scheme in ("http", "https")]
    answers = drive(client, *(Request.page(url) for url in urls))
    client.close()
    assert no_sockets == []
    for answer in answers:
        assert answer.error_class is ErrorClass.PRIVATE_HOST, answer
        assert answer.error_detail is not None
        assert "is not a public address" in answer.error_detail
        assert answer.status is None


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_pass(address: str) -> None:
    assert Guard(ClientOptions()).may_connect(address, 443) is None


def test_a_public_address_would_be_connected(no_sockets: list[tuple[object, ...]]) -> None:
    """The stub of these tests sees what the guard lets through."""
    client = Client(ClientOptions())
    (answer,) = drive(client, Request.page("http://8.8.8.8/"))
    client.close()
    assert no_sockets
    assert answer.error_class is ErrorClass.CONNECT


@given(st.integers(0, 2**32 - 1))
def test_ipv4_is_judged_the_same_in_all_its_embeddings(number: int) -> None:
    guard = Guard(ClientOptions())
    plain = guard.may_connect(str(ip_address(number)), 80)
    assert guard.may_connect(f"::ffff:{number >> 16:x}:{number & 0xFFFF:x}", 80) == plain
    assert guard.may_connect(f"::ffff:0:{number >> 16:x}:{number & 0xFFFF:x}", 80) == plain
    assert guard.may_connect(f"64:ff9b::{number >> 16:x}:{number & 0xFFFF:x}", 80) is not None
    if not ip_address(number).is_global:
        assert plain is not None


@given(st.ip_addresses(v=6))
def test_of_ipv6_only_global_unicast_passes(address: object) -> None:
    if Guard(ClientOptions()).may_connect(str(address), 80) is None:
        parsed = ip_address(str(address))
        assert parsed.is_global
        mapped = str(parsed).startswith("::ffff:")
        assert mapped or int(parsed) >> 125 == 1


@given(st.text(max_size=20), st.integers(-1, 70_000))
def test_nothing_but_addresses(text: str, port: int) -> None:
    reason = Guard(ClientOptions()).may_connect(text, port)
    assert reason is None or reason


@pytest.mark.parametrize("port", [21, 22, 25, 53, 6379, 8080, 11211])
def test_ports_are_those_of_the_web_and_of_the_sites(port: int) -> None:
    reason = Guard(ClientOptions()).may_connect("8.8.8.8", port)
    assert reason is not None
    assert f"port {port}" in reason
    site = ClientOptions(origins=(f"https://example.com:{port}", "http://example.com"))
    assert Guard(site).may_connect("8.8.8.8", port) is None
    assert Guard(site).may_connect("10.0.0.1", port) is not None


def test_the_ports_of_origins_with_ipv6_hosts() -> None:
    guard = Guard(ClientOptions(origins=("http://[2001:db8::1]:8000", "http://[2001:db8::1]")))
    assert guard.may_connect("8.8.8.8", 8000) is None
    assert guard.may_connect("8.8.8.8", 1) is not None


def test_allow_private() -> None:
    guard = Guard(ClientOptions(allow_private=("10.0.0.0/8", "fd00::/8", "127.0.0.5")))
    assert guard.may_connect("10.1.2.3", 80) is None
    assert guard.may_connect("::ffff:10.1.2.3", 443) is None
    assert guard.may_connect("fd12::1", 80) is None
    assert guard.may_connect("127.0.0.5", 80) is None
    assert guard.may_connect("127.0.0.6", 80) is not None
    assert guard.may_connect("192.168.0.1", 80) is not None
    assert guard.may_connect("10.1.2.3", 6379) is not None


def test_a_site_that_is_private_admits_its_own_socket_only() -> None:
    guard = Guard(ClientOptions(allow_sockets=("127.0.0.1 8000", "::1 8000")))
    assert guard.may_connect("127.0.0.1", 8000) is None
    assert guard.may_connect("::1", 8000) is None
    assert guard.may_connect("127.0.0.1", 80) is not None
    assert guard.may_connect("127.0.0.2", 8000) is not None


def options_with_pin(*pins: str) -> ClientOptions:
    return ClientOptions(transport=Transport(connect_to=pins))


@pytest.mark.parametrize(
    ("pin", "host", "port", "address", "to", "allowed"),
    [
        ("example.com:443:127.0.0.1:8443", "example.com", 443, "127.0.0.1", 8443, True),
        ("example.com:443:127.0.0.1:8443", "example.com", 80, "127.0.0.1", 80, False),
        ("example.com:443:127.0.0.1:8443", "example.com", 443, "127.0.0.2", 8443, False),
        ("::127.0.0.1:8443", "any.example", 80, "127.0.0.1", 8443, True),
        (":80:[::1]:8080", "any.example", 80, "::1", 8080, True),
        ("[::2]:80:[::1]:", "[::2]", 80, "::1", 80, True),
        ("example.com:80:backend.example:8080", "example.com", 80, "10.0.0.1", 8080, True),
        ("example.com:80:backend.example:8080", "example.com", 80, "10.0.0.1", 8081, False),
        ("example.com:80::8080", "example.com", 80, "8.8.8.8", 8080, True),
        ("example.com:80::8080", "example.com", 80, "10.0.0.1", 8080, False),
        ("example.com:80::8080", "other.example", 80, "8.8.8.8", 8080, False),
    ],
)
def test_connect_to_exempts_its_target(
    pin: str, host: str, port: int, address: str, to: int, allowed: bool
) -> None:
    guard = Guard(options_with_pin(pin))
    assert (guard.may_connect(address, to, guard.pinned(host, port)) is None) is allowed


@pytest.mark.parametrize(
    "pin", ["", "a", "a:80:b", "a:80:b:80:c", "a:x:b:80", "a:80:b:99999", "[::1:80:b:80", "ü:80:b:80"]
)
def test_connect_to_that_cannot_be_read(pin: str) -> None:
    with pytest.raises(UsageError, match="HOST1:PORT1:HOST2:PORT2"):
        Guard(options_with_pin(pin))


def test_allowances_that_cannot_be_read() -> None:
    with pytest.raises(UsageError, match=r"10\.0\.0\.0/8"):
        Guard(ClientOptions(allow_private=("ten",)))
    with pytest.raises(UsageError, match="no socket"):
        Guard(ClientOptions(allow_sockets=("127.0.0.1:80",)))


def test_the_pinned_site_is_reached_and_nothing_else(truth: Site) -> None:
    """The canary is the truth site's own port, asked for by its address without the pin's leave."""
    pin = f"site.example:80:127.0.0.1:{truth.http_port}"
    client = Client(options_with_pin(pin))
    reached, direct, other = drive(
        client,
        Request.page("http://site.example/echo"),
        Request.page(f"http://127.0.0.1:{truth.https_port}/"),
        Request.page("http://127.0.0.1/"),
    )
    client.close()
    assert reached.status == 200
    assert direct.error_class is other.error_class is ErrorClass.PRIVATE_HOST
    assert direct.error_detail is not None
    assert str(truth.https_port) in direct.error_detail


@pytest.fixture
def listeners() -> Iterator[tuple[int, list[str]]]:
    """Two servers on one port, 127.0.0.2 and the canary 127.0.0.1; the list says who was connected."""
    met: list[str] = []
    first = socket.create_server(("127.0.0.2", 0), backlog=256)
    port = first.getsockname()[1]
    second = socket.create_server(("127.0.0.1", port), backlog=256)

    def answer(listener: socket.socket, name: str) -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            met.append(name)
            with peer:
                peer.recv(65_536)
                peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")

    pairs = ((first, "good"), (second, "canary"))
    threads = [threading.Thread(target=answer, args=pair, daemon=True) for pair in pairs]
    for thread in threads:
        thread.start()
    yield port, met
    for listener, _ in pairs:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
    for thread in threads:
        thread.join(5)


Resolve = Callable[[Callable[[str], str]], None]


@pytest.fixture
def resolve(monkeypatch: pytest.MonkeyPatch) -> Resolve:
    """Answer name lookups: the function gets host:port and gives addresses, for each request anew."""

    def install(lookup: Callable[[str], str]) -> None:
        begin = Exchange.begin

        def begin_resolved(
            self: Exchange, request: Request, target: Target, sink: Sink | None = None
        ) -> None:
            begin(self, request, target, sink)
            name = f"{target.host}:{target.port}"
            self.curl.setopt(pycurl.RESOLVE, [f"{name}:{lookup(name)}"])

        monkeypatch.setattr(Exchange, "begin", begin_resolved)

    return install


def test_rebinding_a_thousand_times(listeners: tuple[int, list[str]], resolve: Resolve) -> None:
    """A name that is good at one lookup and loopback at the next: 500 of 1,000 tries are refused, 0 get through."""
    port, met = listeners
    turns = itertools.cycle(("127.0.0.2", "127.0.0.1"))
    resolve(lambda _: next(turns))
    options = ClientOptions(origins=(f"http://rebind.example:{port}",), allow_private=("127.0.0.2/32",))
    client = Client(options)
    request = Request.page(f"http://rebind.example:{port}/")
    answers = [drive(client, request)[0] for _ in range(1_000)]
    client.close()
    assert [a.status for a in answers] == [200, None] * 500
    assert {a.error_class for a in answers[1::2]} == {ErrorClass.PRIVATE_HOST}
    assert met == ["good"] * 500


def test_one_bad_address_among_several(listeners: tuple[int, list[str]], resolve: Resolve) -> None:
    """A good address is used, a bad one never, in whichever order they come."""
    port, met = listeners
    options = ClientOptions(origins=(f"http://a.example:{port}",), allow_private=("127.0.0.2/32",))
    orders = iter(["127.0.0.1,127.0.0.2", "127.0.0.2,127.0.0.1", "127.0.0.1,127.0.0.3"])
    resolve(lambda _: next(orders))
    client = Client(options)
    request = replace(Request.page(f"http://a.example:{port}/"), headers=("Connection: close",))
    first, second, third = (drive(client, request)[0] for _ in range(3))
    client.close()
    assert (first.status, first.ip) == (200, "127.0.0.2")
    assert (second.status, second.ip) == (200, "127.0.0.2")
    assert third.error_class is ErrorClass.PRIVATE_HOST
    assert met == ["good", "good"]


def test_a_name_that_resolves_to_a_private_address(
    no_sockets: list[tuple[object, ...]], resolve: Resolve
) -> None:
    resolve(lambda _: "169.254.169.254")
    client = Client(ClientOptions())
    (answer,) = drive(client, Request.page("http://metadata.example/latest"))
    client.close()
    assert answer.error_class is ErrorClass.PRIVATE_HOST
    assert no_sockets == []
