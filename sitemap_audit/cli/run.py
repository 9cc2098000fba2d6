"""`sitemap-audit run SITE...`: the main job."""

from __future__ import annotations

import ipaddress
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from sitemap_audit.cli import options as shared
from sitemap_audit.cli.bots import read_bots
from sitemap_audit.cli.config import Config, read_config
from sitemap_audit.errors import RunFolderError, UsageError
from sitemap_audit.options import DEFAULT_USER_AGENT, RunOptions, Transport
from sitemap_audit.settings import CONCURRENCY, DEFAULT_BOT, RATE_PER_S, RECHECK_AFTER_S

if TYPE_CHECKING:
    from sitemap_audit.coordinate.list_file import UrlList
    from sitemap_audit.formats.urls import Url
    from sitemap_audit.store.folder import RunFolder, RunRecord

LIST_HOSTS_NAMED: Final = 5
NOT_IN_CONFIG: Final = frozenset({"config", "sites", "help"})


def _from_config(context: typer.Context, value: Path | None) -> Path | None:
    names = {
        o.removeprefix("--"): p.name for p in context.command.params for o in p.opts if o.startswith("--")
    }
    config = read_config(value, names.keys() - NOT_IN_CONFIG)
    context.default_map = {names[name]: v for name, v in config.options.items()}
    context.obj = config
    return value


def run(
    context: typer.Context,
    sites: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SITE...",
            show_default=False,
            help="An origin (https://example.com), a bare host, or the URL of a sitemap or feed. Several make one "
            "run. May be left out with --list: then its hosts are audited, and no sitemap is looked for.",
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar="FILE",
            is_eager=True,
            callback=_from_config,
            help="TOML with the names of these options, and [rules]; sitemap-audit.toml if present.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="The run folder.  [default: audits/HOST/TIME]", show_default=False
        ),
    ] = None,
    previous: Annotated[
        str | None,
        typer.Option(
            "--previous",
            metavar="RUN|none",
            help="The earlier run: its last good robots.txt files hold where one fails now.  "
            "[default: the newest finished run of the same SITEs beside --out]",
            show_default=False,
        ),
    ] = None,
    sitemap: Annotated[
        list[str] | None,
        typer.Option("--sitemap", metavar="URL", help="A further sitemap or feed to start from. Repeatable."),
    ] = None,
    list_: Annotated[
        str | None,
        typer.Option(
            "--list",
            metavar="FILE",
            help="A text file of URLs, audited as if one sitemap listed them; - is standard input.",
        ),
    ] = None,
    redis: shared.RedisOption = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=0,
            help="Worker processes started here; 0 = only remote ones.  [default: number of cores]",
            show_default=False,
        ),
    ] = None,
    rate: Annotated[
        float,
        typer.Option(
            "--rate",
            metavar="R",
            min=0,
            help="Requests a second for each host, over spider and all workers together; 0 = no limit of ours.",
        ),
    ] = RATE_PER_S,
    concurrency: Annotated[
        int,
        typer.Option(
            "--concurrency",
            metavar="N",
            min=1,
            help="Open connections for each host, over all workers together.",
        ),
    ] = CONCURRENCY,
    bot: Annotated[
        list[str] | None,
        typer.Option(
            "--bot",
            metavar="NAME",
            help=f"Whose rules decide; the first is the verdict's bot. Repeatable.  [default: {DEFAULT_BOT}]",
            show_default=False,
        ),
    ] = None,
    robots_mode: Annotated[
        Literal["google", "rfc"],
        typer.Option("--robots-mode", help="Whose reading of robots.txt decides where they differ."),
    ] = "google",
    user_agent: Annotated[
        str, typer.Option("--user-agent", metavar="TEXT", help="Sent with each request.")
    ] = DEFAULT_USER_AGENT,
    header: shared.HeaderOption = None,
    connect_to: shared.ConnectToOption = None,
    cacert: shared.CacertOption = None,
    insecure: shared.InsecureOption = False,
    http2: shared.Http2Option = False,
    allow_private: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-private", metavar="CIDR", help="Private addresses that may be asked. Repeatable."
        ),
    ] = None,
    inspect_blocked: Annotated[
        bool, typer.Option("--inspect-blocked", help="Owner mode: also fetch URLs that robots.txt blocks.")
    ] = False,
    depth: Annotated[
        Literal["status", "head", "page"],
        typer.Option(
            "--depth",
            help="status and headers / also head signals / also the content (fingerprint, soft 404, duplicates).",
        ),
    ] = "page",
    max_urls: Annotated[
        int | None,
        typer.Option("--max-urls", metavar="N", min=1, help="Stop after N unique URLs.", show_default=False),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            metavar="N",
            min=1,
            help="Check a random sample of N URLs, stratified by sitemap.",
            show_default=False,
        ),
    ] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            "--scope",
            metavar="HOST",
            help="Check listed URLs on this host too; *.example.com = its subdomains. Repeatable.",
        ),
    ] = None,
    include: Annotated[
        list[str] | None,
        typer.Option("--include", metavar="RE", help="Check only URLs that match. Repeatable."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option("--exclude", metavar="RE", help="Check no URL that matches. Repeatable."),
    ] = None,
    recheck_after: Annotated[
        float,
        typer.Option(
            "--recheck-after",
            metavar="S",
            min=0,
            help="Seconds until the second look at a 5xx or unreachable URL.",
        ),
    ] = RECHECK_AFTER_S,
    fail_on: shared.FailOnOption = "never",
    csv_style: shared.CsvStyleOption = "snake",
    metrics: shared.MetricsOption = None,
    quiet: shared.QuietOption = False,
    verbose: shared.VerboseOption = False,
    log_format: shared.LogFormatOption = "text",
) -> None:
    """Discover, check, judge and report: the main job.

    Reads robots.txt and every sitemap of each SITE, checks each listed URL, and says for each
    contradiction who says what. Writes CSV files and summary.json into the run folder.
    """
    from sitemap_audit.cli.finish import audit_and_report
    from sitemap_audit.coordinate.list_file import UrlList, hosts_of
    from sitemap_audit.coordinate.sites import is_bare_host, origins_of, private_sockets, read_site, scope_of
    from sitemap_audit.store.folder import RunFolder, RunRecord, default_out, new_run_id

    if workers == 0 and not redis:
        raise UsageError(
            "--workers 0 needs --redis URL: nobody else can join a run on its own private server"
        )
    listed = UrlList(list_, _read_list(list_)) if list_ else None
    if not sites and listed is None:
        raise UsageError(
            "which site? Give SITE (https://example.com), or the URLs themselves with --list FILE"
        )
    sites = sites or []
    named = [read_site(s) for s in sites]
    read = named or hosts_of(listed)
    if header and not sites and len({u.host.removeprefix("www.") for u in read}) > 1:
        raise UsageError(
            "--header with a --list of several hosts: say which SITE is to get it, it may be a secret"
        )
    headers, connect, ca = shared.check_transport(header or [], connect_to or [], cacert)
    now = datetime.now(UTC)
    options = RunOptions(
        run_id=new_run_id(),
        sites=tuple(u.host if is_bare_host(s) else u.href for s, u in zip(sites, named, strict=True)),
        sitemaps=_sitemap_urls(sitemap or []),
        scope=scope_of(read, scope or []),
        origins=origins_of(read),
        rate=rate,
        concurrency=concurrency,
        bots=read_bots(bot or [DEFAULT_BOT]),
        robots_mode=robots_mode,
        user_agent=_user_agent(user_agent),
        allow_private=_cidrs(allow_private or []),
        # A list may come from anywhere: only a SITE that the user names opens a private address.
        # Where --connect-to leads every request to one place, names play no role and are not looked up.
        allow_sockets=() if any(pin.startswith("::") for pin in connect) else private_sockets(named),
        inspect_blocked=inspect_blocked,
        depth=depth,
        include=_patterns("--include", include or []),
        exclude=_patterns("--exclude", exclude or []),
        max_urls=max_urls,
        sample=sample,
        recheck_after_s=recheck_after,
    )
    record = RunRecord(
        run_id=options.run_id,
        state="running",
        started_at=now,
        options=options,
        transport=Transport(headers=headers, connect_to=connect, cacert=ca, insecure=insecure, http2=http2),
        header_names=tuple(h.split(":", 1)[0] for h in headers),
        sites_given=tuple(sites) or _said_of_list(listed, read),
        workers_wanted=shared.default_workers() if workers is None else workers,
    )
    folder = RunFolder((out or default_out(read[0].host, now)).absolute())
    earlier = _earlier(previous, folder, record)
    record = replace(record, previous=str(earlier.path) if earlier is not None else None)
    raise typer.Exit(
        audit_and_report(
            folder,
            record,
            redis_url=redis,
            listed=listed,
            config=context.obj if isinstance(context.obj, Config) else Config(),
            fail_on=fail_on,
            csv_style=csv_style,
            quiet=quiet,
            verbose=verbose,
            metrics=metrics,
        )
    )


