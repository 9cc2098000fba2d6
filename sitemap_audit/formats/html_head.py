"""The signals of an HTML page, read from its head alone wherever that is provably enough.

The head is cut out, a mark is put behind it, and that is parsed. Where the mark is an element of the tree,
the cut lies between two tags, and the tree up to there is that of the whole document. The whole document is
parsed where something behind the cut could matter. On real pages that is a third of the time of parsing all.

An element counts as in the head if the parser of the HTML Standard puts it there. What the signals mean is
read elsewhere (directives, canonical).
"""

from __future__ import annotations

import itertools
import re
import secrets
from collections.abc import Collection
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from sitemap_audit.formats.html_guard import Refused, parse_html
from sitemap_audit.formats.html_head_end import head_end
from sitemap_audit.formats.html_head_plain import read_plain
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
from sitemap_audit.formats.html_tokens import ATTRIBUTES, attribute_value
from sitemap_audit.settings import HEAD_SIGNALS_MAX, HEAD_TAGS_MAX

_END_OF_HEAD: Final = re.compile(rb"</[hH][eE][aA][dD][\t\n\f\r />]|<[bB][oO][dD][yY][\t\n\f\r />]")
_LATE: Final = re.compile(
    rb"<[mMlLbBhHfF](?:[eE][tT][aA]|[iI][nN][kK]|[aA][sS][eE]|[tT][mM][lL]|[rR][aA][mM][eE][sS][eE][tT])"
    rb"[\t\n\f\r />]"
)
"""A superset of meta, link, base, html and frameset: one scan, whose second letter decides little."""
_META_KEY: Final = re.compile(rb"(?:name|http-equiv)[\t\n\f\r ]*=", re.IGNORECASE)
_REL: Final = re.compile(rb"rel[\t\n\f\r ]*=[\t\n\f\r ]*(?:\"[^\"]*|'[^']*|[^\t\n\f\r >]*)", re.IGNORECASE)
_TITLE: Final = re.compile(rb"<[tT][iI][tT][lL][eE][\t\n\f\r />]")
_META: Final = re.compile(rb"<[mM][eE][tT][aA](?=[\t\n\f\r />])")
_NOSCRIPT: Final = re.compile(rb"<[nN][oO][sS][cC][rR][iI][pP][tT][\t\n\f\r />]")
_CUTS: Final = 3
"""Ends of the head that are tried: one inside a script or comment is not the end."""
_MARK: Final = f"x-end-of-head-{secrets.token_hex(4)}"  # no page can know it
_MARK_TAG: Final = f"<{_MARK}>".encode()
_SIGNALS: Final = "meta[name],meta[http-equiv],link[rel],base[href],title"
_FOREIGN_STEPS: Final = 256


def read_head(doc: bytes, *, bots: Collection[str] = ()) -> Head | Refused:
    """The signals of an HTML text in UTF-8 without a byte order mark; offsets are of that text.

    `bots`: further names (lower case) whose metas are wanted. Refused: not even the head could be parsed.
    """
    for end in itertools.islice(_END_OF_HEAD.finditer(doc), _CUTS):
        cut = end.start()
        if _may_matter(doc, cut):
            continue
        plain = read_plain(doc, cut, bots)
        if plain is not None:
            if plain.title is None and _TITLE.search(doc, cut):
                break
            return plain
        tree = parse_html(doc[:cut] + _MARK_TAG)
        if isinstance(tree, Refused):
            return tree
        intact = _is_intact(tree)
        if not intact and tree.css_first(_MARK) is None:
            continue  # inside a comment, script, attribute, template ...
        head = _from_head(tree, bots) if intact else _from_all(tree, bots)
        if head.title is None and _TITLE.search(doc, cut):
            break
        if intact:
            head.end_offset = cut
        else:
            head.end_offset, head.broken_by = head_end(doc)
        return _finish(head, tree, doc, cut, bots)
    return _read_whole(doc, bots)


def head_mark() -> bytes:
    """The tag that is put behind a cut: an element of the tree only where the cut lies between two tags."""
    return _MARK_TAG


