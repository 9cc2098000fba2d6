"""What all transfers of one client share: guard, header lines, trusted authorities."""

from __future__ import annotations

import os
import ssl
from pathlib import Path
from typing import Final

import certifi

from sitemap_audit.errors import UsageError
from sitemap_audit.facts import Tls
from sitemap_audit.http.guard import Guard
from sitemap_audit.http.libcurl import pycurl
from sitemap_audit.http.names import Names
from sitemap_audit.http.records import ClientOptions, Request
from sitemap_audit.http.target import Target, read_target

ACCEPT_ENCODING: Final = b"Accept-Encoding: gzip"


class Setup:
    """Built once a client from its options; raises UsageError for those that cannot be used."""

    def __init__(self, options: ClientOptions) -> None:
        transport = options.transport
        for line in (options.user_agent, *transport.headers):
            if not line.isprintable():
                raise UsageError(f"The header text {line!r} holds a line break or another control character.")
        for line in transport.headers:
            if not line.partition(":")[0].strip() or ":" not in line:
                raise UsageError(f"--header {line!r} is no header line: give it as 'Name: value'.")
        self.guard = Guard(options)
        self.user_agent = options.user_agent.encode()
        self.verify = not transport.insecure
        # 2TLS: by ALPN over TLS, HTTP/1.1 where the server does not offer it, and for plain http.
        self.http_version: int = (
            pycurl.CURL_HTTP_VERSION_2TLS if transport.http2 else pycurl.CURL_HTTP_VERSION_1_1
        )
        if transport.cacert is not None and not Path(transport.cacert).is_file():
            raise UsageError(f"--cacert {transport.cacert}: there is no such file.")
        self.ca_file = os.fsencode(transport.cacert or default_ca_file())
        self.connect_to = list(transport.connect_to)
        self.tls: dict[str, Tls] = {}
        """The last verified certificate of each origin: kept connections show none."""
        self.names = Names()
        extra = [line.encode() for line in transport.headers]
        names = {line.partition(b":")[0].strip().lower() for line in extra}
        self._plain_lines = [ACCEPT_ENCODING]
        self._origin_lines = extra if b"accept-encoding" in names else [ACCEPT_ENCODING, *extra]
        targets = (read_target(origin.rstrip("/") + "/") for origin in options.origins)
        self._origins = frozenset(target.origin for target in targets if isinstance(target, Target))

    def lines_for(self, request: Request, target: Target) -> list[bytes]:
        """The header lines of one request; those of the user go to the exact origins of the run only."""
        lines = self._origin_lines if target.origin in self._origins else self._plain_lines
        return [*lines, *map(_own_line, request.headers)] if request.headers else lines


def default_ca_file() -> str:
    """The system's bundle of authorities, as this Python's OpenSSL names it, else certifi's."""
    file = ssl.get_default_verify_paths().cafile
    return file if file is not None and Path(file).is_file() else certifi.where()


def _own_line(line: str) -> bytes:
    """A line that may quote a server's header value (latin-1): controls would end it."""
    return "".join(c if c >= " " else " " for c in line).encode("latin-1", "replace")
