"""docs/rules.md says what the rules say."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitemap_audit.rules import all_rules
from sitemap_audit.rules.generate_docs import main, render

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == render()


def test_every_rule_has_its_section() -> None:
    text = render()
    for rule in all_rules():
        assert f"\n### {rule.id}\n" in text
        assert rule.why in text


def test_write_and_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "docs" / "rules.md"
    assert main(["--check", "--page", str(page)]) == 1
    assert "generate_docs" in capsys.readouterr().err
    assert main(["--page", str(page)]) == 0
    assert main(["--check", "--page", str(page)]) == 0
    page.write_text(page.read_text(encoding="utf-8") + "by hand\n", encoding="utf-8")
    assert main(["--check", "--page", str(page)]) == 1
