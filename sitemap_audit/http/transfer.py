"""One easy handle: its settings, its callbacks, and the Answer that a request ends in.

An Exchange is used again and again: making an easy handle and its callbacks costs more than a request.
Everything that a foreign server sends is bounded here while it arrives: header bytes and lines, decoded
body bytes. A refusal of ours ends the transfer from within a callback; curl then reports error 23.
"""

from __future__ import annotations

import socket
import ssl
import time
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from sitemap_audit.facts import ErrorClass, Tls
from sitemap_audit.http.body import Body
from sitemap_audit.http.failures import describe, error_class, tls_cause
from sitemap_audit.http.guard import Pin
from sitemap_audit.http.head import NO_HEAD, Head, ends_block, is_interim, last_block, read_head
from sitemap_audit.http.libcurl import pycurl
from sitemap_audit.http.names import NAME_SENTENCES
from sitemap_audit.http.names import TIMEOUT as NAME_TIMEOUT
from sitemap_audit.http.phases import Watch
from sitemap_audit.http.records import Answer, Request
from sitemap_audit.http.setup import Setup
from sitemap_audit.http.target import Target
from sitemap_audit.settings import HEADER_MAX_BYTES, HEADER_MAX_LINES

HTTP_VERSIONS: Final = {1: "1.0", 2: "1.1", 3: "2", 30: "3"}
LOOKING_UP: Final = "while the name was looked up"
IN_HANDSHAKE: Final = "in the TLS handshake"
STOP: Final = -1
"""What a callback returns to end the transfer."""
TLS_REMEMBERED: Final = 10_000
FLOOD: Final = f"more than {HEADER_MAX_LINES} lines or {HEADER_MAX_BYTES} bytes of headers"
WRITEFUNC_PAUSE: Final = 0x10000001
"""CURL_WRITEFUNC_PAUSE, which pycurl does not name."""


class _Socket(socket.socket):
    """libcurl works on a duplicate of it: this one is closed, without a warning, when it is let go."""

    def __del__(self) -> None:
        self.close()


class Sink(Protocol):
    """Takes an answer as it arrives; called from within libcurl, so it must only note things down."""

    def head(self) -> None:
        """The final header block is there: Exchange.answer(...) can be built."""

    def chunk(self, data: bytes) -> bool:
        """Wire bytes of the body; False leaves them with curl, which pauses until `resume`."""


