"""The command line: one file a command, heavy imports inside the commands.

app       the commands, and what ends a command: one clear line, an exit code, never a traceback
config    sitemap-audit.toml
options   the options that several commands share
finish    what follows a run, a resume or a judge: findings, files, summary, exit code
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code. Ctrl-C is no traceback, also while the parts of the command are loaded."""
    try:
        from sitemap_audit.cli.app import main as command

        return command(arguments)
    except KeyboardInterrupt:
        print("sitemap-audit: interrupted", file=sys.stderr)
        return 130
