"""Feeds that are parted into pages, and feeds that a home page advertises in typographic quotes."""

from __future__ import annotations

from tests.crawler.runs import Discover
from tests.site.server import Reply

A = "https://a.example"


def atom(*paths: str, next_page: str = "") -> Reply:
    link = f'<link rel="next" href="{next_page}"/>' if next_page else ""
    entries = "".join(f'<entry><id>{p}</id><link href="{p}"/></entry>' for p in paths)
    return Reply.xml(f'<feed xmlns="http://www.w3.org/2005/Atom">{link}{entries}</feed>')


async def test_the_pages_of_a_feed_are_read_to_the_last(discover: Discover) -> None:
    out = await discover(
        {
            "a.example": {
                "/robots.txt": Reply.text(f"Sitemap: {A}/feed\n"),
                "/feed": atom("/1", "/2", next_page="/feed?start-index=3"),
                "/feed?start-index=3": atom("/3", next_page="/feed?start-index=4"),
                "/feed?start-index=4": atom("/4", next_page="/feed"),
            }
        },
        A,
    )
    assert sorted(out.locs) == [f"{A}/{n}" for n in (1, 2, 3, 4)]
    assert len(out.files) == 3, "the last page names the first one: no endless ring"
    second = out.file(f"{A}/feed?start-index=3")
    assert (second["source"], second["parent"], second["depth"]) == ("robots", f"{A}/feed", 0)
    assert out.file(f"{A}/feed")["next_page"] == f"{A}/feed?start-index=3"


async def test_a_feed_leads_to_no_other_host(discover: Discover) -> None:
    out = await discover(
        {
            "a.example": {
                "/robots.txt": Reply.text(f"Sitemap: {A}/feed\n"),
                "/feed": atom("/1", next_page="https://b.example/feed"),
            },
            "b.example": {"/feed": atom("/2")},
        },
        A,
    )
    assert out.locs == [f"{A}/1"]
    assert out.discovered is not None
    assert any("another host" in said for said in out.discovered.looked)


async def test_a_page_that_robots_txt_forbids_is_a_guess_of_an_advertised_feed(discover: Discover) -> None:
    home = "<title>Home</title><link rel=”alternate” type=”application/atom+xml” href=”/feed”>"
    out = await discover(
        {
            "a.example": {
                "/robots.txt": Reply.text("User-agent: *\nDisallow: /*page=\n"),
                "/": Reply.html(f"<!doctype html><meta charset=utf-8>{home}"),
                "/feed": atom("/1", next_page="/feed?page=2"),
                "/feed?page=2": atom("/2"),
            }
        },
        A,
    )
    assert out.locs == [f"{A}/1"], "typographic quotes: the feed that is meant is read"
    assert out.file(f"{A}/feed")["source"] == "feed_link"
    assert out.site is not None
    assert "/feed?page=2" not in [r.path for r in out.site.requests()]
