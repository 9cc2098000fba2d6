"""Every kind of problem stands at the line that an editor shows: 1 + the line breaks before it.

Each document holds the sign ▶ just before the fault; the sign is taken out and tells the line. All are read with LF,
CRLF and bare CR, in UTF-8 with and without a mark, and in UTF-16, where the encoding itself is no part of the case.
"""

from __future__ import annotations

import re

import pytest

from sitemap_audit.facts import Entry, SitemapFile, SitemapSource
from sitemap_audit.formats.sitemap import SitemapEnd, SitemapReader

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
VIDEO = 'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'
XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'
ATOM = 'xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"'
A = "https://example.com/a"
GOOD = f"<url>\n<loc>{A}</loc>\n<lastmod>2026-11-01</lastmod>\n</url>\n" * 3


def urlset(inside: str, root: str = f"<urlset {NS} {IMAGE} {VIDEO} {XHTML}>", before: str = "") -> str:
    return f'<?xml version="1.0"?>\n{before}<!-- two\nlines -->\n{root}\n{GOOD}{inside}\n{GOOD}</urlset>\n'


def entry(inside: str) -> str:
    return urlset(f"<url>\n<loc>{A}</loc>\n{inside}\n</url>")


def rss(inside: str) -> str:
    return f'<?xml version="1.0"?>\n<rss version="2.0" {ATOM}>\n<channel>\n<title>T</title>\n{inside}\n</channel>\n</rss>\n'


LONG = "x" * 9_000
DOCUMENTS = {
    "doctype": urlset("", before='▶<!DOCTYPE urlset SYSTEM "x.dtd">\n'),
    "entity-undefined": urlset(
        f"<url>\n<loc>{A}▶&nbsp;</loc></url>", before='<!DOCTYPE urlset SYSTEM "x.dtd">\n'
    ),
    "namespace-missing": urlset("", root="▶<urlset>"),
    "namespace-wrong": urlset("", root='▶<urlset xmlns="https://www.sitemaps.org/schemas/sitemap/0.9">'),
    "extension-namespace-wrong": urlset("", root=f'▶<urlset {NS} xmlns:image="http://example.com/image">'),
    "wrong-case": entry("▶<LastMod>2026</LastMod>"),
    "entry-of-other-kind": urlset(f"▶<sitemap>\n<loc>{A}</loc>\n</sitemap>"),
    "unknown-element": entry("▶<foo>\n</foo>"),
    "namespace-mixed": entry('▶<changefreq xmlns="">daily</changefreq>'),
    "element-in-text": entry("<lastmod>2026\n▶<b>x</b></lastmod>"),
    "element-twice": entry("<lastmod>2026</lastmod>\n<lastmod>2025▶</lastmod>"),
    "element-misplaced": urlset(f"▶<loc>{A}</loc>"),
    "stray-text": entry("stray▶\n<priority>0.5</priority>").replace("▶\n", "\n▶"),
    "text-too-long": entry(f"<changefreq>{LONG}▶</changefreq>"),
    "extension-value-invalid": entry("<video:video>\n<video:duration>12.5▶</video:duration>\n</video:video>"),
    "link-not-alternate": entry('▶<xhtml:link rel="next" hreflang="de" href="/de"/>'),
    "lastmod-empty": urlset(f"▶<url>\n<loc>{A}</loc>\n<lastmod> </lastmod>\n</url>"),
    "loc-user-info": urlset("▶<url>\n<loc>https://me:secret@example.com/</loc>\n</url>"),
    "entry-parts-cut": entry("<image:image/>" * 2_000 + "\n▶<image:image/>"),
}
FEEDS = {
    "element-twice": rss("<item>\n<link>/1</link>\n<link>/2▶</link>\n</item>"),
    "text-too-long": rss(f"<item>\n<guid>{LONG}▶</guid>\n</item>"),
    "element-misplaced": rss(
        '<item>\n<media:content>\n▶<media:content url="/v"/>\n</media:content>\n</item>'
    ),
    "feed-channel-missing": '<?xml version="1.0"?>\n<rss version="2.0">\n\n▶</rss>',
}
TEXTS = {
    "text-comment": f"{A}\n\n▶# comment\n{A}\n",
    "text-line-not-url": f"{A}\n{A}\n▶nothing\n",
    "text-too-long": f"{A}\n▶{'y' * 40_000}\n{A}\n",
}
FATAL = {
    "an ampersand": urlset(f"<url>\n<loc>{A}?a=1▶&b=2</loc></url>"),
    "another end tag": entry("<lastmod>2026▶</loc>"),
    "a second document": urlset("") + "\n▶<urlset/>",
    "a prefix that nobody declares": entry("▶<news:news/>"),
    "a DOCTYPE with entities": urlset("", before="<!DOCTYPE urlset [\n▶<!ENTITY a 'b'>]>\n").replace(
        "[\n▶", "▶[\n"
    ),
}
BREAKS = ("\n", "\r\n", "\r")
CODECS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-be")


