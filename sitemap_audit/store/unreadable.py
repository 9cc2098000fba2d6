"""Which part is damaged or foreign, said to the person at the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import duckdb

from sitemap_audit.errors import RunFolderError
from sitemap_audit.store.columns import FACTS, Kind
from sitemap_audit.store.lines import raise_damaged
from sitemap_audit.store.relation import relation


def raise_unreadable(
    con: duckdb.DuckDBPyConnection, files: tuple[Path, ...], cause: duckdb.Error
) -> NoReturn:
    """RunFolderError that names the damaged or foreign one of `files`, and the mend.

    Reads each of them, by the columns of the kind whose folder it lies in. When nothing is wrong with any,
    it was the disk; or a mistake of ours, then `cause` is raised again.
    """
    for path in files:
        try:
            con.execute(
                f"SELECT count(COLUMNS(*)) FROM ({relation(con, FACTS[Kind(path.parent.name)], (path,))})"
            )
        except duckdb.Error:
            raise_damaged(path)
    if isinstance(cause, duckdb.IOException):
        raise RunFolderError(
            f"reading or writing in {files[0].parent} failed: {cause}. Make room, then try again"
        ) from None
    raise cause
