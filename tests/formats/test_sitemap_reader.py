"""The door: from wire bytes to entries and the fact of the file, whatever the file is."""

from __future__ import annotations

import csv
import gzip
import hashlib
import pathlib
import resource
import time
from datetime import UTC, datetime, timedelta

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitemap_audit.facts import Entry, ErrorClass, SitemapFile, SitemapKind, SitemapSource, SitemapState
from sitemap_audit.formats.sitemap import SitemapEnd, SitemapReader
from sitemap_audit.formats.urls import url_id

URL = "https://example.com/sitemap.xml"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
OK = SitemapEnd(status=200, fetched_at=NOW)
CORPUS = pathlib.Path(__file__).parents[2].parent / "shared" / "corpus" / "files" / "sitemaps"


def read(
    data: bytes,
    cuts: list[int] | None = None,
    *,
    url: str = URL,
    end: SitemapEnd = OK,
    location: str | None = None,
    max_entries: int = 50_000,
    max_bytes: int = 52_428_800,
) -> tuple[list[Entry], SitemapFile]:
    reader = SitemapReader(
        url,
        source=SitemapSource.ROBOTS,
        now=NOW,
        location=location,
        max_entries=max_entries,
        max_bytes=max_bytes,
    )
    entries, start = [], 0
    for cut in [*sorted(cuts or []), len(data)]:
        entries += reader.feed(data[start:cut])
        start = cut
    last, file = reader.close(end)
    assert file.entries == len(entries) + len(last)
    return entries + last, file


def urlset(number: int, extra: str = "") -> bytes:
    entries = "".join(
        f"<url><loc>https://example.com/{n}</loc><lastmod>2026-11-0{1 + n % 9}</lastmod></url>\n"
        for n in range(number)
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NS}>\n{entries}{extra}</urlset>\n'.encode()


def kinds(file: SitemapFile) -> list[str]:
    return [problem.kind for problem in file.problems]


def test_the_fact_of_a_file() -> None:
    data = urlset(3)
    end = SitemapEnd(
        status=200,
        headers=(
            ("content-type", "application/xml"),
            ("date", "Mon, 30 Nov 2026 11:59:58 GMT"),
            ("age", "58"),
            ("last-modified", "Sun, 29 Nov 2026 00:00:00 GMT"),
            ("etag", '"x"'),
        ),
        bytes_wire=200,
        content_encoding="gzip",
        ttfb_ms=5,
        total_ms=9,
        fetched_at=NOW,
    )
    reader = SitemapReader(
        URL,
        source=SitemapSource.INDEX,
        parent="https://example.com/index.xml",
        depth=1,
        declared_in=["https://example.com"],
        now=NOW,
    )
    entries = reader.feed(data)
    last, file = reader.close(end)
    assert [e.position for e in entries + last] == [1, 2, 3]
    assert file == SitemapFile(
        file_id=url_id(URL),
        url=URL,
        url_key=URL,
        kind=SitemapKind.URLSET,
        source=SitemapSource.INDEX,
        parent="https://example.com/index.xml",
        declared_in=("https://example.com",),
        depth=1,
        state=SitemapState.OK,
        first_status=200,
        status=200,
        content_type="application/xml",
        content_encoding="gzip",
        bytes_wire=200,
        bytes_xml=len(data),
        complete=True,
        encoding_decl="UTF-8",
        root="urlset",
        namespaces={"": "http://www.sitemaps.org/schemas/sitemap/0.9"},
        entries=3,
        usable=3,
        sha256=hashlib.sha256(data).hexdigest(),
        loc_set_hash=file.loc_set_hash,
        lastmod_present=3,
        lastmod_min=datetime(2026, 11, 1, tzinfo=UTC),
        lastmod_max=datetime(2026, 11, 3, tzinfo=UTC),
        lastmod_distinct=3,
        lastmod_mode=datetime(2026, 11, 1, tzinfo=UTC),
        lastmod_mode_share=1 / 3,
        lastmod_day_mode_share=1 / 3,
        lastmod_window_share=0.0,
        date_http=datetime(2026, 11, 30, 11, 59, 58, tzinfo=UTC),
        age_s=58,
        last_modified_http=datetime(2026, 11, 29, tzinfo=UTC),
        etag='"x"',
        ttfb_ms=5,
        total_ms=9,
        fetched_at=NOW,
    )
    assert orjson.loads(orjson.dumps(file, option=orjson.OPT_UTC_Z))["kind"] == "urlset"