def read(
    document: str, line_break: str, codec: str, name: str, piece: int
) -> tuple[list[Entry], SitemapFile, int]:
    before, _, behind = document.partition("▶")
    data = (before + behind).replace("\n", line_break).encode(codec)
    shown = 1 + len(re.findall(r"\r\n|\r|\n", before.replace("\n", line_break)))
    reader = SitemapReader(f"https://example.com/{name}", source=SitemapSource.ROBOTS)
    entries = []
    for at in range(0, len(data), piece):
        entries += reader.feed(data[at : at + piece])
    last, file = reader.close(SitemapEnd(status=200))
    return entries + last, file, shown


CASES = [
    *((kind, text, "sitemap.xml") for kind, text in DOCUMENTS.items()),
    *((kind, text, "feed.xml") for kind, text in FEEDS.items()),
    *((kind, text, "list.txt") for kind, text in TEXTS.items()),
]


@pytest.mark.parametrize("line_break", BREAKS, ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize(("kind", "document", "name"), CASES, ids=[f"{k}-{n}" for k, _, n in CASES])
def test_a_problem_stands_at_its_line(kind: str, document: str, name: str, line_break: str) -> None:
    for codec in CODECS:
        _, file, shown = read(document, line_break, codec, name, 4_099)
        lines = [p.line for p in file.problems if p.kind == kind]
        assert lines == [shown], (codec, file.problems, file.xml_error)


@pytest.mark.parametrize("line_break", BREAKS, ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("fault", FATAL)
def test_the_end_of_reading_stands_at_its_line(fault: str, line_break: str) -> None:
    for codec in CODECS:
        _, file, shown = read(FATAL[fault], line_break, codec, "sitemap.xml", 1_000)
        assert file.xml_error is not None
        assert file.xml_error.line == shown, (codec, file.xml_error)


@pytest.mark.parametrize("line_break", BREAKS, ids=["LF", "CRLF", "CR"])
def test_entries_and_links_stand_at_their_lines(line_break: str) -> None:
    link = '<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/>'
    document = urlset(f"▶<url>\n<loc>{A}/z</loc>\n\n{link}\n{link}</url>")
    for codec in CODECS:
        entries, _, shown = read(document, line_break, codec, "sitemap.xml", 100_000)
        (found,) = [e for e in entries if e.loc == f"{A}/z"]
        assert found.line == shown
        assert [link.line for link in found.alternates or ()] == [shown + 3, shown + 4]


@pytest.mark.parametrize("line_break", BREAKS, ids=["LF", "CRLF", "CR"])
def test_bytes_that_are_no_utf_8_stand_at_their_line(line_break: str) -> None:
    document = urlset(f"<url>\n<loc>{A}▶\xe9</loc>\n</url>")
    _, file, shown = read(document, line_break, "latin-1", "sitemap.xml", 500)
    assert [p.line for p in file.problems if p.kind == "not-utf8"] == [shown]
    _, text, shown = read(f"{A}\n{A}\n▶{A}\xe9\n{A}\n", line_break, "latin-1", "list.txt", 7)
    assert [p.line for p in text.problems if p.kind == "not-utf8"] == [shown]
