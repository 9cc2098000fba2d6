"""Parts: written whole or not at all, never doubled, and a line that does not fit loses no batch."""

from __future__ import annotations

import gzip
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from sitemap_audit.errors import RunFolderError
from sitemap_audit.store import pack as packing
from sitemap_audit.store.columns import Kind
from sitemap_audit.store.compact import compact
from sitemap_audit.store.lines import messages_of
from sitemap_audit.store.pack import pack
from sitemap_audit.store.parts import UNREADABLE, list_kind, list_parts, part_name
from sitemap_audit.store.writer import PartWriter
from tests.store.pages_on_disk import fill, keys, names, packed_one_by_one, page, pages, read


def test_a_flush_writes_one_part_of_lines_as_they_came(facts: Path, writer: PartWriter) -> None:
    assert writer.add(pages(1, 2), 2, "pages/1-0")
    assert writer.add(pages(3).rstrip(b"\n"), 1, "pages/2-0")
    assert writer.add(pages(4), 1, None, packed=gzip.compress(pages(4)))
    assert (writer.rows, writer.bytes) == (4, len(pages(1, 2, 3, 4)) - 1)
    assert list_parts(facts).rows(Kind.PAGES) == 0
    written = writer.flush()
    assert written is not None
    assert written.rows == 4
    assert names(facts) == [part_name(1, 1, 4, in_lines=True)]
    whole = gzip.decompress(written.path.read_bytes())
    assert whole == b'{"messages":["pages/1-0","pages/2-0"]}\n' + pages(1, 2, 3, 4)
    assert read(facts) == keys(1, 2, 3, 4)
    assert (writer.rows, writer.bytes, writer.flush()) == (0, 0, None)


def test_while_a_run_goes_on_the_newest_part_and_small_groups_stay_in_lines(
    facts: Path, writer: PartWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "COMPACT_ROWS", 3)
    fill(writer, 8)
    assert pack(facts, keep_newest=True, full_only=True) == 6
    assert [(p.first, p.last, p.in_lines) for p in list_kind(facts, Kind.PAGES)] == [
        (1, 3, False),
        (4, 6, False),
        (7, 7, True),
        (8, 8, True),
    ]
    assert pack(facts, keep_newest=True) == 1
    assert read(facts) == keys(*range(8))
    again = PartWriter(facts, Kind.PAGES)
    assert [again.add(pages(n), 1, f"pages/{n}-0") for n in (6, 7)] == [True, False]


def test_numbers_go_on_where_an_earlier_writer_stopped(facts: Path, writer: PartWriter) -> None:
    writer.add(pages(1), 1)
    writer.flush()
    pack(facts)
    later = PartWriter(facts, Kind.PAGES)
    later.add(pages(2), 1)
    later.flush()
    assert names(facts) == [part_name(1, 1, 1), part_name(2, 2, 1, in_lines=True)]


def test_a_message_that_was_stored_but_not_forgotten_is_not_stored_again(
    facts: Path, writer: PartWriter
) -> None:
    writer.add(pages(1), 1, "pages/5-0")
    writer.add(b"", 0, "pages/6-0")
    writer.add(pages(2), 1, "pages/7-0")
    written = writer.flush()
    assert written is not None
    assert messages_of(written.path) == ["pages/5-0", "pages/7-0"]
    writer.add(pages(3), 1, "pages/8-0")  # the process dies here: stored are 5 to 7, forgotten is none
    again = PartWriter(facts, Kind.PAGES)
    came = {n: again.add(pages(n), 1, f"pages/{n}-0") for n in (5, 7, 8)}
    assert came == {5: False, 7: False, 8: True}
    assert again.add(pages(9), 1, "entries/5-0"), "the same id of another stream is another message"
    again.flush()
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
    facts: Path, writer: PartWriter, line: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    writer.add(pages(1) + line + pages(2), 3, "pages/1-0")
    writer.flush()
    assert read(facts) == keys(1, 2), "also before it is packed"
    assert names(facts) == [part_name(1, 1, 3, in_lines=True)]
    pack(facts)
    assert list_parts(facts).rows(Kind.PAGES) == 2
    assert "1 lines were no facts" in caplog.text
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
    facts: Path, writer: PartWriter, field: str, value: Any, caplog: pytest.LogCaptureFixture
) -> None:
    fact = orjson.loads(page(2))
    # json, not orjson: integers of any length
    import json

    odd = json.dumps(fact | {field: value}).encode() + b"\n"
    writer.add(pages(1) + odd + pages(3), 3)
    writer.flush()
    pack(facts)
    assert "some values did not fit" in caplog.text
    assert read(facts) == keys(1, 2, 3)
    assert read(facts, "status") == [200, 200, 200]


def test_odd_but_true_text_arrives_as_it_was(facts: Path, writer: PartWriter) -> None:
    odd = "a\x00b\n\"'\\ \u2028 \U0001f600 \x1b[31m"
    writer.add(page(1, title=odd), 1)
    writer.flush()
    assert read(facts, "title") == [odd]


def test_an_unknown_field_of_a_newer_worker_is_left_out(
    facts: Path, writer: PartWriter, caplog: pytest.LogCaptureFixture
) -> None:
    writer.add(orjson.dumps(orjson.loads(page(1)) | {"of_tomorrow": 1}), 1)
    writer.flush()
    pack(facts)
    assert read(facts) == keys(1)
    assert not caplog.text


def test_what_the_disk_did_not_take_is_still_there(facts: Path, writer: PartWriter) -> None:
    writer.add(pages(1), 1, "pages/1-0")
    folder = facts / Kind.PAGES
    away = folder.rename(facts / "away")
    with pytest.raises(RunFolderError, match="cannot write to"):
        writer.flush()
    away.rename(folder)
    assert writer.rows == 1
    writer.flush()
    assert read(facts) == keys(1)


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
    packed_one_by_one(facts, writer, [1] * 3)
    path = facts / Kind.PAGES / part_name(2, 2, 1)
    damage(path)
    with pytest.raises(RunFolderError, match="resume") as caught:
        compact(facts, least=2)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("damage", [damage_cut, damage_page, damage_empty])
def test_a_damaged_part_of_lines_is_named_with_the_mend(
    facts: Path, writer: PartWriter, damage: Callable[[Path], None]
) -> None:
    writer.add(b"".join(page(n, title=secrets.token_hex(200)) for n in range(20)), 20)
    writer.flush()
    (path,) = list_parts(facts).files(Kind.PAGES)
    damage(path)
    for reads in (
        lambda: pack(facts),
        lambda: read(facts),
    ):
        with pytest.raises(RunFolderError, match="resume") as caught:
            reads()
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
