"""Documents that would cost too much memory or time, and big ones that would not."""

from __future__ import annotations

import resource
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from sitemap_audit.formats.html_depth import OpenElements, walk
from sitemap_audit.formats.html_guard import Refused, parse_html
from sitemap_audit.settings import HTML_PARSE_MAX_BYTES
from tests.depth import examples

FORMATTING = b"<p>" + b"".join(b"<b id=%d>" % n for n in range(500)) + b"</p>" + b"<p>x</p>" * 4_000
BOMBS = {
    "formatting elements opened again": (FORMATTING, Refused.MEMORY),
    "nested": (b"<div>" * 20_000, Refused.DEPTH),
    "closers in comments": (b"<div><!--</div>-->" * 20_000, Refused.DEPTH),
    "closers in scripts": (b"<div><script><!--<script></script></div>--></script>" * 8_000, Refused.DEPTH),
    "closers in CDATA": (b"<div><svg><![CDATA[></svg></div>]]></svg>" * 8_000, Refused.DEPTH),
    "closers out of reach": (b"<span><div></span></div>" * 8_000, Refused.DEPTH),
    "forms": (b"<form><div></form>" * 8_000, Refused.DEPTH),
    "paragraphs in spans": (b"<span><p></span></p>" * 8_000, Refused.DEPTH),
    "list parts": (b"<li><ul></li>" * 8_000, Refused.DEPTH),
    "attributes": (b"<a " + b" ".join(b"a%d" % n for n in range(50_000)) + b">", Refused.ATTRIBUTES),
    "attributes with > in quotes": (
        b"<a " + b"".join(b'a%d=">"' % n for n in range(50_000)) + b">",
        Refused.ATTRIBUTES,
    ),
    "attributes with ' and >": (
        b"<a " + b"".join(b"a%d = '<p>'" % n for n in range(50_000)) + b">",
        Refused.ATTRIBUTES,
    ),
    "attributes behind one > in quotes": (
        b"<p>" * 3_000 + b'<a x=">" ' + b" ".join(b"a%d" % n for n in range(50_000)) + b">",
        Refused.ATTRIBUTES,
    ),
    "a million metas": (b"<meta>" * 349_000, Refused.TAGS),
}


@pytest.mark.parametrize(("doc", "why"), BOMBS.values(), ids=BOMBS)
def test_bombs_are_refused_in_time_and_memory(doc: bytes, why: Refused) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.process_time()
    assert parse_html(doc) is why
    assert time.process_time() - started < 2  # half a second on a quiet machine
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown < HTML_PARSE_MAX_BYTES + 64 * 1024**2
    assert isinstance(parse_html(b"<p>the next one works"), LexborHTMLParser)


def test_the_memory_limit_is_set_back() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    parse_html(FORMATTING)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


@pytest.mark.parametrize(
    "doc",
    [
        b"<p>" * 30_000 + b'<a x="' + b"y" * 19_000 + b'">',
        b"<p>" * 30_000 + b'<img src="data:' + b"y" * 200_000 + b'">',
        b"<script>" + b"if(a<b)c();" * 20_000 + b"</script>",
        b"<ul>" + b"<li><p>x<b>y</b><br>" * 8_000,
        b"<table>" + b"<tr><td>x<td>y" * 8_000,
        b"<p><a name=x>y" * 8_000,
        b"<svg>" + b"<path d='x'/><g><circle /></g>" * 8_000 + b"</svg>",
        b"<select>" + b"<option>x" * 8_000,
        b"<h2>x</h2><form><div>y</div></form><dl><dt>a<dd>b</dl>" * 4_000,
        b"<div><b><i>x</b></i></div>" * 8_000,
    ],
)
def test_big_but_harmless_pages_are_parsed(doc: bytes) -> None:
    assert isinstance(parse_html(doc), LexborHTMLParser)


# --- the depth that is counted --------------------------------------------------------------

NAMES = [
    "div",
    "span",
    "p",
    "li",
    "ul",
    "dd",
    "dt",
    "a",
    "b",
    "i",
    "table",
    "td",
    "tr",
    "tbody",
    "svg",
    "g",
    "title",
    "h1",
    "h2",
    "button",
    "section",
    "script",
    "form",
    "foreignObject",
]
UNITS = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(("<%s>", "<%s>", "<%s>", "</%s>", "</%s>", "<%s/>"))),
    max_size=7,
)


def depth_of(tree: LexborHTMLParser) -> int:
    deepest, todo = 0, [(tree.root, 1)]
    while todo:
        node, depth = todo.pop()
        deepest = max(deepest, depth)
        child: LexborNode | None = None if node is None else node.first_child
        while child is not None:
            todo.append((child, depth + 1))
            child = child.next
    return deepest


@settings(max_examples=examples(200), deadline=None)
@given(UNITS)
@example([("p", "<%s>"), ("b", "<%s>"), ("div", "<%s>"), ("b", "</%s>"), ("p", "</%s>")])
def test_no_tag_soup_nests_deeper_than_it_is_counted(unit: list[tuple[str, str]]) -> None:
    """What grows in the tree with each repetition grows in the count; tables have elements of their own."""
    doc = b"<!doctype html><body>" + "".join(form % name for name, form in unit).encode() * 40
    elements, position, counted = OpenElements(), 0, 0
    while (step := walk(doc, elements, position)) is not None:
        position = step[1]
        counted = max(counted, len(elements))
    tree = parse_html(doc)
    assert isinstance(tree, LexborHTMLParser)
    assert depth_of(tree) <= 3 * counted + 12
