"""What `sitemap-audit robots` looks at: the published robots.txt of an origin, or a draft of it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sitemap_audit.coordinate.sites import private_sockets
from sitemap_audit.errors import UsageError
from sitemap_audit.facts import RobotsState, RobotsVerdict
from sitemap_audit.formats.robots import RobotsText, read_robots
from sitemap_audit.formats.robots_policy import RobotsPolicy, is_html_answer, state_of
from sitemap_audit.formats.urls import Url
from sitemap_audit.http import AsyncClient, Chain, ClientOptions, Request
from sitemap_audit.http.redirects import ChainEnd
from sitemap_audit.options import RunOptions, Transport
from sitemap_audit.settings import REPORT_BOTS, ROBOTS_MAX_BYTES, ROBOTS_MAX_HOPS

STDIN: Final = Path("-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One robots.txt: where it is, how it was answered (in words), and its text and bytes if there are any."""

    address: str
    answered: str
    state: RobotsState
    status: int | None = None
    text: RobotsText | None = None
    body: bytes = b""
    content_type: str | None = None
    hops: tuple[str, ...] = ()
    """Where redirects led, step by step."""
    is_draft: bool = False

    def policy(self, mode: str) -> RobotsPolicy:
        return RobotsPolicy(self.address, self.state, self.text, mode, status=self.status)


def read_draft(file: Path) -> bytes:
    """The bytes of a file that is not published yet; `-` is standard input. Raises UsageError."""
    try:
        return sys.stdin.buffer.read() if file == STDIN else file.read_bytes()
    except OSError as err:
        raise UsageError(f"cannot read {file}: {err.strerror}") from None


def draft(body: bytes, file: Path, origin: str) -> Look:
    """A draft as if the origin answered 200 with it, as plain text."""
    name = "standard input" if file == STDIN else str(file)
    text = read_robots(body)
    return Look(
        address=f"{origin}/robots.txt",
        answered=f"the draft {name}",
        state=state_of(200, None, None, text.is_html),
        status=200,
        text=text,
        body=body[:ROBOTS_MAX_BYTES],
        is_draft=True,
    )


def published(targets: Sequence[Url], transport: Transport) -> dict[str, Look]:
    """Origin → its robots.txt, fetched now, with up to five redirects (RFC 9309, 2.3.1.2). Each once."""
    origins = tuple(dict.fromkeys(target.origin for target in targets))
    options = RunOptions(run_id="robots", origins=origins, allow_sockets=private_sockets(targets))
    return asyncio.run(_fetch_all(origins, ClientOptions.of_run(options, transport)))


async def _fetch_all(origins: Sequence[str], options: ClientOptions) -> dict[str, Look]:
    async with AsyncClient(options) as client:
        return {origin: await _fetch(client, f"{origin}/robots.txt") for origin in origins}


async def _fetch(client: AsyncClient, address: str) -> Look:
    chain = Chain(address, ROBOTS_MAX_HOPS)
    while chain.feed(answer := await client.fetch(Request.robots(chain.url))):
        pass
    problem = chain.end.value if chain.end not in (None, ChainEnd.ANSWER) else None
    text = read_robots(answer.body) if answer.status is not None else None
    html = text is not None and is_html_answer(text, answer.header("content-type"))
    way = f", after {len(chain.hops)} redirect{'s' if len(chain.hops) > 1 else ''}" if chain.hops else ""
    if answer.status is None:
        said = f"not reached{way}: {answer.error_detail or answer.error_class}"
    else:
        said = f"answered {answer.status}{way}"
        if problem is not None or answer.error_class is not None:
            said += f" ({problem or answer.error_detail or answer.error_class})"
    return Look(
        address=address,
        answered=said,
        state=state_of(answer.status, answer.error_class, problem, html),
        status=answer.status,
        text=text,
        body=answer.body[:ROBOTS_MAX_BYTES],
        content_type=answer.header("content-type"),
        hops=tuple(hop.location or hop.location_raw or "nowhere" for hop in chain.hops),
    )


def asked_bots(bots: Sequence[str]) -> tuple[str, ...]:
    """Those asked for, then the standing set of every report."""
    return tuple(dict.fromkeys([*bots, *REPORT_BOTS]))


def verdicts_of(policy: RobotsPolicy, target: Url, bots: Sequence[str]) -> dict[str, RobotsVerdict]:
    """Verdict by bot, for the URL as it is requested."""
    return {name: policy.verdict(name, target.href) for name in asked_bots(bots)}
