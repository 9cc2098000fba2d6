"""The XML parser of sitemaps and feeds: strict, in blocks, with flat memory; it knows where everything stands.

expat (docs/decisions/0002-xml-parser.md). A document that is not well-formed ends at its first fault, as the
XML recommendation demands (1.0, section 1.2); what stands before it is kept. No DTD is read, no entity of a
document is expanded: a DOCTYPE with an internal subset is refused, any other is a problem.

Problems noted here: `doctype`, `entity-undefined`, `namespace-missing`, `namespace-wrong` (of the root),
`extension-namespace-wrong`, `wrong-case` (of the root).
"""

from __future__ import annotations

import re
from typing import Any, Final
from xml.parsers import expat

from sitemap_audit.facts import SitemapKind, XmlError
from sitemap_audit.formats.feeds import FeedVocabulary
from sitemap_audit.formats.sitemap_fast import FastLane
from sitemap_audit.formats.sitemap_names import ROOTS, SITEMAP_NS, split, wrong_extension
from sitemap_audit.formats.sitemap_problems import ProblemLog
from sitemap_audit.formats.sitemap_rows import FeedHead, RawEntry, Totals, Vocabulary
from sitemap_audit.formats.sitemap_urlset import Refused, UrlsetVocabulary
from sitemap_audit.settings import XML_BLOCK_BYTES, XML_MAX_ATTRIBUTES, XML_MAX_DEPTH, XML_MAX_TOKEN_BYTES

_errors: Final = expat.errors.codes
_UNCLOSED: Final = frozenset(
    _errors[name]
    for name in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
    )
)
_SYNTAX: Final = _errors[expat.errors.XML_ERROR_SYNTAX]
_UNBOUND_PREFIX: Final = _errors[expat.errors.XML_ERROR_UNBOUND_PREFIX]
_PREFIX: Final = re.compile(rb"[</\s]([A-Za-z_][\w.-]{0,40}):[A-Za-z_]")
_TAG_LOOKED_AT: Final = 500
_SOFTWARE: Final = re.compile(
    r"generat|created (?:by|with|on)|made (?:by|with)|powered by|sitemap by|built with|xml-sitemaps",
    re.IGNORECASE,
)
_PLUGIN: Final = re.compile(r"/plugins/([\w.-]{1,60})/|(wp-sitemap)\b", re.ASCII)
_COMMENTS_READ: Final = 20
_NAMESPACES_KEPT: Final = 64


