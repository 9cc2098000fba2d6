"""One redirect step."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class HopKind(StrEnum):
    HTTP = "http"
    REFRESH_HEADER = "refresh_header"
    META_REFRESH = "meta_refresh"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """`url` answered `status` and pointed to `location`.

    `n` counts from 1; `location_raw` is the header as sent (latin-1), `location` the resolved absolute
    URL, None when it cannot be used. `ms` is the time of this answer. `robots_allowed` is about the
    target, by its own origin.
    """

    n: int
    url: str
    status: int | None
    kind: HopKind = HopKind.HTTP
    location_raw: str | None = None
    location: str | None = None
    ms: int = 0
    robots_allowed: bool | None = None
    set_cookie: bool = False
