"""A plain head, read in one pass over its text: no tree is built.

Plain is a head that holds nothing but meta, link, base, title, style and script elements, comments and white
space, each of them complete. Of that the tree is known beforehand (HTML Standard, 13.2.6.4.4, "in head"): all of
them are children of the head, in their order. Whatever else is met (a noscript, text, an end tag that closes
nothing, a second html) makes it not plain: `read_plain` says None, and the parser reads the page.

Tags come back with page after page, so what one says is remembered by its text. Attributes that are not spelt
in the usual way are read by the parser too, from the tag alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from html.entities import html5
from typing import Any, Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser

from sitemap_audit.formats.html_signals import (
    HTML_SPACE,
    Head,
    HeadLink,
    HeadMeta,
    folded,
    is_wanted,
    rel_tokens,
    short_title,
)
from sitemap_audit.settings import HTML_SAFE_BYTES

# What a tag is to us.
_NOTHING: Final = 0
_LINK: Final = 1
_META: Final = 2
_BASE: Final = 3
_RAW: Final = 4
_HTML: Final = 5
_UNKNOWN: Final = 6

_REMEMBERED: Final = 4_096
_REMEMBERED_CHARS: Final = 2_048
"""Longer tags are not remembered."""
_MANY: Final = 1_000
"""Heads of more tags that may say something are left to the parser, and with them its limits."""
_IDLE: Final = frozenset({"/meta", "/link", "/base"})
"""End tags that end nothing, and are ignored."""


def _any_case(word: str) -> str:
    return "".join(f"[{letter}{letter.upper()}]" for letter in word)


# A value, a comment or a text that holds a `<meta` matches none of these: places of metas are counted in the text.
_META_START: Final = _any_case("meta")
_S: Final = r"[\t\n\f\r ]"
_ATTRIBUTES: Final = rf"(?:{_S}++[a-z-]++(?:=(?:\"[^\"<]*+\"|'[^'<]*+'))?+)*+{_S}*+/?"
_SILENT_NAMES: Final = (
    "viewport|description|keywords|author|generator|theme-color|color-scheme|format-detection|referrer"
    "|application-name|apple-mobile-web-app-[a-z-]+|msapplication-[a-zA-Z0-9-]+|google-site-verification"
    "|twitter:(?:card|title|description|image|image:alt|site|creator|url|domain|label[12]|data[12])"
)
_SILENT_RELS: Final = (
    "stylesheet|icon|shortcut icon|apple-touch-icon|preconnect|dns-prefetch|preload|prefetch|modulepreload|manifest"
    "|mask-icon|next|prev|search|shortlink|EditURI|pingback|profile|https://api.w.org/"
)
_BLANK: Final = rf"{_S}++|<!--(?!-?>)(?:[^<-]++|<(?!{_META_START})|-(?!-!?>))*+-->"
_SILENT: Final = (
    rf"{_BLANK}"
    rf"|<meta{_S}++(?:name=\"(?:{_SILENT_NAMES})\"|property=\"[^\"<]*+\"){_S}++content=\"[^\"<]*+\"{_S}*+/?>"
    rf"|<meta{_S}++charset=\"?[A-Za-z0-9_-]++\"?{_S}*+/?>"
    rf"|<link{_S}++rel=(?:\"(?:{_SILENT_RELS})\"|'(?:{_SILENT_RELS})'){_ATTRIBUTES}>"
    rf"|<style{_ATTRIBUTES}>(?:[^<]++|<(?!/{_any_case('style')}|{_META_START}))*+</style>"
    rf"|<script{_ATTRIBUTES}>(?:[^<]++|<(?!/{_any_case('script')}|!--|{_META_START}))*+</script>"
)
"""What says nothing to us in its usual spelling, which is most of a head. Other spellings are looked at one by one."""
_BEGIN: Final = re.compile(
    rf"(?:{_BLANK})*+(?:<!{_any_case('doctype')}[^<>]*+>)?+(?:{_BLANK})*+"
    rf"(?:<({_any_case('html')}(?:{_S}[^<>\"']*+(?:(?:\"[^\"<]*+\"|'[^'<]*+')[^<>\"']*+)*+)?+)>)?+"
    rf"(?:{_BLANK})*+(?:<{_any_case('head')}{_ATTRIBUTES}>)?+"
)
_NEXT: Final = re.compile(
    rf"(?:{_SILENT})*+(?:"
    r"<title>([^<]*+)</title>"
    rf"|<(link{_S}++rel=\"canonical\"{_S}++href=\"([^\"&<\r\0]*+)\"{_S}*+/?)>"
    rf"|<(link{_S}++rel=\"alternate\"{_S}++hreflang=\"([^\"&<\r\0]*+)\"{_S}++href=\"([^\"&<\r\0]*+)\"{_S}*+/?)>"
    r"|<([^<>\"']*+(?:(?:\"[^\"<]*+\"|'[^'<]*+')[^<>\"']*+)*+)>"
    r"|(\Z))"
)
"""Over what says nothing to the next that may: a title, a canonical, an alternate, another tag, or the end."""
_IS_TITLE, _IS_CANONICAL, _IS_ALTERNATE, _IS_END = 1, 2, 4, 8
_RAW_TEXT: Final = {
    name: re.compile(
        rf"(?:[^<]++|<(?!/{_any_case(name)}|!--|{_META_START}))*+</{_any_case(name)}[\t\n\f\r /]*+>"
    )
    for name in ("script", "style")
}
_USUAL: Final = re.compile(rf"(meta|link|base)((?:{_S}+[a-z:-]+=\"[^\"&\r\0]*\")*){_S}*/?")
"""Attributes whose names and values are what is written: no reference, nothing to normalize."""
_PAIR: Final = re.compile(r"([a-z:-]+)=\"([^\"]*)\"")
_COMPLETE: Final = re.compile(
    r"([a-zA-Z]++)(?:[\t\n\f\r /]++[^\t\n\f\r />=\"'<]++"
    r"(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:\"[^\"]*+\"|'[^']*+'|[^\t\n\f\r >\"'=<`][^\t\n\f\r >\"'=<`]*+))?+"
    r")*+[\t\n\f\r /]*+"
)
"""A tag that surely ends where its text ends: no quote is left open (13.2.5.32 to 13.2.5.40)."""
_NO_REFERENCE: Final = frozenset(" \t\n")
"""Behind these an ampersand is one (13.2.5.72)."""


class Tag(NamedTuple):
    """What a start tag is and says: a HeadLink, a Meta, the href of a base, the pattern of its text, a lang."""

    kind: int
    value: Any = None


class Meta(NamedTuple):
    """`name`: None where the name is of no interest; `refresh`: it is a meta refresh."""

    name: str | None
    content: str
    refresh: bool


def read_plain(doc: bytes, cut: int, bots: Collection[str]) -> Head | None:
    """The signals of `doc[:cut]` (UTF-8, `cut` before the end of the head), None where it is not plain.

    They are those of the tree, in which such a head is intact.
    """
    known = _tags_for(tuple(bots))
    if cut > HTML_SAFE_BYTES or known is None:
        return None
    try:
        text = doc[:cut].decode()
    except UnicodeDecodeError:
        return None
    head = Head(end_offset=cut, may_hold_noscript=False)
    begin = _BEGIN.match(text)
    position = 0
    if begin is not None:
        position = begin.end()
        if begin[1] is not None:
            kind, head.html_lang = known[begin[1]]
            if kind != _HTML:
                return None
    for _ in range(_MANY):
        found = _NEXT.match(text, position)
        if found is None:
            return None
        position = found.end()
        which = found.lastindex
        if which == _IS_ALTERNATE:
            tag, code, href = found.group(4, 5, 6)
            head.links.append(known.links.get(tag) or known.link(tag, "alternate", href, code))
        elif which == _IS_CANONICAL:
            tag, href = found.group(2, 3)
            head.links.append(known.links.get(tag) or known.link(tag, "canonical", href))
        elif which == _IS_TITLE:
            if head.title is None:
                head.title = _title(found[1])
                if head.title is None:
                    return None
        elif which == _IS_END:
            return head
        else:
            kind, value = known[found[7]]
            if kind == _LINK:
                head.links.append(value)
            elif kind == _META:
                _add_meta(head, value, len(text[: found.start(7) - 1].encode()))
            elif kind == _BASE:
                head.base_href = value if head.base_href is None else head.base_href
            elif kind == _RAW:
                end = value.match(text, position)
                if end is None:
                    return None
                position = end.end()
            elif kind != _NOTHING:
                return None
    return None


def _add_meta(head: Head, meta: Meta, offset: int) -> None:
    if meta.name is not None:
        head.metas.append(HeadMeta(meta.name, meta.content, True, False, offset))
    if meta.refresh:
        head.refreshes.append(meta.content)


def _title(text: str) -> str | None:
    """The text of a title; None where its references are not such as any reader agrees on."""
    if "\r" in text or "\0" in text:
        return None
    if "&" in text:
        first, *rest = text.split("&")
        parts = [first]
        for piece in rest:
            name, semicolon, behind = piece.partition(";")
            character = _character(name) if semicolon else None
            if character is not None:
                parts += character, behind
            elif piece[:1] in _NO_REFERENCE:
                parts += "&", piece
            else:
                return None
        text = "".join(parts)
    return short_title(text)


@lru_cache(maxsize=256)
def _character(reference: str) -> str | None:
    """What a reference, without its `&` and `;`, means; None for what is not in the standard's table and for numbers
    of characters that do not stand for themselves (13.2.5.80)."""
    if not reference.startswith("#"):
        return html5.get(f"{reference};")
    number = reference[1:]
    if not (number.isascii() and number.isdigit() and len(number) <= 5):
        return None
    return chr(int(number)) if 32 <= int(number) <= 126 or 160 <= int(number) < 0xD800 else None


@lru_cache(maxsize=8)
def _tags_for(bots: tuple[str, ...]) -> _Tags | None:
    """None where a bot has a name that is taken to say nothing here."""
    return None if any(re.fullmatch(_SILENT_NAMES, bot) for bot in bots) else _Tags(bots)


class _Tags(dict[str, Tag]):
    """Tags by their text, without the signs around it. Bounded: it begins anew when it is full."""

    def __init__(self, bots: tuple[str, ...]) -> None:
        self._bots = bots
        self.links: dict[str, HeadLink] = {}
        """The canonicals and alternates in the usual spelling."""

    def link(self, text: str, rel: str, href: str, code: str | None = None) -> HeadLink:
        attributes: dict[str, str | None] = {"rel": rel, "href": href}
        if code is not None:
            attributes["hreflang"] = code
        link = HeadLink((rel,), attributes, True)
        if len(text) <= _REMEMBERED_CHARS:
            if len(self.links) >= _REMEMBERED:
                self.links.clear()
            self.links[text] = link
        return link

    def __missing__(self, text: str) -> Tag:
        tag = self._read(text)
        if len(text) <= _REMEMBERED_CHARS:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[text] = tag
        return tag

    def _read(self, text: str) -> Tag:
        usual = _USUAL.fullmatch(text)
        if usual is not None:
            pairs = _PAIR.findall(usual[2])
            pairs.reverse()  # of doubled attributes the first counts
            return self._of(usual[1], dict(pairs))
        if text in _IDLE:
            return Tag(_NOTHING)
        complete = _COMPLETE.fullmatch(text)
        name = "" if complete is None else complete[1].lower()
        if name in _RAW_TEXT:
            return Tag(_RAW, _RAW_TEXT[name])
        if name not in ("html", "meta", "link", "base"):
            return Tag(_UNKNOWN)
        tree = LexborHTMLParser(f"<{text}>".encode(), scripting=True)
        if name == "html":
            language = None if tree.root is None else tree.root.attributes.get("lang")
            return Tag(_HTML, (language.strip(HTML_SPACE) or None) if language else None)
        node = None if tree.head is None else tree.head.first_child
        return Tag(_UNKNOWN) if node is None else self._of(name, node.attributes)

    def _of(self, name: str, attributes: dict[str, str | None]) -> Tag:
        if name == "link":
            tokens = rel_tokens(attributes.get("rel"))
            return Tag(_LINK, HeadLink(tokens, attributes, True)) if tokens else Tag(_NOTHING)
        if name == "base":
            return Tag(_BASE, attributes["href"] or "" if "href" in attributes else None)
        bot = folded(attributes.get("name") or "")
        wanted = bot != "" and is_wanted(bot, self._bots)
        refresh = (attributes.get("http-equiv") or "").lower() == "refresh"
        if not wanted and not refresh:
            return Tag(_NOTHING)
        return Tag(_META, Meta(bot if wanted else None, attributes.get("content") or "", refresh))
