"""What the head of a page says, as the two readers of it (html_head, html_head_plain) give it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

from sitemap_audit.settings import TITLE_MAX_CHARS

HTML_SPACE: Final = " \t\n\f\r"
_BOT_NAME: Final = re.compile(r"(?:bots?|crawler|spider|slurp|teoma|yandex)(?:-[a-z]+)*$", re.ASCII)
_SPACES: Final = re.compile(r"[ \t\n\r\f]+")


class HeadMeta(NamedTuple):
    """A meta whose name is that of a crawler, or `robots`. `offset`: byte of the tag, -1 if not known."""

    name: str
    content: str
    in_head: bool
    in_noscript: bool = False
    offset: int = -1


@dataclass(slots=True)
class HeadLink:
    """A link element with canonical or alternate in its rel; attribute values None where there is no `=`.

    `rel`: its tokens in lower case (HTML Standard, 2.3.7: white space is that of ASCII). `row`: what
    page_links made of it, where that does not depend on the page. Links of plain heads are shared by pages.
    """

    rel: tuple[str, ...]
    attributes: dict[str, str | None]
    in_head: bool
    row: dict[str, Any] | None = field(default=None, compare=False)


@dataclass(slots=True)
class Head:
    """What one page says, in the order of the document.

    `base_href`: of the first base that has one, "" included. `broken_by`: the element (or `#text`) that
    closed the head before its own end. `end_offset`: byte where the head ends. `whole`: all of the document
    was parsed. `refused`: the parser was spared, signals behind the head (or all) are not known.
    `noscript_differs`: canonical, robots, head_end, where a reader without scripting sees something else.
    """

    metas: list[HeadMeta] = field(default_factory=list)
    links: list[HeadLink] = field(default_factory=list)
    refreshes: list[str] = field(default_factory=list)
    base_href: str | None = None
    title: str | None = None
    html_lang: str | None = None
    broken_by: str | None = None
    end_offset: int | None = None
    whole: bool = False
    refused: str | None = None
    noscript_differs: tuple[str, ...] = ()
    meta_count: int | None = None
    may_hold_noscript: bool = True


@lru_cache(maxsize=256)
def rel_tokens(rel: str | None) -> tuple[str, ...]:
    """The tokens of a rel that is of use here, none of any other."""
    rel = (rel or "").lower()
    return tuple(_SPACES.split(rel)) if "canonical" in rel or "alternate" in rel else ()


@lru_cache(maxsize=1_024)
def folded(name: str) -> str:
    """The name of a meta as names are compared."""
    return name.strip(HTML_SPACE).lower()


def is_wanted(name: str, bots: Collection[str]) -> bool:
    """Is a meta of this folded name meant for crawlers, or for one of `bots`?"""
    return _sounds_like_a_bot(name) or name in bots


@lru_cache(maxsize=1_024)
def _sounds_like_a_bot(name: str) -> bool:
    return _BOT_NAME.search(name) is not None


def short_title(text: str) -> str:
    """A title as it is kept: white space collapsed, not longer than TITLE_MAX_CHARS."""
    return " ".join(text[: 16 * TITLE_MAX_CHARS].split())[:TITLE_MAX_CHARS]
