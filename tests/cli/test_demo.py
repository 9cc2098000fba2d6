"""The demo is the specification of the rules in the large: each one it shows fires once on its fault, on nothing else."""

from __future__ import annotations

import pytest

from sitemap_audit.demo.site import FAULTS, OTHER, SITE
from sitemap_audit.rules.catalogue import all_rules
from sitemap_audit.rules.rule import Tier
from tests.cli.audit import Outcome, call

pytestmark = pytest.mark.xdist_group("demo")

ALSO_TRUE = {
    "robots-sitemap-other-host": "the neighbours in trouble are named by Sitemap lines of the shop",
    "audit-dirty-share": "of so few pages so many have a fault",
    "entry-duplicate-in-file": "the file with too many entries names one page, and so does the large one",
    "entry-duplicate-across-files": "files that show a fault list products again",
    "sitemap-index-lastmod": "the index dates no file",
    "lastmod-missing": "only the files about dates have some",
    "lastmod-conflict-across-files": "the files about dates date the same products in their own ways",
    "lastmod-vs-http": "one date for all products is not that of their Last-Modified",
    "feed-none": "the shop has none",
}
"""What follows from the faults that the demo shows."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    out = tmp_path_factory.mktemp("demo") / "run"
    return call("demo", "--out", str(out), out=out, timeout=120)


def test_it_ends_well_whatever_it_found(demo: Outcome) -> None:
    assert demo.code == 0, demo.stderr


def test_every_leading_rule_has_its_fault() -> None:
    assert {rule.id for rule in all_rules() if rule.tier is Tier.TOP30} <= set(FAULTS)


def test_no_rule_finds_what_is_not_there(demo: Outcome) -> None:
    assert set(demo.findings) - set(FAULTS) == set(ALSO_TRUE)


@pytest.mark.parametrize("rule", sorted(FAULTS))
def test_each_rule_fires_once_and_on_its_fault(demo: Outcome, rule: str) -> None:
    found = demo.findings.get(rule, [])
    assert len(found) == 1, found
    (finding,) = found
    if rule != "audit-incomplete":
        place = finding["url"] or finding["sitemap"] or finding["claim"]
        assert (
            FAULTS[rule] in (finding["url"], finding["sitemap"])
            or FAULTS[rule] in finding["claim"] + finding["reality"]
        ), place
    assert finding["claim"]
    assert finding["reality"]
    assert finding["fix"]


def test_healthy_pages_have_no_finding(demo: Outcome) -> None:
    faulty = set(FAULTS.values())
    for row in demo.rows("urls.csv"):
        if row["url"] in faulty or row["discovered_by"] != "sitemap":
            continue
        assert row["verdict"] == "indexable" or row["url"].startswith("http://down."), row
        assert set(filter(None, row["rules"].split(" | "))) <= set(ALSO_TRUE), row


def test_the_account_adds_up_in_every_place(demo: Outcome) -> None:
    totals = demo.summary["totals"]
    settled = totals["checked"] + sum(totals["skipped"].values()) + sum(totals["unchecked"].values())
    assert totals["listed"] == settled
    assert f"listed {totals['listed']}" in demo.stdout
    listed = [r for r in demo.rows("urls.csv") if r["sitemaps"]]
    assert len(listed) == totals["listed"]
    assert sum(demo.summary["verdicts"].values()) == totals["listed"]


def test_the_foreign_page_is_reported_and_not_asked(demo: Outcome) -> None:
    (row,) = [r for r in demo.rows("urls.csv") if r["url"] == f"http://{OTHER}/page"]
    assert (row["verdict"], row["verdict_reason"], row["status"]) == ("unknown", "out_of_scope", "")


def test_limits_are_counted_past_their_edge(demo: Outcome) -> None:
    files = {r["url"]: r for r in demo.rows("sitemaps.csv")}
    assert files[f"{SITE}/sitemap-many.xml.gz"]["entries"] == "50001"
    assert int(files[f"{SITE}/sitemap-large.xml.gz"]["bytes_xml"]) > 52_428_800
    assert files[f"{SITE}/sitemap-ampersand.xml"]["state"] == "partial"
    assert files[f"{SITE}/sitemap-ampersand.xml"]["usable"] == "2"


def test_the_ten_questions_are_answered(demo: Outcome) -> None:
    answers = [a["answer"] for a in demo.summary["checklist"]]
    assert len(answers) == 10
    assert answers[9] == "unknown"
    assert answers.count("no") >= 7
