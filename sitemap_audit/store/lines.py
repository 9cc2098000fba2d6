"""The first form of a part: the JSON lines of facts as they came, gzip members one after the other.

It costs next to nothing to write, so facts are safe on disk long before anybody wants them as columns. The
first member names the messages that the part holds; every other one is the payload of a message, byte by
byte as it stood in the stream. `zcat` reads it. pack.py makes Parquet of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn

import orjson
from isal import isal_zlib

from sitemap_audit.errors import RunFolderError

_GZIP: Final = 31
"""zlib's way to say: with gzip's header and checksum."""
_INFLATE_ERROR: Final[Any] = isal_zlib.error  # its stub gives it no base class
_READ_BYTES: Final = 262_144
_MESSAGES: Final = "messages"


def gzip_member(lines: bytes) -> bytes:
    """JSON lines as one gzip member."""
    member: bytes = isal_zlib.compress(lines, 1, _GZIP)
    return member


def write_lines(file: BinaryIO, members: Iterable[bytes], messages: list[str]) -> None:
    """A part of these members (each: whole lines); `messages`: ids of those that brought them."""
    file.write(gzip_member(orjson.dumps({_MESSAGES: messages}) + b"\n"))
    for member in members:
        file.write(member)


def messages_of(part: Path) -> list[str]:
    """The ids of the messages that a part of lines holds. RunFolderError when it is damaged."""
    try:
        return [str(message) for message in orjson.loads(next(_members(part), b""))[_MESSAGES]]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        raise_damaged(part)


def copy_lines(part: Path, to: BinaryIO) -> int:
    """Unpack the facts of a part of lines into `to`; returns the bytes. RunFolderError when it is damaged."""
    members = _members(part)
    if next(members, None) is None:
        raise_damaged(part)
    return sum(map(to.write, members))


def _members(part: Path) -> Iterator[bytes]:
    """The unpacked members of a file one by one: each is a message, so it fits into memory."""
    unpacker = isal_zlib.decompressobj(wbits=_GZIP)
    pieces: list[bytes] = []
    try:
        with part.open("rb") as file:
            while data := file.read(_READ_BYTES):
                while data:
                    pieces.append(unpacker.decompress(data))
                    data = unpacker.unused_data
                    if unpacker.eof:
                        yield b"".join(pieces)
                        unpacker, pieces = isal_zlib.decompressobj(wbits=_GZIP), []
    except _INFLATE_ERROR:
        raise_damaged(part)
    if pieces:
        raise_damaged(part)


def raise_damaged(part: Path) -> NoReturn:
    """RunFolderError that names a part and the mend."""
    raise RunFolderError(
        f"{part} cannot be read: it was damaged or replaced after it was written. Restore it from a copy; "
        "or delete it and use `sitemap-audit resume`, which checks again what it held"
    ) from None
