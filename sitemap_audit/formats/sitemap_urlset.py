"""Reads urlset and sitemapindex: the handlers behind the XML parser, from tags to rows.

sitemaps.org protocol 0.9; extensions: Google's image 1.1, video 1.1, news 0.9, and xhtml:link.

Problems noted here: `entry-of-other-kind` (a sitemap element in a urlset, or the reverse: read all the
same, the former as an index child only where no url element came before it), `unknown-element`, `wrong-case` (URL, Loc: read all the same), `namespace-mixed` (an element without
the namespace of its root: read), `element-in-text`, `element-twice`, `element-misplaced` (a loc outside an
entry, or in an image), `stray-text`, `text-too-long`, `entry-parts-cut` (more images, videos or alternates than
are kept), `extension-value-invalid` (a duration of half a second, a publication date that is none).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sitemap_audit.facts import SitemapKind
from sitemap_audit.formats.entries_values import CHECKS, EXTENSION_NAMES, REPEATED
from sitemap_audit.formats.sitemap_names import Family, family, split
from sitemap_audit.formats.sitemap_rows import Note, RawAlternate, RawEntry, RawExtension, RawMore, Totals
from sitemap_audit.settings import (
    ENTRY_PARTS_MAX,
    ENTRY_PARTS_MAX_CHARS,
    XML_MAX_ATTRIBUTES,
    XML_MAX_DEPTH,
    XML_MAX_TEXT_BYTES,
)

# Codes of element names. 1 to 4 are also the places of these texts in a row.
LOC, LASTMOD, CHANGEFREQ, PRIORITY = 1, 2, 3, 4
ALTERNATES, MORE, IS_CHILD = 5, 6, 7
LINK, IMAGE, VIDEO, NEWS, URL, SITEMAP, SKIPPED, UNKNOWN = 10, 11, 12, 13, 14, 15, 16, 17
_SITEMAP_NAMES: Final = {
    "loc": LOC,
    "lastmod": LASTMOD,
    "changefreq": CHANGEFREQ,
    "priority": PRIORITY,
    "url": URL,
    "sitemap": SITEMAP,
}
_EXTENSION_NAMES: Final = {
    (Family.IMAGE, "image"): IMAGE,
    (Family.VIDEO, "video"): VIDEO,
    (Family.NEWS, "news"): NEWS,
    (Family.XHTML, "link"): LINK,
}
_LEAF_NAMES: Final = {LOC: "loc", LASTMOD: "lastmod", CHANGEFREQ: "changefreq", PRIORITY: "priority"}
EXTENSION_TEXTS: Final = frozenset(
    [
        "loc",
        "thumbnail_loc",
        "title",
        "description",
        "content_loc",
        "player_loc",
        "duration",
        "rating",
        "expiration_date",
        "name",
        "language",
        "publication_date",
    ]
)
"""Elements of image, video and news whose text is wanted; of the others the name is."""
_SPACE: Final = " \t\r\n"
_NAMES_KEPT: Final = 1_000
"""Element names whose code is remembered; a file with more is looked up again and again."""

Handler = Callable[[str, list[str]], None]


class Refused(Exception):  # noqa: N818 - no error of the program: it carries the parser out of a handler
    """A bound of ours is passed; nothing that follows is read."""


class UrlsetVocabulary:
    """Attaches itself to an expat parser whose root start tag was just read; `rows` fills while it parses.

    The handlers are closures over local variables, not methods: they run half a million times in a file.
    Texts between two elements and in unknown ones are looked at, too, and nothing but blanks is silent.
    """

    def __init__(self, parser: Any, note: Note, root_uri: str, kind: SitemapKind) -> None:
        self.rows: list[RawEntry] = []
        self.totals = Totals()
        self.closed = False
        self.open: str | None = None
        self.depth = 1
        self.ended_at = -1
        """Byte at which the end tag of the last entry begins."""
        self._parser = parser
        self.root_uri = root_uri
        self._say = note
        self._entry_code = SITEMAP if kind is SitemapKind.INDEX else URL
        self._codes: dict[str, int] = {}
        self._buffer: list[str] = []
        self._spilled = 0  # characters that `trim` took out of the buffer
        self._container: RawExtension | None = None
        self._inside: list[str] = []  # elements that are open in the container; '' for those of no interest
        self._inner: dict[str, tuple[str, Family]] = {}
        self._parts_chars = 0  # kept of the extension elements of the open entry
        parser.StartElementHandler, parser.EndElementHandler = self._handlers()
        parser.CharacterDataHandler = self._buffer.append

    def trim(self) -> None:
        """Between two blocks: keeps no more of a text than its bound, and counts the rest."""
        if self._buffer:
            self._buffer[:] = [self._bounded("".join(self._buffer))]

    def forget_blanks(self) -> None:
        """Drops what was read since the last entry ended: the caller knows that it is white space."""
        self._buffer.clear()

    def _bounded(self, text: str) -> str:
        """A text that is longer than its bound without the blanks before it, and only a little longer."""
        if len(text) <= XML_MAX_TEXT_BYTES:
            return text
        text = text.lstrip(_SPACE)
        kept = text[: XML_MAX_TEXT_BYTES + 1]
        self._spilled += len(text) - len(kept)
        return kept

    def _handlers(self) -> tuple[Handler, Callable[[str], None]]:
        parser, rows, buffer, codes = self._parser, self.rows, self._buffer, self._codes
        most_attributes = 2 * XML_MAX_ATTRIBUTES
        depth, leaf = 1, 0
        row: list[Any] | None = None
        urls_seen = False

        def start(name: str, attributes: list[str]) -> None:
            nonlocal depth, leaf, row, urls_seen
            depth += 1
            if len(attributes) > most_attributes:
                raise Refused(f"more than {XML_MAX_ATTRIBUTES} attributes in one tag")
            if depth == 3:
                if buffer:
                    self._between()
                code = codes.get(name) or self._code(name)
                if row is None:
                    if code < UNKNOWN and code not in (SKIPPED, LINK):
                        self._note("element-misplaced", name)
                elif code <= PRIORITY:
                    leaf = code
                elif code == LINK:
                    self._link(row, attributes)
                elif code <= NEWS and not self._is_full(row, code):
                    self._container = RawExtension(split(name)[1].lower(), parser.CurrentLineNumber)
                elif code == UNKNOWN or code in (URL, SITEMAP):
                    self._note("unknown-element", name)
            elif depth == 2:
                if buffer:
                    self._between()
                code = codes.get(name) or self._code(name)
                if code in (URL, SITEMAP):
                    # A lone sitemap among the url elements of a urlset is listed like these; a urlset that
                    # begins with sitemap elements is an index under a wrong name.
                    child = code == SITEMAP and not (urls_seen and self._entry_code == URL)
                    urls_seen = urls_seen or code == URL
                    row = [parser.CurrentLineNumber, None, None, None, None, None, None, child]
                    self.open = split(name)[1]
                    self._parts_chars = 0
                    if code != self._entry_code:
                        self._note("entry-of-other-kind", name)
                elif code != SKIPPED:
                    self._note("element-misplaced" if code < UNKNOWN else "unknown-element", name)
            elif depth > XML_MAX_DEPTH:
                raise Refused(f"more than {XML_MAX_DEPTH} elements inside each other")
            elif leaf:
                self._note("element-in-text", name)
            elif self._container is not None:
                self._open_inside(name, attributes)

        def end(name: str) -> None:
            nonlocal depth, leaf, row
            depth -= 1
            if depth == 2:
                if leaf:
                    text = buffer[0] if len(buffer) == 1 else "".join(buffer)
                    buffer.clear()
                    assert row is not None
                    if row[leaf] is None and len(text) <= XML_MAX_TEXT_BYTES:
                        row[leaf] = text
                    else:
                        self._odd_text(row, leaf, text)
                    leaf = 0
                elif self._container is None:
                    self._drop()
                else:
                    if buffer:
                        self._between()
                    assert row is not None
                    self._close_container(row, self._container)
            elif depth == 1:
                if row is None:
                    self._drop()  # of an element that was named already
                else:
                    if buffer:
                        self._between()
                    rows.append(RawEntry._make(row))
                    row = None
                    self.open = None
                    self.ended_at = parser.CurrentByteIndex
            elif depth == 0:
                if buffer:
                    self._between()
                self.closed = True
            elif self._container is not None and not leaf:
                self._close_inside(name)
            self.depth = depth

        return start, end

    # What follows is rare, or done once a name.

    def _code(self, name: str) -> int:
        uri, local = split(name)
        low = local.lower()
        kin = family(uri, self.root_uri)
        if kin is Family.SITEMAP:
            code = _SITEMAP_NAMES.get(low, UNKNOWN)
            if code != UNKNOWN and local != low:
                self._say("wrong-case", local)
            elif code != UNKNOWN and uri == "" and self.root_uri:
                self._say("namespace-mixed", local)
        elif kin is Family.FOREIGN:
            code = SKIPPED
        else:
            code = _EXTENSION_NAMES.get((kin, low), UNKNOWN)
        if len(self._codes) < _NAMES_KEPT:
            self._codes[name] = code
        return code

    def _link(self, row: list[Any], attributes: list[str]) -> None:
        values = dict(zip(attributes[::2], attributes[1::2], strict=True))
        if "hreflang" in values:
            self.totals.alternates += 1
        alternates = row[ALTERNATES]
        if alternates is None:
            alternates = row[ALTERNATES] = []
        if len(alternates) >= ENTRY_PARTS_MAX or not self._room_for(sum(map(len, attributes))):
            self._note("entry-parts-cut", "link")
            return
        line = self._parser.CurrentLineNumber
        alternates.append(RawAlternate(line, values.get("rel"), values.get("hreflang"), values.get("href")))

    def _is_full(self, row: list[Any], code: int) -> bool:
        """Has the entry as many images or videos as are kept? Then one more is counted, and not looked into."""
        more: RawMore | None = row[MORE]
        if more is None or code == NEWS:
            return False
        if len(more.images if code == IMAGE else more.videos) < ENTRY_PARTS_MAX:
            return False
        self._say("entry-parts-cut", "image" if code == IMAGE else "video")
        if code == IMAGE:
            self.totals.images += 1
        else:
            self.totals.videos += 1
        return True

    def _odd_text(self, row: list[Any], leaf: int, text: str) -> None:
        name = _LEAF_NAMES[leaf]
        text = self._bounded(text)
        too_long = len(text) > XML_MAX_TEXT_BYTES
        self._spilled = 0
        if too_long:
            self._note("text-too-long", name)
        if row[leaf] is None:
            row[leaf] = text[:XML_MAX_TEXT_BYTES]
            if leaf == LOC and too_long:
                _more(row).loc_cut = True
        elif leaf == LOC:
            _more(row).locs += 1
        else:
            self._note("element-twice", name)

    def _open_inside(self, name: str, attributes: list[str]) -> None:
        container = self._container
        assert container is not None
        tag, inside = container.tag, self._inside
        local, kin = self._inner_name(name)
        if inside and inside[-1] in EXTENSION_TEXTS:
            self._note("element-in-text", name)
        if self._buffer:
            self._between()
        if kin is Family.FOREIGN:
            inside.append("")
            return
        low = local.lower()
        if kin.value != tag:
            self._say("element-misplaced", f"{tag}: {local}")
            low = ""
        elif low not in EXTENSION_NAMES[tag]:
            self._say("unknown-element", f"{tag}:{local}")
            low = ""
        elif local != low:
            self._say("wrong-case", f"{tag}:{local}")
            local = low
        inside.append(low)
        if low in container.names:
            if low not in REPEATED:
                self._say("element-twice", f"{tag}:{low}")
        elif len(container.names) < XML_MAX_ATTRIBUTES:
            container.names.append(local)
        for attribute in attributes[::2]:
            seen = f"{local}@{attribute}"
            if seen not in container.names and len(container.names) < XML_MAX_ATTRIBUTES:
                container.names.append(seen)
        if low == "tag":
            container.tags += 1

    def _inner_name(self, name: str) -> tuple[str, Family]:
        known = self._inner.get(name)
        if known is None:
            uri, local = split(name)
            known = local, family(uri, self.root_uri)
            if len(self._inner) < _NAMES_KEPT:
                self._inner[name] = known
        return known

    def _close_inside(self, name: str) -> None:
        container = self._container
        assert container is not None
        low = self._inside.pop() if self._inside else ""
        text = self._bounded("".join(self._buffer))
        if low:
            check = CHECKS.get((container.tag, low))
            if check is not None:
                value = text.strip(_SPACE)
                if value and not check(value):
                    self._say("extension-value-invalid", f"{container.tag}:{low}={value}")
            if low in EXTENSION_TEXTS and low not in container.texts:
                self._keep_text(container, low, text)
        self._drop()

    def _keep_text(self, container: RawExtension, low: str, text: str) -> None:
        if len(text) > XML_MAX_TEXT_BYTES:
            container.lengths[low] = len(text) + self._spilled
            text = text[:XML_MAX_TEXT_BYTES]
        if self._room_for(len(text)):
            container.texts[low] = text
        else:
            self._note("entry-parts-cut", low)

    def _room_for(self, chars: int) -> bool:
        self._parts_chars += chars
        return self._parts_chars <= ENTRY_PARTS_MAX_CHARS

    def _close_container(self, row: list[Any], container: RawExtension) -> None:
        self._container = None
        self._inside.clear()
        more = _more(row)
        if container.tag == "news":
            self.totals.news += 1
            more.news_count += 1
            if not more.news:
                more.news.append(container)
            return
        kept = more.images if container.tag == "image" else more.videos
        if container.tag == "image":
            self.totals.images += 1
        else:
            self.totals.videos += 1
        kept.append(container)

    def _between(self) -> None:
        text = "".join(self._buffer)
        text = text.strip(_SPACE)
        if text:
            self._say("stray-text", text)
        self._drop()

    def _drop(self) -> None:
        self._buffer.clear()
        self._spilled = 0

    def _note(self, kind: str, name: str) -> None:
        self._say(kind, split(name)[1])


def _more(row: list[Any]) -> RawMore:
    if row[MORE] is None:
        row[MORE] = RawMore()
    more: RawMore = row[MORE]
    return more
