"""Where the tags of an HTML text begin and end, as the tokenizer of the HTML Standard (13.2.5) cuts them.

For what the parser cannot say: byte offsets, and whether a document is too expensive to be parsed. No tree
is built here and nothing is decoded. Texts are UTF-8 or another encoding that keeps ASCII bytes as they are.
All patterns are linear: their repetitions are possessive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from sitemap_audit.settings import HTML_MAX_ATTRIBUTES

_ATTRIBUTE: Final = (
    rb"(?:[\t\n\f\r /]++|=?[^\t\n\f\r />=]++"
    rb"(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:\"[^\"]*+\"|'[^']*+'|(?=>)|[^\t\n\f\r >\"'][^\t\n\f\r >]*+))?+|=)"
)
"""One attribute with its value, or what stands between two."""
PIECES: Final = re.compile(_ATTRIBUTE)
ATTRIBUTES: Final = re.compile(_ATTRIBUTE + rb"*+>")
"""Matched where a tag name ends: up to the `>` of the tag. No match: the document ends inside the tag."""
START_TAG: Final = re.compile(rb"<[a-zA-Z]")
_MARKUP: Final = re.compile(
    rb"<(?:(/?)([a-zA-Z][^\t\n\f\r />]*+)(" + _ATTRIBUTE + rb"*+)(>)?|(!--)|(!\[CDATA\[)|(/>)|[!?]|/(?!\Z))"
)
_COMMENT_END: Final = re.compile(rb"--!?>")
_SCRIPT: Final = re.compile(rb"<!--|-->|<(/?)script[\t\n\f\r />]", re.IGNORECASE)
_RAW: Final = (b"title", b"textarea", b"style", b"xmp", b"iframe", b"noembed", b"noframes", b"noscript")
_RAW_END: Final = {name: re.compile(rb"</" + name + rb"[\t\n\f\r />]", re.IGNORECASE) for name in _RAW}
RAW_TEXT: Final = frozenset((*_RAW, b"script", b"plaintext"))
"""Elements whose content is text (with scripting, so noscript too); nothing in them is a tag."""


class Tag(NamedTuple):
    """A start or end tag: `name` in lower case, `doc[attributes:end - 1]` its attributes.

    Comments, doctypes and the like are tags without a name.
    """

    start: int
    end: int
    closing: bool
    name: bytes
    attributes: int


def next_tag(doc: bytes, position: int, *, foreign: bool = False) -> Tag | None:
    """The first tag or comment at or behind `position`; None if there is none.

    What stands between the two is text. `foreign`: inside svg or math, where CDATA sections exist
    (13.2.5.42). A tag without its `>` counts as a comment to the end of the document, which ends in it.
    """
    markup = _MARKUP.search(doc, position)
    if markup is None:
        return None
    slash, name, _, complete, comment, cdata, empty = markup.groups()
    end = markup.end()
    if name is not None:
        if complete is not None:
            return Tag(markup.start(), end, bool(slash), name.lower(), markup.start(3))
        end = len(doc)
    elif comment is not None:
        end = _comment_end(doc, end)
    elif cdata is not None and foreign:
        end = _behind(doc, b"]]>", end)
    elif empty is None:
        end = _behind(doc, b">", end)
    return Tag(markup.start(), end, False, b"", end)


def raw_text_end(doc: bytes, name: bytes, position: int) -> int:
    """Where the text of the raw text element `name` ends: its end tag, or the end of the document."""
    if name == b"script":
        return _script_end(doc, position)
    if name == b"plaintext":
        return len(doc)
    end = _RAW_END[name].search(doc, position)
    return len(doc) if end is None else end.start()


def count_attributes(doc: bytes, tag: Tag) -> int:
    """Attributes of one tag, doubles included; exact up to HTML_MAX_ATTRIBUTES, beyond it merely more."""
    return sum(1 for piece in _pieces(doc, tag) if not _is_gap(piece.group()))


def attribute_names(doc: bytes, tag: Tag) -> frozenset[bytes]:
    """Names of the attributes of one tag, in lower case."""
    pieces = (piece.group() for piece in _pieces(doc, tag))
    return frozenset(
        piece.lower().partition(b"=")[0].strip(b"\t\n\f\r ") for piece in pieces if not _is_gap(piece)
    )


def attribute_value(doc: bytes, position: int, name: bytes) -> bytes | None:
    """The value of an attribute as found, of the tag whose name ends at `position`; None if it has none."""
    tag = ATTRIBUTES.match(doc, position)
    for piece in PIECES.finditer(doc, position, position if tag is None else tag.end() - 1):
        found, equals, value = piece.group().partition(b"=")
        if equals and found.strip(b"\t\n\f\r ").lower() == name:
            value = value.strip(b"\t\n\f\r ")
            return value[1:-1] if value[:1] in (b'"', b"'") else value
    return None


def is_self_closing(doc: bytes, tag: Tag) -> bool:
    """`/>`, unless the slash belongs to a value without quotes."""
    if doc[tag.end - 2 : tag.end] != b"/>":
        return False
    last = b"/"
    for piece in _pieces(doc, tag):
        last = piece.group()
    return _is_gap(last)


def _pieces(doc: bytes, tag: Tag) -> Iterator[re.Match[bytes]]:
    """Attributes and gaps of one tag. So many that it shows when there are too many: a million take seconds."""
    return islice(PIECES.finditer(doc, tag.attributes, tag.end - 1), 2 * HTML_MAX_ATTRIBUTES + 2)


def _is_gap(piece: bytes) -> bool:
    return not piece.strip(b"\t\n\f\r /")


def _behind(doc: bytes, mark: bytes, position: int) -> int:
    at = doc.find(mark, position)
    return len(doc) if at < 0 else at + len(mark)


def _comment_end(doc: bytes, position: int) -> int:
    for abrupt in (b">", b"->"):
        if doc.startswith(abrupt, position):
            return position + len(abrupt)
    end = _COMMENT_END.search(doc, position)
    return len(doc) if end is None else end.end()


def _script_end(doc: bytes, position: int) -> int:
    """Script text has two more states (13.2.5.18 to 31): behind `<!--`, and behind a `<script` in there."""
    escaped = double = False
    while True:
        mark = _SCRIPT.search(doc, position)
        if mark is None:
            return len(doc)
        position = mark.end()
        if mark.group() == b"<!--":
            if not escaped:
                escaped = True
                position -= 2  # its dashes may be those of the closing mark: <!-->
        elif mark.group() == b"-->":
            escaped = double = False
        elif mark[1]:
            if not double:
                return mark.start()
            double = False
        elif escaped:
            double = True
