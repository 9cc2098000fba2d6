"""Encodings and packing of sitemaps, and any bytes in any pieces."""

from __future__ import annotations

import gzip
import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitemap_audit.facts import SitemapKind, SitemapState
from sitemap_audit.formats.sitemap import SitemapEnd
from tests.depth import examples
from tests.formats.sitemap_reading import NS, kinds, read, urlset

# Encodings


@pytest.mark.parametrize(
    ("encoding", "declared", "ok", "problems"),
    [
        ("utf-8", "utf-8", True, []),
        ("utf-8", "UTF8", True, []),
        ("utf-8-sig", "utf-8", True, []),
        ("utf-8", None, True, []),
        ("ascii", "US-ASCII", True, []),
        ("utf-16", "utf-16", False, ["not-utf8"]),
        ("utf-16-le", "utf-16", False, ["not-utf8"]),
        ("utf-16-be", "utf-16", False, ["not-utf8"]),
        ("utf-32", "utf-32", False, ["not-utf8"]),
        ("iso-8859-2", "ISO-8859-2", False, ["not-utf8"]),
        ("windows-1251", "windows-1251", False, ["not-utf8"]),
        ("shift_jis", "Shift_JIS", False, ["not-utf8"]),
        ("gb18030", "gb18030", False, ["not-utf8"]),
        ("utf-8", "utf-16", True, ["encoding-contradiction"]),
        ("utf-16", "utf-8", False, ["encoding-contradiction", "not-utf8"]),
        ("utf-8", "klingon", True, ["encoding-unknown"]),
        ("utf-8", "zlib", True, ["encoding-unknown"]),
        ("utf-8", "unicode_escape", True, ["encoding-unknown"]),
    ],
)
def test_encodings(encoding: str, declared: str | None, ok: bool, problems: list[str]) -> None:
    letter = {"iso-8859-2": "ł", "windows-1251": "ж", "shift_jis": "あ", "gb18030": "中", "ascii": "a"}.get(
        encoding, "ż"
    )
    said = "" if declared is None else f' encoding="{declared}"'
    text = f'<?xml version="1.0"{said}?>\n<urlset {NS}>\n<url><loc>https://example.com/{letter}</loc></url></urlset>'
    data = text.encode(encoding)
    for cuts in (None, list(range(len(data)))):
        entries, file = read(data, cuts)
        assert [(e.line, e.loc_raw) for e in entries] == [(3, f"https://example.com/{letter}")]
        assert (file.encoding_decl, file.encoding_ok, kinds(file)) == (declared, ok, problems)
        assert file.xml_error is None
        assert file.state is SitemapState.OK
    assert file.bom is (encoding in ("utf-8-sig", "utf-16", "utf-32"))


def test_utf16_text() -> None:
    entries, file = read("https://example.com/a\r\nhttps://example.com/ż\r\n".encode("utf-16"))
    assert [(e.line, e.loc_raw) for e in entries] == [
        (1, "https://example.com/a"),
        (2, "https://example.com/ż"),
    ]
    assert (file.kind, file.bom, kinds(file)) == (SitemapKind.TEXT, True, ["not-utf8"])


@pytest.mark.parametrize("declared", ["utf-8", "euc-jp", "utf-16"])
def test_bytes_that_are_not_of_the_encoding(declared: str) -> None:
    head = f'<?xml version="1.0" encoding="{declared}"?>\n<urlset {NS}><url><loc>https://example.com/</loc></url>\n'
    codec = "utf-16-le" if declared == "utf-16" else "ascii"
    bad = b"\x00\xdc" if declared == "utf-16" else b"\xff\xff"
    data = head.encode(codec) + "<url><loc>".encode(codec) + bad + "</loc></url></urlset>".encode(codec)
    entries, file = read(data)
    assert len(entries) == 1
    assert file.state is SitemapState.PARTIAL
    assert file.xml_error is not None
    assert (file.xml_error.line, file.xml_error.column) == (3, 11)
    assert not file.encoding_ok
    assert "not-utf8" in kinds(file)


def test_invalid_bytes_in_text_are_named() -> None:
    entries, file = read(b"https://example.com/a\nhttps://example.com/\xe9\n")
    assert len(entries) == 2
    assert not file.encoding_ok
    assert kinds(file) == ["not-utf8"]


# Packing


def test_gzip() -> None:
    data = urlset(3)
    packed = gzip.compress(data)
    entries, file = read(packed, end=SitemapEnd(status=200, bytes_wire=len(packed)))
    assert len(entries) == 3
    assert (file.gzip, file.bytes_wire, file.bytes_xml) == (True, len(packed), len(data))
    assert file.sha256 == hashlib.sha256(data).hexdigest()


def test_a_second_layer_is_not_read() -> None:
    entries, file = read(gzip.compress(gzip.compress(urlset(1))))
    assert entries == []
    assert (file.kind, file.state, kinds(file)) == (SitemapKind.UNKNOWN, SitemapState.FAILED, ["gzip-twice"])


@pytest.mark.parametrize(
    ("data", "problem", "complete"),
    [
        (gzip.compress(urlset(2_000))[:-2_000], "gzip-truncated", False),
        (gzip.compress(urlset(2_000))[:-4] + b"\0\0\0\0", "gzip-checksum", True),
    ],
)
def test_damaged_gzip_is_partial_and_no_fault_of_the_xml(data: bytes, problem: str, complete: bool) -> None:
    entries, file = read(data)
    assert len(entries) > 1_000
    assert (file.state, file.complete, kinds(file)) == (SitemapState.PARTIAL, complete, [problem])
    assert file.xml_error is None


# Any bytes, any cut


FILES = [
    urlset(5),
    gzip.compress(urlset(5)),
    gzip.compress(urlset(50))[:-30],
    urlset(3).decode().encode("utf-16"),
    b"https://example.com/a\r\n/b\r\n# c\r\nhttps://example.com/\xff",
    b"<rss><channel><item><link>https://example.com/a</link></item></channel></rss>",
    b"<!doctype html><p>",
    urlset(2) + b"junk",
    b"\xff\xfe",
    b'{"a": 1}',
]


@settings(max_examples=examples(150))
@given(st.data())
def test_cuts_change_nothing(data: st.DataObject) -> None:
    file = data.draw(st.sampled_from(FILES))
    cuts = data.draw(st.lists(st.integers(0, len(file)), max_size=8))
    assert read(file, cuts) == read(file)


def test_cuts_change_nothing_in_a_large_file() -> None:
    data = urlset(3_000, "<!-- </url> -->\n<url><loc>ż</loc></url>" * 50 + "<url/>") + b"junk"
    whole = read(data)
    assert whole[1].xml_error is not None
    assert len(whole[0]) == 3_051
    for step in (997, 4_096, 65_537):
        assert read(data, list(range(0, len(data), step))) == whole


@settings(max_examples=examples(150))
@given(st.data())
def test_mutated_files_never_raise_and_are_never_silent(data: st.DataObject) -> None:
    file = bytearray(data.draw(st.sampled_from(FILES)))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, max(0, len(file) - 1)))
        file[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    _, fact = read(bytes(file))
    if fact.state is not SitemapState.OK:
        assert fact.xml_error is not None or fact.problems


@given(st.binary(max_size=300))
def test_arbitrary_bytes_never_raise(data: bytes) -> None:
    read(data)
    read(data, url="https://example.com/sitemap.txt")
