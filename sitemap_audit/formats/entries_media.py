"""Images, videos, news and feed media of an entry: from the texts in the file to facts.

Google's image (1.1), video (1.1) and news (0.9) sitemap documentation. What the values ought to be, the
rules say; elements without a field of their own are named in `extra_tags`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sitemap_audit.facts import Image, Media, News, Video
from sitemap_audit.formats.dates import parse_w3c
from sitemap_audit.formats.entries_loc import SPACE
from sitemap_audit.formats.sitemap_problems import without_user_info
from sitemap_audit.formats.sitemap_rows import RawExtension, RawMedia
from sitemap_audit.formats.urls import parse_url

_IMAGE_FIELDS: Final = frozenset({"loc"})
_VIDEO_FIELDS: Final = frozenset(
    [
        "thumbnail_loc",
        "title",
        "description",
        "content_loc",
        "player_loc",
        "duration",
        "rating",
        "expiration_date",
        "tag",
    ]
)
_NEWS_FIELDS: Final = frozenset(["publication", "name", "language", "publication_date", "title"])
_DURATION_DIGITS: Final = 9


def image_facts(images: Sequence[RawExtension], base: str | None) -> tuple[Image, ...] | None:
    """`loc_raw` is '' where an image has no loc."""
    made = []
    for image in images:
        raw = image.texts.get("loc", "")
        url = parse_url(raw, base) if raw.strip(SPACE) else None
        made.append(
            Image(without_user_info(raw), None if url is None else url.href, _others(image, _IMAGE_FIELDS))
        )
    return tuple(made) or None


def video_facts(videos: Sequence[RawExtension]) -> tuple[Video, ...] | None:
    """Lengths are of the trimmed texts, in characters; a duration that is no whole number is None."""
    made = []
    for video in videos:
        duration = _text(video, "duration")
        made.append(
            Video(
                thumbnail=_text(video, "thumbnail_loc"),
                title_len=_length(video, "title"),
                description_len=_length(video, "description"),
                content=_text(video, "content_loc"),
                player=_text(video, "player_loc"),
                duration_s=int(duration) if duration is not None and _is_number(duration) else None,
                rating=_text(video, "rating"),
                expiration=_text(video, "expiration_date"),
                tags=video.tags,
                extra_tags=_others(video, _VIDEO_FIELDS),
            )
        )
    return tuple(made) or None


def news_facts(news: Sequence[RawExtension], count: int) -> News | None:
    """The first news element of an entry; `count`: how many there are."""
    if not news:
        return None
    first = news[0]
    raw = _text(first, "publication_date")
    return News(
        name=_text(first, "name"),
        language=_text(first, "language"),
        publication_date_raw=raw,
        publication_date=None if raw is None else _date(raw),
        title=_text(first, "title"),
        extra_tags=_others(first, _NEWS_FIELDS),
        count=count,
    )


def media_facts(media: Sequence[RawMedia], base: str | None) -> tuple[Media, ...] | None:
    """URLs are absolute where they can be read, else as they stand."""
    return (
        tuple(
            Media(
                url=_address(medium.url, base),
                type=(medium.type or "").strip(SPACE) or None,
                title_len=None if medium.title is None else len(medium.title.strip(SPACE)),
                description_len=None if medium.description is None else len(medium.description.strip(SPACE)),
                thumbnail=_address(medium.thumbnail, base),
                player=_address(medium.player, base),
            )
            for medium in media
        )
        or None
    )


def _address(raw: str | None, base: str | None) -> str | None:
    text = (raw or "").strip(SPACE)
    url = parse_url(text, base) if text else None
    return url.href if url is not None else without_user_info(text) or None


def _text(extension: RawExtension, name: str) -> str | None:
    return without_user_info(extension.texts.get(name, "").strip(SPACE)) or None


def _length(extension: RawExtension, name: str) -> int | None:
    if name not in extension.texts:
        return None
    return extension.lengths.get(name, len(extension.texts[name].strip(SPACE)))


def _others(extension: RawExtension, fields: frozenset[str]) -> tuple[str, ...]:
    return tuple(name for name in extension.names if name not in fields)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _DURATION_DIGITS


def _date(raw: str) -> datetime | None:
    parsed = parse_w3c(raw)
    return parsed.utc if parsed.utc is not None else parsed.lenient_utc
