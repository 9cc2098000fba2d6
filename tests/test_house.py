"""What holds for the project as a whole: its files, its documents, its one test command."""

from __future__ import annotations

import re
import shlex
import subprocess
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml

from sitemap_audit.cli.app import COMMANDS, register
from sitemap_audit.facts import Entry, Page, RobotsFile, SitemapFile
from sitemap_audit.rules.catalogue import all_rules
from sitemap_audit.store.schema import PREVIOUS, TABLES

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
OPERATIONS = (ROOT / "docs" / "operations.md").read_text("utf-8")
CODE = [
    p
    for folder in ("sitemap_audit", "crawler", "workers", "benchmarks", "tests")
    for p in sorted((ROOT / folder).rglob("*.py"))
]
TEST_COMMAND = (
    "python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' && .venv/bin/python tests/check.py"
)


def shell_lines(document: str = README) -> list[str]:
    """Command lines of a document's fenced blocks."""
    blocks = re.findall(r"```sh\n(.*?)```", document, re.DOTALL)
    return [line.split("  #")[0].strip() for block in blocks for line in block.splitlines() if line.strip()]


def test_the_test_command_is_one_everywhere() -> None:
    assert TEST_COMMAND in shell_lines()
    assert TEST_COMMAND in (ROOT / ".ci" / "run").read_text("utf-8")
    assert TEST_COMMAND in (ROOT / "CONTRIBUTING.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("README.md", {"demo", "run", "worker", "resume", "robots", "explain", "doctor"}),
        ("docs/operations.md", {"run", "worker", "status"}),
    ],
)
def test_every_command_of_a_document_exists_with_its_options(name: str, named: set[str]) -> None:
    group: Any = typer.main.get_command(register())
    seen = set()
    for line in shell_lines((ROOT / name).read_text("utf-8")):
        words = shlex.split(line.split("&&")[-1], comments=True)
        if words[:2] == ["docker", "compose"]:
            words = words[words.index("audit") :] if "audit" in words else []
        if not words or not words[0].endswith(("sitemap-audit", "audit")):
            continue
        command = group.commands[words[1]]
        known = {option for p in command.params for option in p.opts}
        given = {w for w in words[2:] if w.startswith("--")}
        assert given <= known, line
        seen.add(words[1])
    assert named <= seen


def test_the_metrics_that_operations_names_exist() -> None:
    """Every sitemap_audit_… of the example rules is one that the code makes."""
    rules = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", OPERATIONS, re.DOTALL)[0])
    code = "".join(p.read_text("utf-8") for p in CODE if p.name == "metrics.py")
    made = set(re.findall(r'"([a-z][a-z_]+)"', code))
    for rule in rules["groups"][0]["rules"]:
        for name in re.findall(r"sitemap_audit_(?:worker_)?([a-z_]+)", rule["expr"]):
            assert made & {name, name.removesuffix("_total")}, name


def test_every_command_is_documented() -> None:
    page = (ROOT / "docs" / "cli.md").read_text("utf-8")
    assert all(f"## sitemap-audit {name}" in page for name in COMMANDS)


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#]+)\)", README))))
def test_links_of_the_readme_lead_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


@pytest.mark.parametrize("path", CODE, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_file_has_one_purpose(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= 400
    assert path.stem not in {"utils", "helpers", "common", "misc"}
    assert path.stat().st_size == 0 or path.read_text("utf-8").lstrip().startswith(('"""', "#!")), (
        "no docstring"
    )


@pytest.mark.parametrize("fact", [Page, Entry, SitemapFile, RobotsFile], ids=lambda f: f.__name__)
def test_every_field_of_a_fact_is_documented(fact: type) -> None:
    page = (ROOT / "docs" / "facts.md").read_text("utf-8")
    missing = [f.name for f in fields(fact) if not re.search(rf"\b{f.name}\b", page)]
    assert missing == []


def test_every_table_that_rules_read_is_documented() -> None:
    """Each table of the store has its line and its section in docs/facts.md, with every column."""
    page = (ROOT / "docs" / "facts.md").read_text("utf-8")
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL))
    views = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    (unpacked,) = re.findall(r"^\*\*What rules read\.\*\*.*$", page, re.MULTILINE)
    tables = {name: columns for name, columns in TABLES.items() if not name.startswith(PREVIOUS)}
    assert tables.keys() - views == set()
    for name, columns in tables.items():
        if name in {"settings", "index_children"}:  # one column a threshold; the shape of entries
            continue
        missing = [c for c in columns if not re.search(rf"\b{c}\b", sections[name] + unpacked)]
        assert missing == [], name
    assert sections.keys() <= tables.keys()


def test_every_rule_is_documented() -> None:
    page = (ROOT / "docs" / "rules.md").read_text("utf-8")
    assert all(rule.id in page for rule in all_rules())


def test_the_lock_names_every_dependency_and_no_host() -> None:
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    assert "://" not in lock
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = [re.split(r"[<>=\[; ]", d)[0].lower() for d in project["dependencies"]]
    locked = {
        line.split("==")[0].lower() for line in lock.splitlines() if "==" in line and not line.startswith(" ")
    }
    assert set(names) <= locked
    for line in lock.splitlines():
        if "==" in line and not line.startswith(" "):
            assert line.rstrip().endswith("\\"), f"without hashes: {line}"


def test_no_path_of_one_machine_stands_in_tracked_files() -> None:
    found = subprocess.run(
        ["git", "grep", "-nIE", r"(^|[^A-Za-z0-9_.])/(work|farm)/", "--", ".", ":!*.lock", ":!tests/test_house.py"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode in (1, 128), found.stdout


def test_compose_publishes_no_port_and_keeps_the_queue() -> None:
    text = (ROOT / "docker-compose.yml").read_text("utf-8")
    assert not re.search(r"^\s*ports:", text, re.MULTILINE)
    assert "noeviction" in text
    assert "requirepass" in text
    assert "stop_grace_period" in text
