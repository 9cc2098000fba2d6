"""The one door for sitemap files: bytes as they arrive in, entries out, and at the end the file's own fact.

    wire bytes (HTTP content coding taken off)
    1. Gunzip            one layer of file gzip, told by its first bytes
    2. SitemapReader     counts and hashes the unpacked bytes, cuts them into blocks of one size
    3. ToUtf8            whatever the file is written in
    4. sniff             XML, text, or nothing that lists URLs; names and headers play no role
    5. XmlReader (with UrlsetVocabulary or FeedVocabulary), TextReader        rows
    6. EntryBuilder      facts; Tally counts

Memory does not grow with the file: one block, one entry, and 90 bytes an entry for exact counts. Results do
not depend on how the bytes were cut on the way. Nothing raises on any input.

What only the end of the transfer tells (headers, status) is not known while entries are made: their own
clock tells the future, and lastmod_window_share, which needs the server's Date minus Age, is counted from
the kept dates when `close` is given the headers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final

from sitemap_audit.facts import Entry, SitemapFile, SitemapKind, SitemapSource, SitemapState
from sitemap_audit.formats.entries import EntryBuilder
from sitemap_audit.formats.entries_loc import Place
from sitemap_audit.formats.gunzip import MAGIC, Gunzip
from sitemap_audit.formats.sitemap_encoding import Encoding, ToUtf8, detect
from sitemap_audit.formats.sitemap_fact import Content, SitemapEnd, sitemap_file
from sitemap_audit.formats.sitemap_names import ROOTS
from sitemap_audit.formats.sitemap_problems import ProblemLog, without_user_info
from sitemap_audit.formats.sitemap_rows import RawEntry
from sitemap_audit.formats.sitemap_sniff import Form, root_in, sniff
from sitemap_audit.formats.sitemap_tally import Tally
from sitemap_audit.formats.sitemap_text import TextReader
from sitemap_audit.formats.sitemap_xml import XmlReader
from sitemap_audit.formats.urls import parse_url, url_id
from sitemap_audit.settings import SITEMAP_MAX_BYTES, SITEMAP_MAX_URLS, SITEMAP_READ_ON, XML_BLOCK_BYTES

__all__ = ["SitemapEnd", "SitemapReader"]

_UNREADABLE: Final = {
    Form.HTML: "html-page",
    Form.JSON: "json",
    Form.BINARY: "binary",
    Form.OTHER: "not-a-sitemap",
    Form.EMPTY: "empty-file",
}
"""Problem of a file that lists nothing; its text is the beginning of the file."""


class SitemapReader:
    """One sitemap, index or feed file.

    `url`: absolute, as requested; `location`: where it was found after redirects, against which relative
    locs, hosts and directories are held (default: `url`); `parent`, `depth`, `declared_in`: as in
    SitemapFile; `now`: our clock, aware. `max_entries` and `max_bytes` (unpacked) are the protocol's limits:
    a file is read on to SITEMAP_READ_ON times as much, then `stopped` is True and the transfer may end.
    """

    def __init__(
        self,
        url: str,
        *,
        source: SitemapSource,
        parent: str | None = None,
        depth: int = 0,
        declared_in: Iterable[str] = (),
        location: str | None = None,
        now: datetime | None = None,
        max_entries: int = SITEMAP_MAX_URLS,
        max_bytes: int = SITEMAP_MAX_BYTES,
    ) -> None:
        self.stopped = False
        parsed = parse_url(url)
        self._url = without_user_info(url) if parsed is None else parsed.href
        self._key = self._url if parsed is None else parsed.key
        self._source = source
        self._parent = parent
        self._depth = depth
        self._declared_in = tuple(declared_in)
        self._max_entries = max_entries * SITEMAP_READ_ON
        self._max_bytes = max_bytes * SITEMAP_READ_ON
        self._log = ProblemLog()
        self._tally = Tally()
        found_at = parse_url(location) if location is not None else None
        place = found_at if found_at is not None else parsed
        self._named_txt = place is not None and place.href.partition("?")[0].lower().endswith(".txt")
        self._builder = EntryBuilder(
            self._url,
            url_id(self._key),
            None if place is None else Place.of(place),
            now if now is not None else datetime.now(UTC),
            self._tally,
            self._log,
        )
        self._gunzip = Gunzip()
        self._hash = hashlib.sha256()
        self._size = 0
        self._pending = b""
        self._encoding: Encoding | None = None
        self._utf8 = ToUtf8("utf-8")
        self._head = b""
        self._form: Form | None = None
        self._xml: XmlReader | None = None
        self._text: TextReader | None = None

    def feed(self, chunk: bytes) -> list[Entry]:
        """The entries that `chunk` completes. The bytes of an answer that is a sitemap: status 2xx."""
        entries: list[Entry] = []
        if not self.stopped:
            self._unpack(self._gunzip.feed(chunk), entries)
        return entries

    def close(self, end: SitemapEnd) -> tuple[list[Entry], SitemapFile]:
        """The last entries and the fact of the file. A file that could not be fetched is closed without `feed`."""
        entries: list[Entry] = []
        whole = end.complete and end.error_class is None
        if not self.stopped and self._unpack(self._gunzip.close(), entries):
            pending, self._pending = self._pending, b""
            entries += self._block(pending, final=True)
            whole = whole and not self._gunzip.cut_short
            entries += self._entries(self._last_rows(whole=whole))
        if self._gunzip.problem is not None:
            self._log.extend([self._gunzip.problem])
        return entries, self._fact(end, whole=whole and not self.stopped)

    def _unpack(self, pieces: Iterator[bytes], entries: list[Entry]) -> bool:
        """Adds the entries of some unpacked pieces; False: stopped."""
        for piece in pieces:
            room = self._max_bytes - self._size
            if len(piece) > room:
                self._stop("stopped-too-large", f"not read on behind {self._max_bytes} bytes")
            entries += self._unpacked(piece[:room])
            if self.stopped:
                return False
        return True

    def _unpacked(self, piece: bytes) -> list[Entry]:
        self._size += len(piece)
        self._hash.update(piece)
        data = self._pending + piece
        entries: list[Entry] = []
        start = 0
        while len(data) - start >= XML_BLOCK_BYTES:
            entries += self._block(data[start : start + XML_BLOCK_BYTES])
            start += XML_BLOCK_BYTES
        self._pending = data[start:]
        if self.stopped:  # the bytes that were let in are read, too
            entries += self._block(self._pending)
            self._pending = b""
        return entries

    def _block(self, data: bytes, *, final: bool = False) -> list[Entry]:
        if self._encoding is None:
            data = self._begin(data)
        data = self._utf8.feed(data, final=final)
        if self._form is None:
            self._choose(data)
        rows: list[RawEntry] = []
        if self._xml is not None:
            rows = self._xml.feed(data)
            if self._utf8.error is not None:
                self._xml.fail(self._utf8.error)
        elif self._text is not None:
            rows = self._text.feed(data)
        return self._entries(rows)

    def _begin(self, data: bytes) -> bytes:
        """The first block: finds the encoding, takes the mark off."""
        encoding = self._encoding = detect(data)
        self._utf8 = ToUtf8(encoding.codec)
        if encoding.problem is not None:
            self._log.note(encoding.problem, line=1, text=encoding.declared)
        if self._gunzip.packed and data.startswith(MAGIC):
            self._log.note("gzip-twice", byte=0, text="gzip inside gzip")
            self._form = Form.BINARY
        return data[encoding.mark :]

    def _choose(self, data: bytes) -> None:
        self._head = data[:4096]
        self._form = sniff(data, named_txt=self._named_txt)
        if self._form is Form.XML:
            encoding = self._encoding
            mark = encoding.mark if encoding is not None and encoding.codec == "utf-8" else None
            self._xml = XmlReader(self._log, mark=mark)
        elif self._form is Form.TEXT:
            self._text = TextReader(self._log)
        elif self._form is Form.JSON and b"jsonfeed.org/version" in data:
            self._log.note("json-feed", line=1, text=self._beginning())
        elif self._form is not Form.EMPTY:
            self._log.note(_UNREADABLE[self._form], line=1, text=self._beginning())

    def _last_rows(self, *, whole: bool) -> list[RawEntry]:
        if self._xml is not None:
            return self._xml.close(whole=whole)
        return [] if self._text is None else self._text.close()

    def _entries(self, rows: list[RawEntry]) -> list[Entry]:
        room = self._max_entries - self._tally.entries
        if len(rows) > room:
            rows = rows[:room]
            if not self.stopped:
                self._stop("stopped-too-many", f"not read on behind {self._max_entries} entries")
        return self._builder.build(rows)

    def _stop(self, kind: str, text: str) -> None:
        self.stopped = True
        self._log.note(kind, text=text)

    def _beginning(self) -> str:
        return " ".join(self._head[:800].decode("utf-8", "replace").split())

    def _not_utf8_line(self) -> int:
        """Where the first byte stands that is no UTF-8; for a file in another encoding its first line."""
        if self._utf8.passes and self._xml is not None and self._xml.error is not None:
            return self._xml.error.line
        if self._utf8.passes and self._text is not None and self._text.bad_line is not None:
            return self._text.bad_line
        return 1

    def _kind(self) -> SitemapKind:
        if self._text is not None:
            return SitemapKind.TEXT
        if self._form is Form.HTML:
            return SitemapKind.HTML
        if self._xml is None:
            return SitemapKind.UNKNOWN
        if self._xml.kind is SitemapKind.UNKNOWN:  # a fault before the root element: what it would have been
            return ROOTS.get(root_in(self._head) or "", SitemapKind.UNKNOWN)
        return self._xml.kind

    def _fact(self, end: SitemapEnd, *, whole: bool) -> SitemapFile:
        xml, log, kind = self._xml, self._log, self._kind()
        read = self._size > 0 or (end.status is not None and 200 <= end.status < 300 and whole)
        if read and self._form in (None, Form.EMPTY) and whole:
            log.note("empty-file")
        if xml is not None and kind is SitemapKind.OTHER_XML and xml.root is not None:
            log.note("root-unknown", line=1, text=xml.root)
        elif xml is not None and kind is SitemapKind.HTML:
            log.note("html-page", line=1, text=self._beginning())
        if self._form in (Form.XML, Form.TEXT) and not self._utf8.valid and self._encoding is not None:
            text = self._utf8.error or self._encoding.declared or self._encoding.codec
            log.note("not-utf8", line=self._not_utf8_line(), text=text)
        content = Content(
            kind=kind,
            unpacked_bytes=self._size,
            sha256=self._hash.hexdigest() if self._size else None,
            gzip=bool(self._gunzip.packed),
            gzip_problem=self._gunzip.problem is not None,
            whole=whole,
            stopped=self.stopped,
            encoding=self._encoding,
            encoding_ok=self._utf8.valid,
            xml=xml,
        )
        return sitemap_file(
            SitemapFile(
                file_id=url_id(self._key),
                url=self._url,
                url_key=self._key,
                source=self._source,
                parent=self._parent,
                declared_in=self._declared_in,
                depth=self._depth,
                state=SitemapState.FAILED,
            ),
            content,
            self._tally,
            log,
            end,
        )
