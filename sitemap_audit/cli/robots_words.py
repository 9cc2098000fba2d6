"""What `sitemap-audit robots URL` says: verdicts, deciding lines in their context, what the answer means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sitemap_audit.cli.robots_look import Look
from sitemap_audit.facts import RobotsState, RobotsVerdict
from sitemap_audit.formats.escape import visible
from sitemap_audit.formats.robots import RobotsText, lines_of, show
from sitemap_audit.formats.robots_policy import Effect, RobotsPolicy
from sitemap_audit.formats.urls import Url
from sitemap_audit.settings import PRODUCT_TOKEN

VERDICTS: Final = {True: "allowed", False: "blocked", None: "unknown"}
CONTEXT_LINES: Final = 2
"""Lines of robots.txt shown before and behind the one that decides."""
NOTES_MAX: Final = 8
_WIDTH: Final = 100

_MEANING: Final = {
    RobotsState.OK: "its rules hold",
    RobotsState.HTML: "a web page without one rule: no limits, and no sitemap is declared",
    RobotsState.MISSING: "as if there were none: no limits",
    RobotsState.FORBIDDEN: "as if there were none: no limits. A firewall may answer Googlebot otherwise",
    RobotsState.REDIRECT_LIMIT: "a chain of redirects that leads to no file counts as a missing one: no limits",
}
_OUTAGE: Final = {
    Effect.PAUSED: "Google pauses crawling of this origin: for 12 hours, then it goes by its last good copy for 30 "
    "days, and without a copy it crawls without limits",
    Effect.DISALLOW_ALL: "RFC 9309: while the file is out of reach, everything is disallowed",
    Effect.NO_LIMITS: "RFC 9309 takes 429 for any 4xx: no limits",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One URL of the command line and what came out. `second`: bots that Protego's reading treats otherwise."""

    url: Url
    look: Look
    policy: RobotsPolicy
    verdicts: Mapping[str, RobotsVerdict]
    second: tuple[str, ...]


def meaning(look: Look, policy: RobotsPolicy) -> str:
    """What the way the file was answered means, in this mode."""
    return _MEANING.get(look.state) or _OUTAGE[policy.effect]


def to_json(asked: Asked) -> dict[str, Any]:
    """One URL as plain data; lines of the context as they stand in the file."""
    look, text = asked.look, asked.look.text
    return {
        "url": asked.url.href,
        "robots_url": look.address,
        "draft": look.is_draft,
        "state": look.state,
        "status": look.status,
        "answered": look.answered,
        "means": meaning(look, asked.policy),
        "hops": list(look.hops),
        "mode": asked.policy.mode,
        "crawl_delay_s": asked.policy.crawl_delay(PRODUCT_TOKEN),
        "crawl_delay_kept_s": asked.policy.kept_delay(PRODUCT_TOKEN),
        "notes": list(notes(text)) if text is not None and look.state is RobotsState.OK else [],
        "bots": [
            {
                "bot": bot,
                "verdict": VERDICTS[v.allowed],
                "rule": v.rule,
                "line": v.line,
                "group_line": v.group_line,
                "tie_line": v.tie_line,
                "star_allowed": v.star_allowed,
                "readers_differ": bot in asked.second,
                "context": [{"line": n, "text": line} for n, line in context(look, [v.line])],
            }
            for bot, v in asked.verdicts.items()
        ],
    }


