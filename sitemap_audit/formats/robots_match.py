"""Which rule of robots.txt decides about a URL: the choice of one bot's rules, and the match (6.3 to 6.5).

Two readings: `google` is that of Google's parser, `rfc` that of RFC 9309. Protego is a second opinion: where
it differs, crawlers may disagree; it never decides.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Final, NamedTuple

from protego import Protego

from sitemap_audit.formats.robots import RawRule, RobotsMode, RobotsText, escape_value, show
from sitemap_audit.formats.robots_patterns import (
    Found,
    PatternIndex,
    has_query_url,
    rfc_form,
    rfc_query,
    robots_path,
    visible,
)
from sitemap_audit.settings import CRAWL_DELAY_CAP_S, CRAWL_DELAY_STAR_CAP_S

_INDEX_PAGE: Final = "/index.htm"


class Match(NamedTuple):
    """`rule` as in `Disallow: /x`, its `line` and the first line of its group; None where no rule fits.

    `tie_line`: the Disallow of equal length that an Allow beat.
    """

    allowed: bool
    rule: str | None
    line: int | None
    group_line: int | None
    tie_line: int | None


FREE: Final = Match(True, None, None, None, None)
"""No rule fits."""


class BotRules:
    """The rules that bind one bot, ready to match. `rules_for` makes them.

    `named`: the file has a group of the bot's own; otherwise these are the rules for `*`.
    """

    def __init__(self, rules: Iterable[RawRule], mode: RobotsMode, *, named: bool) -> None:
        self.named = named
        self.mode = mode
        first: dict[tuple[bool, bytes], RawRule] = {}
        for rule in rules:
            # An empty value never wins, and of equal rules the first is the one to report.
            if rule.value:
                first.setdefault((rule.allow, rule.value), rule)
        self.rules: tuple[RawRule, ...] = tuple(first.values())
        self._matches: dict[tuple[int, int], Match] = {}

    def match(self, url: str) -> Match:
        """Is `url` (absolute, or a path) allowed, and by which rule? Never raises."""
        path = robots_path(url)
        if self.mode is RobotsMode.GOOGLE:
            return self._decide(self._indexes[0].best(path))
        if path == "/robots.txt":
            return FREE
        path = rfc_form(path, pattern=False)
        plain, query = self._indexes
        found = plain.best(path)
        return self._decide(_better(found, query.best(rfc_query(path))) if query else found)

    def effective(self) -> str:
        """allow_all, disallow_all or mixed: what the rules come to for all paths together."""
        allows: dict[str, int] = {}
        blocks: dict[str, int] = {}
        for rule in self.rules:
            for pattern in self.patterns(rule):
                if pattern[0] in "/*":  # others match nothing
                    (allows if rule.allow else blocks)[pattern] = len(pattern)
        longest_block = max((n for pattern, n in blocks.items() if pattern not in allows), default=0)
        if longest_block <= _reach(allows):
            return "allow_all"
        return "disallow_all" if max(allows.values(), default=0) < _reach(blocks) else "mixed"

    def second_opinion(self, url: str) -> bool:
        """What Protego says about these rules of one bot; never the verdict."""
        return bool(self._protego.can_fetch(url, "*"))

    def _decide(self, found: Found) -> Match:
        _, allow, disallow = found
        rule = allow or disallow
        if rule is None:
            return FREE
        tie_line = disallow.line if allow and disallow else 0
        # The answer does not depend on the URL: made once for each rule.
        match = self._matches.get((rule.line, tie_line))
        if match is None:
            text = f"{'Allow' if rule.allow else 'Disallow'}: {show(rule.value)}"
            match = Match(rule.allow, text, rule.line, rule.group_line, tie_line or None)
            self._matches[rule.line, tie_line] = match
        return match

    @cached_property
    def _indexes(self) -> tuple[PatternIndex, PatternIndex]:
        """All patterns; in rfc mode those with `:` or `/` in a query apart, the second."""
        plain, query = PatternIndex(), PatternIndex()
        for rule in self.rules:
            for pattern in self.patterns(rule):
                if self.mode is RobotsMode.RFC and has_query_url(pattern):
                    query.add(rfc_query(pattern), rule)
                else:
                    plain.add(pattern, rule)
        plain.close()
        query.close()
        return plain, query

    def patterns(self, rule: RawRule) -> list[str]:
        """The rule's pattern as it is compared; an allowed index page allows its directory too."""
        forms = [escape_value(rule.value)]
        slash = forms[0].rfind("/")
        if rule.allow and slash >= 0 and forms[0].startswith(_INDEX_PAGE, slash):
            forms.append(forms[0][: slash + 1] + "$")
        return [rfc_form(form, pattern=True) for form in forms] if self.mode is RobotsMode.RFC else forms

    @cached_property
    def _protego(self) -> Protego:
        rules = (
            f"{'Allow' if r.allow else 'Disallow'}: {visible(escape_value(r.value))}" for r in self.rules
        )
        return Protego.parse("\n".join(("User-agent: *", *rules)))


