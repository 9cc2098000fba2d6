"""`sitemap-audit resume RUN`: go on with an interrupted run."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from sitemap_audit.cli import options as shared
from sitemap_audit.cli.config import read_config
from sitemap_audit.errors import RunFolderError, UsageError


def resume(
    run: shared.RunArgument,
    redis: shared.RedisOption = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=0,
            help="Worker processes started here.  [default: as the run began]",
            show_default=False,
        ),
    ] = None,
    header: shared.HeaderOption = None,
    config: shared.ConfigOption = None,
    fail_on: shared.FailOnOption = "never",
    metrics: shared.MetricsOption = None,
    quiet: shared.QuietOption = False,
    verbose: shared.VerboseOption = False,
    log_format: shared.LogFormatOption = "text",
) -> None:
    """Go on with an interrupted run: check only what is still unchecked, then judge and report."""
    from sitemap_audit.cli.finish import audit_and_report
    from sitemap_audit.store.folder import RunFolder

    folder = RunFolder(run.absolute())
    record = folder.read()
    if record.state == "done":
        raise RunFolderError(
            f"{run} is done: nothing is left to check. `sitemap-audit report {run}` writes its reports again"
        )
    headers, _, _ = shared.check_transport(header or [], [], None)
    missing = set(record.header_names) - {h.split(":", 1)[0] for h in headers}
    if missing:
        raise UsageError(
            f"this run sent the header {', '.join(sorted(missing))}, whose value is not stored: give it again with --header"
        )
    if record.redis and not redis:
        redis = record.redis
    wanted = record.workers_wanted if workers is None else workers
    if not wanted and not redis:
        raise UsageError(
            "no worker would check this run: give --workers N, or the server of others with --redis URL"
        )
    record = replace(
        record,
        transport=replace(record.transport, headers=headers),
        workers_wanted=wanted,
    )
    raise typer.Exit(
        audit_and_report(
            folder,
            record,
            redis_url=redis,
            config=read_config(config),
            resume=True,
            fail_on=fail_on,
            quiet=quiet,
            verbose=verbose,
            metrics=metrics,
        )
    )
