"""A disk that takes no more: which refusals pass when somebody makes room, and which do not."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Final

from sitemap_audit.errors import DiskFullError, RunFolderError

FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""No space left, quota used up, or a file as long as a limit of the process lets it be."""
_LEAST_BYTES: Final = 1_048_576
"""A disk with less room than this counts as full, whatever a library calls its failure."""


def is_full(folder: Path, error: Exception) -> bool:
    """Does this refusal to write into `folder` pass when there is room again?"""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno in FULL
    if any(os.strerror(number) in str(error) for number in FULL):
        return True
    try:
        return shutil.disk_usage(folder).free < _LEAST_BYTES
    except OSError:
        return False


def refused(folder: Path, error: Exception) -> RunFolderError:
    """The error to raise for it: DiskFullError where waiting helps. `error`: an OSError, or DuckDB's."""
    strerror = error.strerror if isinstance(error, OSError) else None
    words = strerror or str(error).splitlines()[0][:300] if str(error) else type(error).__name__
    kind = DiskFullError if is_full(folder, error) else RunFolderError
    return kind(
        f"cannot write to {folder}: {words}. Make room or give leave to write, then go on with "
        "`sitemap-audit resume`: nothing that was stored is lost"
    )
