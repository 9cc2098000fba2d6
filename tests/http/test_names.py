"""Why a name has no address: no such name, no address, failing servers, silence."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitemap_audit.facts import ErrorClass
from sitemap_audit.http import Answer, AsyncClient, Client, ClientOptions, Request
from sitemap_audit.http.names import NAME_SENTENCES, Names, cause_of, patience_s
from tests.http.conftest import drive

ROOT = Path(__file__).parents[2]
UNRESOLVABLE = "a" * 70 + ".example"
"""A label beyond 63 octets fails in the resolver itself: no question leaves the machine."""
NODATA = getattr(socket, "EAI_NODATA", socket.EAI_NONAME)


@pytest.mark.parametrize(
    ("code", "took_s", "cause"),
    [
        (socket.EAI_NONAME, 0.01, "no_such_name"),
        (socket.EAI_NONAME, 9.0, "no_such_name"),
        (NODATA, 0.01, "no_address" if NODATA != socket.EAI_NONAME else "no_such_name"),
        (socket.EAI_AGAIN, 0.01, "server_failure"),
        (socket.EAI_AGAIN, 4.9, "server_failure"),
        (socket.EAI_AGAIN, 5.0, "timeout"),
        (socket.EAI_FAIL, 0.01, "server_failure"),
        (12345, 0.01, "server_failure"),
        (None, 0.01, "server_failure"),
    ],
)
def test_causes(code: int | None, took_s: float, cause: str) -> None:
    assert cause_of(code, took_s) == cause
    assert cause in NAME_SENTENCES


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("nameserver 127.0.0.1\n", 5.0),
        ("options timeout:2 attempts:1\n", 2.0),
        ("# options timeout:3\noptions rotate timeout:1\n", 1.0),
        ("options timeout:x\n", 5.0),
        ("\xff\0", 5.0),
    ],
)
def test_the_patience_of_the_resolver(tmp_path: Path, text: str, seconds: float) -> None:
    file = tmp_path / "resolv.conf"
    assert patience_s(file) == 5.0
    file.write_bytes(text.encode("latin-1"))
    assert patience_s(file) == seconds


class Resolver:
    """A stub of the system's: codes by name, counted, and held back until let go."""

    def __init__(self, **codes: int) -> None:
        self.codes = codes
        self.asked: list[str] = []
        self.let_go = threading.Event()
        self.let_go.set()

    def __call__(self, name: str) -> Any:
        self.asked.append(name)
        self.let_go.wait(10)
        code = self.codes.get(name.partition(".")[0])
        if code is not None:
            raise socket.gaierror(code, "stub")
        return []


def known(names: Names, name: str) -> str:
    end = time.monotonic() + 10
    while (cause := names.why(name)) is None:
        assert time.monotonic() < end
        time.sleep(0.002)
    return cause


def test_a_name_is_asked_for_once() -> None:
    resolver = Resolver(gone=socket.EAI_NONAME, broken=socket.EAI_AGAIN)
    woken: list[str] = []
    names = Names(resolver)
    names.wake = lambda: woken.append("")
    assert [names.why("gone.example") for _ in range(1)] == [None]
    assert known(names, "gone.example") == "no_such_name"
    assert known(names, "broken.example") == "server_failure"
    assert known(names, "there.example") == "server_failure"  # it failed a moment ago
    assert known(names, "gone.example") == "no_such_name"
    assert resolver.asked == ["gone.example", "broken.example", "there.example"]
    assert len(woken) == 3


def test_few_are_asked_at_the_same_time() -> None:
    resolver = Resolver()
    resolver.let_go.clear()
    names = Names(resolver)
    wanted = [f"n{n}.example" for n in range(50)]
    assert {names.why(name) for name in wanted} == {None}
    end = time.monotonic() + 10
    while len(resolver.asked) < 8:
        assert time.monotonic() < end
        time.sleep(0.002)
    assert len(resolver.asked) == 8
    resolver.let_go.set()
    assert {known(names, name) for name in wanted} == {"server_failure"}
    assert sorted(resolver.asked) == sorted(wanted)


Answers = Callable[[str], list[Answer]]


