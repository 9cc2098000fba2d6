"""Every rule's own cases, and what must hold of all rules. Nobody writes a test file for one rule."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sitemap_audit.rules as package
from sitemap_audit.errors import UsageError
from sitemap_audit.rules import AREAS, Rule, Tier, all_rules, load
from sitemap_audit.rules.catalogue import RENAMED, module_name
from sitemap_audit.rules.rule import FIX_COLUMNS, Fires, Passes
from sitemap_audit.rules.sources import SOURCES
from sitemap_audit.store.schema import TABLES

FOLDER = Path(package.__path__[0])
REQUIRED = ("rule", "subject", "claim", "reality", "severity", "confidence", "fix", "source", "finding_key")
CURES = re.compile(r"-(add|use|should|must|fix|remove|avoid|prefer|require)(-|$)", re.ASCII)

every_rule = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.id)
every_fires = pytest.mark.parametrize(
    ("rule", "case"), [pytest.param(r, c, id=f"{r.id}: {c.title}") for r in all_rules() for c in r.fires]
)
every_passes = pytest.mark.parametrize(
    ("rule", "case"), [pytest.param(r, c, id=f"{r.id}: {c.title}") for r in all_rules() for c in r.passes]
)


def nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Every object of a parsed statement."""
    if isinstance(tree, dict):
        yield tree
    for child in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from nodes(child)


@every_fires
def test_fires(bench: Any, rule: Rule, case: Fires) -> None:
    """Exactly one finding, with the values that the case names; and silence where its facts were not seen."""
    con = bench.load(case.facts, rule=rule)
    findings = bench.found([rule])
    assert len(findings) == 1, [finding["subject"] for finding in findings]
    finding = findings[0]
    assert {name: finding[name] for name in case.finds} == case.finds
    assert [name for name in REQUIRED if finding[name] is None] == []
    assert "{" not in finding["fix"]
    silence_is_not_health(bench, con, rule)


def silence_is_not_health(bench: Any, con: duckdb.DuckDBPyConnection, rule: Rule) -> None:
    """The same facts, but a needed thing was not seen: no finding about a URL, and its reason is counted."""
    wants = [("url", need) for need in rule.needs] + [("target", need) for need in rule.target_needs]
    if wants:
        con.execute("CREATE OR REPLACE TEMP TABLE kept AS FROM seen")
    for about, need in wants:
        if about == "target" and not con.execute(f"SELECT * FROM ({rule.targets}\n)").fetchall():
            continue  # the pair of this case is clear without a look at the target
        bench.again()
        con.execute("TRUNCATE seen; INSERT INTO seen FROM kept")
        con.execute(f"UPDATE seen SET {need} = false, reason = 'timeout'")
        assert [f for f in bench.found([rule]) if f["url_key"]] == []
        reasons = con.execute("SELECT DISTINCT reason FROM unjudged WHERE about = ?", [about]).fetchall()
        assert reasons in ([("timeout",)], [(str(need),)])


@every_passes
def test_near_miss(bench: Any, rule: Rule, case: Passes) -> None:
    """Looks alike, and stays silent."""
    bench.load(case.facts, rule=rule)
    assert bench.found([rule]) == []


@every_rule
def test_has_cases_and_words(rule: Rule) -> None:
    assert rule.fires
    assert rule.passes
    for words in (rule.title, rule.why, rule.fix):
        assert words == words.strip()
        assert not re.search(r"\b(invalid|error occurred|something)\b", words, re.IGNORECASE | re.ASCII)
    assert len(rule.title) <= 60
    assert rule.why.endswith(".")
    assert rule.fix.endswith(".")


@every_rule
def test_fix_names_known_columns(rule: Rule) -> None:
    assert rule.fix_columns <= set(FIX_COLUMNS)


@every_rule
def test_sources_are_known(rule: Rule) -> None:
    assert rule.source
    assert [source.id for source in rule.source if source.id not in SOURCES] == []
    assert all(source.section for source in rule.source)


@every_rule
def test_stands_where_its_id_says(rule: Rule) -> None:
    path = FOLDER / rule.area / f"{rule.id.replace('-', '_')}.py"
    assert path.is_file()
    assert module_name(rule) == f"sitemap_audit.rules.{rule.area}.{path.stem}"
    assert rule.area in AREAS
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@every_rule
def test_names_the_defect(rule: Rule) -> None:
    assert not CURES.search(rule.id)
    assert load(rule.id) is rule


@every_rule
def test_reads_only_known_tables(bench: Any, rule: Rule) -> None:
    """The tables of docs/facts.md, and `targets`; no function that reads a file."""
    con = bench.load({})
    for sql in (rule.sql, rule.targets, rule.lacks):
        if sql is None:
            continue
        (text,) = con.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
        read, made, called = set(), set(), set()
        for node in nodes(json.loads(text)):
            if node.get("type") == "BASE_TABLE":
                read.add(node["table_name"])
            if node.get("type") == "TABLE_FUNCTION":
                called.add(node["function"]["function_name"])
            if "cte_map" in node:
                made |= {cte["key"] for cte in node["cte_map"]["map"]}
        assert read
        assert read - made <= {*TABLES, "targets"}
        assert called <= {"unnest"}


@every_rule
def test_holds_no_number_of_the_thresholds(rule: Rule) -> None:
    """Bounds come from `settings`: no large or fractional number stands in the SQL."""
    assert re.findall(r"(?<![\w'.])(?:\d{4,}|0\.\d+)(?![\w'])", rule.sql) == []


def test_ids_are_unique_and_sorted() -> None:
    ids = [rule.id for rule in all_rules()]
    assert len(ids) == len(set(ids))
    order = list(AREAS)
    assert [(order.index(r.area), r.id) for r in all_rules()] == sorted(
        (order.index(r.area), r.id) for r in all_rules()
    )


def test_ranks_are_unique() -> None:
    ranks = [rule.rank for rule in all_rules() if rule.tier is Tier.TOP30]
    assert len(ranks) == len(set(ranks))


def test_renamed_ids_lead_somewhere() -> None:
    assert [load(old).id for old in RENAMED] == list(RENAMED.values())


def test_an_unknown_id_is_answered_with_its_neighbours() -> None:
    with pytest.raises(UsageError, match="did you mean url-redirects"):
        load("url-redirect")


def test_every_file_of_the_folder_is_a_rule() -> None:
    files = [path for area in AREAS for path in (FOLDER / area).glob("*.py") if path.stem != "__init__"]
    assert len(files) == len(all_rules())


def test_all_rules_at_once_on_empty_tables(bench: Any) -> None:
    bench.load({})
    assert bench.found(all_rules()) == []


def test_the_sql_is_one_select(bench: Any) -> None:
    con: duckdb.DuckDBPyConnection = bench.load({})
    for rule in all_rules():
        statements = con.extract_statements(rule.sql)
        assert [statement.type for statement in statements] == [duckdb.StatementType.SELECT]
