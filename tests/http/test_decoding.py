"""Bodies: decoded while they arrive, in any cut of the wire, and never beyond the limit."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.http.body import HOLD_BYTES, Body
from sitemap_audit.http.decoding import CodingError, Decoder
from tests.site.truth import bare_deflate, bomb

PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
}
DATA = st.binary(max_size=2_000) | st.integers(0, 300_000).map(lambda size: b"ab" * size)


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    marks = sorted({min(cut, len(data)) for cut in cuts} | {0, len(data)})
    return [data[a:b] for a, b in pairwise(marks)]


@given(DATA, st.sampled_from([*PACKED, "bare", "identity"]), st.lists(st.integers(0, 3_000), max_size=8))
def test_every_coding_in_any_cut(data: bytes, coding: str, cuts: list[int]) -> None:
    wire = bare_deflate(data) if coding == "bare" else PACKED.get(coding, bytes)(data)
    body = Body(len(data))
    body.open("deflate" if coding == "bare" else coding)
    for piece in pieces(wire, cuts):
        assert body.take(piece)
    body.end(finished=True)
    assert (body.failure, body.truncated, body.stopped) == (None, False, False)
    assert b"".join(body.parts) == data
    assert (body.wire, body.size) == (len(wire), len(data))


@given(DATA.filter(len), st.integers(0, 5_000), st.booleans(), st.lists(st.integers(0, 3_000), max_size=4))
def test_the_limit_is_kept_to_the_byte(data: bytes, limit: int, packed: bool, cuts: list[int]) -> None:
    body = Body(limit)
    body.open("gzip" if packed else None)
    for piece in pieces(gzip.compress(data) if packed else data, cuts):
        if not body.take(piece):
            break
    body.end(finished=True)
    assert b"".join(body.parts) == data[:limit]
    assert body.truncated is (len(data) > limit)
    assert body.failure is None


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=5), st.integers(1, 700), st.integers(1, 50))
def test_members_come_one_after_the_other_whatever_the_room(parts: list[bytes], room: int, step: int) -> None:
    wire = b"".join(gzip.compress(part) for part in parts)
    decoder, out = Decoder("gzip"), b""
    for at in range(0, len(wire), step):
        got = decoder.feed(wire[at : at + step], room)
        assert len(got) <= room
        out += got
        while decoder.full:
            got = decoder.feed(b"", room)
            assert len(got) <= room
            out += got
    assert out == b"".join(parts)
    assert decoder.finished


@given(
    st.sampled_from(["gzip", "deflate"]), st.binary(max_size=400), st.binary(max_size=60), st.integers(0, 400)
)
def test_nothing_but_coding_errors(coding: str, data: bytes, noise: bytes, at: int) -> None:
    wire = PACKED[coding](data)
    garbled = wire[:at] + noise + wire[at + len(noise) :]
    body = Body(1_000)
    body.open(coding)
    body.take(garbled)
    body.end(finished=True)
    assert len(b"".join(body.parts)) <= 1_000
    if body.failure is None and not body.truncated and garbled:
        assert wire.startswith(garbled) is (garbled == wire)  # a cut one is never taken for whole


@pytest.mark.parametrize("coding", ["br", "zstd", "compress", "gzip, gzip", "gzip, br", "nonsense", "*"])
def test_what_was_not_asked_for_is_not_decoded(coding: str) -> None:
    with pytest.raises(CodingError, match="was not asked for"):
        Decoder(coding)
    body = Body(10)
    body.open(coding)
    assert not body.take(b"x")
    body.end(finished=True)
    assert body.failure == f"content coding {coding!r} was not asked for"
    assert body.parts in ([], [b""])


@pytest.mark.parametrize("value", [None, "", "identity", " identity , ", ","])
def test_no_coding(value: str | None) -> None:
    body = Body(10)
    body.open(value)
    assert body.take(b"as it is")
    body.end(finished=True)
    assert body.parts == [b"as it is"]


@pytest.mark.parametrize("value", ["gzip", "GZip", " x-gzip", "identity, gzip"])
def test_spellings_of_gzip(value: str) -> None:
    body = Body(10)
    body.open(value)
    assert body.take(gzip.compress(b"data"))
    body.end(finished=True)
    assert body.parts == [b"data"]


@pytest.mark.parametrize("cut", [1, 5, 9, 15, 25])
def test_a_cut_body_is_no_whole_one(cut: int) -> None:
    body = Body(10_000)
    body.open("gzip")
    body.take(gzip.compress(b"some words of a page")[:cut])
    body.end(finished=True)
    assert body.failure == "the compressed data ends early"


def test_a_bomb_is_stopped_at_its_first_packets() -> None:
    body = Body(100_000)
    body.open("gzip")
    wire, at = bomb(), 0
    while body.take(wire[at : at + 16_384]):
        at += 16_384
    assert at <= HOLD_BYTES
    assert sum(map(len, body.parts)) == 100_000