def test_the_serve_time_window_is_at_date_minus_age() -> None:
    stamp = "2026-11-30T11:00:00Z"
    data = (
        f"<urlset {NS}>"
        + f"<url><loc>https://example.com/</loc><lastmod>{stamp}</lastmod></url>" * 5
        + "</urlset>"
    )

    def share(*headers: tuple[str, str]) -> float | None:
        return read(data.encode(), end=SitemapEnd(status=200, headers=headers, fetched_at=NOW))[
            1
        ].lastmod_window_share

    assert share(("date", "Mon, 30 Nov 2026 11:01:00 GMT")) == 1
    assert share(("date", "Mon, 30 Nov 2026 12:00:00 GMT"), ("age", "3540")) == 1
    assert share(("date", "Mon, 30 Nov 2026 12:00:00 GMT")) == 0
    assert share(("date", "Mon, 30 Nov 2026 12:00:00 GMT"), ("age", "9" * 18)) == 0
    assert share() == 0
    assert (
        read(data.encode(), end=SitemapEnd(status=200, fetched_at=NOW - timedelta(hours=1)))[
            1
        ].lastmod_window_share
        == 1
    )


# What a file is


@pytest.mark.parametrize(
    ("data", "kind", "state", "problem"),
    [
        (urlset(1), SitemapKind.URLSET, SitemapState.OK, None),
        (urlset(0), SitemapKind.URLSET, SitemapState.OK, None),
        (
            f"<sitemapindex {NS}><sitemap><loc>https://example.com/1.xml</loc></sitemap></sitemapindex>".encode(),
            SitemapKind.INDEX,
            SitemapState.OK,
            None,
        ),
        (b"https://example.com/a\nhttps://example.com/b\n", SitemapKind.TEXT, SitemapState.OK, None),
        (b"\xef\xbb\xbfhttps://example.com/a", SitemapKind.TEXT, SitemapState.OK, None),
        (b"<rss version='2.0'><channel/></rss>", SitemapKind.RSS, SitemapState.OK, None),
        (b"<feed xmlns='http://www.w3.org/2005/Atom'/>", SitemapKind.ATOM, SitemapState.OK, None),
        (b"<!doctype html><title>x</title>", SitemapKind.HTML, SitemapState.FAILED, "html-page"),
        (b"\n <!-- x --> <html lang=en>", SitemapKind.HTML, SitemapState.FAILED, "html-page"),
        (
            b"<?xml version='1.0'?><!DOCTYPE html PUBLIC 'a' 'b'><html xmlns='x'/>",
            SitemapKind.HTML,
            SitemapState.FAILED,
            "html-page",
        ),
        (b"<!DOCTYPE html><rss version='2.0'><channel/></rss>", SitemapKind.RSS, SitemapState.OK, "doctype"),
        (b"<opml version='1.0'/>", SitemapKind.OTHER_XML, SitemapState.FAILED, "root-unknown"),
        (b'{"urls": []}', SitemapKind.UNKNOWN, SitemapState.FAILED, "json"),
        (
            b'{"version": "https://jsonfeed.org/version/1.1"}',
            SitemapKind.UNKNOWN,
            SitemapState.FAILED,
            "json-feed",
        ),
        (b"Not found", SitemapKind.UNKNOWN, SitemapState.FAILED, "not-a-sitemap"),
        (b"%PDF-1.7\n\0\1", SitemapKind.UNKNOWN, SitemapState.FAILED, "binary"),
        (b"", SitemapKind.UNKNOWN, SitemapState.FAILED, "empty-file"),
        (b" \n", SitemapKind.UNKNOWN, SitemapState.FAILED, "empty-file"),
        (b"--- x\n" + urlset(1), SitemapKind.URLSET, SitemapState.FAILED, None),
        (b"<urlset", SitemapKind.UNKNOWN, SitemapState.FAILED, None),
    ],
)
def test_kind_state_and_problem(
    data: bytes, kind: SitemapKind, state: SitemapState, problem: str | None
) -> None:
    file = read(data)[1]
    assert (file.kind, file.state) == (kind, state)
    assert kinds(file) == ([] if problem is None else [problem])
    if state is SitemapState.FAILED and problem is None:
        assert file.xml_error is not None


