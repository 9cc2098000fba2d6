"""Where sitemaps are looked for: reading SITE arguments, usual places, names and links."""

from __future__ import annotations

import pytest

from crawler.context import Context
from crawler.origins import Origins
from crawler.search import Search
from crawler.sources import (
    FEED_PLACES,
    SITEMAP_PLACES,
    feeds_of,
    named_like_a_sitemap,
    over_http,
    places,
    read_site,
)
from sitemap_audit.facts import FeedLink
from sitemap_audit.formats.urls import parse_url
from sitemap_audit.options import RunOptions, Transport
from sitemap_audit.settings import FEED_LINKS_MAX


@pytest.mark.parametrize(
    ("text", "href", "bare", "is_origin"),
    [
        ("example.com", "https://example.com/", True, True),
        ("EXAMPLE.com:8443", "https://example.com:8443/", True, True),
        ("https://example.com", "https://example.com/", False, True),
        ("http://example.com/", "http://example.com/", False, True),
        ("https://example.com/sitemap.xml", "https://example.com/sitemap.xml", False, False),
        ("example.com/feed?x=1", "https://example.com/feed?x=1", False, False),
        ("https://example.com/?sitemap=1", "https://example.com/?sitemap=1", False, False),
    ],
)
def test_site_arguments(text: str, href: str, bare: bool, is_origin: bool) -> None:
    site = read_site(text)
    assert site is not None
    assert (site.url.href, site.bare, site.is_origin) == (href, bare, is_origin)


@pytest.mark.parametrize("text", ["", "ftp://example.com/", "https://", "http://exa mple.com/"])
def test_no_site(text: str) -> None:
    assert read_site(text) is None


def test_only_a_bare_host_falls_back_to_http() -> None:
    bare, given = read_site("example.com:8080"), read_site("https://example.com")
    assert bare is not None
    assert given is not None
    plain = over_http(bare)
    assert plain is not None
    assert (plain.url.href, plain.bare) == ("http://example.com:8080/", False)
    assert over_http(given) is None
    assert over_http(plain) is None


def test_usual_places_are_each_on_the_origin_and_once() -> None:
    urls = list(places("http://example.com:8080", SITEMAP_PLACES + FEED_PLACES))
    assert len(urls) == len({u.key for u in urls}) == len(SITEMAP_PLACES) + len(FEED_PLACES)
    assert {u.origin for u in urls} == {"http://example.com:8080"}
    assert urls[0].href == "http://example.com:8080/sitemap.xml"


@pytest.mark.parametrize(
    ("path", "like_one"),
    [
        ("/sitemap.xml", True),
        ("/a/site-map_1.xml.gz", True),
        ("/urllist.txt", True),
        ("/blog/feed/", True),
        ("/index.rdf", True),
        ("/sitemap", True),
        ("/?page=sitemap.xml", False),
        ("/products/shoes", False),
        ("/feedback", False),
    ],
)
def test_names(path: str, like_one: bool) -> None:
    url = parse_url("https://example.com" + path)
    assert url is not None
    assert named_like_a_sitemap(url) is like_one


def _link(href: str | None) -> FeedLink:
    return FeedLink(type="application/rss+xml", title=None, href_raw=href or "", href=href, in_head=True)


def test_feeds_of_a_page_leave_comments_out_and_are_few() -> None:
    links = [_link(None), _link("https://example.com/feed/"), _link("https://example.com/comments/feed/")]
    links += [_link("https://example.com/feed/")] + [_link(f"https://example.com/{n}.rss") for n in range(9)]
    found = [url.href for url in feeds_of(links)]
    assert found[:2] == ["https://example.com/feed/", "https://example.com/0.rss"]
    assert len(found) == FEED_LINKS_MAX


async def test_a_search_goes_through_its_stages() -> None:
    context = Context(options=RunOptions(run_id="t"), transport=Transport())
    search = Search(Origins(context).get("https://example.com"))
    search.to_sitemaps()
    first = [url.href for url in iter(search.next, None)]
    assert [h.removeprefix("https://example.com") for h in first] == list(SITEMAP_PLACES)
    assert search.to_feeds()
    feeds = list(iter(search.next, None))
    assert [u.href.removeprefix("https://example.com") for u in feeds] == list(FEED_PLACES)
    assert not search.to_feeds()
    search.failed(feeds[0])
    assert search.to_failed()
    assert search.next() == feeds[0]
    search.failed(feeds[0])
    assert not search.to_failed()


async def test_a_search_that_found_something_is_over() -> None:
    context = Context(options=RunOptions(run_id="t"), transport=Transport())
    search = Search(Origins(context).get("https://example.com"))
    search.to_sitemaps()
    search.found = True
    assert search.next() is None
