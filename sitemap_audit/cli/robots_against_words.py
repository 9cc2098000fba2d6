"""How the comparison of a draft with a run is written: counts first, then the URLs with line and rule."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TextIO

import orjson

from sitemap_audit.cli.robots_against import BLOCKED, FREED, Change, Comparison, Tally
from sitemap_audit.cli.robots_look import Look
from sitemap_audit.cli.robots_words import NOTES_MAX, notes
from sitemap_audit.facts import RobotsVerdict
from sitemap_audit.formats.escape import visible
from sitemap_audit.report.csv_files import safe_text

CSV_COLUMNS: Final = (
    "bot", "change", "url", "draft_line", "draft_rule", "run_line", "run_rule", "sitemap", "sitemap_line",
)  # fmt: skip


def write(result: Comparison, look: Look, run: Path, format_: str, out: TextIO) -> None:
    """Print the comparison as text, json or csv (one line a bot and URL)."""
    if format_ == "json":
        data = _json(result, look, run)
        out.write(orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z).decode() + "\n")
    elif format_ == "csv":
        _csv(result, out)
    else:
        out.writelines(line + "\n" for line in _text(result, look, run))


def _text(result: Comparison, look: Look, run: Path) -> Iterator[str]:
    file = result.published
    yield f"{visible(look.answered)} as {visible(look.address)}, against the run {run}"
    seen = f" on {file.fetched_at:%Y-%m-%d %H:%M} UTC" if file.fetched_at else ""
    yield (
        f"  the run saw that file{seen}: {file.status or 'no answer'} ({file.state}), {len(file.rules):,} rules; "
        f"the draft has {len(look.text.rules) if look.text else 0:,}"
    )
    yield f"  URLs listed at {visible(result.origin)}: {result.listed:,}; at other origins, not concerned: {result.elsewhere:,}"
    if look.text is not None:
        odd = list(notes(look.text))
        yield from (f"  in the draft, {visible(note, 140)}" for note in odd[:NOTES_MAX])
    yield ""
    yield "  newly blocked     freed  still blocked  still allowed   unknown  bots"
    for t in result.tallies:
        yield (
            f"  {t.blocked:>13,} {t.freed:>9,} {t.still_blocked:>14,} {t.still_allowed:>14,} {t.unknown:>9,}  "
            f"{', '.join(t.bots)}"
        )
    for tally in result.tallies:
        for kind, word in ((BLOCKED, "the draft's"), (FREED, "until now by")):
            yield from _changes(tally, kind, word)


def _changes(tally: Tally, kind: str, word: str) -> Iterator[str]:
    rules = [(key, n) for key, n in tally.by_rule.most_common() if key[0] == kind]
    if not rules:
        return
    yield ""
    yield f"{kind.capitalize()} for {', '.join(tally.bots)}: {sum(n for _, n in rules):,}"
    for (_, line, rule), n in rules:
        where = f"line {line}: {visible(rule, 80)}" if line else visible(rule, 80)
        yield f"  {word} {where} ({n:,})"
        shown = [c for c in tally.changes if c.kind == kind and c.by == (line, rule)]
        for change in shown:
            other = _rule(change.now if kind == BLOCKED else change.then)
            yield f"    {visible(change.listed.url, 140)}   {'now' if kind == BLOCKED else 'then'}: {other}"
        if n > len(shown):
            yield f"    and {n - len(shown):,} more (--all lists them)"


def _rule(verdict: RobotsVerdict) -> str:
    return f"line {verdict.line}: {visible(verdict.rule or '', 60)}" if verdict.line else "no rule decides"


def _json(result: Comparison, look: Look, run: Path) -> dict[str, Any]:
    file = result.published
    return {
        "run": str(run),
        "draft": look.answered,
        "robots_url": look.address,
        "mode": result.mode,
        "published": {
            "state": file.state, "status": file.status, "sha256": file.sha256, "rules": len(file.rules),
            "fetched_at": file.fetched_at,
        },
        "listed": result.listed,
        "elsewhere": result.elsewhere,
        "notes": list(notes(look.text)) if look.text is not None else [],
        "bots": [
            {
                "bots": list(t.bots), "newly_blocked": t.blocked, "freed": t.freed, "still_blocked": t.still_blocked,
                "still_allowed": t.still_allowed, "unknown": t.unknown,
                "changes": [_change(c) for c in t.changes],
            }
            for t in result.tallies
        ],
    }  # fmt: skip


def _change(change: Change) -> dict[str, Any]:
    return {
        "change": change.kind.replace(" ", "_"),
        "url": change.listed.url,
        "draft_line": change.then.line,
        "draft_rule": change.then.rule,
        "run_line": change.now.line,
        "run_rule": change.now.rule,
        "sitemap": change.listed.sitemap,
        "sitemap_line": change.listed.line,
    }


def _csv(result: Comparison, out: TextIO) -> None:
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(CSV_COLUMNS)
    for tally in result.tallies:
        for bot in tally.bots:
            for change in tally.changes:
                cells = _change(change)
                rows.writerow(
                    [
                        bot,
                        *(
                            "" if v is None else safe_text(v) if isinstance(v, str) else v
                            for v in cells.values()
                        ),
                    ]
                )
