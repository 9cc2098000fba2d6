"""Whole sites on loopback, in threads of the test process: what all packages test against.

    from tests.site.server import Reply, serve

    SITES = {"example.com": {"/": Reply(body=b"<title>Home</title>"), "/old": Reply(301, headers={"Location": "/"})}}

    with serve(SITES) as site:
        options = ClientOptions(transport=site.transport, origins=("https://example.com",))
        ...
        assert [r.path for r in site.requests("example.com")] == ["/old", "/"]

One server answers for every host name, over plain HTTP and TLS. `site.transport` sends ports 80 and 443 of
any host here and trusts the throw-away CA, so nothing leaves the machine and sites keep their real names.
A subprocess gets the same by `site.arguments` (`--connect-to … --cacert …`) or `site.transport.to_environment()`.

A site is a mapping of path → Reply. Keys may carry a query (`/a?b=1`), which is tried before the bare path;
`*` answers what is left, else 404. A value may also be a function of the Seen request, and so may the whole
site. Host keys are names; `http://name` or `https://name` answer for one scheme only; `*` for any other
host, which otherwise gets 421. Listeners are bound to port 0 of 127.0.0.1.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import socket
import ssl
import struct
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple

import trustme

from sitemap_audit.options import Transport

LOOPBACK = "127.0.0.1"
HEAD_MAX_BYTES = 1 << 20


class End(Enum):
    """How a scripted reply leaves the connection; without one it stays open for the next request."""

    CLOSE = "close"
    RESET = "reset"
    """RST instead of FIN: what was sent just before may be lost to the peer."""
    SILENCE = "silence"
    """Neither data nor end until the peer or the test leaves."""


Steps = Iterable[bytes | float | End]
"""Bytes are sent as they are, numbers are pauses in seconds, an End ends it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What to answer. Content-Length is added unless `headers` has it; names may repeat in a sequence of pairs."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] | tuple[tuple[str, str], ...] = ()
    gzip: bool = False
    """Send the body with content coding gzip."""
    wait_s: float = 0.0
    """Pause before the first byte."""
    steps: Callable[[], Steps] | None = None
    """A script instead of all the above: called for each request."""

    @classmethod
    def html(cls, text: str, status: int = 200, **headers: str) -> Reply:
        """A UTF-8 page; `X_Robots_Tag="noindex"` becomes the header X-Robots-Tag."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return cls(status, text.encode(), {"Content-Type": "text/html; charset=utf-8", **named})

    @classmethod
    def text(cls, text: str, status: int = 200) -> Reply:
        """A robots.txt or the like."""
        return cls(status, text.encode(), {"Content-Type": "text/plain; charset=utf-8"})

    @classmethod
    def xml(cls, text: str | bytes, status: int = 200) -> Reply:
        """A sitemap or feed."""
        return cls(
            status, text.encode() if isinstance(text, str) else text, {"Content-Type": "application/xml"}
        )

    @classmethod
    def to(cls, location: str, status: int = 301) -> Reply:
        """A redirect."""
        return cls(status, b"", {"Location": location})


class Seen(NamedTuple):
    """A request as it came in. `path` with query, `headers` with lower-case names, `at` on the monotonic clock."""

    method: str
    scheme: str
    host: str
    path: str
    headers: tuple[tuple[str, str], ...]
    at: float
    connection: int

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name), None)

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}{self.path}"


Answering = Callable[[Seen], Reply]
Paths = Mapping[str, Reply | Answering] | Answering
Sites = Mapping[str, Paths]


def in_turn(*replies: Reply) -> Answering:
    """The first request gets the first reply, and so on; the last one stays."""
    lock = threading.Lock()
    left = list(replies)

    def answer(_: Seen) -> Reply:
        with lock:
            return left.pop(0) if len(left) > 1 else left[0]

    return answer


@functools.cache
def authority() -> trustme.CA:
    """The throw-away CA of this process."""
    return trustme.CA()


def context_of(certificate: trustme.LeafCert) -> ssl.SSLContext:
    """A server context that sends this certificate with its chain; for `serve(tls=…)`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


@dataclass(slots=True)
class Site:
    """The running server."""

    http_port: int
    https_port: int
    ca_file: Path
    connect_to: tuple[str, ...]
    """For `--connect-to` and Transport: ports 80 and 443 of every host lead here."""
    log: list[Seen] = field(default_factory=list)
    """Every request in the order of arrival; grows while the server runs."""
    connections: int = 0
    """Connections that were accepted."""

    @property
    def transport(self) -> Transport:
        return Transport(connect_to=self.connect_to, cacert=str(self.ca_file))

    @property
    def arguments(self) -> list[str]:
        """The options of the command line that lead here."""
        return [a for pin in self.connect_to for a in ("--connect-to", pin)] + ["--cacert", str(self.ca_file)]

    def requests(self, host: str | None = None, path: str | None = None) -> list[Seen]:
        return [r for r in list(self.log) if host in (None, r.host) and path in (None, r.path)]


@contextlib.contextmanager
def serve(sites: Sites, *, tls: Mapping[str, ssl.SSLContext] | None = None) -> Iterator[Site]:
    """Serve until the block ends. `tls`: other certificates for some names (by SNI) than those of the CA.

    The mapping is read at each request: tests may change it while the server runs.
    """
    server = _Server(sites, dict(tls or {}))
    try:
        yield server.site
    finally:
        server.stop()


