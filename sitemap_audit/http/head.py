"""The head of an answer: from the header lines as they came in to names and values.

Lenient on purpose: a finding needs what was sent, not what should have been (RFC 9112, 5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple, cast

STATUS_LINE: Final = b"HTTP/"
BLANK_LINES: Final = (b"\r\n", b"\n")
BLANKS: Final = " \t\r"
_END: Final = [BLANK_LINES[0]]
_USUAL_BYTES: Final = 4_096
"""Of lines of longer heads nothing is remembered."""
_FOLD: Final = re.compile(r"[ \t\r]*\n[ \t]+")


Headers = tuple[tuple[str, str], ...]


class Head(NamedTuple):
    """`headers`: names in lower case, latin-1 values without outer blanks, order and repeats as sent.

    `coding`: the Content-Encoding lines joined by commas, None without one. `set_cookie`: there is such a line.
    """

    headers: tuple[tuple[str, str], ...] = ()
    coding: str | None = None
    set_cookie: bool = False


NO_HEAD: Final = Head()


def read_head(lines: list[bytes]) -> Head:
    """The last header block of an answer's header lines, status line first.

    A line that begins with a blank continues the one before (RFC 9112, 5.2); a line without a colon has
    no value.
    """
    usual = lines[-1:] == _END and sum(map(len, lines)) <= _USUAL_BYTES
    known = tuple(map(_read_line, lines[1:-1])) if usual else (None,)
    headers = tuple(_read_block(last_block(lines))) if None in known else cast(Headers, known)
    names = dict(headers)
    coding = None
    if "content-encoding" in names:
        coding = ", ".join([value for name, value in headers if name == "content-encoding"])
    return Head(headers, coding, "set-cookie" in names)


@lru_cache(maxsize=1_024)
def _read_line(line: bytes) -> tuple[str, str] | None:
    """Name and value of a line that stands for itself; None of one that continues another, ends a block or is no
    whole line.

    Most lines of a site come again with every answer.
    """
    if line[:1] in (b" ", b"\t") or line in BLANK_LINES or line.find(b"\n") != len(line) - 1:
        return None
    return _name_and_value(line.decode("latin-1")[:-1])


def _read_block(block: list[bytes]) -> Iterator[tuple[str, str]]:
    text = b"".join(block).decode("latin-1")
    if "\n " in text or "\n\t" in text:
        text = _FOLD.sub(" ", text)
    return map(_name_and_value, text.split("\n")[1:-1])


def _name_and_value(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip(BLANKS).lower(), value.strip(BLANKS)


def last_block(lines: list[bytes]) -> list[bytes]:
    """The last block, without the blank line at its end: interim blocks stand before it (RFC 9110, 15.2),
    trailers behind it (6.5)."""
    start = 0
    for at, line in enumerate(lines):
        if len(line) < 3 and line in BLANK_LINES:
            following = lines[at + 1 : at + 2]
            if not following or following[0][:5] != STATUS_LINE:
                return lines[start:at]
            start = at + 1
    return lines[start:]


def is_interim(block: list[bytes]) -> bool:
    """Is this a 1xx block (101 apart, which ends the exchange)?"""
    status = block[0].split(b" ", 2)[1:2] if block else []
    return bool(status) and status[0][:1] == b"1" and status[0][:3] != b"101"


def ends_block(line: bytes) -> bool:
    """Is this the blank line behind a header block?"""
    return line in BLANK_LINES