def test_names_play_no_role_but_are_noted() -> None:
    assert kinds(read(urlset(1), url="https://example.com/sitemap.txt")[1]) == ["txt-name-not-text"]
    assert kinds(read(urlset(1), url="https://example.com/sitemap.xml.gz")[1]) == ["gz-name-not-gzip"]
    assert (
        kinds(
            read(
                urlset(1),
                url="https://example.com/sitemap.xml.gz",
                end=SitemapEnd(status=200, content_encoding="gzip"),
            )[1]
        )
        == []
    )
    assert kinds(read(gzip.compress(urlset(1)), url="https://example.com/sitemap.xml.gz")[1]) == []
    assert read(b"word\n", url="https://example.com/sitemap.txt")[1].kind is SitemapKind.TEXT


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


# Ends


def test_a_cut_file() -> None:
    cut = urlset(10)[:-40]
    entries, file = read(cut)
    assert len(entries) == 9
    assert (file.state, file.complete) == (SitemapState.PARTIAL, False)
    assert file.xml_error is not None
    assert "ends before <url> is closed" in file.xml_error.message
    broken = SitemapEnd(status=200, complete=False, error_class=ErrorClass.RESET)
    entries, file = read(cut, end=broken)
    assert (file.state, file.complete, file.xml_error, len(entries)) == (SitemapState.PARTIAL, False, None, 9)


@pytest.mark.parametrize(
    "end",
    [
        SitemapEnd(status=404),
        SitemapEnd(status=None, error_class=ErrorClass.DNS, complete=False),
        SitemapEnd(status=500, complete=False, error_class=ErrorClass.TIMEOUT),
    ],
)
def test_a_file_that_was_not_fetched(end: SitemapEnd) -> None:
    entries, file = SitemapReader(URL, source=SitemapSource.GUESS, now=NOW).close(end)
    assert entries == []
    assert (file.state, file.kind, file.sha256, file.problems) == (
        SitemapState.FAILED,
        SitemapKind.UNKNOWN,
        None,
        (),
    )
    assert file.error_class == end.error_class


def test_a_file_that_was_not_asked_for() -> None:
    _, file = SitemapReader(URL, source=SitemapSource.GUESS, now=NOW).close(
        SitemapEnd(state=SitemapState.BLOCKED)
    )
    assert file.state is SitemapState.BLOCKED


# Limits


def test_entries_are_counted_to_twice_the_limit() -> None:
    for number, stopped in ((20, False), (21, True), (500, True)):
        entries, file = read(urlset(number), max_entries=10)
        assert len(entries) == min(number, 20)
        assert (file.stopped_by_us, file.complete) == (stopped, not stopped)
        assert kinds(file) == (["stopped-too-many"] if stopped else [])
        assert file.state is (SitemapState.PARTIAL if stopped else SitemapState.OK)
        assert file.xml_error is None


def test_a_transfer_that_we_broke_off_is_no_error() -> None:
    broken_off = SitemapEnd(
        status=200, complete=False, error_class=ErrorClass.RESET, error_detail="cancelled"
    )
    _, file = read(urlset(30), max_entries=10, end=broken_off)
    assert (file.stopped_by_us, file.state, file.complete) == (True, SitemapState.PARTIAL, False)
    assert (file.error_class, file.error_detail, file.xml_error) == (None, None, None)


