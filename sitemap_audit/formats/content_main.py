"""The main text of a page (definitions 3), and what else one walk over its tree finds.

The tree is taken apart on the way: what is never text is unhooked, then what frames the main element, so
that the parser's own code can put the text together. A tree that was read here is of no other use.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

_NEVER: Final = ("script", "style", "noscript", "template", "svg", "iframe", "button", "select", "dialog")
_FRAME: Final = ("nav", "header", "footer", "aside", "form", "time")
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_MAIN: Final = "main,[role=main],article"
_NAMED: Final = "[role=main]"
_MARKED: Final = ":is([class],[id],[hidden],[aria-hidden])"
_BOILERPLATE: Final = re.compile(
    r"(^|[\s_-])(nav|navbar|menu|footer|header|breadcrumb|breadcrumbs|sidebar|cookie|consent|banner|share|social"
    r"|related|recommend\w*|promo|ads?|advert\w*|newsletter|subscribe|comments?|pagination)($|[\s_-])",
    re.IGNORECASE,
)
_NAME_CHARS: Final = 200
_NAMES_KEPT: Final = 10_000
_SHARE: Final = 0.3
"""Of the body's text that a main element has at least, and of its own text that is left without its frame."""
_FEW_CHARS: Final = 100
_PLENTY_CHARS: Final = 1_000


def _tag_id(tag: str) -> int:
    """The parser's number of a tag: comparing it costs a fourth of comparing names."""
    node = LexborHTMLParser(f"<body><{tag}></{tag}>", scripting=True).css_first(tag)
    assert node is not None
    return node.tag_id


_SCRIPTS, _HIDDEN, _FRAMES, _TIMES, _MAINS, _H1S, _METAS = range(7)
_KINDS: Final = {
    **{_tag_id(tag): _HIDDEN for tag in _NEVER},
    **{_tag_id(tag): _FRAMES for tag in _FRAME},
    _tag_id("script"): _SCRIPTS,
    _tag_id("time"): _TIMES,
    _tag_id("main"): _MAINS,
    _tag_id("article"): _MAINS,
    _tag_id("h1"): _H1S,
    _tag_id("meta"): _METAS,
}
_OF_HEADINGS: Final = frozenset(map(_tag_id, _HEADINGS))
_HEADER: Final = _tag_id("header")
_IFRAME: Final = _tag_id("iframe")
_ARTICLE: Final = _tag_id("article")
_LINKS: Final = frozenset((_tag_id("a"), _tag_id("area")))
_MEDIA: Final = frozenset(map(_tag_id, ("img", "picture", "video", "audio", "canvas")))
_NOT_OF_TEMPLATE: Final = frozenset((*_NEVER, "link", "meta"))


class _FrameNames(dict[str | None, bool]):
    """Value of a class or id → does it name a part of the frame? Pages of a site share most of them."""

    def __missing__(self, name: str | None) -> bool:
        frame = bool(name) and _BOILERPLATE.search(name or "") is not None
        if len(name or "") <= _NAME_CHARS:
            if len(self) >= _NAMES_KEPT:
                self.clear()
            self[name] = frame
        return frame


_frame_names: Final = _FrameNames()


class Walked(NamedTuple):
    """What one walk found; nodes in the order of the document.

    `text`: the main text with its white space. `fallback`: as definitions 3. `visible`: the text of the
    whole body; None where the main text alone is long. `links` and `media`: of the main text's part.
    """

    text: str
    fallback: bool
    visible: str | None
    links: list[LexborNode]
    media: int
    template: str
    scripts: list[LexborNode]
    metas: list[LexborNode]
    times: list[LexborNode]
    headings: list[LexborNode]


