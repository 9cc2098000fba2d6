"""The account adds up at every moment, and the first word about a URL stands."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.coordinate.ledger import Counts, Ledger, State


def adds_up(counts: Counts) -> bool:
    settled = counts.checked + sum(counts.skipped.values()) + sum(counts.unchecked.values())
    return counts.listed == settled + counts.waiting


def test_a_url_is_counted_once_however_often_it_is_listed() -> None:
    ledger = Ledger()
    assert ledger.add(7, "https://a.example/", "sitemap", listed=True) == 0
    assert ledger.add(7, "https://a.example/", "sitemap", listed=True) is None
    assert ledger.counts().listed == 1


def test_the_first_word_stands() -> None:
    ledger = Ledger()
    seq = ledger.add(1, "https://a.example/", "sitemap", listed=True)
    assert seq is not None
    assert ledger.settle(seq, State.SKIPPED, "out_of_scope")
    assert not ledger.settle(seq, State.CHECKED)
    assert ledger.counts().skipped == {"out_of_scope": 1}


def test_a_second_wave_url_that_a_sitemap_lists_later_moves_into_the_account() -> None:
    ledger = Ledger()
    seq = ledger.add(1, "https://a.example/", "canonical", listed=False)
    assert seq is not None
    ledger.settle(seq, State.UNCHECKED, "rate_limited")
    assert ledger.counts().listed == 0
    ledger.add(1, "https://a.example/", "sitemap", listed=True)
    counts = ledger.counts()
    assert counts.listed == 1
    assert counts.unchecked == {"rate_limited": 1}
    assert counts.further == 0


@given(
    st.lists(
        st.tuples(
            st.integers(0, 12),
            st.booleans(),
            st.sampled_from([None, *State]),
            st.sampled_from(["robots", "limit", "crashed"]),
        )
    )
)
def test_listed_is_checked_plus_skipped_plus_unchecked_plus_waiting(
    events: list[tuple[int, bool, State | None, str]],
) -> None:
    ledger = Ledger()
    listed: set[int] = set()
    for identity, is_listed, state, reason in events:
        ledger.add(identity, f"https://a.example/{identity}", "sitemap", listed=is_listed)
        if is_listed:
            listed.add(identity)
        seq = ledger.number(identity)
        assert seq is not None
        if state not in (None, State.WAITING):
            ledger.settle(seq, state, reason)
        counts = ledger.counts()
        assert adds_up(counts)
        assert counts.listed == len(listed)
    assert sum(1 for _ in ledger.waiting()) == sum(1 for seq in range(len(ledger)) if ledger.is_waiting(seq))