class XmlReader:
    """Feed it UTF-8 bytes of one document, mark taken off; take rows; read the attributes after `close`.

    `mark`: bytes of the mark, None if the bytes were decoded on the way, so that their places are not
    those of the file. `fast=False` keeps every byte in expat's hands (the tests compare both ways).
    """

    def __init__(self, log: ProblemLog, *, mark: int | None = 0, fast: bool = True) -> None:
        self.kind = SitemapKind.UNKNOWN
        self.root: str | None = None
        self.namespaces: dict[str, str] = {}
        self.error: XmlError | None = None
        self.generator: str | None = None
        self.unclosed = False
        """The error is that the document ends too early."""
        self._log = log
        self._mark = mark
        self._fast = fast
        self._lane: FastLane | None = None
        self._vocabulary: Vocabulary | None = None
        self._feed: FeedVocabulary | None = None
        self._entries = 0
        self._comments = 0
        self._fed = 0
        self._held = b""
        self._token = b""  # how the unfinished token begins
        parser: Any = expat.ParserCreate("utf-8", "}")
        parser.buffer_text = True
        parser.ordered_attributes = True
        parser.StartElementHandler = self._root
        parser.StartNamespaceDeclHandler = self._namespace
        parser.StartDoctypeDeclHandler = self._doctype
        parser.SkippedEntityHandler = self._entity
        parser.CommentHandler = self._comment
        parser.ProcessingInstructionHandler = self._instruction
        self._parser = parser

    @property
    def closed(self) -> bool:
        """The root element has ended."""
        return self._vocabulary is not None and self._vocabulary.closed

    @property
    def feed_head(self) -> FeedHead | None:
        """What a feed says of itself; None for other documents."""
        return None if self._feed is None else self._feed.head

    @property
    def software(self) -> str | None:
        """What a comment, a stylesheet or the feed itself names as its generator."""
        return self.generator or (None if self._feed is None else self._feed.generator)

    @property
    def totals(self) -> Totals:
        return Totals() if self._vocabulary is None else self._vocabulary.totals

    def feed(self, data: bytes) -> list[RawEntry]:
        """The entries that `data` completes."""
        for start in range(0, len(data), XML_BLOCK_BYTES):
            if self.error is None:
                self._block(data[start : start + XML_BLOCK_BYTES])
        return self._take()

    def close(self, *, whole: bool = True) -> list[RawEntry]:
        """The last entries. `whole`: the document has arrived as it is; else its early end is not its fault."""
        if self.error is None:
            self._parse(b"" if self._lane is None else self._lane.rest())
        if self.error is None and whole:
            self._parse(b"", final=True)
        return self._take()

    def fail(self, message: str) -> None:
        """Ends the document here, for a reason that lies outside XML."""
        if self.error is None:
            self.close(whole=False)
            self._fault(self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber, message)

    def _block(self, data: bytes) -> None:
        if self._lane is not None and self._lane.on:
            self._lane.feed(data)
        else:
            self._offer(data)

    def _offer(self, data: bytes) -> bool:
        # expat looks at an unfinished token anew with every block: it gets as much again as it holds.
        pending = self._fed - self._parser.CurrentByteIndex if self._fed else 0
        self._held += data
        waiting = len(self._held)
        return self._parse(b"") if waiting >= pending or waiting + pending > XML_MAX_TOKEN_BYTES else True

    def _parse(self, data: bytes, *, final: bool = False) -> bool:
        """Gives the parser what was held back, and `data`. Is all well so far?"""
        if self.error is not None:
            return False
        data, self._held = self._held + data, b""
        parser = self._parser
        try:
            parser.Parse(data, final)
        except expat.ExpatError as error:
            self.unclosed = error.code in _UNCLOSED and final
            self._fault(error.lineno, error.offset, self._message(error.code, data))
            return False
        except Refused as refusal:
            self._fault(
                parser.CurrentLineNumber, parser.CurrentColumnNumber, f"{refusal}: not read on (our limit)"
            )
            return False
        self._fed += len(data)
        pending = self._fed - parser.CurrentByteIndex
        if pending > len(data):
            self._token = (self._token + data)[:_TAG_LOOKED_AT]
        else:
            self._token = data[len(data) - pending :][:_TAG_LOOKED_AT]
        if pending > XML_MAX_TOKEN_BYTES and not final:
            text = f"a tag or comment of more than {XML_MAX_TOKEN_BYTES} bytes: not read on (our limit)"
            self._fault(parser.CurrentLineNumber, parser.CurrentColumnNumber, text)
            return False
        if self._vocabulary is not None:
            self._vocabulary.trim()
        return True

    def _take(self) -> list[RawEntry]:
        if self._vocabulary is None or not self._vocabulary.rows:
            return []
        rows = self._vocabulary.rows.copy()
        self._vocabulary.rows.clear()
        self._entries += len(rows)
        return rows

    def _fault(self, line: int, offset: int, message: str) -> None:
        waiting = 0 if self._vocabulary is None else len(self._vocabulary.rows)
        self.error = XmlError(line, offset + 1, message, self._entries + waiting)

    def _message(self, code: int, data: bytes) -> str:
        said: str = expat.ErrorString(code)
        if self.unclosed:
            if self.root is None:
                return "the file ends before its root element"
            inside = self._vocabulary.open if self._vocabulary is not None else None
            return f"the file ends before <{inside or self.root}> is closed"
        if code == _SYNTAX and self.root is None:
            return f"{said}: text before the first tag"
        if code == _UNBOUND_PREFIX:
            start = self._parser.ErrorByteIndex - self._fed
            tag = self._token + data if start < 0 else data[start : start + _TAG_LOOKED_AT]
            tag = tag[:_TAG_LOOKED_AT].partition(b">")[0]
            prefixes = (found[1].decode() for found in _PREFIX.finditer(tag))
            unknown = next((prefix for prefix in prefixes if prefix not in {*self.namespaces, "xml"}), None)
            if unknown is not None:
                return f"{said}: {unknown} is used, but not declared"
        return said

    # Handlers

    def _root(self, name: str, attributes: list[str]) -> None:
        uri, local = split(name)
        low = local.lower()
        self.root = local
        self.kind = ROOTS.get(low, SitemapKind.OTHER_XML)
        if len(attributes) > 2 * XML_MAX_ATTRIBUTES:
            raise Refused(f"more than {XML_MAX_ATTRIBUTES} attributes in one tag")
        if self.kind in (SitemapKind.URLSET, SitemapKind.INDEX):
            if local not in ("urlset", "sitemapindex"):
                self._note("wrong-case", local)
            if uri != SITEMAP_NS:
                self._note("namespace-wrong" if uri else "namespace-missing", uri or local)
            urlset = UrlsetVocabulary(self._parser, self._note, uri, self.kind)
            self._vocabulary = urlset
            if self._fast and self.kind is SitemapKind.URLSET:
                self._lane = FastLane(
                    self._parser,
                    urlset,
                    self.namespaces,
                    parse=self._parse,
                    offer=self._offer,
                    fed=lambda: self._fed,
                )
        elif self.kind in (SitemapKind.RSS, SitemapKind.ATOM):
            feed = FeedVocabulary(self._parser, self._note, uri, local, attributes)
            self._vocabulary = self._feed = feed
        else:
            self._vocabulary = _OtherVocabulary(self._parser)

    def _namespace(self, prefix: str | None, uri: str | None) -> None:
        prefix, uri = prefix or "", uri or ""
        if prefix not in self.namespaces and len(self.namespaces) < _NAMESPACES_KEPT:
            self.namespaces[prefix] = uri
            if self.root is None and wrong_extension(prefix, uri):
                self._note("extension-namespace-wrong", f"{prefix}={uri}")

    def _doctype(self, name: str, system: str | None, public: str | None, subset: bool) -> None:
        if name.lower() == "html":
            self.kind = SitemapKind.HTML
        if subset:
            raise Refused("a DOCTYPE with declarations of its own")
        self._note("doctype", " ".join(filter(None, (name, public, system))))

    def _entity(self, name: str, is_parameter: bool) -> None:
        if not is_parameter:
            self._note("entity-undefined", f"&{name};")
            if self._parser.CharacterDataHandler is not None:
                self._parser.CharacterDataHandler(f"&{name};")

    def _comment(self, text: str) -> None:
        self._comments += 1
        if self._comments >= _COMMENTS_READ:
            self._parser.CommentHandler = None
        if self.generator is None and _SOFTWARE.search(text[:500]):
            self.generator = " ".join(text[:500].split())[:200] or None

    def _instruction(self, target: str, data: str) -> None:
        if target == "xml-stylesheet" and self.generator is None:
            found = _PLUGIN.search(data[:1000])
            if found is not None:
                self.generator = found[1] or found[2]

    def _note(self, kind: str, text: str) -> None:
        byte = None
        if self._mark is not None:
            skipped = 0 if self._lane is None else self._lane.skipped
            byte = self._mark + skipped + self._parser.CurrentByteIndex
        self._log.note(kind, line=self._parser.CurrentLineNumber, byte=byte, text=text)


class _OtherVocabulary:
    """Only watches over the bounds, to the end of the document."""

    def __init__(self, parser: Any) -> None:
        self.rows: list[RawEntry] = []
        self.totals = Totals()
        self.closed = False
        self.open: str | None = None
        self._depth = 1
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end

    def trim(self) -> None:
        """No text is held."""

    def _start(self, name: str, attributes: list[str]) -> None:
        self._depth += 1
        if self._depth > XML_MAX_DEPTH:
            raise Refused(f"more than {XML_MAX_DEPTH} elements inside each other")
        if len(attributes) > 2 * XML_MAX_ATTRIBUTES:
            raise Refused(f"more than {XML_MAX_ATTRIBUTES} attributes in one tag")

    def _end(self, name: str) -> None:
        self._depth -= 1
        self.closed = self._depth == 0
