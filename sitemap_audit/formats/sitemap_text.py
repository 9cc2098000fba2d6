"""Reads text sitemaps: one absolute URL a line, UTF-8 (sitemaps.org protocol, other sitemap formats).

Lines end at LF, CR or CRLF. Blank lines are nothing. Every other line is an entry, save comments.

Problems noted here: `text-comment` (a line that begins with #), `text-line-not-url` (a line that is not one
absolute http(s) URL: kept as an entry whose loc is judged), `text-too-long` (a line without an end).
"""

from __future__ import annotations

import re
from typing import Final

from sitemap_audit.formats.sitemap_problems import ProblemLog
from sitemap_audit.formats.sitemap_rows import RawEntry, RawMore
from sitemap_audit.settings import XML_MAX_TEXT_BYTES

_ONE_URL: Final = re.compile(r"https?://\S+", re.IGNORECASE)
_SPACE: Final = " \t\f\v"


class TextReader:
    """Feed it UTF-8 bytes, mark taken off; take rows."""

    def __init__(self, log: ProblemLog) -> None:
        self._log = log
        self._line = 1
        self._rest = b""
        self.bad_line: int | None = None
        """The first line that holds bytes which are no UTF-8 (or the sign that stands for such)."""
        self._cut = False  # the line that is being read is longer than its bound

    def feed(self, data: bytes) -> list[RawEntry]:
        """The entries that `data` completes."""
        data = self._rest + data
        held = b""
        if data.endswith(b"\r"):  # LF may follow
            data, held = data[:-1], b"\r"
        *lines, rest = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        if len(rest) > 4 * XML_MAX_TEXT_BYTES:  # more characters than are kept, of whatever length
            rest, self._cut = rest[: 4 * XML_MAX_TEXT_BYTES], True
        rows = []
        for line in lines:
            rows.extend(self._read(line))
            self._line += 1
        self._rest = rest + held
        return rows

    def close(self) -> list[RawEntry]:
        """The last line, which needs no line end."""
        rest, self._rest = self._rest, b""
        return list(self._read(rest.rstrip(b"\r")))

    def _read(self, raw: bytes) -> list[RawEntry]:
        line = raw.decode("utf-8", "replace")
        if self.bad_line is None and "\ufffd" in line:
            self.bad_line = self._line
        cut, self._cut = self._cut or len(line) > XML_MAX_TEXT_BYTES, False
        trimmed = line.strip(_SPACE)
        if not trimmed:
            return []
        if trimmed.startswith("#"):
            self._log.note("text-comment", line=self._line, text=trimmed)
            return []
        if cut:
            self._log.note("text-too-long", line=self._line, text=trimmed)
            return [RawEntry(self._line, line[:XML_MAX_TEXT_BYTES], more=RawMore(loc_cut=True))]
        if _ONE_URL.fullmatch(trimmed) is not None:
            return [RawEntry(self._line, line)]
        self._log.note("text-line-not-url", line=self._line, text=trimmed)
        # Words, CSV heads and the like are no paths below the directory of the file.
        return [RawEntry(self._line, line, more=RawMore(resolvable=trimmed.startswith(("/", "./", "../"))))]
