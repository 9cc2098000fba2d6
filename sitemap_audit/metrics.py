"""`--metrics ADDRESS`: Prometheus text over HTTP, for the coordinator and for a parent of workers alike.

`9108`, `:9108` and `127.0.0.1:9108` listen on loopback; another machine can scrape only when an address says
so (`0.0.0.0:9108`, `[::]:9108`): the text names hosts and figures of an audit, and asks nobody for a password.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from sitemap_audit.errors import UsageError
from sitemap_audit.settings import METRICS_PORT

if TYPE_CHECKING:
    from prometheus_client.registry import CollectorRegistry

LOOPBACK: Final = "127.0.0.1"
_ADDRESS: Final = re.compile(r"(?:(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]*):)?([0-9]{1,5})", re.ASCII)


class Address(NamedTuple):
    host: str
    port: int

    @property
    def text(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def read_address(text: str) -> Address:
    """`HOST:PORT`, `[IPv6]:PORT`, `:PORT` or `PORT`; without HOST it is loopback. Raises UsageError."""
    match = _ADDRESS.fullmatch(text.strip())
    if match is None or not int(match[2]) <= 65_535:
        raise UsageError(
            f"--metrics {text!r} is no address: give 127.0.0.1:{METRICS_PORT}, :{METRICS_PORT} (the same), "
            f"or 0.0.0.0:{METRICS_PORT} to be scraped from other machines"
        )
    return Address((match[1] or LOOPBACK).strip("[]"), int(match[2]))


@contextmanager
def serving(address: Address, registry: CollectorRegistry) -> Iterator[int]:
    """Answer scrapes until the end of the block; yields the port. UsageError when the address cannot be had."""
    from prometheus_client import start_http_server

    try:
        server, thread = start_http_server(address.port, address.host, registry)
    except OSError as err:
        raise UsageError(
            f"--metrics {address.text} cannot be used: {err.strerror or err}. Choose another port, or end what listens there"
        ) from None
    try:
        yield int(server.server_port)
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
