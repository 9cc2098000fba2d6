"""The command line: one file a command, heavy imports inside the commands.

app       the commands, and what ends a command: one clear line, an exit code, never a traceback
config    sitemap-audit.toml
options   the options that several commands share
finish    what follows a run, a resume or a judge: findings, files, summary, exit code
"""

from sitemap_audit.cli.app import main

__all__ = ["main"]
