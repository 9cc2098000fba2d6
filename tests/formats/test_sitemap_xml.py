"""urlset and sitemapindex: what is read, what is named, where it stands, and what is refused."""

from __future__ import annotations

import resource
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitemap_audit.facts import Problem, SitemapKind
from sitemap_audit.formats.sitemap_problems import ProblemLog
from sitemap_audit.formats.sitemap_rows import RawAlternate, RawEntry
from sitemap_audit.formats.sitemap_xml import XmlReader
from sitemap_audit.settings import XML_MAX_ATTRIBUTES, XML_MAX_DEPTH, XML_MAX_TEXT_BYTES, XML_MAX_TOKEN_BYTES

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'
IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
VIDEO = 'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'
NEWS = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
A = "https://example.com/a"


class Read:
    """A document, read: rows, reader and problems."""

    def __init__(
        self, document: str | bytes, cuts: list[int] | None = None, *, fast: bool = True, whole: bool = True
    ):
        data = document.encode() if isinstance(document, str) else document
        self.log = ProblemLog()
        self.xml = XmlReader(self.log, fast=fast)
        self.rows: list[RawEntry] = []
        start = 0
        for cut in [*sorted(cuts or []), len(data)]:
            self.rows += self.xml.feed(data[start:cut])
            start = cut
        self.rows += self.xml.close(whole=whole)

    @property
    def problems(self) -> list[tuple[str, int | None, str | None]]:
        return [(p.kind, p.line, p.text) for p in self.log.facts()]

    @property
    def kinds(self) -> list[str]:
        return [p.kind for p in self.log.facts()]

    def all(self) -> tuple[object, ...]:
        xml = self.xml
        return (
            self.rows,
            xml.kind,
            xml.root,
            xml.error,
            xml.namespaces,
            xml.closed,
            xml.totals,
            xml.software,
            self.log.facts(),
        )


def urlset(inside: str, spaces: str = NS) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {spaces}>\n{inside}\n</urlset>\n'


def one(inside: str, spaces: str = NS) -> RawEntry:
    (row,) = Read(urlset(f"<url>{inside}</url>", spaces)).rows
    return row


def test_an_entry() -> None:
    read = Read(
        urlset(
            f"<url>\n <loc>{A}?x=1&amp;y=2</loc><lastmod>2026-01-02</lastmod><changefreq>daily</changefreq><priority>0.5</priority></url>"
        )
    )
    assert read.rows == [RawEntry(3, f"{A}?x=1&y=2", "2026-01-02", "daily", "0.5")]
    assert read.xml.kind is SitemapKind.URLSET
    assert read.xml.root == "urlset"
    assert read.xml.closed
    assert read.xml.error is None
    assert read.problems == []
    assert read.xml.namespaces == {"": "http://www.sitemaps.org/schemas/sitemap/0.9"}


def test_an_index_has_children() -> None:
    read = Read(f"<sitemapindex {NS}><sitemap><loc>{A}</loc></sitemap></sitemapindex>")
    assert read.rows == [RawEntry(1, A, is_child=True)]
    assert read.xml.kind is SitemapKind.INDEX


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"<![CDATA[{A}?a=1&b=2]]>", f"{A}?a=1&b=2"),
        (f"{A}<!-- no part of it -->/b", f"{A}/b"),
        (f"{A}<?php no part ?>/b", f"{A}/b"),
        (f"\n  {A}\t", f"\n  {A}\t"),
        ("https://example.com/&#x17C;&#243;", "https://example.com/żó"),
        ("https://example.com/żó", "https://example.com/żó"),
        (f"{A}?a=1&amp;amp;b=2", f"{A}?a=1&amp;b=2"),
        ("", ""),
    ],
)
def test_text_of_loc(text: str, expected: str) -> None:
    assert one(f"<loc>{text}</loc>").loc == expected


def test_a_missing_loc_and_a_second_one() -> None:
    assert one("<lastmod>2026</lastmod>").loc is None
    row = one(f"<loc>{A}</loc><loc>{A}/2</loc><loc/>")
    assert row.loc == A
    assert row.more is not None
    assert row.more.locs == 3


