"""Fingerprints of words (definitions 3): main_hash, simhash, sketch, and the print for probes (definitions 2).

BLAKE2b of a word, 24 bytes, is three numbers h1, h2, h3. A bit of the simhash is set when more than half of
the shingles have it. The eight columns of bytes of all shingles are made as eight long integers, and each
bit is counted in its column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple
from urllib.parse import unquote

from sitemap_audit.facts import ProbePrint
from sitemap_audit.formats.content_words import Normal, normal_form
from sitemap_audit.settings import (
    CONTENT_WORD_BYTES,
    CONTENT_WORDS_KEPT,
    PROBE_PRINT_MAX_CHARS,
    SIMHASH_BYTES,
)

_BITS: Final = 64
_DIGEST_BYTES: Final = 24
_SHINGLE: Final = 3
_USUAL_WORDS: Final = 900
"""They are 4,096 bytes of most texts."""
_ONE_BIT: Final = tuple(int.from_bytes(bytes((1 << bit,)) * (SIMHASH_BYTES // 2)) for bit in range(8))
"""For each bit of a byte a number that has it set in every byte."""
_PROBE_WORDS: Final = frozenset((b"sitemap", b"audit", b"404", b"probe"))


class _Digests(dict[bytes, bytes]):
    """Word → its 24 bytes: h1, h2, h3, little-endian. Pages of a site share most of their words."""

    def __missing__(self, word: bytes) -> bytes:
        digest = blake2b(word, digest_size=_DIGEST_BYTES).digest()
        if len(word) <= CONTENT_WORD_BYTES:
            if len(self) >= CONTENT_WORDS_KEPT:
                self.clear()
            self[word] = digest
        return digest


_digests: Final = _Digests()


class Print(NamedTuple):
    """The fingerprint of a main text; field names as in facts.Page."""

    main_hash: str
    main_simhash: str
    main_sketch: tuple[int, ...]
    word_count: int


def hash_16(data: bytes) -> str:
    """BLAKE2b, 64 bits, as 16 hex digits."""
    return blake2b(data, digest_size=8).hexdigest()


def fingerprint(text: Normal) -> Print:
    """The fingerprint of a text in its normal form."""
    words = text.words
    return Print(hash_16(text.letters), simhash(words), sketch(words), len(words))


def simhash(words: Sequence[bytes]) -> str:
    """16 hex digits, over the first 4,096 bytes of the words parted by blanks; all zero without a word."""
    start = b" ".join(words[:_USUAL_WORDS])
    if len(start) < SIMHASH_BYTES and len(words) > _USUAL_WORDS:
        start = b" ".join(words[: SIMHASH_BYTES // 2])
    first = start[:SIMHASH_BYTES].split()
    digests = b"".join([_digests[word] for word in first])
    number = len(first) - _SHINGLE + 1 if len(first) >= _SHINGLE else len(first)
    half = number // 2
    bits = ""
    for place in range(_BITS // 8):
        # What is cut off at the end belongs to words that begin no shingle any more.
        votes = int.from_bytes(digests[place::_DIGEST_BYTES][:number])
        if len(first) >= _SHINGLE:
            votes ^= int.from_bytes(digests[_DIGEST_BYTES + place + 8 :: _DIGEST_BYTES][:number])
            votes ^= int.from_bytes(digests[2 * _DIGEST_BYTES + place + 16 :: _DIGEST_BYTES])
        for mask in _ONE_BIT:
            bits += "1" if (votes & mask).bit_count() > half else "0"
    return f"{int(bits[::-1], 2):016x}"


def sketch(words: Sequence[bytes]) -> tuple[int, ...]:
    """64 counters: how many of the words have h1 mod 64 = i."""
    counters = [0] * _BITS
    for word, number in Counter(words).items():
        counters[_digests[word][0] & (_BITS - 1)] += number
    return tuple(counters)


def probe_print(words: Sequence[bytes], chars: int, path: str) -> ProbePrint | None:
    """The print without the words of the requested path, which error pages repeat; None: the plain one counts.

    `chars`: of the main text. `path`: of the requested URL, as sent.
    """
    if chars >= PROBE_PRINT_MAX_CHARS:
        return None
    out = _PROBE_WORDS | _path_words(path)
    if out.isdisjoint(words):
        return None
    kept = [word for word in words if word not in out]
    return ProbePrint(simhash(kept), len(kept))


@lru_cache(maxsize=1_024)
def _path_words(path: str) -> frozenset[bytes]:
    return frozenset(normal_form(unquote(path)).words)
