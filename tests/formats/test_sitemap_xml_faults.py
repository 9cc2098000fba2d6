"""Faults and bounds of XML: where reading ends, and what is kept."""

from __future__ import annotations

import resource
import time

import pytest

from sitemap_audit.formats.sitemap_problems import ProblemLog
from sitemap_audit.formats.sitemap_xml import XmlReader
from sitemap_audit.settings import XML_MAX_ATTRIBUTES, XML_MAX_DEPTH, XML_MAX_TEXT_BYTES, XML_MAX_TOKEN_BYTES
from tests.formats.sitemap_xml_reading import IMAGE, NS, VIDEO, XHTML, A, Read, urlset

# Faults


@pytest.mark.parametrize(
    ("document", "line", "column", "words", "kept"),
    [
        (urlset(f"<url><loc>{A}</loc></url>\n<url><loc>{A}?a=1&b=2</loc></url>"), 4, 38, "invalid token", 1),
        (urlset(f"<url><loc>{A}</loc></url>\n<url></urlset>"), 4, 8, "mismatched tag", 1),
        (urlset(f"<url><loc>{A}</loc></url>") + "junk", 5, 1, "junk after document element", 1),
        (f"\n<?xml version='1.0'?><urlset {NS}/>", 2, 1, "not at start", 0),
        ("--- front matter\n<urlset/>", 1, 1, "text before the first tag", 0),
        (
            f"<urlset {NS}><url><loc>{A}</loc></url>\n<url><loc>https://exa",
            2,
            22,
            "the file ends before <url> is closed",
            1,
        ),
        (f"<urlset {NS}><url><loc>{A}</loc></url>\n", 2, 1, "the file ends before <urlset> is closed", 1),
        ("<?xml version='1.0'?>\n", 2, 1, "the file ends before its root element", 0),
        (urlset(f"<url><loc>{A}</loc></url><url><loc>\x01</loc></url>"), 3, None, "invalid token", 1),
        (urlset("<url><loc>x</loc>\n  <image:image/></url>"), 4, 3, "unbound prefix: image is used", 0),
        (urlset(f"<url><loc>{A}</loc></url><url><loc>&nbsp;</loc></url>"), 3, None, "undefined entity", 1),
        (urlset(f'<url><loc>{A}</loc></url><url a="1" a="2"/>'), 3, None, "duplicate attribute", 1),
    ],
)
def test_the_first_fault_ends_it_and_what_is_before_is_kept(
    document: str, line: int, column: int | None, words: str, kept: int
) -> None:
    read = Read(document)
    error = read.xml.error
    assert error is not None
    assert words in error.message
    assert error.line == line
    assert column is None or error.column == column
    assert len(read.rows) == error.entries_before == kept


def test_an_end_that_is_not_the_documents_is_no_fault() -> None:
    document = f"<urlset {NS}><url><loc>{A}</loc></url><url><loc>ht"
    assert Read(document, whole=False).xml.error is None
    assert not Read(document, whole=False).xml.closed


def test_invalid_bytes_have_a_place() -> None:
    read = Read(f"<urlset {NS}><url><loc>{A}</loc></url>\n<url><loc>".encode() + b"\xe9</loc></url></urlset>")
    assert read.xml.error is not None
    assert (read.xml.error.line, read.xml.error.column) == (2, 11)
    assert len(read.rows) == 1


def test_doctype() -> None:
    read = Read(
        '<!DOCTYPE urlset SYSTEM "http://example.com/x.dtd"><urlset><url><loc>a&nbsp;b</loc></url></urlset>'
    )
    assert [row.loc for row in read.rows] == ["a&nbsp;b"]
    assert read.kinds == ["doctype", "namespace-missing", "entity-undefined"]


@pytest.mark.parametrize(
    "subset",
    [
        '<!ENTITY a "b">',
        '<!ENTITY x SYSTEM "file:///etc/passwd">',
        '<!ENTITY % p SYSTEM "http://127.0.0.1/"> %p;',
        "",
    ],
)
def test_an_internal_subset_is_refused(subset: str) -> None:
    read = Read(f"<!DOCTYPE urlset [{subset}]><urlset><url><loc>&a;&x;</loc></url></urlset>")
    assert read.rows == []
    assert read.xml.error is not None
    assert "DOCTYPE" in read.xml.error.message


# Bounds


def test_depth() -> None:
    def nested(depth: int) -> Read:
        return Read(urlset(f"<url><loc>{A}</loc></url>" + "<x>" * (depth - 1) + "</x>" * (depth - 1)))

    assert nested(XML_MAX_DEPTH).xml.error is None
    error = nested(XML_MAX_DEPTH + 1).xml.error
    assert error is not None
    assert "inside each other" in error.message
    assert error.entries_before == 1


