"""Errors for the person at the terminal. Bad input of a site is never one of these: it is a fact.

SitemapAuditError
├── UsageError        wrong options or configuration: exit code 2, one line and the mend
├── ServerError       the Redis server cannot be used (eviction policy, password, version …)
└── RunFolderError    the run folder is locked, unreadable, of another version, or not a run

To keep this file: one class for each thing a caller handles differently, no more. The message is
the whole sentence that the operator reads: what was seen, where, and what to do.
"""

from __future__ import annotations


class SitemapAuditError(Exception):
    """Root of all errors that end a command with one clear line instead of a traceback."""

    exit_code = 2


class UsageError(SitemapAuditError):
    """The command line or the configuration asks for something that cannot be done."""


class ServerError(SitemapAuditError):
    """The Redis server cannot carry a run."""


class RunFolderError(SitemapAuditError):
    """The run folder cannot be used."""
