"""Text sitemaps: lines, their ends and numbers, and what is no URL."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.formats.sitemap_problems import ProblemLog
from sitemap_audit.formats.sitemap_rows import RawEntry
from sitemap_audit.formats.sitemap_text import TextReader
from sitemap_audit.settings import XML_MAX_TEXT_BYTES


def read(data: bytes, cuts: list[int] | None = None) -> tuple[list[RawEntry], ProblemLog]:
    log = ProblemLog()
    reader, rows, start = TextReader(log), [], 0
    for cut in [*sorted(cuts or []), len(data)]:
        rows += reader.feed(data[start:cut])
        start = cut
    return rows + reader.close(), log


def lines(data: bytes) -> list[tuple[int, str | None]]:
    return [(row.line, row.loc) for row in read(data)[0]]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_one_url_a_line_whatever_ends_it(end: bytes) -> None:
    data = end.join([b"https://example.com/a", b"", b"https://example.com/b"])
    assert lines(data) == [(1, "https://example.com/a"), (3, "https://example.com/b")]
    assert lines(data + end) == lines(data)
    assert len(read(data)[1]) == 0


def test_blanks_stay_in_the_raw_text() -> None:
    assert lines(b"  https://example.com/a \n \t \n") == [(1, "  https://example.com/a ")]


@pytest.mark.parametrize(
    ("line", "kind", "is_entry"),
    [
        (b"# a comment", "text-comment", False),
        (b"url,lastmod", "text-line-not-url", True),
        (b"https://example.com/a https://example.com/b", "text-line-not-url", True),
        (b"/relative", "text-line-not-url", True),
        (b"ftp://example.com/a", "text-line-not-url", True),
        (b"https://", "text-line-not-url", True),
    ],
)
def test_lines_that_are_no_url(line: bytes, kind: str, is_entry: bool) -> None:
    rows, log = read(b"https://example.com/\n" + line + b"\n")
    assert [(p.kind, p.line, p.text) for p in log.facts()] == [(kind, 2, line.decode())]
    assert [row.line for row in rows] == ([1, 2] if is_entry else [1])


@pytest.mark.parametrize(
    "line", [b"HTTPS://EXAMPLE.COM/A", b"https://example.com/#x", "https://example.com/é".encode()]
)
def test_odd_urls_are_urls(line: bytes) -> None:
    rows, log = read(line)
    assert len(rows) == 1
    assert len(log) == 0


def test_only_paths_are_resolved() -> None:
    rows, _ = read(b"word\n/path\n./here\n../up\n")
    assert [row.more is not None and row.more.resolvable for row in rows] == [False, True, True, True]


def test_a_line_without_an_end_is_bounded() -> None:
    log = ProblemLog()
    reader = TextReader(log)
    reader.feed(b"https://example.com/")
    for _ in range(200):
        reader.feed(b"x" * 65_536)
    assert len(reader._rest) <= 4 * XML_MAX_TEXT_BYTES
    (row,) = reader.feed(b"\n")
    assert row.loc is not None
    assert len(row.loc) == XML_MAX_TEXT_BYTES
    assert row.more is not None
    assert row.more.loc_cut
    assert "text-too-long" in log
    assert reader.feed(b"https://example.com/next\n")[0].line == 2


@given(st.binary(max_size=200), st.data())
def test_cuts_change_nothing_and_nothing_raises(data: bytes, draw: st.DataObject) -> None:
    data = b"https://example.com/\r\n" + data + b"\r\n/x\r"
    cuts = draw.draw(st.lists(st.integers(0, len(data)), max_size=6))
    rows, log = read(data, cuts)
    again, other = read(data)
    assert rows == again
    assert log.facts() == other.facts()


@given(
    st.lists(st.sampled_from([b"https://a.example/1", b"/2", b"#3", b"", b" "]), max_size=12),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
)
def test_lines_are_those_of_an_editor(parts: list[bytes], end: bytes) -> None:
    text = end.join(parts).decode()
    shown = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for row in read(end.join(parts))[0]:
        assert shown[row.line - 1] == row.loc
