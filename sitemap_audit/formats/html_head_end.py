"""Where the head of an HTML text ends, and what ended it: the places that a tree does not know."""

from __future__ import annotations

import re
from typing import Final

from sitemap_audit.formats.html_tokens import RAW_TEXT, next_tag, raw_text_end

_IN_HEAD: Final = frozenset(
    b"html head base basefont bgsound link meta title noscript noframes style script template".split()
)
_ENDS: Final = frozenset(b"body frameset".split())
_END_TAGS: Final = frozenset(b"head body html".split())
_TEXT: Final = re.compile(rb"[^\t\n\f\r ]")
_NO_TAG: Final = re.compile(rb"[\t\n\f\r ]*+(?:[^\t\n\f\r <]|<(?![A-Za-z/!?]))")
"""Text right here: found without a search for the next tag, which may be megabytes away."""
_PLAIN_RUN: Final = re.compile(
    rb"(?:[\t\n\f\r ]*+<(?:meta|link)"
    rb"(?:[\t\n\f\r /]++[a-z:-]++(?:=(?:\"[^\"]*+\"|'[^']*+'|[^\t\n\f\r \"'<=>`]++))?+)*+[\t\n\f\r /]*+>)*+",
    re.IGNORECASE,
)
"""Tags that never end a head, in a row and as most people write them: hundreds of thousands are passed at once."""
TEXT_NAME: Final = "#text"


def head_end(doc: bytes) -> tuple[int, str | None]:
    """Byte at which the head ends, and the element or `#text` that closed it there.

    None: it ended as it should, at `</head>`, `<body>` or with the document (HTML Standard, 13.2.6.4.4).
    A noscript is text, as with scripting.
    """
    position = templates = 0
    while True:
        if not templates and _NO_TAG.match(doc, position) is not None:
            text = _TEXT.search(doc, position)
            assert text is not None
            return text.start(), TEXT_NAME
        plain = _PLAIN_RUN.match(doc, position)
        if plain is not None:
            position = plain.end()
        tag = next_tag(doc, position)
        stop = len(doc) if tag is None else tag.start
        text = None if templates else _TEXT.search(doc, position, stop)
        if text is not None:
            return text.start(), TEXT_NAME
        if tag is None:
            return len(doc), None
        position = tag.end
        if tag.closing:
            if tag.name == b"template":
                templates = max(0, templates - 1)
            elif not templates and tag.name in _END_TAGS:
                return tag.start, None
            elif not templates and tag.name == b"br":
                return tag.start, "br"
            continue
        if not tag.name:
            continue
        if tag.name == b"template":
            templates += 1
        elif not templates and tag.name not in _IN_HEAD:
            return tag.start, None if tag.name in _ENDS else tag.name.decode("utf-8", "replace")
        if tag.name in RAW_TEXT:
            position = raw_text_end(doc, tag.name, tag.end)
