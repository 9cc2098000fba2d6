"""Unpacks a file that is gzip by its first bytes, as it arrives. Names and headers play no role here.

RFC 1952. One layer is taken off, of any number of members. A packed bomb costs no more memory than one
piece. isal inflates; its errors never leave this module. Header and checksum are read here and not by
isal, which throws away what a call has unpacked when the sum behind it is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from isal import isal_zlib

from sitemap_audit.facts import Problem
from sitemap_audit.settings import GUNZIP_BLOCK_BYTES, GUNZIP_HEADER_MAX_BYTES, GUNZIP_PIECE_BYTES

MAGIC: Final = b"\x1f\x8b"
_INFLATE_ERROR: Final[Any] = isal_zlib.error  # its stub gives it no base class
_RAW_DEFLATE: Final = -15
_TRAILER_BYTES: Final = 8
_FHCRC, _FEXTRA, _FNAME, _FCOMMENT, _RESERVED = 2, 4, 8, 16, 0xE0


class Gunzip:
    """Bytes in, unpacked bytes out, in pieces of at most GUNZIP_PIECE_BYTES.

    What is no gzip passes through as it is. `problem`, once known, is the first of: `gzip-damaged` (wrong
    header or deflate data: nothing behind it can be read), `gzip-checksum` (all data came out, but its
    sum or length is wrong), `gzip-truncated` (the file ends inside a member), `gzip-trailing` (bytes
    behind the last member that are neither a member nor zeros). Its `byte` counts unpacked bytes.
    The same bytes give the same pieces, however they are cut: they are inflated in blocks of one size.
    """

    def __init__(self) -> None:
        self.packed: bool | None = None
        """None until two bytes have come."""
        self.problem: Problem | None = None
        self._waiting = b""
        self._member = b""  # of a header or a trailer that has not arrived whole
        self._inflate: Any = None
        self._between = False  # behind a whole member
        self._out = self._size = self._sum = 0

    @property
    def cut_short(self) -> bool:
        """Is there less than the file once held?"""
        return self.problem is not None and self.problem.kind in ("gzip-damaged", "gzip-truncated")

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The unpacked pieces that `data` completes. Read them to the end, or feed no more."""
        if self.packed is None:
            data = self._waiting + data
            self._waiting = b""
            if len(data) < len(MAGIC) and MAGIC.startswith(data):
                self._waiting = data
                return
            self.packed = data.startswith(MAGIC)
        if not self.packed:
            yield from _slices(data)
            return
        data = self._waiting + data
        whole = len(data) - len(data) % GUNZIP_BLOCK_BYTES
        self._waiting = data[whole:]
        for start in range(0, whole, GUNZIP_BLOCK_BYTES):
            yield from self._block(data[start : start + GUNZIP_BLOCK_BYTES])

    def close(self) -> Iterator[bytes]:
        """What was held back; afterwards `problem` holds the verdict about the whole file."""
        waiting, self._waiting = self._waiting, b""
        if not self.packed:
            self.packed = False
            yield from _slices(waiting)
            return
        yield from self._block(waiting)
        if not self._between:
            self._fault("gzip-truncated", "the file ends inside its gzip stream")
        elif self._member:
            self._fault("gzip-trailing", "a byte behind the gzip stream")

    def _block(self, data: bytes) -> Iterator[bytes]:
        while data and self.problem is None:
            if self._inflate is None:
                data = self._header(data)
            elif self._inflate.eof:
                data = self._trailer(data)
            else:
                try:
                    piece = self._inflate.decompress(data, GUNZIP_PIECE_BYTES)
                except _INFLATE_ERROR as error:
                    self._fault("gzip-damaged", str(error))
                    return
                if piece:
                    self._out += len(piece)
                    self._size += len(piece)
                    self._sum = isal_zlib.crc32(piece, self._sum)
                    yield piece
                data = self._inflate.unused_data if self._inflate.eof else self._inflate.unconsumed_tail

    def _header(self, data: bytes) -> bytes:
        """Reads the header of a member; gives what stands behind it, or keeps all until more has come."""
        data = self._member + data
        self._member = b""
        if self._between:
            data = data.lstrip(b"\0")  # padding, as tapes and some file systems leave it
        if data[: len(MAGIC)] != MAGIC[: len(data)]:
            # Only behind a whole member: the first two bytes of the file made it gzip.
            self._fault("gzip-trailing", f"{len(data)} bytes or more behind the gzip stream")
            return b""
        if data:
            end = _header_end(data)
            if end is None or end > GUNZIP_HEADER_MAX_BYTES:
                self._fault("gzip-damaged", "no gzip header")
            elif end == 0:
                self._member = data
            else:
                self._between = False
                self._inflate = isal_zlib.decompressobj(_RAW_DEFLATE)
                self._size = self._sum = 0
                return data[end:]
        return b""

    def _trailer(self, data: bytes) -> bytes:
        data = self._member + data
        self._member = b""
        if len(data) < _TRAILER_BYTES:
            self._member = data
            return b""
        self._inflate, self._between = None, True
        said = int.from_bytes(data[:4], "little"), int.from_bytes(data[4:8], "little")
        if said != (self._sum, self._size & 0xFFFFFFFF):
            self._fault("gzip-checksum", "the unpacked bytes do not fit the checksum behind them")
        return data[_TRAILER_BYTES:]

    def _fault(self, kind: str, text: str) -> None:
        if self.problem is None:
            self.problem = Problem(kind, byte=self._out, text=text)


def _header_end(data: bytes) -> int | None:
    """Length of the header that `data` begins with; 0: more bytes are needed; None: it is none."""
    if len(data) < 10:
        return 0
    flags = data[3]
    if data[2] != 8 or flags & _RESERVED:
        return None
    end = 10
    if flags & _FEXTRA:
        end += 2 + int.from_bytes(data[10:12], "little")
    for flag in (_FNAME, _FCOMMENT):
        if flags & flag:
            zero = data.find(b"\0", end)
            if zero < 0:
                return 0 if len(data) <= GUNZIP_HEADER_MAX_BYTES else None
            end = zero + 1
    if flags & _FHCRC:
        end += 2
    return end if len(data) >= end else 0


def _slices(data: bytes) -> Iterator[bytes]:
    for start in range(0, len(data), GUNZIP_PIECE_BYTES):
        yield data[start : start + GUNZIP_PIECE_BYTES]
