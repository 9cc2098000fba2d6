"""What `sitemap-audit robots` looks at: the published robots.txt or a draft, and the verdicts by it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from sitemap_audit.coordinate.sites import private_sockets
from sitemap_audit.errors import UsageError
from sitemap_audit.facts import RobotsState, RobotsVerdict
from sitemap_audit.formats.escape import visible
from sitemap_audit.formats.robots import RobotsText, read_robots
from sitemap_audit.formats.robots_policy import RobotsPolicy, is_html_answer, state_of
from sitemap_audit.formats.urls import Url
from sitemap_audit.http import AsyncClient, Chain, ClientOptions, Request
from sitemap_audit.http.redirects import ChainEnd
from sitemap_audit.options import RunOptions, Transport
from sitemap_audit.settings import REPORT_BOTS, ROBOTS_MAX_HOPS

WORDS: Final = {True: "allowed", False: "blocked", None: "unknown"}


@dataclass(frozen=True, slots=True)
class Look:
    """One robots.txt: where it is, how it was answered (in words), and its text if there is one."""

    address: str
    answered: str
    state: RobotsState
    status: int | None
    text: RobotsText | None


def draft(file: Path, target: Url) -> Look:
    """A file that is not published yet, as if the origin of `target` answered with it. Raises UsageError."""
    try:
        body = file.read_bytes()
    except OSError as err:
        raise UsageError(f"cannot read {file}: {err.strerror}") from None
    return Look(f"{target.origin}/robots.txt", f"the draft {file}", RobotsState.OK, 200, read_robots(body))


def published(target: Url, transport: Transport) -> Look:
    """Fetch the robots.txt of the origin, with up to five redirects (RFC 9309, 2.3.1.2)."""
    options = RunOptions(run_id="robots", origins=(target.origin,), allow_sockets=private_sockets([target]))
    return asyncio.run(_fetch(f"{target.origin}/robots.txt", ClientOptions.of_run(options, transport)))


async def _fetch(address: str, options: ClientOptions) -> Look:
    chain = Chain(address, ROBOTS_MAX_HOPS)
    async with AsyncClient(options) as client:
        while chain.feed(answer := await client.fetch(Request.robots(chain.url))):
            pass
    problem = chain.end.value if chain.end not in (None, ChainEnd.ANSWER) else None
    text = read_robots(answer.body) if answer.status is not None else None
    html = text is not None and is_html_answer(text, answer.header("content-type"))
    way = f", after {len(chain.hops)} redirect{'s' if len(chain.hops) > 1 else ''}" if chain.hops else ""
    if answer.status is not None:
        said = f"answered {answer.status}{way}" + (f" ({problem})" if problem else "")
    else:
        said = f"not reached{way}: {answer.error_detail or answer.error_class}"
    state = state_of(answer.status, answer.error_class, problem, html)
    return Look(address, said, state, answer.status, text)


def verdicts_of(look: Look, target: Url, bots: Sequence[str], mode: str) -> dict[str, RobotsVerdict]:
    """Verdict by bot: those asked for, then the standing set of every report."""
    policy = RobotsPolicy(look.address, look.state, look.text, mode, status=look.status)
    return {name: policy.verdict(name, target.href) for name in dict.fromkeys([*bots, *REPORT_BOTS])}


def to_json(look: Look, target: Url, verdicts: Mapping[str, RobotsVerdict]) -> str:
    rows: list[dict[str, Any]] = [
        {"bot": bot, "verdict": WORDS[v.allowed], "rule": v.rule, "line": v.line, "group_line": v.group_line}
        for bot, v in verdicts.items()
    ]
    data = {
        "url": target.href,
        "robots_url": look.address,
        "state": look.state,
        "answered": look.answered,
        "bots": rows,
    }
    return orjson.dumps(data, option=orjson.OPT_INDENT_2).decode() + "\n"


def show(look: Look, target: Url, verdicts: Mapping[str, RobotsVerdict]) -> None:
    """The verdicts on stdout, each with the line that decides."""
    print(f"{visible(target.href)}\n{visible(look.address)}: {visible(look.answered)} ({look.state})\n")
    for bot, verdict in verdicts.items():
        if verdict.allowed is None:
            why = "crawling is paused while robots.txt cannot be read"
        elif verdict.line is not None:
            group = f" (group of line {verdict.group_line})" if verdict.group_line else ""
            why = f"line {verdict.line}: {visible(verdict.rule or '', 80)}{group}"
        elif look.state in (RobotsState.SERVER_ERROR, RobotsState.UNREACHABLE) and not verdict.allowed:
            why = "robots.txt cannot be read: everything is disallowed"
        else:
            why = "no rule decides" if look.state is RobotsState.OK else "there are no rules"
        print(f"  {bot:<16} {WORDS[verdict.allowed]:<8} {why}")
