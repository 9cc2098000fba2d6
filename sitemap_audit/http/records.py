"""What goes into a client and what comes out. Plain records; nothing here touches a socket."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Self

from sitemap_audit.facts import ErrorClass, Tls
from sitemap_audit.options import DEFAULT_USER_AGENT, RunOptions, Transport
from sitemap_audit.settings import (
    CONNECT_TIMEOUT_S,
    FIRST_BYTE_TIMEOUT_S,
    MIN_BYTES_PER_S,
    PAGE_MAX_BYTES,
    PAGE_TIMEOUT_S,
    ROBOTS_MAX_BYTES,
    SITEMAP_MAX_BYTES,
    SITEMAP_READ_ON,
    SITEMAP_TIMEOUT_S,
    TLS_TIMEOUT_S,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientOptions:
    """How a client reaches the sites of one run."""

    user_agent: str = DEFAULT_USER_AGENT
    transport: Transport = field(default_factory=Transport)
    origins: tuple[str, ...] = ()
    """scheme://host[:port] of the SITEs: they get the `--header` lines, and their ports may be used."""
    allow_private: tuple[str, ...] = ()
    """CIDRs that the address guard lets through."""
    allow_sockets: tuple[str, ...] = ()
    """`address port` pairs (blank between) that the address guard lets through."""

    @classmethod
    def of_run(cls, options: RunOptions, transport: Transport) -> Self:
        """The part of a run's options that a client needs, with the transport of this machine."""
        return cls(
            user_agent=options.user_agent,
            transport=transport,
            origins=options.origins,
            allow_private=options.allow_private,
            allow_sockets=options.allow_sockets,
        )


@dataclass(slots=True)
class Request:
    """One GET. `url` is a WHATWG href without user info; anything else is answered `invalid_url`.

    `max_bytes` counts the decoded body: one byte more and the answer is cut there and `truncated`.
    Times are seconds: `timeout_s` the whole request, `connect_timeout_s` name and connection, then
    `tls_timeout_s` the handshake, `first_byte_timeout_s` from there to the first byte of the answer; fewer
    than `min_bytes_per_s` of body over `slow_s` whole seconds, or no byte at all, is a timeout too.
    `headers` are further `Name: value` lines.
    """

    url: str
    max_bytes: int = PAGE_MAX_BYTES
    timeout_s: float = PAGE_TIMEOUT_S
    headers: tuple[str, ...] = ()
    connect_timeout_s: float = CONNECT_TIMEOUT_S
    slow_s: float = FIRST_BYTE_TIMEOUT_S
    min_bytes_per_s: int = MIN_BYTES_PER_S
    tls_timeout_s: float = TLS_TIMEOUT_S
    first_byte_timeout_s: float = FIRST_BYTE_TIMEOUT_S

    @classmethod
    def page(cls, url: str, headers: tuple[str, ...] = ()) -> Self:
        """A listed page: 2 MiB, 30 s."""
        return cls(url, PAGE_MAX_BYTES, PAGE_TIMEOUT_S, headers)

    @classmethod
    def robots(cls, url: str, headers: tuple[str, ...] = ()) -> Self:
        """A robots.txt: one byte past the limit is read, so that the reader of the file sees the excess."""
        return cls(url, ROBOTS_MAX_BYTES + 1, PAGE_TIMEOUT_S, headers)

    @classmethod
    def sitemap(cls, url: str, headers: tuple[str, ...] = ()) -> Self:
        """A sitemap or feed: read on past the limit, to say by how much it is passed; 120 s.

        One byte more than its reader takes: so the reader sees, and says, that there was more.
        """
        return cls(url, SITEMAP_MAX_BYTES * SITEMAP_READ_ON + 1, SITEMAP_TIMEOUT_S, headers)


@dataclass(slots=True)
class Answer:
    """How one request ended. Never changed once it is made; frozen, it would cost 5 us more (22 fields).

    `status` is that of the last header block that is no interim one; it stays when the body then
    breaks off, with `complete` False and the reason beside it. `complete` is True when the whole body
    came and could be decoded; `truncated` when a limit of ours cut it. `headers` have lower-case names
    and latin-1 values without outer blanks; order and repeats as sent. `body` is decoded. Times are
    whole milliseconds; those of a step that a kept connection spared are None.
    """

    url: str
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    bytes_wire: int = 0
    truncated: bool = False
    complete: bool = False
    error_class: ErrorClass | None = None
    error_detail: str | None = None
    tls: Tls | None = None
    ip: str | None = None
    http_version: str | None = None
    dns_ms: int | None = None
    connect_ms: int | None = None
    tls_ms: int | None = None
    ttfb_ms: int | None = None
    total_ms: int = 0
    started_at: datetime = field(kw_only=True)
    ended_at: datetime = field(kw_only=True)
    content_encoding: str | None = None
    set_cookie: bool = False
    dns_error: str | None = None
    """Beside error class dns: no_such_name, no_address, server_failure or timeout."""

    def header(self, name: str) -> str | None:
        """The first value of a header (lower-case name), None without it."""
        for key, value in self.headers:
            if key == name:
                return value
        return None
