"""Nothing depends on how the bytes arrive, or on the lane they take."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sitemap_audit.facts import Problem
from tests.depth import examples
from tests.formats.sitemap_xml_reading import IMAGE, NS, XHTML, A, Read, urlset

PIECES = [
    f"<url><loc>{A}</loc></url>",
    f"  <url>\n    <loc>{A}?a=1&amp;b=2</loc>\n    <lastmod>2026-01-02</lastmod>\n  </url>\n",
    f"<url>\r\n<loc> {A} </loc>\r\n<changefreq>daily</changefreq><priority>1</priority></url>\r\n",
    f'<url><loc>{A}</loc><xhtml:link rel="alternate" hreflang="de" href="{A}&amp;x"/>\n <xhtml:link rel="alternate" hreflang="en" href="/" /></url>',
    f'<url><loc>{A}</loc>\n<lastmod>x</lastmod>\n\n<xhtml:link rel="alternate" hreflang="de" href="{A}"/></url>',
    f'<url><loc>{A}</loc><xhtml:link rel="alternate" rel="alternate" hreflang="de" href="x"/></url>',
    "<url><loc/></url>",
    "<url/>",
    "<url><loc></loc><lastmod></lastmod></url>",
    f"<url><lastmod>2026</lastmod><loc>{A}</loc></url>",
    f"<url><loc>{A}</loc><loc>{A}</loc></url>",
    f"<url><loc>{A}</loc>stray</url>",
    f"<url><loc><![CDATA[{A}]]></loc></url>",
    f"<url><loc>{A}]]></loc></url>",
    "<url><loc>https://example.com/żółw</loc></url>",
    f"<url><loc>{A}</loc><image:image><image:loc>i</image:loc></image:image></url>",
    f"<!-- <url><loc>{A}</loc></url> -->",
    f"<!-- </url> <url><loc>{A}</loc></url>",
    f"<![CDATA[ <url><loc>{A}</loc></url> ]]>",
    f"<![CDATA[ <url><loc>{A}</loc></url>",
    "-->",
    "]]>",
    "<?pi </url> ?>",
    "<?pi ",
    f"<other><url><loc>{A}</loc></url></other>",
    "<other>",
    "</other>",
    f'<url xmlns=""><loc>{A}</loc></url>',
    f"<url ><loc>{A}</loc></url >",
    "\r",
    "\n\r\n",
    "\f",
    "text",
    "&amp;",
    "&nope;",
    "</urlset>",
    "<url>",
    "</url>",
    f"<url><loc>{'x' * 8_193}</loc></url>",
    f"<sitemap><loc>{A}</loc></sitemap>",
]


ROOTS = [
    f"<urlset {NS} {XHTML} {IMAGE}>",
    f"<urlset {NS}>",
    "<urlset>",
    f"<s:urlset xmlns:s='x' {NS}>",
    f"<urlset {NS} {XHTML}\n>\n",
]


@settings(max_examples=examples(300))
@given(st.data())
def test_both_lanes_and_all_cuts_agree(data: st.DataObject) -> None:
    root = data.draw(st.sampled_from(ROOTS))
    pieces = data.draw(st.lists(st.sampled_from(PIECES), max_size=14))
    document = (root + "".join(pieces) + data.draw(st.sampled_from(["</urlset>", ""]))).encode()
    cuts = data.draw(st.lists(st.integers(0, len(document)), max_size=8))
    slow = Read(document, fast=False)
    assert Read(document, cuts).all() == slow.all()
    assert Read(document, list(range(0, len(document), 37))).all() == slow.all()


@settings(max_examples=examples(100))
@given(st.data())
def test_mutated_documents_never_raise(data: st.DataObject) -> None:
    document = bytearray((ROOTS[0] + "".join(PIECES[:6]) * 3 + "</urlset>").encode())
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(document) - 1))
        document[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    mutated = bytes(document)
    assert Read(mutated, list(range(0, len(mutated), 50))).all() == Read(mutated, fast=False).all()


@given(st.binary(max_size=200))
def test_arbitrary_bytes_never_raise(data: bytes) -> None:
    Read(data)
    Read(b"<urlset>" + data)


@given(st.lists(st.sampled_from(["\n", "\r\n", "\r", " ", "x", "<!-- \n -->"]), max_size=30))
def test_lines_are_those_of_an_editor(gaps: list[str]) -> None:
    document = f"<urlset {NS}>" + "".join(f"{gap}<url><loc>{A}</loc></url>" for gap in gaps) + "</urlset>"
    shown = document.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for cuts in (None, list(range(0, len(document), 41))):
        read = Read(document, cuts)
        expected = [number for number, text in enumerate(shown, 1) for _ in range(text.count("<url>"))]
        assert [row.line for row in read.rows] == expected


def test_lines_beyond_65535() -> None:
    read = Read(urlset("\n" * 70_000 + f"<url><loc>{A}</loc></url>"))
    assert read.rows[0].line == 70_003


def test_problems_know_their_byte() -> None:
    document = urlset(f"<url><loc>{A}</loc></url>" * 3_000 + "<odd/>" + f"<url><loc>{A}</loc></url>" * 3_000)
    (problem,) = Read(document).log.facts()
    assert problem == Problem("unknown-element", 3, document.index("<odd/>"), "odd")


def test_the_fast_lane_is_taken() -> None:
    document = urlset(f"<url><loc>{A}</loc></url>\n" * 5_000)
    read = Read(document, list(range(0, len(document), 30_000)))
    lane = read.xml._lane
    assert lane is not None
    assert lane.taken > 3_000
    assert len(read.rows) == 5_000
