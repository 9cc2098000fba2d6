"""What a draft of robots.txt would change for the URLs that a run found listed: the question before a deploy.

Both sides are judged by the same matcher: the draft, and the robots.txt that the run saw, read back from its
fact. Bots that both files treat by the same rules are judged once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from sitemap_audit.cli.robots_look import Look
from sitemap_audit.errors import UsageError
from sitemap_audit.facts import RobotsFile, RobotsVerdict
from sitemap_audit.formats.robots import read_robots
from sitemap_audit.formats.robots_copy import body_of
from sitemap_audit.formats.robots_policy import RobotsPolicy
from sitemap_audit.store.listed import ListedUrl, listed_by_origin, listed_urls, stored_robots

BLOCKED: Final = "newly blocked"
FREED: Final = "freed"


class Change(NamedTuple):
    """A listed URL whose verdict the draft turns; `now` is that of the run, `then` that of the draft."""

    kind: str
    listed: ListedUrl
    now: RobotsVerdict
    then: RobotsVerdict

    @property
    def by(self) -> tuple[int, str]:
        """Line and rule behind the change: of the draft where it blocks, of the run's file where it did."""
        said = self.then if self.kind == BLOCKED else self.now
        return said.line or 0, said.rule or "no rule"


@dataclass(slots=True)
class Tally:
    """Bots that both files treat alike, and how many of the listed URLs are what. `unknown`: the run's robots.txt
    was out of reach, so that nobody knows what the draft changes."""

    bots: tuple[str, ...]
    blocked: int = 0
    freed: int = 0
    still_blocked: int = 0
    still_allowed: int = 0
    unknown: int = 0
    changes: list[Change] = field(default_factory=list)
    by_rule: Counter[tuple[str, int, str]] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Comparison:
    """`elsewhere`: listed URLs at other origins, which the draft does not concern."""

    origin: str
    published: RobotsFile
    listed: int
    elsewhere: int
    mode: str
    tallies: tuple[Tally, ...]

    def tally_of(self, bot: str) -> Tally:
        return next(tally for tally in self.tallies if bot in tally.bots)


def origin_of_draft(facts: Path, wanted: str | None) -> str:
    """The origin whose robots.txt the draft would be: that of the URL given, else the one that lists most."""
    listed = listed_by_origin(facts)
    if wanted is None and listed:
        wanted = next(iter(listed))
    if wanted is None:
        raise UsageError("this run lists no URL, so that there is nothing to hold a draft against")
    if wanted not in listed:
        known = ", ".join(list(listed)[:5]) or "none"
        raise UsageError(f"this run lists no URL at {wanted}; its origins: {known}")
    return wanted


def compare(facts: Path, look: Look, bots: Sequence[str], mode: str, *, keep: int | None) -> Comparison:
    """Hold the draft against the run. `keep`: changes kept of each rule, bot and kind; None keeps all."""
    origin = look.address.removesuffix("/robots.txt")
    file = stored_robots(facts).get(origin)
    if file is None:
        raise UsageError(
            f"this run did not read the robots.txt of {origin}, so that there is nothing to compare"
        )
    text = read_robots(body_of(file))
    now = RobotsPolicy(file.robots_url, file.state, text, mode, status=file.status)
    then = look.policy(mode)
    tallies = _alike(bots, now, then)
    listed = 0
    for url in listed_urls(facts, origin):
        listed += 1
        for tally in tallies:
            _count(tally, url, now, then, keep)
    total = sum(listed_by_origin(facts).values())
    return Comparison(origin, file, listed, total - listed, mode, tallies)


def _alike(bots: Sequence[str], now: RobotsPolicy, then: RobotsPolicy) -> tuple[Tally, ...]:
    found: dict[object, list[str]] = {}
    for bot in bots:
        found.setdefault((now.rules_of(bot).rules, then.rules_of(bot).rules), []).append(bot)
    return tuple(Tally(tuple(names)) for names in found.values())


def _count(tally: Tally, url: ListedUrl, now: RobotsPolicy, then: RobotsPolicy, keep: int | None) -> None:
    before, after = now.verdict(tally.bots[0], url.url), then.verdict(tally.bots[0], url.url)
    if before.allowed is None:
        tally.unknown += 1
    elif before.allowed == bool(after.allowed):
        tally.still_allowed += before.allowed
        tally.still_blocked += not before.allowed
    else:
        change = Change(BLOCKED if before.allowed else FREED, url, before, after)
        tally.blocked += before.allowed
        tally.freed += not before.allowed
        key = (change.kind, *change.by)
        tally.by_rule[key] += 1
        if keep is None or tally.by_rule[key] <= keep:
            tally.changes.append(change)
