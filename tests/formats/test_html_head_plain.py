"""A plain head is read as the parser reads it, and what is not plain is left to it."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from sitemap_audit.formats import html_head_plain
from sitemap_audit.formats.html_guard import parse_html
from sitemap_audit.formats.html_head import _from_head, _is_intact, _with_offsets, head_mark
from sitemap_audit.formats.html_head_plain import read_plain
from sitemap_audit.formats.html_signals import Head, HeadLink
from tests.depth import examples

BOTS = ("googlebot", "chatty")
NAMES = st.sampled_from(
    [
        "rel",
        "href",
        "REL",
        "hreflang",
        "name",
        "content",
        "property",
        "http-equiv",
        "lang",
        "type",
        "x-1",
        "crossorigin",
    ]
)
VALUES = st.sampled_from(
    [
        "canonical",
        "alternate",
        "Alternate ",
        "robots",
        " Robots",
        "chatty",
        "viewport",
        "refresh",
        "de",
        "0;url=/a",
        "noindex, follow",
        "https://a.example/ü?a=1&amp;b=2",
        "a&#111;b",
        "&copy=1",
        "",
        "a>b",
        "a<b",
        "x\r\ny",
        "x\x00y",
        "it's",
        "/a/",
        "=",
        "`",
        "a/b/c/d",
        'say "so"',
    ]
)
SPACE = st.sampled_from([" ", " ", " ", "\n\t", "", "/", " / ", "\r\n", "\x0b"])


@st.composite
def attribute(draw: st.DrawFn) -> str:
    name, value, space = draw(NAMES), draw(VALUES), draw(SPACE)
    form = draw(
        st.sampled_from(
            ['{}="{}"', '{}="{}"', '{}="{}"', "{}='{}'", "{}={}", "{} = '{}'", "{}", '{}="{}', '"{}={}']
        )
    )
    return space + form.format(name, value)


@st.composite
def element(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from(["meta", "link", "LINK", "base", "Meta"]))
    end = draw(st.sampled_from([">", ">", "/>", " />", " >", ""]))
    return f"<{name}{''.join(draw(st.lists(attribute(), max_size=4)))}{end}"


TEXTS = st.lists(
    st.sampled_from(
        [
            "a",
            " & ",
            "&amp;",
            "&ndash;",
            "&#8211;",
            "&#128;",
            "&#xe9;",
            "&notit;",
            "&copy",
            "&x;",
            "&",
            "\r",
            "\x00",
            "\n ",
            "<",
            ">",
            "<b>",
            "</",
            "<!--",
            "-->",
            "--!>",
            "-",
            "<meta",
            "<script>",
            "</script",
            "</title",
            "</style>",
            "ü",
            "</scripts>",
        ]
    ),
    max_size=5,
).map("".join)
HOLDERS = st.sampled_from(
    (
        "<title>|</title> <TITLE lang=de>|</TITLE > <style>|</style> <script async>|</script> <script>|</script/> <!--|--> "
        "<!--[if IE]>|<![endif]--> <title>|</title x>"
    )
    .replace("> <", ">§<")
    .split("§")
)


@st.composite
def holder(draw: st.DrawFn) -> str:
    start, _, end = draw(HOLDERS).partition("|")
    return str(start + draw(TEXTS) + end)


OTHERS = st.sampled_from(
    [
        "",
        " ",
        "\n",
        "\n  ",
        "x",
        "\x0b",
        "\x00",
        "<noscript><p></noscript>",
        "</meta>",
        "</link >",
        "</p>",
        "</br>",
        "<!doctype html>",
        "<html lang=' fr '>",
        "<head>",
        "<template></template>",
        "<img>",
        "<?xml version='1'?>",
        "<!x>",
        "<",
        "</html>",
        "<title/>",
    ]
)
BEGIN = st.sampled_from(
    [
        "",
        "<!DOCTYPE html>\n",
        '<!doctype html><!-- x --><html lang="en">\n<head>\n',
        '<html LANG="a&amp;b"><head x>',
        "<head>",
    ]
)
USUAL = st.sampled_from(
    [
        '<meta charset="utf-8">',
        "<meta charset=utf-8 />",
        '<meta name="viewport" content="a>b">',
        '<meta name="robots" content="noindex">',
        '<meta property="og:title" content="A &amp; B">',
        '<link rel="stylesheet" href="/a.css">',
        '<link rel="icon\' href="x">',
        '<link rel="alternate" hreflang="de" href="/a">',
        '<link rel="canonical" href="https://a.example/x">',
        '<link rel="alternate" hreflang="de" href="/a" />',
        '<link rel="preload" as="font" crossorigin>',
        '<link rel="next" href="/2" rel="canonical">',
        '<link rel="alternate" hreflang="fr" href="/ü">',
        '<meta name="twitter:card" content="x" http-equiv="refresh">',
        '<meta name="description" content="<meta">',
        '<script type="application/ld+json">{"a": "<b>"}</script>',
        '<style media="x">a > b {}</style>',
        "<script src=x></script>",
        "<script type='a'>'<!--'</script>",
        "<script>'<meta name=x>'</script>",
        "<STYLE>x</STYLE>",
        "<script>'</scripts>'</script>",
    ]
)
HEADS = st.tuples(
    BEGIN, st.lists(st.one_of(USUAL, element(), holder(), USUAL, OTHERS), max_size=8).map("".join)
).map("".join)


def of_the_tree(doc: bytes, cut: int) -> Head | None:
    """What html_head reads of a head that is intact; None of another."""
    tree = parse_html(doc[:cut] + head_mark())
    assert isinstance(tree, LexborHTMLParser)
    if not _is_intact(tree):
        return None
    head = _from_head(tree, BOTS)
    head.metas = _with_offsets(head, doc, cut) if head.metas else []
    head.end_offset = cut
    head.meta_count = None
    return head


@settings(max_examples=examples(600), deadline=None)
@given(HEADS)
@example("<title>a</title><html lang=de>")
@example("<html lang=de><html lang=fr class=x>")
@example('<meta name="robots" content="a>b">')
@example("<script><!-- <script> </script> --></script>")
@example('<!-- <meta name="robots"> --><meta name="robots" content="x">')
@example("<!--><title>a</title>-->")
def test_as_the_parser_reads_it(text: str) -> None:
    doc = text.encode() + b"</head><body>"
    cut = len(doc) - len(b"</head><body>")
    head = read_plain(doc, cut, BOTS)
    if head is not None:
        assert head == of_the_tree(doc, cut)


@pytest.mark.parametrize(
    "inside",
    [
        '<meta name="robots" content="noindex"><meta property="og:title" content="A &amp; B">',
        "<title>A &amp; B &ndash; c &#8211; d & e</title>",
        "<script>if (1 < 2) { document.write('<b>x</b>') }</script>",
        '<!-- a --><!--[if IE]><link rel="x"><![endif]--><style>a > b {}</style>',
        "<link rel=canonical href='/a'/><base href=/b/>",
        '<link rel="alternate" hreflang="de" href="/ü?a=1&amp;b=2"></link>',
    ],
)
def test_the_usual_is_plain(inside: str) -> None:
    doc = f'<!doctype html>\n<html lang="en">\n<head>\n{inside}\n'.encode()
    assert read_plain(doc, len(doc), BOTS) is not None


def test_offsets_are_of_bytes() -> None:
    doc = '<title>ü</title><meta name="robots" content="x">'.encode()
    head = read_plain(doc, len(doc), BOTS)
    assert head is not None
    assert [meta.offset for meta in head.metas] == [doc.index(b"<meta")]


def test_each_set_of_bots_has_its_own_metas() -> None:
    doc = b'<meta name="chatty" content="x">'
    with_it, without = read_plain(doc, len(doc), ("chatty",)), read_plain(doc, len(doc), ())
    assert with_it is not None
    assert without is not None
    assert [meta.name for meta in with_it.metas] == ["chatty"]
    assert without.metas == []


def test_what_is_remembered_is_bounded() -> None:
    tags = html_head_plain._tags_for(("bounded",))
    assert tags is not None
    most = html_head_plain._REMEMBERED
    for number in range(most + 10):
        assert tags[f'link href="/{number}" rel="canonical"'].value.attributes["href"] == f"/{number}"
        assert tags.link(f"link {number}", "canonical", f"/{number}") == HeadLink(
            ("canonical",), {"rel": "canonical", "href": f"/{number}"}, True
        )
    assert len(tags) <= most
    assert len(tags.links) <= most
    long = f'link href="/{"x" * html_head_plain._REMEMBERED_CHARS}" rel="canonical"'
    assert tags[long].value.rel == ("canonical",)
    assert tags.link(long, "canonical", "/").rel == ("canonical",)
    assert long not in tags
    assert long not in tags.links


def test_a_bot_whose_name_usually_says_nothing() -> None:
    doc = b'<meta name="description" content="x">'
    assert read_plain(doc, len(doc), ("description",)) is None
