"""The synchronous client itself: what is sent to whom, connections, caps, cancelling, closing."""

from __future__ import annotations

import gc
import os
from dataclasses import replace

import orjson
import pytest

from sitemap_audit.errors import UsageError
from sitemap_audit.facts import ErrorClass
from sitemap_audit.http import Answer, Client, ClientOptions, Request
from sitemap_audit.options import RunOptions, Transport
from tests.http.conftest import HOST, Get, drive
from tests.site.server import Reply, Site, serve


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


@pytest.mark.parametrize("line", ["", "no colon", ": no name"])
def test_what_is_no_header_line_is_refused(line: str) -> None:
    with pytest.raises(UsageError, match="Name: value"):
        Client(ClientOptions(transport=Transport(headers=(line,))))


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


def test_a_machine_without_files_is_not_the_sites_fault(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("sitemap_audit.http.transfer._Socket", fail)
    answer = get("/?no-files")
    assert answer.error_class is ErrorClass.CONNECT
    assert answer.error_detail == "this machine cannot open a socket: Too many open files"
