"""Serves the demo's hosts on one loopback port, and keeps a second port closed for the host that is gone."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from sitemap_audit.demo.site import GONE, HOSTS, Reply, site


@dataclass(frozen=True, slots=True)
class Serving:
    """`connect_to`: the `--connect-to` values that lead to the demo's hosts."""

    port: int
    connect_to: tuple[str, ...]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, replies: Mapping[tuple[str, str], Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies = replies

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away in mid-answer is no error of the demo."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        host = (self.headers.get("Host") or "").partition(":")[0]
        path = self.path.partition("?")[0]
        replies = self.server.replies
        reply = (
            replies.get((host, path))
            or replies.get((host, "*"))
            or Reply(404, body=b"<title>Not found</title>")
        )
        if reply.hang_up:
            self.close_connection = True
            return
        body = reply.body() if callable(reply.body) else reply.body
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in reply.headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[Serving]:
    """Serve the demo's hosts until the context ends."""
    server = _Server(site())
    # A port that is bound and does not listen refuses every connection, and nobody else can take it.
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port, closed_port = server.server_address[1], closed.getsockname()[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            ways = [f"{host}:80:127.0.0.1:{port}" for host in HOSTS]
            ways.append(f"{GONE}:80:127.0.0.1:{closed_port}")
            # Whatever else the demo might name stays on this machine too.
            ways.append(f"::127.0.0.1:{closed_port}")
            yield Serving(int(port), tuple(ways))
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
