"""Writes docs/rules.md from the rules, or checks that it is up to date.

    python -m sitemap_audit.rules.generate_docs            write
    python -m sitemap_audit.rules.generate_docs --check    exit 1 when the file differs from the rules

The page is made from the records alone: what a rule says stands in its own file.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import orjson

from sitemap_audit.rules.catalogue import AREAS, all_rules
from sitemap_audit.rules.rule import Fires, Row, Rule, need_words
from sitemap_audit.rules.sources import SOURCES
from sitemap_audit.rules.thresholds import THRESHOLDS

PAGE: Final = Path("docs/rules.md")

_HEAD: Final = """\
<!-- Written by `python -m sitemap_audit.rules.generate_docs`; change the rules, not this file. -->

# Rules

What `sitemap-audit` judges. Each rule is one file below `sitemap_audit/rules/`; this page and
`sitemap-audit explain RULE` show what stands there. A URL that lacks what a rule needs is *not judged*,
and counted with the reason: silence is not health.

Severity: **error**, search engines drop or misread what the map lists; **warning**, they may; **notice**,
good to know. Confidence: *sure*, seen directly; *likely*, a strong sign; *possible*, worth a look. A finding
may carry less than the rule's own, where the rule says so.
"""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _index(rules: Sequence[Rule]) -> Iterator[str]:
    yield "| rule | severity | what it says |"
    yield "|---|---|---|"
    for rule in rules:
        yield f"| [{rule.id}](#{rule.id}) | {rule.severity} | {_cell(rule.title)} |"


def _row(row: Row) -> str:
    return orjson.dumps(dict(row)).decode()


def _facts(facts: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    for table, rows in facts.items():
        shown = list(rows[:3])
        for row in shown:
            yield f"{table} {_row(row)}"
        if len(rows) > len(shown):
            yield f"{table} … {len(rows) - len(shown)} more like these"
    if not facts:
        yield "(nothing)"


def _example(case: Fires) -> Iterator[str]:
    yield f"Fires: {case.title}"
    yield ""
    yield "```"
    yield from _facts(case.facts)
    yield f"→ {_row(case.finds)}"
    yield "```"
    yield ""


def _needs(rule: Rule) -> str:
    parts = []
    if rule.needs:
        parts.append("of the URL: " + need_words(rule.needs))
    if rule.target_needs:
        parts.append("of the target: " + ", ".join(sorted(rule.target_needs)))
    if rule.lacks is not None:
        parts.append("and what its own query of unjudged URLs names")
    return "; ".join(parts) or "nothing about single URLs"


def _sql(text: str) -> str:
    return textwrap.dedent(text.strip("\n")).rstrip()


def _section(rule: Rule) -> Iterator[str]:
    yield f"### {rule.id}"
    yield ""
    place = f", number {rule.rank} of the thirty that matter most" if rule.rank is not None else ""
    yield f"**{rule.title}** ({rule.severity}, {rule.confidence}{place})"
    yield ""
    if rule.off:
        yield f'Off unless the configuration asks for it: `[rules.severity]` with `{rule.id} = "{rule.severity}"`.'
        yield ""
    yield rule.why
    yield ""
    yield f"*Fix:* {rule.fix}"
    yield ""
    yield f"*Must have been seen:* {_needs(rule)}."
    yield ""
    yield "*Sources:* " + "; ".join(f"[{s.id}](#sources) ({s.section})" for s in rule.source) + "."
    yield ""
    if rule.known_as:
        yield "*Known as:* " + "; ".join(rule.known_as) + "."
        yield ""
    yield "<details><summary>SQL and examples</summary>"
    yield ""
    for name, sql in (("targets", rule.targets), ("not judged", rule.lacks), ("findings", rule.sql)):
        if sql is not None:
            yield "```sql"
            yield f"-- {name}"
            yield _sql(sql)
            yield "```"
            yield ""
    for case in rule.fires:
        yield from _example(case)
    yield "Near misses, silent (their facts stand in the rule's file):"
    yield ""
    for miss in rule.passes:
        yield f"- {miss.title}"
    yield ""
    yield "</details>"
    yield ""


def _thresholds() -> Iterator[str]:
    yield "## Thresholds"
    yield ""
    yield "Columns of the table `settings`; `[rules.thresholds]` of the configuration changes them."
    yield ""
    yield "| name | value | unit | what it bounds |"
    yield "|---|---|---|---|"
    for name, threshold in THRESHOLDS.items():
        value = threshold.value
        shown = " to ".join(str(part) for part in value) if isinstance(value, tuple) else str(value)
        yield f"| {name} | {shown} | {threshold.unit} | {_cell(threshold.note)} |"
    yield ""


def _sources() -> Iterator[str]:
    yield "## Sources"
    yield ""
    yield "| id | title | how far it was read |"
    yield "|---|---|---|"
    for name, reference in SOURCES.items():
        title = _cell(reference.title)
        shown = title if reference.url is None else f"[{title}]({reference.url})"
        yield f"| {name} | {shown} | {_cell(reference.read)} |"


def _lines() -> Iterator[str]:
    yield _HEAD
    for area, about in AREAS.items():
        rules = [rule for rule in all_rules() if rule.area == area]
        if rules:
            yield f"## {area}: {about}"
            yield ""
            yield from _index(rules)
            yield ""
            for rule in rules:
                yield from _section(rule)
    yield from _thresholds()
    yield from _sources()


def render() -> str:
    """The whole page as Markdown, ending in one line break; the same for the same rules."""
    return "\n".join(_lines()).rstrip("\n") + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, or compare it. Returns the exit code: 1 when --check finds a difference."""
    parser = argparse.ArgumentParser(prog="python -m sitemap_audit.rules.generate_docs", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="compare only; exit 1 when the page is out of date"
    )
    parser.add_argument("--page", type=Path, default=PAGE, help="the file (default: %(default)s)")
    options = parser.parse_args(arguments)
    page: Path = options.page
    text = render()
    if not options.check:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8", newline="\n")
        return 0
    if page.is_file() and page.read_text(encoding="utf-8") == text:
        return 0
    print(
        f"{page} is not what the rules say: run python -m sitemap_audit.rules.generate_docs", file=sys.stderr
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
