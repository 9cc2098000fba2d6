"""What a page says about itself for machines: JSON-LD, Open Graph, description, dates.

Every JSON-LD block counts, wherever it stands. A block that no JSON parser takes is kept as a text in the
hash, so that a change of it is seen, and says nothing else.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final, NamedTuple

import orjson
from selectolax.lexbor import LexborNode

from sitemap_audit.facts import PageDates
from sitemap_audit.formats.content_print import hash_16
from sitemap_audit.formats.dates import parse_w3c
from sitemap_audit.settings import (
    DESCRIPTION_MAX_CHARS,
    JSONLD_MAX_BYTES,
    JSONLD_MAX_NODES,
    SD_TYPES_MAX,
    TITLE_MAX_CHARS,
    VISIBLE_DATES_MAX,
)

_TYPE: Final = "application/ld+json"
_VOLATILE: Final = ("dateModified", "interactionCount", "priceValidUntil")
_BELOW: Final = ("@graph", "mainEntity", "mainEntityOfPage")
"""Where a block names what it is about; all else in it is a part of that."""
_THINGS: Final = frozenset(
    [
        "Product",
        "ProductGroup",
        "ProductModel",
        "Vehicle",
        "Car",
        "Article",
        "NewsArticle",
        "BlogPosting",
        "TechArticle",
        "ScholarlyArticle",
        "Report",
        "SocialMediaPosting",
        "DiscussionForumPosting",
        "LiveBlogPosting",
        "Recipe",
        "HowTo",
        "Event",
        "BusinessEvent",
        "ExhibitionEvent",
        "Festival",
        "MusicEvent",
        "SportsEvent",
        "TheaterEvent",
        "EducationEvent",
        "Course",
        "JobPosting",
        "Book",
        "Movie",
        "TVSeries",
        "TVEpisode",
        "MusicAlbum",
        "MusicRecording",
        "PodcastEpisode",
        "VideoObject",
        "SoftwareApplication",
        "MobileApplication",
        "WebApplication",
        "VideoGame",
        "Dataset",
        "Review",
        "ClaimReview",
        "QAPage",
        "Question",
        "LocalBusiness",
        "Restaurant",
        "Store",
        "Hotel",
        "LodgingBusiness",
        "Residence",
        "House",
        "Apartment",
        "RealEstateListing",
        "Place",
        "TouristAttraction",
        "Service",
        "Drug",
        "MedicalCondition",
    ]
)
"""Types of schema.org that mean one thing, as an error page has none; a site, a list or a crumb is not one."""
_MODIFIED: Final = ("article:modified_time", "og:updated_time")
_PUBLISHED: Final = ("article:published_time",)
_DATE_CHARS: Final = 64


class StructuredData(NamedTuple):
    """`types`: every @type once, in order. `thing`: a block is about a thing. Dates: the outermost ones."""

    sd_hash: str | None
    types: tuple[str, ...]
    thing: bool
    modified: datetime | None
    published: datetime | None


_NONE: Final = StructuredData(None, (), False, None, None)


def read_jsonld(scripts: Iterable[LexborNode]) -> StructuredData:
    """The JSON-LD among the script elements of a page. Never raises; work is bounded."""
    values: list[Any] = []
    canonical: list[bytes] = []
    left = JSONLD_MAX_BYTES
    for script in scripts:
        if (script.attributes.get("type") or "").partition(";")[0].strip().lower() != _TYPE:
            continue
        text = script.text()
        value = _parse(text) if len(text) <= left else None
        left -= len(text)
        if value is not None:
            values.append(value)
        canonical.append(_canonical(text, value))
    if not canonical:
        return _NONE
    types: dict[str, None] = {}
    dates: dict[str, datetime] = {}
    thing = _look_around(values, types, dates)
    return StructuredData(
        hash_16(b"\n".join(sorted(canonical))),
        tuple(types),
        thing,
        dates.get("dateModified"),
        dates.get("datePublished"),
    )


def _parse(text: str) -> Any:
    """The value of a block; None for what is none. Line breaks inside strings, a common slip, are let pass."""
    try:
        return orjson.loads(text)
    except ValueError:
        try:
            return json.loads(text, strict=False)
        except (ValueError, RecursionError):
            return None


def _canonical(text: str, value: Any) -> bytes:
    if value is not None:
        try:
            if any(f'"{name}"' in text for name in _VOLATILE):
                value = _without_volatile(value)
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        except (TypeError, ValueError, RecursionError):  # too deep, a number or a character that JSON lacks
            pass
    return " ".join(text.split()).encode("utf-8", "replace")


def _without_volatile(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_volatile(inner) for key, inner in value.items() if key not in _VOLATILE}
    if isinstance(value, list):
        return [_without_volatile(inner) for inner in value]
    return value


def _look_around(values: list[Any], types: dict[str, None], dates: dict[str, datetime]) -> bool:
    """Fill types and dates, the outer before the inner; returns whether a block is about a thing."""
    thing = False
    queue: deque[tuple[Any, bool]] = deque((value, True) for value in values)
    for _ in range(JSONLD_MAX_NODES):
        if not queue:
            break
        value, about = queue.popleft()
        if isinstance(value, list):
            queue.extend((inner, about) for inner in value if isinstance(inner, dict | list))
            continue
        if not isinstance(value, dict):
            continue
        for name in _names(value.get("@type")):
            thing = thing or (about and name in _THINGS)
            if len(types) < SD_TYPES_MAX:
                types.setdefault(name)
        for key in ("dateModified", "datePublished"):
            if key not in dates and (date := _date(value.get(key))) is not None:
                dates[key] = date
        for key, inner in value.items():
            if isinstance(inner, dict | list):
                queue.append((inner, about and key in _BELOW))
    return thing


def _names(types: Any) -> list[str]:
    """Values of an @type, without the address of the vocabulary."""
    names = types if isinstance(types, list) else [types]
    found = [name.rpartition("/")[2].rpartition(":")[2][:100] for name in names[:8] if isinstance(name, str)]
    return [name for name in found if name]


def _date(value: Any) -> datetime | None:
    if not isinstance(value, str) or len(value) > _DATE_CHARS:
        return None
    date = parse_w3c(value.strip())
    return date.utc or date.lenient_utc


class Metas(NamedTuple):
    """What the meta elements of a page say of its content."""

    description: str | None = None
    modified: datetime | None = None
    published: datetime | None = None


def read_metas(metas: Iterable[LexborNode]) -> Metas:
    """Description and Open Graph dates: the first of each that says anything."""
    description: str | None = None
    dates: dict[str, datetime] = {}
    for node in metas:
        attributes = node.attributes
        name = (attributes.get("property") or attributes.get("name") or "").strip().lower()
        content = attributes.get("content")
        if not name or not content:
            continue
        if name == "description":
            if description is None:
                description = " ".join(content[: 4 * DESCRIPTION_MAX_CHARS].split())[:DESCRIPTION_MAX_CHARS]
        elif (
            (name in _MODIFIED or name in _PUBLISHED)
            and name not in dates
            and (date := _date(content)) is not None
        ):
            dates[name] = date
    return Metas(description or None, _first(dates, _MODIFIED), _first(dates, _PUBLISHED))


def _first(dates: dict[str, datetime], names: tuple[str, ...]) -> datetime | None:
    return next((dates[name] for name in names if name in dates), None)


def page_dates(data: StructuredData, metas: Metas, times: Iterable[LexborNode]) -> PageDates | None:
    """All dates of a page; None without one."""
    visible: dict[datetime, None] = {}
    for node in times:
        if (date := _date(node.attributes.get("datetime"))) is not None:
            visible.setdefault(date)
            if len(visible) == VISIBLE_DATES_MAX:
                break
    dates = (data.modified, data.published, metas.modified, metas.published)
    if not visible and not any(dates):
        return None
    return PageDates(
        jsonld_modified=data.modified,
        jsonld_published=data.published,
        og_modified=metas.modified,
        og_published=metas.published,
        visible=tuple(visible),
    )


def first_heading(headings: Iterable[LexborNode]) -> str | None:
    """The text of the first h1 that has one."""
    for node in headings:
        text = " ".join(node.text(separator=" ")[: 16 * TITLE_MAX_CHARS].split())[:TITLE_MAX_CHARS]
        if text:
            return text
    return None
