"""Reads the media of a feed item: Media RSS 1.5.1 (media:group, media:content, title, description, thumbnail, player).

What stands in an item or in a group holds for each media:content in it that does not say otherwise. An item
with a media:player and no media:content has one medium, without a URL.

Problems noted here: `entry-parts-cut` (more media than are kept), `element-misplaced` (a media:content in another).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from sitemap_audit.formats.sitemap_rows import Note, RawMedia
from sitemap_audit.settings import ENTRY_PARTS_MAX, ENTRY_PARTS_MAX_CHARS, XML_MAX_TEXT_BYTES

MEDIA_NS: Final = frozenset({"http://search.yahoo.com/mrss/", "http://search.yahoo.com/mrss"})
MEDIA_TEXTS: Final = frozenset({"title", "description"})
"""Elements whose text is wanted."""
_INHERITED: Final = ("title", "description", "thumbnail", "player")


@dataclass(slots=True)
class _Level:
    """The item, a group or a content that is open, and the media that lie in it."""

    depth: int
    about: RawMedia = field(default_factory=RawMedia)
    media: list[RawMedia] = field(default_factory=list)
    is_content: bool = False


class MediaReader:
    """The media of one item after the other: `start` and `end` for its elements of the namespace, then `take`."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._levels = [_Level(0)]
        self._number = self._chars = 0

    def start(self, local: str, attributes: Sequence[str], depth: int) -> None:
        """An element opens; `local` in lower case."""
        level = self._levels[-1]
        values = dict(zip(attributes[::2], attributes[1::2], strict=True))
        if local in ("group", "content"):
            if level.is_content or (local == "group" and len(self._levels) > 1):
                self._note("element-misplaced", f"media:{local}")
                return
            about = RawMedia()
            if local == "content":
                about.url = self._bounded(values.get("url"))
                about.type = self._bounded(values.get("type") or values.get("medium"))
            self._levels.append(_Level(depth, about, is_content=local == "content"))
        elif local in ("thumbnail", "player") and getattr(level.about, local) is None:
            setattr(level.about, local, self._bounded(values.get("url")))

    def text(self, local: str, text: str) -> None:
        """The text of a title or description that has just closed."""
        about = self._levels[-1].about
        if getattr(about, local) is None:
            setattr(about, local, self._bounded(text))

    def end(self, depth: int) -> None:
        """The element at this depth closes."""
        if self._levels[-1].depth != depth or len(self._levels) == 1:
            return
        level = self._levels.pop()
        media = [level.about] if level.is_content else _filled(level)
        kept = self._levels[-1].media
        for medium in media:
            self._number += level.is_content
            if self._number > ENTRY_PARTS_MAX or self._chars > ENTRY_PARTS_MAX_CHARS:
                self._note("entry-parts-cut", "media:content")
            else:
                kept.append(medium)

    def take(self) -> list[RawMedia]:
        """What the item has; the next one begins."""
        media = _filled(self._levels[0])
        self._levels = [_Level(0)]
        self._number = self._chars = 0
        return media

    def _bounded(self, text: str | None) -> str | None:
        if text is None:
            return None
        text = text[:XML_MAX_TEXT_BYTES]
        self._chars += len(text)
        return text if self._chars <= ENTRY_PARTS_MAX_CHARS else None


def _filled(level: _Level) -> list[RawMedia]:
    """The media of a level with what the level says for all of them."""
    media = level.media
    if not media and level.about.player is not None:
        media = [RawMedia()]
    for medium in media:
        for name in _INHERITED:
            if getattr(medium, name) is None:
                setattr(medium, name, getattr(level.about, name))
    return media
