"""`sitemap-audit robots URL`: may bots fetch it, by which line, and how robots.txt was answered."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from sitemap_audit.cli import options as shared
from sitemap_audit.settings import DEFAULT_BOT


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
    from sitemap_audit.cli.robots_look import draft, published, show, to_json, verdicts_of
    from sitemap_audit.coordinate.sites import read_site
    from sitemap_audit.options import Transport

    target = read_site(url)
    if file is not None:
        look = draft(file, target)
    else:
        headers, connect, ca = shared.check_transport(header or [], connect_to or [], cacert)
        look = published(target, Transport(headers=headers, connect_to=connect, cacert=ca, insecure=insecure))
    bots = [b.lower() for b in bot or [DEFAULT_BOT]]
    verdicts = verdicts_of(look, target, bots, robots_mode)
    if format_ == "json":
        sys.stdout.write(to_json(look, target, verdicts))
    else:
        show(look, target, verdicts)
    allowed = verdicts[bots[0]].allowed
    raise typer.Exit(3 if allowed is None else 0 if allowed else 1)
