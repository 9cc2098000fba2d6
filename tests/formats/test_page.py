"""The facade: which answers are read, and how header and document come together."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitemap_audit.facts import Directives, FeedLink, Page, PageState, Refresh
from sitemap_audit.formats.page import PageSignals, read_page
from tests.depth import examples

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
URL = "https://example.com/a/page"
HTML = ("content-type", "text/html; charset=utf-8")


def read(body: str | bytes, *headers: tuple[str, str], status: int = 200, **more: Any) -> PageSignals:
    if isinstance(body, str):
        body = body.encode()
    given: dict[str, Any] = {
        "final_url": URL,
        "status": status,
        "bots": ("googlebot", "*"),
        "now": NOW,
    } | more
    return read_page(body, headers or (HTML,), **given)


def head(inside: str) -> str:
    return f"<!doctype html><html lang=en><head><title>T</title>{inside}</head><body><p>x</p></body></html>"


def test_all_of_a_usual_page() -> None:
    page = read(
        head(
            "<meta name=robots content='noindex, follow'><link rel=canonical href=/c>"
            "<link rel=alternate hreflang=de-at href=/de><link rel=alternate hreflang=xx href=https://other.example/>"
            "<link rel=alternate type='application/rss+xml; charset=utf-8' title=Feed href=/feed>"
            "<meta http-equiv=refresh content='0; url=/c'>"
        ),
        HTML,
        ("date", "Mon, 30 Nov 2026 12:00:00 GMT"),
        ("age", "5"),
        ("last-modified", "Sun, 29 Nov 2026 12:00:00 GMT"),
        ("etag", 'W/"x"'),
        ("cache-control", "max-age=5"),
        ("content-length", "12"),
        ("content-encoding", "gzip"),
        ("retry-after", "7"),
        ("refresh", "9"),
        ("x-robots-tag", "bingbot: noindex"),
        ("x-robots-tag", "nosnippet"),
        ("link", "</c>; rel=canonical"),
        ("link", "</fr>; rel=alternate; hreflang=fr"),
    )
    assert page.content_type == "text/html; charset=utf-8"
    assert (page.sniffed_type, page.charset_http, page.charset_meta, page.charset_used) == (
        "html",
        "utf-8",
        None,
        "utf-8",
    )
    assert page.date_http == NOW
    assert (page.age_s, page.content_length_header, page.retry_after_s) == (5, 12, 7)
    assert page.last_modified_http == datetime(2026, 11, 29, 12, tzinfo=UTC)
    assert (page.etag, page.cache_control, page.content_encoding) == ('W/"x"', "max-age=5", "gzip")
    assert page.x_robots_tag == ("bingbot: noindex", "nosnippet")
    assert page.directives is not None
    assert page.directives["googlebot"] == Directives(noindex=True, nosnippet=True)
    assert page.noindex_sources == ("meta:robots",)
    assert page.directive_issues == ()
    assert (page.canonical, page.canonical_state) == ("https://example.com/c", "other")
    assert (len(page.canonical_html), len(page.canonical_http)) == (1, 1)
    assert [(a.source, a.code, a.code_issue, a.href) for a in page.alternates] == [
        ("html", "de-AT", None, "https://example.com/de"),
        ("html", None, "unknown_language", "https://other.example/"),
        ("http", "fr", None, "https://example.com/fr"),
    ]
    assert page.hreflang_count == 3
    assert page.feed_links == (
        FeedLink(
            type="application/rss+xml",
            title="Feed",
            href_raw="/feed",
            href="https://example.com/feed",
            in_head=True,
        ),
    )
    assert (page.refresh, page.refresh_header) == (Refresh(0.0, "https://example.com/c"), Refresh(9.0, None))
    assert (page.title, page.html_lang, page.base_href) == ("T", "en", None)
    assert [(m.name, m.content, m.offset) for m in page.meta_robots] == [("robots", "noindex, follow", 51)]
    assert (page.head_broken_by, page.head_refused, page.noscript_differs) == (None, None, ())


def test_the_fields_are_those_of_a_page() -> None:
    page = Page(
        url_id="x", url_key=URL, requested_url=URL, discovered_by="sitemap", state=PageState.CHECKED,
        **read(head("<meta name=robots content=none>")).as_page_fields(),
    )  # fmt: skip
    line = orjson.loads(orjson.dumps(page, option=orjson.OPT_UTC_Z))
    assert line["title"] == "T"
    assert line["directives"]["googlebot"]["noindex"] is True
    assert line["directive_issues"] == ["none"]


@pytest.mark.parametrize("status", [204, 206, 301, 404, 410, 500, 503])
def test_other_answers_declare_nothing(status: int) -> None:
    page = read(
        head("<link rel=canonical href=/c>"),
        HTML,
        ("x-robots-tag", "noindex"),
        ("link", "</c>; rel=canonical"),
        status=status,
    )
    assert (page.canonical_state, page.canonical, page.directives, page.title, page.sniffed_type) == (
        None,
    ) * 5
    assert page.x_robots_tag == ("noindex",)
    assert page.link_header == ("</c>; rel=canonical",)


def test_a_pdf_has_only_its_headers() -> None:
    pdf = ("content-type", "application/pdf")
    page = read(
        b"%PDF-1.7 <link rel=canonical href=/x>",
        pdf,
        ("link", "</c>; rel=canonical"),
        ("x-robots-tag", "noindex"),
    )
    assert (page.sniffed_type, page.canonical, page.canonical_state) == (
        "pdf",
        "https://example.com/c",
        "other",
    )
    assert page.directives is not None
    assert page.directives["*"].noindex
    assert page.noindex_sources == ("header",)
    assert read(b"%PDF-1.7", pdf).canonical_state == "none"


@pytest.mark.parametrize(
    ("content_type", "state"),
    [
        ("text/html", "other"),
        ("application/xhtml+xml", "other"),
        ("text/plain", "none"),
        ("application/json", "none"),
        ("nonsense", "other"),
        (None, "other"),
    ],
)
def test_the_header_says_what_is_html_and_the_body_where_it_is_silent(
    content_type: str | None, state: str
) -> None:
    headers = (("server", "x"),) if content_type is None else (("content-type", content_type),)
    assert read(head("<link rel=canonical href=/c>"), *headers).canonical_state == state


def test_a_body_that_is_no_html_whatever_the_header_says() -> None:
    page = read(b"%PDF-1.7 <meta name=robots content=noindex>")
    assert (page.sniffed_type, page.meta_robots, page.canonical_state) == ("pdf", (), "none")
    assert read(b"").sniffed_type == "empty"


@pytest.mark.parametrize(
    ("inside", "issues"),
    [
        ("<meta name=robots content='noindex nofollow'>", ("missing_comma",)),
        (
            "<meta name=robots content=index><meta name=robots content=noindex>",
            ("conflict", "redundant", "split"),
        ),
        ("<meta name=robots content=noindex><meta name=googlebot content=nofollow>", ()),
        ("<meta name=chatbot content=enabled>", ()),
        ("<meta name=slurp content=noydir>", ("obsolete",)),
    ],
)
def test_directive_issues(inside: str, issues: tuple[str, ...]) -> None:
    assert read(head(inside)).directive_issues == issues


def test_a_robots_meta_only_in_the_body() -> None:
    late = "<html><head><title>t</title></head><body><meta name=robots content=noindex></body></html>"
    assert read(late).directive_issues == ("outside_head",)
    both = late.replace("</head>", "<meta name=googlebot content=nofollow></head>")
    assert read(both).directive_issues == ()


def test_the_clock_is_not_remembered() -> None:
    page = head("<meta name=robots content='unavailable_after: 2026-12-01'>")
    assert read(page).noindex_sources == ()
    assert read(page, now=NOW.replace(year=2027)).noindex_sources == ("unavailable_after",)


def test_other_crawlers() -> None:
    page = read(head("<meta name=examplefetcher content=noindex>"), bots=("examplefetcher", "googlebot"))
    assert page.directives is not None
    assert (page.directives["examplefetcher"].noindex, page.directives["googlebot"].noindex) == (True, False)
    assert page.noindex_sources == ("meta:examplefetcher",)


def test_a_noscript_meta_is_marked() -> None:
    (meta,) = read(head("<noscript><meta name=robots content=noindex></noscript>")).meta_robots
    assert (meta.in_noscript, meta.in_head) == (True, True)


def test_typographic_quotes_of_a_feed_link() -> None:
    page = read(head("<link rel=”alternate” type=”application/rss+xml” title=”Feed” href=”/feed.xml”>"))
    assert [(f.quote_ok, f.href, f.type) for f in page.feed_links] == [(False, None, "application/rss+xml")]
    assert page.alternates == ()
    plain = read(
        head(
            "<link rel=alternate type=application/atom+xml href=/a><link rel=alternate type=text/html href=/b>"
        )
    )
    assert [(f.quote_ok, f.href) for f in plain.feed_links] == [(True, "https://example.com/a")]


def test_refresh_against_the_base_and_the_first_that_can_be_read() -> None:
    page = read(
        head("<base href=/b/><meta http-equiv=refresh content=x><meta http-equiv=refresh content='5;url=c'>")
    )
    assert page.refresh == Refresh(5.0, "https://example.com/b/c")
    assert page.base_href == "/b/"
    assert read(head("<meta http-equiv=refresh content=300>")).refresh == Refresh(300.0, None)
    assert read(head("<noscript><meta http-equiv=refresh content='0;url=/x'></noscript>")).refresh is None


def test_encodings() -> None:
    page = read("<meta charset=koi8-r><title>тест</title>".encode("koi8-r"), ("content-type", "text/html"))
    assert (page.title, page.charset_http, page.charset_meta, page.charset_used) == (
        "тест",
        None,
        "koi8-r",
        "koi8-r",
    )
    wrong = read("<title>é</title>".encode("latin1"))
    assert (wrong.decode_errors, wrong.title) == (1, "\ufffd")
    assert read("<title>é</title>".encode()[:-10], truncated=True).decode_errors == 0
    bom = read(b"\xef\xbb\xbf" + head("<meta name=robots content=x>").encode())
    assert (bom.canonical_state, bom.meta_robots[0].offset, bom.title) == ("none", 54, "T")


def test_titles() -> None:
    assert read("<title> a \n b </title>").title == "a b"
    assert read("<title> </title>").title is None
    assert read("<p>x").title is None
    assert len(read(f"<title>{'x' * 2_000}</title>").title or "") == 512


def test_long_values_are_cut() -> None:
    page = read(
        head(f"<link rel=canonical href='data:{'x' * 200_000}'><meta name=robots content='{'x' * 9_000}'>")
    )
    assert len(page.canonical_html[0].href_raw) == len(page.meta_robots[0].content) == 2_048


def test_a_refused_head_is_said_and_nothing_is_claimed() -> None:
    attributes = " ".join(f"a{n}" for n in range(50_000))
    page = read(f"<html><head><meta {attributes}><link rel=canonical href=/c></head><body>")
    assert (page.head_refused, page.canonical_state, page.directives, page.canonical) == (
        "attributes",
        None,
        None,
        None,
    )
    deep = read(
        head("<link rel=canonical href=/c>").replace("<p>", "<meta name=robots content=x>" + "<div>" * 20_000)
    )
    assert (deep.head_refused, deep.canonical_state) == ("depth", "other")


HEADERS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "content-type",
                "link",
                "x-robots-tag",
                "refresh",
                "date",
                "age",
                "retry-after",
                "last-modified",
                "content-length",
            ]
        ),
        st.one_of(
            st.sampled_from(["text/html", "text/html; charset=big5"]),
            st.text(st.characters(max_codepoint=255)),
        ),
    ),
    max_size=6,
)


@settings(max_examples=examples(300), deadline=None)
@given(st.binary(max_size=300), HEADERS, st.sampled_from([200, 200, 200, 301, 404]), st.booleans())
def test_nothing_raises(body: bytes, headers: list[tuple[str, str]], status: int, truncated: bool) -> None:
    page = read_page(
        body, headers, final_url=URL, status=status, bots=("googlebot",), now=NOW, truncated=truncated
    )
    orjson.dumps(page.as_page_fields(), option=orjson.OPT_UTC_Z)
