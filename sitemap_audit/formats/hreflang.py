"""hreflang values: valid or why not, the normal form, and what is often meant otherwise.

Definition 9: what Google documents, `language[-script][-region]` or `x-default`, which is less than
BCP 47 (RFC 5646). Links and pairs are judged elsewhere.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from sitemap_audit.formats.language_codes import (
    CONFUSABLE,
    DEPRECATED_LANGUAGES,
    LANGUAGES,
    REGIONS,
    RESERVED_REGIONS,
    SCRIPTS,
    VARIANTS,
)

X_DEFAULT: Final = "x-default"
_SPACE: Final = " \t\n\r\f\v"
_SEPARATORS: Final = re.compile(
    "[_.,;:/|+ \t\n\r\f\v\u00a0\u00ad\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d\uff3f]"
)
"""What stands where the hyphen should: underscore, dashes, blanks, marks of lists and paths."""
_CACHED_CHARS: Final = 64
"""Longer values are no codes; a cache of them would be a way to fill our memory."""


class HreflangCode(NamedTuple):
    """`code` is the normal form (`zh-Hant-HK`), None where the value is not valid; `issue` then says why:

    empty, malformed, separator, order, region_only, reserved_region, un_m49_region, unknown_language,
    unknown_region, unknown_script, iso639_2, deprecated_language, variant, extension. `suspicious`: valid,
    but the code is often taken for a country's.
    """

    code: str | None
    issue: str | None
    suspicious: bool


def parse_hreflang(text: str) -> HreflangCode:
    """Read one value as found; case does not matter, white space around is trimmed. Never raises."""
    return _parse_cached(text) if len(text) <= _CACHED_CHARS else _parse(text)


def _parse(text: str) -> HreflangCode:
    value = text.strip(_SPACE)
    if not value:
        return _invalid("empty")
    if value.lower() == X_DEFAULT:
        return HreflangCode(X_DEFAULT, None, False)
    if _SEPARATORS.search(value):
        return _invalid("separator")
    subtags = value.split("-")
    if not all(subtag.isalnum() for subtag in subtags) or value.lower() == "xdefault":
        return _invalid("malformed")
    issue = _language_issue(subtags)
    if issue:
        return _invalid(issue)
    language, script, region = subtags[0].lower(), None, None
    for n, subtag in enumerate(subtags[1:], 1):
        issue = _subtag_issue(subtag, n, region is not None)
        if issue:
            return _invalid(issue)
        if len(subtag) == 4 and script is None and region is None:
            script = subtag.title()
        elif len(subtag) == 2 and region is None:
            region = subtag.upper()
        else:
            return _invalid("malformed")
    suspicious = language in CONFUSABLE and script is None and region in (None, language.upper())
    return HreflangCode("-".join(filter(None, (language, script, region))), None, suspicious)


_parse_cached: Final = lru_cache(maxsize=1_024)(_parse)
"""A site uses a few dozen values, and repeats them on every page."""


def _language_issue(subtags: list[str]) -> str | None:
    """What is wrong with the first subtag."""
    language = subtags[0].lower()
    if language in LANGUAGES:
        return None
    if language in DEPRECATED_LANGUAGES:
        return "deprecated_language"
    if not language.isascii():
        return "unknown_language"
    if len(language) == 1 or not language.isalpha():
        return "malformed"
    if len(language) == 3:
        return "iso639_2"
    if language.upper() in REGIONS:
        if len(subtags) == 1:
            return "region_only"
        if subtags[1].lower() in LANGUAGES:
            return "order"
    return "unknown_language"


def _subtag_issue(subtag: str, position: int, behind_region: bool) -> str | None:
    """What is wrong with a further subtag by itself; `position` counts from the language."""
    lower = subtag.lower()
    if not subtag.isascii():
        return "malformed" if behind_region else "unknown_region"
    if len(subtag) == 1:
        # x- begins private use, any other single character an extension (RFC 5646, 2.1).
        return "malformed" if lower == "x" else "extension"
    if lower in VARIANTS or (len(subtag) >= 4 and subtag[0].isdigit()):
        return "variant"
    if len(subtag) == 2 and subtag.isalpha():
        if behind_region or subtag.upper() in REGIONS:
            return None
        return "reserved_region" if subtag.upper() in RESERVED_REGIONS else "unknown_region"
    if len(subtag) == 3 and subtag.isdigit():
        return "malformed" if behind_region else "un_m49_region"
    if len(subtag) == 4 and subtag.isalpha():
        if subtag.title() not in SCRIPTS:
            return "malformed" if behind_region else "unknown_script"
        return "order" if behind_region else None
    return "malformed" if behind_region or position > 2 else "unknown_region"


def _invalid(issue: str) -> HreflangCode:
    return HreflangCode(None, issue, False)
