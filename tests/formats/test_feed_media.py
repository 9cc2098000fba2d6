"""Media RSS of feed items, and where the next page of a feed is."""

from __future__ import annotations

import pytest

from sitemap_audit.facts import Entry, Media, SitemapFile, SitemapSource
from sitemap_audit.formats.sitemap import SitemapEnd, SitemapReader

URL = "https://example.com/feeds/posts/default?start-index=26&max-results=25"
OPENSEARCH = "http://a9.com/-/spec/opensearchrss/1.0/"


def read(document: str, *links: str) -> tuple[list[Entry], SitemapFile]:
    reader = SitemapReader(URL, source=SitemapSource.FEED_LINK)
    entries = reader.feed(document.encode())
    last, file = reader.close(SitemapEnd(status=200, headers=tuple(("link", link) for link in links)))
    return entries + last, file


def item(inside: str) -> Entry:
    head = '<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><item><link>/1</link>'
    (entry,), file = read(f"{head}{inside}</item></channel></rss>")
    assert file.problems == ()
    return entry


def test_what_an_item_and_a_group_say_holds_for_each_content() -> None:
    entry = item(
        '<media:group><media:content url="/v.mp4" type="video/mp4" medium="video"><media:title> ab </media:title>'
        '<media:thumbnail url="/t.jpg"/></media:content><media:content url="/w.mp4" medium="video"/>'
        '<media:player url="/p"/></media:group><media:description>abc</media:description>'
    )
    player = "https://example.com/p"
    assert entry.media == (
        Media(
            url="https://example.com/v.mp4",
            type="video/mp4",
            title_len=2,
            description_len=3,
            thumbnail="https://example.com/t.jpg",
            player=player,
        ),
        Media(url="https://example.com/w.mp4", type="video", description_len=3, player=player),
    )


def test_a_player_alone_is_a_medium_and_a_thumbnail_alone_is_none() -> None:
    assert item('<media:player url="/p"/>').media == (Media(player="https://example.com/p"),)
    assert item('<media:thumbnail url="/t"/>').media is None


def atom(inside: str, items: int = 25) -> str:
    entries = '<entry><link href="/p"/></entry>' * items
    return f'<feed xmlns="http://www.w3.org/2005/Atom" xmlns:o="{OPENSEARCH}">{inside}{entries}</feed>'


def counts(total: int) -> str:
    return (
        f"<o:totalResults>{total}</o:totalResults><o:startIndex>26</o:startIndex>"
        "<o:itemsPerPage>25</o:itemsPerPage>"
    )


@pytest.mark.parametrize(
    ("document", "links", "page"),
    [
        (atom('<link rel="next" href="/feed?page=2"/>'), (), "https://example.com/feed?page=2"),
        (atom(""), ('</n>; rel="next"',), "https://example.com/n"),
        (atom(counts(60)), (), "https://example.com/feeds/posts/default?max-results=25&start-index=51"),
        (atom(counts(50)), (), None),
        (atom(counts(60), items=0), (), None),
        (atom('<link rel="next" href="ftp://example.com/"/>'), (), None),
        (atom(""), (), None),
    ],
)
def test_the_next_page(document: str, links: tuple[str, ...], page: str | None) -> None:
    assert read(document, *links)[1].next_page == page
