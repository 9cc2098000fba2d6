"""Many small hosts on one loopback port, in a process of their own, and the log of who was asked when.

The hosts are h00.example, h01.example and so on: a robots.txt, a sitemap, pages. Some misbehave. Every
request is stamped on the monotonic clock as its bytes arrive, which all processes of a machine share.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import multiprocessing
import signal
import socket
import struct
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final, NamedTuple

LOOPBACK: Final = "127.0.0.1"
CLONE_NEWNET: Final = 0x40000000
BACKLOG_FILL: Final = 64
"""Connections that fill a listener nobody accepts from, so that further ones hang."""


@dataclass(frozen=True, slots=True)
class Host:
    """How one host behaves. `pages` listed; `fault` what its pages do: see `_Talk.FAULTS`; "" is none."""

    name: str
    pages: int
    crawl_delay: float = 0.0
    limit_every: int = 0
    """Each so-manieth request of a page gets 429 with Retry-After."""
    retry_after: int = 3
    fault: str = ""
    wait_s: float = 0.0
    """Pages answer so much later."""


class Asked(NamedTuple):
    """One request: seconds of the monotonic clock, host, path, status (0: a fault), address that it came from."""

    at: float
    host: str
    path: str
    status: int
    peer: str


@dataclass(slots=True)
class Hosts:
    """The running hosts."""

    port: int
    full_port: int
    """A port whose connections hang: its queue is full."""
    hosts: Sequence[Host]
    log: Path
    address: str = LOOPBACK

    @property
    def arguments(self) -> list[str]:
        """Options of `run` and `worker` that lead here; later ones would not win, so the hung hosts come first."""
        pins = [f"{h.name}:80:{self.address}:{self.full_port}" for h in self.hosts if h.fault == "connect"]
        pins.append(f":80:{self.address}:{self.port}")
        return [word for pin in pins for word in ("--connect-to", pin)]

    @property
    def sites(self) -> list[str]:
        return [f"http://{host.name}" for host in self.hosts]

    def asked(self) -> list[Asked]:
        """All requests so far, in the order of arrival. Read from the server's log, which grows line by line."""
        rows = (json.loads(line) for line in self.log.read_text("utf-8").splitlines())
        return [Asked(*row) for row in rows]


class _Talk(asyncio.Protocol):
    """One connection. Faults: header, body, drip, reset (connect is a matter of the port)."""

    FAULTS = ("header", "body", "drip", "reset")

    def __init__(self, server: _Server) -> None:
        self._server = server
        self._rest = b""
        self._transport: asyncio.Transport | None = None
        self.peer = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.peer = str(transport.get_extra_info("peername")[0])

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None

    def data_received(self, data: bytes) -> None:
        at = time.monotonic()
        self._rest += data
        while b"\r\n\r\n" in self._rest:
            head, _, self._rest = self._rest.partition(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            path = lines[0].split(" ")[1]
            name = next(
                (v.strip() for k, _, v in (s.partition(":") for s in lines) if k.lower() == "host"), ""
            )
            self._server.answer(self, at, name, path)

    def send(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)

    def reset(self) -> None:
        if self._transport is not None:
            peer: socket.socket = self._transport.get_extra_info("socket")
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._transport.abort()


class _Server:
    def __init__(self, hosts: Sequence[Host], log: Path) -> None:
        self._hosts = {host.name: host for host in hosts}
        self._log = log.open("w", buffering=1, encoding="utf-8")
        self._pages: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()

    def answer(self, talk: _Talk, at: float, name: str, path: str) -> None:
        host = self._hosts.get(name)
        status, body, more = 404, b"", ""
        if host is not None and path == "/robots.txt":
            delay = f"Crawl-delay: {host.crawl_delay:g}\n" if host.crawl_delay else ""
            status, body = 200, f"User-agent: *\n{delay}Sitemap: http://{name}/sitemap.xml\n".encode()
        elif host is not None and path == "/sitemap.xml":
            status, body = 200, _sitemap(host)
            more = "Content-Type: application/xml\r\n"
        elif host is not None and path.startswith("/p/"):
            if host.fault:
                self._say(talk, at, name, path, 0)
                self._misbehave(talk, host.fault)
                return
            self._pages[name] += 1
            if host.limit_every and self._pages[name] % host.limit_every == 0:
                status, more = 429, f"Retry-After: {host.retry_after}\r\n"
            else:
                status, more = 200, "Content-Type: text/html; charset=utf-8\r\n"
                body = (
                    f'<!doctype html><title>{path}</title><link rel="canonical" href="http://{name}{path}"><p>Words.'
                ).encode()
        data = f"HTTP/1.1 {status} Any\r\n{more}Content-Length: {len(body)}\r\n\r\n".encode() + body
        self._say(talk, at, name, path, status)
        if host is not None and host.wait_s and path.startswith("/p/"):
            self._later(host.wait_s, talk, data)
        else:
            talk.send(data)

    def _say(self, talk: _Talk, at: float, name: str, path: str, status: int) -> None:
        self._log.write(json.dumps([at, name, path, status, talk.peer]) + "\n")

    def _later(self, seconds: float, talk: _Talk, data: bytes) -> None:
        asyncio.get_running_loop().call_later(seconds, talk.send, data)

    def _misbehave(self, talk: _Talk, fault: str) -> None:
        if fault == "reset":
            talk.reset()
        elif fault == "body":
            talk.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 500\r\n\r\n<title>")
        elif fault == "drip":
            task = asyncio.get_running_loop().create_task(_drip(talk))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)