@pytest.mark.parametrize("root", ["urlset", "rss", "feed", "other"])
def test_depth_and_attributes_are_bounded_everywhere(root: str) -> None:
    start = time.process_time()
    deep = Read(f"<{root}>" + "<x>" * 200_000)
    wide = Read(f"<{root}><x " + " ".join(f'a{n}=""' for n in range(100_000)) + "/>")
    wider = Read(f"<{root} " + " ".join(f'a{n}=""' for n in range(XML_MAX_ATTRIBUTES + 1)) + "/>")
    for read in (deep, wide, wider):
        assert read.xml.error is not None
        assert "more than" in read.xml.error.message
    assert time.process_time() - start < 2


def test_attributes() -> None:
    def with_attributes(number: int) -> Read:
        return Read(urlset("<url " + " ".join(f'a{n}=""' for n in range(number)) + "/>"))

    assert with_attributes(XML_MAX_ATTRIBUTES).xml.error is None
    assert with_attributes(XML_MAX_ATTRIBUTES + 1).xml.error is not None


@pytest.mark.parametrize(
    ("length", "cut"), [(XML_MAX_TEXT_BYTES, False), (XML_MAX_TEXT_BYTES + 1, True), (500_000, True)]
)
def test_a_long_text_is_cut_and_the_rest_is_read(length: int, cut: bool) -> None:
    read = Read(urlset(f"<url><loc>{'x' * length}</loc></url><url><loc>{A}</loc></url>"))
    first, second = read.rows
    assert first.loc == "x" * min(length, XML_MAX_TEXT_BYTES)
    assert second.loc == A
    assert read.kinds == (["text-too-long"] if cut else [])
    assert (first.more is not None and first.more.loc_cut) is cut


def test_lengths_of_cut_descriptions_are_right() -> None:
    inside = f"<url><loc>{A}</loc><video:video><video:description> {'x' * 300_000} </video:description></video:video></url>"
    (row,) = Read(urlset(inside, f"{NS} {VIDEO}")).rows
    assert row.more is not None
    assert row.more.videos[0].lengths == {"description": 300_001}


@pytest.mark.parametrize(
    "hostile",
    [
        pytest.param([b"<url><loc>", *[b"x" * 65_536] * 900], id="60 MB of text"),
        pytest.param([b"<url>", *[b"x" * 65_536] * 900], id="60 MB beside the elements"),
        pytest.param([b"<!--", *[b"x" * 65_536] * 900], id="60 MB of comment"),
        pytest.param([b"<url><loc><![CDATA[", *[b"x" * 65_536] * 900], id="60 MB of CDATA"),
        pytest.param([b'<url a="', *[b"x" * 65_536] * 900], id="60 MB of attribute"),
        pytest.param(
            [b"<!--", *[b"<url><loc>x</loc></url>" * 2_800] * 900], id="60 MB of entries in a comment"
        ),
        pytest.param(
            [b"<url>", *[b"<image:image><image:loc>x</image:loc></image:image>" * 1_000] * 60],
            id="60,000 images",
        ),
        pytest.param(
            [b"<url>", *[b'<xhtml:link rel="alternate" hreflang="a" href="b"/>' * 1_000] * 60],
            id="60,000 links",
        ),
    ],
)
def test_memory_and_time_stay_flat(hostile: list[bytes]) -> None:
    reader = XmlReader(ProblemLog())
    head = f"<urlset {NS} {IMAGE} {XHTML}><url><loc>{A}</loc></url>".encode()
    rows = reader.feed(head)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    for chunk in hostile:
        rows += reader.feed(chunk)
        if reader.error is not None:
            break
    rows += reader.close()
    assert rows[0].loc == A
    assert reader.error is not None
    assert time.process_time() - start < 8
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 32


@pytest.mark.parametrize("blanks", [10, 8_000, 9_000, 200_000])
def test_blanks_before_a_text_do_not_hide_it(blanks: int) -> None:
    space = " " * blanks
    document = urlset(f"{space}stray<url><loc>{space}{A}</loc>{space}stray</url>{space}")
    for cuts in (None, list(range(0, len(document), 4_001))):
        read = Read(document, cuts)
        assert [text for _, _, text in read.problems] == ["stray", "stray"]
        (row,) = read.rows
        assert row.loc is not None
        assert row.loc.strip() == A
        assert row.more is None


def test_stray_text_behind_many_plain_entries_is_named() -> None:
    document = urlset(f"<url><loc>{A}</loc></url>\n" * 1_000 + "&amp;")
    for cuts in (None, [400], list(range(0, len(document), 997))):
        assert Read(document, cuts).problems == [("stray-text", 1_004, "&")]


def test_a_large_comment_is_legal() -> None:
    entry = f"<url><loc>{A}</loc></url>"
    assert len(Read(urlset(f"<!--{'x' * (XML_MAX_TOKEN_BYTES // 2)}-->{entry}")).rows) == 1
