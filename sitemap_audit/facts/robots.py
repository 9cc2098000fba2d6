"""What an origin's robots.txt answered, and what a verdict by it holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sitemap_audit.facts.hop import Hop
from sitemap_audit.facts.problem import ErrorClass


class RobotsState(StrEnum):
    """What the answer of /robots.txt was (definitions 6.1)."""

    OK = "ok"
    MISSING = "missing"
    FORBIDDEN = "forbidden"
    UNREACHABLE = "unreachable"
    SERVER_ERROR = "server_error"
    REDIRECT_LIMIT = "redirect_limit"
    HTML = "html"


@dataclass(frozen=True, slots=True)
class Group:
    """A header of agent lines; `agents` as written, `line` the first of them."""

    line: int
    agents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RobotsRule:
    """`field` is allow or disallow, `path` as written, `group_line` the line of its group."""

    line: int
    field: str
    path: str
    group_line: int


@dataclass(frozen=True, slots=True)
class RobotsSitemapLine:
    """`raw` as the parser gives it; `abs` the usable absolute URL, None if there is none."""

    line: int
    raw: str
    abs: str | None = None
    same_host: bool = False


@dataclass(frozen=True, slots=True)
class UnsupportedLine:
    """A known field without effect for Google (crawl-delay, noindex, host …)."""

    line: int
    field: str
    value: str


@dataclass(frozen=True, slots=True)
class RobotsLine:
    """A line that is unknown, or was accepted though it is misspelt; text at most 200 characters."""

    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsVerdict:
    """May one bot fetch one URL, and which line says so.

    `allowed` None = unknown. `tie_line`: the Disallow of equal length that an Allow beat.
    `star_allowed`: what the `*` group would say, only where another group binds the bot.
    """

    allowed: bool | None
    rule: str | None = None
    line: int | None = None
    group_line: int | None = None
    robots_url: str | None = None
    state: RobotsState = RobotsState.OK
    tie_line: int | None = None
    star_allowed: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsPast:
    """What earlier runs knew of an origin's robots.txt.

    `outage_since`: its first failure, if it failed the last time. `last_good`: a text that reads as the last
    copy that could be read, of the time `last_good_at`; `last_good_sha256` of the bytes it then had.
    """

    outage_since: datetime | None = None
    last_good: bytes | None = None
    last_good_at: datetime | None = None
    last_good_sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsFile:
    """One line an origin."""

    origin: str
    robots_url: str
    at_root: bool = True
    state: RobotsState
    first_status: int | None = None
    status: int | None = None
    hops: tuple[Hop, ...] = ()
    final_url: str | None = None
    error_class: ErrorClass | None = None
    error_detail: str | None = None
    content_type: str | None = None
    bytes: int = 0
    cut_at: int | None = None
    encoding_ok: bool = True
    charset_guess: str | None = None
    bom: bool = False
    is_html: bool = False
    sha256: str | None = None
    rules_hash: str | None = None
    lines: int = 0
    groups: tuple[Group, ...] = ()
    rules: tuple[RobotsRule, ...] = ()
    sitemaps: tuple[RobotsSitemapLine, ...] = ()
    unsupported: tuple[UnsupportedLine, ...] = ()
    unknown_lines: tuple[RobotsLine, ...] = ()
    typos: tuple[RobotsLine, ...] = ()
    cache_control_max_age: int | None = None
    crawl_delay_s: float | None = None
    """What the group of our own agent asks for."""
    crawl_delay_kept_s: float | None = None
    effect: str | None = None
    """What crawlers do after this answer: rules, no_limits, paused, last_good or disallow_all (definitions 6.1)."""
    effective: dict[str, str] | None = None
    """bot → allow_all, disallow_all or mixed."""
    last_good_sha256: str | None = None
    last_good_at: datetime | None = None
    outage_since: datetime | None = None
    fetched_at: datetime | None = None
    total_ms: int = 0
