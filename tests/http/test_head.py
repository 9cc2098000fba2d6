"""Header lines → names and values, kept as they were sent."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.http.head import _read_block, is_interim, last_block, read_head


def lines(text: bytes) -> list[bytes]:
    return text.splitlines(keepends=True)


def test_names_are_lowered_values_trimmed_order_and_repeats_kept() -> None:
    head = read_head(lines(b"HTTP/1.1 200 OK\r\nX-A:  1 \r\nB:\t2\r\nx-a:3\r\nEmpty:\r\nC: a:b\r\n\r\n"))
    assert head.headers == (("x-a", "1"), ("b", "2"), ("x-a", "3"), ("empty", ""), ("c", "a:b"))
    assert (head.coding, head.set_cookie) == (None, False)


def test_values_are_latin_1_and_lose_http_blanks_only() -> None:
    head = read_head(lines(b"HTTP/1.1 200 OK\r\nX: caf\xe9\r\nY: \xa0a\x85\r\n\r\n"))
    assert head.headers == (("x", "café"), ("y", "\xa0a\x85"))


def test_a_folded_line_belongs_to_the_one_before() -> None:
    head = read_head(lines(b"HTTP/1.1 200 OK\r\nX: one,\r\n\ttwo,\r\n   three\r\nY: n\r\n\r\n"))
    assert head.headers == (("x", "one, two, three"), ("y", "n"))


def test_codings_and_cookies_are_noticed() -> None:
    head = read_head(
        lines(b"HTTP/1.1 200 OK\nContent-Encoding: gzip\nSET-COOKIE: a=b\ncontent-encoding: BR\n\n")
    )
    assert (head.coding, head.set_cookie) == ("gzip, BR", True)
    quoted = read_head(lines(b"HTTP/1.1 200 OK\r\nX: set-cookie\r\nSet-Cookie-Not: 1\r\n\r\n"))
    assert (quoted.coding, quoted.set_cookie) == (None, False)


def test_the_last_block_counts_and_trailers_do_not() -> None:
    sent = lines(
        b"HTTP/1.1 103 Early Hints\r\nX: early\r\n\r\nHTTP/1.1 200 OK\r\nX: final\r\n\r\nX: trailer\r\n\r\n"
    )
    assert last_block(sent) == [b"HTTP/1.1 200 OK\r\n", b"X: final\r\n"]
    assert read_head(sent).headers == (("x", "final"),)


def test_interim_blocks() -> None:
    assert is_interim([b"HTTP/1.1 100 Continue\r\n"])
    assert is_interim([b"HTTP/2 103\r\n"])
    assert not is_interim([b"HTTP/1.1 101 Switching Protocols\r\n"])
    assert not is_interim([b"HTTP/1.1 200 OK\r\n"])
    assert not is_interim([b"HTTP/1.1\r\n"])
    assert not is_interim([])


LINE = st.binary(max_size=30).map(lambda data: data.replace(b"\n", b"") + b"\n")


@given(st.lists(LINE, max_size=12))
def test_never_raises_and_never_invents(block: list[bytes]) -> None:
    headers = read_head(block).headers
    assert len(headers) <= len(block)
    folded = any(line[:1] in (b" ", b"\t") for line in block)
    sent = b"".join(block).decode("latin-1").lower()
    assert folded or all(name in sent for name, _ in headers)


LINES = st.sampled_from(
    [
        b"A: 1\r\n",
        b"b:2\n",
        b" folded\r\n",
        b"\tfolded\n",
        b"no colon\r\n",
        b"C:\xe9 \r\n",
        b"Set-Cookie: x\r\n",
        b"half",
        b"\r\n",
        b"HTTP/1.1 200 OK\r\n",
        b"two: 1\r\nlines: 2\r\n",
        b": x\r\n",
        b"\n",
        b"long: " + b"x" * 4096 + b"\r\n",
    ]
)


@given(st.lists(LINES, max_size=10))
def test_lines_that_are_remembered_read_the_same(sent: list[bytes]) -> None:
    sent = [b"HTTP/1.1 200 OK\r\n", *sent, b"\r\n"]
    assert read_head(sent).headers == tuple(_read_block(last_block(sent)))
