"""What the parsers of sitemap files hand up: the text of one entry as it stands, before anything is judged.

Tuples and not facts, because 200,000 of them a second pass here. sitemap_audit.formats.entries makes facts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Protocol

Note = Callable[[str, str], None]
"""Notes a problem at the place where the parser stands: kind, text."""


class DateForm(Enum):
    """Which format the dates of a row are written in (definitions 10)."""

    W3C = "w3c"
    RFC3339 = "rfc3339"
    RFC822 = "rfc822"


Link = tuple[int, str | None, str | None, str | None]
"""A RawAlternate, or what the fast lane gives at a third of the price: a tuple of the same fields."""


class RawAlternate(NamedTuple):
    """An xhtml:link; None = the attribute is not there."""

    line: int
    rel: str | None
    code: str | None
    href: str | None


@dataclass(slots=True)
class RawExtension:
    """One image:image, video:video or news:news: the first text of each element in it, by local name."""

    tag: str
    line: int
    texts: dict[str, str] = field(default_factory=dict)
    """Untrimmed, cut at XML_MAX_TEXT_BYTES characters."""
    lengths: dict[str, int] = field(default_factory=dict)
    """Length of those that were cut, without the blanks before."""
    names: list[str] = field(default_factory=list)
    """Local names in order, each once; `element@attribute` for attributes."""
    tags: int = 0
    """How many elements named `tag`."""


@dataclass(slots=True)
class RawMedia:
    """What a media:content, its group or its item says of a medium (mRSS); texts untrimmed."""

    url: str | None = None
    type: str | None = None
    title: str | None = None
    description: str | None = None
    thumbnail: str | None = None
    player: str | None = None


@dataclass(slots=True)
class RawMore:
    """What few entries have."""

    locs: int = 1
    loc_cut: bool = False
    """The loc is longer than its bound: what is here is its beginning."""
    resolvable: bool = True
    """A loc without a scheme may be resolved against the file."""
    images: list[RawExtension] = field(default_factory=list)
    videos: list[RawExtension] = field(default_factory=list)
    news: list[RawExtension] = field(default_factory=list)
    news_count: int = 0
    guid: str | None = None
    published: str | None = None
    media: list[RawMedia] = field(default_factory=list)
    base: str | None = None
    """xml:base of a feed item's link."""
    dates: DateForm = DateForm.W3C


class RawEntry(NamedTuple):
    """One url, sitemap or item element, or one line. Texts are unescaped and untrimmed; `line` counts from 1."""

    line: int
    loc: str | None
    lastmod: str | None = None
    changefreq: str | None = None
    priority: str | None = None
    alternates: Sequence[Link] | None = None
    more: RawMore | None = None
    is_child: bool = False


@dataclass(slots=True)
class FeedHead:
    """What a feed says of itself; texts trimmed."""

    version: str | None = None
    id: str | None = None
    title: str | None = None
    updated_raw: str | None = None
    dates: DateForm = DateForm.RFC822
    hubs: list[str] = field(default_factory=list)
    selfs: list[str] = field(default_factory=list)
    next: str | None = None
    """rel=next: where older items are."""
    total: int | None = None
    """OpenSearch totalResults, startIndex and itemsPerPage: Blogger gives them beside or in place of rel=next."""
    first: int | None = None
    per_page: int | None = None


@dataclass(slots=True)
class Totals:
    """How many extension elements a file holds, those that were not kept included."""

    alternates: int = 0
    images: int = 0
    videos: int = 0
    news: int = 0


class Vocabulary(Protocol):
    """What reads the elements below a root, behind an XML parser that it has attached itself to."""

    rows: list[RawEntry]
    """Complete entries, in order; whoever takes them empties the list."""
    totals: Totals
    closed: bool
    """The root element has ended."""
    open: str | None
    """The entry element that is open, for messages about a file that ends in it."""

    def trim(self) -> None:
        """Between two blocks: holds the text that is being read within its bound."""
