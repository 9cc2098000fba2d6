"""The packer of a run starts when it is worth it, and can be ended at any moment."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from sitemap_audit.coordinate import packer as packing
from sitemap_audit.coordinate.packer import Packer
from sitemap_audit.settings import COMPACT_ROWS
from sitemap_audit.store.columns import Kind
from sitemap_audit.store.parts import list_kind
from sitemap_audit.store.writer import PartWriter

LINE = b'{"url_key": "https://example.com/", "state": "checked"}\n'


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    """Three parts that each are enough for a Parquet part."""
    writer = PartWriter(tmp_path / "facts", Kind.PAGES)
    for _ in range(3):
        writer.add(LINE, COMPACT_ROWS)
        writer.flush()
    return tmp_path / "facts"


def in_lines(facts: Path) -> list[bool]:
    return [part.in_lines for part in list_kind(facts, Kind.PAGES)]


def wait_until_it_ended(packer: Packer) -> None:
    end = time.monotonic() + 60
    while packer.at_work():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_it_starts_when_enough_is_stored_and_again_after_its_end(
    facts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "PACK_AHEAD", 10)
    packer = Packer(facts, facts / "log")
    packer.stored(9)
    assert not packer.at_work()
    packer.stored(1)
    assert packer.at_work()
    wait_until_it_ended(packer)
    assert in_lines(facts) == [False, False, True], "the queue may not have forgotten the newest yet"
    packer.stored(10)
    assert packer.at_work()
    packer.close()


def test_ended_in_the_middle_it_leaves_what_was_there(facts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "PACK_AHEAD", 10)
    packer = Packer(facts, facts / "log")
    packer.stored(10)
    packer.close()
    packer.close()
    assert not packer.at_work()
    assert len(in_lines(facts)) == 3
