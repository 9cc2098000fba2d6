"""How deep the elements of an HTML text nest, without a tree: a parser would take seconds for what is refused.

The stack of open elements (HTML Standard, 13.2.4.2) is followed closely enough that closers in comments or
in the wrong place do not hide anything; where it is not exact it rather counts too much.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from sitemap_audit.formats.html_tokens import (
    RAW_TEXT,
    Tag,
    attribute_names,
    is_self_closing,
    next_tag,
    raw_text_end,
)


def _names(text: str) -> frozenset[bytes]:
    return frozenset(text.encode().split())


_NEVER_OPEN: Final = _names(
    "area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr"
    " html head body frameset"
)
_HEADINGS: Final = _names("h1 h2 h3 h4 h5 h6")
_FORMATTING: Final = _names("a b big code em font i nobr s small strike strong tt u")
_OPTIONS: Final = _names("option optgroup")
_TABLE_PARTS: Final = _names("caption colgroup tbody td tfoot th thead tr")
_CELLS: Final = (b"td", b"th", b"caption", b"template")
_LIST_PARTS: Final = {b"li": (b"li",), b"dd": (b"dd", b"dt"), b"dt": (b"dd", b"dt")}
_BLOCKS: Final = _names(
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form"
    " header hgroup listing main menu nav ol pre search section summary ul"
)
_CLOSES_P: Final = _BLOCKS | _HEADINGS | _names("p li dd dt plaintext xmp hr")
_BY_SCOPE: Final = _BLOCKS | _names("p li dd dt button applet marquee object select")
_SCOPE: Final = _names("applet caption marquee object select table td template th")
_MARKERS: Final = _names("applet caption marquee object td template th")
"""Formatting elements are not opened again outside of these (13.2.4.3)."""
_SAME_FORMATTING: Final = 3
_WEAK: Final = _names("address div p")
"""Special elements over which a new li, dd or dt still closes the one before (13.2.6.4.7)."""
_SPECIAL: Final = _BLOCKS | _HEADINGS | _TABLE_PARTS | _SCOPE | RAW_TEXT | _names("button dd dt li p")
_HTML: Final = b""
_HTML_AGAIN: Final = {b"svg": _names("foreignobject desc title"), b"math": _names("mi mn mo ms mtext")}
"""Elements of svg and math below which HTML goes on; annotation-xml only with an encoding."""
_NO_ATTRIBUTES: Final[frozenset[bytes]] = frozenset()
_FONT_BREAKS_OUT: Final = _names("color face size")
_BREAKS_OUT: Final = _names(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu"
    " meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
)
"""Start tags that end svg and math (13.2.6.5)."""


class OpenElements:
    """The stack of open elements. Every operation is constant time, or paid for by the elements it closes."""

    def __init__(self) -> None:
        self.reopened = 0
        """Formatting elements that were opened again: each is a new node of the tree."""
        self._names: list[bytes] = []
        self._texts: list[bytes] = []
        self._where: dict[bytes, list[int]] = {}
        self._special: list[int] = []
        self._strong: list[int] = []
        self._scope: list[int] = []
        self._worlds: list[tuple[int, bytes]] = []

    def __len__(self) -> int:
        return len(self._names)

    @property
    def foreign(self) -> bool:
        """Are tags those of svg or math here?"""
        return bool(self._worlds) and self._worlds[-1][1] != _HTML

    def start(
        self,
        name: bytes,
        text: bytes,
        attributes: frozenset[bytes] = _NO_ATTRIBUTES,
        *,
        self_closing: bool = False,
    ) -> None:
        """A start tag; `text` is all of it. The names of its `attributes` count only inside svg and math."""
        if self.foreign:
            if name not in _BREAKS_OUT and not (name == b"font" and attributes & _FONT_BREAKS_OUT):
                if not self_closing:
                    again = name in _HTML_AGAIN[self._worlds[-1][1]] or (
                        name == b"annotation-xml" and b"encoding" in attributes
                    )
                    self._push(name, special=again, world=_HTML if again else None)
                return
            while self.foreign:
                self._cut(self._worlds[-1][0])
        if name in _HTML_AGAIN:
            if not self_closing:
                self._push(name, special=False, world=name)
            return
        if name in _TABLE_PARTS and max(self._last(b"table"), self._last(b"template")) < 0:
            return
        if name == b"select" and self._last(name) >= max(_top(self._scope), 0):
            self._cut(self._last(name))  # a second one is an end tag
            return
        self._make_room(name)
        if name not in _NEVER_OPEN:
            self._push(name, text if name in _FORMATTING else b"", special=name in _SPECIAL)

    def end(self, name: bytes) -> None:
        """An end tag; one that has nothing to close is ignored, as the parser does."""
        if name in (b"br", b"p"):
            while self.foreign:
                self._cut(self._worlds[-1][0])
        at = max(map(self._last, _HEADINGS)) if name in _HEADINGS else self._last(name)
        if at < 0:
            return
        if name == b"template":
            self._cut(at)
        elif name == b"table" or name in _TABLE_PARTS:
            within = self._last(b"template")
            if at > (within if name == b"table" else max(within, self._last(b"table"))):
                self._cut(at)
        elif name in _BY_SCOPE or name in _HEADINGS:
            if at >= self._barrier(name):
                self._close(name, at)
        elif at >= _top(self._special):
            self._cut(at, closed=name)
        elif name in _FORMATTING and at > _top(self._scope):
            self._forget(name, at)  # the adoption agency takes it out of the middle

    def _barrier(self, name: bytes) -> int:
        """The place of the last element over which an end tag does not reach (13.2.4.2)."""
        scope = _top(self._scope)
        if name == b"li":
            return max(scope, self._last(b"ul"), self._last(b"ol"))
        if name == b"p":
            return max(scope, self._last(b"button"))
        return scope

    def _close(self, name: bytes, at: int) -> None:
        if name == b"form" and at < len(self._names) - 1:
            self._forget(name, at)  # what is open inside stays open
        else:
            self._cut(at)

    def _make_room(self, name: bytes) -> None:
        """Close what a start tag closes: paragraphs, list parts, table parts, links."""
        if name in _CLOSES_P:
            paragraph = self._last(b"p")
            if paragraph > self._barrier(b"p"):
                self._cut(paragraph)
        if name in _LIST_PARTS:
            same = _LIST_PARTS[name]
            before = max(self._last(part) for part in same)
            if before > max(
                _top(self._strong), *(self._last(part) for part in _LIST_PARTS if part not in same)
            ):
                self._cut(before)
        elif name in _TABLE_PARTS:
            self._cut(max(self._last(b"table"), self._last(b"template")) + 1)
        elif name == b"table":
            table = self._last(name)
            if table > max(self._last(cell) for cell in _CELLS):
                self._cut(table)
        elif name in (b"a", b"nobr", b"button"):
            self.end(name)
        elif self._names:
            alike = _HEADINGS if name in _HEADINGS else _OPTIONS if name in _OPTIONS else ()
            if self._names[-1] in alike:
                self._cut(len(self._names) - 1)

    def _push(self, name: bytes, text: bytes = b"", *, special: bool, world: bytes | None = None) -> None:
        at = len(self._names)
        self._names.append(name)
        self._texts.append(text)
        self._where.setdefault(name, []).append(at)
        if world is not None:
            self._worlds.append((at, world))
        if special:
            self._special.append(at)
            if name not in _WEAK and name not in _LIST_PARTS:
                self._strong.append(at)
            if name in _SCOPE or world is not None:
                self._scope.append(at)

    def _cut(self, length: int, closed: bytes = b"") -> None:
        """Close all elements from that place on. `closed`: the one there is closed by its own end tag."""
        again = self._pop(length)
        if closed in _FORMATTING and again:
            again.pop()
        length = len(self._names)
        for positions in (self._special, self._strong, self._scope):
            while positions and positions[-1] >= length:
                positions.pop()
        while self._worlds and self._worlds[-1][0] >= length:
            self._worlds.pop()
        if again:
            self._reopen(again)

    def _pop(self, length: int) -> list[tuple[bytes, bytes]]:
        """Take elements from the stack; the formatting elements among them, the innermost first."""
        names, texts = self._names, self._texts
        formatting: list[tuple[bytes, bytes]] = []
        while len(names) > length or (names and not names[-1]):
            name, text = names.pop(), texts.pop()
            if name:
                self._where[name].pop()
            if text:
                formatting.append((name, text))
            elif name in _MARKERS:
                formatting.clear()
        return formatting

    def _reopen(self, formatting: list[tuple[bytes, bytes]]) -> None:
        """Formatting elements live on behind the end of the element around them (13.2.4.3)."""
        counts: Counter[bytes] = Counter()
        kept = []
        for name, text in formatting:
            counts[text] += 1
            if counts[text] <= _SAME_FORMATTING:
                kept.append((name, text))
        self.reopened += len(kept)
        for name, text in reversed(kept):
            self._push(name, text, special=False)

    def _forget(self, name: bytes, at: int) -> None:
        self._names[at] = self._texts[at] = b""
        self._where[name].pop()

    def _last(self, name: bytes) -> int:
        positions = self._where.get(name)
        return positions[-1] if positions else -1


def _top(positions: list[int]) -> int:
    return positions[-1] if positions else -1


def walk(doc: bytes, elements: OpenElements, position: int = 0) -> tuple[Tag, int] | None:
    """Read the next tag of `doc` into `elements`; that tag and where to go on, None at the end."""
    foreign = elements.foreign
    tag = next_tag(doc, position, foreign=foreign)
    if tag is None:
        return None
    if not tag.name:
        return tag, tag.end
    if tag.closing:
        elements.end(tag.name)
    elif foreign:
        text = doc[tag.start : tag.end]
        elements.start(tag.name, text, attribute_names(doc, tag), self_closing=is_self_closing(doc, tag))
    else:
        text = doc[tag.start : tag.end] if tag.name in _FORMATTING else tag.name
        elements.start(tag.name, text, self_closing=tag.name in _HTML_AGAIN and is_self_closing(doc, tag))
        if tag.name in RAW_TEXT:
            return tag, raw_text_end(doc, tag.name, tag.end)
    return tag, tag.end