def test_bytes_are_counted_to_twice_the_limit() -> None:
    data = urlset(200)
    limit = len(data) // 2
    for size, stopped in ((0, False), (2, True), (500, True)):
        _, file = read(data + b" " * size, max_bytes=limit)
        assert file.stopped_by_us is stopped
        assert file.bytes_xml == min(len(data) + size, 2 * limit)
    reader = SitemapReader(URL, source=SitemapSource.LIST, max_bytes=100, now=NOW)
    first = reader.feed(urlset(1)[:150])
    more = reader.feed(urlset(5)[150:])
    assert reader.stopped
    assert first + more + reader.feed(urlset(9)) == more
    assert len(more) == 1


def test_a_bomb_is_stopped() -> None:
    bomb = gzip.compress(b"<urlset>" + b" " * 20_000_000) + gzip.compress(b" " * 20_000_000) * 25
    reader = SitemapReader(URL, source=SitemapSource.LIST, now=NOW)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    for at in range(0, len(bomb), 16_384):
        reader.feed(bomb[at : at + 16_384])
        if reader.stopped:
            break
    _, file = reader.close(SitemapEnd(status=200))
    assert file.stopped_by_us
    assert file.bytes_xml == 104_857_600
    assert time.process_time() - start < 8
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 32


def test_problems_are_capped_and_counted() -> None:
    _, file = read(urlset(0, "<url><loc>https://example.com/</loc><odd/></url>" * 3_000 + "<worse/>"))
    assert len(file.problems) < 100
    assert sum(problem.count for problem in file.problems) == 3_001
    assert file.problems[-1].kind == "unknown-element" or file.problems[-1].count > 1
    assert any(problem.text == "worse" or problem.count > 1 for problem in file.problems)


def test_memory_does_not_grow_with_the_file() -> None:
    reader = SitemapReader(URL, source=SitemapSource.LIST, now=NOW)
    reader.feed(urlset(2_000)[:-11])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    number = 0
    for part in range(20):
        entries = (f"<url><loc>https://example.com/{part}/{n}</loc></url>\n" for n in range(2_000))
        number += len(reader.feed("".join(entries).encode()))
    reader.close(OK)
    assert number > 30_000
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 25


# Places


def test_redirected_files_are_judged_where_they_are() -> None:
    data = f"<urlset {NS}><url><loc>https://www.example.com/maps/a</loc></url><url><loc>b</loc></url></urlset>".encode()
    entries, file = read(data, location="https://www.example.com/maps/sitemap.xml")
    assert [(e.sitemap, e.loc, e.loc_issues) for e in entries] == [
        (URL, "https://www.example.com/maps/a", ()),
        (URL, "https://www.example.com/maps/b", ("relative",)),
    ]
    assert file.url == URL


def test_user_info_of_the_file_is_not_kept() -> None:
    entries, file = read(urlset(1), url="https://user:secret@example.com/sitemap.xml")
    assert b"secret" not in orjson.dumps([entries, file])
    assert file.url == URL


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


@settings(max_examples=150)
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


@settings(max_examples=150)
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


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real files is not beside this checkout")
def test_nothing_in_the_corpus_is_silent() -> None:
    """Facts only: what is odd about `lastmod-all-identical` is a share, not a problem."""
    with (CORPUS / "index.csv").open(encoding="utf-8") as index:
        rows = list(csv.DictReader(index))
    assert rows
    for row in rows:
        entries, file = read((CORPUS / row["file"]).read_bytes(), url=row["serve"])
        issues = [issue for entry in entries for issue in (*entry.loc_issues, entry.lastmod_issue) if issue]
        said = file.problems or file.xml_error or issues or file.duplicates or file.lastmod_mode_share == 1
        assert said or row["expect"] != "finding", row["file"]
        if row["listed"]:
            assert len({entry.url_key for entry in entries} - {None}) == int(row["listed"]), row["file"]
