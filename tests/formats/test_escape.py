"""Text of a site on a terminal: seen, never obeyed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.formats.escape import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x1b]8;;https://evil.example\x07link", "\\x1b]8;;https://evil.example\\x07link"),
        ("a\r\nb", "a\\x0d\\x0ab"),
        ("abc\u202edef", "abc\\u202edef"),
        ("\x9b2J", "\\x9b2J"),
        ("żółć – fine", "żółć – fine"),
    ],
)
def test_controls_become_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_long_text_is_cut_with_an_ellipsis() -> None:
    assert visible("x" * 50, 10) == "x" * 9 + "…"


@given(st.text())
def test_no_control_leaves(text: str) -> None:
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", visible(text))
