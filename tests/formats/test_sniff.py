"""What a body is: one firing and near-miss case a type."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.formats.sniff import sniff

TYPES = {"html", "xml", "pdf", "image", "json", "text", "binary", "empty"}


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"<!DOCTYPE html><p>", "html"),
        (b"\xef\xbb\xbf \n<!-- a - b --><html>", "html"),
        (
            b"<?xml version='1.0'?><!DOCTYPE html PUBLIC 'x'><html xmlns='http://www.w3.org/1999/xhtml'>",
            "html",
        ),
        (b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>", "html"),
        (b"Warning: mysql_connect() in x.php\n<!doctype html><html>", "html"),
        ("<html>".encode("utf-16"), "html"),
        (b"<p>short", "html"),
        (b"<!-- never closed", "html"),
        (b"<?xml version='1.0'?><urlset/>", "xml"),
        (b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>", "xml"),
        (b"<rss version='2.0'><channel><title>x</title>", "xml"),
        (b"<!DOCTYPE rss><rss>", "xml"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'>", "image"),
        (b"%PDF-1.7\n", "pdf"),
        (b"\n%PDF-1.4", "pdf"),
        (b"about %PDF-1.4", "text"),
        (b"\x89PNG\r\n\x1a\n\0\0", "image"),
        (b"GIF89a\0", "image"),
        (b"\xff\xd8\xff\xe0", "image"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image"),
        (b"\0\0\0\x1cftypavif", "image"),
        (b'{"a": "<html>"}', "json"),
        (b" [1, 2]", "json"),
        (b"{% include %}<!doctype html>", "html"),
        (b"[link] text", "text"),
        (b"hello", "text"),
        (b"a < b and c > d", "text"),
        (b"PK\x03\x04\x00", "binary"),
        (b"\x1f\x8b\x08\x00", "binary"),
        (b"", "empty"),
        (b" \n ", "empty"),
    ],
)
def test_type(body: bytes, kind: str) -> None:
    assert sniff(body) == kind


def test_the_header_breaks_only_the_tie_of_text_with_tags() -> None:
    assert sniff(b"Hello <b>you</b>", "text/html") == "html"
    assert sniff(b"Hello <b>you</b>", "text/plain") == "text"
    assert sniff(b"Hello you", "text/html") == "text"
    wide = "<!doctype html><title>t</title>".encode("utf-16-be")
    assert sniff(wide, "text/html", "UTF-16BE") == "html"
    assert [sniff(wide, "text/html", charset) for charset in (None, "utf-8", "nonsense", "utf-16le")] == [
        "binary"
    ] * 3 + ["text"]
    assert sniff(b"\1\0\2\0", "text/html", "utf-16le") == "binary"
    assert sniff(b"%PDF-1.7", "text/html") == "pdf"
    assert sniff(b"<html>", "text/plain") == "html"


@given(st.binary(max_size=200), st.sampled_from([None, "text/html"]))
def test_any_bytes_have_a_type(body: bytes, declared: str | None) -> None:
    assert sniff(body, declared) in TYPES