def _earlier(previous: str | None, folder: RunFolder, record: RunRecord) -> RunFolder | None:
    from sitemap_audit.store.folder import RunFolder
    from sitemap_audit.store.past import find_earlier

    if previous is None:
        return find_earlier(folder, record)
    if previous == "none":
        return None
    named = RunFolder(Path(previous).absolute())
    if named.path == folder.path:
        raise UsageError("--previous is the folder of this run itself: name an earlier one, or none")
    try:
        named.read()
    except RunFolderError as problem:
        raise UsageError(f"--previous: {problem}") from None
    return named


def _said_of_list(listed: UrlList | None, hosts: Sequence[Url]) -> tuple[str, ...]:
    """What a report calls the run: its few hosts, else the file."""
    names = tuple(dict.fromkeys(url.origin for url in hosts))
    if len(names) <= LIST_HOSTS_NAMED or listed is None:
        return names
    return (f"{len(names):,} hosts of {listed.name}",)


def _sitemap_urls(texts: Sequence[str]) -> tuple[str, ...]:
    from sitemap_audit.formats.urls import parse_url

    found = []
    for text in texts:
        url = parse_url(text)
        if url is None:
            raise UsageError(f"--sitemap {text!r} is not an http(s) URL")
        found.append(url.href)
    return tuple(found)


def _user_agent(text: str) -> str:
    if not text.strip() or not text.isprintable() or not text.isascii():
        raise UsageError("--user-agent must be printable ASCII text")
    return text


def _cidrs(texts: Sequence[str]) -> tuple[str, ...]:
    for text in texts:
        try:
            ipaddress.ip_network(text, strict=False)
        except ValueError:
            raise UsageError(
                f"--allow-private {text!r} is no network: give 10.0.0.0/8 or 192.168.1.20"
            ) from None
    return tuple(texts)


def _patterns(option: str, texts: Sequence[str]) -> tuple[str, ...]:
    for text in texts:
        try:
            re.compile(text)
        except re.error as err:
            raise UsageError(f"{option} {text!r} is no regular expression: {err}") from None
    return tuple(texts)


def _read_list(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as err:
        raise UsageError(f"cannot read --list {name}: {err.strerror}") from None
