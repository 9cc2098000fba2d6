"""Paths and patterns of robots.txt as texts that can be compared, and the index that finds the longest match.

Definitions 6.4 (google) and 6.5 (rfc). Knows no bot and no file. No regular expressions are made of rules:
a pattern is cut at its stars, and its parts are searched for from left to right.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final, TypeAlias

from sitemap_audit.formats.robots import RawRule

_HREF: Final = re.compile(r'https?://[^/?;#]*(/[!-"$&-~]*)')
_PATH_START: Final = re.compile(r"[/?;]")
_TO_ESCAPE: Final = re.compile(r"[^!-~]|%[0-9A-Fa-f]{2}")
_BLANKS: Final = re.compile(r"[\x00-\x20\x7f]")
_UPPER_ESCAPE: Final = re.compile(r"%([0-9A-F]{2})")
_QUERY_URL: Final = re.compile(r"[:/]|%3A|%2F")
_UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_LITERAL: Final = {"*": "\x01", "$": "\x02"}
"""A star or a dollar that is meant as such, in rfc mode; no escaped URL or rule holds these characters."""
_GRAM: Final = 4
_MANY: Final = 64
"""Patterns under one head from which on they are looked up by a part of their text."""

Found: TypeAlias = tuple[int, RawRule | None, RawRule | None]
"""The greatest length that matches (0 = none), and the first Allow and the first Disallow of it."""
_Pattern: TypeAlias = tuple[int, str | None, tuple[str, ...], bool, RawRule]
"""Length; what must stand behind the head, if that is one text anywhere; else the pieces between the stars
(the head itself is not among them) and whether the last one must end the path; the rule."""


def robots_path(url: str) -> str:
    """Path and query as rules see them: from the first `/`, `?` or `;` behind the host, without fragment;
    non-ASCII, blanks and controls escaped, hex digits upper-cased, nothing decoded (6.4)."""
    usual = _HREF.fullmatch(url)
    if usual is not None:
        return usual[1]
    start = 2 if url.startswith("//") else 0
    first = _PATH_START.search(url, start)
    scheme = url.find("://", start)
    if first is not None and 0 <= scheme < first.start():
        first = _PATH_START.search(url, scheme + 3)
    mark = url.find("#", start)
    if first is None or 0 <= mark < first.start():
        return "/"
    path = url[first.start() : mark] if mark >= 0 else url[first.start() :]
    return _TO_ESCAPE.sub(_escape, path if path[0] == "/" else "/" + path)


def visible(pattern: str) -> str:
    """An escaped pattern with its blanks and controls escaped too."""
    return _BLANKS.sub(_escape, pattern)


def rfc_form(text: str, *, pattern: bool) -> str:
    """Spellings that 6.5 calls equal made the same text, for an escaped path or pattern.

    Escaped unreserved characters are decoded; a star or dollar that is meant as such gets a character of
    its own; blanks of a rule are escaped.
    """
    end = ""
    if pattern:
        text = visible(text)
        if text.endswith("$"):
            text, end = text[:-1], "$"
    else:
        text = text.replace("*", _LITERAL["*"])
    return _UPPER_ESCAPE.sub(_decode, text.replace("$", _LITERAL["$"])) + end


def rfc_query(text: str) -> str:
    """The same with `:` and `/` in the query spelt without escapes."""
    head, mark, query = text.partition("?")
    return head + mark + query.replace("%3A", ":").replace("%2F", "/")


def has_query_url(text: str) -> bool:
    """Is there a `:` or `/`, escaped or not, behind the first question mark?"""
    return _QUERY_URL.search(text.partition("?")[2]) is not None


class PatternIndex:
    """Patterns by their head, the text in front of the first star: all of it where there is none.

    A path asks for each of its starts that is as long as some head. Where many patterns share a head, they
    are found by four characters of their longest part, so that 20,000 wildcard rules are no 20,000 searches.
    """

    __slots__ = ("_grams", "_heads", "_lengths")

    def __init__(self) -> None:
        self._heads: dict[str, list[_Pattern]] = {}
        self._grams: dict[str, dict[str, list[_Pattern]]] = {}
        self._lengths: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self._heads)

    def add(self, pattern: str, rule: RawRule) -> None:
        """Take a pattern; `close` has to follow before the index is asked."""
        anchored = pattern.endswith("$")
        head, *pieces = (pattern[:-1] if anchored else pattern).split("*")
        filled = [piece for piece in pieces if piece]
        # Usual are rules that only ask whether one text, or none, stands behind the head.
        text = None if anchored or len(filled) > 1 else "".join(filled)
        self._heads.setdefault(head, []).append((len(pattern), text, tuple(pieces), anchored, rule))

    def close(self) -> None:
        """Put all in the order in which `best` looks through it."""
        self._lengths = tuple(sorted({len(head) for head in self._heads}))
        for head, patterns in self._heads.items():
            patterns.sort(key=lambda entry: (-entry[0], entry[4].line))
            if len(patterns) >= _MANY:
                grams: dict[str, list[_Pattern]] = defaultdict(list)
                for entry in patterns:
                    text = entry[1] if entry[1] is not None else max(entry[2], key=len, default="")
                    grams[text[-_GRAM:] if len(text) >= _GRAM else ""].append(entry)
                self._heads[head] = grams.pop("", [])
                self._grams[head] = dict(grams)

    def best(self, path: str) -> Found:
        """The longest patterns that match an escaped path."""
        best, allow, disallow, size = 0, None, None, len(path)
        absent: set[str] = set()
        for length in self._lengths:
            if length > size:
                break
            head = path[:length]
            if head not in self._heads:
                continue
            first = self._heads[head]
            many = head in self._grams
            for patterns in self._lists(first, head, path) if many else (first,):
                for count, text, pieces, anchored, rule in patterns:
                    if count < best:
                        break
                    if many:
                        if not absent.isdisjoint(pieces) or not _fits(path, length, pieces, anchored, absent):
                            continue
                    elif text is None:
                        if not _fits(path, length, pieces, anchored):
                            continue
                    elif text and path.find(text, length) < 0:
                        continue
                    if count > best:
                        best, allow, disallow = count, None, None
                    if rule.allow:
                        allow = rule if allow is None or rule.line < allow.line else allow
                    else:
                        disallow = rule if disallow is None or rule.line < disallow.line else disallow
        return best, allow, disallow

    def _lists(self, first: list[_Pattern], head: str, path: str) -> Iterator[list[_Pattern]]:
        """The lists of patterns under a head that may match, each sorted by falling length."""
        yield first
        grams = self._grams[head]
        for gram in {path[n : n + _GRAM] for n in range(len(head), len(path) - _GRAM + 1)}:
            if gram in grams:
                yield grams[gram]


def _fits(
    path: str, at: int, pieces: tuple[str, ...], anchored: bool, absent: set[str] | None = None
) -> bool:
    """Do the pieces stand in `path` behind `at`, in order, the last one at the end if anchored?

    The leftmost place is always good enough: what fits behind a later place fits behind it too. A piece that is
    found nowhere goes into `absent`: of 20,000 rules that share their pieces, each piece is missed once.
    """
    if not pieces:
        return at == len(path)
    last = len(pieces) - 1
    for n, piece in enumerate(pieces):
        if n == last and anchored:
            return path.endswith(piece) and len(path) - len(piece) >= at
        found = path.find(piece, at)
        if found < 0:
            if absent is not None and piece not in path:
                absent.add(piece)
            return False
        at = found + len(piece)
    return True


def _escape(match: re.Match[str]) -> str:
    found = match[0]
    if len(found) == 3:
        return found.upper()
    return "".join(f"%{byte:02X}" for byte in found.encode("utf-8", "surrogatepass"))


def _decode(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return _LITERAL.get(chr(code)) or (chr(code) if code in _UNRESERVED else match[0])
