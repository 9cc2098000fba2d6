"""Limits of single phases. libcurl has one for name, connection and TLS together, and none for the first byte.

A client looks at its running transfers every PHASE_LOOK_S: that is cheap, and exact enough for limits of
seconds. What libcurl limits by itself (those together, the whole request, the least rate) it keeps doing.
"""

from __future__ import annotations

from typing import Any

from sitemap_audit.http.libcurl import pycurl
from sitemap_audit.http.records import Request


class Watch:
    """The phases of one transfer after the other. Times are seconds on the monotonic clock."""

    __slots__ = ("_began", "_connected")

    def __init__(self) -> None:
        self._began = 0.0
        self._connected: float | None = None

    def restart(self, now: float) -> None:
        """A transfer begins."""
        self._began = now
        self._connected = None

    def overdue(self, curl: Any, request: Request, now: float, *, unnamed: bool) -> float | None:
        """The limit in seconds that the phase which the transfer is in has passed, else None.

        While a transfer runs, curl shows the end of a phase as microseconds from its beginning, and 0 before
        it; the end of the connection however not before that of the handshake: there it counts the
        connection already (NUM_CONNECTS), so the moment is that of our first look. `unnamed`: its name was
        not resolved and curl has ended it; why is still being asked.
        """
        if unnamed:
            limit = request.connect_timeout_s
            return limit if now - self._began >= limit else None
        if curl.getinfo(pycurl.STARTTRANSFER_TIME_T):
            return None
        sent = curl.getinfo(pycurl.PRETRANSFER_TIME_T)
        if sent:
            self._connected = None
            since, limit = self._began + sent / 1e6, request.first_byte_timeout_s
        elif curl.getinfo(pycurl.NUM_CONNECTS):
            if self._connected is None:
                self._connected = now
            since, limit = self._connected, request.tls_timeout_s
        else:
            since, limit = self._began, request.connect_timeout_s
        return limit if now - since >= limit else None

    @property
    def shaking_hands(self) -> bool:
        """The last look saw a connection without the end of its handshake."""
        return self._connected is not None
