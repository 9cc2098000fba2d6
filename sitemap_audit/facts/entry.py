"""One loc of one file, with its provenance: file, index path, position, line."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternate:
    """One xhtml:link of an entry."""

    line: int | None = None
    code_raw: str
    code: str | None = None
    code_issue: str | None = None
    href_raw: str
    href: str | None = None
    href_key: str | None = None


@dataclass(frozen=True, slots=True)
class Image:
    loc_raw: str
    loc: str | None = None
    extra_tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Video:
    thumbnail: str | None = None
    title_len: int | None = None
    description_len: int | None = None
    content: str | None = None
    player: str | None = None
    duration_s: int | None = None
    rating: str | None = None
    expiration: str | None = None
    tags: int = 0
    extra_tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    name: str | None = None
    language: str | None = None
    publication_date_raw: str | None = None
    publication_date: datetime | None = None
    title: str | None = None
    extra_tags: tuple[str, ...] = ()
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """One media:content of a feed item (mRSS), with what its group and its item say for it."""

    url: str | None = None
    type: str | None = None
    title_len: int | None = None
    description_len: int | None = None
    thumbnail: str | None = None
    player: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line a loc and file; feed items are entries too, children of an index with `is_child`."""

    sitemap: str
    file_id: str
    position: int
    line: int
    is_child: bool = False
    url_id: str | None = None
    url_key: str | None = None
    loc_raw: str | None = None
    loc: str | None = None
    loc_issues: tuple[str, ...] = ()
    lastmod_raw: str | None = None
    lastmod: datetime | None = None
    lastmod_precision: str | None = None
    lastmod_offset_min: int | None = None
    lastmod_issue: str | None = None
    priority_raw: str | None = None
    changefreq_raw: str | None = None
    images: tuple[Image, ...] | None = None
    videos: tuple[Video, ...] | None = None
    news: News | None = None
    guid: str | None = None
    published_raw: str | None = None
    media: tuple[Media, ...] | None = None
    alternates: tuple[Alternate, ...] | None = None
