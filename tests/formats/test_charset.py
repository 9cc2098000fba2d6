"""Encodings: which declaration wins, and the table of the Encoding Standard where Python's differs."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitemap_audit.formats.charset import body_offset, charset_name, declared_in, decode


@pytest.mark.parametrize(
    ("body", "http", "used"),
    [
        (b"abc", None, "utf-8"),
        (b"\xef\xbb\xbfabc", "iso-8859-2", "utf-8"),
        (b"\xff\xfea\0", "utf-8", "utf-16le"),
        (b"\xfe\xff\0a", None, "utf-16be"),
        (b"<meta charset=koi8-r>", "utf-8", "utf-8"),
        (b"<meta charset=koi8-r>", None, "koi8-r"),
        (b"<meta charset=koi8-r>", "no-such-charset", "koi8-r"),
        (b"<meta charset=utf-7>", None, "utf-8"),
        (b"<meta charset=utf-16>", None, "utf-8"),
        (b"abc", "latin1", "windows-1252"),
        (b"abc", " UTF8 ", "utf-8"),
    ],
)
def test_who_wins(body: bytes, http: str | None, used: str) -> None:
    assert decode(body, http).used == used


@pytest.mark.parametrize(
    ("start", "name"),
    [
        (b'<!doctype html><html lang=en><head><meta charset="ISO-8859-2">', "iso-8859-2"),
        (b"<META http-equiv=Content-Type content='text/html; charset=windows-1251'>", "windows-1251"),
        (b"<meta content='text/html; charset=\"koi8-r\"' http-equiv=content-type>", "koi8-r"),
        (b"<meta content='text/html; charset=koi8-r'>", None),
        (b"<meta name=x content=charset=koi8-r><meta charset=big5>", "big5"),
        (b"<!-- <meta charset=koi8-r> --><meta charset=big5>", "big5"),
        (b"<!--><meta charset=koi8-r>", "koi8-r"),
        (b"<a title='<meta charset=koi8-r>'><meta charset=big5>", "big5"),
        (b"<meta charset=nonsense><meta charset=big5>", "big5"),
        (b"<metadata charset=koi8-r>", None),
        (b"<meta charset=koi8-r", None),
        (b"<meta charset=x-user-defined>", "windows-1252"),
        (b"<?xml version='1.0' encoding='iso-8859-2'?><html>", "iso-8859-2"),
        (b"<?xml version='1.0' encoding='iso-8859-2'?><html><meta charset=big5>", "big5"),
        (b"charset=koi8-r", None),
        (b"", None),
    ],
)
def test_prescan(start: bytes, name: str | None) -> None:
    assert declared_in(start) == name


def test_a_meta_behind_1024_bytes_is_too_late() -> None:
    late = b"<!--" + b"x" * 1_020 + b"--><meta charset=koi8-r>"
    assert decode(late, None).meta is None


@pytest.mark.parametrize(
    ("charset", "body", "text"),
    [
        ("iso-8859-1", b"\x80\x81\xe4", "€\x81ä"),
        ("windows-1257", b"\x81\xa1", "\x81\ufffd"),
        ("iso-8859-5", b"\xd0", "а"),
        ("gb2312", "€€漢".encode("gb18030"), "€€漢"),
        ("gbk", b"\x815\xf47", "\u1e3f"),
        ("ks_c_5601-1987", "똠".encode("cp949"), "똠"),
        ("shift_jis", "①".encode("cp932"), "①"),
        ("utf-16le", "aä".encode("utf-16-le"), "aä"),
        ("x-user-defined", b"a\x80", "a\uf780"),
        ("hz-gb-2312", b"<b>abc", "\ufffd"),
    ],
)
def test_tables_of_the_standard(charset: str, body: bytes, text: str) -> None:
    assert decode(body, charset).doc.decode() == text


def test_names() -> None:
    assert charset_name("ISO-8859-1") == "windows-1252"
    assert charset_name(" X-Unknown ") == "x-unknown"
    both = decode(b"<meta charset=latin1>", "utf-8")
    assert (both.http, both.meta) == ("utf-8", "windows-1252")


@pytest.mark.parametrize(
    ("body", "charset", "errors"),
    [
        (b"ok \xc3\xa4", None, 0),
        (b"\xff\xfe\xfd"[1:], None, 2),
        ("a\ufffdb".encode(), None, 0),
        ("a\ufffdb".encode() + b"\xff", None, 1),
        (b"\xa1", "windows-1257", 1),
        (b"abc\xe4", None, 1),
    ],
)
def test_errors_are_counted(body: bytes, charset: str | None, errors: int) -> None:
    assert decode(b" " + body, charset).errors == errors


def test_a_character_cut_by_us_is_no_error() -> None:
    cut = decode("abcä".encode()[:-1], None, truncated=True)
    assert (cut.doc, cut.errors) == (b"abc", 0)
    assert decode("ab漢".encode("cp932")[:-1], "shift_jis", truncated=True).errors == 0
    assert decode("abcä".encode()[:-1], None).errors == 1


@given(
    st.binary(max_size=300),
    st.sampled_from([None, "utf-8", "latin1", "gbk", "big5", "euc-jp", "utf-16", "koi8-u"]),
)
@example(b"\xef\xbb\xbf\xff<a>\xff", None)
@example(b"\xff\xfe<", "iso-2022-jp")
def test_any_bytes_become_utf_8_and_offsets_stay_inside(body: bytes, charset: str | None) -> None:
    text = decode(body, charset)
    text.doc.decode()
    assert text.errors >= 0
    for offset in (0, len(text.doc) // 2, len(text.doc)):
        place = body_offset(text, body, offset)
        assert place is None or -1 < place <= len(body)


@pytest.mark.parametrize(
    ("charset", "codec", "bad", "letter"),
    [
        ("utf-8", "utf-8", b"", "é"),
        ("utf-8", "utf-8", b"\xff\xff", "é"),  # only UTF-8 tells places behind bad bytes
        ("latin1", "latin1", b"", "é"),
        ("utf-16le", "utf-16-le", b"", "é"),
        ("big5", "big5", b"", "漢"),
        ("gbk", "gbk", b"", "漢"),
    ],
)
def test_offsets_are_those_of_the_body(charset: str, codec: str, bad: bytes, letter: str) -> None:
    body = "<p>".encode(codec) + bad + letter.encode(codec)
    place = len(body)
    body += "<meta name=robots>".encode(codec)
    text = decode(body, charset)
    assert body_offset(text, body, text.doc.index(b"<meta")) == place


def test_offset_behind_a_byte_order_mark() -> None:
    body = b"\xef\xbb\xbf<p><meta>"
    assert body_offset(decode(body, None), body, 3) == 6
