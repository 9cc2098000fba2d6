"""Parts: written whole or not at all, never doubled, and a line that does not fit loses no batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import orjson
import pytest

from sitemap_audit.errors import RunFolderError
from sitemap_audit.facts import Entry, Page, PageState
from sitemap_audit.store import compact as compaction
from sitemap_audit.store import writer as writing
from sitemap_audit.store.columns import FACTS, Kind
from sitemap_audit.store.compact import compact
from sitemap_audit.store.connection import file_list
from sitemap_audit.store.parts import TEMPORARY, UNREADABLE, clean_leftovers, list_kind, list_parts, part_name
from sitemap_audit.store.writer import PartWriter

WHEN = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


def page(n: int, **more: Any) -> bytes:
    fact = Page(
        url_id=f"{n:016x}",
        url_key=f"https://example.com/{n}",
        requested_url=f"https://example.com/{n}",
        discovered_by="sitemap",
        state=PageState.CHECKED,
        fetched_at=WHEN,
        status=200,
        **more,
    )
    return orjson.dumps(fact, option=orjson.OPT_UTC_Z) + b"\n"


def pages(*numbers: int) -> bytes:
    return b"".join(page(n) for n in numbers)


@pytest.fixture
def writer(facts: Path) -> Iterator[PartWriter]:
    writer = PartWriter(facts, Kind.PAGES)
    yield writer
    writer.close()


def read(facts: Path, what: str = "url_key") -> list[Any]:
    files = list_parts(facts).files(Kind.PAGES)
    with duckdb.connect() as con:
        found = con.execute(f"SELECT {what} FROM read_parquet({file_list(files)})").fetchall()
    return [value for (value,) in found]


def keys(*numbers: int) -> list[str]:
    return [f"https://example.com/{n}" for n in numbers]


def names(facts: Path) -> list[str]:
    return sorted(path.name for path in (facts / Kind.PAGES).iterdir())


def test_a_flush_writes_one_part_with_its_rows_in_order(facts: Path, writer: PartWriter) -> None:
    assert writer.add(pages(1, 2), 2, "pages/1-0")
    assert writer.add(pages(3).rstrip(b"\n"), 1, "pages/2-0")
    assert writer.add(pages(4), 1, None)
    assert writer.rows == 4
    assert list_parts(facts).rows(Kind.PAGES) == 0
    (written,) = writer.flush()
    assert (written.rows, written.unreadable, written.mended) == (4, 0, False)
    assert names(facts) == [part_name(1, 1, 4)]
    assert read(facts) == keys(1, 2, 3, 4)
    assert read(facts, "fetched_at")[0] == WHEN.replace(tzinfo=None)
    assert writer.rows == 0
    assert writer.flush() == ()


def test_the_parts_of_every_kind_hold_every_column(facts: Path) -> None:
    entry = Entry(sitemap="https://example.com/s.xml", file_id="0" * 16, position=1, line=4)
    writer = PartWriter(facts, "entries")
    writer.add(orjson.dumps(entry), 1)
    (written,) = writer.flush()
    writer.close()
    with duckdb.connect() as con:
        found = con.execute(f"DESCRIBE FROM read_parquet({file_list((written.path,))})").fetchall()
    assert [column[0] for column in found] == list(FACTS[Kind.ENTRIES])


def test_numbers_go_on_where_an_earlier_writer_stopped(facts: Path, writer: PartWriter) -> None:
    writer.add(pages(1), 1)
    writer.flush()
    later = PartWriter(facts, Kind.PAGES)
    later.add(pages(2), 1)
    later.flush()
    later.close()
    assert names(facts) == [part_name(1, 1, 1), part_name(2, 2, 1)]


def test_a_message_that_was_stored_but_not_forgotten_is_not_stored_again(
    facts: Path, writer: PartWriter
) -> None:
    writer.add(pages(1), 1, "pages/5-0")
    writer.add(b"", 0, "pages/6-0")
    writer.add(pages(2), 1, "pages/7-0")
    writer.flush()
    writer.add(pages(3), 1, "pages/8-0")  # the process dies here: stored are 5 to 7, forgotten is none
    again = PartWriter(facts, Kind.PAGES)
    came = {n: again.add(pages(n), 1, f"pages/{n}-0") for n in (5, 7, 8)}
    assert came == {5: False, 7: False, 8: True}
    assert again.add(pages(9), 1, "entries/5-0"), "the same id of another stream is another message"
    again.flush()
    again.close()
    assert read(facts) == keys(1, 2, 8, 9)


HOSTILE: dict[str, bytes] = {
    "no JSON": b"{broken\n",
    "cut in the middle": page(9)[:100] + b"\n",
    "no object": b"[1, 2]\n",
    "without its identity": b'{"status": 200}\n',
    "identity of another type": b'{"url_key": null, "state": "checked"}\n',
    "NUL bytes": b"\x00\x00\x00\n",
    "not UTF-8": b'{"url_key": "\xff\xfe"}\n',
}


@pytest.mark.parametrize("line", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_line_that_is_no_fact_is_kept_beside_and_loses_no_other(
    facts: Path, writer: PartWriter, line: bytes
) -> None:
    writer.add(pages(1) + line + pages(2), 3, "pages/1-0")
    (written,) = writer.flush()
    assert (written.rows, written.unreadable) == (2, 1)
    assert read(facts) == keys(1, 2)
    assert (facts / Kind.PAGES / UNREADABLE).read_bytes() == line


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("content_length_header", 10**40),
        ("fetched_at", "yesterday"),
        ("hops", "none"),
        ("robots", {"googlebot": {"allowed": "perhaps"}}),
    ],
)
def test_a_value_that_does_not_fit_is_null_and_its_line_stays(
    facts: Path, writer: PartWriter, field: str, value: Any
) -> None:
    fact = orjson.loads(page(2))
    # json, not orjson: integers of any length
    import json

    odd = json.dumps(fact | {field: value}).encode() + b"\n"
    writer.add(pages(1) + odd + pages(3), 3)
    (written,) = writer.flush()
    assert (written.rows, written.mended) == (3, True)
    assert read(facts) == keys(1, 2, 3)
    assert read(facts, "status") == [200, 200, 200]


def test_odd_but_true_text_arrives_as_it_was(facts: Path, writer: PartWriter) -> None:
    odd = "a\x00b\n\"'\\ \u2028 \U0001f600 \x1b[31m"
    writer.add(page(1, title=odd), 1)
    writer.flush()
    assert read(facts, "title") == [odd]


def test_an_unknown_field_of_a_newer_worker_is_left_out(facts: Path, writer: PartWriter) -> None:
    writer.add(orjson.dumps(orjson.loads(page(1)) | {"of_tomorrow": 1}), 1)
    (written,) = writer.flush()
    assert (written.rows, written.unreadable, written.mended) == (1, 0, False)


def test_what_a_killed_writer_left_is_not_read_and_can_be_cleaned(facts: Path, writer: PartWriter) -> None:
    writer.add(pages(1), 1)
    writer.flush()
    folder = facts / Kind.PAGES
    (folder / f"{TEMPORARY}part.parquet").write_bytes(b"PAR1 half")
    (folder / f"{TEMPORARY}lines-1.ndjson").write_bytes(page(2)[:50])
    (folder / f"{TEMPORARY}spill").mkdir()
    (folder / f"{TEMPORARY}spill" / "duckdb_temp_block-1").write_bytes(b"x")
    assert read(facts) == keys(1)
    assert clean_leftovers(facts) == 3
    assert names(facts) == [part_name(1, 1, 1)]


def test_long_lines_make_several_parts(
    facts: Path, writer: PartWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "PART_LINE_BYTES", 2 * len(pages(1)))
    for n in range(5):
        writer.add(pages(n), 1, f"pages/{n}-0")
    assert writer.rows == 5
    assert [written.rows for written in writer.flush()] == [2, 2, 1]
    assert read(facts) == keys(*range(5))
    again = PartWriter(facts, Kind.PAGES)
    assert not any(again.add(pages(n), 1, f"pages/{n}-0") for n in range(5))
    again.close()


def test_what_the_disk_did_not_take_is_still_there(facts: Path, writer: PartWriter) -> None:
    writer.add(pages(1), 1, "pages/1-0")
    folder = facts / Kind.PAGES
    away = folder.rename(facts / "away")
    with pytest.raises(RunFolderError, match="cannot write facts"):
        writer.flush()
    away.rename(folder)
    assert writer.rows == 1
    writer.flush()
    assert read(facts) == keys(1)


def fill(writer: PartWriter, parts: int) -> None:
    for n in range(parts):
        writer.add(pages(n), 1, f"pages/{n}-0")
        writer.flush()


def test_compaction_keeps_rows_and_order(facts: Path, writer: PartWriter) -> None:
    fill(writer, 9)
    assert compact(facts, least=10) == 0
    assert compact(facts, least=9) == 9
    assert names(facts) == [part_name(1, 9, 9)]
    assert read(facts) == keys(*range(9))
    writer.add(pages(9), 1)
    writer.flush()
    assert list_kind(facts, Kind.PAGES)[-1].first == 10
    assert compact(facts, least=2) == 2
    assert names(facts) == [part_name(1, 10, 10)]
    assert compact(facts, least=2) == 0


def test_large_parts_are_left_alone(facts: Path, writer: PartWriter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "COMPACT_ROWS", 4)
    for size in (1, 1, 1, 2, 1, 1, 1, 1, 1):
        writer.add(pages(*range(size)), size)
        writer.flush()
    compact(facts, least=2)
    assert [(p.first, p.last, p.rows) for p in list_kind(facts, Kind.PAGES)] == [
        (1, 3, 3),
        (4, 4, 2),
        (5, 8, 4),
        (9, 9, 1),
    ]


@pytest.mark.parametrize("deleted", range(4))
def test_compaction_killed_between_rename_and_deletion_doubles_nothing(
    facts: Path, writer: PartWriter, monkeypatch: pytest.MonkeyPatch, deleted: int
) -> None:
    fill(writer, 4)

    class KilledError(Exception):
        pass

    left = deleted
    unlink = Path.unlink

    def dying(path: Path, missing_ok: bool = False) -> None:
        nonlocal left
        if path.suffix == ".parquet":
            if left == 0:
                raise KilledError
            left -= 1
        unlink(path, missing_ok)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", dying)
        with pytest.raises(KilledError):
            compact(facts, least=2)
    assert read(facts) == keys(0, 1, 2, 3)
    assert clean_leftovers(facts) == 4 - deleted
    assert names(facts) == [part_name(1, 4, 4)]
    assert read(facts) == keys(0, 1, 2, 3)


def test_compaction_killed_before_the_rename_changes_nothing(
    facts: Path, writer: PartWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(writer, 3)

    def killed(temporary: Path, name: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(compaction, "settle", killed)
        with pytest.raises(KeyboardInterrupt):
            compact(facts, least=2)
    assert read(facts) == keys(0, 1, 2)
    clean_leftovers(facts)
    assert len(names(facts)) == 3


def damage_cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def damage_page(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[20:400] = bytes(380)
    path.write_bytes(data)


def damage_empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [damage_cut, damage_page, damage_empty])
def test_a_damaged_part_is_named_with_the_mend(
    facts: Path, writer: PartWriter, damage: Callable[[Path], None]
) -> None:
    fill(writer, 3)
    path = facts / Kind.PAGES / part_name(2, 2, 1)
    damage(path)
    with pytest.raises(RunFolderError, match="resume") as caught:
        compact(facts, least=2)
    assert str(path) in str(caught.value)


def test_a_foreign_part_is_named(facts: Path, writer: PartWriter) -> None:
    fill(writer, 1)
    foreign = facts / Kind.PAGES / "export.parquet"
    foreign.write_bytes(b"")
    with pytest.raises(RunFolderError, match=r"export\.parquet"):
        list_parts(facts)


def test_files_of_the_desktop_are_nobody_s_business(facts: Path, writer: PartWriter) -> None:
    fill(writer, 1)
    for name in (".DS_Store", "._00000001-00000001-1.parquet", "notes.txt"):
        (facts / Kind.PAGES / name).write_bytes(b"x")
    assert list_parts(facts).rows(Kind.PAGES) == 1


def test_no_folder_is_no_parts(tmp_path: Path) -> None:
    assert all(files == () for files in list_parts(tmp_path / "facts").of.values())
