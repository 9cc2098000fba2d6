"""Documents that are no HTML pages: told by their bytes, held against their header, and their headers are read."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime

import pytest

from sitemap_audit.formats.page import PageSignals, read_page

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HERE = "https://example.com/file"
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
JPEG = b"\xff\xd8\xff\xe0\0\x10JFIF\0"
WEBP = b"RIFF\x24\0\0\0WEBPVP8 "
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><title>t</title></svg>'
RSS = b'<?xml version="1.0"?><rss version="2.0"><channel><title>t</title></channel></rss>'
ATOM = b'<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title></feed>'
SITEMAP = b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>'
TEXT = b"https://example.com/a\nhttps://example.com/b\n"
JSON = b'{"title": "t"}'
HTML = b'<!doctype html><title>t</title><link rel=canonical href="/html"><meta name=robots content=nofollow>'
DOCUMENTS = [
    ("pdf", PDF, "application/pdf"),
    ("image", PNG, "image/png"),
    ("image", JPEG, "image/jpeg"),
    ("image", WEBP, "image/webp"),
    ("image", SVG, "image/svg+xml"),
    ("xml", RSS, "application/rss+xml"),
    ("xml", ATOM, "application/atom+xml"),
    ("xml", SITEMAP, "application/xml"),
    ("text", TEXT, "text/plain"),
    ("json", JSON, "application/json"),
    ("binary", gzip.compress(TEXT, mtime=0), "application/gzip"),
    ("empty", b"", "application/pdf"),
]
SAID = (
    ("x-robots-tag", "bingbot: noarchive"),
    ("x-robots-tag", "noindex"),
    ("link", f'<{HERE}?canonical>; rel="canonical"'),
    ("link", '<https://example.com/de>; rel="alternate"; hreflang="de"'),
)


def read(body: bytes, *headers: tuple[str, str]) -> PageSignals:
    return read_page(body, headers, final_url=HERE, status=200, bots=("googlebot", "bingbot"), now=NOW)


@pytest.mark.parametrize(("kind", "body", "declared"), DOCUMENTS)
@pytest.mark.parametrize("header", ["declared", "none", "text/html; charset=utf-8", "application/pdf"])
def test_headers_are_read_for_all_of_them(kind: str, body: bytes, declared: str, header: str) -> None:
    """Whatever the header claims: the bytes say what it is, and the lines of the header count."""
    content_type = declared if header == "declared" else None if header == "none" else header
    claimed = () if content_type is None else (("content-type", content_type),)
    page = read(body, *claimed, *SAID)
    assert (page.content_type, page.sniffed_type) == (content_type, kind)
    assert page.x_robots_tag == ("bingbot: noarchive", "noindex")
    assert page.directives is not None
    assert page.directives["googlebot"].noindex
    assert page.directives["bingbot"].noarchive
    assert page.noindex_sources == ("header",)
    assert (page.canonical, page.canonical_state) == (f"{HERE}?canonical", "other")
    assert [(a.source, a.code, a.href) for a in page.alternates] == [("http", "de", "https://example.com/de")]


@pytest.mark.parametrize("declared", ["application/pdf", "image/png", "text/plain", "application/json"])
def test_html_that_says_to_be_something_else_is_told_and_not_read_as_a_page(declared: str) -> None:
    """A browser would show its source, or nothing: its head declares nothing."""
    page = read(HTML, ("content-type", declared))
    assert (page.content_type, page.sniffed_type) == (declared, "html")
    assert (page.title, page.meta_robots, page.canonical_html) == (None, (), ())


@pytest.mark.parametrize("header", [(), (("content-type", "text/html"),), (("content-type", "nonsense"),)])
def test_html_is_read_where_nothing_speaks_against_it(header: tuple[tuple[str, str], ...]) -> None:
    page = read(HTML, *header)
    assert (page.sniffed_type, page.title, page.canonical) == ("html", "t", "https://example.com/html")