def walk(tree: LexborHTMLParser, size: int, *, framed: bool = False) -> Walked | None:
    """Read the tree of a document of `size` bytes, and take it apart. None: it has no body (a frameset).

    `framed`: leave the frame in, for the links of a page whose main text is fallback text.
    """
    root, body = tree.root, tree.body
    if root is None or body is None:
        return None
    found: list[list[LexborNode]] = [[] for _ in range(7)]
    kinds = _KINDS.get
    for node in root.traverse():
        kind = kinds(node.tag_id)
        if kind is not None:
            found[kind].append(node)
    mains = found[_MAINS]
    if any(_KINDS.get(node.tag_id) != _MAINS for node in tree.css(_NAMED)):
        mains = tree.css(_MAIN)  # those with two of the marks come twice
    template = _template(mains[0].parent if mains else body)
    embedded = _unhook_never(found)
    chosen, before, visible = _choose(mains, body, size)
    left, fallback = before, False
    if not framed and _unhook_frame(found, chosen):
        left = chosen.text(separator=" ")
        if _chars(left[:_PLENTY_CHARS]) < _FEW_CHARS:
            fallback = _chars(left) < min(_FEW_CHARS, _SHARE * _chars(before))
    links, media = _links_and_media(chosen, embedded)
    return Walked(
        before if fallback else left,
        fallback,
        visible,
        links,
        media,
        template,
        found[_SCRIPTS],
        found[_METAS],
        found[_TIMES],
        found[_H1S],
    )


def _chars(text: str) -> int:
    return len(" ".join(text.split()))


def _unhook_never(found: Sequence[list[LexborNode]]) -> set[int]:
    """Take out what is never text; the parents of iframes, by memory id, once for each of them."""
    parents: set[int] = set()
    for node in found[_HIDDEN]:
        if node.tag_id == _IFRAME and node.parent is not None:
            parents.add(node.parent.mem_id)
        node.decompose(recursive=False)
    for node in found[_SCRIPTS]:
        node.decompose(recursive=False)
    return parents


def _choose(mains: Sequence[LexborNode], body: LexborNode, size: int) -> tuple[LexborNode, str, str | None]:
    """The element that holds the main text, its text, and that of the body where it was needed.

    An element inside another one of the kind never has the longer text: only outermost ones are looked at.
    """
    best: LexborNode | None = None
    best_text = ""
    inside: set[int] = set()
    for node in mains:
        if len(mains) > 1:
            if node.mem_id in inside:
                continue
            inside.update(inner.mem_id for inner in node.css(_MAIN))
        text = node.text(separator=" ")
        if best is None or len(text) > len(best_text):
            best, best_text = node, text
    if best is not None:
        chars = len(best_text.strip())
        if chars >= _PLENTY_CHARS and chars >= _SHARE * size:
            return best, best_text, None  # no text is longer than the document that it stands in
        visible = body.text(separator=" ")
        if chars >= _SHARE * len(visible.strip()):
            return best, best_text, visible
        return body, visible, visible
    visible = body.text(separator=" ")
    return body, visible, visible


def _unhook_frame(found: Sequence[list[LexborNode]], chosen: LexborNode) -> bool:
    """Take out what frames the text of an element. False: there was nothing."""
    own, keeps_header = chosen.mem_id, chosen.tag_id == _ARTICLE
    out = [node for node in found[_FRAMES] if not (keeps_header and node.tag_id == _HEADER)] + found[_TIMES]
    for node in out:
        if node.mem_id != own:
            node.decompose(recursive=False)
    frame = _frame_names
    for node in chosen.css(_MARKED):
        attributes = node.attributes
        if (
            (
                (frame[attributes.get("class")] or frame[attributes.get("id")])
                and node.tag_id not in _OF_HEADINGS
            )
            or "hidden" in attributes
            or attributes.get("aria-hidden") == "true"
        ) and node.mem_id != own:
            node.decompose(recursive=False)
            out.append(node)
    return bool(out)


def _links_and_media(chosen: LexborNode, embedded: set[int]) -> tuple[list[LexborNode], int]:
    links: list[LexborNode] = []
    media = 0
    for node in chosen.traverse():
        tag = node.tag_id
        if tag in _LINKS:
            links.append(node)
        elif tag in _MEDIA:
            media += 1
        if embedded and node.mem_id in embedded:
            media += 1
    return links, media


def _template(node: LexborNode | None) -> str:
    """The frame round the main element: the element children of each ancestor, inside out."""
    lines: list[str] = []
    while node is not None and (name := node.tag or "-")[0] not in "-!":
        tags: list[str] = []
        for child in node.iter():
            tag = child.tag or "-"
            if tag not in _NOT_OF_TEMPLATE and tag[0] not in "-!" and tags[-1:] != [tag]:
                tags.append(tag)
        lines.append(f"{name}:{' '.join(tags)}")
        node = node.parent
    return "\n".join(lines)
