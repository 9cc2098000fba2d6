"""Robots directives: meta robots and X-Robots-Tag, and what they mean together for one crawler.

Definition 7; Google's robots meta documentation, Bing's for its own crawler. The rule for all conflicts is
that the most restrictive statement wins. Where a tag stands, and whether the page may be read at all, is
known elsewhere (html_head, page).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple

from sitemap_audit.facts import Directives
from sitemap_audit.formats.dates import parse_http_date, parse_rfc822, parse_rfc3339, parse_w3c
from sitemap_audit.settings import DIRECTIVES_MAX_CHARS

EVERYBODY: Final = frozenset({"robots", "robot"})
"""Names of metas that speak to all crawlers; `robot` is no documented name but has been seen to work."""

_SPACE: Final = " \t\n\r\f\v"
_DEFAULTS: Final = frozenset({"all", "index", "follow"})
_PLAIN: Final = frozenset(
    {"noindex", "nofollow", "none", "nosnippet", "noimageindex", "notranslate", "noarchive", "nocache"}
    | {"indexifembedded"}
    | _DEFAULTS
)
_NUMBERS: Final = frozenset({"max-snippet", "max-video-preview"})
_VALUED: Final = _NUMBERS | {"max-image-preview", "unavailable_after"}
_OBSOLETE: Final = frozenset({"noodp", "noydir", "nositelinkssearchbox", "noarchive", "nocache"})
_BING_ONLY: Final = frozenset({"noarchive", "nocache"})
_KNOWN: Final = _PLAIN | _OBSOLETE
_PREVIEWS: Final = ("none", "standard", "large")
_NUMBER: Final = re.compile(r"-1|\d{1,18}", re.ASCII)
_NUMBER_MAX: Final = 2_147_483_647
_WEEKDAY: Final = re.compile(
    r"unavailable_after[ \t\n\r\f\v]*:[ \t\n\r\f\v]*(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[ \t\n\r\f\v]*$",
    re.ASCII,
)
_AFTER: Final = re.compile(r"(?:^|(?<=[ \t\n\r\f\v]))unavailable_after[ \t\n\r\f\v]*:")

_NAMES: Final = {
    "*": EVERYBODY,
    "googlebot-news": EVERYBODY | {"googlebot-news", "googlebot"},
    "bingbot": EVERYBODY | {"bingbot", "msnbot"},
    "msnbot": EVERYBODY | {"bingbot", "msnbot"},
}
_ROBOTS_NAMES: Final = EVERYBODY | {
    "googlebot",
    "googlebot-news",
    "googlebot-image",
    "bingbot",
    "msnbot",
    "yandex",
    "slurp",
    "teoma",
    "applebot",
    "baiduspider",
}
_GOOGLE_WITHOUT_META: Final = re.compile(
    r"googlebot-(?!news$)|google-|googleother|adsbot-google|mediapartners-google"
)


class Statement(NamedTuple):
    """One directive of one source. `scope`: "" for everybody, else a crawler's name in lower case."""

    scope: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Source:
    """One meta tag or header line, taken apart. `issues`: none, missing_comma, unknown, obsolete, redundant.

    `name` is that of the meta, "" for a header line.
    """

    name: str
    header: bool
    statements: tuple[Statement, ...]
    issues: frozenset[str]


class Effective(NamedTuple):
    """What all sources say to one crawler. `noindex_sources` as in the facts, in order, without doubles."""

    directives: Directives
    noindex_sources: tuple[str, ...]
    conflict: bool


def names_of(bot: str) -> frozenset[str]:
    """The meta names that a crawler reads. `bot`: its product token in lower case, or `*`."""
    if bot in _NAMES:
        return _NAMES[bot]
    # Of Google's crawlers only two have a meta name of their own.
    return EVERYBODY if _GOOGLE_WITHOUT_META.match(bot) else EVERYBODY | {bot}


