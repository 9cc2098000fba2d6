"""`sitemap-audit judge RUN`: the stored facts under today's rules; no request is made."""

from __future__ import annotations

import typer

from sitemap_audit.cli import options as shared
from sitemap_audit.cli.config import read_config


def judge(
    run: shared.RunArgument,
    config: shared.ConfigOption = None,
    fail_on: shared.FailOnOption = "never",
    csv_style: shared.CsvStyleOption = "snake",
    quiet: shared.QuietOption = False,
) -> None:
    """Judge the stored facts again with today's rules, and write the reports. Makes no request."""
    from sitemap_audit.cli.finish import judge_and_report
    from sitemap_audit.store.folder import RunFolder

    folder = RunFolder(run.absolute())
    raise typer.Exit(
        judge_and_report(
            folder,
            folder.read(),
            config=read_config(config),
            fail_on=fail_on,
            csv_style=csv_style,
            quiet=quiet,
        )
    )