def to_text(asked: Asked) -> Iterator[str]:
    """The same for people, line by line; nothing of the site reaches the terminal unescaped."""
    look = asked.look
    yield visible(asked.url.href)
    yield f"{visible(look.address)}: {visible(look.answered)} ({look.state})"
    for hop in look.hops:
        yield f"  redirected to {visible(hop, _WIDTH)}"
    yield f"  {meaning(look, asked.policy)}"
    if look.text is not None and look.state is RobotsState.OK:
        yield f"  {_size(look)}"
    yield ""
    for bot, verdict in asked.verdicts.items():
        yield f"  {bot:<16} {VERDICTS[verdict.allowed]:<8} {_why(asked, verdict)}"
    lines = sorted({v.line for v in asked.verdicts.values() if v.line is not None})
    if lines:
        yield ""
        last = 0
        for number, text in context(look, lines):
            if last and number > last + 1:
                yield "      ..."
            last = number
            yield f"  {'>' if number in lines else ' '} {number:>5}  {visible(text, _WIDTH)}"
    if asked.second:
        yield ""
        yield f"  Readers differ: Protego, the reader in Scrapy, says the opposite for {', '.join(asked.second)}"
    if look.text is not None and look.state is RobotsState.OK:
        odd = list(notes(look.text))
        if odd:
            yield ""
            yield "  Odd in this file:"
            yield from (f"    {visible(note, _WIDTH + 40)}" for note in odd[:NOTES_MAX])
            if len(odd) > NOTES_MAX:
                yield f"    and {len(odd) - NOTES_MAX:,} more"


def context(look: Look, lines: Iterable[int | None]) -> list[tuple[int, str]]:
    """The lines that decide with those around them, and the agent lines of their group; numbers from 1 on."""
    if look.text is None:
        return []
    wanted: set[int] = set()
    for line in lines:
        if line is not None:
            wanted.update(range(line - CONTEXT_LINES, line + CONTEXT_LINES + 1))
            wanted.update(rule.group_line for rule in look.text.rules if rule.line == line)
    return [(n, show(text)) for n, text in enumerate(lines_of(look.body), 1) if n in wanted]


def notes(text: RobotsText) -> Iterator[str]:
    """What is odd about a file, in its own order of weight; nothing for a plain one."""
    if text.cut_at is not None:
        yield f"larger than {text.cut_at:,} bytes: what follows line {text.lines:,} is not read"
    if not text.encoding_ok:
        yield f"not UTF-8, probably {text.charset_guess}: rules with such bytes match nothing expected"
    if text.bom:
        yield "begins with a byte order mark, which some readers take for part of the first line"
    for rule in text.rules:
        said = f"{rule.field.capitalize()}: {rule.path}"
        if rule.group_line == 0:
            yield f"line {rule.line} stands before any User-agent line and binds nobody: {said}"
        elif rule.path and rule.path[0] not in "/*$":
            yield f"line {rule.line} does not begin with / and matches nothing: {said}"
    for line in text.typos:
        yield f"line {line.line} is misspelt, which Google repairs and others need not: {line.text}"
    for line in text.unknown_lines:
        yield f"line {line.line} is not understood: {line.text}"
    for known in text.unsupported:
        yield f"line {known.line} has a field that Google does not use: {known.field}: {known.value}"
    for sitemap in text.sitemaps:
        if not sitemap.raw.lower().startswith(("http://", "https://")):
            yield f"line {sitemap.line} is no complete sitemap address: {sitemap.raw or '(no value)'}"


def _why(asked: Asked, verdict: RobotsVerdict) -> str:
    if verdict.allowed is None:
        return "crawling is paused while robots.txt cannot be read"
    if verdict.line is not None:
        said = f"line {verdict.line}: {visible(verdict.rule or '', 80)}"
        if verdict.group_line:
            said += f" (group of line {verdict.group_line})"
        if verdict.tie_line:
            said += f"; as long as the Disallow of line {verdict.tie_line}, and Allow wins"
        return said
    if not verdict.allowed:
        return "robots.txt cannot be read: everything is disallowed"
    return "no rule decides" if asked.policy.effect is Effect.RULES else "there are no rules"


def _size(look: Look) -> str:
    text = look.text
    assert text is not None
    label = "" if look.is_draft else f", {visible(look.content_type or 'no Content-Type', 60)}"
    return (
        f"bytes {text.size:,}, lines {text.lines:,}, groups {len(text.groups):,}, rules {len(text.rules):,}, "
        f"sitemap lines {len(text.sitemaps):,}{label}"
    )
