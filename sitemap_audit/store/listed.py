"""What a run listed and what robots.txt said, read back from its parts without judging it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from sitemap_audit.facts import (
    ErrorClass,
    Group,
    RobotsFile,
    RobotsLine,
    RobotsRule,
    RobotsSitemapLine,
    RobotsState,
    UnsupportedLine,
)
from sitemap_audit.store.columns import Kind
from sitemap_audit.store.connection import literal
from sitemap_audit.store.resume import stored_rows

_LISTED: Final = "url_key IS NOT NULL AND loc IS NOT NULL AND NOT coalesce(is_child, false)"
_ORIGIN: Final = "regexp_extract(loc, '^[a-z]+://[^/?#]+')"
_ROBOTS: Final = (
    "origin", "robots_url", "state", "status", "bytes", "cut_at", "encoding_ok", "lines", "groups", "rules",
    "sitemaps", "unsupported", "typos", "unknown_lines", "sha256", "rules_hash", "fetched_at", "error_class",
    "outage_since", "last_good_at", "last_good_sha256",
)  # fmt: skip


class ListedUrl(NamedTuple):
    """A listed URL as it was requested, and where it stands first."""

    url: str
    sitemap: str | None
    line: int | None


def listed_by_origin(facts: Path) -> dict[str, int]:
    """Origin → number of different listed URLs. Raises RunFolderError when a part is damaged."""
    sql = f"""SELECT origin, count(*) FROM (
        SELECT min({_ORIGIN}) AS origin FROM ($facts$) WHERE {_LISTED} GROUP BY url_key
    ) GROUP BY origin ORDER BY count(*) DESC, origin"""
    return {origin: n for origin, n in stored_rows(facts, Kind.ENTRIES, sql) if origin}


def listed_urls(facts: Path, origin: str) -> Iterator[ListedUrl]:
    """The listed URLs of an origin, each once, sorted. Raises RunFolderError likewise."""
    sql = f"""SELECT f.loc, f.sitemap, f.line FROM (
        SELECT arg_min({{'loc': loc, 'sitemap': sitemap, 'line': line}}, (sitemap, "position")) AS f
        FROM ($facts$) WHERE {_LISTED} AND starts_with(loc, {literal(origin + "/")}) GROUP BY url_key
    ) ORDER BY f.loc"""
    return (ListedUrl._make(row) for row in stored_rows(facts, Kind.ENTRIES, sql))


def stored_robots(facts: Path) -> dict[str, RobotsFile]:
    """Origin → its robots.txt as the run saw it, see `robots_of`."""
    return {file.origin: file for file in robots_of(facts)}


def robots_of(facts: Path) -> Iterator[RobotsFile]:
    """The robots.txt of each origin as the run saw it, the last look where there were two, by origin. Not every
    field is read back: those that say what it holds. Raises RunFolderError likewise."""
    names = ", ".join(f'"{name}"' for name in _ROBOTS)
    sql = f"""SELECT {names} FROM ($facts$) WHERE coalesce(at_root, true)
        QUALIFY row_number() OVER (PARTITION BY origin
            ORDER BY state IN ('unreachable', 'server_error'), fetched_at) = 1 ORDER BY origin"""
    for row in stored_rows(facts, Kind.ROBOTS, sql):
        yield _robots_file(dict(zip(_ROBOTS, row, strict=True)))


def _robots_file(row: Mapping[str, Any]) -> RobotsFile:
    return RobotsFile(
        origin=row["origin"],
        robots_url=row["robots_url"],
        state=RobotsState(row["state"]),
        status=row["status"],
        bytes=row["bytes"] or 0,
        cut_at=row["cut_at"],
        encoding_ok=row["encoding_ok"] is not False,
        lines=row["lines"] or 0,
        groups=tuple(Group(g["line"], tuple(g["agents"])) for g in row["groups"] or ()),
        rules=tuple(RobotsRule(**rule) for rule in row["rules"] or ()),
        sitemaps=tuple(RobotsSitemapLine(**line) for line in row["sitemaps"] or ()),
        unsupported=tuple(UnsupportedLine(**line) for line in row["unsupported"] or ()),
        typos=tuple(RobotsLine(**line) for line in row["typos"] or ()),
        unknown_lines=tuple(RobotsLine(**line) for line in row["unknown_lines"] or ()),
        sha256=row["sha256"],
        rules_hash=row["rules_hash"],
        fetched_at=_aware(row["fetched_at"]),
        error_class=ErrorClass(row["error_class"]) if row["error_class"] else None,
        outage_since=_aware(row["outage_since"]),
        last_good_at=_aware(row["last_good_at"]),
        last_good_sha256=row["last_good_sha256"],
    )


def _aware(time: datetime | None) -> datetime | None:
    return time.replace(tzinfo=UTC) if time is not None else None
