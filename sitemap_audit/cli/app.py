"""The commands, and how a command ends.

Exit codes (the first that applies): 130 interrupted, resumable · 2 wrong use or configuration · 4 nothing
could be audited · 1 --fail-on met · 3 done, but unchecked > 0 · 0 done.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Final

import typer
from typer.exceptions import TyperException

from sitemap_audit import __version__, logs
from sitemap_audit.errors import SitemapAuditError

app: Final = typer.Typer(
    name="sitemap-audit",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Checks every claim of a sitemap against the site: discover, enqueue, check, judge, report.",
)

COMMANDS: Final = (
    "run",
    "resume",
    "worker",
    "judge",
    "report",
    "status",
    "explain",
    "rules",
    "robots",
    "demo",
    "doctor",
)
"""Modules of this package; each has a function of its own name, in the order of --help."""


def _version(value: bool) -> None:
    if value:
        print(f"sitemap-audit {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Checks every claim of a sitemap against the site: discover, enqueue, check, judge, report."""


def register() -> typer.Typer:
    """The app with its commands; a second call adds nothing."""
    if not app.registered_commands:
        for name in COMMANDS:
            app.command(name)(getattr(import_module(f"sitemap_audit.cli.{name}"), name))
    return app


def _take_sigterm_for_ctrl_c() -> None:
    """SIGTERM ends a command as Ctrl-C does, with what there is to tidy up."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code; prints one line on stderr for what the user can mend."""
    try:
        _take_sigterm_for_ctrl_c()
        code = register()(args=arguments, prog_name="sitemap-audit", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except SitemapAuditError as err:
        logs.say(f"sitemap-audit: {err}")
        return err.exit_code
    except TyperException as err:
        text = err.format_message() if hasattr(err, "format_message") else str(err)
        if text:
            logs.say(f"sitemap-audit: {text} (see sitemap-audit --help)")
        return 2
    except KeyboardInterrupt:
        logs.say("sitemap-audit: interrupted")
        return 130
    except BrokenPipeError:
        # `sitemap-audit … | head`: the reader has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as err:
        place = f": {err.filename}" if err.filename else ""
        logs.say(f"sitemap-audit: {err.strerror or err}{place}")
        return 2
    except Exception as err:
        return _word_of_duckdb(err)


def _word_of_duckdb(err: Exception) -> int:
    """DuckDB's own forms of Ctrl-C and of a disk that takes no more; anything else is a bug and goes on."""
    if isinstance(err, RuntimeError) and str(err) == "Query interrupted":
        logs.say("sitemap-audit: interrupted")
        return 130
    if type(err).__name__ == "IOException":
        logs.say(f"sitemap-audit: {str(err).splitlines()[0]}")
        return 2
    raise err
