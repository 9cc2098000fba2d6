"""The one door to the HTML parser: what would cost too much memory or time is refused, and says why.

Reliability row 22. The parser (lexbor) builds the tree of the HTML Standard. It has no limits of its own:
formatting elements that are never closed are opened again in each paragraph (37 KB took 757 MB), and deep
nesting or very many attributes of one tag take time with their square. Not for several threads.
"""

from __future__ import annotations

import os
import re
import resource
import sys
from enum import StrEnum
from typing import Final

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from sitemap_audit.formats.html_depth import OpenElements, walk
from sitemap_audit.formats.html_tokens import START_TAG, count_attributes
from sitemap_audit.settings import (
    HTML_MAX_ATTRIBUTES,
    HTML_MAX_DEPTH,
    HTML_MAX_FORMATTING_PRODUCT,
    HTML_MAX_REOPENED,
    HTML_MAX_START_TAGS,
    HTML_PARSE_MAX_BYTES,
    HTML_SAFE_BYTES,
    HTML_SMALL_BYTES,
)

_FORMATTING: Final = re.compile(
    rb"<(?:big|b|code|em|font|i|nobr|strike|strong|small|s|tt|u)(?=[\t\n\f\r />])[^>]*+", re.IGNORECASE
)
_PAGE_BYTES: Final = resource.getpagesize()
_WINDOW: Final = HTML_MAX_ATTRIBUTES
_OPEN_QUOTE_WINDOWS: Final = 4


class Refused(StrEnum):
    """Why a document was not parsed."""

    MEMORY = "memory"
    DEPTH = "depth"
    ATTRIBUTES = "attributes"
    TAGS = "tags"


def parse_html(doc: bytes, *, scripting: bool = True) -> LexborHTMLParser | Refused:
    """The tree of an HTML text in UTF-8 without a byte order mark, or why it was not built.

    `scripting`: noscript holds text, as for a crawler that renders. Costs 3 us beside the parser from
    8 KB, some 0.05 ms above; documents of more than 5,000 start tags are read tag by tag before.
    """
    if len(doc) <= HTML_SMALL_BYTES:
        return LexborHTMLParser(doc, scripting=scripting)
    if len(doc) > HTML_SAFE_BYTES and (too_much := _too_expensive(doc)):
        return too_much
    if _STATM is None and _formatting_product(doc) > HTML_MAX_FORMATTING_PRODUCT:
        return Refused.MEMORY
    before = None if _STATM is None else _limit_memory(_STATM)
    try:
        return LexborHTMLParser(doc, scripting=scripting)
    except (SelectolaxError, MemoryError):
        return Refused.MEMORY
    finally:
        if before is not None:
            resource.setrlimit(resource.RLIMIT_DATA, before)


def _too_expensive(doc: bytes) -> Refused | None:
    """Nesting and attributes that the parser would need seconds for."""
    start_tags = len(START_TAG.findall(doc)) if doc.count(b"<") > HTML_MAX_DEPTH else 0
    if start_tags > HTML_MAX_START_TAGS:
        return Refused.TAGS
    if start_tags <= HTML_MAX_DEPTH and not _may_hold_long_tag(doc):
        return None
    elements, position = OpenElements(), 0
    while (step := walk(doc, elements, position)) is not None:
        tag, position = step
        if len(elements) > HTML_MAX_DEPTH:
            return Refused.DEPTH
        if elements.reopened > HTML_MAX_REOPENED:
            return Refused.MEMORY
        # Shorter ones cannot hold so many: each takes a letter and what parts it from the next.
        if (
            tag.end - tag.attributes > 2 * HTML_MAX_ATTRIBUTES
            and count_attributes(doc, tag) > HTML_MAX_ATTRIBUTES
        ):
            return Refused.ATTRIBUTES
    return None


def _may_hold_long_tag(doc: bytes) -> bool:
    """Could one tag hold more than HTML_MAX_ATTRIBUTES attributes? A cheap look; True may be wrong.

    Such a tag is long: either there is a long stretch without `>` in it, or its `>` stand in quotes all
    over. So the last `>` of each window is looked at. A long stretch must also begin inside a tag: one that
    starts in it, or one whose value holds the `>` before it.
    """
    position = seen = open_quotes = 0  # `seen`: up to here no start tag was found behind the last `>`
    in_value = False
    while position < len(doc):
        at = doc.rfind(b">", position, position + _WINDOW)
        if at < 0:
            if in_value or START_TAG.search(doc, seen, position + _WINDOW):
                return True
            position += _WINDOW
            seen = position - 1
            continue
        in_value = _opens_value(doc, b'"', at) or _opens_value(doc, b"'", at)
        open_quotes += in_value
        if open_quotes == _OPEN_QUOTE_WINDOWS:
            return True
        position = seen = at + 1
    return False


def _opens_value(doc: bytes, quote: bytes, at: int) -> bool:
    """Is the last such quote before `at` one behind an equals sign? Then `at` may lie in a value."""
    before = doc.rfind(quote, max(0, at - 2 * _WINDOW), at)
    return before > 0 and doc[max(0, before - 8) : before].rstrip().endswith(b"=")


def _formatting_product(doc: bytes) -> int:
    """min(3 x distinct, all) formatting start tags, times all start tags: the worst number of nodes."""
    formatting = _FORMATTING.findall(doc)
    return min(3 * len(set(formatting)), len(formatting)) * len(START_TAG.findall(doc))


class _Statm:
    """Private memory of this process, read from a file kept open: opening it each time is 20 times dearer."""

    def __init__(self) -> None:
        self._file = self._open()
        os.register_at_fork(after_in_child=self._reopen)

    def data_bytes(self) -> int:
        return int(os.pread(self._file, 256, 0).split()[5]) * _PAGE_BYTES

    def _reopen(self) -> None:
        os.close(self._file)  # it would go on to speak of the parent
        self._file = self._open()

    @staticmethod
    def _open() -> int:
        return os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)


def _statm() -> _Statm | None:
    """None where the system does not keep RLIMIT_DATA for all private memory, as Linux does."""
    try:
        return _Statm() if sys.platform == "linux" else None
    except OSError:
        return None


_STATM: Final = _statm()


def _limit_memory(statm: _Statm) -> tuple[int, int]:
    """Let this process take HTML_PARSE_MAX_BYTES more; returns the limits to set again."""
    soft, hard = limits = resource.getrlimit(resource.RLIMIT_DATA)
    allowed = statm.data_bytes() + HTML_PARSE_MAX_BYTES
    for bound in limits:
        if bound != resource.RLIM_INFINITY:
            allowed = min(allowed, bound)
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))
    return soft, hard