def rules_for(text: RobotsText, bot: str, mode: RobotsMode | str = RobotsMode.GOOGLE) -> BotRules:
    """Choose a bot's rules: all groups of its token, else those for `*` (6.3).

    `bot` is a product token in any case; a name with other characters equals no token, `*` asks for the
    star group.
    """
    mode = RobotsMode(mode)
    blocks = text.blocks if mode is RobotsMode.GOOGLE else text.rfc_blocks
    token = bot.lower()
    own = [block for block in blocks if token in block.tokens]
    chosen = own or [block for block in blocks if block.star]
    return BotRules((rule for block in chosen for rule in block.rules), mode, named=bool(own))


def index_of(several: Iterable[BotRules]) -> PatternIndex:
    """The patterns of several bots' rules in google mode: a path that none of them matches is free for all of them."""
    index = PatternIndex()
    for rules in several:
        for rule in rules.rules:
            for pattern in rules.patterns(rule):
                index.add(pattern, rule)
    index.close()
    return index


def crawl_delay(text: RobotsText, token: str) -> float | None:
    """Seconds of the first Crawl-delay of this agent's groups; of `*` only if no group names the agent."""
    token = token.lower()
    for delay in text.delays:
        if token in delay.tokens:
            return delay.seconds
    if token in text.named:
        return None
    return next((delay.seconds for delay in text.delays if delay.star), None)


def kept_delay(text: RobotsText, token: str) -> float | None:
    """Seconds between requests that this agent keeps: its Crawl-delay, up to the cap for the group it stands in."""
    seconds = crawl_delay(text, token)
    if seconds is None:
        return None
    named = any(token.lower() in delay.tokens for delay in text.delays)
    return min(seconds, CRAWL_DELAY_CAP_S if named else CRAWL_DELAY_STAR_CAP_S)


def protego_allows(text: RobotsText, bot: str, url: str) -> bool:
    """Protego's opinion on the rules that our reader chose for the bot.

    Never give Protego a whole file: n agents over n rules become n × n objects there.
    """
    return rules_for(text, bot).second_opinion(url)


def _better(a: Found, b: Found) -> Found:
    if a[0] != b[0]:
        return max(a, b, key=lambda found: found[0])
    allows = [rule for rule in (a[1], b[1]) if rule]
    blocks = [rule for rule in (a[2], b[2]) if rule]
    return a[0], min(allows, default=None), min(blocks, default=None)


def _reach(patterns: dict[str, int]) -> int:
    """The greatest length among the patterns that match every path: stars, and at most one slash."""
    return max(
        (
            length
            for pattern, length in patterns.items()
            if pattern.removesuffix("$").replace("*", "") in ("", "/") and not pattern.endswith("/$")
        ),
        default=0,
    )
