"""urlset and sitemapindex: what is read, and what is named."""

from __future__ import annotations

import pytest

from sitemap_audit.facts import SitemapKind
from sitemap_audit.formats.sitemap_rows import RawAlternate, RawEntry
from tests.formats.sitemap_xml_reading import IMAGE, NEWS, NS, VIDEO, XHTML, A, Read, one, urlset


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
    assert read.problems == [
        ("extension-value-invalid", 3, "image:loc=/2.jpg"),
        ("extension-value-invalid", 3, "video:player_loc=p"),
    ]
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
            f"<url><loc>{A}</loc><image:image><image:loc>{A}.png</image:loc></image:image></url>",
            f"{NS} {wrong}",
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
