"""RSS and Atom as sitemaps: links, guids, dates, hubs, versions."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.facts import Entry, SitemapFile, SitemapKind, SitemapSource, SitemapState
from sitemap_audit.formats.sitemap import SitemapEnd, SitemapReader

ATOM = 'xmlns="http://www.w3.org/2005/Atom"'
IN_RSS = 'xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"'
URL = "https://example.com/feed.xml"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def read(
    document: str, cuts: list[int] | None = None, headers: tuple[tuple[str, str], ...] = ()
) -> tuple[list[Entry], SitemapFile]:
    data = document.encode()
    reader = SitemapReader(URL, source=SitemapSource.FEED_LINK, now=NOW)
    entries, start = [], 0
    for cut in [*sorted(cuts or []), len(data)]:
        entries += reader.feed(data[start:cut])
        start = cut
    last, file = reader.close(SitemapEnd(status=200, fetched_at=NOW, headers=headers))
    return entries + last, file


def rss(inside: str, version: str = "2.0") -> str:
    return f'<?xml version="1.0"?>\n<rss version="{version}" {IN_RSS}><channel>\n{inside}\n</channel></rss>'


def item(inside: str) -> Entry:
    entries, file = read(rss(f"<item>{inside}</item>"))
    assert file.problems == ()
    (entry,) = entries
    return entry


def atom_entry(inside: str, feed: str = "") -> Entry:
    (entry,), file = read(f"<feed {ATOM} {feed}><entry>{inside}</entry></feed>")
    assert file.problems == ()
    return entry


RSS_FULL = rss(
    """<title> Example &amp; Co </title>
