"""Which files a run gets, each written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import duckdb
import orjson

from sitemap_audit.errors import UsageError
from sitemap_audit.report.csv_files import write_csv
from sitemap_audit.report.judged import Judged
from sitemap_audit.report.screaming_frog import dialect
from sitemap_audit.report.summary import Summary
from sitemap_audit.report.tables import TABLES


def write_reports(
    run: Judged,
    summary: Summary,
    folder: Path,
    *,
    formats: tuple[str, ...] = ("csv", "json"),
    csv_style: str = "snake",
) -> tuple[Path, ...]:
    """Write the files of these formats into the run folder; returns their paths. UsageError if a disk is full."""
    written = []
    try:
        if "csv" in formats:
            for table in TABLES:
                shown = dialect(table) if csv_style == "screaming-frog" else table
                path = folder / table.name
                write_csv(run, path, shown.columns, shown.source, shown.order)
                written.append(path)
        if "json" in formats:
            path = folder / "summary.json"
            temporary = folder / ".summary.json.new"
            temporary.write_bytes(orjson.dumps(summary.to_json(), option=orjson.OPT_INDENT_2) + b"\n")
            temporary.replace(path)
            written.append(path)
    except (OSError, duckdb.IOException) as err:
        why = err.strerror if isinstance(err, OSError) else str(err).splitlines()[0]
        raise UsageError(
            f"cannot write the reports into {folder}: {why}. The facts are safe; "
            f"`sitemap-audit report {folder}` writes them again"
        ) from None
    return tuple(written)
