"""What an answer of /robots.txt means for one origin, and the verdicts that follow (definitions 6.1).

From the way the file was answered to a state, from the state to an effect in each mode, from the effect and
the text to a verdict per bot and URL. Fetches nothing and knows no clock: how long an outage lasts is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from sitemap_audit.facts import (
    ErrorClass,
    Hop,
    RobotsFile,
    RobotsPast,
    RobotsSitemapLine,
    RobotsState,
    RobotsVerdict,
)
from sitemap_audit.formats.robots import RobotsMode, RobotsText, read_robots
from sitemap_audit.formats.robots_match import BotRules, crawl_delay, kept_delay, rules_for
from sitemap_audit.formats.robots_patterns import robots_path
from sitemap_audit.formats.urls import parse_url
from sitemap_audit.settings import (
    PRODUCT_TOKEN,
    ROBOTS_COPY_GOOGLE_S,
    ROBOTS_COPY_RFC_S,
    ROBOTS_MAX_BYTES,
    ROBOTS_PAUSE_S,
)

_HTML_TYPES: Final = ("text/html", "application/xhtml+xml")
_DETAIL_MAX_CHARS: Final = 300


class Effect(StrEnum):
    """What crawlers do with an origin after its /robots.txt was answered, or was not."""

    RULES = "rules"
    NO_LIMITS = "no_limits"
    PAUSED = "paused"
    LAST_GOOD = "last_good"
    DISALLOW_ALL = "disallow_all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """A robots.txt that fails, as far as earlier runs know of it.

    `age_s`: seconds since its first failure (0 in a first run). `last_good`: the text of the last copy that
    could be read, of the time `last_good_at`, `copy_age_s` old (None: as old as the outage).
    `site_answers`: pages of the origin can be fetched.
    """

    age_s: float = 0.0
    last_good: RobotsText | None = None
    last_good_at: datetime | None = None
    copy_age_s: float | None = None
    site_answers: bool = True


_FRESH_OUTAGE: Final = Outage()


def outage_of(past: RobotsPast | None, failed_at: datetime) -> Outage:
    """The outage that a failure at `failed_at` begins or goes on with, by what earlier runs knew."""
    if past is None:
        return _FRESH_OUTAGE
    return Outage(
        age_s=max(0.0, (failed_at - (past.outage_since or failed_at)).total_seconds()),
        last_good=read_robots(past.last_good) if past.last_good is not None else None,
        last_good_at=past.last_good_at,
        copy_age_s=max(0.0, (failed_at - past.last_good_at).total_seconds()) if past.last_good_at else None,
    )


def copy_words(outage: Outage) -> str:
    """`last good copy of 2026-11-30 12:00 UTC, 13 hours old`."""
    at = f" of {outage.last_good_at:%Y-%m-%d %H:%M} UTC" if outage.last_good_at else ""
    hours = int(outage.copy_age_s // 3600) if outage.copy_age_s is not None else None
    old = f", {hours:,} hour{'s' * (hours != 1)} old" if hours is not None else ""
    return f"last good copy{at}{old}"


def state_of(
    status: int | None, error_class: ErrorClass | None, redirect_problem: str | None, is_html: bool
) -> RobotsState:
    """The state of an answer (definitions 6.1, first table).

    `status` is that of the final answer; `redirect_problem` is set when a chain ended without one (loop,
    too long, no usable Location); `is_html` comes from `is_html_answer`. An error beside a status counts
    only where the body matters: a 404 with a short body is a 404.
    """
    if redirect_problem:
        return RobotsState.REDIRECT_LIMIT
    if status is None or status < 200 or (error_class is not None and status < 400):
        return RobotsState.UNREACHABLE
    if status < 300:
        return RobotsState.HTML if is_html else RobotsState.OK
    if status < 400:
        return RobotsState.REDIRECT_LIMIT
    if status >= 500 or status == 429:
        return RobotsState.SERVER_ERROR
    return RobotsState.FORBIDDEN if status in (401, 403) else RobotsState.MISSING


def is_html_answer(text: RobotsText, content_type: str | None) -> bool:
    """Is this an HTML page without a rule? It begins like one, or is labelled so and holds markup."""
    if text.is_html:
        return True
    media_type = (content_type or "").partition(";")[0].strip().lower()
    return media_type in _HTML_TYPES and text.markup and not any(block.rules for block in text.blocks)


def effect_of(
    state: RobotsState,
    mode: RobotsMode | str = RobotsMode.GOOGLE,
    *,
    status: int | None = None,
    outage: Outage = _FRESH_OUTAGE,
) -> Effect:
    """What a state comes to (definitions 6.1, both tables). `status` tells 429 from 5xx in rfc mode."""
    if state in (RobotsState.OK, RobotsState.HTML):
        return Effect.RULES
    if state not in (RobotsState.SERVER_ERROR, RobotsState.UNREACHABLE):
        return Effect.NO_LIMITS
    if RobotsMode(mode) is RobotsMode.RFC:
        if status == 429 or outage.age_s > ROBOTS_COPY_GOOGLE_S:
            return Effect.NO_LIMITS
        # A copy is valid for 24 hours: one that was read today stands in, whenever the failures began.
        age_s = outage.age_s if outage.copy_age_s is None else outage.copy_age_s
        copy = outage.last_good is not None and age_s < ROBOTS_COPY_RFC_S
        return Effect.LAST_GOOD if copy else Effect.DISALLOW_ALL
    if outage.age_s < ROBOTS_PAUSE_S:
        return Effect.PAUSED
    if outage.age_s > ROBOTS_COPY_GOOGLE_S:
        return Effect.NO_LIMITS if outage.site_answers else Effect.PAUSED
    return Effect.LAST_GOOD if outage.last_good is not None else Effect.NO_LIMITS


class RobotsPolicy:
    """Verdicts for the URLs of one origin. Keeps the compiled rules of each bot that was asked for."""

    def __init__(
        self,
        robots_url: str,
        state: RobotsState,
        text: RobotsText | None,
        mode: RobotsMode | str = RobotsMode.GOOGLE,
        *,
        status: int | None = None,
        outage: Outage = _FRESH_OUTAGE,
    ) -> None:
        """`text` may be None where the state holds no rules."""
        self.robots_url = robots_url
        self.state = state
        self.mode = RobotsMode(mode)
        self.effect = effect_of(state, self.mode, status=status, outage=outage)
        copy = outage.last_good if self.effect is Effect.LAST_GOOD else None
        self._text = copy or (text if self.effect is Effect.RULES else None) or read_robots(b"")
        self._copy_note = f" ({copy_words(outage)})" if copy is not None else ""
        blocks = self._text.blocks if self.mode is RobotsMode.GOOGLE else self._text.rfc_blocks
        self._tokens = frozenset[str]().union(*(block.tokens for block in blocks))
        self._star = rules_for(self._text, "*", self.mode)
        self._has_star = any(block.star for block in blocks)
        self._rules: dict[str, BotRules] = {}
        self._verdicts: dict[tuple[bool | None, int | None, int | None, bool | None], RobotsVerdict] = {}

    def verdict(self, bot: str, href: str) -> RobotsVerdict:
        """May the bot with this product token fetch this URL, as it is requested, and by which line?

        `allowed` is None while crawling is paused. `star_allowed` only where a group of the bot's own binds
        it and the file has one for `*`.
        """
        if self.effect is Effect.RULES or self.effect is Effect.LAST_GOOD:
            rules = self.rules_of(bot)
            match = rules.match(href)
            star = self._star.match(href).allowed if rules.named and self._has_star else None
            key = (match.allowed, match.line, match.tie_line, star)
            verdict = self._verdicts.get(key)
            if verdict is None:
                rule = match.rule + self._copy_note if match.rule else None
                verdict = self._verdicts[key] = self._make(
                    match.allowed, rule, match.line, match.group_line, match.tie_line, star
                )
            return verdict
        allowed: bool | None = None
        if self.effect is not Effect.PAUSED:
            # RFC 9309, 2.2.2: /robots.txt itself is always allowed.
            allowed = self.effect is Effect.NO_LIMITS or robots_path(href) == "/robots.txt"
        verdict = self._verdicts.get((allowed, None, None, None))
        if verdict is None:
            verdict = self._verdicts[allowed, None, None, None] = self._make(allowed)
        return verdict

    @property
    def text(self) -> RobotsText:
        """The text in force: that of the answer, or the last good copy's; empty where no rules decide."""
        return self._text

    def sitemaps(self) -> tuple[RobotsSitemapLine, ...]:
        """The Sitemap lines of the text in force."""
        return tuple(_sitemap(line, self.robots_url) for line in self._text.sitemaps)

    def effective(self, bot: str) -> str | None:
        """allow_all, disallow_all or mixed for this bot; None while crawling is paused."""
        if self.effect is Effect.PAUSED:
            return None
        if self.effect is Effect.DISALLOW_ALL:
            return "disallow_all"
        return self.rules_of(bot).effective()

    def crawl_delay(self, token: str) -> float | None:
        """Seconds that the file asks this agent to wait between requests, as written."""
        return crawl_delay(self._text, token)

    def kept_delay(self, token: str) -> float | None:
        """Seconds that this agent waits: the same up to a cap."""
        return kept_delay(self._text, token)

    def second_opinion(self, bot: str, href: str) -> bool | None:
        """What Protego says by the bot's rules; None where no rules decide. Recorded, never the verdict."""
        if self.effect is Effect.RULES or self.effect is Effect.LAST_GOOD:
            return self.rules_of(bot).second_opinion(href)
        return None

    def rules_of(self, bot: str) -> BotRules:
        """The rules that bind this bot: those of its own groups, else those for `*`."""
        rules = self._rules.get(bot)
        if rules is None:
            own = bot.lower() in self._tokens
            rules = rules_for(self._text, bot, self.mode) if own else self._star
            self._rules[bot] = rules
        return rules

    def _make(
        self,
        allowed: bool | None,
        rule: str | None = None,
        line: int | None = None,
        group_line: int | None = None,
        tie_line: int | None = None,
        star_allowed: bool | None = None,
    ) -> RobotsVerdict:
        return RobotsVerdict(
            allowed=allowed,
            rule=rule,
            line=line,
            group_line=group_line,
            robots_url=self.robots_url,
            state=self.state,
            tie_line=tie_line,
            star_allowed=star_allowed,
        )


