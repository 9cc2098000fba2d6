"""What the body of a page is, whatever its header says.

In the spirit of the WHATWG MIME Sniffing Standard (7), reduced to the types that the audit tells apart.
"""

from __future__ import annotations

import re
from typing import Final

from sitemap_audit.formats.charset import charset_name
from sitemap_audit.settings import SNIFF_BYTES

HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})

_SPACE: Final = b"\t\n\f\r "
_PROLOGUE: Final = re.compile(rb"(?:[\t\n\f\r ]++|<\?[^>]*+>|<!--(?:[^-]++|-(?!->))*+-->)++")
_ROOT: Final = re.compile(rb"<([a-zA-Z][^\t\n\f\r />]*+)")
_DOCTYPE: Final = re.compile(rb"<!doctype[\t\n\f\r ]++([^\t\n\f\r >]++)[^>]*+>?", re.IGNORECASE)
_HTML_LATER: Final = re.compile(
    rb"<(?:!doctype[\t\n\f\r ]+html|html|head|body|title)[\t\n\f\r />]", re.IGNORECASE
)
_ANY_TAG: Final = re.compile(rb"</?[a-zA-Z][^<>]*>")
_BINARY: Final = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_JSON: Final = re.compile(rb"""\{[\t\n\r ]*["}]|\[[\t\n\r ]*(?:["{\[\]0-9-]|true\b|false\b|null\b)""")
_IMAGE: Final = re.compile(
    rb"\x89PNG\r\n\x1a\n|GIF8[79]a|\xff\xd8\xff|RIFF....WEBP|BM.{4}\0\0\0\0|\0\0[\1\2]\0|II\*\0|MM\0\*"
    rb"|....ftyp(?:avif|avis|heic|heix|mif1)",
    re.DOTALL,
)
_HTML_ROOTS: Final = frozenset(
    b"html head body title meta link base script style template noscript iframe h1 h2 h3 h4 h5 h6 div font table a"
    b" b br p center form header footer main nav section article span ul ol pre img center frameset".split()
)
_WIDE: Final = {"utf-16le": "utf-16-le", "utf-16be": "utf-16-be"}
_BOMS: Final = ((b"\xef\xbb\xbf", None), (b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"))


def sniff(body: bytes, declared: str | None = None, charset: str | None = None) -> str:
    """html, xml, pdf, image, json, text, binary or empty.

    `declared`: the media type of the Content-Type header. It only breaks one tie: text with tags in it that
    does not begin like a page is html where the header says so. `charset`: that of the header; it matters
    for UTF-16 without a byte order mark, whose NULs would be binary otherwise.
    """
    wide = charset is not None and charset_name(charset) in _WIDE
    if body[:15].lower() == b"<!doctype html>" and not wide:
        return "html"
    start = body[:SNIFF_BYTES]
    for mark, codec in _BOMS:
        if start.startswith(mark):
            start = start[len(mark) :]
            if codec is not None:
                start = start.decode(codec, "replace").encode("utf-8", "replace")
            break
    else:
        if charset is not None and b"\0" in start and (codec := _WIDE.get(charset_name(charset))) is not None:
            start = start.decode(codec, "replace").encode("utf-8", "replace")
    prologue = _PROLOGUE.match(start)
    position = 0 if prologue is None else prologue.end()
    if start.startswith(b"<", position):
        kind = _of_markup(start, position)
        if kind is not None:
            return kind
    return _of_text(body, start, position, declared)


def _of_markup(start: bytes, position: int) -> str | None:
    doctype = _DOCTYPE.match(start, position)
    if doctype is not None:
        name = doctype[1].lower()
        return "html" if name == b"html" else "image" if name == b"svg" else "xml"
    if start.startswith(b"<!--", position):
        return "html"  # a comment that goes on
    root = _ROOT.match(start, position)
    if root is None:
        return "xml" if start.lstrip(_SPACE).startswith(b"<?xml") else None
    name = root[1].lower()
    if name in _HTML_ROOTS:
        return "html"
    if name.rpartition(b":")[2] == b"svg":
        return "image"
    if (
        start.lstrip(_SPACE).startswith(b"<?xml")
        or b"xmlns" in start
        or name in (b"rss", b"feed", b"rdf:rdf")
    ):
        return "xml"
    return None


def _of_text(body: bytes, start: bytes, position: int, declared: str | None) -> str:
    if not body:
        return "empty"
    if start.startswith(b"%PDF-") or b"\n%PDF-" in start[:1024]:
        return "pdf"
    if _IMAGE.match(start):
        return "image"
    if _BINARY.search(start):
        return "binary"
    if position >= len(start) and len(body) <= SNIFF_BYTES:
        return "empty"
    if _JSON.match(start, position):
        return "json"
    if _HTML_LATER.search(start) or (declared in HTML_TYPES and _ANY_TAG.search(start)):
        return "html"
    return "text"
