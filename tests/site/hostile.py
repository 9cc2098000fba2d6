"""Answers that attack the reader: bombs, floods, odd headers, odd documents; and what must come of each.

`THREATS` is read by tests/http/test_hostile.py (the facts, quickly) and by benchmarks/bombs.py (with times and
memory). A threat is served under its own path by `hostile_site`; slow peers are in tests/site/truth.py.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Final, NamedTuple

from isal import isal_zlib

from sitemap_audit.facts import SitemapFile
from sitemap_audit.formats.page import PageSignals, read_page
from sitemap_audit.formats.robots import read_robots
from sitemap_audit.http import Answer
from tests.site.server import End, Reply, Seen
from tests.site.truth import OK, bomb, coded, endless, flood, members_bomb, script

HTML: Final = {"Content-Type": "text/html; charset=utf-8"}
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
MIB: Final = 1 << 20


class Threat(NamedTuple):
    """`row`: of the threat table; `kind`: page, sitemap or robots; `make`: the answer; `fact`: what is said of it."""

    name: str
    row: int
    kind: str
    make: Callable[[], Reply]
    fact: str


def page(body: bytes, **headers: str) -> Reply:
    return Reply(200, body, {**HTML, **{name.replace("_", "-"): value for name, value in headers.items()}})


def head(lines: bytes) -> Reply:
    return script(
        OK + b"Content-Type: text/html\r\n" + lines + b"Content-Length: 16\r\n\r\n<title>t</title>", End.CLOSE
    )


def xml(body: bytes) -> Reply:
    return Reply(200, body, {"Content-Type": "application/xml"})


@cache
def deflate_bomb() -> bytes:
    """1 GiB of zeros in the zlib format."""
    packer = isal_zlib.compressobj(1, isal_zlib.DEFLATED, 15)
    block = bytes(1 << 24)
    return b"".join(packer.compress(block) for _ in range(64)) + packer.flush()


@cache
def bomb_in_bomb() -> bytes:
    """The 1 GiB gzip file, packed once more: a few kB."""
    return gzip.compress(bomb(), 9, mtime=0)


def long_loc() -> Iterator[bytes | float | End]:
    """A sitemap with one good entry and one loc of 60 MB."""
    yield OK + b"Content-Type: application/xml\r\n\r\n" + SM + URL + b"<url><loc>"
    for _ in range(60):
        yield b"a" * 1_000_000
    yield b"</loc></url></urlset>"
    yield End.CLOSE


@cache
def zeros_packed() -> tuple[bytes, ...]:
    """A gzip member of 1 GiB that does not end, in pieces of 16 MiB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return tuple(packer.compress(bytes(1 << 24)) + packer.flush(zlib.Z_SYNC_FLUSH) for _ in range(4))


def endless_gzip() -> Iterator[bytes | float | End]:
    """A gzip body without end: 16 MiB of zeros a step; the first four are whole deflate blocks that may repeat."""
    yield OK + b"Content-Type: text/html\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    first, *rest = zeros_packed()
    yield b"%x\r\n%b\r\n" % (len(first), first)
    while True:
        for data in rest:
            yield b"%x\r\n%b\r\n" % (len(data), data)


SM: Final = b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
URL: Final = b"<url><loc>http://a.example/</loc></url>"


def entities(levels: int) -> bytes:
    """Billion laughs."""
    lines = [b'<!ENTITY e0 "ha">'] + [
        b'<!ENTITY e%d "%b">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, levels)
    ]
    return b'<?xml version="1.0"?><!DOCTYPE u [' + b"".join(lines) + b"]><u>&e%d;</u>" % (levels - 1)


XXE = (
    b'<?xml version="1.0"?><!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>&x;</loc></url></urlset>'
)
QUADRATIC = (
    b'<?xml version="1.0"?><!DOCTYPE u [<!ENTITY a "' + b"a" * 50_000 + b'">]><u>' + b"&a;" * 50_000 + b"</u>"
)
FORMATTING = b"<p>" + b"".join(b"<b id=%d>" % n for n in range(500)) + b"</p>" + b"<p>x</p>" * 4_000


def _endless_gzip() -> Reply:
    zeros_packed()
    return Reply(steps=endless_gzip)


