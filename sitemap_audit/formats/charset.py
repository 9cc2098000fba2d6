"""The encoding of a page: byte order mark, Content-Type, meta within the first 1,024 bytes, else UTF-8.

As the Encoding and HTML Standards (13.2.3.2) say, with their table of labels. Text is handed on as UTF-8
bytes: the parser takes them as they are, and most pages are UTF-8 already.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache
from typing import Final, NamedTuple

import webencodings

from sitemap_audit.formats.html_tokens import ATTRIBUTES, PIECES
from sitemap_audit.settings import CHARSET_PRESCAN_BYTES

_BOMS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_BOM_STARTS: Final = frozenset(mark[:1] for mark, _ in _BOMS)
_SPACE: Final = b"\t\n\f\r "
_PRESCAN: Final = re.compile(rb"<(?:(!--)|([mM][eE][tT][aA])[\t\n\f\r /]|(/?[a-zA-Z])[^\t\n\f\r >]*|[!/?])")
_IN_CONTENT: Final = re.compile(
    rb"charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r ;\"'][^\t\n\f\r ;]*))",
    re.IGNORECASE,
)
_XML: Final = re.compile(rb"<\?xml[^>]*?encoding[\t\n\r ]*=[\t\n\r ]*[\"']([^\"'>]*)")
_SINGLE_BYTE: Final = re.compile(r"windows-|iso-8859-|koi8-|ibm866|macintosh|x-mac-cyrillic|x-user-defined")
_REPLACEMENT: Final = "\ufffd"


class Decoded(NamedTuple):
    """`doc`: the text as UTF-8, without byte order mark.

    `http`, `meta`: WHATWG names of the declared encodings, an unknown label as found; `used`: the one that
    was taken. `errors`: bytes or sequences that are none of its characters. `bom`: bytes of the mark.
    """

    doc: bytes
    http: str | None
    meta: str | None
    used: str
    errors: int
    bom: int


def decode(body: bytes, http_charset: str | None, *, truncated: bool = False) -> Decoded:
    """Decode the body of an HTML page. `truncated`: a character cut at the end is no error."""
    http = None if http_charset is None else charset_name(http_charset)
    bom, used = 0, None
    if body[:1] in _BOM_STARTS:
        bom, used = next(((len(mark), name) for mark, name in _BOMS if body.startswith(mark)), (0, None))
    meta = declared_in(body[bom : bom + CHARSET_PRESCAN_BYTES])
    used = used or _known(http) or _known(meta) or "utf-8"
    rest = body[bom:] if bom else body
    doc, errors = _to_utf8(rest, used, truncated=truncated)
    return Decoded(doc, http, meta, used, errors, bom)


@lru_cache(maxsize=256)
def charset_name(label: str) -> str:
    """The WHATWG name of an encoding, in lower case; a label that names none comes back trimmed."""
    encoding = webencodings.lookup(label)
    return label.strip(" \t\n\f\r").lower() if encoding is None else encoding.name


def declared_in(start: bytes) -> str | None:
    """What the first bytes of a page declare: a meta, else an XML declaration (prescan, HTML Standard).

    Returns the name as `charset_name` does. utf-16 in a meta means utf-8, x-user-defined windows-1252.
    """
    # What stands before the meta is often the same on all pages of a site: up to there it is remembered.
    at = start.find(b"charset")
    end = start.find(b">", at) if at >= 0 else -1
    meta = (_prescan_cached(start[: end + 1]) if end >= 0 else None) or _prescan(start)
    if meta is not None:
        return meta
    xml = _XML.match(start)
    return charset_name(xml[1].decode("latin-1")) if xml else None


def _prescan(start: bytes) -> str | None:
    position = 0
    while (markup := _PRESCAN.search(start, position)) is not None:
        comment, meta, tag = markup.groups()
        position = markup.end()
        if comment:
            end = start.find(b"-->", position - 2)
            position = len(start) if end < 0 else end + 3
        elif meta or tag:
            attributes = ATTRIBUTES.match(start, position - 1 if meta else position)
            if attributes is None:
                break
            position = attributes.end()
            label = _of_meta(start, attributes.start(), position - 1) if meta else None
            if label is not None and (name := _known(charset_name(label))) is not None:
                return {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252"}.get(
                    name, name
                )
        else:
            end = start.find(b">", position)
            position = len(start) if end < 0 else end + 1
    return None


_prescan_cached: Final = lru_cache(maxsize=512)(_prescan)


def body_offset(decoded: Decoded, body: bytes, offset: int) -> int | None:
    """Where byte `offset` of `decoded.doc` lies in the body; None where that cannot be told."""
    if decoded.used == "utf-8":
        if not decoded.errors:
            return decoded.bom + offset
        # Replacing bad bytes never swallows an ASCII one: signs of tags keep their number and order.
        position = decoded.bom - 1
        for _ in range(decoded.doc.count(b"<", 0, offset + 1)):
            position = body.find(b"<", position + 1)
        return position if decoded.doc[offset : offset + 1] == b"<" else None
    before = decoded.doc[:offset].decode("utf-8", "ignore")
    if _SINGLE_BYTE.match(decoded.used):
        return decoded.bom + len(before)
    if decoded.errors or decoded.used == "replacement":
        return None
    return decoded.bom + len(before.encode(_codec(decoded.used).name, "replace"))


def _to_utf8(rest: bytes, used: str, *, truncated: bool) -> tuple[bytes, int]:
    if used == "utf-8":
        if rest.isascii():
            return rest, 0
        try:
            _, length = codecs.utf_8_decode(rest, "strict", not truncated)
        except UnicodeDecodeError:
            text, _ = codecs.utf_8_decode(rest, "replace", not truncated)
            doc = text.encode()
            return doc, text.count(_REPLACEMENT) - rest.count(_REPLACEMENT.encode())
        return (rest if length == len(rest) else rest[:length]), 0
    if used == "replacement":
        return (_REPLACEMENT.encode(), 1) if rest else (b"", 0)
    if _SINGLE_BYTE.match(used):
        text = codecs.charmap_decode(rest, "replace", _table(used))[0]
    else:
        text = _codec(used).decode(rest, "replace")[0]
    errors = text.count(_REPLACEMENT)
    if truncated and text.endswith(_REPLACEMENT):
        text, errors = text[:-1], errors - 1
    return text.encode("utf-8", "replace"), errors


@lru_cache(maxsize=64)
def _table(name: str) -> str:
    """The 256 characters of an encoding. windows-*: bytes that Python leaves out below A0 are controls."""
    every = bytes(range(256))
    table = [_codec(name).decode(every[n : n + 1], "replace")[0] for n in range(256)]
    if name.startswith("windows-"):
        table[0x80:0xA0] = [chr(n) if table[n] == _REPLACEMENT else table[n] for n in range(0x80, 0xA0)]
    return "".join(table)


def _codec(name: str) -> codecs.CodecInfo:
    if name == "gbk":
        return codecs.lookup("gb18030")  # the standard decodes both alike
    encoding = webencodings.lookup(name)
    return codecs.lookup("utf-8") if encoding is None else encoding.codec_info


@lru_cache(maxsize=256)
def _known(name: str | None) -> str | None:
    return name if name is not None and webencodings.lookup(name) is not None else None


def _of_meta(start: bytes, begin: int, end: int) -> str | None:
    """The encoding label of one meta tag."""
    values: dict[bytes, bytes] = {}
    for piece in PIECES.finditer(start, begin, end):
        name, _, value = piece.group().partition(b"=")
        value = value.strip(_SPACE)
        values.setdefault(
            name.strip(_SPACE + b"/").lower(), value[1:-1] if value[:1] in (b'"', b"'") else value
        )
    label = values.get(b"charset")
    if label is None and values.get(b"http-equiv", b"").lower() == b"content-type":
        found = _IN_CONTENT.search(values.get(b"content", b""))
        label = None if found is None else next(group for group in found.groups() if group is not None)
    return None if label is None else label.decode("latin-1")