def test_a_commented_entry_is_no_entry() -> None:
    assert Read(urlset(f"<!-- <url><loc>{A}</loc></url> -->")).rows == []


def test_any_prefix_is_legal() -> None:
    read = Read(
        f'<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:h="http://www.w3.org/1999/xhtml"><s:url><s:loc>{A}</s:loc><h:link rel="alternate" hreflang="de" href="{A}/de"/></s:url></s:urlset>'
    )
    assert read.rows == [RawEntry(1, A, alternates=[RawAlternate(1, "alternate", "de", f"{A}/de")])]
    assert read.problems == []


@pytest.mark.parametrize(
    ("spaces", "expected"),
    [
        ('xmlns="https://www.sitemaps.org/schemas/sitemap/0.9"', "namespace-wrong"),
        ('xmlns="http://www.sitemaps.org/schemas/sitemap/0.9/"', "namespace-wrong"),
        ('xmlns="http://www.google.com/schemas/sitemap/0.84"', "namespace-wrong"),
        ("", "namespace-missing"),
    ],
)
def test_other_namespaces_are_read_and_named(spaces: str, expected: str) -> None:
    read = Read(urlset(f"<url><loc>{A}</loc></url>", spaces))
    assert [row.loc for row in read.rows] == [A]
    assert read.kinds == [expected]


def test_upper_case_is_read_and_named() -> None:
    read = Read(f"<urlSet {NS}><URL><Loc>{A}</Loc></URL></urlSet>")
    assert [row.loc for row in read.rows] == [A]
    assert read.problems == [("wrong-case", 1, "urlSet"), ("wrong-case", 1, "URL"), ("wrong-case", 1, "Loc")]


def test_mixed_namespaces_are_read_and_named() -> None:
    read = Read(urlset(f'<url xmlns=""><loc>{A}</loc></url>'))
    assert [row.loc for row in read.rows] == [A]
    assert set(read.kinds) == {"namespace-mixed"}


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        (f"<url><loc>{A}</loc><title>x</title></url>", ("unknown-element", 3, "title")),
        (f"<url><loc>{A}</loc>text</url>", ("stray-text", 3, "text")),
        ("text", ("stray-text", 4, "text")),
        ("<loc>x</loc>", ("element-misplaced", 3, "loc")),
        ("<entry/>", ("unknown-element", 3, "entry")),
        (f"<sitemap><loc>{A}</loc></sitemap>", ("entry-of-other-kind", 3, "sitemap")),
        (f"<url><loc>{A}<b>x</b></loc></url>", ("element-in-text", 3, "b")),
        (
            f"<url><loc>{A}</loc><lastmod>1</lastmod><lastmod>2</lastmod></url>",
            ("element-twice", 3, "lastmod"),
        ),
    ],
)
def test_what_does_not_belong_is_named(inside: str, expected: tuple[str, int, str]) -> None:
    assert Read(urlset(inside)).problems == [expected]


def test_a_sitemap_among_the_urls_of_a_urlset_is_listed_and_a_urlset_of_sitemaps_is_an_index() -> None:
    url, sitemap = f"<url><loc>{A}</loc></url>", f"<sitemap><loc>{A}</loc></sitemap>"
    assert [row.is_child for row in Read(urlset(url + url + sitemap)).rows] == [False, False, False]
    assert [row.is_child for row in Read(urlset(sitemap + sitemap)).rows] == [True, True]


def test_foreign_vocabularies_are_no_problem() -> None:
    spaces = f'{NS} xmlns:mobile="http://www.google.com/schemas/sitemap-mobile/1.0" xmlns:pm="http://www.google.com/schemas/sitemap-pagemap/1.0"'
    read = Read(
        urlset(
            f"<url><loc>{A}</loc><mobile:mobile/><pm:PageMap><pm:DataObject>text</pm:DataObject></pm:PageMap></url>",
            spaces,
        )
    )
    assert read.problems == []
    assert len(read.rows) == 1


