"""Breaks sitemap files in the ways in which files break, and in those in which somebody means harm.

`mutate(data, chance)` gives the broken bytes and the names of what was done. The same `random.Random` state gives
the same file. Used by test_sitemap_mutations.py on generated files and by benchmarks/mutations.py on any folder.
"""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable
from typing import Final

Mutation = Callable[[bytes, random.Random], bytes]
_TAG: Final = re.compile(rb"<[^<>]{1,300}>")
_DECLARED: Final = re.compile(rb"encoding=[\"'][^\"']*[\"']")
_BOMBS: Final = (
    b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>',
    b'<!DOCTYPE x SYSTEM "file:///etc/hostname">',
    b"&b;&b;",
    b"<a>" * 3_000,
    b"<x " + b" ".join(b'a%d="1"' % n for n in range(2_000)) + b"/>",
    b"x" * 300_000,
    b"<!-- never closed ",
    b"<![CDATA[ never closed ",
    b"]]>",
    b"<?xml version='1.0'?>",
    b"\x00",
    b"\xff\xfe",
    b"&#0;",
    b"&#x110000;",
    b"<url><loc>" + b"https://example.com/" + b"a" * 70_000 + b"</loc></url>",
)
_ENCODINGS: Final = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "latin-1", "cp1251")


def _flip(data: bytes, chance: random.Random) -> bytes:
    broken = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        broken[chance.randrange(len(broken))] = chance.randrange(256)
    return bytes(broken)


def _cut_end(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def _cut_middle(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    return data[:start] + data[start + chance.randint(1, 200) :]


def _tags(data: bytes, chance: random.Random) -> tuple[tuple[int, int], tuple[int, int]] | None:
    tags = [found.span() for found in _TAG.finditer(data[:200_000])]
    if len(tags) < 2:
        return None
    first, second = sorted(chance.sample(tags, 2))
    return first, second


def _duplicate_tag(data: bytes, chance: random.Random) -> bytes:
    tags = _tags(data, chance)
    if tags is None:
        return data + data
    (start, end), (at, _) = tags
    return data[:at] + data[start:end] + data[at:]


def _swap_tags(data: bytes, chance: random.Random) -> bytes:
    tags = _tags(data, chance)
    if tags is None:
        return data[::-1]
    (a, b), (c, d) = tags
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def _bomb(data: bytes, chance: random.Random) -> bytes:
    at = chance.choice([0, len(data), chance.randrange(len(data)), data.find(b"<url>"), data.find(b"?>") + 2])
    return data[: max(at, 0)] + chance.choice(_BOMBS) + data[max(at, 0) :]


def _reencode(data: bytes, chance: random.Random) -> bytes:
    return data.decode("utf-8", "replace").encode(chance.choice(_ENCODINGS), "replace")


def _lie(data: bytes, chance: random.Random) -> bytes:
    name = chance.choice([b"UTF-16", b"klingon", b"ISO-8859-1", b"windows-1251", b"utf-7", b"", b"x" * 500])
    return _DECLARED.sub(b'encoding="' + name + b'"', data, count=1) + chance.choice([b"", b"\xe9"])


def _line_ends(data: bytes, chance: random.Random) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\n", chance.choice([b"\r", b"\r\n", b"\n\r", b"\x0c"]))


def _gzip(data: bytes, chance: random.Random) -> bytes:
    packed = gzip.compress(data, mtime=0)
    how = chance.randrange(4)
    if how == 0:
        return _flip(packed, chance)
    if how == 1:
        return _cut_end(packed, chance)
    return gzip.compress(packed, mtime=0) if how == 2 else packed + b"trailing"


def _upper(data: bytes, chance: random.Random) -> bytes:
    return (
        data.replace(b"<loc>", b"<LOC>").replace(b"urlset", b"UrlSet")
        if chance.random() < 0.5
        else data.upper()
    )


MUTATIONS: Final[tuple[Mutation, ...]] = (
    _flip,
    _cut_end,
    _cut_middle,
    _duplicate_tag,
    _swap_tags,
    _bomb,
    _reencode,
    _lie,
    _line_ends,
    _gzip,
    _upper,
)


def mutate(data: bytes, chance: random.Random) -> tuple[bytes, tuple[str, ...]]:
    """One to three mutations, one on top of the other."""
    names = []
    for mutation in chance.choices(MUTATIONS, k=chance.choice([1, 1, 2, 3])):
        if not data:
            break
        data = mutation(data, chance)
        names.append(mutation.__name__.strip("_"))
    return data, tuple(names)
