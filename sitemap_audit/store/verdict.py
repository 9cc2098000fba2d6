"""The verdict of one URL as SQL: definitions 5, the first line that fits wins.

The expressions read a line `p` of `pages` and a line `s` of `settings`; they are put together by
derive.py. What needs other URLs (the reason of a redirect, duplicates) is joined there.
"""

from __future__ import annotations

from typing import Final

IMMEDIATE_REFRESH: Final = (
    "CASE WHEN p.refresh_header.seconds = 0 THEN p.refresh_header.url "
    "WHEN p.refresh.seconds = 0 THEN p.refresh.url END"
)
"""Target of a refresh without delay, header before element; NULL where there is none."""

MOVES: Final = f"""(
    coalesce(p.first_status BETWEEN 300 AND 399, false) OR coalesce(p.hop_count > 0, false)
    OR coalesce(split_part({IMMEDIATE_REFRESH}, '#', 1) NOT IN (p.requested_url, p.final_url, p.url_key), false)
)"""

PAUSED: Final = "(p.allowed IS NULL AND p.robots_state IS NOT NULL)"
"""robots.txt was asked and the bot's answer is not known: crawling is paused (definitions 6.1)."""

_TYPE: Final = "lower(trim(split_part(coalesce(p.content_type, ''), ';', 1)))"
_NOT_INDEXED: Final = (
    "text/css",
    "text/javascript",
    "application/javascript",
    "application/x-javascript",
    "application/ecmascript",
    "application/json",
    "application/ld+json",
    "application/manifest+json",
    "application/wasm",
    "application/zip",
    "application/x-zip-compressed",
    "application/gzip",
    "application/x-gzip",
    "application/x-tar",
    "application/x-bzip2",
    "application/x-7z-compressed",
    "application/vnd.rar",
    "application/x-rar-compressed",
    "application/java-archive",
    "application/x-msdownload",
    "application/vnd.android.package-archive",
    "application/x-apple-diskimage",
    "application/vnd.ms-fontobject",
)
_SAYS_NOTHING: Final = ("", "application/octet-stream", "binary/octet-stream", "application/x-download")
"""Content types that leave the kind open; then the first bytes decide."""


def _texts(values: tuple[str, ...]) -> str:
    return "(" + ", ".join(f"'{value}'" for value in values) + ")"


_NO_DOCUMENT: Final = f"""(
    {_TYPE} IN {_texts(_NOT_INDEXED)} OR {_TYPE} LIKE 'font/%' OR {_TYPE} LIKE 'application/font%'
    OR {_TYPE} LIKE 'application/x-font%'
    OR ({_TYPE} IN {_texts(_SAYS_NOTHING)} AND coalesce(p.sniffed_type IN ('binary', 'json'), false))
)"""

_NOINDEX_SOURCES: Final = """list_filter(p.noindex_sources, lambda source:
    source IN ('meta:robots', 'header', 'unavailable_after')
    OR source IN ('meta:' || s.verdict_bot, 'header:' || s.verdict_bot))"""
"""Those that speak to the verdict's bot; the fact holds those of every bot."""


def _is(verdict: str, reason: str) -> str:
    return f"{{'verdict': '{verdict}', 'reason': {reason}}}"


_UNREAD: Final = (
    "coalesce(p.error_class, CASE WHEN p.head_refused IS NOT NULL THEN 'head_refused' "
    "WHEN p.truncated THEN 'truncated' WHEN p.status <> 200 THEN p.status::VARCHAR END, 'depth')"
)

_ANSWER: Final = f"""
    WHEN p.status BETWEEN 400 AND 499 THEN {_is("client_error", "p.status::VARCHAR")}
    WHEN p.status >= 500 THEN {_is("server_error", "p.status::VARCHAR")}
    WHEN p.soft404_score >= s.soft404_report
        THEN {_is("soft_404", "coalesce(nullif(array_to_string(p.soft404_reasons, ', '), ''), 'score')")}
    WHEN p.status = 200 AND {_NO_DOCUMENT}
        THEN {_is("not_a_document", f"coalesce(nullif({_TYPE}, ''), p.sniffed_type)")}
    WHEN p.noindex THEN {
    _is(
        "noindex",
        f"coalesce(nullif(array_to_string({_NOINDEX_SOURCES}, ', '), ''), p.noindex_sources[1], 'noindex')",
    )
}
    WHEN p.canonical_state IS NULL OR p.error_class IS NOT NULL THEN {_is("unknown", _UNREAD)}
    WHEN p.canonical_state = 'other' THEN {_is("canonicalised", "p.canonical")}
    ELSE {_is("indexable", "NULL::VARCHAR")}
"""

# A page that broke off (reset, time-out, undecodable) is never sound, whatever its beginning says; what was
# seen of it before, such as a noindex, counts.
LAST_ANSWER: Final = f"CASE WHEN p.status IS NULL OR p.status BETWEEN 300 AND 399 THEN NULL {_ANSWER} END"
"""Lines 4 to 10 alone: what the last answer declares, whatever led to it. NULL where there is none."""

_BLOCKED_BY: Final = """CASE
    WHEN p.robots_line IS NOT NULL THEN 'line ' || p.robots_line || coalesce(': ' || p.robots_rule, '')
    WHEN p.robots_state IN ('unreachable', 'server_error') THEN 'robots_unreachable'
    ELSE coalesce(p.robots_rule, 'robots') END"""

VERDICT: Final = f"""CASE
    WHEN p.state <> 'checked' AND coalesce(p.reason NOT IN ('robots', 'own_agent'), true)
        THEN {_is("unknown", "coalesce(p.reason, p.state)")}
    WHEN p.state <> 'checked' AND p.reason = 'own_agent' AND coalesce(p.allowed, true)
        THEN {_is("unknown", "'own_agent'")}
    WHEN p.state <> 'checked' AND p.reason = 'robots' AND p.allowed THEN {_is("unknown", "'robots'")}
    WHEN p.challenge THEN {_is("unknown", "'challenge'")}
    WHEN p.status = 429 THEN {_is("unknown", "'rate_limited'")}
    WHEN p.state = 'checked' AND {PAUSED} THEN {_is("unknown", "'robots_paused'")}
    WHEN p.state = 'checked' AND coalesce(p.first_status, p.status) IS NULL
        THEN {_is("unreachable", "coalesce(p.error_class, 'no_answer')")}
    WHEN NOT p.allowed OR (p.state <> 'checked' AND p.reason IN ('robots', 'own_agent'))
        THEN {_is("blocked", _BLOCKED_BY)}
    WHEN {MOVES} THEN {_is("redirect", "NULL::VARCHAR")}
    ELSE coalesce(p.last_answer, {_is("unknown", "coalesce(p.error_class, 'depth')")})
END"""
"""A struct (verdict, reason) over a line `p` that has LAST_ANSWER as `last_answer`.

429 and bot walls count as unchecked though an answer came. The verdict's bot may be another than the one
that the run was made for: what was skipped for robots.txt and is allowed to this one is unknown. The
reason of a redirect is joined later (derive.py)."""
