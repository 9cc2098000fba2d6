"""Broken files of every kind: no exception, no silence, the same facts however they arrive; a fixed seed.

benchmarks/mutations.py does the same to real files, ten thousand times.
"""

from __future__ import annotations

import random

import pytest

from sitemap_audit.facts import Entry, SitemapFile, SitemapKind, SitemapSource, SitemapState
from sitemap_audit.formats.sitemap import SitemapEnd, SitemapReader
from tests.formats.sitemap_mutator import mutate

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
EXTENSIONS = (
    'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
)
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def _urlset() -> str:
    urls = "".join(
        f"<url>\n<loc>https://example.com/{n}?a=1&amp;b=2</loc>\n<lastmod>2026-11-{1 + n % 28:02d}</lastmod>\n"
        f'<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de/{n}"/>\n'
        f"<image:image><image:loc>https://example.com/{n}.png</image:loc></image:image>\n</url>\n"
        for n in range(40)
    )
    return f"{DECLARATION}<!-- ünïcode -->\n<urlset {NS} {EXTENSIONS}>\n{urls}</urlset>\n"


def _index() -> str:
    children = "".join(f"<sitemap><loc>https://example.com/{n}.xml</loc></sitemap>\r\n" for n in range(20))
    return f"{DECLARATION}<sitemapindex {NS}>{children}</sitemapindex>"


def _rss() -> str:
    items = "".join(
        f"<item><link>https://example.com/{n}</link><guid>{n}</guid>"
        f"<pubDate>Mon, {1 + n:02d} Jan 2024 10:00:00 GMT</pubDate></item>\n"
        for n in range(20)
    )
    return f'{DECLARATION}<rss version="2.0"><channel><title>T</title>\n{items}</channel></rss>'


FILES = {
    "urlset.xml": _urlset(),
    "index.xml": _index(),
    "feed.xml": _rss(),
    "atom.xml": f'{DECLARATION}<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/a"/></entry></feed>',
    "list.txt": "".join(f"https://example.com/{n}\n" for n in range(50)),
}
LISTS = (SitemapKind.URLSET, SitemapKind.INDEX, SitemapKind.RSS, SitemapKind.ATOM)


def read(data: bytes, name: str, sizes: random.Random | None) -> tuple[list[Entry], SitemapFile]:
    reader = SitemapReader(f"https://example.com/{name}", source=SitemapSource.ROBOTS)
    entries, at = [], 0
    while at < len(data):
        step = len(data) if sizes is None else sizes.choice([1, 7, 300, 4_096])
        entries += reader.feed(data[at : at + step])
        at += step
    last, file = reader.close(SitemapEnd(status=200))
    return entries + last, file


@pytest.mark.parametrize("name", FILES)
def test_broken_files_say_what_is_wrong(name: str) -> None:
    chance = random.Random(name)
    for n in range(60):
        data, how = mutate(FILES[name].encode(), chance)
        entries, file = read(data, name, chance)
        where = f"{name} #{n} {how}"
        assert len(entries) == file.entries, where
        if not file.problems and file.xml_error is None:
            listed_or_empty_list = file.entries > 0 or (file.kind in LISTS and file.complete)
            assert file.state is SitemapState.OK, where
            assert listed_or_empty_list, where
        again, same = read(data, name, None)
        assert [e.loc_raw for e in again] == [e.loc_raw for e in entries], where
        assert (same.problems, same.xml_error, same.state) == (file.problems, file.xml_error, file.state), (
            where
        )


@pytest.mark.parametrize("name", ["urlset.xml", "index.xml", "feed.xml", "atom.xml"])
def test_a_cut_file_keeps_what_was_read_and_says_that_it_is_part(name: str) -> None:
    whole = FILES[name].encode().rstrip()
    for length in range(1, len(whole) - 1, max(1, len(whole) // 150)):
        entries, file = read(whole[:length], name, None)
        assert not file.complete, length
        assert file.xml_error is not None, length
        assert file.state is (SitemapState.PARTIAL if entries else SitemapState.FAILED), length
