"""One easy handle: its settings, its callbacks, and the Answer that a request ends in.

An Exchange is used again and again: making an easy handle and its callbacks costs more than a request.
Everything that a foreign server sends is bounded here while it arrives: header bytes and lines, decoded
body bytes. A refusal of ours ends the transfer from within a callback; curl then reports error 23.
"""

from __future__ import annotations

import socket
import ssl
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from sitemap_audit.facts import ErrorClass, Tls
from sitemap_audit.http.body import Body
from sitemap_audit.http.failures import describe, error_class, tls_cause
from sitemap_audit.http.guard import Pin
from sitemap_audit.http.libcurl import pycurl
from sitemap_audit.http.records import Answer, Request
from sitemap_audit.http.setup import Setup
from sitemap_audit.http.target import Target
from sitemap_audit.settings import HEADER_MAX_BYTES, HEADER_MAX_LINES

HTTP_VERSIONS: Final = {1: "1.0", 2: "1.1", 3: "2", 30: "3"}
STOP: Final = -1
"""What a callback returns to end the transfer."""
TLS_REMEMBERED: Final = 10_000
STATUS_LINE: Final = b"HTTP/"
WRITEFUNC_PAUSE: Final = 0x10000001
"""CURL_WRITEFUNC_PAUSE, which pycurl does not name."""


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
        self._lines_set: list[str] | None = None
        self._limits_set: tuple[float, float, float, int] | None = None
        self._prepare()

    def _prepare(self) -> None:
        """Settings that never change. Whatever libcurl would read or send by itself is off."""
        curl, setup = self.curl, self._setup
        curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
        curl.setopt(pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1)
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
        curl.setopt(pycurl.HEADERFUNCTION, self._on_header)
        curl.setopt(pycurl.WRITEFUNCTION, self._on_body)

    def begin(self, request: Request, target: Target, sink: Sink | None = None) -> None:
        """Make ready for this request; the caller adds the handle to its multi. `target` is that of its URL."""
        self.request = request
        self.target = target
        self._sink = sink
        self._pin: Pin | None = self._setup.guard.pinned(target.host, target.port)
        self.body = Body(request.max_bytes)
        self._lines: list[bytes] = []
        self._head_done = False
        self._header_bytes = 0
        self._header_lines = 0
        self._headers: tuple[tuple[str, str], ...] | None = None
        self._refusal: str | None = None
        self.stop: tuple[ErrorClass, str] | None = None
        """Why we ended the transfer ourselves; the body's own reasons stand in `body`."""
        curl = self.curl
        curl.setopt(pycurl.URL, request.url)
        lines = self._setup.lines_for(request, target)
        if lines is not self._lines_set:
            curl.setopt(pycurl.HTTPHEADER, lines)
            self._lines_set = lines
        timeout_s = request.timeout_s if sink is None else 0.0  # a stream may pause: its owner keeps the time
        limits = (timeout_s, request.connect_timeout_s, request.slow_s, request.min_bytes_per_s)
        if limits != self._limits_set:
            curl.setopt(pycurl.TIMEOUT_MS, int(timeout_s * 1000))
            curl.setopt(pycurl.CONNECTTIMEOUT_MS, int(request.connect_timeout_s * 1000))
            curl.setopt(pycurl.LOW_SPEED_TIME, max(1, round(request.slow_s)))
            curl.setopt(pycurl.LOW_SPEED_LIMIT, request.min_bytes_per_s)
            self._limits_set = limits
        self._started_at = datetime.now(UTC)

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
            self._refusal = "it is no internet address"
            return pycurl.SOCKET_BAD
        host, port = address.addr[:2]
        reason = self._setup.guard.may_connect_for(self._pin, host, port)
        if reason is not None:
            self._refusal = reason
            return pycurl.SOCKET_BAD
        return socket.socket(address.family, address.socktype, address.protocol)

    def _on_header(self, line: bytes) -> int | None:
        self._header_bytes += len(line)
        self._header_lines += 1
        if self._header_bytes > HEADER_MAX_BYTES or self._header_lines > HEADER_MAX_LINES:
            self.stop = (
                ErrorClass.TOO_LARGE,
                f"more than {HEADER_MAX_LINES} lines or {HEADER_MAX_BYTES} bytes of headers",
            )
            return STOP
        if self._head_done:
            if line[:5] != STATUS_LINE:
                return None  # a trailer, behind the body
            self._lines = []  # the block before was an interim one (RFC 9110, 15.2)
            self._head_done = False
        elif line in (b"\r\n", b"\n"):
            self._head_done = True
            # curl's own status cannot be asked for from within a callback.
            if self._sink is not None and not is_interim(self._lines[0]):
                self._sink.head()
            return None
        self._lines.append(line)
        return None

    def _on_body(self, data: bytes) -> int | None:
        if self._sink is not None:
            return None if self._sink.chunk(data) else WRITEFUNC_PAUSE
        if self._headers is None:
            self._read_headers()
            self.body.open(self._coding)
        return None if self.body.take(data) else STOP

    # --- the end ----------------------------------------------------------------------------

    def _status(self) -> int | None:
        """The status of the final header block; interim ones are none."""
        status: int = self.curl.getinfo(pycurl.RESPONSE_CODE)
        return status if status >= 200 or status == 101 else None

    def _read_headers(self) -> tuple[tuple[str, str], ...]:
        self._headers = headers = parse_headers(self._lines)
        codings = [value for name, value in headers if name == "content-encoding"]
        self._coding = ", ".join(codings) if codings else None
        return headers

    def answer(self, code: int = 0, message: str = "", *, ended: bool = True) -> Answer:
        """What is known now. `code` and `message` are curl's; `ended` False gives the head of a stream."""
        curl, body = self.curl, self.body
        status = self._status()
        headers = self._headers
        if headers is None:
            headers = self._read_headers() if status is not None else ()
            if status is None:
                self._coding = None
        error, reason = None, None
        if ended and not code:
            body.end()
        if self.stop is not None:
            error, reason = self.stop
        elif body.failure is not None:
            error, reason = ErrorClass.CONTENT_ENCODING, body.failure
        elif body.truncated or not code:
            pass
        elif self._refusal is not None and code == pycurl.E_COULDNT_CONNECT:
            error, reason = ErrorClass.PRIVATE_HOST, self._refusal
        else:
            error = error_class(code, message)
        tls, cause = self._tls(code, error)
        if error is not None:
            reason = describe(error, reason, message, cause, self.phase(), body.wire)
        fresh = code or not ended or curl.getinfo(pycurl.NUM_CONNECTS)
        dns = curl.getinfo(pycurl.NAMELOOKUP_TIME_T) if fresh else 0
        connect = curl.getinfo(pycurl.CONNECT_TIME_T) if fresh else 0
        handshake = curl.getinfo(pycurl.APPCONNECT_TIME_T) if fresh else 0
        first = curl.getinfo(pycurl.STARTTRANSFER_TIME_T)
        return Answer(
            self.request.url,
            status,
            headers,
            b"".join(body.parts),
            body.wire,
            body.truncated,
            ended and error is None and not body.truncated,
            error,
            reason,
            tls,
            curl.getinfo(pycurl.PRIMARY_IP) or None,
            HTTP_VERSIONS.get(curl.getinfo(pycurl.INFO_HTTP_VERSION)),
            _ms(dns),
            _ms(connect - dns) if connect else None,
            _ms(handshake - connect) if handshake else None,
            _ms(first),
            curl.getinfo(pycurl.TOTAL_TIME_T) // 1000,
            self._coding,
            any(name == "set-cookie" for name, _ in headers),
            started_at=self._started_at,
            ended_at=datetime.now(UTC),
        )

    def phase(self) -> str:
        """How far the transfer came, in words for a timeout."""
        curl = self.curl
        if not curl.getinfo(pycurl.NAMELOOKUP_TIME_T):
            return "while the name was looked up"
        if not curl.getinfo(pycurl.CONNECT_TIME_T):
            return "while connecting"
        if self.target.scheme == "https" and not curl.getinfo(pycurl.APPCONNECT_TIME_T):
            return "in the TLS handshake"
        if not curl.getinfo(pycurl.STARTTRANSFER_TIME_T):
            return "before the first byte of the answer"
        return "in the body" if self._head_done else "in the headers"

    def _tls(self, code: int, error: ErrorClass | None) -> tuple[Tls | None, str | None]:
        """The fact about the certificate, and the cause if it was the error. None where nothing was verified."""
        if self.target.scheme != "https" or not self._setup.verify:
            return None, "protocol" if error is ErrorClass.TLS else None
        known = self._setup.tls
        chain = self.curl.getinfo(pycurl.INFO_CERTINFO)
        if error is ErrorClass.TLS:
            certificates = [{pair[0]: pair[1] for pair in one if len(pair) == 2} for one in chain]
            cause = tls_cause(code, self.curl.getinfo(pycurl.SSL_VERIFYRESULT), certificates)
            return Tls(False, cause, _not_after(chain)), cause
        if chain:
            if len(known) >= TLS_REMEMBERED:
                known.clear()
            known[self.target.origin] = Tls(True, None, _not_after(chain))
        if self._status() is None and not chain:
            return None, None
        return known.get(self.target.origin, Tls(True)), None


def is_interim(status_line: bytes) -> bool:
    """Is this the first line of a 1xx block (101 apart, which ends the exchange)?"""
    status = status_line.split(b" ", 2)[1:2]
    return bool(status) and status[0][:1] == b"1" and status[0] != b"101"


def parse_headers(lines: list[bytes]) -> tuple[tuple[str, str], ...]:
    """Header lines as sent (the status line first) → names in lower case, values without outer blanks.

    latin-1, as sent otherwise. A line that begins with a blank continues the one before (RFC 9112, 5.2);
    a line without a colon has no value.
    """
    headers: list[tuple[str, str]] = []
    for line in lines[1:]:
        text = line.decode("latin-1")
        if text[0] in " \t" and headers:
            name, value = headers[-1]
            headers[-1] = (name, f"{value} {text.strip(BLANKS)}".strip(" "))
            continue
        name, _, value = text.partition(":")
        headers.append((name.strip(BLANKS).lower(), value.strip(BLANKS)))
    return tuple(headers)


BLANKS: Final = " \t\r\n"


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
