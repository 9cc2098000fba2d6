"""The fast lane for entries that look like most entries: read by one pattern instead of by fifteen callbacks.

It changes no result, and the tests hold it to that. An entry is taken only where the XML parser, having read
all bytes before it, stands between two children of the root, and only if it is a `url` element of the
plainest spelling, in ASCII. The parser then gets as many line ends in its place, and blanks to the same
column: whatever the lane does not know (comments, CDATA, other prefixes, images, faults) the parser sees as
ever, at the same line and column. About three times as fast as expat alone (benchmarks/sitemap_parse.py).

The patterns repeat within repetitions, but possessively: no backtracking, linear on any input.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from sitemap_audit.formats.sitemap_names import extension_of
from sitemap_audit.formats.sitemap_rows import Link, RawEntry
from sitemap_audit.formats.sitemap_urlset import UrlsetVocabulary
from sitemap_audit.settings import XML_BLOCK_BYTES, XML_MAX_TEXT_BYTES

_END: Final = b"</url>"
_MISSES: Final = 16
"""Entries in a row that the lane may fail to know before the parser gets the rest of the block."""
_REFERENCE: Final = r"&(?:amp|lt|gt|quot|apos);"
# ASCII that needs no care: no <, no &, and no ] (of ]]>, which text may not hold).
_TEXT: Final = r"((?:[ -%'-;=-\\^-~]++|" + _REFERENCE + r")*+)"
_VALUE: Final = r"((?:[ !#-%'-;=-~]++|" + _REFERENCE + r")*+)"
_S: Final = r"[ \t\r\n]*+"
_LINK: Final = r'<xhtml:link rel="alternate" hreflang="' + _VALUE + r'" href="' + _VALUE + r'" ?/>'
_LINKS: Final = r"((?:" + _LINK.replace("((", "(?:(") + _S + r")*+)"
_ENTRY: Final = (
    rf"({_S})<url>{_S}<loc>{_TEXT}</loc>{_S}%s"
    rf"(?:<lastmod>{_TEXT}</lastmod>{_S})?+"
    rf"(?:<changefreq>{_TEXT}</changefreq>{_S})?+"
    rf"(?:<priority>{_TEXT}</priority>{_S})?+%s</url>"
)
_WITHOUT_LINKS: Final = re.compile(_ENTRY.replace("%s", "()"))
_WITH_LINKS: Final = re.compile(_ENTRY.replace("%s", _LINKS))
_ONE_LINK: Final = re.compile(rf'<xhtml:link rel="alternate" hreflang="([^"]*+)" href="([^"]*+)" ?/>({_S})')
"""Looser than _LINK, which all links of an entry have fitted before they are told apart."""
_new: Final = tuple.__new__  # a NamedTuple's own constructor takes three times as long


class FastLane:
    """Stands before the parser of one urlset, from the block behind its root tag on.

    `parse` gives bytes to the parser and says whether all is well; `offer` does so when it seems fit;
    `fed` is the number of bytes that the parser has had. Rows go where the vocabulary's own go, in order.
    """

    def __init__(
        self,
        parser: Any,
        urlset: UrlsetVocabulary,
        namespaces: Mapping[str, str],
        *,
        parse: Callable[[bytes], bool],
        offer: Callable[[bytes], bool],
        fed: Callable[[], int],
    ) -> None:
        self.on = namespaces.get("", "") == urlset.root_uri
        """Is an unprefixed `url` the sitemap's own?"""
        xhtml = extension_of(namespaces.get("xhtml", "")) == "xhtml"
        self.taken = 0
        """Entries that were read here."""
        self.skipped = 0
        """Bytes that the parser did not get."""
        self._match = (_WITH_LINKS if xhtml else _WITHOUT_LINKS).match
        self._parser = parser
        self._urlset = urlset
        self._parse = parse
        self._offer = offer
        self._fed = fed
        self._between_entries = False
        self._rest = b""

    def feed(self, data: bytes) -> None:
        """The next block. What may be the first half of an entry waits for the next one."""
        data = self._rest + data
        self._rest = b""
        # The parser counts a lone CR as a line end, the lane LF only.
        countable = data.count(b"\r") == data.count(b"\r\n")
        text = data.decode("latin-1")  # a character a byte; the patterns take ASCII only
        position = misses = 0
        while misses < _MISSES:
            if self._between_entries and countable:
                start, position = position, self._run(text, position)
                if position > start:
                    misses = 0
                    if not self._pass_over(data, start, position):
                        return
            end = data.find(_END, position) + len(_END)
            if end < len(_END):
                break
            if not self._parse(data[position:end]):
                return
            position = end
            misses += 1
            self._between_entries = self._urlset.depth == 1 and self._urlset.ended_at == self._fed() - len(
                _END
            )
            if self._parser.CurrentByteIndex < self._fed():
                break  # inside a comment or the like: no place to look for entries
        rest = data[position:]
        if self._between_entries and misses < _MISSES and len(rest) <= XML_BLOCK_BYTES:
            self._rest = rest
        else:
            self._between_entries = False
            self._offer(rest)

    def rest(self) -> bytes:
        """What the parser has not seen at the end of the document."""
        rest, self._rest = self._rest, b""
        return rest

    def _pass_over(self, data: bytes, start: int, end: int) -> bool:
        """Takes the parser from `start` to `end`: by as many line ends, and blanks to the same column."""
        lines = data.count(b"\n", start, end)
        last_line = start if lines == 0 else data.rindex(b"\n", start, end) + 1
        white = b"\n" * lines + b" " * (end - last_line)
        well = self._parse(white)
        self._urlset.forget_blanks()
        self.skipped += end - start - len(white)
        return well

    def _run(self, text: str, position: int) -> int:
        """Reads entries from `position`, where the parser stands, as far as they are plain; gives their end."""
        append, match, count = self._urlset.rows.append, self._match, text.count
        line = self._parser.CurrentLineNumber
        while found := match(text, position):
            end = found.end()
            space, loc, links, lastmod, changefreq, priority, late_links = found.groups()
            if end - position > XML_MAX_TEXT_BYTES and max(map(len, found.groups(""))) > XML_MAX_TEXT_BYTES:
                break
            line += space.count("\n")
            alternates = None
            if links or late_links:
                alternates = []
                if links:
                    alternates = _alternates(links, line + count("\n", found.end(1), found.start(3)))
                if late_links:
                    alternates += _alternates(late_links, line + count("\n", found.end(1), found.start(7)))
                self._urlset.totals.alternates += len(alternates)
            if "&" in loc:
                loc = _unescaped(loc)
            if lastmod is not None and "&" in lastmod:
                lastmod = _unescaped(lastmod)
            if changefreq is not None and "&" in changefreq:
                changefreq = _unescaped(changefreq)
            if priority is not None and "&" in priority:
                priority = _unescaped(priority)
            append(_new(RawEntry, (line, loc, lastmod, changefreq, priority, alternates, None, False)))
            line += count("\n", found.end(1), end)
            position = end
            self.taken += 1
        return position


def _alternates(links: str, line: int) -> list[Link]:
    """The links of an entry, the first of which stands in `line`."""
    alternates: list[Link] = []
    escaped = "&" in links
    if escaped:
        plain = links.replace("&amp;", "&")
        if len(links) - len(plain) == 4 * links.count("&"):  # no other reference in any of them
            links, escaped = plain, False
    if not escaped:
        for code, href, space in _ONE_LINK.findall(links):
            alternates.append((line, "alternate", code, href))
            if space:
                line += space.count("\n")
        return alternates
    for code, href, space in _ONE_LINK.findall(links):
        if "&" in href:
            href = _unescaped(href)
        if "&" in code:
            code = _unescaped(code)
        alternates.append((line, "alternate", code, href))
        line += space.count("\n")
    return alternates


def _unescaped(text: str) -> str:
    plain = text.replace("&amp;", "&")
    if len(text) - len(plain) == 4 * text.count("&"):  # no other reference in it
        return plain
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&apos;", "'")
    return text.replace("&amp;", "&")