async def _drip(talk: _Talk) -> None:
    talk.send(b"HTTP/1.1 200 OK\r\nX-Long: ")
    for _ in range(120):
        talk.send(b"x")
        await asyncio.sleep(0.5)


def _sitemap(host: Host) -> bytes:
    entries = "".join(f"<url><loc>http://{host.name}/p/{n}</loc></url>\n" for n in range(host.pages))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"{entries}</urlset>\n"
    ).encode()


def enter(namespace: str) -> None:
    """Put this process (one thread yet) into a network namespace of `ip netns`. OSError if it may not."""
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/run/netns", namespace).open("rb") as file:
        if libc.setns(file.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"cannot enter the network namespace {namespace}")


def _serve(hosts: Sequence[Host], log: Path, address: str, namespace: str, said: Connection) -> None:
    if namespace:
        enter(namespace)
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    async def work() -> None:
        server = _Server(hosts, log)
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()
        loop.add_signal_handler(signal.SIGTERM, ended.set)
        listener = await loop.create_server(lambda: _Talk(server), address, 0, backlog=512)
        with _full_listener(address) as full_port:
            said.send((listener.sockets[0].getsockname()[1], full_port))
            await ended.wait()

    asyncio.run(work())


@contextlib.contextmanager
def _full_listener(address: str) -> Iterator[int]:
    """A port whose queue of connections is full: the kernel drops what else wants in."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind((address, 0))
        listener.listen(0)
        for _ in range(BACKLOG_FILL):
            peer = stack.enter_context(socket.socket())
            peer.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                peer.connect(listener.getsockname())
        yield listener.getsockname()[1]


@contextlib.contextmanager
def serve(hosts: Sequence[Host], address: str = LOOPBACK, namespace: str = "") -> Iterator[Hosts]:
    """Serve these hosts until the block ends, in a network namespace if one is named."""
    method = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(prefix="hosts-") as folder:
        log = Path(folder) / "asked.jsonl"
        ours, theirs = method.Pipe()
        process = method.Process(target=_serve, args=(hosts, log, address, namespace, theirs), daemon=True)
        process.start()
        try:
            if not ours.poll(20):
                raise SystemExit("the hosts do not start")
            port, full_port = ours.recv()
            yield Hosts(port, full_port, hosts, log, address)
        finally:
            process.terminate()
            process.join(10)


def by_host(asked: Sequence[Asked]) -> Mapping[str, list[Asked]]:
    """Requests of each host, in the order of time."""
    found: dict[str, list[Asked]] = defaultdict(list)
    for one in sorted(asked):
        found[one.host].append(one)
    return found


def worst_window(times: Sequence[float], seconds: float = 1.0) -> int:
    """Most requests in any stretch of so many seconds that begins with a request. `times` ascending."""
    worst = first = 0
    for last, at in enumerate(times):
        while at - times[first] >= seconds:
            first += 1
        worst = max(worst, last - first + 1)
    return worst
