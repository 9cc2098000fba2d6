"""Compact containers do what plain ones do."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitemap_audit.coordinate.packed import Identities, Numbers, Texts
from sitemap_audit.formats.urls import url_id
from tests.depth import examples

SPREAD = st.integers(0, 2**64 - 1)
CROWDED = st.integers(0, 15).map(lambda n: n << 60 | n % 3)
"""Identities that meet in the same slots."""


@given(st.lists(SPREAD | CROWDED, max_size=300))
def test_identities_are_a_dict(given_: list[int]) -> None:
    table, plain = Identities(), dict[int, int]()
    for identity in given_:
        assert table.get(identity) == plain.get(identity)
        if identity not in plain:
            plain[identity] = table.add(identity)
    assert len(table) == len(plain)
    assert list(plain.values()) == list(range(len(plain)))
    assert all(table.get(identity) == number for identity, number in plain.items())


def test_the_tables_grow_and_stay_small() -> None:
    table = Identities()
    identities = [int(url_id(str(n)), 16) for n in range(30_000)]
    for identity in identities:
        table.add(identity)
    assert [table.get(identity) for identity in identities] == list(range(30_000))
    assert table.get(1) is None
    assert table.bytes < 30_000 * 22


@settings(max_examples=examples(10))
@given(st.lists(st.text(st.characters(exclude_characters="\n"), max_size=20), max_size=700))
def test_texts_are_a_list(given_: list[str]) -> None:
    texts = Texts()
    for text in given_:
        texts.append(text)
    assert len(texts) == len(given_)
    assert [texts[n] for n in range(len(given_))] == given_
    assert list(texts) == given_


def test_urls_take_a_fraction_of_their_length() -> None:
    texts = Texts()
    for n in range(10_000):
        texts.append(f"https://www.shop.example/en/garden/leather-{n * 7919 % 10_007}-{n}")
    assert texts.bytes < 10_000 * 25
    with pytest.raises(IndexError):
        texts[10_000]


@given(
    st.lists(
        st.tuples(st.sampled_from(["extend", "extendleft", "take"]), st.integers(0, 30), st.integers(0, 6)),
        max_size=40,
    )
)
def test_numbers_are_a_deque(steps: list[tuple[str, int, int]]) -> None:
    numbers, plain = Numbers(), deque[int]()
    for what, start, length in steps:
        if what == "take":
            assert numbers.take(length) == [plain.popleft() for _ in range(min(length, len(plain)))]
        else:
            run = range(start, start + length)
            getattr(numbers, what)(run)
            getattr(plain, what)(run)
        assert list(numbers) == list(plain)
        assert len(numbers) == len(plain)
        assert bool(numbers) is bool(plain)
    numbers.clear()
    assert (list(numbers), len(numbers)) == ([], 0)