THREATS: Final = (
    # compression
    Threat("gzip bomb, 1 GiB", 7, "page", lambda: coded("gzip", bomb()), "200, cut, 2097152 B, binary"),
    Threat("gzip bomb of 1,024 members", 7, "page", lambda: coded("gzip", members_bomb()), "200, cut, 2097152 B, binary"),
    Threat("deflate bomb, 1 GiB", 7, "page", lambda: coded("deflate", deflate_bomb()), "200, cut, 2097152 B, binary"),
    Threat("gzip bomb without end", 7, "page", _endless_gzip, "200, cut, 2097152 B, binary"),
    Threat("gzip of a gzip bomb, named twice", 7, "page", lambda: coded("gzip, gzip", bomb_in_bomb()), "200, content_encoding, content coding 'gzip, gzip' was not asked for"),
    Threat("br that nobody asked for", 7, "page", lambda: coded("br", b"\x8b\x02\x80hello\x03" * 9_999), "200, content_encoding, content coding 'br' was not asked for"),
    Threat("zstd that nobody asked for", 7, "page", lambda: coded("zstd", b"\x28\xb5\x2f\xfd" * 9_999), "200, content_encoding, content coding 'zstd' was not asked for"),
    Threat("gzip bomb as a sitemap", 7, "sitemap", lambda: coded("gzip", bomb()), "200 failed, 0 entries, 104857600 B, stopped by us, binary, stopped-too-large"),
    Threat("gzip file bomb in gzip transfer", 7, "sitemap", lambda: coded("gzip", bomb_in_bomb()), "200 failed, 0 entries, 104857600 B, stopped by us, binary, stopped-too-large"),
    # size
    Threat("page without end", 6, "page", lambda: Reply(steps=endless), "200, cut, 2097152 B, text"),
    Threat("page of 2 MiB and a byte", 6, "page", lambda: page(b"<title>t</title>" + b"x" * (2 * MIB - 15)), "200, cut, 2097152 B, html, utf-8, title of 1"),
    # headers
    Threat("100,000 header lines", 10, "page", lambda: Reply(steps=flood(b"X: y\r\n", 100_000)), "200, too_large, more than 500 lines or 262144 bytes of headers"),
    Threat("1.6 MB of headers", 10, "page", lambda: Reply(steps=flood(b"X: " + b"y" * 4_000 + b"\r\n", 400)), "200, too_large, more than 500 lines or 262144 bytes of headers"),
    Threat("a header line of 2 MB", 10, "page", lambda: head(b"X: " + b"y" * 2_000_000 + b"\r\n"), "200, too_large, a header line, or all of them together, is longer than libcu"),
    Threat("Location of 1 MiB", 10, "page", lambda: Reply.to("/" + "l" * MIB), "301, too_large, a header line, or all of them together, is longer than libcu"),
    Threat("Location of 200 KiB", 10, "page", lambda: Reply.to("/" + "l" * 200 * 1024), "301, too_large, a header line, or all of them together, is longer than libcu"),
    Threat("NUL in a header", 10, "page", lambda: head(b"X-Robots-Tag: no\0index\r\n"), "200, bad_http, NUL byte in header"),
    Threat("control bytes in a header", 10, "page", lambda: head(b"X-Robots-Tag: \x01\x1b[31mnoindex\x7f\r\n"), "200, 16 B, html, utf-8, title of 1"),
    Threat("bare CR in a header", 10, "page", lambda: head(b"X-Robots-Tag: a\rX-Evil: noindex\r\n"), "200, bad_http, Carriage return found in header"),
    Threat("1,000 interim answers", 10, "page", lambda: Reply(steps=lambda: [b"HTTP/1.1 103 E\r\nX: y\r\n\r\n" * 1_000, End.SILENCE]), "no status, too_large, more than 500 lines or 262144 bytes of headers"),
    Threat("X-Robots-Tag of 200 KiB", 10, "page", lambda: page(b"<title>t</title>", X_Robots_Tag="noindex," * 25_000), "200, too_large, a header line, or all of them together, is longer than libcu"),
    Threat("Link of 200 KiB, 6,000 targets", 10, "page", lambda: page(b"<title>t</title>", Link=", ".join(['</a>; rel="canonical"'] * 6_000)), "200, too_large, a header line, or all of them together, is longer than libcu"),
    Threat("Link of quotes and backslashes", 10, "page", lambda: page(b"<title>t</title>", Link='</a>; rel="' + "\\" * 100_000), "200, 16 B, html, utf-8, title of 1"),
    Threat("Refresh of 200 KB of digits", 10, "page", lambda: page(b"<title>t</title>", Refresh="1" * 100_000 + "." + "1" * 100_000), "200, too_large, a header line, or all of them together, is longer than libcu"),
    # expensive HTML
    Threat("200,000 nested elements", 22, "page", lambda: page(b"<div>" * 200_000), "200, 1000000 B, html, refused: tags, utf-8"),
    Threat("nested behind closers in comments", 22, "page", lambda: page(b"<div><!--</div>-->" * 100_000), "200, 1800000 B, html, refused: depth, utf-8"),
    Threat("formatting elements opened again", 22, "page", lambda: page(FORMATTING), "200, 36897 B, html, refused: memory, utf-8"),
    Threat("a million attributes of one tag", 22, "page", lambda: page(b"<a" + b" a" * 1_000_000 + b">"), "200, 2000003 B, html, refused: attributes, utf-8"),
    Threat("50,000 different attributes", 22, "page", lambda: page(b"<a " + b" ".join(b"a%d" % n for n in range(50_000)) + b">"), "200, 338893 B, html, refused: attributes, utf-8"),
    Threat("349,000 metas", 22, "page", lambda: page(b"<meta>" * 349_000), "200, 2094000 B, html, refused: tags, utf-8"),
    Threat("20,000 canonicals", 22, "page", lambda: page(b"<title>t</title>" + b"<link rel=canonical href=/a>" * 20_000), "200, 560016 B, html, refused: tags, utf-8, title of 1, canonical other"),
    Threat("title of 2 MB", 22, "page", lambda: page(b"<title>" + b"t" * 2_000_000 + b"</title>"), "200, 2000015 B, html, utf-8, title of 512"),
    Threat("title that never ends", 22, "page", lambda: page(b"<title>" + b"<b>" * 600_000), "200, 1800007 B, html, refused: tags, utf-8"),
    Threat("data: URI of 1 MB as canonical", 22, "page", lambda: page(b'<title>t</title><link rel=canonical href="data:text/html,' + b"x" * 1_000_000 + b'">'), "200, 1000059 B, html, utf-8, title of 1, canonical invalid"),
    Threat("a comment that never ends", 22, "page", lambda: page(b"<title>t</title><!--" + b"-" * 2_000_000), "200, 2000020 B, html, utf-8, title of 1"),
    Threat("2 MB of <", 22, "page", lambda: page(b"<" * 2_000_000), "200, 2000000 B, text, utf-8"),
    Threat("2 MB of NUL", 22, "page", lambda: page(b"\0" * 2_000_000), "200, 2000000 B, binary"),
    Threat("a million attributes inside svg", 22, "page", lambda: page(b"<html><svg><a" + b" a" * 1_000_000 + b"/>"), "200, 2000015 B, html, refused: attributes, utf-8"),
    # charsets
    Threat("invalid UTF-8 all over", 22, "page", lambda: page(b"<title>t</title>" + b"\xff\xfe\xc3(" * 250_000), "200, 1000016 B, html, utf-8, 750000 decode errors, title of 1"),
    Threat("latin-1 that says UTF-8", 22, "page", lambda: page("<title>café</title>".encode("latin-1")), "200, 19 B, html, utf-8, 1 decode errors, title of 4"),
    Threat("UTF-16 with BOM that says UTF-8", 22, "page", lambda: page("\ufeff<title>naïve</title>".encode("utf-16-le")), "200, 42 B, html, utf-16le, title of 5"),
    Threat("UTF-16 without BOM", 22, "page", lambda: Reply(200, "<title>naïve</title>".encode("utf-16-le"), {"Content-Type": "text/html"}), "200, 40 B, binary"),
    Threat("UTF-16 in its header", 22, "page", lambda: Reply(200, "<title>naïve</title>".encode("utf-16-be"), {"Content-Type": "text/html; charset=utf-16be"}), "200, 40 B, html, utf-16be, title of 5"),
    Threat("a charset that nobody knows", 22, "page", lambda: Reply(200, "<title>naïve</title>".encode(), {"Content-Type": "text/html; charset=klingon"}), "200, 21 B, html, utf-8, title of 5"),
    Threat("charset of 100 KB", 22, "page", lambda: Reply(200, b"<title>t</title>", {"Content-Type": "text/html; charset=" + "x" * 100_000}), "200, 16 B, html, utf-8, title of 1"),
    Threat("UTF-7", 22, "page", lambda: Reply(200, b"<title>t</title>+ADw-script+AD4-", {"Content-Type": "text/html; charset=utf-7"}), "200, 32 B, html, utf-8, title of 1"),
    Threat("PDF that says HTML", 22, "page", lambda: page(b"%PDF-1.7\n" + b"\0" * 1_000), "200, 1009 B, pdf"),
    Threat("HTML that says PDF", 22, "page", lambda: Reply(200, b"<!doctype html><title>t</title>", {"Content-Type": "application/pdf"}), "200, 31 B, html"),
    # XML
    Threat("billion laughs", 5, "sitemap", lambda: xml(entities(10)), "200 failed, 0 entries, 559 B, a DOCTYPE with declarations of its own: not read on (our lim"),
    Threat("quadratic entities", 5, "sitemap", lambda: xml(QUADRATIC), "200 failed, 0 entries, 200057 B, a DOCTYPE with declarations of its own: not read on (our lim"),
    Threat("external entity", 5, "sitemap", lambda: xml(XXE), "200 failed, 0 entries, 169 B, a DOCTYPE with declarations of its own: not read on (our lim"),
    Threat("loc of 60 MB", 5, "sitemap", lambda: Reply(steps=long_loc), "200 ok, 2 entries, 60000151 B, text-too-long"),
    Threat("200,000 nested elements (XML)", 5, "sitemap", lambda: xml(SM + URL + b"<a>" * 200_000), "200 partial, 1 entries, 600120 B, more than 32 elements inside each other: not read on (our li, unknown-element"),
    Threat("200,000 attributes (XML)", 5, "sitemap", lambda: xml(SM + URL + b"<url " + b" ".join(b'a%d=""' % n for n in range(200_000)) + b"/></urlset>"), "200 partial, 1 entries, 2089025 B, more than 64 attributes in one tag: not read on (our limit)"),
    Threat("UTF-16 sitemap that says UTF-8", 5, "sitemap", lambda: xml((SM + URL + b"</urlset>").decode().encode("utf-16")), "200 ok, 1 entries, 260 B, not-utf8"),
    # robots.txt
    Threat("robots.txt of 1 MB of stars", 21, "robots", lambda: Reply.text("User-agent: *\n" + "Disallow: /" + "*a" * 500_000), "200, cut at 512000, 2 lines, 1 rules"),
    Threat("robots.txt of NULs", 21, "robots", lambda: Reply.text("\0" * 600_000), "200, cut at 512000, 1 lines, 0 rules"),
)  # fmt: skip


