"""The truth site: one path, one behaviour of a server. Served under every host name.

`/status/404`, `/body/100` (octets), `/chain/3` (redirects to go) take their number from the path; the rest is
the table below. What a path stands for is said where it is made. Add a behaviour here, not in a test.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from functools import cache

from isal import isal_zlib

from tests.site.server import End, Reply, Seen, Steps

PAGE = b"<!doctype html><title>Truth</title><p>" + b"one behaviour a path " * 500
OK = b"HTTP/1.1 200 OK\r\n"
GIB = 1 << 30


def coded(coding: str, body: bytes) -> Reply:
    return Reply(200, body, {"Content-Type": "text/html", "Content-Encoding": coding})


def script(*steps: bytes | float | End) -> Reply:
    return Reply(steps=lambda: steps)


def located(*values: bytes, status: int = 301) -> Reply:
    """Location lines byte for byte."""
    lines = b"".join(b"Location: " + value + b"\r\n" for value in values)
    return script(b"HTTP/1.1 %d Moved\r\n%sContent-Length: 0\r\n\r\n" % (status, lines))


def bare_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


@cache
def bomb() -> bytes:
    """1 GiB of zeros in one gzip member, about 5 MB."""
    packer = isal_zlib.compressobj(1, isal_zlib.DEFLATED, 31)
    block = bytes(1 << 24)
    return b"".join(packer.compress(block) for _ in range(GIB >> 24)) + packer.flush()


@cache
def members_bomb() -> bytes:
    """1 GiB of zeros in 1,024 members."""
    return gzip.compress(bytes(1 << 20), 9, mtime=0) * 1024


def drip(start: bytes, drop: bytes, every_s: float = 0.5) -> Callable[[], Steps]:
    def steps() -> Iterator[bytes | float | End]:
        yield start
        while True:
            yield every_s
            yield drop

    return steps


def flood(line: bytes, count: int) -> Callable[[], Steps]:
    """Header lines without end of the header block, in pieces of 100."""

    def steps() -> Iterator[bytes | float | End]:
        yield OK
        for _ in range(count // 100):
            yield line * 100
        yield End.SILENCE

    return steps


def endless() -> Iterator[bytes | float | End]:
    """A body that never ends, as fast as it is read."""
    yield OK + b"Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    while True:
        yield chunk


def chunked(*pieces: bytes, last: bytes = b"0\r\n\r\n") -> Reply:
    body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    return script(OK + b"Transfer-Encoding: chunked\r\n\r\n" + body + last)


def echo(seen: Seen) -> Reply:
    """The request as it came, as JSON: method, path, host, headers."""
    told = {"method": seen.method, "path": seen.path, "host": seen.host, "headers": list(seen.headers)}
    return Reply(200, json.dumps(told).encode(), {"Content-Type": "application/json"})


GZIPPED = gzip.compress(PAGE, mtime=0)

PATHS: dict[str, Reply | Callable[[Seen], Reply]] = {
    "/": Reply(200, PAGE, {"Content-Type": "text/html; charset=utf-8"}),
    "/empty": Reply(),
    "/echo": echo,
    # content codings
    "/gzip": coded("gzip", GZIPPED),
    "/x-gzip": coded("X-GZIP", GZIPPED),
    "/deflate": coded("deflate", zlib.compress(PAGE)),
    "/deflate-bare": coded("deflate", bare_deflate(PAGE)),
    "/identity": coded("identity", PAGE),
    "/br": coded("br", b"\x8b\x02\x80hello\x03"),
    "/zstd": coded("zstd", b"\x28\xb5\x2f\xfd\x04\x00"),
    "/gzip-twice": coded("gzip, gzip", gzip.compress(GZIPPED, mtime=0)),
    "/gzip-claimed": coded("gzip", PAGE),
    "/gzip-cut": coded("gzip", GZIPPED[:-40]),
    "/gzip-crc": coded("gzip", GZIPPED[:-8] + b"\0\0\0\0" + GZIPPED[-4:]),
    "/gzip-garbled": coded("gzip", GZIPPED[:20] + b"\xff" * 40 + GZIPPED[60:]),
    "/gzip-members": coded("gzip", gzip.compress(PAGE[:100], mtime=0) + gzip.compress(PAGE[100:], mtime=0)),
    "/gzip-padded": coded("gzip", GZIPPED + b"\0" * 50),
    "/gzip-empty": coded("gzip", b""),
    "/gzip-redirect": Reply(301, b"", {"Location": "/", "Content-Encoding": "br"}),
    "/gzip-slow": Reply(
        steps=lambda: [
            OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(GZIPPED),
            *(step for at in range(len(GZIPPED)) for step in (GZIPPED[at : at + 1], 0.0)),
        ]
    ),
    "/bomb": lambda _: coded("gzip", bomb()),
    "/bomb-members": lambda _: coded("gzip", members_bomb()),
    # bodies
    "/endless": Reply(steps=endless),
    "/short-body": script(OK + b"Content-Length: 100\r\n\r\nonly this", End.CLOSE),
    "/until-close": script(OK + b"Content-Type: text/plain\r\n\r\nuntil the end", End.CLOSE),
    "/chunked": chunked(b"one ", b"two ", b"three"),
    "/chunked-trailers": chunked(b"body", last=b"0\r\nX-Robots-Tag: noindex\r\n\r\n"),
    "/chunked-cut": chunked(b"one ", last=b"fff\r\nhal"),
    "/chunked-closed": Reply(
        steps=lambda: [OK + b"Transfer-Encoding: chunked\r\n\r\n4\r\none \r\nfff\r\nhal", End.CLOSE]
    ),
    "/chunked-bad": chunked(b"one ", last=b"zz\r\nnothing\r\n"),
    "/two-lengths": script(OK + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\nok"),
    "/unlike-lengths": script(OK + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nok", End.CLOSE),
    # breaks and waits
    "/close-at-once": script(End.CLOSE),
    "/reset-at-once": script(End.RESET),
    "/reset-in-headers": script(OK + b"Content-Type: text/html\r\n", 0.05, End.RESET),
    "/reset-in-body": script(OK + b"Content-Length: 100\r\n\r\nonly this", 0.05, End.RESET),
    "/silent": script(End.SILENCE),
    "/silent-in-headers": script(OK + b"Content-Type: text/html\r\n", End.SILENCE),
    "/silent-in-body": script(OK + b"Content-Length: 100\r\n\r\nonly this", End.SILENCE),
    "/drip-status": Reply(steps=lambda: [*(s for b in OK * 9 for s in (bytes([b]), 0.5))]),
    "/drip-headers": Reply(steps=drip(OK, b"X: y\r\n")),
    "/drip-body": Reply(steps=drip(OK + b"Content-Length: 100000\r\n\r\n", b"x")),
    "/late": Reply(200, b"late", wait_s=0.3),
    # header lines
    "/repeated": Reply(
        200,
        b"ok",
        (
            ("X-Robots-Tag", "noindex"),
            ("X-Robots-Tag", "googlebot: nofollow"),
            ("Link", '<https://example.com/a>; rel="canonical"'),
            ("x-MiXed", "  kept  "),
            ("Link", "</b>; rel=alternate; hreflang=de"),
        ),
    ),
    "/latin-1": script(OK + b"Content-Length: 2\r\nX-Name: caf\xe9\r\nX-Nbsp: \xa0a\xa0\r\n\r\nok"),
    "/odd-name": script(OK + b"Content-Length: 2\r\nBad Header: x\r\nX-Robots-Tag: noindex\r\n\r\nok"),
    "/no-colon": script(OK + b"Content-Length: 2\r\nnonsense\r\nX-Robots-Tag: noindex\r\n\r\nok", End.CLOSE),
    "/folded": script(OK + b"Content-Length: 2\r\nX-Long: one,\r\n\ttwo,\r\n  three\r\nX-Next: n\r\n\r\nok"),
    "/bare-lf": script(b"HTTP/1.1 200 OK\nContent-Length: 2\nX-Robots-Tag: noindex\n\nok"),
    "/nul": script(OK + b"Content-Length: 2\r\nX-Nul: a\0b\r\n\r\nok", End.CLOSE),
    "/empty-value": script(OK + b"Content-Length: 2\r\nX-Robots-Tag:\r\n\r\nok"),
    "/cookie": Reply(200, b"ok", (("Set-Cookie", "a=1"), ("Set-Cookie", "b=2; Path=/"))),
    "/flood-lines": Reply(steps=flood(b"X: y\r\n", 100_000)),
    "/flood-bytes": Reply(steps=flood(b"X: " + b"y" * 4_000 + b"\r\n", 400)),
    "/long-line": script(OK + b"X: " + b"y" * 2_000_000 + b"\r\nContent-Length: 2\r\n\r\nok", End.CLOSE),
    "/interim": script(
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nX-Robots-Tag: noindex\r\n\r\n",
        0.02,
        OK + b"Content-Length: 2\r\nX-Final: yes\r\n\r\nok",
    ),
    "/interim-only": script(
        b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n", 0.02, End.CLOSE
    ),
    "/interim-flood": Reply(steps=lambda: [b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n" * 1_000, End.SILENCE]),
    # status lines
    "/http-1.0": script(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", End.CLOSE),
    "/no-reason": script(b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok"),
    "/status-999": script(b"HTTP/1.1 999 Request Denied\r\nContent-Length: 2\r\n\r\nok"),
    "/status-odd": script(b"HTTP/1.1 abc Odd\r\nContent-Length: 2\r\n\r\nok", End.CLOSE),
    "/http-0.9": script(b"<html>no headers at all</html>", End.CLOSE),
    "/not-http": script(b"SSH-2.0-OpenSSH_9.2\r\n", End.CLOSE),
    # redirects
    "/moved": Reply.to("/"),
    "/see-other": Reply.to("/", 303),
    "/found": Reply.to("/", 302),
    "/temporary": Reply.to("/", 307),
    "/permanent": Reply.to("/", 308),
    "/choices": Reply.to("/", 300),
    "/not-modified": Reply(304),
    "/deep/relative": located(b"../gzip"),
    "/to-query": located(b"?a=1"),
    "/to-protocol-relative": located(b"//other.example/x"),
    "/to-other-host": located(b"https://other.example/"),
    "/to-http": located(b"http://truth.example/"),
    "/to-fragment": located(b"/gzip#part"),
    "/to-own-fragment": located(b"#part"),
    "/to-utf-8": located("/caf\u00e9?q=\u00fc".encode()),
    "/to-latin-1": located(b"/caf\xe9"),
    "/to-idn": located("https://b\u00fccher.example/".encode()),
    "/to-blanks": located(b" \t/a b \t"),
    "/to-backslash": located(b"\\\\other.example\\x"),
    "/to-user-info": located(b"https://user:secret@other.example/"),
    "/to-empty": located(b""),
    "/to-nowhere": located(),
    "/to-nonsense": located(b"http://[::1"),
    "/to-file": located(b"file:///etc/passwd"),
    "/to-javascript": located(b"JaVaScRiPt:alert(1)"),
    "/to-mail": located(b"mailto:a@example.com"),
    "/to-data": located(b"data:text/html,hello"),
    "/to-long": located(b"/" + b"a" * 60_000),
    "/to-two": located(b"/gzip", b"/deflate"),
    "/to-private": located(b"http://10.0.0.1/"),
    "/to-self": Reply.to("/to-self"),
    "/to-self-with-cookie": Reply(302, b"", (("Location", "/to-self-with-cookie"), ("Set-Cookie", "seen=1"))),
    "/loop-a": Reply.to("/loop-b"),
    "/loop-b": Reply.to("/loop-a", 302),
    "/redirect-with-body": Reply(301, PAGE, {"Location": "/"}),
    "/redirect-short-body": script(
        b"HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Length: 100\r\n\r\nshort", End.CLOSE
    ),
}


def truth_site(seen: Seen) -> Reply:
    """All of PATHS, and the numbered paths."""
    path = seen.path.split("?", 1)[0]
    reply = PATHS.get(seen.path) or PATHS.get(path)
    if reply is not None:
        return reply(seen) if callable(reply) else reply
    _, kind, number, *_ = [*path.split("/"), "", "", ""]
    if number.isdigit():
        if kind == "status":
            return Reply(int(number), b"" if int(number) in (204, 205, 304) else b"status page")
        if kind == "body":
            return Reply(200, b"x" * int(number), {"Content-Type": "text/plain"})
        if kind == "body-gzip":
            return Reply(200, b"x" * int(number), {"Content-Type": "text/plain"}, gzip=True)
        if kind == "chain":
            return Reply.to(f"/chain/{int(number) - 1}" if int(number) > 1 else "/")
    return Reply.html("<title>Not found</title>", 404)


TRUTH = {"*": truth_site}
