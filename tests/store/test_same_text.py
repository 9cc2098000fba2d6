"""Definitions 5, lines 5 and 9: what other pages with the same text make of a URL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import pytest

Row = dict[str, Any]
U, V, W = "https://example.com/u", "https://example.com/v", "https://example.com/w"
OK: Row = {
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "hop_count": 0,
    "content_type": "text/html",
    "sniffed_type": "html",
    "canonical_state": "self",
    "allowed": True,
    "noindex": False,
}


def text(key: str, **more: Any) -> Row:
    page: Row = {"url_key": key, "requested_url": key, "final_url": key, "final_key": key, "canonical": key}
    return OK | page | {"main_hash": "00ff00ff00ff00ff", "main_text_len": 400, "main_fallback": False} | more


Roles = dict[str, tuple[str, str | None, str | None]]


@pytest.fixture
def roles(load: Callable[..., duckdb.DuckDBPyConnection]) -> Callable[..., Roles]:
    """URL key → verdict, reason, role."""

    def judge(*pages: Row, entries: Sequence[Row] = ()) -> Roles:
        con = load({"pages": pages, "entries": entries})
        found = con.execute("SELECT url_key, verdict, verdict_reason, dup_role FROM urls").fetchall()
        return {key: (verdict, reason, role) for key, verdict, reason, role in found}

    return judge


def test_of_equal_texts_the_shortest_url_stands_for_the_others(roles: Callable[..., Roles]) -> None:
    longer = U + "-and-more"
    assert roles(text(U), text(longer)) == {
        U: ("indexable", None, "representative"),
        longer: ("duplicate", U, "member"),
    }


def test_the_target_of_most_canonicals_stands_for_the_others(roles: Callable[..., Roles]) -> None:
    longer = U + "-and-more"
    pointing = OK | {"url_key": W, "requested_url": W, "canonical_state": "other", "canonical": longer}
    found = roles(text(U), text(longer), pointing)
    assert found[longer] == ("indexable", None, "representative")
    assert found[U] == ("duplicate", longer, "member")


def test_a_listed_url_stands_before_a_shorter_one(roles: Callable[..., Roles]) -> None:
    longer = U + "-and-more"
    entry = {"url_key": longer, "loc": longer, "sitemap": "https://example.com/s.xml", "line": 1}
    assert roles(text(U), text(longer), entries=[entry])[U] == ("duplicate", longer, "member")


@pytest.mark.parametrize(
    "other",
    [
        text(V, main_hash="11ff00ff00ff00ff"),
        text(V, main_fallback=True),
        text(V, canonical_state="other", canonical=U),
        text(V, noindex=True),
        text(V, main_hash=None),
    ],
    ids=["another text", "fallback text", "a canonical between them", "not indexable", "not read"],
)
def test_near_misses_of_a_duplicate(roles: Callable[..., Roles], other: Row) -> None:
    assert roles(text(U), other)[U] == ("indexable", None, None)


def test_short_texts_make_no_duplicates(roles: Callable[..., Roles]) -> None:
    assert roles(text(U, main_text_len=199), text(V, main_text_len=199))[V] == ("indexable", None, None)


def test_the_same_short_text_on_five_listed_urls_looks_like_an_error_page(
    roles: Callable[..., Roles],
) -> None:
    keys = [f"{U}{n}" for n in range(5)]
    pages = [text(k, main_text_len=150, soft404_points={"points": 0.3, "reasons": ["short"]}) for k in keys]
    entries = [{"url_key": k, "loc": k, "sitemap": "s", "line": n} for n, k in enumerate(keys)]
    assert {found[0] for found in roles(*pages, entries=entries).values()} == {"soft_404"}
    assert {found[0] for found in roles(*pages, entries=entries[:4]).values()} == {"indexable"}
