"""Definitions 3 said once more, slowly: node by node, number by number. The fast path must say the same."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from hashlib import blake2b
from typing import Any, NamedTuple

from selectolax.lexbor import LexborHTMLParser

sys.setrecursionlimit(20_000)
NEVER = {"script", "style", "noscript", "template", "svg", "iframe", "button", "select", "dialog"}
FRAME = {"nav", "header", "footer", "aside", "form", "time"}
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
BOILER = re.compile(
    r"(^|[\s_-])(nav|navbar|menu|footer|header|breadcrumb|breadcrumbs|sidebar|cookie|consent|banner|share|social"
    r"|related|recommend\w*|promo|ads?|advert\w*|newsletter|subscribe|comments?|pagination)($|[\s_-])",
    re.IGNORECASE,
)
MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
YEAR = r"(?:19|20)[0-9]{2}"
END = r"(?![0-9a-z_])"
FORMS = [
    (re.compile(form), before and re.compile(before))
    for form, before in (
        (YEAR + r"-[0-9]{2}-[0-9]{2}(?:[t ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:\.[0-9]+)?(?:z|[+-][0-9]{2}:?[0-9]{2})?)?", None),
        (r"[0-9]{1,2}[./][0-9]{1,2}[./](?:19|20)?[0-9]{2}" + END, None),
        (r"[0-9]{1,2} " + MONTH + r"\.?,? " + YEAR + END, None),
        (r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?(?:am|pm|utc|gmt|cet))?" + END, None),
        (r"[0-9]{1,6} (?:second|minute|hour|day|week|month|year)s? ago" + END, None),
        (r"[0-9a-f]{16,}" + END, None),
        (r"[0-9][0-9., ]{0,15} (?:views?|visits?|shares?|likes?|comments?|online)" + END, None),
        (r"[0-9]{1,2},? " + YEAR + END, r"(?<![0-9a-z_])" + MONTH + r"\.? $"),
        (r"[0-9.,]{1,12} ?(?:ms|s|seconds?)" + END, r"(?<![0-9a-z_])(?:page )?generated in $"),
        (YEAR + r"(?: ?[-–] ?" + YEAR + r")?" + END, r"(?:©|\(c\)|copyright) ?$"),
    )
]  # fmt: skip
NUMBER = re.compile(r"(?<![0-9a-z_])(?:[0-9]|[a-f](?=[0-9a-f]{15}))")
NO_WORD = re.compile("[^0-9a-z\u00c0-\U0010ffff]|[\u2000-\u207f\u3000-\u3004\u3008-\u303f\u060c\u061b\u061f]")


class Oracle(NamedTuple):
    main_hash: str
    main_simhash: str
    main_sketch: tuple[int, ...]
    fallback: bool
    template: str
    normal: str
    chars: int


def collapse(text: str) -> str:
    return " ".join(text.split())


def norm(text: str) -> str:
    """The normal form: words parted by single blanks."""
    text = collapse(unicodedata.normalize("NFKC", text).casefold())
    out: list[str] = []
    last, pos = 0, 0 if re.search("[0-9]", text) else len(text)
    while number := NUMBER.search(text, pos):
        at = number.start()
        pos = at + 1
        for form, before in FORMS:
            hit = form.match(text, at)
            lead = before.search(text, max(last, at - 20), at) if hit and before else None
            if hit and (lead or not before):
                out.append(text[last : lead.start() if lead else at])
                last = pos = hit.end()
                break
    return collapse(NO_WORD.sub(" ", " ".join([*out, text[last:]])))


def text_of(node: Any, leave_out: Callable[[Any], bool]) -> str:
    out: list[str] = []

    def walk(element: Any) -> None:
        child = element.first_child
        while child is not None:
            if child.tag == "-text":
                out.append(child.text_content or "")
            elif child.tag[0] not in "-!" and not leave_out(child):
                walk(child)
            child = child.next

    walk(node)
    return " ".join(out)


def main_text(tree: LexborHTMLParser) -> tuple[str, bool]:
    body = tree.body
    if body is None:
        return "", False

    def never(element: Any) -> bool:
        return element.tag in NEVER

    before, pick = text_of(body, never), body
    texts = [(text_of(e, never), e) for e in tree.css("main,[role=main],article")]
    if texts:
        best = max(texts, key=lambda x: len(x[0]))
        if len(best[0].strip()) >= 0.3 * len(before.strip()):
            before, pick = best

    def frame(element: Any) -> bool:
        a = element.attributes
        return (
            element.tag in NEVER
            or (element.tag in FRAME and not (element.tag == "header" and pick.tag == "article"))
            or "hidden" in a
            or a.get("aria-hidden") == "true"
            or (element.tag not in HEADINGS and any(BOILER.search(a.get(k) or "") for k in ("id", "class")))
        )

    left, before = collapse(text_of(pick, frame)), collapse(before)
    if len(left) < 100 and len(left) < 0.3 * len(before):
        return before, True
    return left, False


def template(tree: LexborHTMLParser) -> str:
    lines = []
    found = tree.css_first("main,[role=main],article")
    node: Any = found.parent if found is not None else tree.body
    while node is not None and node.tag[0] not in "-!":
        tags: list[str] = []
        child = node.first_child
        while child is not None:
            if (
                child.tag[0] not in "-!"
                and child.tag not in NEVER | {"link", "meta"}
                and tags[-1:] != [child.tag]
            ):
                tags.append(child.tag)
            child = child.next
        lines.append(node.tag + ":" + " ".join(tags))
        node = node.parent
    return "\n".join(lines)


def h16(data: bytes) -> str:
    return blake2b(data, digest_size=8).hexdigest()


def lanes(word: bytes) -> list[int]:
    digest = blake2b(word, digest_size=24).digest()
    return [int.from_bytes(digest[i : i + 8], "little") for i in (0, 8, 16)]


def simhash(normal: str) -> str:
    w = [lanes(x) for x in normal.encode()[:4096].split()]
    shingles = (
        [a[0] ^ b[1] ^ c[2] for a, b, c in zip(w, w[1:], w[2:], strict=False)]
        if len(w) >= 3
        else [a[0] for a in w]
    )
    value = sum(1 << i for i in range(64) if 2 * sum(x >> i & 1 for x in shingles) > len(shingles))
    return f"{value:016x}"


def sketch(normal: str) -> tuple[int, ...]:
    counters = [0] * 64
    for word in normal.encode().split():
        counters[lanes(word)[0] % 64] += 1
    return tuple(counters)


def oracle(doc: bytes) -> Oracle:
    tree = LexborHTMLParser(doc, scripting=True)
    raw, fallback = main_text(tree)
    t = norm(raw)
    return Oracle(
        h16(t.replace(" ", "").encode()), simhash(t), sketch(t), fallback, template(tree), t, len(raw)
    )
