"""The base tables: facts from the parts, each once, with the maps unpacked for the verdict's bot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import duckdb

from sitemap_audit.errors import RunFolderError
from sitemap_audit.store.columns import FACTS, IDENTITY, Kind, names
from sitemap_audit.store.connection import literal
from sitemap_audit.store.relation import relation
from sitemap_audit.store.schema import DIRECTIVES_OF_THE_BOT, PER_RUN


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A line of `runs`. `options`, `versions`: JSON texts. `requests`, `bytes`: what the run sent and read."""

    run_id: str
    started_at: datetime
    finished_at: datetime | None = None
    state: str = "done"
    options: str | None = None
    versions: str | None = None
    requests: int | None = None
    bytes: int | None = None


FOUND_ELSEWHERE: Final = "CASE WHEN at_root THEN NULL ELSE robots_url END"

ONE_FACT: Final[Mapping[Kind, tuple[str, str]]] = {
    Kind.ROBOTS: (
        f"origin, {FOUND_ELSEWHERE}",
        "coalesce(state IN ('unreachable', 'server_error'), true), fetched_at",
    ),
    Kind.SITEMAPS: ("url_key", "state IS DISTINCT FROM 'ok', fetched_at"),
    Kind.ENTRIES: ("sitemap, position", "part, part_row"),
    Kind.PAGES: (
        "url_key",
        "state IS DISTINCT FROM 'checked', coalesce(reason = 'stopped', false), fetched_at",
    ),
}
"""What makes two lines one fact, and which of them stands: the smallest. A second look that answered
stands before the first that failed; of pages the checked one, then what is more than `stopped`, then the
earliest."""

_BOT_ROBOTS: Final = {
    "allowed": "r.allowed",
    "robots_rule": "r.rule",
    "robots_line": "r.line",
    "robots_group_line": "r.group_line",
    "robots_state": "r.state",
    "tie_line": "r.tie_line",
    "star_allowed": "r.star_allowed",
}
_SAID_NO: Final = "CASE WHEN canonical_state IS NOT NULL THEN false END"
"""Without a directive for the bot, but the page was read: not noindex, rather than not known."""

PAGE_VALUES: Final[Mapping[str, str]] = {
    **_BOT_ROBOTS,
    **{name: f"d.{name}" for name in DIRECTIVES_OF_THE_BOT},
    "noindex": f"coalesce(d.noindex, {_SAID_NO})",
    "nofollow": f"coalesce(d.nofollow, {_SAID_NO})",
    "noindex_bots": "list_transform(list_filter(map_entries(directives), lambda e: e.value.noindex), lambda e: e.key)",
    "bots": "cardinality(directives)",
    "origin": "nullif(regexp_extract(requested_url, '^[a-z]+://[^/?#]+'), '')",
}


def load(con: duckdb.DuckDBPyConnection, files: Mapping[Kind, tuple[Path, ...]], bot: str, of: str) -> None:
    """Fill the base tables (their names begin with `of`) from `files`. Raises duckdb.Error for a bad part."""
    once = {kind: _once(con, kind, files[kind]) for kind in Kind}
    _insert(con, of, "robots_files", f"({once[Kind.ROBOTS]}) f", {"policy": f"effective[{literal(bot)}]"})
    _insert(
        con,
        of,
        "sitemap_files",
        f"(SELECT *, robots[{literal(bot)}] AS r FROM ({once[Kind.SITEMAPS]})) f",
        _BOT_ROBOTS,
    )
    _insert(con, of, "entries", f"({once[Kind.ENTRIES]}) f WHERE NOT coalesce(is_child, false)", {})
    _insert(con, of, "index_children", f"({once[Kind.ENTRIES]}) f WHERE is_child", {})
    _insert(
        con,
        of,
        "pages",
        f"(SELECT *, robots[{literal(bot)}] AS r, directives[{literal(bot)}] AS d FROM ({once[Kind.PAGES]})) f",
        PAGE_VALUES,
    )
    if not of:
        _bot_access(con, once[Kind.PAGES])
    for table in ("hops", "alternates"):
        con.execute(f"TRUNCATE {of}{table}")
    con.execute(
        f"INSERT INTO {of}hops BY NAME SELECT url_id, url_key, unnest(hops, max_depth := 2) "
        f"FROM ({once[Kind.PAGES]}) WHERE len(hops) > 0"
    )
    con.execute(
        f"INSERT INTO {of}alternates BY NAME SELECT url_key AS from_key, 'sitemap' AS source, sitemap, "
        f"coalesce(a.line, line) AS line, {_ALTERNATE} FROM (SELECT url_key, sitemap, line, unnest(alternates) AS a "
        f"FROM ({once[Kind.ENTRIES]}) WHERE len(alternates) > 0 AND NOT coalesce(is_child, false))"
    )
    con.execute(
        f"INSERT INTO {of}alternates BY NAME SELECT url_key AS from_key, a.source AS source, {_ALTERNATE}, "
        f"a.in_head AS in_head FROM (SELECT url_key, unnest(alternates) AS a FROM ({once[Kind.PAGES]}) "
        "WHERE len(alternates) > 0)"
    )
    for kind in Kind:
        con.execute(f"DROP TABLE IF EXISTS repeats_{kind}")


