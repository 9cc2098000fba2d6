"""One summary, many readers: the account, the ten answers, the words on a terminal, the exit code."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

import duckdb
import pytest

from sitemap_audit.cli.finish import exit_code
from sitemap_audit.options import RunOptions
from sitemap_audit.report.judged import Judged
from sitemap_audit.report.summary import Summary, summarise
from sitemap_audit.report.terminal import reconciliation, render
from sitemap_audit.rules.catalogue import all_rules
from sitemap_audit.rules.engine import judge
from sitemap_audit.rules.thresholds import default_thresholds
from sitemap_audit.store.derive import derive
from sitemap_audit.store.folder import RunRecord
from sitemap_audit.store.judge_settings import JudgeSettings, write_settings
from sitemap_audit.store.schema import SCHEMA

MAP: Final = "https://shop.example/sitemap.xml"
HOME: Final = "https://shop.example/"
Facts = Mapping[str, Sequence[Mapping[str, Any]]]
RECORD: Final = RunRecord(
    run_id="r1",
    state="done",
    started_at=datetime(2026, 11, 30, 12, tzinfo=UTC),
    options=RunOptions(run_id="r1", sites=(HOME,), scope=("shop.example",)),
    sites_given=("shop.example",),
    looked=("https://shop.example/robots.txt: 404",),
)


def entry(url: str, line: int) -> dict[str, Any]:
    return {"url_key": url, "loc": url, "sitemap": MAP, "line": line, "position": line}


def page(url: str, **more: Any) -> dict[str, Any]:
    answered = {"state": "checked", "first_status": 200, "status": 200, "final_url": url, "final_key": url,
                "canonical_state": "none", "allowed": True, "noindex": False, "content_type": "text/html",
                "hop_count": 0, "requested_url": url, "url_key": url}  # fmt: skip
    return answered | more


ROBOTS: Final = {
    "origin": "https://shop.example",
    "robots_url": HOME + "robots.txt",
    "at_root": True,
    "state": "ok",
    "status": 200,
}
FILE: Final = {
    "url": MAP,
    "url_key": MAP,
    "kind": "urlset",
    "state": "ok",
    "status": 200,
    "entries": 2,
    "source": "robots",
}


@contextmanager
def audit(facts: Facts) -> Iterator[Judged]:
    con = duckdb.connect()
    try:
        con.execute(SCHEMA)
        write_settings(con, JudgeSettings(thresholds=default_thresholds()))
        for table, rows in facts.items():
            for row in rows:
                names = ", ".join(f'"{n}"' for n in row)
                con.execute(
                    f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values())
                )
        derive(con)
        judge(con, all_rules(), {})
        con.execute("UPDATE findings SET status = 'new'")
        yield Judged(con, RECORD, all_rules())
    finally:
        con.close()


def summary_of(facts: Facts) -> Summary:
    with audit(facts) as run:
        return summarise(run)


def shown(summary: Summary) -> str:
    out = io.StringIO()
    render(summary, (), out)
    return out.getvalue()


@pytest.fixture(scope="module")
def healthy() -> Summary:
    return summary_of(
        {"robots_files": [ROBOTS], "sitemap_files": [FILE], "entries": [entry(HOME, 3), entry(HOME + "a", 4)],
         "pages": [page(HOME), page(HOME + "a")]}
    )  # fmt: skip


@pytest.fixture(scope="module")
def sick() -> Summary:
    evil = HOME + "gone"
    return summary_of(
        {
            "robots_files": [ROBOTS],
            "sitemap_files": [FILE],
            "entries": [entry(HOME, 3), entry(evil, 4), entry("https://other.example/", 5), entry(HOME + "late", 6)],
            "pages": [
                page(HOME, canonical_state="other", canonical="https://shop.example/\x1b[31mred"),
                page(evil, status=404, first_status=404, canonical_state=None),
                {"url_key": "https://other.example/", "requested_url": "https://other.example/", "state": "skipped", "reason": "out_of_scope"},
            ],
        }
    )  # fmt: skip


def answers(summary: Summary) -> list[str]:
    return [a.answer for a in summary.checklist]


def test_a_healthy_site_has_no_finding_and_honest_answers(healthy: Summary) -> None:
    assert healthy.severities == {}
    assert "no" not in answers(healthy)
    assert answers(healthy)[0] == "yes"
    assert answers(healthy)[2] == "yes"
    assert answers(healthy)[6] == "unknown", "one run cannot know whether lastmod is honest"
    assert answers(healthy)[9] == "unknown", "nobody sees Search Console from outside"
    assert exit_code(healthy, "notice") == 0
    assert "Findings: none" in shown(healthy)


def test_a_fault_is_a_no_with_its_rule(sick: Summary) -> None:
    by_question = {a.question: a for a in sick.checklist}
    answer = by_question["the sitemap holds only full, preferred URLs"]
    assert answer.answer == "no"
    assert "canonical-elsewhere" in answer.evidence


def test_what_was_not_judged_is_no_yes(sick: Summary) -> None:
    by_question = {a.question: a for a in sick.checklist}
    blocked = by_question["no important URL is blocked by accident"]
    assert blocked.answer == "unknown"
    assert "could be judged" in blocked.evidence


def test_the_account_adds_up(sick: Summary) -> None:
    assert (sick.listed, sick.checked) == (4, 2)
    assert sick.skipped == {"out_of_scope": 1}
    assert sick.unchecked == {"stopped": 1}
    assert (
        reconciliation(sick) == "listed 4 = checked 2 + skipped 1 (out_of_scope 1) + unchecked 1 (stopped 1)"
    )


def test_incompleteness_stands_before_all_findings(sick: Summary) -> None:
    text = shown(sick)
    assert text.index("audit-incomplete") < text.index("Checklist") < text.index("The worst")
    assert sick.rules[0].rule == "audit-incomplete"


def test_a_site_says_nothing_to_the_terminal(sick: Summary) -> None:
    assert "\x1b" not in shown(sick)
    assert "\\x1b[31mred" in shown(sick)


def test_exit_codes(healthy: Summary, sick: Summary) -> None:
    assert exit_code(sick, "never") == 3
    assert exit_code(sick, "error") == 1
    assert exit_code(replace(healthy, readable=False), "error") == 4
    assert exit_code(replace(sick, unchecked={}, severities={"warning": 1}), "error") == 0
    assert exit_code(replace(sick, unchecked={}, severities={"warning": 1}), "warning") == 1
    assert exit_code(replace(sick, unchecked={}, severities={"notice": 1}), "warning") == 0


def test_a_run_without_a_map_says_where_it_looked() -> None:
    text = shown(summary_of({"robots_files": [ROBOTS | {"state": "missing", "status": 404}]}))
    assert "No sitemap lists a URL" in text
    assert "https://shop.example/robots.txt: 404" in text


def test_the_json_has_what_scripts_read(sick: Summary) -> None:
    data = sick.to_json()
    assert set(data) >= {
        "run",
        "totals",
        "verdicts",
        "statuses",
        "findings",
        "checklist",
        "sitemaps",
        "hosts",
    }
    assert data["totals"]["listed"] == 4
    assert data["findings"]["url-client-error"] == {
        "severity": "error", "count": 1, "unjudged": 2,
        "unjudged_reasons": {"never_tried": 1, "out_of_scope": 1}, "unjudged_targets": {},
    }  # fmt: skip
    assert len(data["checklist"]) == 10
    assert data["statuses"] == {"200": 1, "404": 1}
