"""Errors for the person at the terminal. Bad input of a site is never one of these: it is a fact.

SitemapAuditError
├── UsageError        wrong options or configuration: exit code 2, one line and the mend
├── ServerError       the Redis server cannot be used (eviction policy, password, version …)
├── UnsavedError      stopped while the disk was full: what could not be stored is said
└── RunFolderError    the run folder is locked, unreadable, of another version, or not a run
    └── DiskFullError   its disk takes no more: a run waits for room, other commands end

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


class DiskFullError(RunFolderError):
    """The disk of the run folder takes no more now. Nothing was written in part; try again when there is room."""


class UnsavedError(SitemapAuditError):
    """A run was stopped while its disk was full, so that not everything seen could be stored."""

    exit_code = 130
