"""Parts → tables: each fact once, maps unpacked for the verdict's bot, nothing judged twice or half."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from sitemap_audit.errors import RunFolderError
from sitemap_audit.facts import (
    Alternate,
    Directives,
    Entry,
    ErrorClass,
    Hop,
    Page,
    PageAlternate,
    PageState,
    RobotsFile,
    RobotsRule,
    RobotsState,
    RobotsVerdict,
    SitemapFile,
    SitemapSource,
    SitemapState,
)
from sitemap_audit.store.base import RunRow
from sitemap_audit.store.build import build
from sitemap_audit.store.columns import Kind
from sitemap_audit.store.compact import compact
from sitemap_audit.store.connection import literal, lock_down, open_judge, open_writer
from sitemap_audit.store.judge_settings import JudgeSettings
from sitemap_audit.store.pack import pack
from sitemap_audit.store.parts import list_parts, part_name

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOST = "https://example.com"
A, B, MAP = HOST + "/a", HOST + "/b", HOST + "/sitemap.xml"
RUN = RunRow(run_id="r1", started_at=NOW)
SETTINGS = JudgeSettings(thresholds={"soft404_report": 0.7, "video_duration_s": (1, 28_800)})
PAGE = Page(
    url_id="a" * 16,
    url_key=A,
    requested_url=A,
    discovered_by="sitemap",
    state=PageState.CHECKED,
    fetched_at=NOW,
    first_status=200,
    status=200,
    final_url=A,
    final_key=A,
    canonical=A,
    canonical_state="self",
    robots={
        "googlebot": RobotsVerdict(allowed=True, rule="Allow: /a", line=3, group_line=1, tie_line=4),
        "bingbot": RobotsVerdict(allowed=False, rule="Disallow: /", line=9, group_line=8),
    },
    directives={"googlebot": Directives(), "bingbot": Directives(noindex=True, max_snippet=0)},
    noindex_sources=("meta:bingbot",),
)
ENTRY = Entry(sitemap=MAP, file_id="f" * 16, position=1, line=3, url_id="a" * 16, url_key=A, loc_raw=A, loc=A)
FILE = SitemapFile(
    file_id="f" * 16,
    url=MAP,
    url_key=MAP,
    source=SitemapSource.ROBOTS,
    state=SitemapState.OK,
    robots={"googlebot": RobotsVerdict(allowed=False, rule="Disallow: /sitemap", line=5)},
    namespaces={"image": "http://www.google.com/schemas/sitemap-image/1.1"},
    fetched_at=NOW,
)
ROBOTS = RobotsFile(
    origin=HOST,
    robots_url=HOST + "/robots.txt",
    state=RobotsState.OK,
    rules=(RobotsRule(3, "allow", "/a", 1),),
    effective={"googlebot": "mixed", "bingbot": "disallow_all"},
    fetched_at=NOW,
)
Store = Callable[..., None]


@pytest.fixture
def con(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with open_judge(tmp_path / "spill", memory_limit="200MB", threads=1) as con:
        yield con


def rows(con: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return con.execute(sql).fetchall()


def judge(
    con: duckdb.DuckDBPyConnection, facts: Path, settings: JudgeSettings = SETTINGS, **more: Any
) -> duckdb.DuckDBPyConnection:
    build(con, list_parts(facts), settings=settings, run=RUN, **more)
    return con


def test_no_facts_are_empty_tables(con: duckdb.DuckDBPyConnection, facts: Path) -> None:
    judge(con, facts)
    assert rows(con, "SELECT count(*) FROM urls") == [(0,)]
    assert rows(con, "SELECT video_duration_s, verdict_bot, depth FROM settings") == [
        ([1, 28_800], "googlebot", "page")
    ]
    assert rows(con, "SELECT run_id, counts.listed, counts.skipped FROM runs") == [("r1", 0, {})]
    assert rows(con, "SELECT count(*) FROM previous_runs") == [(0,)]


def test_maps_are_unpacked_for_the_verdict_s_bot(
    store: Store, con: duckdb.DuckDBPyConnection, facts: Path
) -> None:
    store(facts, PAGE, ENTRY, FILE, ROBOTS)
    judge(con, facts)
    assert rows(
        con,
        "SELECT origin, allowed, robots_rule, robots_line, robots_group_line, robots_state, tie_line, star_allowed, "
        "noindex, max_snippet, noindex_bots, bots FROM pages",
    ) == [(HOST, True, "Allow: /a", 3, 1, "ok", 4, None, False, None, ["bingbot"], 2)]
    assert rows(con, "SELECT allowed, robots_line FROM sitemap_files") == [(False, 5)]
    assert rows(con, "SELECT policy, len(rules), effective FROM robots_files") == [
        ("mixed", 1, {"googlebot": "mixed", "bingbot": "disallow_all"})
    ]
    assert rows(con, "SELECT verdict, counts.checked FROM urls, runs") == [("indexable", 1)]


def test_another_bot_another_verdict(store: Store, con: duckdb.DuckDBPyConnection, facts: Path) -> None:
    store(facts, replace(PAGE, robots={"bingbot": RobotsVerdict(allowed=True)}), ROBOTS)
    judge(con, facts, replace(SETTINGS, verdict_bot="bingbot"))
    assert rows(con, "SELECT verdict, verdict_reason, verdict_bot FROM urls") == [
        ("noindex", "meta:bingbot", "bingbot")
    ]
    assert rows(con, "SELECT policy FROM robots_files") == [("disallow_all",)]


def test_who_may_fetch_what_is_counted_over_listed_urls(
    store: Store, con: duckdb.DuckDBPyConnection, facts: Path
) -> None:
    unlisted = replace(PAGE, url_key=B, discovered_by="canonical")
    paused = replace(PAGE, url_key=MAP, robots={"googlebot": RobotsVerdict(allowed=None)})
    store(facts, PAGE, PAGE, unlisted, paused, ENTRY, replace(ENTRY, position=2, url_key=MAP))
    judge(con, facts)
    assert rows(con, "FROM bot_access ORDER BY ALL") == [("bingbot", 0, 1), ("googlebot", 1, 0)]


def test_a_bot_s_name_is_text_not_sql(store: Store, con: duckdb.DuckDBPyConnection, facts: Path) -> None:
    store(facts, PAGE, FILE, ROBOTS)
    judge(con, facts, replace(SETTINGS, verdict_bot="o'bot\"; DROP TABLE pages"))
    assert rows(con, "SELECT allowed, noindex FROM pages") == [(None, False)]


def test_a_bot_without_directives_on_a_page_that_was_read_is_not_told_noindex(
    store: Store, con: duckdb.DuckDBPyConnection, facts: Path
) -> None:
    store(
        facts,
        replace(PAGE, directives=None),
        replace(PAGE, url_key=B, directives=None, canonical_state=None),
    )
    judge(con, facts)
    assert rows(con, "SELECT url_key, noindex, bots FROM pages ORDER BY ALL") == [
        (A, False, None),
        (B, None, None),
    ]


def test_empty_lists_are_null(store: Store, con: duckdb.DuckDBPyConnection, facts: Path) -> None:
    store(facts, replace(PAGE, x_robots_tag=("noindex",)), ENTRY, FILE, replace(ROBOTS, rules=()))
    judge(con, facts)
    assert rows(con, "SELECT x_robots_tag, meta_robots, redirect_flags FROM pages") == [
        (["noindex"], None, None)
    ]
    assert rows(con, "SELECT loc_issues FROM entries") == [(None,)]
    assert rows(con, "SELECT hubs, problems FROM sitemap_files") == [(None, None)]
    assert rows(con, "SELECT rules, groups FROM robots_files") == [(None, None)]


def test_children_of_an_index_are_no_entries(
    store: Store, con: duckdb.DuckDBPyConnection, facts: Path
) -> None:
    child = replace(ENTRY, is_child=True, position=2, loc=MAP, url_key=MAP)
    store(facts, ENTRY, child)
    judge(con, facts)
    assert rows(con, "SELECT url_key FROM entries") == [(A,)]
    assert rows(con, "SELECT url_key FROM index_children") == [(MAP,)]
    assert rows(con, "SELECT url_key FROM urls") == [(A,)]


def test_hops_and_alternates_are_unpacked_once(
    store: Store, con: duckdb.DuckDBPyConnection, facts: Path
) -> None:
    moved = replace(
        PAGE,
        hops=(Hop(n=1, url=A, status=301, location=B, ms=4, robots_allowed=True),),
        alternates=(
            PageAlternate(source="http", code_raw="de", code="de", href_raw="/b", href=B, href_key=B),
        ),
    )
    entry = replace(ENTRY, alternates=(Alternate(code_raw="fr", code="fr", href_raw=B, href=B, href_key=B),))
    store(facts, moved, moved, entry, entry)
    judge(con, facts)
    assert rows(
        con, "SELECT url_key, n, url, status, kind, location, ms, robots_allowed, set_cookie FROM hops"
    ) == [(A, 1, A, 301, "http", B, 4, True, False)]
    assert rows(
        con, "SELECT from_key, source, sitemap, line, code, href_key FROM alternates ORDER BY source"
    ) == [
        (A, "http", None, None, "de", B),
        (A, "sitemap", MAP, 3, "fr", B),
    ]


@pytest.mark.parametrize("backwards", [False, True])
def test_of_two_facts_about_a_page_the_checked_one_stands(
    store: Store, con: duckdb.DuckDBPyConnection, facts: Path, backwards: bool
) -> None:
    skipped = replace(PAGE, state=PageState.SKIPPED, reason="robots", fetched_at=None, status=None)
    stopped = replace(PAGE, state=PageState.UNCHECKED, reason="stopped", fetched_at=NOW - timedelta(1))
    later = replace(PAGE, fetched_at=NOW + timedelta(hours=1), title="later")
    told = [stopped, skipped, later, replace(PAGE, title="first")]
    store(facts, *(reversed(told) if backwards else told))
    judge(con, facts)
    assert rows(con, "SELECT title FROM pages") == [("first",)]


def test_what_is_more_than_stopped_stands_before_it(
    store: Store, con: duckdb.DuckDBPyConnection, facts: Path
) -> None:
    stopped = replace(PAGE, state=PageState.UNCHECKED, reason="stopped", fetched_at=NOW)
    limited = replace(PAGE, state=PageState.UNCHECKED, reason="rate_limited", fetched_at=NOW + timedelta(1))
    store(facts, stopped, limited, replace(stopped, url_key=B))
    judge(con, facts)
    assert rows(con, "SELECT url_key, reason FROM urls ORDER BY ALL") == [(A, "rate_limited"), (B, "stopped")]


def test_a_second_look_that_answered_stands_before_the_first(
    store: Store, con: duckdb.DuckDBPyConnection, facts: Path
) -> None:
    down = replace(ROBOTS, state=RobotsState.UNREACHABLE, error_class=ErrorClass.TIMEOUT)
    again = replace(ROBOTS, fetched_at=NOW + timedelta(minutes=1))
    copy = replace(ROBOTS, at_root=False, robots_url=HOST + "/shop/robots.txt")
    store(facts, down, again, copy, replace(down, origin="https://b.example"))
    store(facts, replace(FILE, state=SitemapState.PARTIAL), replace(FILE, fetched_at=NOW + timedelta(1)))
    judge(con, facts)
    assert rows(con, "SELECT origin, state, robots_url FROM robots_files ORDER BY ALL") == [
        ("https://b.example", "unreachable", HOST + "/robots.txt"),
        (HOST, "ok", HOST + "/robots.txt"),
        (HOST, "ok", HOST + "/shop/robots.txt"),
    ]
    assert rows(con, "SELECT state FROM sitemap_files") == [("ok",)]


def test_the_earlier_run_gets_tables_of_its_own(
    store: Store, con: duckdb.DuckDBPyConnection, facts: Path, tmp_path: Path
) -> None:
    old = tmp_path / "old" / "facts"
    store(old, PAGE, ENTRY, FILE, ROBOTS)
    store(facts, replace(PAGE, status=404, first_status=404, canonical_state=None), ENTRY)
    judge(con, facts, previous=list_parts(old))
    assert rows(con, "SELECT u.verdict, p.verdict FROM urls u JOIN previous_urls p USING (url_key)") == [
        ("client_error", "indexable")
    ]
    assert rows(con, "SELECT previous_run FROM seen") == [(True,)]
    assert rows(con, "SELECT count(*) FROM previous_robots_files") == [(1,)]


def test_an_earlier_run_without_one_fact_is_an_earlier_run(
    store: Store, con: duckdb.DuckDBPyConnection, facts: Path, tmp_path: Path
) -> None:
    store(facts, PAGE, ENTRY)
    judge(con, facts, previous=list_parts(tmp_path / "empty"))
    assert rows(con, "SELECT previous_run FROM seen") == [(True,)]


def test_what_is_written_after_the_list_was_made_is_not_judged(
    store: Store, con: duckdb.DuckDBPyConnection, facts: Path
) -> None:
    store(facts, ENTRY)
    parts = list_parts(facts)
    store(facts, replace(ENTRY, position=2, url_key=B, loc=B))
    build(con, parts, settings=SETTINGS, run=RUN)
    assert rows(con, "SELECT url_key FROM urls") == [(A,)]


def test_parts_that_were_compacted_meanwhile_are_listed_again(
    store: Store, con: duckdb.DuckDBPyConnection, facts: Path
) -> None:
    store(facts, ENTRY, replace(ENTRY, position=2, url_key=B, loc=B), PAGE)
    parts = list_parts(facts)
    assert compact(facts, least=2) == 3
    read = build(con, parts, settings=SETTINGS, run=RUN)
    assert len(read.files(Kind.ENTRIES)) == 1
    assert rows(con, "SELECT url_key FROM urls ORDER BY ALL") == [(A,), (B,)]


@pytest.mark.parametrize("in_lines", [True, False])
def test_a_damaged_part_stops_the_judgement_by_name(
    store: Store, con: duckdb.DuckDBPyConnection, facts: Path, in_lines: bool
) -> None:
    store(facts, ENTRY, PAGE)
    if not in_lines:
        pack(facts)
    (path,) = list_parts(facts).files(Kind.PAGES)
    assert path.name == part_name(1, 1, 1, in_lines=in_lines)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(RunFolderError, match="resume") as caught:
        judge(con, facts)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("columns", ["1 AS something", "'x' AS url_key, 'many' AS status", "NULL AS url_key"])
def test_a_foreign_part_stops_the_judgement_by_name(
    store: Store, con: duckdb.DuckDBPyConnection, facts: Path, columns: str
) -> None:
    store(facts, ENTRY, PAGE)
    path = facts / Kind.PAGES / part_name(2, 2, 1)
    with duckdb.connect() as other:
        other.execute(f"COPY (SELECT {columns}) TO {literal(str(path))} (FORMAT parquet)")
    with pytest.raises(RunFolderError) as caught:
        judge(con, facts)
    assert str(path) in str(caught.value)


def test_a_part_of_an_older_version_lacks_columns(
    store: Store, con: duckdb.DuckDBPyConnection, facts: Path
) -> None:
    store(facts, PAGE)
    path = facts / Kind.PAGES / part_name(2, 2, 1)
    with duckdb.connect() as other:
        other.execute(
            f"COPY (SELECT '{B}' AS url_key, 'checked' AS state, 200::BIGINT AS first_status, 200::BIGINT AS status, "
            "[{'name': 'robots', 'content': 'all'}] AS meta_robots, 'none' AS canonical_state) "
            f"TO {literal(str(path))} (FORMAT parquet)"
        )
    judge(con, facts)
    assert rows(con, "SELECT url_key, verdict FROM urls ORDER BY ALL") == [(A, "indexable"), (B, "indexable")]
    assert rows(
        con, f"SELECT meta_robots[1].content, meta_robots[1].in_head FROM pages WHERE url_key = '{B}'"
    ) == [("all", None)]


def test_neither_connection_draws_on_stdout_or_keeps_local_time(
    con: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    with open_writer(tmp_path / "spill-2") as writer:
        for opened in (con, writer):
            asked = "SELECT current_setting('enable_progress_bar'), current_setting('TimeZone')"
            assert rows(opened, asked) == [(False, "UTC")]


def test_a_locked_connection_touches_its_export_folder_only(
    store: Store, con: duckdb.DuckDBPyConnection, facts: Path, tmp_path: Path
) -> None:
    store(facts, PAGE, ENTRY)
    judge(con, facts)
    export = tmp_path / "it's an export"
    export.mkdir()
    lock_down(con, export)
    con.execute(f"COPY urls TO {literal(str(export / 'urls.csv'))}")
    assert (export / "urls.csv").stat().st_size > 0
    part = list_parts(facts).files(Kind.PAGES)[0]
    for sql in (
        f"FROM read_parquet({literal(str(part))})",
        f"COPY urls TO {literal(str(tmp_path / 'x.csv'))}",
        f"COPY urls TO {literal(str(export / '..' / 'x.csv'))}",
        f"ATTACH {literal(str(tmp_path / 'x.db'))}",
        "FROM read_text('/etc/hostname')",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SET allowed_directories = ['/']",
        "SET memory_limit = '100GB'",
    ):
        with pytest.raises(duckdb.Error):
            con.execute(sql)
    assert part.exists()