<link>https://example.com/</link>
<atom:link rel="self" href="https://example.com/feed.xml"/>
<atom:link rel="hub" href="https://hub.example.com/"/>
<lastBuildDate>Mon, 30 Nov 2026 10:00:00 GMT</lastBuildDate>
<generator>Example CMS</generator>
<image><url>https://example.com/i.png</url><title>no</title><link>https://example.com/no</link></image>
<item>
<title>One</title>
<link>https://example.com/1</link>
<guid isPermaLink="false">id-1</guid>
<pubDate>Sun, 29 Nov 2026 08:00:00 +0100</pubDate>
<description>&lt;p&gt;text</description>
</item>
<item><link><![CDATA[https://example.com/2?a=1&b=2]]></link><pubDate><![CDATA[Sat, 28 Nov 2026 08:00:00 GMT]]></pubDate></item>"""
)


def test_rss() -> None:
    entries, file = read(RSS_FULL)
    assert [(e.line, e.loc, e.lastmod, e.guid) for e in entries] == [
        (10, "https://example.com/1", datetime(2026, 11, 29, 7, tzinfo=UTC), "id-1"),
        (17, "https://example.com/2?a=1&b=2", datetime(2026, 11, 28, 8, tzinfo=UTC), None),
    ]
    assert entries[0].lastmod_raw == entries[0].published_raw == "Sun, 29 Nov 2026 08:00:00 +0100"
    assert (file.kind, file.state, file.feed_version) == (SitemapKind.RSS, SitemapState.OK, "rss 2.0")
    assert (file.feed_title, file.feed_id, file.generator) == (
        "Example & Co",
        "https://example.com/",
        "Example CMS",
    )
    assert file.feed_updated == datetime(2026, 11, 30, 10, tzinfo=UTC)
    assert file.newest_item_at == datetime(2026, 11, 29, 7, tzinfo=UTC)
    assert file.hubs == ("https://hub.example.com/",)
    assert file.selfs == (URL,)
    assert file.problems == ()


@pytest.mark.parametrize(
    ("inside", "loc", "issues"),
    [
        ("<link> https://example.com/1\n</link>", "https://example.com/1", ("whitespace",)),
        ("<link>/1</link>", "https://example.com/1", ("relative",)),
        ("<guid>https://example.com/1</guid>", "https://example.com/1", ()),
        ('<guid isPermaLink="false">https://example.com/1</guid>', None, ("missing",)),
        ("<guid>example:1</guid>", None, ("missing",)),
        ("<title>x</title>", None, ("missing",)),
        ("<link/><guid>https://example.com/1</guid>", "https://example.com/1", ()),
        ('<atom:link href="https://example.com/no"/>', None, ("missing",)),
        ("<link>https://other.example/1</link>", "https://other.example/1", ("other_host",)),
    ],
)
def test_link_of_an_item(inside: str, loc: str | None, issues: tuple[str, ...]) -> None:
    entry = item(inside)
    assert (entry.loc, entry.loc_issues) == (loc, issues)


@pytest.mark.parametrize(
    ("inside", "lastmod", "issue"),
    [
        ("<pubDate>Sun, 29 Nov 2026 08:00:00 GMT</pubDate>", datetime(2026, 11, 29, 8, tzinfo=UTC), None),
        ("<dc:date>2026-11-29T08:00:00Z</dc:date>", datetime(2026, 11, 29, 8, tzinfo=UTC), None),
        (
            "<atom:updated>2026-11-29T08:00:00Z</atom:updated><pubDate>x</pubDate>",
            datetime(2026, 11, 29, 8, tzinfo=UTC),
            None,
        ),
        ("<pubDate>2026-11-29 08:00:00</pubDate>", None, "format"),
        ("<pubDate/>", None, None),
        ("<pubDate>Wed, 29 Nov 2028 08:00:00 GMT</pubDate>", datetime(2028, 11, 29, 8, tzinfo=UTC), "future"),
    ],
)
def test_date_of_an_item(inside: str, lastmod: datetime | None, issue: str | None) -> None:
    entry = item(f"<link>https://example.com/1</link>{inside}")
    assert entry.lastmod_issue == issue
    if issue != "format":
        assert entry.lastmod == lastmod


def test_rdf() -> None:
    entries, file = read(
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        '<channel rdf:about="x"><title>T</title><link>https://example.com/</link><items><rdf:Seq/></items></channel>'
        '<item rdf:about="x"><title>x</title><link>https://example.com/1</link><dc:date>2026-11-29</dc:date></item></rdf:RDF>'
    )
    assert [(e.loc, e.lastmod_precision) for e in entries] == [("https://example.com/1", "day")]
    assert (file.kind, file.feed_version, file.feed_title) == (SitemapKind.RSS, "rdf", "T")


def test_atom() -> None:
    entries, file = read(
        f"""<feed {ATOM}>
<id>tag:example.com,2026:feed</id><title>T</title><updated>2026-11-30T10:00:00+01:00</updated>
<link rel="self" href="{URL}"/><link href="https://example.com/"/><link rel="hub" href="https://hub.example.com/"/>
<entry><id>tag:1</id><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">a <b>b</b></div></title>
<link rel="edit" href="https://example.com/edit"/><link rel="alternate" href="https://example.com/1"/><link href="https://example.com/pdf"/>
<published>2026-11-01T00:00:00Z</published><updated>2026-11-29T08:00:00Z</updated><content type="html">{"x" * 20_000}</content></entry>
</feed>"""
    )
    (entry,) = entries
    assert (entry.line, entry.loc, entry.guid) == (4, "https://example.com/1", "tag:1")
    assert entry.lastmod == datetime(2026, 11, 29, 8, tzinfo=UTC)
    assert entry.published_raw == "2026-11-01T00:00:00Z"
    assert (file.kind, file.feed_version, file.feed_id) == (
        SitemapKind.ATOM,
        "atom 1.0",
        "tag:example.com,2026:feed",
    )
    assert file.feed_updated == datetime(2026, 11, 30, 9, tzinfo=UTC)
    assert (file.selfs, file.hubs) == ((URL,), ("https://hub.example.com/",))
    assert file.problems == ()


@pytest.mark.parametrize(
    ("inside", "loc", "issues"),
    [
        ('<link href="https://example.com/1"/>', "https://example.com/1", ()),
        ('<link rel="enclosure" href="https://example.com/1"/>', None, ("missing",)),
        ('<link href="1"/>', "https://example.com/1", ("relative",)),
        ("<id>https://example.com/1</id>", None, ("missing",)),
        ('<link xml:base="https://example.com/b/" href="1"/>', "https://example.com/b/1", ()),
    ],
)
def test_link_of_an_atom_entry(inside: str, loc: str | None, issues: tuple[str, ...]) -> None:
    entry = atom_entry(inside)
    assert (entry.loc, entry.loc_issues) == (loc, issues)


def test_xml_base_nests() -> None:
    entry = atom_entry('<link href="1"/>', 'xml:base="/blog/"')
    assert (entry.loc, entry.loc_issues) == ("https://example.com/blog/1", ())
    (inner,), _ = read(
        f'<feed {ATOM} xml:base="https://example.com/a/"><entry xml:base="b/"><link href="1"/></entry></feed>'
    )
    assert inner.loc == "https://example.com/a/b/1"


def test_atom_dates() -> None:
    assert atom_entry("<published>2026-11-29T08:00:00Z</published>").lastmod == datetime(
        2026, 11, 29, 8, tzinfo=UTC
    )
    assert atom_entry("<updated>2026-11-29</updated>").lastmod_issue is not None


@pytest.mark.parametrize(
    ("document", "version"),
    [
        (rss("", "0.91"), "rss 0.91"),
        ('<feed version="0.3" xmlns="http://purl.org/atom/ns#"/>', "atom 0.3"),
        (f"<feed {ATOM}/>", "atom 1.0"),
        ("<rss><channel/></rss>", "rss"),
    ],
)
def test_version(document: str, version: str) -> None:
    assert read(document)[1].feed_version == version


def test_hub_and_self_of_the_header_come_first() -> None:
    links = (("link", '<https://h2.example.com/>; rel="hub", <https://example.com/x>; rel=self'),)
    _, file = read(RSS_FULL, headers=links)
    assert file.hubs == ("https://h2.example.com/", "https://hub.example.com/")
    assert file.selfs == ("https://example.com/x", URL)


def test_a_feed_without_channel_is_named() -> None:
    _, file = read("<rss version='2.0'/>")
    assert [p.kind for p in file.problems] == ["feed-channel-missing"]


def test_a_cut_feed_keeps_its_items() -> None:
    entries, file = read(RSS_FULL[: RSS_FULL.index("<![CDATA[Sat")])
    assert [e.loc for e in entries] == ["https://example.com/1"]
    assert file.state is SitemapState.PARTIAL
    assert file.xml_error is not None
    assert file.xml_error.entries_before == 1
    assert not file.complete


def test_two_links_are_named() -> None:
    entries, file = read(
        rss("<item><link>https://example.com/1</link><link>https://example.com/2</link></item>")
    )
    assert [e.loc for e in entries] == ["https://example.com/1"]
    assert [p.kind for p in file.problems] == ["element-twice"]


@given(st.data())
def test_cuts_change_nothing(data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(RSS_FULL)), max_size=6))
    assert read(RSS_FULL, cuts) == read(RSS_FULL)


@given(
    st.lists(
        st.sampled_from(
            [
                "<item>",
                "</item>",
                "<entry>",
                "</entry>",
                "<link>",
                "</link>",
                "<link href='/a'/>",
                "<guid>",
                "</guid>",
                "<channel>",
                "</channel>",
                "text",
                "<title>",
                "</title>",
                "<link xml:base='http://[' href='x'/>",
                "<id/>",
            ]
        ),
        max_size=20,
    ),
    st.sampled_from(["rss", "feed", f"feed {ATOM}"]),
)
def test_never_raises(parts: list[str], root: str) -> None:
    read(f"<{root}>" + "".join(parts) + f"</{root.split()[0]}>")