@cache
def _made(number: int) -> Reply:
    return THREATS[number].make()


def hostile_site(seen: Seen) -> Reply:
    """`/N` is threat number N."""
    number = seen.path.strip("/")
    return _made(int(number)) if number.isdigit() else page(b"<title>warm</title>")


def prepared(number: int) -> str:
    """The path of a threat whose answer is ready, so that making it is measured nowhere."""
    _made(number)
    return f"/{number}"


def page_fact(answer: Answer) -> str:
    """What the product records of a page, in a few words."""
    words = [str(answer.status) if answer.status is not None else "no status"]
    if answer.error_class is not None:
        return ", ".join([*words, answer.error_class, (answer.error_detail or "")[:60]])
    words += ["cut"] * answer.truncated + [f"{len(answer.body)} B"]
    signals: PageSignals = read_page(
        answer.body,
        answer.headers,
        final_url=answer.url,
        status=answer.status or 0,
        bots=("googlebot",),
        now=NOW,
        truncated=answer.truncated,
    )
    words += [signals.sniffed_type or "", f"refused: {signals.head_refused}" * bool(signals.head_refused)]
    words += [
        signals.charset_used or "",
        f"{signals.decode_errors} decode errors" * bool(signals.decode_errors),
    ]
    words += [f"title of {len(signals.title)}" if signals.title is not None else ""]
    words += [f"canonical {signals.canonical_state}" if signals.canonical_state not in (None, "none") else ""]
    words += ["noindex" * any(d.noindex for d in (signals.directives or {}).values())]
    return ", ".join(word for word in words if word)


def sitemap_fact(file: SitemapFile, entries: int) -> str:
    """What the product records of a sitemap, in a few words."""
    words = [f"{file.status} {file.state}", f"{entries} entries", f"{file.bytes_xml} B"]
    words += ["stopped by us"] * file.stopped_by_us
    words += [str(file.xml_error.message)[:60] if file.xml_error is not None else ""]
    words += sorted({str(problem.kind) for problem in file.problems})
    return ", ".join(word for word in words if word)


def robots_fact(answer: Answer) -> str:
    """What the product records of a robots.txt, in a few words."""
    text = read_robots(answer.body)
    return f"{answer.status}, cut at {text.cut_at}, {text.lines} lines, {len(text.rules)} rules"
