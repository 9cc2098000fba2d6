"""`sitemap-audit report RUN`: the reports again, also of a run that is still going on."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from sitemap_audit.cli import options as shared
from sitemap_audit.cli.config import read_config
from sitemap_audit.errors import UsageError

FORMATS: Final = ("csv", "json")


def report(
    run: shared.RunArgument,
    formats: Annotated[
        str, typer.Option("--format", metavar="F,F", help=f"Which files: {', '.join(FORMATS)}.")
    ] = ",".join(FORMATS),
    csv_style: shared.CsvStyleOption = "snake",
    config: shared.ConfigOption = None,
    quiet: shared.QuietOption = False,
) -> None:
    """Write the reports again, also from a run that is still going on."""
    from sitemap_audit.cli.finish import judge_and_report
    from sitemap_audit.store.folder import RunFolder

    wanted = tuple(f.strip() for f in formats.split(",") if f.strip())
    for name in wanted:
        if name not in FORMATS:
            raise UsageError(f"--format {name!r} is not known; known are {', '.join(FORMATS)}")
    folder = RunFolder(run.absolute())
    code = judge_and_report(
        folder, folder.read(), config=read_config(config), csv_style=csv_style, quiet=quiet, formats=wanted
    )
    raise typer.Exit(0 if code == 3 else code)