class _Server:
    def __init__(self, sites: Sites, tls: dict[str, ssl.SSLContext]) -> None:
        self._sites = sites
        self._tls = tls
        self._made: dict[str, ssl.SSLContext] = {}
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._folder = tempfile.TemporaryDirectory(prefix="site-")
        ca_file = Path(self._folder.name) / "ca.pem"
        authority().cert_pem.write_to_path(ca_file)
        self._context = context_of(authority().issue_cert(LOOPBACK, "localhost"))
        self._context.sni_callback = self._choose
        self._listeners = {
            scheme: socket.create_server((LOOPBACK, 0), backlog=512) for scheme in ("http", "https")
        }
        http_port, https_port = (s.getsockname()[1] for s in self._listeners.values())
        pins = (f":80:{LOOPBACK}:{http_port}", f":443:{LOOPBACK}:{https_port}")
        self.site = Site(http_port, https_port, ca_file, pins)
        for scheme, listener in self._listeners.items():
            self._run(self._accept, scheme, listener)

    def stop(self) -> None:
        self._stopping.set()
        for listener in self._listeners.values():
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)  # wakes the accepting thread; close alone does not
            listener.close()
        with self._lock:
            for peer in self._open:
                with contextlib.suppress(OSError):
                    peer.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
        self._folder.cleanup()

    def _run(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _choose(self, peer: ssl.SSLObject | ssl.SSLSocket, name: str | None, _: ssl.SSLContext) -> None:
        """The certificate for the name that the client asks for, made at its first use."""
        if name is None:
            return
        with self._lock:
            context = self._tls.get(name) or self._made.get(name)
            if context is None:
                context = self._made[name] = context_of(authority().issue_cert(name))
        peer.context = context

    def _accept(self, scheme: str, listener: socket.socket) -> None:
        while not self._stopping.is_set():
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            with self._lock:
                self.site.connections += 1
                number = self.site.connections
                self._open.add(peer)
                self._threads = [t for t in self._threads if t.is_alive()]
            self._run(self._talk, scheme, peer, number)

    def _talk(self, scheme: str, peer: socket.socket, number: int) -> None:
        raw = peer
        try:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if scheme == "https":
                peer = self._context.wrap_socket(peer, server_side=True)
                with self._lock:
                    self._open.discard(raw)
                    self._open.add(peer)
            rest = b""
            while not self._stopping.is_set():
                seen, rest = _read_request(peer, rest, scheme, number)
                if seen is None:
                    return
                self.site.log.append(seen)
                if not self._send(peer, seen, self._answer(seen)):
                    return
        except (OSError, ssl.SSLError):
            return  # the client left
        finally:
            with self._lock:
                self._open.discard(peer)
                self._open.discard(raw)
            with contextlib.suppress(OSError):
                peer.close()

    def _answer(self, seen: Seen) -> Reply:
        name = seen.host.rsplit(":", 1)[0] if not seen.host.endswith("]") else seen.host
        for key in (f"{seen.scheme}://{seen.host}", seen.host, f"{seen.scheme}://{name}", name, "*"):
            paths = self._sites.get(key)
            if paths is not None:
                break
        else:
            return Reply.text(f"no site named {seen.host}\n", 421)
        if callable(paths):
            return paths(seen)
        for path in (seen.path, seen.path.split("?", 1)[0], "*"):
            reply = paths.get(path)
            if reply is not None:
                return reply(seen) if callable(reply) else reply
        return Reply.html("<title>Not found</title>", 404)

    def _send(self, peer: socket.socket, seen: Seen, reply: Reply) -> bool:
        """Send it; False when the connection is over."""
        if reply.steps is None:
            self._stopping.wait(reply.wait_s)
            peer.sendall(_bytes_of(reply, seen.method))
            return seen.header("connection") != "close"
        for step in reply.steps():
            if isinstance(step, bytes):
                peer.sendall(step)
            elif step is End.RESET:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return False
            elif step is End.CLOSE:
                return False
            elif step is End.SILENCE:
                _wait_for_end(peer)
                return False
            elif self._stopping.wait(float(step)):
                return False
        return True


def _bytes_of(reply: Reply, method: str) -> bytes:
    pairs = list(reply.headers.items()) if isinstance(reply.headers, Mapping) else list(reply.headers)
    body = reply.body
    if reply.gzip:
        body = gzip.compress(body, 6, mtime=0)
        pairs.append(("Content-Encoding", "gzip"))
    if (
        not any(name.lower() in ("content-length", "transfer-encoding") for name, _ in pairs)
        and reply.status != 304
    ):
        pairs.append(("Content-Length", str(len(body))))
    try:
        phrase = HTTPStatus(reply.status).phrase
    except ValueError:
        phrase = "Odd"
    lines = [f"HTTP/1.1 {reply.status} {phrase}", *(f"{name}: {value}" for name, value in pairs)]
    head = "\r\n".join(lines).encode("utf-8") + b"\r\n\r\n"
    return head if method == "HEAD" else head + body


def _read_request(peer: socket.socket, rest: bytes, scheme: str, number: int) -> tuple[Seen | None, bytes]:
    while b"\r\n\r\n" not in rest:
        data = peer.recv(65_536)
        if not data or len(rest) > HEAD_MAX_BYTES:
            return None, b""
        rest += data
    head, _, rest = rest.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, *_ = [*first.split(" "), "", ""]
    parts = (line.partition(":") for line in lines)
    headers = tuple((name.strip().lower(), value.strip()) for name, _, value in parts)
    host = next((value for name, value in headers if name == "host"), "")
    return Seen(method, scheme, host.lower(), path, headers, time.monotonic(), number), rest


def _wait_for_end(peer: socket.socket) -> None:
    while peer.recv(65_536):
        pass