def robots_file(
    policy: RobotsPolicy,
    text: RobotsText | None,
    *,
    bots: Iterable[str] = (),
    at_root: bool = True,
    truncated: bool = False,
    first_status: int | None = None,
    status: int | None = None,
    hops: Sequence[Hop] = (),
    final_url: str | None = None,
    error_class: ErrorClass | None = None,
    error_detail: str | None = None,
    content_type: str | None = None,
    cache_control_max_age: int | None = None,
    past: RobotsPast | None = None,
    fetched_at: datetime | None = None,
    total_ms: int = 0,
) -> RobotsFile:
    """The fact about an origin's robots.txt, from the outcome of its fetch.

    `text` is the body of the final answer, whatever its status; None where there was no body. Of a body
    that states no rules (404, 503 …) only size, hash and encoding are kept. `truncated`: the transfer was
    stopped at our limit. `bots`: whose `effective` is wanted. `past`: what earlier runs knew, of interest where
    the file fails. Sitemap values are resolved against the requested URL, for a redirect to another host moves
    no rule and no map.
    """
    failed = policy.state in (RobotsState.SERVER_ERROR, RobotsState.UNREACHABLE)
    known = (past or RobotsPast()) if failed else RobotsPast()
    origin = parse_url(policy.robots_url)
    effective = {bot: policy.effective(bot) for bot in bots}
    seen = text or read_robots(b"")
    stated = seen if policy.state in (RobotsState.OK, RobotsState.HTML) else read_robots(b"")
    return RobotsFile(
        origin=origin.origin if origin else policy.robots_url,
        robots_url=policy.robots_url,
        at_root=at_root,
        state=policy.state,
        first_status=first_status,
        status=status,
        hops=tuple(hops),
        final_url=final_url,
        error_class=error_class,
        error_detail=error_detail[:_DETAIL_MAX_CHARS] if error_detail else None,
        content_type=content_type,
        bytes=seen.size,
        cut_at=seen.cut_at or (ROBOTS_MAX_BYTES if truncated else None),
        encoding_ok=seen.encoding_ok,
        charset_guess=seen.charset_guess if text else None,
        bom=seen.bom,
        is_html=policy.state is RobotsState.HTML,
        sha256=seen.sha256 if text else None,
        rules_hash=stated.rules_hash,
        lines=seen.lines,
        groups=stated.groups,
        rules=stated.rules,
        sitemaps=tuple(_sitemap(line, policy.robots_url) for line in stated.sitemaps),
        unsupported=stated.unsupported,
        unknown_lines=stated.unknown_lines,
        typos=stated.typos,
        cache_control_max_age=cache_control_max_age,
        crawl_delay_s=policy.crawl_delay(PRODUCT_TOKEN),
        crawl_delay_kept_s=policy.kept_delay(PRODUCT_TOKEN),
        effect=policy.effect.value,
        effective={bot: says for bot, says in effective.items() if says is not None} or None,
        last_good_sha256=known.last_good_sha256,
        last_good_at=known.last_good_at,
        outage_since=(known.outage_since or fetched_at) if failed else None,
        fetched_at=fetched_at,
        total_ms=total_ms,
    )


def _sitemap(line: RobotsSitemapLine, robots_url: str) -> RobotsSitemapLine:
    """The usable URL of a Sitemap line. A relative value is resolved; a URL in quotes or brackets, or with
    a scheme that is none, is not taken for a relative path."""
    url = parse_url(line.raw)
    if url is None and line.raw and line.raw[0] not in "<\"'" and "://" not in line.raw:
        url = parse_url(line.raw, robots_url)
    home = parse_url(robots_url)
    same = url is not None and home is not None and url.host == home.host
    return RobotsSitemapLine(line.line, line.raw, url.href if url else None, same)