class Exchange:
    """One easy handle and what it has received of the request it serves."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self.curl: Any = pycurl.Curl()
        self.curl.exchange = self
        self._lines: list[bytes] = []  # one for all requests: libcurl holds its `append`
        self._lines_set: list[bytes] | None = None
        self._streams = False
        self._limits_set: tuple[float, float, float, float, int] | None = None
        self._watch = Watch()
        self._prepare()

    def _prepare(self) -> None:
        """Settings that never change. Whatever libcurl would read or send by itself is off."""
        curl, setup = self.curl, self._setup
        curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
        curl.setopt(pycurl.HTTP_VERSION, setup.http_version)
        curl.setopt(pycurl.NOSIGNAL, 1)
        curl.setopt(pycurl.FOLLOWLOCATION, 0)
        curl.setopt(pycurl.PATH_AS_IS, 1)
        curl.setopt(pycurl.PROXY, "")  # the environment's proxy would be used otherwise
        curl.setopt(pycurl.NETRC, pycurl.NETRC_IGNORED)
        curl.setopt(pycurl.USERAGENT, setup.user_agent)
        curl.setopt(pycurl.CAINFO, setup.ca_file)
        curl.setopt(pycurl.OPT_CERTINFO, 1)
        if not setup.verify:
            curl.setopt(pycurl.SSL_VERIFYPEER, 0)
            curl.setopt(pycurl.SSL_VERIFYHOST, 0)
        if setup.connect_to:
            curl.setopt(pycurl.CONNECT_TO, setup.connect_to)
        curl.setopt(pycurl.OPENSOCKETFUNCTION, self._on_socket)
        # A call of Python for each line would cost more than the rest of the head: libcurl puts them into the list,
        # and bounds them (300 KB and 5,000 lines an answer); our own, lower limits are kept in `_take_head`.
        curl.setopt(pycurl.HEADERFUNCTION, self._lines.append)
        curl.setopt(pycurl.WRITEFUNCTION, self._on_body)

    def begin(self, request: Request, target: Target, sink: Sink | None = None) -> None:
        """Make ready for this request; the caller adds the handle to its multi. `target` is that of its URL."""
        self.request = request
        self.target = target
        self._sink = sink
        self._pin: Pin | None = self._setup.guard.pinned(target.host, target.port)
        self.body = Body(request.max_bytes)
        self._lines.clear()
        self._head: Head | None = None
        self._refused: tuple[ErrorClass, str] | None = None  # the last socket that was not opened
        self.stop: tuple[ErrorClass, str] | None = None
        """Why we ended the transfer ourselves; the body's own reasons stand in `body`."""
        self.unnamed = False
        self.dns_error: str | None = None
        """Why the name was not resolved (names.Names); set before `answer` is asked for."""
        curl = self.curl
        curl.setopt(pycurl.URL, request.url)
        if (sink is not None) is not self._streams:
            self._streams = sink is not None
            curl.setopt(pycurl.HEADERFUNCTION, self._on_header if self._streams else self._lines.append)
        lines = self._setup.lines_for(request, target)
        if lines is not self._lines_set:
            curl.setopt(pycurl.HTTPHEADER, lines)
            self._lines_set = lines
        timeout_s = request.timeout_s if sink is None else 0.0  # a stream may pause: its owner keeps the time
        connect_s, tls_s = request.connect_timeout_s, request.tls_timeout_s
        limits = (timeout_s, connect_s, tls_s, request.slow_s, request.min_bytes_per_s)
        if limits != self._limits_set:
            curl.setopt(pycurl.TIMEOUT_MS, int(timeout_s * 1000))
            curl.setopt(pycurl.CONNECTTIMEOUT_MS, int((connect_s + tls_s) * 1000))  # phases.py has each
            curl.setopt(pycurl.LOW_SPEED_TIME, max(1, round(request.slow_s)))
            curl.setopt(pycurl.LOW_SPEED_LIMIT, request.min_bytes_per_s)
            self._limits_set = limits
        self._started_at = datetime.now(UTC)
        self._watch.restart(time.monotonic())

    def look(self, now: float) -> bool:
        """Is the transfer overdue in its phase, or its head a flood? `stop` says so. `now`: monotonic seconds."""
        if self.stop is not None:
            return False
        if self._head is None and self._is_flood():
            return True
        limit = self._watch.overdue(self.curl, self.request, now, unnamed=self.unnamed)
        if limit is None:
            return False
        where = self.phase()
        if where == LOOKING_UP:
            self.dns_error = NAME_TIMEOUT
        error = ErrorClass.DNS if self.dns_error is not None else ErrorClass.TIMEOUT
        self.stop = (error, f"over {limit:g} s {where}")
        return True

    def forget(self) -> None:
        """Let go of what was received; the handle stays ready for the next request."""
        self._sink = None
        self.body.parts.clear()

    def close(self) -> None:
        self.curl.exchange = None
        self.curl.close()

    def resume(self) -> None:
        """Go on after a sink refused a chunk."""
        self.curl.pause(pycurl.PAUSE_CONT)

    # --- called by libcurl ------------------------------------------------------------------

    def _on_socket(self, purpose: int, address: Any) -> Any:
        if address.family not in (socket.AF_INET, socket.AF_INET6):
            self._refused = (ErrorClass.PRIVATE_HOST, "the name leads to no internet address")
            return pycurl.SOCKET_BAD
        host, port = address.addr[:2]
        reason = self._setup.guard.may_connect(host, port, self._pin)
        if reason is not None:
            self._refused = (ErrorClass.PRIVATE_HOST, reason)
            return pycurl.SOCKET_BAD
        try:
            return _Socket(address.family, address.socktype, address.protocol)
        except OSError as error:  # no files left: not the fault of the site, and said so
            self._refused = (ErrorClass.CONNECT, f"this machine cannot open a socket: {error.strerror}")
            return pycurl.SOCKET_BAD

    def _on_header(self, line: bytes) -> int | None:
        """A line of a stream, which wants to know when the head is there."""
        lines = self._lines
        lines.append(line)
        if self._is_flood():
            return STOP
        if self._sink is not None and ends_block(line) and not is_interim(last_block(lines)):
            self._sink.head()
        return None

    def _is_flood(self) -> bool:
        lines = self._lines
        if len(lines) <= HEADER_MAX_LINES and sum(map(len, lines)) <= HEADER_MAX_BYTES:
            return False
        self.stop = (ErrorClass.TOO_LARGE, FLOOD)
        return True

    def _take_head(self) -> Head:
        """What stands in the header lines so far; of a flood only its beginning."""
        if self._is_flood():
            del self._lines[HEADER_MAX_LINES + 1 :]
        return read_head(self._lines)

    def _on_body(self, data: bytes) -> int | None:
        if self._sink is not None:
            if not self._sink.chunk(data):
                return WRITEFUNC_PAUSE
            self.body.wire += len(data)
            return None
        if self._head is None:
            self._head = self._take_head()
            if self.stop is not None:
                return STOP
            self.body.open(self._head.coding)
        return None if self.body.take(data) else STOP

    # --- the end ----------------------------------------------------------------------------

    def _status(self) -> int | None:
        """The status of the final header block; interim ones are none."""
        status: int = self.curl.getinfo(pycurl.RESPONSE_CODE)
        return status if status >= 200 or status == 101 else None

    def answer(self, code: int = 0, message: str = "", *, ended: bool = True) -> Answer:
        """What is known now. `code` and `message` are curl's; `ended` False gives the head of a stream."""
        body, getinfo = self.body, self.curl.getinfo
        status = self._status()
        head = self._head or (self._take_head() if self._lines else NO_HEAD)
        if status is None:
            head = NO_HEAD
        if ended:
            body.end(finished=not code)
        error, reason, tls = None, None, None
        if code or self.stop is not None or body.failure is not None:
            error, reason = self._failure(code, message)
        if self.target.scheme == "https":
            tls = self._tls(code, error)
        if error is not None:
            reason = describe(error, reason, message, tls, self.phase(), body.wire)
        if code or not ended or getinfo(pycurl.NUM_CONNECTS):
            dns = getinfo(pycurl.NAMELOOKUP_TIME_T)
            connect = getinfo(pycurl.CONNECT_TIME_T)
            handshake = getinfo(pycurl.APPCONNECT_TIME_T)
        else:
            dns = connect = handshake = 0  # a kept connection
        return Answer(
            self.request.url,
            status,
            head.headers,
            body.parts[0] if len(body.parts) == 1 else b"".join(body.parts),
            body.wire,
            body.truncated,
            ended and error is None and not body.truncated and status is not None,
            error,
            reason,
            tls,
            getinfo(pycurl.PRIMARY_IP) or None,
            HTTP_VERSIONS.get(getinfo(pycurl.INFO_HTTP_VERSION)),
            _ms(dns),
            _ms(connect - dns),
            _ms(handshake - connect),
            _ms(getinfo(pycurl.STARTTRANSFER_TIME_T)) if status is not None else None,
            getinfo(pycurl.TOTAL_TIME_T) // 1000,
            head.coding,
            head.set_cookie,
            dns_error=self.dns_error if error is ErrorClass.DNS else None,
            started_at=self._started_at,
            ended_at=datetime.now(UTC),
        )

    def _failure(self, code: int, message: str) -> tuple[ErrorClass | None, str | None]:
        """The class of what went wrong, and our own sentence for it if we have one."""
        if self.stop is not None:
            return self.stop
        if self.body.failure is not None:
            return ErrorClass.CONTENT_ENCODING, self.body.failure
        if self.body.truncated:
            return None, None  # we ended it
        if self._refused is not None and code == pycurl.E_COULDNT_CONNECT:
            return self._refused
        error = error_class(code, message)
        if error is ErrorClass.DNS:
            if code == pycurl.E_OPERATION_TIMEDOUT:
                self.dns_error = NAME_TIMEOUT
            if self.dns_error is not None:
                return error, f"{NAME_SENTENCES[self.dns_error]}: {message}"
        return error, None

    def phase(self) -> str:
        """How far the transfer came, in words for a timeout."""
        curl = self.curl
        if self._lines:
            return "in the body" if self.body.wire or ends_block(self._lines[-1]) else "in the headers"
        if curl.getinfo(pycurl.REQUEST_SIZE):
            return "before the first byte of the answer"
        if self.unnamed or not curl.getinfo(pycurl.NAMELOOKUP_TIME_T):
            return LOOKING_UP
        if self._watch.shaking_hands:
            return IN_HANDSHAKE
        if not curl.getinfo(pycurl.CONNECT_TIME_T):
            return "while connecting"
        if self.target.scheme == "https" and not curl.getinfo(pycurl.APPCONNECT_TIME_T):
            return IN_HANDSHAKE
        return "before the request was sent"

    def _tls(self, code: int, error: ErrorClass | None) -> Tls | None:
        """The fact about the certificate; None where none was verified."""
        if error is ErrorClass.TLS:
            chain = self.curl.getinfo(pycurl.INFO_CERTINFO)
            verified = self.curl.getinfo(pycurl.SSL_VERIFYRESULT)
            return Tls(False, tls_cause(code, verified, chain), _not_after(chain))
        if not self._setup.verify:
            return None
        known = self._setup.tls
        chain = self.curl.getinfo(pycurl.INFO_CERTINFO) if self.curl.getinfo(pycurl.NUM_CONNECTS) else ()
        if chain:
            if len(known) >= TLS_REMEMBERED:
                known.clear()
            known[self.target.origin] = Tls(True, None, _not_after(chain))
        return known.get(self.target.origin, Tls(True)) if self._lines or chain else None


def _ms(microseconds: int) -> int | None:
    return microseconds // 1000 if microseconds > 0 else None


def _not_after(chain: list[Any]) -> datetime | None:
    for pair in chain[0] if chain else ():
        if pair[0] == "Expire date":
            try:
                return datetime.fromtimestamp(ssl.cert_time_to_seconds(pair[1]), UTC)
            except (ValueError, OverflowError, OSError):
                return None
    return None