def _read_whole(doc: bytes, bots: Collection[str]) -> Head | Refused:
    end_offset, broken_by = head_end(doc)
    tree = parse_html(doc)
    refused = None
    if isinstance(tree, Refused):
        refused = tree
        tree = parse_html(doc[:end_offset] + _MARK_TAG)
        if isinstance(tree, Refused):
            return refused
    head = _from_all(tree, bots)
    head.whole = refused is None
    head.refused = head.refused or refused
    head.end_offset = end_offset
    outside = any(not link.in_head for link in head.links) or any(not meta.in_head for meta in head.metas)
    if broken_by is not None and (outside or _END_OF_HEAD.search(doc, end_offset)):
        head.broken_by = broken_by  # otherwise the head just has no end tag, as HTML allows
    return _finish(head, tree, doc, len(doc) if head.whole else end_offset, bots)


def _may_matter(doc: bytes, cut: int) -> bool:
    """Could a tag behind the cut carry a signal, or change the tree before it?"""
    for tag in _LATE.finditer(doc, cut):
        letter = doc[tag.start() + 1] | 0x20
        if letter not in b"ml":
            return True
        attributes = ATTRIBUTES.match(doc, tag.end() - 1)
        if attributes is None:
            return True
        if letter == ord("m"):
            if _META_KEY.search(attributes.group()):
                return True
        else:
            for rel in _REL.findall(attributes.group()):
                value = rel.lower()
                if b"canonical" in value or b"alternate" in value or b"&" in value:
                    return True
    return False


def _is_intact(tree: LexborHTMLParser) -> bool:
    """The mark is all there is in the body: nothing closed the head before the cut."""
    body = tree.body
    first = None if body is None else body.first_child
    return first is not None and first.tag == _MARK and first.next is None


def _tag_ids(*tags: str) -> list[int]:
    """The parser's numbers of tags: comparing them costs a fourth of their names."""
    tree = LexborHTMLParser("".join(f"<{tag}></{tag}>" for tag in tags), scripting=True)
    return [node.tag_id for tag in tags for node in tree.css(tag)]


_ID_META, _ID_LINK, _ID_BASE, _ID_TITLE, _ID_NOSCRIPT = _tag_ids("meta", "link", "base", "title", "noscript")


def _from_head(tree: LexborHTMLParser, bots: Collection[str]) -> Head:
    """Of a tree whose head is intact: all signals are its children."""
    head = Head(html_lang=_language(tree), may_hold_noscript=False)
    metas = 0
    element = tree.head
    if element is not None:
        for count, node in enumerate(element.iter()):
            if count == HEAD_TAGS_MAX:
                head.refused = Refused.TAGS
                break
            tag = node.tag_id
            if tag == _ID_LINK:
                _add_link(head, node.attributes, True)
            elif tag == _ID_META:
                _add_meta(head, node.attributes, True, bots, metas)
                metas += 1
            elif tag == _ID_NOSCRIPT:
                head.may_hold_noscript = True
            elif tag == _ID_TITLE:
                if head.title is None:
                    head.title = _title(node)
            elif tag == _ID_BASE and head.base_href is None:
                head.base_href = _base(node)
    head.meta_count = metas
    return head


def _from_all(tree: LexborHTMLParser, bots: Collection[str]) -> Head:
    head = Head(html_lang=_language(tree))
    for count, node in enumerate(tree.css(_SIGNALS)):
        if count == HEAD_TAGS_MAX:
            head.refused = Refused.TAGS
            break
        tag, parent = node.tag, node.parent
        in_head = parent is not None and parent.tag == "head"
        if tag == "meta":
            _add_meta(head, node.attributes, in_head, bots)
        elif in_head or not _is_foreign(node):
            if tag == "link":
                _add_link(head, node.attributes, in_head)
            elif tag == "title":
                if head.title is None:
                    head.title = _title(node)
            elif head.base_href is None:
                head.base_href = _base(node)
    return head


def _add_meta(
    head: Head, attributes: dict[str, str | None], in_head: bool, bots: Collection[str], number: int = -1
) -> None:
    name = attributes.get("name")
    if name:
        name = folded(name)
        if is_wanted(name, bots):
            if len(head.metas) < HEAD_SIGNALS_MAX:
                content = attributes.get("content") or ""
                head.metas.append(HeadMeta(name, content, in_head, False, number))
            else:
                head.refused = Refused.TAGS
    pragma = attributes.get("http-equiv")
    if pragma and pragma.lower() == "refresh" and len(head.refreshes) < HEAD_SIGNALS_MAX:
        head.refreshes.append(attributes.get("content") or "")