@lru_cache(maxsize=1_024)
def read_meta(name: str, content: str) -> Source:
    """A meta tag; `name` trimmed and in lower case."""
    reader = _Reader("" if name in EVERYBODY else name)
    for item in _items(content):
        reader.read(item)
    if name == "robot":
        reader.issues.add("unknown")
    return reader.source(name)


@lru_cache(maxsize=1_024)
def read_header(line: str) -> Source:
    """One X-Robots-Tag line, by itself. A crawler's name holds until the next one or the end of the line."""
    reader = _Reader("")
    for item in _items(line):
        before, colon, behind = item.partition(":")
        scope = before.strip(_SPACE)
        # `noindex unavailable_after: ...` names no crawler either: its comma is missing.
        if colon and not (set(scope.split()[-1:]) & _VALUED):
            reader.scope = "" if scope == "*" else scope
            item = behind
        reader.read(item)
    return reader.source("")


def is_robots_name(name: str, bots: Sequence[str]) -> bool:
    """Is a meta of that name about robots for sure, and not one that only sounds like it (`chatbot`)?"""
    return name in _ROBOTS_NAMES or any(name in names_of(bot) for bot in bots)


def effective(bot: str, sources: Iterable[Source], now: datetime | None) -> Effective:
    """What is in force for `bot` (lower case, or `*`). `now`: the clock for unavailable_after."""
    meta_names, said, origins = names_of(bot), _Said(), []
    header_names = meta_names | {bot} - {"*"}
    for source in sources:
        for scope, name, value in source.statements:
            if scope and scope not in (header_names if source.header else meta_names):
                continue
            if said.add(name, value, now):
                place = "header" if source.header else "meta:robots"
                if scope:
                    place = f"{'header' if source.header else 'meta'}:{scope}"
                origins.append("unavailable_after" if name == "unavailable_after" else place)
    return Effective(said.directives(bot), tuple(dict.fromkeys(origins)), said.conflict)


def parse_date(text: str) -> datetime | None:
    """The date of unavailable_after: RFC 822, RFC 850 or ISO 8601; a date alone is midnight UTC."""
    text = text.strip(_SPACE)
    for parse in (parse_w3c, parse_rfc822, parse_http_date, parse_rfc3339):
        date = parse(text)
        if date.utc is not None:
            return date.utc
    # Any case of letters is read: directives are folded before.
    for parse in (parse_w3c, parse_rfc822, parse_http_date, parse_rfc3339):
        for spelling in (text.upper(), text.title().replace("Gmt", "GMT")):
            date = parse(spelling)
            if date.utc or date.lenient_utc:
                return date.utc or date.lenient_utc
    return None


class _Reader:
    """Statements and issues of one source."""

    def __init__(self, scope: str) -> None:
        self.scope = scope
        self._statements: list[Statement] = []
        self.issues: set[str] = set()

    def read(self, item: str) -> None:
        """One item between two commas: usually one directive."""
        item = item.strip(_SPACE)
        if not item:
            return
        if ";" in item:
            self.issues.add("missing_comma")
            for part in item.split(";"):
                self.read(part)
            return
        date = _AFTER.search(item)
        if date is not None:
            self._read_date(item, date)
            return
        if ":" in item:
            item = ":".join(part.strip(_SPACE) for part in item.split(":"))
        if not self._take(item):
            self._read_words(item.split())

    def source(self, name: str) -> Source:
        names = {statement.name for statement in self._statements}
        if names and names <= _DEFAULTS and "unknown" not in self.issues:
            self.issues.add("redundant")
        return Source(name, not name, tuple(self._statements), frozenset(self.issues))

    def _read_words(self, words: list[str]) -> None:
        known = [word for word in words if _is_directive(word)]
        if len(known) > 1:
            self.issues.add("missing_comma")
            for word in known:
                self._take(word)
        if len(known) < 2 or len(known) < len(words):
            self.issues.add("unknown")

    def _read_date(self, item: str, mark: re.Match[str]) -> None:
        if before := item[: mark.start()].strip(_SPACE):
            self.issues.add("missing_comma")
            self.read(before)
        text = item[mark.end() :].strip(_SPACE)
        behind: list[str] = []
        while parse_date(text) is None and _is_directive(text.rpartition(" ")[2]):
            text, _, word = text.rpartition(" ")
            behind.insert(0, word)
            text = text.strip(_SPACE)
        if parse_date(text) is None:
            self.issues.add("unknown")
        else:
            self._statements.append(Statement(self.scope, "unavailable_after", text))
        if behind:
            self.issues.add("missing_comma")
            for word in behind:
                self._take(word)

    def _take(self, word: str) -> bool:
        if not _is_directive(word):
            return False
        name, _, value = word.partition(":")
        self._statements.append(Statement(self.scope, name, value))
        if name == "none":
            self.issues.add("none")
        if name in _OBSOLETE and not (name in _BING_ONLY and self.scope in _NAMES["bingbot"]):
            self.issues.add("obsolete")
        return True


