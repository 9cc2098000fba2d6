"""What a file is, told by its first bytes. Names, headers and wishes play no role.

Only the coarse cut is made here: XML or not. Which XML it is, its root element says (sitemap_xml).
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final


class Form(Enum):
    """What is to be read how."""

    XML = "xml"
    HTML = "html"
    TEXT = "text"
    JSON = "json"
    BINARY = "binary"
    EMPTY = "empty"
    OTHER = "other"
    """Text without a line that looks like a URL."""


_SPACE: Final = b" \t\r\n\f\v"
_HTML: Final = re.compile(rb"<(?:!doctype\s+html|html|head|body|title|script|meta|div)\b", re.IGNORECASE)
_XML_INSIDE: Final = re.compile(
    rb"<\?xml\s|<(?:[A-Za-z_][\w.-]*:)?(?:urlset|sitemapindex|rss|RDF|feed)[\s>]", re.IGNORECASE
)
_URL_LINE: Final = re.compile(rb"(?:^|[\r\n])[ \t]*https?://", re.IGNORECASE)
_CONTROLS: Final = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
_ROOT: Final = re.compile(rb"<(?:[A-Za-z_][\w.-]*:)?(urlset|sitemapindex|rss|RDF|feed)[\s>]", re.IGNORECASE)


def sniff(head: bytes, *, named_txt: bool = False) -> Form:
    """The form of a file that begins with `head`: UTF-8, mark taken off, the whole file or 4 KiB and more.

    `named_txt`: its address ends in .txt; then text without any URL still is a text sitemap, a bad one.
    """
    start = head.lstrip(_SPACE)
    if not start:
        return Form.EMPTY
    if start.startswith(b"<"):
        first = _past_prologue(start)
        if _HTML.match(first) is None:
            return Form.XML
        # A DOCTYPE may be wrong; the element behind it is what counts.
        behind = _past_prologue(first.partition(b">")[2].lstrip(_SPACE))
        return Form.XML if first[:2] == b"<!" and _ROOT.match(behind) else Form.HTML
    if _CONTROLS.search(head[:1024]):
        return Form.BINARY
    if _XML_INSIDE.search(head[:4096]):
        return Form.XML  # text ahead of it: not well-formed, and the parser says where
    if start[:1] in (b"{", b"["):
        return Form.JSON
    if named_txt or _URL_LINE.search(head):
        return Form.TEXT
    return Form.OTHER


def root_in(head: bytes) -> str | None:
    """The root element that `head` seems to hold, where no parser came so far: lower-case local name."""
    found = _ROOT.search(head[:4096])
    return None if found is None else found[1].decode("ascii").lower()


def _past_prologue(start: bytes) -> bytes:
    """What follows the XML declaration, processing instructions and comments."""
    while True:
        if start.startswith(b"<!--"):
            end = start.find(b"-->", 4)
            size = 3
        elif start.startswith(b"<?"):
            end = start.find(b"?>", 2)
            size = 2
        else:
            return start
        if end < 0:
            return start
        start = start[end + size :].lstrip(_SPACE)
