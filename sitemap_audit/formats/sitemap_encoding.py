"""In which encoding a sitemap file is written, and its bytes as UTF-8, whatever it is.

XML 1.0, appendix F (detection), section 4.3.3; names by the WHATWG Encoding Standard (webencodings), so
that no name from a file reaches Python's codec registry. XML and text readers are handed UTF-8 only.
"""

from __future__ import annotations

import codecs
import re
from typing import Final, NamedTuple

import webencodings

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins alike
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ZEROS: Final = (
    (re.compile(rb"[^\0]\0\0\0[^\0]\0\0\0"), "utf-32-le"),
    (re.compile(rb"\0\0\0[^\0]\0\0\0[^\0]"), "utf-32-be"),
    (re.compile(rb"[^\0]\0[^\0]\0"), "utf-16-le"),
    (re.compile(rb"\0[^\0]\0[^\0]"), "utf-16-be"),
)
"""ASCII in an encoding of two or four bytes a character, without a mark."""
_DECLARED: Final = re.compile(
    r"""\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*(?:"([^"<>]{0,60})"|'([^'<>]{0,60})')""", re.ASCII
)
_WIDE: Final = frozenset({"utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"})
_SAME_BYTES: Final = frozenset({"utf-8", "us-ascii", "ascii"})


class Encoding(NamedTuple):
    """What the first bytes say. `codec`: a Python codec; `mark`: bytes of the byte order mark.

    `declared`: the name in the XML declaration, as written. `problem`: `encoding-unknown` (the name is
    none that browsers know: read as UTF-8), `encoding-contradiction` (declared as UTF-16 or UTF-32, but
    written in single bytes, or the reverse: the bytes decide), or None.
    """

    codec: str
    mark: int
    declared: str | None
    problem: str | None


def detect(head: bytes) -> Encoding:
    """The encoding of a file that begins with `head` (some hundred bytes are enough)."""
    codec, mark = _by_bytes(head)
    declared = _declaration(head[mark : mark + 1024].decode(codec or "latin-1", "replace"))
    problem = None
    named = _codec_of(declared) if declared is not None else None
    if declared is not None and named is None:
        problem = "encoding-unknown"
    elif (named is not None and codec is None and named in _WIDE) or (
        named is not None and codec is not None and not _agree(named, codec)
    ):
        problem = "encoding-contradiction"
    if codec is None:
        codec = named if named is not None and named not in _WIDE else "utf-8"
    return Encoding(codec, mark, declared, problem)


def _by_bytes(head: bytes) -> tuple[str | None, int]:
    for mark, codec in _MARKS:
        if head.startswith(mark):
            return codec, len(mark)
    for pattern, codec in _ZEROS:
        if pattern.match(head):
            return codec, 0
    return None, 0


def _declaration(head: str) -> str | None:
    found = _DECLARED.match(head)
    return None if found is None else (found[1] if found[1] is not None else found[2]).strip() or None


def _codec_of(name: str) -> str | None:
    label = name.lower()
    if label.startswith(("utf-32", "utf32", "ucs-4")):
        return "utf-32-le"
    if label in _SAME_BYTES:
        return "utf-8"  # windows-1252 to browsers; bytes beyond ASCII are an error either way here
    known = webencodings.lookup(name)
    if known is None or known.name == "x-user-defined":
        return None
    return {"utf-16le": "utf-16-le", "utf-16be": "utf-16-be"}.get(known.name, known.codec_info.name)


def _agree(named: str, codec: str) -> bool:
    if named in _WIDE:
        return codec[:6] == named[:6]  # "utf-16" alone names both byte orders
    return named == codec


class ToUtf8:
    """Turns the bytes of one file, mark taken off, into UTF-8; what cannot be decoded ends it."""

    def __init__(self, codec: str) -> None:
        self.valid = codec not in _WIDE
        """Are the bytes so far UTF-8 (ASCII counts), whatever the file declares?"""
        self.error: str | None = None
        """What could not be decoded; nothing comes out any more. Never set for UTF-8, which passes as it is."""
        self.passes = codec == "utf-8"
        self._utf8 = codecs.getincrementaldecoder("utf-8")("strict")
        self._decoder = codecs.getincrementaldecoder(codec)("strict")

    def feed(self, data: bytes, *, final: bool = False) -> bytes:
        """The next bytes in UTF-8. With `final`, `data` is the last of the file."""
        if self.valid:
            self._check(data, final)
        if self.passes:
            return data
        if self.error is not None:
            return b""
        try:
            return self._decoder.decode(data, final).encode("utf-8", "replace")
        except UnicodeDecodeError as error:
            bad = error.object[error.start : error.end][:8].hex(" ")
            self.error = f"the bytes {bad} are no {error.encoding}"
            good = error.object[: error.start]
            return good.decode(error.encoding, "ignore").encode("utf-8", "replace")

    def _check(self, data: bytes, final: bool) -> None:
        # The first half of a character may wait in the decoder: only then must it see an ASCII block.
        if data.isascii() and not self._utf8.getstate()[0]:
            return
        try:
            self._utf8.decode(data, final)
        except UnicodeDecodeError:
            self.valid = False
