"""The rules against the design's catalogue, where it lies beside the checkout."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from sitemap_audit.rules import AREAS, Tier, all_rules
from sitemap_audit.rules.sources import SOURCES
from sitemap_audit.rules.thresholds import THRESHOLDS

CATALOGUE = Path(__file__).parents[2].parent / "shared" / "rules" / "rules.yaml"
LATER_STEPS = {19, 28}
"""Ranks that need an earlier run."""

pytestmark = pytest.mark.skipif(
    not CATALOGUE.is_file(), reason="the design papers do not lie beside the checkout"
)


@pytest.fixture(scope="module")
def paper() -> Any:
    yaml = pytest.importorskip("yaml")
    return yaml.load(
        CATALOGUE.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    )


def test_each_rule_is_known_there_with_the_same_severity(paper: Any) -> None:
    known = {rule["id"]: rule for rule in paper["rules"]}
    for rule in all_rules():
        entry = known[rule.id]
        said = (entry["severity"], entry["area"], entry["tier"], entry["rank"])
        assert (rule.severity, rule.area, rule.tier, rule.rank) == said
        assert [source for source in entry["sources"] if source not in {s.id for s in rule.source}] == [
            source for source in entry["sources"] if (rule.id, source) in LEFT_OUT
        ]


LEFT_OUT = {("url-redirects", "g-canon")}
"""Sources that the design names and a rule does not cite: the sample rule of the style paper is without."""


def test_the_thirty_are_there(paper: Any) -> None:
    ranks = {rule["rank"] for rule in paper["rules"] if rule["tier"] == "top30"} - LATER_STEPS
    assert ranks <= {rule.rank for rule in all_rules() if rule.tier is Tier.TOP30}


OWN_THRESHOLDS = {"dirty_share_min", "feed_now_min_entries", "feed_news_days"}
"""Added since the paper was written."""


def test_areas_sources_and_thresholds_are_those_of_the_paper(paper: Any) -> None:
    assert dict(AREAS) == paper["areas"]
    assert set(SOURCES) == set(paper["sources"])
    for name, source in paper["sources"].items():
        assert (SOURCES[name].url, SOURCES[name].read) == (source.get("url"), source["read"])
    assert [name for name in THRESHOLDS if name not in OWN_THRESHOLDS] == list(paper["thresholds"])
    for name, threshold in paper["thresholds"].items():
        ours = THRESHOLDS[name].value
        shown = (
            ours.isoformat() if isinstance(ours, date) else list(ours) if isinstance(ours, tuple) else ours
        )
        assert (shown, THRESHOLDS[name].unit) == (threshold["value"], threshold["unit"])
        assert THRESHOLDS[name].note
