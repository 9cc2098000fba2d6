"""The head of an answer: from the header lines as they came in to names and values.

Lenient on purpose: a finding needs what was sent, not what should have been (RFC 9112, 5).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

STATUS_LINE: Final = b"HTTP/"
BLANK_LINES: Final = (b"\r\n", b"\n")
BLANKS: Final = " \t\r"
_FOLD: Final = re.compile(r"[ \t\r]*\n[ \t]+")


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
    text = b"".join(last_block(lines)).decode("latin-1")
    if "\n " in text or "\n\t" in text:
        text = _FOLD.sub(" ", text)
    parts = [line.partition(":") for line in text.split("\n")[1:-1]]
    headers = tuple([(name.strip(BLANKS).lower(), value.strip(BLANKS)) for name, _, value in parts])
    lowered = text.lower()
    coding = None
    if "\ncontent-encoding" in lowered:
        coding = ", ".join([value for name, value in headers if name == "content-encoding"])
    set_cookie = "\nset-cookie" in lowered and any(name == "set-cookie" for name, _ in headers)
    return Head(headers, coding, set_cookie)


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