class _Said:
    """The union of statements for one crawler; the most restrictive wins."""

    def __init__(self) -> None:
        self._flags: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._preview: str | None = None
        self._until: datetime | None = None
        self._expired = False

    def add(self, name: str, value: str, now: datetime | None) -> bool:
        """Count one statement; True if it says noindex."""
        if name in _NUMBERS:
            limit = min(int(value), _NUMBER_MAX)
            known = self._numbers.get(name)
            if known is None or known == -1 or (limit != -1 and limit < known):
                self._numbers[name] = limit
        elif name == "max-image-preview":
            if self._preview is None or _PREVIEWS.index(value) < _PREVIEWS.index(self._preview):
                self._preview = value
        elif name == "unavailable_after":
            until = parse_date(value)
            if until is None:
                return False
            self._until = until if self._until is None else min(until, self._until)
            past = now is not None and until <= now
            self._expired = self._expired or past
            return past
        else:
            self._flags |= {"noindex", "nofollow"} if name == "none" else {name}
            return name in ("noindex", "none")
        return False

    @property
    def conflict(self) -> bool:
        flags = self._flags
        indexed, followed = flags & {"index", "all"}, flags & {"follow", "all"}
        no_snippet = "nosnippet" in flags and self._numbers.get("max-snippet", 0) != 0
        return bool(("noindex" in flags and indexed) or ("nofollow" in flags and followed) or no_snippet)

    def directives(self, bot: str) -> Directives:
        flags = self._flags
        noindex = "noindex" in flags or self._expired
        max_snippet = self._numbers.get("max-snippet")
        return Directives(
            noindex=noindex,
            nofollow="nofollow" in flags,
            nosnippet="nosnippet" in flags or max_snippet == 0,
            noimageindex="noimageindex" in flags,
            notranslate="notranslate" in flags,
            noarchive=bool(flags & _BING_ONLY) and bot in ("bingbot", "msnbot"),
            indexifembedded=noindex and "indexifembedded" in flags,
            max_snippet=max_snippet,
            max_image_preview=self._preview,
            max_video_preview=self._numbers.get("max-video-preview"),
            unavailable_after=self._until,
        )


def _items(text: str) -> Sequence[str]:
    """Parts between commas, in lower case; the comma behind the weekday of a date parts nothing."""
    items: list[str] = []
    for part in text[:DIRECTIVES_MAX_CHARS].lower().split(","):
        if items and _WEEKDAY.search(items[-1]):
            items[-1] += f",{part}"
        else:
            items.append(part)
    return items


def _is_directive(word: str) -> bool:
    """A directive in its complete form; of those with a value only usable ones."""
    name, colon, value = word.partition(":")
    if not colon:
        return word in _KNOWN
    if name in _NUMBERS:
        return _NUMBER.fullmatch(value) is not None
    return name == "max-image-preview" and value in _PREVIEWS
