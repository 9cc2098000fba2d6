"""File gzip: told by bytes, unpacked in pieces, damaged in every way."""

from __future__ import annotations

import gzip
import io
import resource
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.facts import Problem
from sitemap_audit.formats.gunzip import Gunzip
from sitemap_audit.settings import GUNZIP_HEADER_MAX_BYTES, GUNZIP_PIECE_BYTES

TEXT = b"".join(
    b"<url><loc>https://example.com/%d</loc></url>\n" % (n * n * 7_919 % 99_991) for n in range(2_000)
)
PACKED = gzip.compress(TEXT, 6, mtime=0)


def unpack(data: bytes, cuts: list[int] | None = None) -> tuple[bytes, bool | None, Problem | None]:
    reader, out, start = Gunzip(), b"", 0
    for cut in [*sorted(cuts or []), len(data)]:
        for piece in reader.feed(data[start:cut]):
            assert len(piece) <= GUNZIP_PIECE_BYTES
            out += piece
        start = cut
    for piece in reader.close():
        out += piece
    return out, reader.packed, reader.problem


def kind(data: bytes) -> str | None:
    problem = unpack(data)[2]
    return None if problem is None else problem.kind


def test_unpacks_what_is_packed() -> None:
    assert unpack(PACKED) == (TEXT, True, None)


@pytest.mark.parametrize("plain", [b"", b"\x1f", b"\x1fX", b"<urlset/>", b"\x8b\x1f", TEXT])
def test_passes_on_what_is_not(plain: bytes) -> None:
    assert unpack(plain) == (plain, False, None)


def test_reads_all_members() -> None:
    assert unpack(PACKED + gzip.compress(b"tail") + gzip.compress(b"")) == (TEXT + b"tail", True, None)


def test_zeros_behind_and_between_members_are_padding() -> None:
    assert unpack(PACKED + b"\0" * 700 + gzip.compress(b"x") + b"\0" * 5_000) == (TEXT + b"x", True, None)


def test_header_fields_are_skipped() -> None:
    packed = io.BytesIO()
    with gzip.GzipFile(filename="sitemap.xml", mode="wb", fileobj=packed, mtime=1) as file:
        file.write(b"named")
    assert unpack(packed.getvalue()) == (b"named", True, None)
    plain = gzip.compress(b"all fields", mtime=0)
    full = plain[:3] + b"\x1e" + plain[4:10] + b"\x03\0abc" + b"name\0" + b"comment\0" + b"\0\0" + plain[10:]
    assert unpack(full, list(range(len(full)))) == (b"all fields", True, None)


@pytest.mark.parametrize(
    ("name", "data", "expected", "whole"),
    [
        ("sum is wrong, all data is there", PACKED[:-8] + b"\1\2\3\4" + PACKED[-4:], "gzip-checksum", True),
        ("length is wrong", PACKED[:-1] + b"\xff", "gzip-checksum", True),
        ("no trailer", PACKED[:-8], "gzip-truncated", True),
        ("half a trailer", PACKED[:-3], "gzip-truncated", True),
        ("half of the data", PACKED[: len(PACKED) // 2], "gzip-truncated", False),
        ("magic bytes alone", PACKED[:2], "gzip-truncated", False),
        ("half a header", PACKED[:6], "gzip-truncated", False),
        ("second member is cut", PACKED + PACKED[:30], "gzip-truncated", True),
        ("text behind", PACKED + b"<!-- cached -->", "gzip-trailing", True),
        ("a byte behind", PACKED + b"\x1f", "gzip-trailing", True),
        ("unknown method", b"\x1f\x8b\x07" + PACKED[3:], "gzip-damaged", False),
        ("reserved flag", b"\x1f\x8b\x08\xe0" + PACKED[4:], "gzip-damaged", False),
        ("name without an end", b"\x1f\x8b\x08\x08" + bytes(6) + b"n" * 200_000, "gzip-damaged", False),
        ("no deflate data", PACKED[:10] + b"\xff" * 100, "gzip-damaged", False),
    ],
)
def test_faults(name: str, data: bytes, expected: str, whole: bool) -> None:
    out, packed, problem = unpack(data)
    assert packed, name
    assert problem is not None, name
    assert problem.kind == expected, name
    assert TEXT.startswith(out), name
    assert (out == TEXT) is whole, name


def test_what_comes_before_damage_is_kept() -> None:
    damaged = PACKED[:5_000] + bytes(byte ^ 0xFF for byte in PACKED[5_000:5_400]) + PACKED[5_400:]
    out, _, problem = unpack(damaged)
    assert out.startswith(TEXT[:10_000])
    assert problem is not None
    assert problem.kind in ("gzip-damaged", "gzip-checksum")


def test_second_layer_is_not_taken_off() -> None:
    assert unpack(gzip.compress(PACKED))[0] == PACKED


def test_the_longest_header_is_bounded() -> None:
    start = b"\x1f\x8b\x08\x08" + bytes(6)
    tail = gzip.compress(b"x", mtime=0)[10:]
    assert kind(start + b"n" * 60_000 + b"\0" + tail) is None
    assert kind(start + b"n" * (GUNZIP_HEADER_MAX_BYTES + 1) + b"\0" + tail) == "gzip-damaged"


def test_a_bomb_costs_one_piece() -> None:
    bomb = gzip.compress(bytes(20_000_000), 9) * 20
    reader, size = Gunzip(), 0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    for piece in reader.feed(bomb):
        size += len(piece)
        if size > 100_000_000:
            break
    assert time.process_time() - start < 2
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 32


@given(st.data())
def test_cuts_change_nothing(data: st.DataObject) -> None:
    files = [
        PACKED,
        PACKED + PACKED,
        PACKED[:900],
        PACKED[:-2],
        PACKED + b"\0\0x",
        PACKED[:40] + b"!" + PACKED[41:],
        b"\x1f",
    ]
    file = data.draw(st.sampled_from(files))
    cuts = data.draw(st.lists(st.integers(0, len(file)), max_size=6))
    assert unpack(file, cuts) == unpack(file)


@given(st.binary(max_size=300))
def test_never_raises(tail: bytes) -> None:
    unpack(b"\x1f\x8b" + tail)
    unpack(b"\x1f\x8b\x08\0" + bytes(6) + tail)
    unpack(tail)
