"""The head of a page: what counts as in it, that the short way gives what the long one does, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from sitemap_audit.formats.html_guard import Refused, parse_html
from sitemap_audit.formats.html_head import _from_all, read_head
from sitemap_audit.formats.html_head_end import head_end
from sitemap_audit.formats.html_signals import Head
from tests.depth import examples

CANONICAL = b"<link rel=canonical href=/c>"
NOINDEX = b"<meta name=robots content=noindex>"


def read(doc: bytes) -> Head:
    head = read_head(doc)
    assert isinstance(head, Head)
    return head


def head_of(inside: bytes, body: bytes = b"<p>x</p>") -> Head:
    return read(b"<!doctype html><html><head>" + inside + b"</head><body>" + body + b"</body></html>")


def in_head(head: Head) -> list[bool]:
    return [link.in_head for link in head.links]


# --- what is read ---------------------------------------------------------------------------


def test_all_signals_of_a_usual_head() -> None:
    head = read(
        b'<!doctype html><html lang=" de "><head><meta charset=utf-8><title> A &amp;\n B </title><base href="/x/">'
        b'<meta name=" Robots " content="noindex"><meta name=viewport content=x><link rel=stylesheet href=s>'
        b'<link rel="Canonical" href=/c><link rel=alternate hreflang=de href=/d><meta http-equiv=Refresh content="5">'
        b"</head><body><p>x</body></html>"
    )
    assert [(m.name, m.content, m.in_head) for m in head.metas] == [("robots", "noindex", True)]
    assert [link.rel for link in head.links] == [("canonical",), ("alternate",)]
    assert (head.title, head.html_lang, head.base_href, head.refreshes) == ("A & B", "de", "/x/", ["5"])
    assert (head.broken_by, head.whole, head.refused, head.noscript_differs) == (None, False, None, ())


def test_nothing_there() -> None:
    head = read(b"")
    assert (head.metas, head.links, head.title, head.html_lang, head.broken_by) == ([], [], None, None, None)


@pytest.mark.parametrize(
    "inside",
    [
        b"<script>1</script><style>a{}</style><meta charset=utf-8><template><p></p></template>",
        b"<noscript><img src=x></noscript>",
        b"<script>var a = '</head><body>'</script>",
        b"<!-- </head> -->",
        b"<title></head></title>",
        b"</p></div>",
        b"<script><!-- <script> </script> --></script>",
        b"<meta content='</head>'>",
    ],
)
def test_these_do_not_close_the_head(inside: bytes) -> None:
    head = head_of(inside + CANONICAL)
    assert in_head(head) == [True]
    assert head.broken_by is None


@pytest.mark.parametrize(
    ("inside", "by"),
    [
        (b"<img src=x>", "img"),
        (b"<div></div>", "div"),
        (b"<iframe></iframe>", "iframe"),
        (b"some text", "#text"),
        (b"</br>", "br"),
        (b"<svg><title>s</title></svg>", "svg"),
        (b"<x-widget>", "x-widget"),
        (b"<!-- <img> --><noscript><img></noscript><template><img></template><p>", "p"),
    ],
)
def test_these_close_the_head_early(inside: bytes, by: str) -> None:
    head = head_of(b"<title>t</title>" + inside + CANONICAL)
    assert in_head(head) == [False]
    assert head.broken_by == by
    assert head.end_offset == b"<!doctype html><html><head><title>t</title>".__len__() + inside.index(
        b"<p" if by == "p" else inside[:1]
    )


def test_a_head_without_tags_ends_where_html_lets_it() -> None:
    head = read(b"<title>t</title>" + CANONICAL + b"<p>x")
    assert (head.broken_by, in_head(head), head.title) == (None, [True], "t")
    late = read(b"<title>t</title><div></div>" + CANONICAL)
    assert (late.broken_by, in_head(late)) == ("div", [False])


def test_where_the_head_ends() -> None:
    doc = b"<html><head><title>t</title></head><body>"
    assert read(doc).end_offset == doc.index(b"</head>")
    assert head_end(doc) == (doc.index(b"</head>"), None)
    assert head_end(b"<title>never closed") == (19, None)
    assert head_end(b"<meta name=x") == (12, None)
    assert head_end(b"<frameset>") == (0, None)


@pytest.mark.parametrize(
    "hidden",
    [
        b"<!-- %s -->",
        b"<script>'%s'</script>",
        b"<style>%s</style>",
        b"<title>%s</title>",
        b"<template>%s</template>",
        b"<textarea>%s</textarea>",
        b"<iframe srcdoc='%s'></iframe>",
    ],
)
def test_no_tag_in_there(hidden: bytes) -> None:
    for page in (head_of(hidden % NOINDEX), head_of(b"", hidden % NOINDEX)):
        assert page.metas == []


def test_body_metas_count_and_say_so() -> None:
    assert [m.in_head for m in head_of(b"", NOINDEX).metas] == [False]
    assert [m.in_head for m in read(b"<html><body><p>x</p></body></html>" + NOINDEX).metas] == [False]


def test_links_and_titles_of_svg_are_others() -> None:
    head = head_of(
        b"", b"<svg><title>s</title><link rel=canonical href=/s><base href=/s/></svg><title>late</title>"
    )
    assert (head.links, head.base_href, head.title) == ([], None, "late")
    inner = head_of(b"", b"<svg><foreignObject><link rel=canonical href=/s></foreignObject></svg>")
    assert in_head(inner) == [False]


def test_names_of_crawlers() -> None:
    names = ["robots", "googlebot-news", "yandex", "description", "robots.note", "viewport", "chatty"]
    head = head_of(b"".join(b"<meta name=%s content=x>" % name.encode() for name in names))
    assert [m.name for m in head.metas] == ["robots", "googlebot-news", "yandex"]
    other = read_head(b"<meta name=Chatty content=x>", bots=("chatty",))
    assert isinstance(other, Head)
    assert [m.name for m in other.metas] == ["chatty"]


def test_doubled_attributes_the_first_counts() -> None:
    (meta,) = head_of(b"<meta name=robots content=noindex content=index name=googlebot>").metas
    assert (meta.name, meta.content) == ("robots", "noindex")


# --- noscript -------------------------------------------------------------------------------


def test_a_meta_in_a_noscript_of_the_head_counts() -> None:
    head = head_of(b"<noscript>" + NOINDEX + b"</noscript>")
    assert [(m.content, m.in_head, m.in_noscript) for m in head.metas] == [("noindex", True, True)]
    assert head.noscript_differs == ()
    assert head_of(b"", b"<noscript>" + NOINDEX + b"</noscript>").metas == []


def test_an_image_in_a_noscript_closes_the_head_for_some() -> None:
    head = head_of(b"<noscript><img src=x></noscript>" + CANONICAL + NOINDEX)
    assert in_head(head) == [True]
    assert head.noscript_differs == ("canonical", "robots", "head_end")
    harmless = head_of(b"<noscript><style>a{}</style></noscript>" + CANONICAL + NOINDEX)
    assert harmless.noscript_differs == ()


def test_noscript_where_the_whole_page_is_read() -> None:
    head = head_of(b"<noscript><img></noscript>" + CANONICAL, NOINDEX)
    assert head.whole
    assert head.noscript_differs == ("canonical", "head_end")
    assert [m.in_noscript for m in head.metas] == [False]


# --- places ---------------------------------------------------------------------------------


def test_offsets_of_metas() -> None:
    doc = b"<html><head><!-- x --><meta name=a>" + NOINDEX + b"<meta content=y name='GoogleBot'></head><body>"
    assert [m.offset for m in read(doc).metas] == [doc.index(NOINDEX), doc.index(b"<meta content")]
    body = b"<html><head></head><body><meta name=a>" + NOINDEX
    assert [m.offset for m in read(body).metas] == [body.index(NOINDEX)]
    broken = b"<html><head><img>" + NOINDEX + b"</head>"
    assert [m.offset for m in read(broken).metas] == [broken.index(NOINDEX)]


def test_no_offset_where_a_comment_holds_such_a_tag() -> None:
    assert [m.offset for m in head_of(b"<!--" + NOINDEX + b"-->" + NOINDEX).metas] == [-1]


# --- the short way --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "whole"),
    [
        (b"<p>x</p><svg><line x=1 /><metadata></metadata></svg>", False),
        (b"<meta itemprop=price content=1>", False),
        (b"<meta property=og:x content=1>", False),
        (b"<link itemprop=url href=/x><link rel=stylesheet href=/x>", False),
        (b"<link rel=next href=/2>", False),
        (b"<link rel='can&#111;nical' href=/2>", True),
        (b"<link rel=alternate href=/2>", True),
        (b"<meta name=x content=y>", True),
        (b"<meta http-equiv=refresh content=0>", True),
        (b"<base href=/>", True),
        (b"<html lang=x>", True),
    ],
)
def test_the_whole_page_is_parsed_only_where_it_could_matter(body: bytes, whole: bool) -> None:
    assert head_of(b"<title>t</title>", body).whole is whole


PIECES = [
    *(
        b"<html>|<html lang=a>|<head>|</head>|</head >|<body>|<body class=x>|</body>|</html>|<p>|</p>|<div>|</div>"
    ).split(b"|"),
    *(
        b"<title>|</title>|<title>t</title>|<svg>|</svg>|<math>|<mi>|<template>|</template>|<table>|<td>|<select>"
    ).split(b"|"),
    *(
        b"<script>|</script>|<style>|</style>|<textarea>|</textarea>|<noscript>|</noscript>|<iframe>|</iframe>"
    ).split(b"|"),
    *(
        b"<!--|-->|<!|<?x|</|<|>|\"|'|=| |\n|x|&amp;|\0|\xc3\xa4|<a href=\"|<a title='|/>|<frameset>|</br>"
    ).split(b"|"),
    *(b"<META NAME=robots CONTENT=noindex>|<meta name=googlebot content='x'>|<meta itemprop=a>|<meta").split(
        b"|"
    ),
    *(
        b"<link rel=canonical href=/a>|<LINK REL='alternate' hreflang=de href=/b>|<link rel=x>|<link itemprop=y>"
    ).split(b"|"),
    *(
        b"<base href=/x>|<base>|<meta http-equiv=refresh content='0;url=/'>|<link rel=\"|<br>|<img>|text|<!-- c -->"
    ).split(b"|"),
]
MESSY = st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join)


def signals(head: Head) -> tuple[object, ...]:
    metas = [m[:3] for m in head.metas if not m.in_noscript]
    return metas, head.links, head.refreshes, head.base_href, head.title, head.html_lang


def whole(doc: bytes) -> Head:
    tree = parse_html(doc)
    assert isinstance(tree, LexborHTMLParser)
    return _from_all(tree, ())


@settings(max_examples=examples(600), deadline=None)
@given(MESSY)
@example(b"<head><select><title></head></select><title>x")
@example(b"<head><svg><title>s</title></head><body><title>x")
@example(b"<head></head><link rel=canonical href=/x><body>")
@example(b"<table><head></head><base href=/y>")
def test_the_short_way_is_the_long_way(doc: bytes) -> None:
    assert signals(read(doc)) == signals(whole(doc))


@settings(max_examples=examples(250), deadline=None)
@given(st.binary(max_size=400))
def test_no_bytes_raise(doc: bytes) -> None:
    assert signals(read(doc.decode("utf-8", "replace").encode())) is not None


@settings(max_examples=examples(250), deadline=None)
@given(MESSY)
def test_up_to_the_end_of_the_head_nothing_is_in_the_body(doc: bytes) -> None:
    end, _ = head_end(doc)
    tree = LexborHTMLParser(doc[:end], scripting=True)
    assert tree.body is None or tree.body.first_child is None


# --- what is refused ---------------------------------------------------------------------------


def test_head_signals_survive_a_body_that_is_refused() -> None:
    head = head_of(CANONICAL, NOINDEX + b"<div>" * 20_000)
    assert (head.refused, in_head(head), head.whole) == (Refused.DEPTH, [True], False)
    short = head_of(CANONICAL, b"<div>" * 20_000)
    assert (short.refused, in_head(short)) == (None, [True])
    formatting = b"<p>" + b"".join(b"<b id=%d>" % n for n in range(500)) + b"</p>" + b"<p>x</p>" * 4_000
    whole_page = read(b"<title>t</title>" + formatting)
    assert (whole_page.refused, whole_page.title) == (Refused.MEMORY, "t")


def test_a_head_that_is_refused() -> None:
    attributes = b"<meta " + b" ".join(b"a%d" % n for n in range(50_000)) + b">"
    assert read_head(b"<head>" + attributes + b"</head><body>") is Refused.ATTRIBUTES


def test_too_many_signals_are_cut_and_said() -> None:
    head = head_of(NOINDEX * 1_500 + CANONICAL * 1_500)
    assert (len(head.metas), len(head.links), head.refused) == (1_000, 1_000, Refused.TAGS)
