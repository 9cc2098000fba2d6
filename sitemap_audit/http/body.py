"""The body of one answer: decoded while it arrives, and cut at the limit of its request."""

from __future__ import annotations

import sys
from typing import Final

from sitemap_audit.http.decoding import PLAIN_NAMES, CodingError, Decoder

HOLD_BYTES: Final = 65_536
"""Wire bytes that wait to be decoded together."""


class Body:
    """Counts `wire` and decoded `size`, keeps decoded `parts`; `stopped` when nothing more is wanted."""

    __slots__ = (
        "_decoder",
        "_held",
        "_held_bytes",
        "_limit",
        "failure",
        "more",
        "parts",
        "size",
        "stopped",
        "truncated",
        "wire",
    )

    def __init__(self, limit: int) -> None:
        """`limit`: decoded bytes that are kept."""
        self._limit = limit
        self._decoder: Decoder | None = None
        self._held: list[bytes] = []
        self._held_bytes = 0
        self.parts: list[bytes] = []
        self.wire = 0
        self.size = 0
        self.more = False
        """`decode` has more to give without further data."""
        self.truncated = False
        self.stopped = False
        self.failure: str | None = None
        """Why the body cannot be decoded."""

    def open(self, content_encoding: str | None) -> None:
        """Call before the first byte; the values of all Content-Encoding lines, joined by commas."""
        if content_encoding is None:
            return
        if content_encoding == "gzip":
            self._decoder = Decoder(content_encoding)
            return
        codings = [
            c for c in (part.strip() for part in content_encoding.lower().split(",")) if c not in PLAIN_NAMES
        ]
        if not codings:
            return
        try:
            self._decoder = Decoder(", ".join(codings))
        except CodingError as error:
            self._fail(error)

    def take(self, data: bytes) -> bool:
        """Keep what arrived; False when the transfer is to stop.

        Small bodies are decoded at the end, in one piece, which is cheaper than each packet by itself.
        """
        if self.stopped:
            self.wire += len(data)
            return False
        self._held.append(data)
        self._held_bytes += len(data)
        return self._held_bytes < HOLD_BYTES or self._flush()

    def _flush(self) -> bool:
        data = self._held[0] if len(self._held) == 1 else b"".join(self._held)
        self._held.clear()
        self._held_bytes = 0
        self.parts.append(self.decode(data))
        while self.more:
            self.parts.append(self.decode(b""))
        return not self.stopped

    def decode(self, data: bytes, most: int = sys.maxsize) -> bytes:
        """The next decoded bytes, about `most` of them; again with b"" while `more`."""
        self.wire += len(data)
        out = data
        if self._decoder is not None:
            # One byte past the limit shows that it is passed.
            try:
                out = self._decoder.feed(data, min(most, self._limit - self.size + 1))
            except CodingError as error:
                self._fail(error)
                return b""
            self.more = self._decoder.full
        elif self.stopped:
            return b""
        self.size += len(out)
        if self.size > self._limit:
            out = out[: len(out) + self._limit - self.size]
            self.size = self._limit
            self.truncated = self.stopped = True
            self.more = False
        return out

    def end(self, finished: bool) -> None:
        """The transfer is over: decode what waits. With `finished` an unfinished coding is a failure."""
        if self._held:
            self._flush()
        if (
            finished
            and self._decoder is not None
            and self.wire
            and not self._decoder.finished
            and not self.stopped
        ):
            self.failure = "the compressed data ends early"

    def _fail(self, error: CodingError) -> None:
        self.failure = str(error)
        self.stopped = True
        self.more = False
