"""`sitemap-audit robots URL`: may bots fetch it, by which line, and what would a draft change?"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sitemap_audit.cli import options as shared
from sitemap_audit.cli.bots import read_bots
from sitemap_audit.errors import UsageError
from sitemap_audit.settings import DEFAULT_BOT

if TYPE_CHECKING:
    from sitemap_audit.cli.robots_words import Asked
    from sitemap_audit.options import Transport


def robots(
    url: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[URL]...", help="What a bot would like to fetch; with --against: whose draft it is."
        ),
    ] = None,
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
        typer.Option(
            "--file",
            metavar="DRAFT",
            help="Test this file instead of the published one; - is standard input.",
            allow_dash=True,
        ),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            metavar="RUN",
            help="Say which URLs that this run found listed the draft newly blocks or frees; makes no request.",
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="With --against: list every URL, not examples.")
    ] = False,
    robots_mode: Annotated[
        Literal["google", "rfc"],
        typer.Option("--robots-mode", help="Whose reading decides where they differ."),
    ] = "google",
    format_: Annotated[
        Literal["text", "json", "csv"],
        typer.Option("--format", help="How it is written; csv with --against only."),
    ] = "text",
    header: shared.HeaderOption = None,
    connect_to: shared.ConnectToOption = None,
    cacert: shared.CacertOption = None,
    insecure: shared.InsecureOption = False,
) -> None:
    """Is this URL allowed, by which line of which robots.txt, and how was that file answered?

    Exit code 0 allowed, 1 blocked, 3 unknown; of several URLs the worst counts. With --against: 1 when the draft
    newly blocks a listed URL for the first bot, 3 when that cannot be told, else 0.
    """
    bots = read_bots(bot or [DEFAULT_BOT])
    if against is not None:
        code = _compare(url or [], bots, file, against, robots_mode, format_, every=every)
    else:
        from sitemap_audit.options import Transport

        if not url:
            raise UsageError("robots needs a URL, or --file DRAFT --against RUN")
        if format_ == "csv" or every:
            raise UsageError("--format csv and --all belong to --against RUN")
        headers, connect, ca = shared.check_transport(header or [], connect_to or [], cacert)
        transport = Transport(headers=headers, connect_to=connect, cacert=ca, insecure=insecure)
        code = _ask(url, bots, file, transport, robots_mode, format_)
    raise typer.Exit(code)


def _ask(
    urls: Sequence[str], bots: Sequence[str], file: Path | None, transport: Transport, mode: str, format_: str
) -> int:
    import orjson

    from sitemap_audit.cli.robots_look import draft, published, read_draft, verdicts_of
    from sitemap_audit.cli.robots_words import Asked, to_json, to_text
    from sitemap_audit.coordinate.sites import read_site

    targets = [read_site(text) for text in urls]
    if file is not None:
        body = read_draft(file)
        looks = {target.origin: draft(body, file, target.origin) for target in targets}
    else:
        looks = published(targets, transport)
    policies = {origin: look.policy(mode) for origin, look in looks.items()}
    asked = []
    for target in targets:
        policy = policies[target.origin]
        verdicts = verdicts_of(policy, target, bots)
        second = tuple(
            b for b, v in verdicts.items() if policy.second_opinion(b, target.href) not in (None, v.allowed)
        )
        asked.append(Asked(target, looks[target.origin], policy, verdicts, second))
    if format_ == "json":
        rows = [to_json(one) for one in asked]
        data = rows[0] if len(rows) == 1 else rows
        sys.stdout.write(orjson.dumps(data, option=orjson.OPT_INDENT_2).decode() + "\n")
    else:
        print("\n\n".join("\n".join(to_text(one)) for one in asked))
    return _worst(asked, bots[0])


def _worst(asked: Sequence[Asked], bot: str) -> int:
    said = {one.verdicts[bot].allowed for one in asked}
    return 1 if False in said else 3 if None in said else 0


def _compare(
    urls: Sequence[str],
    bots: Sequence[str],
    file: Path | None,
    run: Path,
    mode: str,
    format_: str,
    *,
    every: bool,
) -> int:
    from sitemap_audit.cli.robots_against import compare, origin_of_draft
    from sitemap_audit.cli.robots_against_words import write
    from sitemap_audit.cli.robots_look import asked_bots, draft, read_draft
    from sitemap_audit.coordinate.sites import read_site
    from sitemap_audit.store.folder import RunFolder

    if file is None:
        raise UsageError("--against RUN compares a draft: give it with --file DRAFT (- is standard input)")
    if len(urls) > 1:
        raise UsageError("a draft is the robots.txt of one origin: give one URL with --against")
    folder = RunFolder(run.absolute())
    folder.read()
    origin = origin_of_draft(folder.facts, read_site(urls[0]).origin if urls else None)
    look = draft(read_draft(file), file, origin)
    keep = None if every or format_ != "text" else 10
    result = compare(folder.facts, look, asked_bots(bots), mode, keep=keep)
    write(result, look, run, format_, sys.stdout)
    first = result.tally_of(bots[0])
    return 1 if first.blocked else 3 if first.unknown else 0
