"""Content codings of answers, undone piece by piece with a bound on what comes out.

gzip and deflate only: gzip is what we ask for. Anything else was not asked for and is not decoded
(RFC 9110, 8.4 and 12.5.3).
"""

from __future__ import annotations

from typing import Any, Final

from isal import isal_zlib

# Window bits of zlib's interface: gzip, zlib (what HTTP calls deflate), bare deflate (what some send).
GZIP: Final = 31
ZLIB: Final = 15
BARE: Final = -15
GZIP_MAGIC: Final = b"\x1f\x8b"
GZIP_NAMES: Final = frozenset({"gzip", "x-gzip"})
PLAIN_NAMES: Final = frozenset({"", "identity"})


_ISAL_ERROR: type[Exception] = vars(isal_zlib)["error"]  # its stub calls the class an instance


class CodingError(Exception):
    """The body is not what its Content-Encoding says; the text is the detail that users read."""


class Decoder:
    """One body: feed wire bytes, get decoded bytes. `finished`: the coding came to its end."""

    __slots__ = ("_coding", "_held", "_inflate", "_padding", "finished", "full")

    def __init__(self, coding: str) -> None:
        """`coding` is Content-Encoding in lower case. Raise CodingError for one that we do not undo."""
        if coding not in GZIP_NAMES and coding != "deflate":
            raise CodingError(f"content coding {coding[:80]!r} was not asked for")
        self._coding = coding
        self._inflate: Any = None
        self._held = b""  # wire bytes not yet taken
        self._padding = False  # bytes behind the last member: dropped, as browsers do
        self.finished = False
        self.full = False
        """The last call filled its room: there may be more without further input."""

    def feed(self, data: bytes, room: int) -> bytes:
        """At most `room` (> 0) decoded bytes of what was fed; the rest waits for the next call.

        Raise CodingError when the data cannot be decoded. Members of a gzip file may follow each other
        (RFC 1952, 2.2).
        """
        if self._held:
            data = self._held + data
            self._held = b""
        out = b""
        try:
            while self._inflate is not None or self._open(data):
                piece: bytes = self._inflate.decompress(data, room - len(out))
                out = out + piece if out else piece
                if not self._inflate.eof:
                    self._held = self._inflate.unconsumed_tail
                    break
                data = self._inflate.unused_data
                self._inflate = None
                self.finished = True
                if len(out) >= room:
                    self._held = data
                    break
        except _ISAL_ERROR as error:
            raise CodingError(f"the body cannot be decoded as {self._coding}: {error}") from None
        self.full = len(out) >= room
        return out

    def _open(self, data: bytes) -> bool:
        """Begin a member with these bytes; False when there is none to begin (yet)."""
        if self._padding or not data:
            return False
        if self._coding == "deflate":
            if self.finished:
                self._padding = True
                return False
            if len(data) < 2:
                self._held = data
                return False
            self._inflate = isal_zlib.decompressobj(ZLIB if _is_zlib(data) else BARE)
            return True
        if not data.startswith(GZIP_MAGIC):
            if data == GZIP_MAGIC[:1]:
                self._held = data
            elif self.finished:
                self._padding = True
            else:
                raise CodingError(f"Content-Encoding says {self._coding}, the body starts with {data[:16]!r}")
            return False
        self._inflate = isal_zlib.decompressobj(GZIP)
        self.finished = False
        return True


def _is_zlib(data: bytes) -> bool:
    """Does it start with a zlib header (RFC 1950, 2.2)?"""
    return data[0] & 0x0F == 8 and int.from_bytes(data[:2]) % 31 == 0
