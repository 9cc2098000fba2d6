"""What all transfers of one client share: guard, header lines, trusted authorities."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Final

import certifi

from sitemap_audit.errors import UsageError
from sitemap_audit.facts import Tls
from sitemap_audit.http.guard import Guard
from sitemap_audit.http.records import ClientOptions, Request
from sitemap_audit.http.target import Target, read_target

ACCEPT_ENCODING: Final = "Accept-Encoding: gzip"


class Setup:
    """Built once a client from its options; raises UsageError for those that cannot be used."""

    def __init__(self, options: ClientOptions) -> None:
        self.guard = Guard(options)
        self.user_agent = options.user_agent
        self.verify = not options.transport.insecure
        self.ca_file = options.transport.cacert or default_ca_file()
        self.connect_to = list(options.transport.connect_to)
        self.tls: dict[str, Tls] = {}
        """The last verified certificate of each origin: kept connections show none."""
        for line in (options.user_agent, *options.transport.headers):
            _check_line(line)
        own = [ACCEPT_ENCODING]
        extra = list(options.transport.headers)
        if any(line.partition(":")[0].strip().lower() == "accept-encoding" for line in extra):
            own = []
        self._plain_lines = [ACCEPT_ENCODING]
        self._origin_lines = own + extra
        targets = (read_target(origin.rstrip("/") + "/") for origin in options.origins)
        self._origins = frozenset(target.origin for target in targets if isinstance(target, Target))

    def lines_for(self, request: Request, target: Target) -> list[str]:
        """The header lines of one request; those of the user go to the exact origins of the run only."""
        lines = self._origin_lines if target.origin in self._origins else self._plain_lines
        return [*lines, *request.headers] if request.headers else lines


def default_ca_file() -> str:
    """The system's bundle of authorities, as this Python's OpenSSL names it, else certifi's."""
    file = ssl.get_default_verify_paths().cafile
    return file if file is not None and Path(file).is_file() else certifi.where()


def _check_line(line: str) -> None:
    if any(c in line for c in "\r\n\0"):
        raise UsageError(f"The header text {line!r} has a line break or NUL in it.")
