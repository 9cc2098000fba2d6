"""What curl's numbers mean, where no server of the tests can bring them about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.facts import ErrorClass
from sitemap_audit.http.failures import describe, error_class, printable, tls_cause

LEAF = (("Subject", "CN=a"), ("Authority Information Access", "CA Issuers - URI:http://ca.example/x"))
BARE = (("Subject", "CN=a"),)


@pytest.mark.parametrize(
    ("code", "verified", "chain", "cause"),
    [
        (60, 0, [BARE], "wrong_host"),
        (60, 1, [BARE], "wrong_host"),
        (60, 62, [BARE], "wrong_host"),
        (60, 9, [BARE], "expired"),
        (60, 10, [BARE], "expired"),
        (60, 18, [BARE], "self_signed"),
        (60, 19, [BARE, BARE], "unknown_issuer"),
        (60, 20, [LEAF], "incomplete_chain"),
        (60, 21, [LEAF], "incomplete_chain"),
        (60, 20, [BARE], "unknown_issuer"),
        (60, 20, [LEAF, LEAF], "unknown_issuer"),
        (60, 20, [], "unknown_issuer"),
        (60, 66, [BARE], "unknown_issuer"),
        (35, 0, [], "protocol"),
        (77, 0, [], "protocol"),
    ],
)
def test_causes(code: int, verified: int, chain: list[object], cause: str) -> None:
    assert tls_cause(code, verified, chain) == cause


@given(st.integers(0, 200), st.text(max_size=50))
def test_every_number_has_a_class(code: int, message: str) -> None:
    assert isinstance(error_class(code, message), ErrorClass)


@given(st.sampled_from(ErrorClass), st.none() | st.text(max_size=400), st.text(max_size=400))
def test_details_are_short_and_fit_for_a_terminal(
    error: ErrorClass, reason: str | None, message: str
) -> None:
    detail = describe(error, reason, message, None, "in the body", 0)
    assert len(detail) <= 300
    assert detail.isprintable()
    assert detail == printable(detail)
