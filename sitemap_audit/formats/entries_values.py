"""Which names the extensions of sitemaps have, and which of their values cannot be meant: told at their line.

Google's image 1.1, video 1.1 and news 0.9 documentation. Only what a value is by itself is looked at; what an
entry lacks, and what Google no longer reads, the rules say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from sitemap_audit.formats.dates import parse_w3c
from sitemap_audit.settings import VIDEO_DESCRIPTION_MAX_CHARS, VIDEO_MAX_S, VIDEO_UPLOADER_MAX_CHARS

Check = Callable[[str], bool]
"""Is a trimmed text fine?"""

EXTENSION_NAMES: Final[Mapping[str, frozenset[str]]] = {
    "image": frozenset({"loc", "caption", "geo_location", "title", "license"}),
    "video": frozenset(
        [
            "thumbnail_loc",
            "title",
            "description",
            "content_loc",
            "player_loc",
            "duration",
            "expiration_date",
            "rating",
            "view_count",
            "publication_date",
            "family_friendly",
            "restriction",
            "platform",
            "price",
            "requires_subscription",
            "uploader",
            "live",
            "tag",
            "category",
            "gallery_loc",
            "tvshow",
            "id",
            "content_segment_loc",
            "show_title",
            "video_type",
            "episode_title",
            "season_number",
            "episode_number",
            "premier_date",
        ]
    ),
    "news": frozenset(
        [
            "publication",
            "name",
            "language",
            "publication_date",
            "title",
            "access",
            "genres",
            "keywords",
            "stock_tickers",
            "geo_locations",
        ]
    ),
}
"""Elements of an extension, those that Google has given up included."""
REPEATED: Final = frozenset({"tag", "price", "category", "gallery_loc", "content_segment_loc"})
"""May stand several times."""

_ABSOLUTE: Final = re.compile(r"https?://[^/?#\s]", re.IGNORECASE)
_ANY_ABSOLUTE: Final = re.compile(r"(?:https?|ftp)://[^/?#\s]", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[0-9]{1,15}")
_RATING: Final = re.compile(r"(?:[0-4](?:\.[0-9]{1,6})?|5(?:\.0{1,6})?)")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}|zh-(?:cn|tw)", re.IGNORECASE)


def _yes_or_no(text: str) -> bool:
    return text.lower() in ("yes", "no")


def _is_date(text: str) -> bool:
    return parse_w3c(text).issue is None


def _is_duration(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and 1 <= int(text) <= VIDEO_MAX_S


def _at_most(chars: int) -> Check:
    return lambda text: len(text) <= chars


CHECKS: Final[Mapping[tuple[str, str], Check]] = {
    ("image", "loc"): lambda text: _ABSOLUTE.match(text) is not None,
    ("video", "thumbnail_loc"): lambda text: _ANY_ABSOLUTE.match(text) is not None,
    ("video", "content_loc"): lambda text: _ANY_ABSOLUTE.match(text) is not None,
    ("video", "player_loc"): lambda text: _ANY_ABSOLUTE.match(text) is not None,
    ("video", "duration"): _is_duration,
    ("video", "rating"): lambda text: _RATING.fullmatch(text) is not None,
    ("video", "view_count"): lambda text: _NUMBER.fullmatch(text) is not None,
    ("video", "publication_date"): _is_date,
    ("video", "expiration_date"): _is_date,
    ("video", "family_friendly"): _yes_or_no,
    ("video", "requires_subscription"): _yes_or_no,
    ("video", "live"): _yes_or_no,
    ("video", "uploader"): _at_most(VIDEO_UPLOADER_MAX_CHARS),
    ("video", "description"): _at_most(VIDEO_DESCRIPTION_MAX_CHARS),
    ("news", "publication_date"): _is_date,
    ("news", "language"): lambda text: _LANGUAGE.fullmatch(text) is not None,
}
"""By extension and element. An empty text is none of their business."""
