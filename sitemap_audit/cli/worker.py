"""`sitemap-audit worker --redis URL`: more workers, on this machine or another."""

from __future__ import annotations

import logging
import os
import sys
from typing import Annotated

import typer

from sitemap_audit import logs
from sitemap_audit.cli import options as shared
from sitemap_audit.errors import UsageError
from sitemap_audit.options import Transport


def worker(
    redis: shared.RedisOption = None,
    processes: Annotated[
        int | None,
        typer.Option(
            "--processes",
            metavar="N",
            min=1,
            help="Worker processes.  [default: number of cores]",
            show_default=False,
        ),
    ] = None,
    header: shared.HeaderOption = None,
    connect_to: shared.ConnectToOption = None,
    cacert: shared.CacertOption = None,
    insecure: shared.InsecureOption = False,
    http2: shared.Http2Option = False,
    metrics: shared.MetricsOption = None,
    log_format: shared.LogFormatOption = "text",
) -> None:
    """Join the audits of a server with more workers; ends cleanly on SIGTERM or Ctrl-C.

    Headers and files are given here, on each machine: they never travel through Redis.
    """
    from sitemap_audit.metrics import read_address
    from sitemap_audit.queue.server import check_server, connect

    if not redis:
        raise UsageError(
            "worker needs --redis URL (or SITEMAP_AUDIT_REDIS): the server of the audits it is to join"
        )
    headers, connect_targets, ca = shared.check_transport(header or [], connect_to or [], cacert)
    client = connect(redis, patient=False)
    for warning in check_server(client):
        logs.say(warning, level=logging.WARNING)
    client.close()
    transport = Transport(
        headers=headers, connect_to=connect_targets, cacert=ca, insecure=insecure, http2=http2
    )
    number = processes or shared.default_workers()
    # The process becomes the workers' parent: signals of a service manager reach it directly.
    os.execve(  # noqa: S606
        sys.executable,
        [sys.executable, "-P", "-m", "workers", "--processes", str(number)]
        + (["--metrics", read_address(metrics).text] if metrics else []),
        {
            **os.environ,
            **transport.to_environment(),
            **logs.to_environment(),
            shared.REDIS_VARIABLE: redis,
        },
    )
