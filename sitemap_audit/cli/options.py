"""Options that several commands share, each once: name, meaning, default."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from sitemap_audit import logs
from sitemap_audit.errors import UsageError
from sitemap_audit.settings import METRICS_PORT

REDIS_VARIABLE: Final = "SITEMAP_AUDIT_REDIS"

RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.", show_default=False)]
RedisOption = Annotated[
    str | None,
    typer.Option(
        "--redis",
        metavar="URL",
        envvar=REDIS_VARIABLE,
        show_envvar=True,
        help="Use this Redis 7+ or Valkey 8+ server; without it a private one is started for the run.",
    ),
]
HeaderOption = Annotated[
    list[str] | None,
    typer.Option("--header", metavar="'NAME: VALUE'", help="Sent to the audited origins only. Repeatable."),
]
ConnectToOption = Annotated[
    list[str] | None,
    typer.Option(
        "--connect-to",
        metavar="HOST1:PORT1:HOST2:PORT2",
        help="Requests for HOST1:PORT1 go to HOST2:PORT2, as curl's option; audits a staging server under "
        "its production names. Repeatable.",
    ),
]
CacertOption = Annotated[
    Path | None, typer.Option("--cacert", metavar="FILE", help="Trust the certificates of this file.")
]
InsecureOption = Annotated[bool, typer.Option("--insecure", help="Verify no certificate.")]
Http2Option = Annotated[
    bool,
    typer.Option(
        "--http2",
        help="Offer HTTP/2 to https servers; without it all requests are HTTP/1.1, as most crawlers'.",
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary; errors only.")]
VerboseOption = Annotated[
    bool, typer.Option("--verbose", "-v", help="Say on stderr what spider and workers log.")
]


def _log_format(value: str) -> str:
    """From here on, messages of the command itself are in this format as well."""
    logs.choose(value)
    return value


LogFormatOption = Annotated[
    logs.Format,
    typer.Option(
        "--log-format",
        envvar=logs.FORMAT_VARIABLE,
        show_envvar=True,
        callback=_log_format,
        help="Progress and logs as lines for people, or one JSON object a line; audit.log alike.",
    ),
]
MetricsOption = Annotated[
    str | None,
    typer.Option(
        "--metrics",
        metavar="ADDRESS",
        help=f"Serve Prometheus metrics meanwhile: :{METRICS_PORT} and 127.0.0.1:{METRICS_PORT} listen on loopback, "
        f"0.0.0.0:{METRICS_PORT} everywhere.",
    ),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="TOML with the names of these options, and [rules].  [default: sitemap-audit.toml if present]",
    ),
]

FailOn = Literal["error", "warning", "notice", "never"]
FailOnOption = Annotated[
    FailOn, typer.Option("--fail-on", help="Exit 1 when a finding of this severity or worse stands.")
]
CsvStyle = Literal["snake", "screaming-frog"]
CsvStyleOption = Annotated[
    CsvStyle, typer.Option("--csv-style", help="Header names and dialect of the CSV files.")
]

_CONNECT_TO: Final = re.compile(r"(\[[^\]]*\]|[^:\[\]]*):(\d*):(\[[^\]]+\]|[^:\[\]]*):(\d*)", re.ASCII)
_HEADER: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n\x00]*", re.ASCII)


def check_transport(
    headers: Sequence[str], connect_to: Sequence[str], cacert: Path | None
) -> tuple[tuple[str, ...], tuple[str, ...], str | None]:
    """The three transport options, checked before the first request. Raises UsageError."""
    for text in headers:
        if not _HEADER.fullmatch(text):
            raise UsageError(f"--header {text.split(':')[0]!r} is not of the form 'Name: value'")
    for text in connect_to:
        if not _CONNECT_TO.fullmatch(text):
            raise UsageError(f"--connect-to {text!r} is not of the form HOST1:PORT1:HOST2:PORT2")
    if cacert is not None:
        try:
            with cacert.open("rb"):
                pass
        except OSError as err:
            raise UsageError(f"cannot read --cacert {cacert}: {err.strerror}") from None
    return tuple(headers), tuple(connect_to), str(cacert.resolve()) if cacert else None


def default_workers() -> int:
    """Number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
