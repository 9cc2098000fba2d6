"""What the content says beside its fingerprint: soft 404 points, structured data, links, shells, bot walls."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitemap_audit.facts import PageDates, Soft404Points
from sitemap_audit.formats.content import Content, read_content
from sitemap_audit.formats.content_links import _key, without_tracking
from sitemap_audit.formats.content_soft404 import own_points
from sitemap_audit.formats.content_wall import wall_of
from sitemap_audit.formats.urls import parse_url

URL = "https://example.com/p/1?q=1"
TEXT = "A plain sentence about wool hats and how they are made. " * 8


def read(doc: str, **more: Any) -> Content:
    return read_content(doc.encode(), **({"path": "/p/1", "final_url": URL} | more))


def jsonld(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


# --- soft 404 (definitions 2) ------------------------------------------------------------------


def points(**given: Any) -> Soft404Points:
    start = given.pop("main", "word " * 60)
    usual: dict[str, Any] = {
        "path": "/p/1", "title": "Shop", "h1": "", "body_names": (), "canonical": "", "links": 9, "thing": False,
    }  # fmt: skip
    collapsed = " ".join(start.split())
    return own_points(**(usual | {"start": collapsed[:600], "chars": len(collapsed)} | given))


@pytest.mark.parametrize(
    ("given", "sum_", "reasons"),
    [
        ({}, 0, ()),
        (
            {"title": "Page not found - Shop", "h1": "Page not found", "main": "Page not found. Sorry, we cannot find it."},
            1.1,
            ("error-title", "error-phrase-near-top", "nearly-empty"),
        ),
        (
            {"title": "Nie znaleziono strony", "h1": "Błąd 404", "main": "Strona nie istnieje."},
            1.1,
            ("error-title", "error-phrase-near-top", "nearly-empty"),
        ),
        ({"title": "HTTP 404: error"}, 0.5, ("error-title",)),
        ({"title": "Room 404"}, 0, ()),
        ({"title": "Room 14041, error"}, 0, ()),
        ({"title": "Seite nicht gefunden"}, 0.5, ("error-title",)),
        ({"title": "ページが見つかりません"}, 0.5, ("error-title",)),
        ({"path": "/blog/design-404-page", "title": "Page not found"}, 0.25, ("error-title",)),
        ({"title": "Page not found " + "x" * 160}, 0, ()),
        ({"body_names": ("page error-404",)}, 0.5, ("error-marker",)),
        ({"body_names": ("home terror-404s",)}, 0, ()),
        ({"canonical": "https://example.com/404.html"}, 0.5, ("error-marker",)),
        ({"canonical": "https://example.com/404-ways"}, 0, ()),
        ({"main": "No products found " + "x " * 150, "links": 2}, 0.4, ("empty-list",)),
        ({"main": "No products found " + "x " * 150, "links": 3}, 0, ()),
        ({"main": "Things NOT FOUND can be reported here " + "text " * 60}, 0.3, ("error-phrase-near-top",)),
        ({"main": "Things not found can be reported here " + "text " * 200}, 0, ()),
        ({"main": "x" * 99}, 0.3, ("nearly-empty",)),
        ({"main": "x" * 249}, 0.15, ("short",)),
        ({"main": "x" * 99, "thing": True}, 0, ("nearly-empty", "has-entity-structured-data")),
    ],
)  # fmt: skip
def test_points_of_one_page(given: dict[str, Any], sum_: float, reasons: tuple[str, ...]) -> None:
    assert points(**given) == Soft404Points(sum_, reasons)


def test_an_error_page_read_as_a_whole() -> None:
    found = read(
        "<body class=error404><main><h1>Oops</h1><p>Sorry, we cannot find it.</p></main>", title="Shop"
    )
    assert found.soft404_points == Soft404Points(
        1.1, ("error-marker", "error-phrase-near-top", "nearly-empty")
    )
    marked = read("<body class='x not-found'><main><h1>Oops</h1></main>", title="Error 404")
    assert marked.soft404_points == Soft404Points(1.3, ("error-title", "error-marker", "nearly-empty"))
    assert read("<p>x", is_html=False).soft404_points is None


# --- structured data, dates, words for search results -----------------------------------------


def test_json_ld_in_any_order_is_the_same_data_and_volatile_keys_are_none() -> None:
    one = read(
        jsonld('{"@type": "Product", "name": "Hat", "offers": {"price": 5, "priceValidUntil": "2026-01-01"}}')
    )
    two = read(
        jsonld(
            '{"offers":{"priceValidUntil":"2027-01-01","price":5},"name":"Hat","@type":"Product","dateModified":"2026-02-02"}'
        )
    )
    dearer = read(jsonld('{"@type": "Product", "name": "Hat", "offers": {"price": 6}}'))
    assert one.sd_hash == two.sd_hash != dearer.sd_hash
    assert read("<p>x").sd_hash is None
    assert one.sd_types == ("Product",)


@pytest.mark.parametrize(
    ("text", "types", "thing"),
    [
        ('{"@type":"Product","brand":{"@type":"Brand"}}', ("Product", "Brand"), True),
        (
            '{"@graph":[{"@type":"WebSite"},{"@type":["Article","NewsArticle"]}]}',
            ("WebSite", "Article", "NewsArticle"),
            True,
        ),
        ('[{"@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem"}]}]', ("BreadcrumbList", "ListItem"), False),
        ('{"@type":"ItemList","itemListElement":[{"@type":"Product"}]}', ("ItemList", "Product"), False),
        ('{"@type":"https://schema.org/Recipe"}', ("Recipe",), True),
        ('{"@type":"WebPage","mainEntity":{"@type":"Event"}}', ("WebPage", "Event"), True),
        ('{"@type":"Article","name":"a\nb"}', ("Article",), True),
        ("{not json", (), False),
        ("null", (), False),
        ("[" * 5_000, (), False),
    ],
)  # fmt: skip
def test_types_of_json_ld(text: str, types: tuple[str, ...], thing: bool) -> None:
    found = read(jsonld(text) + "<p>x")
    assert found.sd_types == types
    assert found.sd_hash is not None
    assert found.soft404_points is not None
    assert ("has-entity-structured-data" in found.soft404_points.reasons) == thing


def day(number: int, hour: int = 0) -> datetime:
    return datetime(2026, 5, number, hour, tzinfo=UTC)


def test_dates_of_a_page() -> None:
    found = read(
        "<meta property=article:modified_time content=2026-05-03T10:00:00Z><meta property=og:updated_time content=2026-05-09>"
        "<meta property='article:published_time' content='2026-05-04'>"
        + jsonld(
            '{"@type":"Article","dateModified":"2026-05-01","author":{"dateModified":"2026-05-20"},"datePublished":"x"}'
        )
        + "<time datetime='2026-05-05'>a</time><time>b</time><time datetime='2026-05-05'></time><time datetime=PT5M></time>"
    )
    assert found.page_dates == PageDates(
        jsonld_modified=day(1), og_modified=day(3, 10), og_published=day(4), visible=(day(5),)
    )
    assert read("<p>no date").page_dates is None


def test_heading_description_and_counts() -> None:
    found = read(
        "<meta name=Description content=' What \n it is '><meta name=description content=second><h1> </h1><h1>A <b>title</b></h1>"
        "<main><p>text</p><img><picture><img></picture><iframe></iframe><div><iframe></iframe></div></main><script></script>"
        "<nav><img></nav>"
    )
    assert (found.meta_description, found.h1) == ("What it is", "A title")
    assert (found.media_in_main, found.script_count) == (5, 1)


# --- links -----------------------------------------------------------------------------------


def test_links_of_the_main_text() -> None:
    one = read(
        "<nav><a href=/menu>m</a></nav><main><a href=/b>b</a><a href='/a?utm_source=x'>a</a><a href=#top>t</a>"
        f"<a href='mailto:x@y'>m</a><a>none</a>{TEXT}</main>"
    )
    two = read(
        f"<main>{TEXT}<a href=https://example.com:443/a#x>a</a><map><area href=b></map><a href=/b>again</a></main>",
        base_href="/",
    )
    assert (one.out_links, two.out_links) == (2, 3)
    assert one.links_hash == two.links_hash != read(f"<main>{TEXT}<a href=/c>c</a></main>").links_hash


def test_links_of_fallback_text_are_those_of_the_frame() -> None:
    found = read(f"<div class=menu>{TEXT}<a href=/a>a</a></div>")
    assert (found.main_fallback, found.out_links) == (True, 1)


@given(st.text(alphabet="/ab.~%_-:?#2e\\ ", max_size=12).map(lambda path: "/" + path))
@example("/a/..b/./c")
@example("//host/a")
def test_a_plain_path_is_its_own_key(href: str) -> None:
    found = _key(href, "https://example.com/x/y", "https://example.com")
    url = parse_url(href, "https://example.com/x/y")
    assert found == (None if url is None else url.key)


@pytest.mark.parametrize(
    ("key", "clean"),
    [
        ("https://e.com/a?utm_source=x&b=1&GCLID=3", "https://e.com/a?b=1"),
        ("https://e.com/a?fbclid=1", "https://e.com/a"),
        ("https://e.com/a?preference=1&utmost=2", "https://e.com/a?preference=1&utmost=2"),
        ("https://e.com/a?", "https://e.com/a?"),
    ],
)
def test_tracking_parameters_are_no_part_of_a_link(key: str, clean: str) -> None:
    assert without_tracking(key) == clean


# --- shells and walls --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("doc", "shell"),
    [
        ("<body><div id=root></div><script src=a.js></script>", True),
        (
            "<body><noscript>You need JavaScript</noscript><div id=__next> <i></i></div><script></script>",
            True,
        ),
        ("<body><div id=root></div>", False),
        ("<body><div id=root>text</div><script></script>", False),
        (f"<body><div id=app></div><p>{TEXT}</p><script></script>", False),
        ("<body><div id=apple></div><script></script>", False),
        (f"<body><div id=app></div><nav>{TEXT}</nav><main>short</main><script></script>", False),
    ],
)
def test_javascript_shells(doc: str, shell: bool) -> None:
    assert read(doc).shell == shell


@pytest.mark.parametrize(
    ("doc", "kind"),
    [
        ("<title>Just a moment...</title><script>window._cf_chl_opt={}</script>", "cloudflare"),
        ("<iframe src='/_Incapsula_Resource?SWUDNSAI=31&incident_id=1'></iframe>", "imperva"),
        ("<script src=https://ct.captcha-delivery.com/c.js></script>", "datadome"),
        ("<script>window.gokuProps = {}</script>", "aws_waf"),
        ('<div id="px-captcha"></div>', "human"),
        ('<script id="anubis_challenge" type="application/json">{}</script>', "anubis"),
    ],
)
def test_bot_walls_with_status_200(doc: str, kind: str) -> None:
    found = read(doc)
    assert found == Content(wall=kind)
    assert read(f"<main>{TEXT * 5}</main>{doc}").wall is None, "a page of the site that carries such a script"


@pytest.mark.parametrize(
    "doc",
    [
        "<script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js></script>",
        "<script src='/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3'></script>",
        "<script>window.awsWafCookieDomainList=['a']</script>",
        "<div class=g-recaptcha></div><script src=https://js.datadome.co/tags.js></script>",
        "<title>What is a captcha?</title>",
    ],
)
def test_sensors_and_pages_about_captchas_are_no_walls(doc: str) -> None:
    assert read(doc).wall is None
    assert wall_of(doc.encode()) is None


def test_a_refusal_may_also_say_so_in_its_title() -> None:
    doc = b"<title>Please solve the captcha</title>"
    assert (wall_of(doc), wall_of(doc, refused=True)) == (None, "captcha")
    assert wall_of(b" " * 70_000 + doc, refused=True) is None
