"""Parts in lines become Parquet, small ones large: whenever it is killed, nothing is lost or doubled."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import duckdb
import orjson
import pytest

from sitemap_audit.settings import COMPACT_ROWS
from sitemap_audit.store import compact as compaction
from sitemap_audit.store import pack as packing
from sitemap_audit.store.columns import FACTS, Kind
from sitemap_audit.store.compact import compact
from sitemap_audit.store.connection import file_list
from sitemap_audit.store.pack import pack, parquet_files
from sitemap_audit.store.parts import TEMPORARY, clean_leftovers, list_kind, list_parts, part_name
from sitemap_audit.store.writer import PartWriter
from tests.store.pages_on_disk import WHEN, fill, keys, names, packed_one_by_one, page, pages, read


class KilledError(Exception):
    pass


def test_packing_makes_one_parquet_part_of_many(facts: Path, writer: PartWriter) -> None:
    fill(writer, 5)
    assert pack(facts) == 5
    assert names(facts) == [part_name(1, 5, 5)]
    assert read(facts) == keys(0, 1, 2, 3, 4)
    assert read(facts, "fetched_at")[0] == WHEN.replace(tzinfo=None)
    assert pack(facts) == 0
    assert PartWriter(facts, Kind.PAGES).add(pages(9), 1, "pages/0-0"), "what is packed was forgotten"


def test_a_single_part_is_packed_under_its_own_numbers(facts: Path, writer: PartWriter) -> None:
    fill(writer, 1)
    assert pack(facts) == 1
    assert names(facts) == [part_name(1, 1, 1)]
    writer.add(pages(7), 1)
    writer.flush()
    assert read(facts) == keys(0, 7)


@pytest.mark.parametrize("kind", Kind)
def test_a_part_of_every_kind_holds_every_column(facts: Path, kind: Kind) -> None:
    identity = {"url_key": "u", "origin": "o", "sitemap": "s", "position": 1}
    writer = PartWriter(facts, kind)
    writer.add(orjson.dumps(identity), 1)
    writer.flush()
    pack(facts)
    with duckdb.connect() as con:
        found = con.execute(
            f"DESCRIBE FROM read_parquet({file_list(list_parts(facts).files(kind))})"
        ).fetchall()
    assert [column[0] for column in found] == list(FACTS[kind])


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
    assert names(facts) == [part_name(1, 1, 1, in_lines=True)]


def test_long_lines_make_several_parts(
    facts: Path, writer: PartWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "PACK_BYTES", 2 * len(pages(1)))
    fill(writer, 5)
    with TemporaryDirectory() as scratch:
        files = parquet_files(Kind.PAGES, list_kind(facts, Kind.PAGES), Path(scratch))
        assert [file.name for file in files] == [part_name(1, 2, 2), part_name(3, 4, 2), part_name(5, 5, 1)]
    pack(facts)
    assert [part.rows for part in list_kind(facts, Kind.PAGES)] == [2, 2, 1]
    assert read(facts) == keys(*range(5))


def test_compaction_keeps_rows_and_order(facts: Path, writer: PartWriter) -> None:
    packed_one_by_one(facts, writer, [1] * 9)
    assert compact(facts, least=10) == 0
    assert compact(facts, least=9) == 9
    assert names(facts) == [part_name(1, 9, 9)]
    assert read(facts) == keys(*range(9))
    writer.add(pages(9), 1)
    writer.flush()
    assert list_kind(facts, Kind.PAGES)[-1].first == 10
    assert compact(facts, least=2) == 3, "one was packed, then two put together"
    assert names(facts) == [part_name(1, 10, 10)]
    assert compact(facts, least=2) == 0


def test_large_parts_are_left_alone(facts: Path, writer: PartWriter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "COMPACT_ROWS", 4)
    packed_one_by_one(facts, writer, [1, 1, 1, 2, 1, 1, 1, 1, 1])
    compact(facts, least=2)
    assert [(p.first, p.last, p.rows) for p in list_kind(facts, Kind.PAGES)] == [
        (1, 3, 3),
        (4, 4, 2),
        (5, 8, 4),
        (9, 9, 1),
    ]


@pytest.mark.parametrize("deleted", range(4))
@pytest.mark.parametrize("in_lines", [True, False])
def test_killed_between_rename_and_deletion_doubles_nothing(
    facts: Path, writer: PartWriter, monkeypatch: pytest.MonkeyPatch, deleted: int, in_lines: bool
) -> None:
    if in_lines:
        fill(writer, 4)
    else:
        packed_one_by_one(facts, writer, [1] * 4)
    left = deleted
    unlink = Path.unlink

    def dying(path: Path, missing_ok: bool = False) -> None:
        nonlocal left
        if path.name.startswith("0"):
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


def test_a_part_packed_alone_and_not_deleted_is_not_doubled(facts: Path, writer: PartWriter) -> None:
    fill(writer, 1)
    (path,) = list_parts(facts).files(Kind.PAGES)
    before = path.read_bytes()
    pack(facts)
    path.write_bytes(before)
    assert read(facts) == keys(0)
    assert clean_leftovers(facts) == 1
    assert names(facts) == [part_name(1, 1, 1)]


@pytest.mark.parametrize(("module", "in_lines"), [(packing, True), (compaction, False)])
def test_killed_before_the_rename_changes_nothing(
    facts: Path, writer: PartWriter, monkeypatch: pytest.MonkeyPatch, module: ModuleType, in_lines: bool
) -> None:
    if in_lines:
        fill(writer, 3)
    else:
        packed_one_by_one(facts, writer, [1] * 3)
    before = names(facts)

    def killed(temporary: Path, name: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(module, "settle", killed)
        with pytest.raises(KeyboardInterrupt):
            compact(facts, least=2)
    assert read(facts) == keys(0, 1, 2)
    clean_leftovers(facts)
    assert names(facts) == before


def test_the_packer_of_a_run_takes_what_is_full_and_not_the_newest(facts: Path, writer: PartWriter) -> None:
    for n in range(4):
        writer.add(pages(n), COMPACT_ROWS // 2 + 1)
        writer.flush()
    command = [sys.executable, "-m", "sitemap_audit.store.pack", str(facts)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as packer:
        assert packer.wait(60) == 0
    assert [part.in_lines for part in list_kind(facts, Kind.PAGES)] == [False, False, True, True]
    assert read(facts) == keys(0, 1, 2, 3)


def test_the_packer_ends_with_its_parent() -> None:
    program = (
        "import threading, time; from sitemap_audit.store.pack import _end_with_parent\n"
        "threading.Thread(target=_end_with_parent, daemon=True).start(); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE) as packer:
        assert packer.stdin is not None
        packer.stdin.close()
        assert packer.wait(30) == 0
