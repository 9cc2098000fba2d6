"""`sitemap-audit robots URL`: may bots fetch it, by which line, and how robots.txt was answered."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import orjson
import typer

from sitemap_audit.cli import options as shared
from sitemap_audit.coordinate.sites import private_sockets, read_site
from sitemap_audit.errors import UsageError
from sitemap_audit.facts import RobotsState, RobotsVerdict
from sitemap_audit.formats.escape import visible
from sitemap_audit.formats.robots import RobotsText, read_robots
from sitemap_audit.formats.robots_policy import RobotsPolicy, is_html_answer, state_of
from sitemap_audit.options import RunOptions, Transport
from sitemap_audit.settings import DEFAULT_BOT, REPORT_BOTS, ROBOTS_MAX_HOPS

WORDS: Final = {True: "allowed", False: "blocked", None: "unknown"}
CODES: Final = {True: 0, False: 1, None: 3}


def robots(
    url: Annotated[str, typer.Argument(metavar="URL", help="The URL that a bot would like to fetch.")],
    bot: Annotated[
        list[str] | None,
        typer.Option(
            "--bot",
            metavar="NAME",
            help=f"Whose rules decide the exit code; the first counts. Repeatable.  [default: {DEFAULT_BOT}]",
            show_default=False,
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="DRAFT", help="Test this file instead of the published one."),
    ] = None,
    robots_mode: Annotated[
        Literal["google", "rfc"],
        typer.Option("--robots-mode", help="Whose reading decides where they differ."),
    ] = "google",
    format_: Annotated[Literal["text", "json"], typer.Option("--format", help="How it is written.")] = "text",
    header: shared.HeaderOption = None,
    connect_to: shared.ConnectToOption = None,
    cacert: shared.CacertOption = None,
    insecure: shared.InsecureOption = False,
) -> None:
    """Is this URL allowed, by which line of which robots.txt, and how was that file answered?

    Exit code 0 allowed, 1 blocked, 3 unknown.
    """
    target = read_site(url)
    address = f"{target.origin}/robots.txt"
    headers, connect, ca = shared.check_transport(header or [], connect_to or [], cacert)
    status: int | None = 200
    text: RobotsText | None
    if file is not None:
        try:
            body = file.read_bytes()
        except OSError as err:
            raise UsageError(f"cannot read {file}: {err.strerror}") from None
        text, answered, state = read_robots(body), f"the draft {file}", RobotsState.OK
    else:
        transport = Transport(headers=headers, connect_to=connect, cacert=ca, insecure=insecure)
        options = RunOptions(
            run_id="robots", origins=(target.origin,), allow_sockets=private_sockets([target])
        )
        text, answered, state, status = asyncio.run(_fetch(address, target.origin, options, transport))
    policy = RobotsPolicy(address, state, text, robots_mode, status=status)
    bots = [b.lower() for b in bot or [DEFAULT_BOT]]
    names = list(dict.fromkeys([*bots, *REPORT_BOTS]))
    verdicts = {name: policy.verdict(name, target.href) for name in names}
    if format_ == "json":
        rows: list[dict[str, Any]] = [
            {
                "bot": n,
                "verdict": WORDS[v.allowed],
                "rule": v.rule,
                "line": v.line,
                "group_line": v.group_line,
            }
            for n, v in verdicts.items()
        ]
        data = {"url": target.href, "robots_url": address, "state": state, "answered": answered, "bots": rows}
        sys.stdout.write(orjson.dumps(data, option=orjson.OPT_INDENT_2).decode() + "\n")
    else:
        _show(target.href, address, answered, verdicts, text)
    raise typer.Exit(CODES[verdicts[bots[0]].allowed])


def _show(
    href: str, address: str, answered: str, verdicts: Mapping[str, RobotsVerdict], text: RobotsText | None
) -> None:
    print(f"{visible(href)}\n{visible(address)}: {visible(answered)}\n")
    for name, verdict in verdicts.items():
        why = f"line {verdict.line}: {visible(verdict.rule or '', 80)}" if verdict.line else "no rule decides"
        if verdict.allowed is None:
            why = "crawling is paused while robots.txt cannot be read"
        elif verdict.line is None and text is None:
            why = "there are no rules"
        group = f" (group of line {verdict.group_line})" if verdict.group_line else ""
        print(f"  {name:<16} {WORDS[verdict.allowed]:<8} {why}{group}")


def _words(status: int | None, error: str | None, hops: int) -> str:
    """How the file was answered, for a person."""
    way = f", after {hops} redirect{'s' if hops > 1 else ''}" if hops else ""
    return f"answered {status}{way}" if status is not None else f"not reached: {error}{way}"


async def _fetch(
    address: str, origin: str, options: RunOptions, transport: Transport
) -> tuple[RobotsText | None, str, RobotsState, int | None]:
    """(text or None, how it was answered, state, status): robots.txt with up to five redirects."""
    from sitemap_audit.http.aio import AsyncClient
    from sitemap_audit.http.records import ClientOptions, Request
    from sitemap_audit.http.redirects import Chain, ChainEnd

    chain = Chain(address, ROBOTS_MAX_HOPS)
    async with AsyncClient(ClientOptions.of_run(options, transport)) as client:
        while chain.feed(answer := await client.fetch(Request.robots(chain.url))):
            pass
    problem = chain.end.value if chain.end not in (None, ChainEnd.ANSWER) else None
    text = read_robots(answer.body) if answer.status is not None else None
    html = text is not None and is_html_answer(text, answer.header("content-type"))
    state = state_of(answer.status, answer.error_class, problem, html)
    said = _words(answer.status, answer.error_detail or answer.error_class, len(chain.hops))
    return text, said + (f" ({problem})" if problem else ""), state, answer.status