def test_an_answer_tells_the_cause() -> None:
    client = Client(ClientOptions())
    answers = drive(client, *(Request.page(f"http://{UNRESOLVABLE}/{n}") for n in range(3)))
    client.close()
    assert {(a.status, a.error_class, a.dns_error) for a in answers} == {
        (None, ErrorClass.DNS, "no_such_name")
    }
    assert answers[0].error_detail == f"there is no such name: Could not resolve host: {UNRESOLVABLE}"


@pytest.mark.parametrize(
    ("code", "cause"), [(socket.EAI_NONAME, "no_such_name"), (socket.EAI_AGAIN, "server_failure")]
)
async def test_on_a_loop_too(monkeypatch: pytest.MonkeyPatch, code: int, cause: str) -> None:
    def fail(*_: object, **__: object) -> None:
        raise socket.gaierror(code, "stub")

    monkeypatch.setattr("sitemap_audit.http.names.socket.getaddrinfo", fail)
    async with AsyncClient(ClientOptions()) as client:
        answers = await asyncio.gather(
            *[client.fetch(Request.page(f"http://{UNRESOLVABLE}/{n}")) for n in range(3)]
        )
        assert {a.dns_error for a in answers} == {cause}
        stream = await client.open(Request.sitemap(f"http://{UNRESOLVABLE}/"))
        assert (stream.answer_head.error_class, stream.answer_head.dns_error) == (ErrorClass.DNS, cause)
        await stream.close()


def test_what_waits_for_its_cause_can_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    resolver = Resolver()
    resolver.let_go.clear()
    monkeypatch.setattr("sitemap_audit.http.names._system_lookup", resolver)
    client = Client(ClientOptions())
    got: list[Answer] = []
    transfer = client.start(Request.page(f"http://{UNRESOLVABLE}/"), got.append)
    while not resolver.asked:
        client.drive(0.02)
    client.cancel(transfer)
    assert client.active == 0
    resolver.let_go.set()
    client.drive(0.05)
    client.close()
    assert got == []


def test_a_cause_that_does_not_come_is_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    resolver = Resolver()
    resolver.let_go.clear()
    monkeypatch.setattr("sitemap_audit.http.names._system_lookup", resolver)
    client = Client(ClientOptions())
    request = Request.page(f"http://{UNRESOLVABLE}/")
    request.connect_timeout_s = 0.3
    (answer,) = drive(client, request)
    client.close()
    resolver.let_go.set()
    assert (answer.error_class, answer.dns_error) == (ErrorClass.DNS, "timeout")
    assert answer.error_detail == "over 0.3 s while the name was looked up"


IN_A_NAMESPACE = """
set -e
ip link set lo up
printf 'nameserver 127.0.0.1\\noptions timeout:1 attempts:1\\n' > {folder}/resolv.conf
mount --bind {folder}/resolv.conf /etc/resolv.conf
exec {python} -m tests.http.name_server {names}
"""


def test_against_a_name_server(tmp_path: Path) -> None:
    """The resolver of this system with a name server of ours, in a network namespace without a way out."""
    unshare = shutil.which("unshare")
    apart = [str(unshare), "-Urnm"]
    if (
        unshare is None
        or shutil.which("ip") is None
        or subprocess.run([*apart, "true"], capture_output=True).returncode
    ):
        pytest.skip("no namespaces on this system")
    names = [f"{kind}.example" for kind in ("missing", "nothing", "failure", "refused", "silent")]
    script = IN_A_NAMESPACE.format(folder=tmp_path, python=sys.executable, names=" ".join(names))
    done = subprocess.run([*apart, "sh", "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert {name: (error, cause) for name, (error, cause, _, _) in told.items()} == {
        "missing.example": ("dns", "no_such_name"),
        "nothing.example": ("dns", "no_address"),
        "failure.example": ("dns", "server_failure"),
        "refused.example": ("dns", "server_failure"),
        "silent.example": ("dns", "timeout"),
    }
    assert all(asked for _, _, _, asked in told.values())
    assert told["failure.example"][2] == (
        "the name servers answered that they cannot tell: Could not resolve host: failure.example"
    )
