"""What the content of one page says, where it takes more than a plain value (docs/facts.md, pages)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDates:
    """Dates that a page states about itself; a date alone stands for its midnight UTC.

    `visible`: of its time elements, in order, each once.
    """

    jsonld_modified: datetime | None = None
    jsonld_published: datetime | None = None
    og_modified: datetime | None = None
    og_published: datetime | None = None
    visible: tuple[datetime, ...] = ()


@dataclass(frozen=True, slots=True)
class ProbePrint:
    """Simhash (16 hex) and word count without the words of the requested path and of probes (definitions 2)."""

    simhash: str
    words: int


@dataclass(frozen=True, slots=True)
class Soft404Points:
    """What a page shows by itself (definitions 2). `points` may be negative; `reasons` in fixed order."""

    points: float
    reasons: tuple[str, ...]