def test_alternates() -> None:
    row = one(
        f'<loc>{A}</loc>\n<xhtml:link rel="alternate" hreflang="de" href="{A}?l=de&amp;x"/>\n'
        f'<xhtml:link href="{A}" hreflang="x-default" rel="alternate"></xhtml:link>',
        f"{NS} {XHTML}",
    )
    assert row.alternates == [
        RawAlternate(4, "alternate", "de", f"{A}?l=de&x"),
        RawAlternate(5, "alternate", "x-default", A),
    ]


def test_images_videos_and_news() -> None:
    read = Read(
        urlset(
            f"<url><loc>{A}</loc>"
            "<image:image><image:loc>https://cdn.example.com/1.jpg</image:loc><image:caption>x</image:caption></image:image>"
            "<image:image><image:loc>/2.jpg</image:loc></image:image>"
            '<video:video><video:title> T </video:title><video:description>D</video:description><video:tag>a</video:tag><video:tag>b</video:tag><video:player_loc allow_embed="yes">p</video:player_loc></video:video>'
            "<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication>"
            "<news:publication_date>2026-11-29</news:publication_date><news:title>T</news:title></news:news><news:news/></url>",
            f"{NS} {IMAGE} {VIDEO} {NEWS}",
        )
    )
    (row,) = read.rows
    assert read.problems == []
    assert row.loc == A
    assert row.more is not None
    assert [image.texts for image in row.more.images] == [
        {"loc": "https://cdn.example.com/1.jpg"},
        {"loc": "/2.jpg"},
    ]
    assert row.more.images[0].names == ["loc", "caption"]
    (video,) = row.more.videos
    assert video.texts == {"title": " T ", "description": "D", "player_loc": "p"}
    assert video.tags == 2
    assert video.names == ["title", "description", "tag", "player_loc", "player_loc@allow_embed"]
    (news,) = row.more.news
    assert news.texts == {"name": "N", "language": "en", "publication_date": "2026-11-29", "title": "T"}
    assert row.more.news_count == 2
    assert (read.xml.totals.images, read.xml.totals.videos, read.xml.totals.news) == (2, 1, 2)


def test_an_extension_under_a_wrong_name_is_read_and_named() -> None:
    wrong = 'xmlns:image="https://www.google.com/schemas/sitemap-image/1.1"'
    read = Read(
        urlset(
            f"<url><loc>{A}</loc><image:image><image:loc>x</image:loc></image:image></url>", f"{NS} {wrong}"
        )
    )
    assert read.kinds == ["extension-namespace-wrong"]
    assert read.xml.totals.images == 1
    other = Read(urlset("", f'{NS} xmlns:news="http://example.com/news"'))
    assert other.kinds == ["extension-namespace-wrong"]
    assert Read(urlset("", f'{NS} xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"')).kinds == []


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("<!-- generator='Example CMS 3.1' -->", "generator='Example CMS 3.1'"),
        ("<!-- Created with Example Maps -->", "Created with Example Maps"),
        (
            "<?xml-stylesheet type='text/xsl' href='/wp-content/plugins/example-seo/sitemap.xsl'?>",
            "example-seo",
        ),
        ("<!-- do not edit -->", None),
        ("<?xml-stylesheet href='/style.xsl'?>", None),
    ],
)
def test_generator(comment: str, expected: str | None) -> None:
    assert Read(f"{comment}<urlset {NS}/>").xml.software == expected


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


# Nothing depends on how the bytes arrive, or on the lane they take

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


@settings(max_examples=300)
@given(st.data())
def test_both_lanes_and_all_cuts_agree(data: st.DataObject) -> None:
    root = data.draw(st.sampled_from(ROOTS))
    pieces = data.draw(st.lists(st.sampled_from(PIECES), max_size=14))
    document = (root + "".join(pieces) + data.draw(st.sampled_from(["</urlset>", ""]))).encode()
    cuts = data.draw(st.lists(st.integers(0, len(document)), max_size=8))
    slow = Read(document, fast=False)
    assert Read(document, cuts).all() == slow.all()
    assert Read(document, list(range(0, len(document), 37))).all() == slow.all()


@settings(max_examples=100)
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
