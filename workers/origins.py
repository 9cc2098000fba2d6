"""One origin's robots.txt as a worker holds it: the policy, the verdicts for all bots, our own leave."""

from __future__ import annotations

import time
from typing import Final, NamedTuple, Protocol

import orjson

from sitemap_audit.facts import ErrorClass
from sitemap_audit.formats.robots import RobotsMode
from sitemap_audit.formats.robots_match import index_of
from sitemap_audit.formats.robots_patterns import PatternIndex, robots_path
from sitemap_audit.formats.robots_policy import Effect, RobotsPolicy
from sitemap_audit.queue.messages import LeftWhy
from sitemap_audit.queue.robots import StoredRobots
from sitemap_audit.settings import PRODUCT_TOKEN, ROBOTS_CPU_S

FEW_RULES: Final = 500
"""Up to so many rules a URL is first asked whether any of them matches: one look costs no more than a few us."""


class Waiting(Protocol):
    """What needs the policy of an origin to go on."""

    def resume(self) -> None: ...

    def hand_back(self, why: LeftWhy) -> None: ...


class Leave(NamedTuple):
    """May a URL be fetched (definitions 12)? `bot`, `own`: True, False, None = crawling is paused."""

    bot: bool | None
    own: bool | None
    verdicts: orjson.Fragment
    """The verdicts of every bot of the report, as the JSON of Page.robots: written once, not for each page."""


class Origin:
    """`waiting`: what goes on when the policy is there (or its failure is known)."""

    __slots__ = (
        "_any_rule",
        "_bots",
        "_cpu_s",
        "_free",
        "_leaves",
        "_mode",
        "_named",
        "crawl_delay_s",
        "failing",
        "name",
        "pending",
        "policy",
        "private",
        "waiting",
    )

    def __init__(self, name: str, bots: tuple[str, ...], mode: str) -> None:
        self.name = name
        self.policy: RobotsPolicy | None = None
        self.private = False
        """The address guard refused it."""
        self.failing = False
        """The first look failed, the second is not due yet. Asked anew by each batch."""
        self.pending = False
        self.waiting: list[Waiting] = []
        self.crawl_delay_s: float | None = None
        self._bots = bots
        self._mode = mode
        self._named: tuple[str, ...] = ()
        self._any_rule: PatternIndex | None = None
        """The patterns that bind any of the bots. Most URLs match none, and then all bots say the same of all of them."""
        self._free: Leave | None = None
        self._leaves: dict[tuple[int, ...], Leave] = {}
        self._cpu_s = 0.0

    @property
    def known(self) -> bool:
        return self.policy is not None or self.private

    def adopt(self, stored: StoredRobots) -> None:
        """Take what was answered."""
        self.failing = False
        if stored.error_class is ErrorClass.PRIVATE_HOST:
            self.private = True
            return
        self.policy, _ = stored.policy(self._mode)
        # Bots without a group of their own share the verdict of `*`: most files are judged once a URL.
        named = self.policy.text.named
        self._named = tuple(b for b in (*self._bots, PRODUCT_TOKEN) if b.lower() in named)
        self.crawl_delay_s = self.policy.kept_delay(PRODUCT_TOKEN)
        self._leaves.clear()
        self._any_rule = self._free = None
        if self._mode == RobotsMode.GOOGLE and self.policy.effect is Effect.RULES:
            rules = [self.policy.rules_of(bot) for bot in ("*", *self._named)]
            if sum(len(some.rules) for some in rules) <= FEW_RULES:
                self._any_rule = index_of(rules)

    def leave(self, href: str) -> Leave | None:
        """What robots.txt says of a URL as it is requested; None when the file has cost too much time."""
        policy = self.policy
        assert policy is not None
        if self._cpu_s > ROBOTS_CPU_S:
            return None
        began = time.perf_counter()
        any_rule = self._any_rule
        if any_rule is None or any_rule.best(robots_path(href))[0]:
            leave = self._judge(policy, href)
        else:
            leave = self._free = self._free or self._judge(policy, href)
        self._cpu_s += time.perf_counter() - began
        return leave

    def _judge(self, policy: RobotsPolicy, href: str) -> Leave:
        star = policy.verdict("*", href)
        named = [policy.verdict(bot, href) for bot in self._named]
        # The policy hands out one object for one outcome and keeps it, so its identity is a key.
        key = (id(star), *map(id, named))
        leave = self._leaves.get(key)
        if leave is None:
            verdicts = dict.fromkeys((*self._bots, PRODUCT_TOKEN), star) | dict(
                zip(self._named, named, strict=True)
            )
            of_bots = orjson.Fragment(orjson.dumps({bot: verdicts[bot] for bot in self._bots}))
            bot, own = verdicts[self._bots[0]], verdicts[PRODUCT_TOKEN]
            leave = self._leaves[key] = Leave(bot.allowed, own.allowed, of_bots)
        return leave
