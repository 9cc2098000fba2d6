"""Bytes through the door, in pieces as they come."""

from __future__ import annotations

from datetime import UTC, datetime

from sitemap_audit.facts import Entry, SitemapFile, SitemapSource
from sitemap_audit.formats.sitemap import SitemapEnd, SitemapReader

URL = "https://example.com/sitemap.xml"


NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


OK = SitemapEnd(status=200, fetched_at=NOW)


def read(
    data: bytes,
    cuts: list[int] | None = None,
    *,
    url: str = URL,
    end: SitemapEnd = OK,
    location: str | None = None,
    max_entries: int = 50_000,
    max_bytes: int = 52_428_800,
) -> tuple[list[Entry], SitemapFile]:
    reader = SitemapReader(
        url,
        source=SitemapSource.ROBOTS,
        now=NOW,
        location=location,
        max_entries=max_entries,
        max_bytes=max_bytes,
    )
    entries, start = [], 0
    for cut in [*sorted(cuts or []), len(data)]:
        entries += reader.feed(data[start:cut])
        start = cut
    last, file = reader.close(end)
    assert file.entries == len(entries) + len(last)
    return entries + last, file


def urlset(number: int, extra: str = "") -> bytes:
    entries = "".join(
        f"<url><loc>https://example.com/{n}</loc><lastmod>2026-11-0{1 + n % 9}</lastmod></url>\n"
        for n in range(number)
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NS}>\n{entries}{extra}</urlset>\n'.encode()


def kinds(file: SitemapFile) -> list[str]:
    return [problem.kind for problem in file.problems]