def _bot_access(con: duckdb.DuckDBPyConnection, pages: str) -> None:
    """Who may fetch how many of the listed URLs. One pass: a map of ten bots unpacked is ten million lines."""
    con.execute("TRUNCATE bot_access")
    bots = [b for (b,) in con.execute(f"SELECT DISTINCT unnest(map_keys(robots)) FROM ({pages})").fetchall()]
    if not bots:
        return
    counted = ", ".join(
        f"count(*) FILTER (robots[{literal(bot)}].allowed), count(*) FILTER (NOT robots[{literal(bot)}].allowed)"
        for bot in bots
    )
    found = con.execute(
        f"SELECT {counted} FROM ({pages}) p SEMI JOIN entries e ON e.url_key = p.url_key"
    ).fetchone()
    numbers = found or ()
    lines = [(bot, *numbers[2 * n : 2 * n + 2]) for n, bot in enumerate(bots)]
    con.execute(
        f"INSERT INTO bot_access VALUES {', '.join(['(?, ?, ?)'] * len(lines))}",
        [value for line in lines for value in line],
    )


_ALTERNATE: Final = ", ".join(
    f"a.{name} AS {name}" for name in ("code_raw", "code", "code_issue", "href_raw", "href", "href_key")
)


def _once(con: duckdb.DuckDBPyConnection, kind: Kind, files: tuple[Path, ...]) -> str:
    """SELECT over the facts of a kind without the repeats that a delivery or a second look left.

    Repeats are rare, rows are wide: they are looked for by the hash of their identity, then ranked among
    themselves, and left out by part and row.
    """
    same, better = ONE_FACT[kind]
    lines = relation(con, FACTS[kind], files, rows_named=True)
    _refuse_foreign(con, kind, lines)
    con.execute(
        f"""CREATE OR REPLACE TEMP TABLE repeats_{kind} AS
        WITH twice AS (SELECT hash({same}) AS h FROM ({lines}) GROUP BY h HAVING count(*) > 1)
        SELECT part, part_row FROM (
            SELECT part, part_row, row_number() OVER (PARTITION BY {same} ORDER BY {better}, part, part_row) AS place
            FROM ({lines}) WHERE hash({same}) IN (FROM twice)
        ) WHERE place > 1"""
    )
    repeats = con.execute(f"SELECT count(*) FROM repeats_{kind}").fetchone()
    if repeats is None or repeats[0] == 0:
        return relation(con, FACTS[kind], files)
    return f"SELECT {names(FACTS[kind])} FROM ({lines}) ANTI JOIN repeats_{kind} USING (part, part_row)"


def _refuse_foreign(con: duckdb.DuckDBPyConnection, kind: Kind, lines: str) -> None:
    """No line of ours is without its identity (writer.py): a part that has some is not ours."""
    unknown = " OR ".join(f'"{name}" IS NULL' for name in IDENTITY[kind])
    found = con.execute(f"SELECT part FROM ({lines}) WHERE {unknown} LIMIT 1").fetchone()
    if found is not None:
        raise RunFolderError(
            f"{found[0]} holds lines that are no facts of the kind {kind}: it was not written by this run. "
            "Move it out of the facts folder, or restore the one that was there"
        )


def _insert(
    con: duckdb.DuckDBPyConnection, of: str, table: str, source: str, given: Mapping[str, str]
) -> None:
    """Columns of `table` from `given` expressions, else from the fact of that name, else NULL."""
    facts = FACTS[_KIND_OF[table]]
    selected = []
    for name, kind in PER_RUN[table].items():
        value = given.get(name, f'"{name}"' if name in facts else "NULL")
        if kind.endswith("[]") and value != "NULL":
            value = f"CASE WHEN len({value}) > 0 THEN {value} END"
        selected.append(f'CAST({value} AS {kind}) AS "{name}"')
    con.execute(f"TRUNCATE {of}{table}")
    con.execute(
        f"INSERT INTO {of}{table} ({names(PER_RUN[table])}) SELECT {', '.join(selected)} FROM {source}"
    )


_KIND_OF: Final = {
    "robots_files": Kind.ROBOTS,
    "sitemap_files": Kind.SITEMAPS,
    "entries": Kind.ENTRIES,
    "index_children": Kind.ENTRIES,
    "pages": Kind.PAGES,
}
