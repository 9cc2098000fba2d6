"""Reads RSS 0.9x, 1.0 (RDF), 2.0 and Atom 0.3, 1.0 as sitemaps: items, links, dates, media, hubs, paging.

RSS 2.0 specification; RFC 4287 (Atom), RFC 3023 xml:base; WebSub for hub and self; RFC 5005, 3 for next. Only what a sitemap needs:
texts of content are passed by without being held. A guid that is a permalink stands in for a missing link.

Problems noted here: `element-twice` (a second link of an item), `text-too-long`, `feed-channel-missing`.
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urljoin

from sitemap_audit.formats.feed_media import MEDIA_NS, MEDIA_TEXTS, MediaReader
from sitemap_audit.formats.sitemap_names import (
    ATOM_03_NS,
    ATOM_NS,
    DC_NS,
    DCTERMS_NS,
    RDF_NS,
    RSS_NS,
    XML_NS,
    split,
)
from sitemap_audit.formats.sitemap_rows import DateForm, FeedHead, Note, RawEntry, RawMore, Totals
from sitemap_audit.formats.sitemap_urlset import Refused
from sitemap_audit.settings import XML_MAX_ATTRIBUTES, XML_MAX_DEPTH, XML_MAX_TEXT_BYTES

_ATOM: Final = frozenset({ATOM_NS, ATOM_03_NS})
_BASE: Final = f"{XML_NS}}}base"
_LINKS_KEPT: Final = 20
_OF_ITEM: Final = frozenset(
    [
        "title",
        "link",
        "guid",
        "id",
        "pubdate",
        "updated",
        "modified",
        "published",
        "issued",
        "created",
        "date",
        "enclosure",
    ]
)
_OF_FEED: Final = frozenset(
    ["title", "link", "id", "updated", "modified", "lastbuilddate", "pubdate", "date", "generator"]
)
_NAMESPACES: Final = RSS_NS | _ATOM | {DC_NS, DCTERMS_NS}
_OPENSEARCH: Final = frozenset(
    {"http://a9.com/-/spec/opensearchrss/1.0/", "http://a9.com/-/spec/opensearch/1.1/"}
)
_COUNTS: Final = {"totalresults": "total", "startindex": "first", "itemsperpage": "per_page"}
_COUNT_DIGITS: Final = 9


class FeedVocabulary:
    """Attaches itself to an expat parser whose root start tag was just read; `rows` fills while it parses."""

    def __init__(self, parser: Any, note: Note, root_uri: str, root: str, attributes: list[str]) -> None:
        self.rows: list[RawEntry] = []
        self.totals = Totals()
        self.closed = False
        self.open: str | None = None
        self.generator: str | None = None
        self.head = FeedHead(version=_version(root_uri, root.lower(), attributes))
        self._atom = root.lower() == "feed"
        if self._atom:
            self.head.dates = DateForm.RFC3339
        self._parser = parser
        self._note = note
        self._depth = 1
        self._head_depth = 1 if self._atom else 0  # depth of the element that speaks of the feed
        self._item_depth = 0
        self._bases: list[tuple[int, str]] = []
        self._rebase(attributes)
        self._texts: dict[str, str] = {}
        self._link: tuple[str, str] | None = None  # href, and the base it is relative to
        self._guid_is_link = True
        self._line = 0
        self._reading: str | None = None
        self._read_depth = 0
        self._buffer: list[str] = []
        self._media = MediaReader(note)
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end

    def trim(self) -> None:
        """Between two blocks: keeps no more of a text than its bound."""
        if self._buffer:
            self._buffer[:] = ["".join(self._buffer)[: XML_MAX_TEXT_BYTES + 1]]

    def _start(self, name: str, attributes: list[str]) -> None:
        self._depth += 1
        if self._depth > XML_MAX_DEPTH:
            raise Refused(f"more than {XML_MAX_DEPTH} elements inside each other")
        if len(attributes) > 2 * XML_MAX_ATTRIBUTES:
            raise Refused(f"more than {XML_MAX_ATTRIBUTES} attributes in one tag")
        if self._reading is not None:
            return
        uri, local = split(name)
        low = local.lower()
        if attributes:
            self._rebase(attributes)
        if uri not in _NAMESPACES and uri != RDF_NS:
            if uri in MEDIA_NS and self._item_depth:
                self._media.start(low, attributes, self._depth)
                if low in MEDIA_TEXTS:
                    self._read(f"media:{low}")
            elif low in _COUNTS and uri in _OPENSEARCH and self._depth == self._head_depth + 1:
                self._read(low)
            return
        if not self._item_depth:
            if low in ("item", "entry") and self._depth <= 3:
                self._open_item(low, attributes)
                return
            if low == "channel" and not self._atom and not self._head_depth:
                self._head_depth = self._depth
                return
        parent = self._item_depth or self._head_depth
        if not parent or self._depth != parent + 1:
            return
        if low == "link" and (self._atom or uri in _ATOM):
            self._atom_link(dict(zip(attributes[::2], attributes[1::2], strict=True)), uri)
        elif low in (_OF_ITEM if self._item_depth else _OF_FEED) and not (
            low == "link" and uri not in RSS_NS
        ):
            if low == "guid":
                values = dict(zip(attributes[::2], attributes[1::2], strict=True))
                self._guid_is_link = values.get("isPermaLink", "true").strip().lower() != "false"
            key = low if uri not in (DC_NS, DCTERMS_NS) else f"dc:{low}"
            self._read(key)

    def _read(self, key: str) -> None:
        """The text of the element that has just opened is wanted."""
        self._reading, self._read_depth = key, self._depth
        self._parser.CharacterDataHandler = self._buffer.append

    def _end(self, name: str) -> None:
        depth = self._depth
        self._depth -= 1
        if self._reading is not None and depth == self._read_depth:
            self._close_text(self._reading)
        elif depth == self._item_depth:
            self._close_item()
        elif self._item_depth and self._reading is None:
            self._media.end(depth)
        if self._bases and self._bases[-1][0] == depth:
            self._bases.pop()
        if depth == self._head_depth and not self._atom:
            self._head_depth = -1  # one channel a feed; texts behind it are nobody's
        if self._depth == 0:
            self._parser.CharacterDataHandler = None
            if self._head_depth == 0:
                self._note("feed-channel-missing", name)
            self.closed = True

    def _rebase(self, attributes: list[str]) -> None:
        for name, value in zip(attributes[::2], attributes[1::2], strict=True):
            if name == _BASE:
                self._bases.append((self._depth, _join(self._base(), value.strip())))

    def _base(self) -> str:
        return self._bases[-1][1] if self._bases else ""

    def _open_item(self, low: str, attributes: list[str]) -> None:
        self.open = low
        self._item_depth = self._depth
        self._line = self._parser.CurrentLineNumber
        self._texts = {}
        self._link = None
        self._guid_is_link = True

    def _atom_link(self, values: dict[str, str], uri: str) -> None:
        """RFC 4287, 4.2.7: no rel means alternate."""
        href = values.get("href")
        rel = values.get("rel", "alternate").strip().lower()
        if href is None:
            return
        if not self._item_depth:
            kept = {"hub": self.head.hubs, "self": self.head.selfs}.get(rel)
            href = _join(self._base(), href.strip())
            if kept is not None and len(kept) < _LINKS_KEPT and href not in kept:
                kept.append(href[:XML_MAX_TEXT_BYTES])
            elif rel == "next" and self.head.next is None and href:
                self.head.next = href[:XML_MAX_TEXT_BYTES]
        elif self._atom and rel == "alternate" and self._link is None:
            self._link = href, self._base()

    def _close_text(self, key: str) -> None:
        text = "".join(self._buffer)
        self._buffer.clear()
        self._reading = None
        self._parser.CharacterDataHandler = None
        if len(text) > XML_MAX_TEXT_BYTES:
            self._note("text-too-long", key)
            text = text[:XML_MAX_TEXT_BYTES]
        if self._item_depth:
            if key == "link" and self._link is None:
                self._link = text, self._base()
            elif key == "link":
                self._note("element-twice", key)
            elif key.startswith("media:"):
                self._media.text(key.removeprefix("media:"), text)
            else:
                self._texts.setdefault(key, text)
        else:
            self._close_head_text(key, text.strip())

    def _close_head_text(self, key: str, text: str) -> None:
        head = self.head
        if not text:
            return
        if key in _COUNTS:
            if text.isascii() and text.isdigit() and len(text) <= _COUNT_DIGITS:
                setattr(head, _COUNTS[key], int(text))
        elif key == "title" and head.title is None:
            head.title = text[:512]
        elif key == "id" or (key == "link" and not self._atom):
            head.id = head.id or text
        elif key == "generator" and self.generator is None:
            self.generator = text[:200]
        elif key in ("updated", "modified", "lastbuilddate"):
            head.updated_raw = text
            head.dates = DateForm.RFC3339 if key != "lastbuilddate" else DateForm.RFC822
        elif key in ("pubdate", "dc:date") and head.updated_raw is None:
            head.updated_raw = text
            head.dates = DateForm.RFC822 if key == "pubdate" else DateForm.W3C

    def _close_item(self) -> None:
        self._item_depth = 0
        self.open = None
        texts = self._texts
        more = RawMore(guid=texts.get("id" if self._atom else "guid"))
        lastmod, more.dates = self._dated(("updated", "modified", "dc:modified", "pubdate", "dc:date"))
        if lastmod is None and self._atom:
            lastmod, more.dates = self._dated(("published", "issued", "created"))
        more.published = next(
            (
                texts[key]
                for key in ("published", "issued", "pubdate", "dc:date")
                if texts.get(key, "").strip()
            ),
            None,
        )
        loc, base = self._link if self._link is not None else (None, "")
        if (loc is None or not loc.strip()) and not self._atom and self._guid_is_link:
            guid = texts.get("guid", "")
            if guid.strip().lower().startswith(("http://", "https://")):
                loc = guid
        more.base = base or None
        more.media = self._media.take()
        self.rows.append(RawEntry(self._line, loc, lastmod, more=more))

    def _dated(self, keys: tuple[str, ...]) -> tuple[str | None, DateForm]:
        for key in keys:
            text = self._texts.get(key)
            if text is not None and text.strip():
                return text, _form(key)
        return None, DateForm.RFC3339 if self._atom else DateForm.RFC822


def _form(key: str) -> DateForm:
    if key.startswith("dc:"):
        return DateForm.W3C
    return DateForm.RFC822 if key == "pubdate" else DateForm.RFC3339


def _join(base: str, reference: str) -> str:
    """Without a base the reference stays relative; a base that cannot be joined is given up."""
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


def _version(root_uri: str, root: str, attributes: list[str]) -> str:
    values = dict(zip(attributes[::2], attributes[1::2], strict=True))
    said = values.get("version", "").strip()[:20]
    if root == "rss":
        return f"rss {said}".strip()
    if root == "feed":
        return (
            "atom 0.3"
            if root_uri == ATOM_03_NS
            else "atom 1.0"
            if root_uri == ATOM_NS
            else f"atom {said}".strip()
        )
    return "rdf"
