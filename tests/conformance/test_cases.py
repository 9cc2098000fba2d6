"""The shared case files, scored by the shared script, where the checkout stands beside them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sitemap_audit.facts import ErrorClass
from sitemap_audit.formats.dates import parse_http_date, parse_rfc822, parse_rfc3339, parse_w3c
from sitemap_audit.formats.hreflang import parse_hreflang
from sitemap_audit.formats.robots import read_robots
from sitemap_audit.formats.robots_policy import Outage, effect_of, state_of

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
CASES = SHARED / "cases"
RUNNER = SHARED / "accept" / "run_cases.py"

pytestmark = pytest.mark.skipif(
    not RUNNER.is_file(), reason="the shared cases do not lie beside this checkout"
)


def read_cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / name).read_text("utf-8").splitlines() if line.strip()]


@pytest.mark.parametrize(
    ("file", "function", "options"),
    [
        ("robots_cases.jsonl", "robots_allowed", ()),
        ("robots_cases.jsonl", "robots_allowed", ("--robots-mode", "rfc")),
        ("robots_sitemap_cases.jsonl", "sitemaps_in_robots", ()),
        ("datetime_cases.jsonl", "parse_datetime", ()),
        ("hreflang_cases.jsonl", "hreflang", ()),
        ("robots_meta_cases.jsonl", "robots_directives", ()),
        ("canonical_cases.jsonl", "canonical", ()),
    ],
)
def test_every_case(file: str, function: str, options: tuple[str, ...]) -> None:
    command = [
        sys.executable,
        str(RUNNER),
        str(CASES / file),
        "--adapter",
        f"tests.conformance.adapter:{function}",
    ]
    done = subprocess.run(
        [*command, *options], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.fullmatch(r"score: (\d+) of \1", done.stdout.splitlines()[-1]), done.stdout
    assert not re.search(r"^skip ", done.stdout, re.MULTILINE), done.stdout


def test_dates_in_all_fields() -> None:
    parsers = {
        "w3c": parse_w3c,
        "rfc3339": parse_rfc3339,
        "rfc822": parse_rfc822,
        "http-date": parse_http_date,
    }
    for case in read_cases("datetime_cases.jsonl"):
        read = parsers[case["format"]](case["value"])
        lenient = read.lenient_utc and read.lenient_utc.strftime("%Y-%m-%dT%H:%M:%SZ")
        assert (read.precision, lenient) == (case.get("precision"), case.get("lenient_utc")), case["id"]
        if read.utc is None:
            assert read.issue == case["error"], case["id"]


def test_hreflang_codes_in_all_fields() -> None:
    for case in read_cases("hreflang_cases.jsonl"):
        read = parse_hreflang(case["value"])
        assert (read.issue or "ok", read.suspicious) == (case["reason"], "suspicious" in case), case["id"]


def answer(condition: dict[str, Any]) -> tuple[int | None, ErrorClass | None, str | None, bool]:
    """Status, error, redirect problem and "is it a page" of an answer that a case describes in words."""
    if "error" in condition:
        return None, ErrorClass.CONNECT, None, False
    page = (
        "HTML" in str(condition.get("body", "")) + str(condition.get("target", "")) or "redirect" in condition
    )
    status = condition.get("status", 200)
    if isinstance(status, int):
        return status, None, None, page
    if condition.get("loop") or str(condition.get("hops", "")).startswith(">"):
        return 302, None, "loop" if condition.get("loop") else "too_long", False
    return 200, None, None, page


AGES = {"< 12 h": 3_600.0, "> 30 days": 31 * 86_400.0}


def test_answers_of_robots_txt() -> None:
    told = 0
    for case in read_cases("robots_fetch_behaviour.jsonl"):
        if case["state"] is None:
            continue
        status, error, redirect_problem, page = answer(case["condition"])
        state = state_of(status, error, redirect_problem, page)
        age = AGES.get(case["condition"].get("age", "< 12 h"))
        assert age is not None, f"{case['id']}: an age that this test cannot read"
        outage = Outage(age_s=age, last_good=read_robots(b"") if "copy" in case["condition"] else None)
        effects = [effect_of(state, mode, status=status, outage=outage) for mode in ("google", "rfc")]
        assert [state, *effects] == [case["state"], case["google_effect"], case["rfc_effect"]], case["id"]
        told += 1
    assert told > 15
