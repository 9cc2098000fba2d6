"""What a rule is: one frozen record with its words, its SQL and its cases.

All that is said of a rule is said here once; documentation, `explain`, tests and reports read these
fields. Nothing in this file knows a single rule, and nothing here runs SQL (engine.py does).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from string import Formatter
from typing import Any, Final

Row = Mapping[str, Any]
"""Column name → value of one line; what is left out is NULL."""

FIX_COLUMNS: Final = ("url", "sitemap", "line", "claim", "reality", "related_url", "subject")
"""Columns of a finding that the braces of a fix may name."""

_ID: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+", re.ASCII)


class Severity(StrEnum):
    """error: search engines drop or misread something. warning: they may. notice: good to know."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


class Confidence(StrEnum):
    """sure: seen directly. likely: a heuristic above its upper bound. possible: between the bounds."""

    SURE = "sure"
    LIKELY = "likely"
    POSSIBLE = "possible"


class Tier(StrEnum):
    """When a rule was promised; the first thirty also have a rank."""

    TOP30 = "top30"
    V1 = "v1"
    LATER = "later"


class Need(StrEnum):
    """What must have been seen of a URL; each is a boolean column of the table `seen`.

    The order is that of the reasons: the first one lacking explains the others.
    """

    TRIED = "tried"
    RESPONSE = "response"
    HEAD = "head"
    CONTENT = "content"
    ROBOTS = "robots"
    BLOCKED_PAGE = "blocked_page"
    PREVIOUS_RUN = "previous_run"
    LINKS = "links"
    ACCESS_LOG = "access_log"


OPTION_FOR: Final = {Need.BLOCKED_PAGE: "--inspect-blocked"}
"""Needs that a run meets only with an option: named wherever the need is."""


def need_words(needs: frozenset[Need]) -> str:
    """The needs in order, each with the option it takes: `blocked_page (--inspect-blocked), robots`."""
    return ", ".join(f"{n} ({OPTION_FOR[n]})" if n in OPTION_FOR else n for n in sorted(needs))


@dataclass(frozen=True, slots=True)
class Source:
    """Why the rule is right. `id`: a line of sources.py; `section`: the place, in our words, never quoted."""

    id: str
    section: str


@dataclass(frozen=True, slots=True)
class Fires:
    """A case that gives exactly one finding: documentation and test at once.

    `facts`: table → rows. `finds`: exact values of the finding's columns (those left out are free).
    """

    title: str
    facts: Mapping[str, Sequence[Row]]
    finds: Row


@dataclass(frozen=True, slots=True)
class Passes:
    """A near miss: looks alike, must stay silent."""

    title: str
    facts: Mapping[str, Sequence[Row]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of the catalogue.

    `why` and `fix` are words for the site owner; braces in `fix` name FIX_COLUMNS.

    `sql` reads the tables of docs/facts.md and nothing else, and returns by name: `url_key` (NULL for
    findings about a file, an origin or the run), `subject`, `reality`; where it has them `related_url`,
    `severity`, `confidence` (NULL = the rule's own); rules about files and entries also `sitemap`,
    `line` and `claim`. A finding with a `url_key` and without a `claim` gets those of `listing`.

    `needs`: what must be known of a URL before silence about it means health. `targets` selects the
    pairs `url_key, target` that a rule about pairs wants to judge, `target_needs` what must be known of
    the target; `sql` then reads the relation `targets`, which holds only the pairs that can be judged.
    `lacks` selects `url_key, reason` of what the rule itself cannot judge beyond `needs`: only for
    rules whose fact is not a URL of the audit (the robots.txt of another host).
    """

    id: str
    severity: Severity
    title: str
    why: str
    fix: str
    source: tuple[Source, ...]
    needs: frozenset[Need]
    sql: str
    fires: tuple[Fires, ...]
    passes: tuple[Passes, ...]
    confidence: Confidence = Confidence.SURE
    targets: str | None = None
    target_needs: frozenset[Need] = frozenset()
    lacks: str | None = None
    tier: Tier = Tier.V1
    rank: int | None = None
    """Place among the thirty that matter most, 1 first."""
    off: bool = False
    """Judged only when `[rules.severity]` of the configuration gives it a severity."""
    known_as: tuple[str, ...] = ()
    """What other tools call it, each `tool: its words`."""

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise ValueError(f"rule id {self.id!r} is not kebab-case (area-what)")
        if (self.rank is not None) != (self.tier is Tier.TOP30):
            raise ValueError(f"rule {self.id}: a rank belongs to tier top30, and to that alone")
        if self.target_needs and self.targets is None:
            raise ValueError(f"rule {self.id}: target_needs without targets")

    @property
    def area(self) -> str:
        """The family: first word of the id and name of its folder (tested)."""
        return self.id.partition("-")[0]

    @property
    def fix_columns(self) -> frozenset[str]:
        """Columns of the finding that the fix names in braces."""
        return frozenset(name for _, name, _, _ in Formatter().parse(self.fix) if name is not None)
