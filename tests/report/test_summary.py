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
    "usable": 2,
    "lastmod_present": 2,
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


def checklist_of(pages: Sequence[Mapping[str, Any]], **more: Any) -> dict[str, tuple[str, str]]:
    """Question → answer and evidence, of ten listed URLs with these pages."""
    urls = [f"{HOME}{n}" for n in range(10)]
    facts: dict[str, Any] = {
        "robots_files": [ROBOTS],
        "sitemap_files": [FILE],
        "entries": [entry(url, n) for n, url in enumerate(urls, 3)],
        "pages": [page(url, **answer) for url, answer in zip(urls, pages, strict=True)],
    }
    return {a.question: (a.answer, a.evidence) for a in summary_of(facts | more).checklist}


GONE: Final = {"status": 404, "first_status": 404, "canonical_state": None, "noindex": None}
UNKNOWN_RULES: Final = {"allowed": None, "robots_state": "server_error", "state": "unchecked", "reason": "robots_paused",
                        "status": None, "first_status": None, "canonical_state": None}  # fmt: skip
LOST: Final = {"status": None, "first_status": None, "canonical_state": None, "error_class": "timeout"}


@pytest.mark.parametrize(
    ("answer", "open_questions"),
    [
        (GONE, {"canonical and sitemap name the same URLs", "hreflang relations are right",
                "the sitemap holds only full, preferred URLs"}),
        (LOST, {"canonical and sitemap name the same URLs", "hreflang relations are right",
                "the sitemap holds only full, preferred URLs"}),
        (UNKNOWN_RULES, {"canonical and sitemap name the same URLs", "hreflang relations are right",
                         "the sitemap holds only full, preferred URLs", "no important URL is blocked by accident",
                         "its rules cover the right protocol, host and port",
                         "pages with noindex stay open to the crawler"}),
    ],
    ids=["404", "no answer", "robots.txt fails"],
)  # fmt: skip
def test_what_could_hardly_be_read_is_no_yes(answer: Mapping[str, Any], open_questions: set[str]) -> None:
    asked = checklist_of([{}] * 3 + [answer] * 7)
    for question in open_questions:
        assert asked[question][0] == "unknown", question
        assert asked[question][1] == "could not be judged: 3 of 10 listed URLs could be read", question


def test_a_yes_says_how_many_were_read() -> None:
    asked = checklist_of([{}] * 8 + [GONE] * 2)
    assert asked["canonical and sitemap name the same URLs"] == (
        "yes",
        "0 of 8 listed URLs that could be read, of 10",
    )
    assert asked["no important URL is blocked by accident"] == ("yes", "0 of 10 listed URLs")


def test_a_page_that_is_gone_was_not_judged_for_hreflang() -> None:
    """Neither the one that is gone nor the one that names it as its version."""
    names = {"from_key": HOME + "0", "source": "html", "code_raw": "de", "code": "de", "in_head": True}
    urls = [HOME + "0", HOME + "9"]
    facts: dict[str, Any] = {
        "robots_files": [ROBOTS],
        "sitemap_files": [FILE],
        "entries": [entry(url, n) for n, url in enumerate(urls, 3)],
        "pages": [page(urls[0]), page(urls[1], **GONE)],
        "alternates": [names | {"href_raw": url, "href": url, "href_key": url} for url in urls],
    }
    with audit(facts) as run:
        counted = dict(
            run.rows("SELECT rule, n FROM unjudged WHERE reason = 'no_page' AND rule LIKE 'hreflang-no-%'")
        )
    assert (counted["hreflang-no-return"], counted["hreflang-no-self"]) == (2, 1)
    question = {a.question: a for a in summary_of(facts).checklist}["hreflang relations are right"]
    assert (question.answer, question.evidence) == ("unknown", "not all could be judged: no_page 3")


def test_files_that_could_not_be_read_keep_to_no_limit() -> None:
    files = [FILE] + [
        FILE | {"url": f"{MAP}?{n}", "url_key": f"{MAP}?{n}", "state": "failed", "status": 503}
        for n in (1, 2)
    ]
    question = "each file keeps to 50,000 URLs and 50 MB"
    asked = checklist_of([{}] * 10, sitemap_files=files)
    assert asked[question] == ("unknown", "could not be judged: 1 of 3 sitemap files could be read")
    assert checklist_of([{}] * 10)[question] == ("yes", "0 of 1 sitemap files")


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
