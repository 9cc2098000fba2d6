"""The functions that the shared case files ask: thin, so that the product is what is tested."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

from sitemap_audit.formats.dates import ParsedDate, parse_http_date, parse_rfc822, parse_rfc3339, parse_w3c
from sitemap_audit.formats.hreflang import parse_hreflang
from sitemap_audit.formats.robots import read_robots
from sitemap_audit.formats.robots_match import rules_for
from tests.conformance.adapter_page import canonical, robots_directives

__all__ = [
    "canonical",
    "hreflang",
    "parse_datetime",
    "robots_allowed",
    "robots_directives",
    "sitemaps_in_robots",
]

_DATES: Final[dict[str, Callable[[str], ParsedDate]]] = {
    "w3c": parse_w3c,
    "rfc3339": parse_rfc3339,
    "rfc822": parse_rfc822,
    "http-date": parse_http_date,
}


def parse_datetime(format: str, value: str) -> datetime | None:
    """The instant in UTC; None if the value is not valid in its format."""
    return _DATES[format](value).utc


def hreflang(value: str) -> str | None:
    """The normal form; None if the value is not valid."""
    return parse_hreflang(value).code


def robots_allowed(robots_txt: bytes, user_agent: str, url: str, mode: str = "google") -> bool:
    """May the bot with this product token fetch the URL?"""
    return rules_for(read_robots(robots_txt), user_agent, mode).match(url).allowed


def sitemaps_in_robots(robots_txt: bytes) -> list[str]:
    """The raw Sitemap values in order."""
    return [line.raw for line in read_robots(robots_txt).sitemaps]