def _add_link(head: Head, attributes: dict[str, str | None], in_head: bool) -> None:
    tokens = rel_tokens(attributes.get("rel"))
    if tokens:
        if len(head.links) < HEAD_SIGNALS_MAX:
            head.links.append(HeadLink(tokens, attributes, in_head))
        else:
            head.refused = Refused.TAGS


def _title(node: LexborNode) -> str:
    return short_title(node.text())


def _base(node: LexborNode) -> str | None:
    attributes = node.attributes
    return attributes["href"] or "" if "href" in attributes else None


def _language(tree: LexborHTMLParser) -> str | None:
    root = tree.root
    language = None if root is None else root.attributes.get("lang")
    return (language.strip(HTML_SPACE) or None) if language else None


def _is_foreign(node: LexborNode) -> bool:
    """Is it an element of svg or math, where title, link and base mean something else?"""
    parent = node.parent
    for _ in range(_FOREIGN_STEPS):
        if parent is None:
            return False
        tag = parent.tag
        if tag in ("svg", "math"):
            return True
        if tag in ("foreignObject", "foreignobject", "desc", "title", "annotation-xml", "mtext"):
            return False
        parent = parent.parent
    return False


def _finish(head: Head, tree: LexborHTMLParser, doc: bytes, parsed: int, bots: Collection[str]) -> Head:
    """`parsed`: bytes of `doc` that the tree was made of."""
    if head.metas:
        head.metas = _with_offsets(head, doc, parsed)
    end = parsed if head.end_offset is None else head.end_offset
    if head.may_hold_noscript and _NOSCRIPT.search(doc, 0, end):
        _read_noscript(head, tree, doc[:end], bots)
    return head


def _read_noscript(head: Head, tree: LexborHTMLParser, prefix: bytes, bots: Collection[str]) -> None:
    """A noscript in the head is text to us; a reader without scripting finds elements there.

    Its robots metas count (definition 7). Of all else we only say whether the two readings differ: an
    image in there closes the head.
    """
    plain = parse_html(prefix + _MARK_TAG, scripting=False)
    if isinstance(plain, Refused):
        head.refused = head.refused or plain
        return
    for node in tree.css("head > noscript"):
        inside = parse_html(node.text().encode("utf-8", "replace"))
        if not isinstance(inside, Refused):
            metas = _from_all(inside, bots).metas
            head.metas += [meta._replace(in_head=True, in_noscript=True) for meta in metas]
    if head.whole:
        tree = _tree_of(prefix) or tree
    with_scripting, without = _from_all(tree, bots), _from_all(plain, bots)
    differs = []
    if _canonicals(with_scripting) != _canonicals(without):
        differs.append("canonical")
    if _robots(with_scripting) != _robots(without):
        differs.append("robots")
    if _is_intact(tree) != _is_intact(plain):
        differs.append("head_end")
    head.noscript_differs = tuple(differs)


def _tree_of(prefix: bytes) -> LexborHTMLParser | None:
    tree = parse_html(prefix + _MARK_TAG)
    return None if isinstance(tree, Refused) else tree


def _canonicals(head: Head) -> list[str | None]:
    return [link.attributes.get("href") for link in head.links if link.in_head and "canonical" in link.rel]


def _robots(head: Head) -> list[tuple[str, str]]:
    return [(meta.name, meta.content) for meta in head.metas if meta.in_head]


def _with_offsets(head: Head, doc: bytes, end: int) -> list[HeadMeta]:
    """Give each meta its place in `doc[:end]`; -1 where comments or scripts hold such tags as well.

    Until here `offset` is the number of metas in front of it, where all were counted.
    """
    places = [tag.start() for tag in _META.finditer(doc, 0, end)]
    if len(places) == head.meta_count:
        return [meta._replace(offset=places[meta.offset]) for meta in head.metas]
    names = [meta.name.encode() for meta in head.metas]
    places = [at for at in places if _meta_name(doc, at) in names]
    if len(places) != len(names):
        places = [-1] * len(names)
    return [meta._replace(offset=at) for meta, at in zip(head.metas, places, strict=True)]


def _meta_name(doc: bytes, at: int) -> bytes | None:
    name = attribute_value(doc, at + len(b"<meta"), b"name")
    return None if name is None else name.strip().lower()
