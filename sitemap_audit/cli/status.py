"""`sitemap-audit status RUN`: how a run stands, from any terminal or machine."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from sitemap_audit.cli import options as shared
from sitemap_audit.errors import UsageError

if TYPE_CHECKING:
    from sitemap_audit.coordinate.observe import Observed

WATCH_EVERY_S: Final = 2.0


def status(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", show_default=False, help="The folder of a run; with --redis also the id of a run."
        ),
    ],
    seconds: Annotated[
        float | None,
        typer.Argument(
            metavar="[SECONDS]",
            min=0.2,
            show_default=False,
            help="With --watch: so long between two looks.  [default: 2]",
        ),
    ] = None,
    redis: shared.RedisOption = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Look again and again until the run is over.")
    ] = False,
    format_: Annotated[
        Literal["text", "json"],
        typer.Option("--format", help="How it is written; json with --watch: a line a look."),
    ] = "text",
) -> None:
    """Progress, rates, waits and workers of a run, from another terminal or another machine.

    Exit code 0 it goes on, or is done with everything checked; 3 done, but something could not be checked;
    130 interrupted, killed, or (seen through --redis alone) silent for 15 seconds; 2 there is no such run.
    """
    if seconds is not None and not watch:
        raise UsageError("SECONDS belongs to --watch")
    look = partial(_look, run, redis)
    if not watch:
        seen = look()
        _write(seen, format_)
    elif format_ == "text" and sys.stdout.isatty():
        seen = _live(look, seconds or WATCH_EVERY_S)
    else:
        while True:
            seen = look()
            _write(seen, format_, compact=True)
            sys.stdout.flush()
            if seen.over:
                break
            time.sleep(seconds or WATCH_EVERY_S)
    raise typer.Exit(_code(seen))


def _look(run: str, redis: str | None) -> Observed:
    """A folder that is one tells most; without one RUN is an id on the server."""
    from sitemap_audit.coordinate.observe import observe_folder, observe_run
    from sitemap_audit.store.folder import RunFolder

    folder = RunFolder(Path(run).absolute())
    if redis is None or folder.record_file.exists():
        return observe_folder(folder, redis)
    return observe_run(redis, run)


def _code(seen: Observed) -> int:
    from sitemap_audit.queue.status import RunState

    # Of a folder we know whether its process lives; from afar a coordinator that says nothing counts as dead.
    if seen.status.state in (RunState.INTERRUPTED, RunState.KILLED) or (seen.silent and seen.folder is None):
        return 130
    return 3 if seen.status.state is RunState.DONE and seen.status.unchecked else 0


def _write(seen: Observed, format_: str, *, compact: bool = False) -> None:
    from sitemap_audit.cli.status_view import as_json, as_text

    if format_ == "json":
        sys.stdout.write(as_json(seen, compact=compact))
    else:
        sys.stdout.write(as_text(seen))


def _live(look: Callable[[], Observed], seconds: float) -> Observed:
    """Redrawn in place; the last look stays."""
    from rich.console import Console
    from rich.live import Live

    from sitemap_audit.cli.status_view import as_renderable

    console = Console()
    seen = look()
    try:
        with Live(as_renderable(seen), console=console, auto_refresh=False) as live:
            while not seen.over:
                time.sleep(seconds)
                seen = look()
                live.update(as_renderable(seen), refresh=True)
    except KeyboardInterrupt:
        pass  # Whoever watches ends the watching, not the run.
    return seen
