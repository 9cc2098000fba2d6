"""How a cell of a CSV file is written (CONTRACT, CSV).

UTF-8, comma, RFC 4180, LF; times 2026-11-30T12:15:12Z, true and false, lists joined with ` | `, empty = not
known. A text that would start a formula in a spreadsheet gets a leading apostrophe: the first character
behind blanks, controls, NUL and byte order marks counts (OWASP, CSV injection, widened). Control and bidi
characters are replaced, so that no terminal or editor obeys a site; exact values stay in the Parquet parts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from sitemap_audit.report.judged import Judged


class Cell(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    FLAG = "flag"
    TIME = "time"
    TEXTS = "texts"
    SHARE = "share"


@dataclass(frozen=True, slots=True)
class Column:
    """`sql` is an expression over the tables that the file's FROM names."""

    name: str
    sql: str
    cell: Cell = Cell.TEXT


_BLANKS: Final = (
    r"[\x00-\x20\x7f-\xa0\x{ad}\x{1680}\x{2000}-\x{200f}\x{2028}-\x{202f}\x{205f}\x{2060}\x{3000}\x{feff}]"
)
_FORMULA: Final = rf"^(?:{_BLANKS}*[=+\-@\x{{ff1d}}\x{{ff0b}}\x{{ff0d}}\x{{ff20}}]|[\t\r\n])"
_SPACES: Final = r"[\t\r\n]+"
_CONTROLS: Final = r"[\x00-\x1f\x7f-\x{9f}\x{200e}\x{200f}\x{2028}\x{2029}\x{202a}-\x{202e}\x{2066}-\x{2069}]"


def _text(sql: str) -> str:
    clean = f"regexp_replace(regexp_replace({sql}, '{_SPACES}', ' ', 'g'), '{_CONTROLS}', chr(65533), 'g')"
    return f"CASE WHEN regexp_matches({sql}, '{_FORMULA}') THEN '''' || {clean} ELSE {clean} END"


def _python(pattern: str) -> re.Pattern[str]:
    """RE2 writes `\\x{2028}` what Python writes `\\u2028`; else the two agree."""
    return re.compile(re.sub(r"\\x\{([0-9a-f]+)\}", lambda m: f"\\u{int(m[1], 16):04x}", pattern))


_FORMULA_PYTHON: Final = _python(_FORMULA)
_SPACES_PYTHON: Final = _python(_SPACES)
_CONTROLS_PYTHON: Final = _python(_CONTROLS)


def safe_text(text: str) -> str:
    """The cell of a text, for what is written without a database: the same as `cell_sql` makes of it."""
    clean = _CONTROLS_PYTHON.sub("\ufffd", _SPACES_PYTHON.sub(" ", text))
    return "'" + clean if _FORMULA_PYTHON.search(text) else clean


def cell_sql(column: Column) -> str:
    """The expression that gives the cell's text; NULL = empty."""
    sql = f"({column.sql})"
    match column.cell:
        case Cell.TEXT:
            return f"nullif({_text(sql)}, '')"
        case Cell.TEXTS:
            return f"nullif({_text(f'array_to_string({sql}, chr(32) || chr(124) || chr(32))')}, '')"
        case Cell.TIME:
            return f"strftime({sql}, '%Y-%m-%dT%H:%M:%SZ')"
        case Cell.FLAG:
            return f"CASE {sql} WHEN true THEN 'true' WHEN false THEN 'false' END"
        case Cell.SHARE:
            return f"round({sql}::DOUBLE, 4)"
        case Cell.NUMBER:
            return f"{sql}::BIGINT"


def write_csv(run: Judged, path: Path, columns: Sequence[Column], source: str, order: str) -> int:
    """Write one file: the `columns` over `source` (FROM … WHERE …), sorted. Returns the number of rows.

    Written under a temporary name and renamed: a reader never sees half of it.
    """
    names = ", ".join(f'{cell_sql(c)} AS "{c.name}"' for c in columns)
    temporary = path.with_name(f".{path.name}.new")
    quoted = str(temporary).replace("'", "''")
    rows = run.con.execute(
        f"COPY (SELECT {names} {source} ORDER BY {order}) TO '{quoted}' "
        "(FORMAT csv, HEADER true, DELIMITER ',', QUOTE '\"', ESCAPE '\"', NULLSTR '')"
    ).fetchone()
    temporary.replace(path)
    return int(rows[0]) if rows else 0
