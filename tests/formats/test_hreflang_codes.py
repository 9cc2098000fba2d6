"""hreflang values (definition 9)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_audit.formats.hreflang import parse_hreflang
from sitemap_audit.formats.language_codes import (
    CONFUSABLE,
    DEPRECATED_LANGUAGES,
    LANGUAGES,
    REGIONS,
    RESERVED_REGIONS,
    SCRIPTS,
    VARIANTS,
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("de", "de"),
        ("DE", "de"),
        ("fr-be", "fr-BE"),
        ("ZH-HANS", "zh-Hans"),
        ("uz-cyrl-uz", "uz-Cyrl-UZ"),
        ("\n pt-BR\t", "pt-BR"),
        ("X-Default", "x-default"),
    ],
)
def test_normal_form(text: str, code: str) -> None:
    assert parse_hreflang(text) == (code, None, False)


@pytest.mark.parametrize(
    ("text", "issue"),
    [
        ("  ", "empty"),
        ("de_AT", "separator"),
        ("de\u2011AT", "separator"),
        ("de AT", "separator"),
        ("de,at", "separator"),
        ("de--AT", "malformed"),
        ("de-AT-CH", "malformed"),
        ("de-Latn-Latn", "malformed"),
        ("de-AT-x", "malformed"),
        ("de-x-private", "malformed"),
        ("x-klingon", "malformed"),
        ("xdefault", "malformed"),
        ("d3", "malformed"),
        ("de-AT-Latn", "order"),
        ("gb-en", "order"),
        ("gb", "region_only"),
        ("BR-", "malformed"),
        ("en-uk", "reserved_region"),
        ("de-EU", "reserved_region"),
        ("es-419", "un_m49_region"),
        ("xx", "unknown_language"),
        ("german", "unknown_language"),
        ("dе", "unknown_language"),
        ("cz-CZ", "unknown_language"),
        ("de-XX", "unknown_region"),
        ("de-YU", "unknown_region"),
        ("de-AUT", "unknown_region"),
        ("de-ＡＴ", "unknown_region"),
        ("zh-Hanx", "unknown_script"),
        ("deu", "iso639_2"),
        ("ast-ES", "iso639_2"),
        ("iw-IL", "deprecated_language"),
        ("sh", "deprecated_language"),
        ("de-1901", "variant"),
        ("de-CH-1996", "variant"),
        ("ca-valencia", "variant"),
        ("en-u-ca-gregory", "extension"),
        ("de-AT-t-en", "extension"),
    ],
)
def test_invalid_with_the_reason(text: str, issue: str) -> None:
    assert parse_hreflang(text) == (None, issue, False)


@pytest.mark.parametrize("text", ["uk", "ca", "be", "sl", "ar", "et", "ar-AR", "ca-CA"])
def test_suspicious(text: str) -> None:
    assert parse_hreflang(text).suspicious


@pytest.mark.parametrize("text", ["uk-UA", "ca-ES", "ar-EG", "de", "sr-Latn", "no", "el", "xx", "en-UK"])
def test_not_suspicious(text: str) -> None:
    assert not parse_hreflang(text).suspicious


def test_the_tables() -> None:
    """Counts of the standards; a code that is added or withdrawn changes one of them on purpose."""
    assert (len(LANGUAGES), len(REGIONS), len(RESERVED_REGIONS)) == (184, 249, 13)
    assert len(SCRIPTS) == 224
    assert all(len(code) == 2 and code.islower() for code in LANGUAGES)
    assert all(len(code) == 2 and code.isupper() for code in REGIONS | RESERVED_REGIONS)
    assert all(len(code) == 4 and code.istitle() for code in SCRIPTS)
    assert all(5 <= len(code) <= 8 and code.islower() for code in VARIANTS)
    assert not REGIONS & RESERVED_REGIONS
    assert CONFUSABLE <= LANGUAGES
    assert not LANGUAGES & set(DEPRECATED_LANGUAGES)
    assert set(DEPRECATED_LANGUAGES.values()) <= LANGUAGES


SUBTAGS = st.sampled_from(
    [
        "en",
        "de",
        "zh",
        "us",
        "GB",
        "UK",
        "Hans",
        "latn",
        "419",
        "x",
        "u",
        "1996",
        "eng",
        "",
        "é",
        "valencia",
        "_",
    ]
)


@given(st.text(max_size=70) | st.lists(SUBTAGS, max_size=5).map("-".join))
def test_code_or_issue_and_the_normal_form_is_normal(text: str) -> None:
    read = parse_hreflang(text)
    assert (read.code is None) != (read.issue is None)
    if read.code is not None:
        assert parse_hreflang(read.code.upper()).code == read.code
