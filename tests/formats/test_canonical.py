"""States of the canonical: each with a case that fires and a near miss."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.formats.canonical import Base, Canonical, document_base, read_canonical, resolve
from sitemap_audit.formats.headers import parse_link
from sitemap_audit.formats.html_head import read_head
from sitemap_audit.formats.html_signals import Head
from sitemap_audit.formats.urls import parse_url

PAGE = "https://example.com/a/page"


def canonical(head: str = "", *links: str, body: str = "") -> Canonical:
    found = read_head(f"<html><head>{head}</head><body>{body}</body></html>".encode())
    assert isinstance(found, Head)
    page = parse_url(PAGE)
    assert page is not None
    values = [value for line in links for value in parse_link(line)]
    return read_canonical(found.links, values, document_base(found.base_href, PAGE), page)


def link(href: str, more: str = "") -> str:
    return f'<link rel="canonical" href="{href}" {more}>'


@pytest.mark.parametrize(
    ("head", "header", "state", "target"),
    [
        ("", "", "none", None),
        ("<link rel=next href=/2>", "", "none", None),
        ("", "https://example.com/x; rel=canonical", "none", None),
        (link("/a/page"), "", "self", PAGE),
        (link("https://EXAMPLE.com:443/a/%70age#x"), "", "self", "https://example.com/a/%70age"),
        (link("/a/page/"), "", "other", "https://example.com/a/page/"),
        (link("http://example.com/a/page"), "", "other", "http://example.com/a/page"),
        (link("/b") + link("https://example.com/b"), "", "other", "https://example.com/b"),
        (link("/b") + link("/c"), "", "conflict", None),
        (link("/b"), "</b>; rel=canonical", "other", "https://example.com/b"),
        (link("/b"), "</c>; rel=canonical", "conflict", None),
        ("", "</b>; rel=canonical, </c>; rel=canonical", "conflict", None),
        (link(""), "", "invalid", None),
        (link("   "), "", "invalid", None),
        ("<link rel=canonical>", "", "invalid", None),
        (link("javascript:x()"), "", "invalid", None),
        (link("https://"), "", "invalid", None),
        (link("") + link("/b"), "", "other", "https://example.com/b"),
        (link("/b", "media=print"), "", "ignored", None),
        (link("/b", "lang"), "", "ignored", None),
        (link("/b", "media=print") + link("/c"), "", "other", "https://example.com/c"),
        (link("/b", "media=print") + link(""), "", "invalid", None),
        (link("/b", "title=x crossorigin"), "", "other", "https://example.com/b"),
        ("<p>" + link("/b"), "", "ignored", None),
        ("<p>" + link("/b"), "</c>; rel=canonical", "other", "https://example.com/c"),
        ("", "</b>; rel=canonical; anchor=/x", "ignored", None),
        ("", "</b>; rel=canonical; type=text/html", "ignored", None),
        ("", "<>; rel=canonical", "invalid", None),
    ],
)
def test_state(head: str, header: str, state: str, target: str | None) -> None:
    found = canonical(head, header)
    assert (found.state, found.target) == (state, target)


def test_what_is_kept_of_each() -> None:
    found = canonical(
        "<base href='/base/'>" + link("x", "lang=de media=m") + link("y"),
        "<z>; rel=canonical",
        body=link("/w"),
    )
    assert [(c.href_raw, c.href, c.in_head, c.base_used, c.attrs, c.used) for c in found.html] == [
        ("x", "https://example.com/base/x", True, True, ("lang", "media"), False),
        ("y", "https://example.com/base/y", True, True, (), True),
        ("/w", "https://example.com/w", False, True, (), False),
    ]
    assert [(c.href_raw, c.href, c.params, c.used) for c in found.http] == [
        ("z", "https://example.com/a/z", (), True)
    ]
    assert found.state == "conflict"


def test_base_has_no_part_in_absolute_links() -> None:
    (found,) = canonical("<base href='https://other.example/'>" + link("https://example.com/x")).html
    assert not found.base_used


@pytest.mark.parametrize(
    ("href", "base"),
    [
        (None, Base(PAGE, False)),
        ("/de/", Base("https://example.com/de/", True)),
        ("", Base(PAGE, True)),
        ("https://", Base(PAGE, False)),
        ("javascript:x", Base(PAGE, False)),
        ("data:text/plain,x", Base(PAGE, False)),
        ("file:///C:/site/", Base(None, True)),
    ],
)
def test_base(href: str | None, base: Base) -> None:
    assert document_base(href, PAGE) == base


def test_under_a_base_of_file_only_absolute_links_work() -> None:
    assert canonical("<base href='file:///C:/'>" + link("/x")).state == "invalid"
    assert canonical("<base href='file:///C:/'>" + link("https://example.com/x")).state == "other"
    assert canonical("<base href='file:///C:/'>", "</x>; rel=canonical").target == "https://example.com/x"


def test_empty_links_mean_nothing() -> None:
    assert resolve("", PAGE) is None
    assert resolve(" \n", PAGE) is None
    assert resolve(None, PAGE) is None
    assert resolve("#x", PAGE) == parse_url(PAGE)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_values(href: str, base: str) -> None:
    page = parse_url(PAGE)
    assert page is not None
    text = f"<base href='{base}'><link rel=canonical href='{href}'>".encode("utf-8", "replace")
    head = read_head(text)
    assert isinstance(head, Head)
    found = read_canonical(head.links, parse_link(href), document_base(head.base_href, PAGE), page)
    assert (found.target is not None) == (found.state in ("self", "other"))
