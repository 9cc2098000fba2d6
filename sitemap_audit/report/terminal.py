"""The summary on stdout: what is incomplete, the ten answers, the three worst things, verdicts, findings.

The lines say the same in a pipe as on a terminal; colour is for terminals alone. Everything that came from
a site goes through the escaper.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, TextIO

from rich.console import Console
from rich.text import Text

from sitemap_audit.formats.escape import visible
from sitemap_audit.report.summary import RuleCount, Summary

WIDTH: Final = 110
WORST: Final = 3
MARKS: Final = {"yes": ("yes    ", "green"), "no": ("no     ", "red"), "unknown": ("unknown", "yellow")}
COLOURS: Final = {"error": "red", "warning": "yellow", "notice": "cyan"}
VERDICT_WORDS: Final = {
    "indexable": "can be indexed",
    "redirect": "redirect",
    "client_error": "do not exist (4xx)",
    "server_error": "fail (5xx)",
    "unreachable": "cannot be reached",
    "blocked": "blocked by robots.txt",
    "noindex": "forbid indexing (noindex)",
    "canonicalised": "name another canonical",
    "duplicate": "repeat another page",
    "soft_404": "look like an error page",
    "not_a_document": "are no documents",
    "unknown": "are not known",
}


def render(summary: Summary, written: Sequence[Path], out: TextIO) -> None:
    """Print the whole summary."""
    console = Console(
        file=out, width=max(WIDTH, 40) if not out.isatty() else None, highlight=False, soft_wrap=True
    )
    for line in lines(summary, written):
        console.print(line)


def _heading(text: str) -> Text:
    return Text(text, style="bold")


def lines(summary: Summary, written: Sequence[Path]) -> list[Text]:
    """The summary line by line."""
    sites = ", ".join(visible(s, 80) for s in summary.sites)
    out = [
        Text(),
        _heading(f"Audit of {sites}"),
        Text(
            f"  {summary.started_at}, for {summary.verdict_bot}, depth {summary.depth}"
            + (f", {summary.state}" if summary.state != "done" else "")
        ),
        Text("  " + reconciliation(summary)),
    ]
    out += [Text(f"  {hint}", style="dim") for hint in _hints(summary)]
    if not summary.listed:
        out += _nothing(summary)
    out += _incomplete(summary)
    out += [Text(), _heading("Checklist")]
    for answer in summary.checklist:
        word, colour = MARKS[answer.answer]
        out.append(
            Text.assemble(
                "  ", (word, colour), f"  {answer.question:<50} ", (visible(answer.evidence, 90), "dim")
            )
        )
    findings = [r for r in summary.rules if r.count]
    out += _worst([r for r in findings if r.rule != "audit-incomplete"])
    if summary.verdicts:
        out += [Text(), _heading(f"Verdicts of the {summary.listed:,} listed URLs")]
        for verdict, n in summary.verdicts.items():
            share = n / summary.listed if summary.listed else 0
            out.append(Text(f"  {n:>9,}  {share:>6.1%}  {verdict:<15} {VERDICT_WORDS.get(verdict, '')}"))
    out += _bots(summary)
    out += _findings(findings, summary)
    out += _unjudged(summary)
    out += [Text(), _heading("Written")]
    out += [Text(f"  {path}") for path in written]
    return out


def reconciliation(summary: Summary) -> str:
    """listed = checked + skipped (reasons) + unchecked (reasons)."""
    parts = [f"checked {summary.checked:,}"]
    for name, reasons in (("skipped", summary.skipped), ("unchecked", summary.unchecked)):
        if reasons:
            said = ", ".join(f"{reason} {n:,}" for reason, n in reasons.items())
            parts.append(f"{name} {sum(reasons.values()):,} ({said})")
        else:
            parts.append(f"{name} 0")
    further = f"; {summary.further:,} further URLs checked that these pages name" if summary.further else ""
    return f"listed {summary.listed:,} = {' + '.join(parts)}{further}"


def _hints(summary: Summary) -> list[str]:
    """What would let us see more."""
    hints = []
    if n := summary.skipped.get("robots"):
        hints.append(
            f"robots.txt keeps {summary.verdict_bot} out, and so us ({n:,} URLs not fetched): with the owner's leave, "
            "--inspect-blocked reads them, and whether they carry a noindex that nobody can see"
        )
    if n := summary.skipped.get("own_agent"):
        hints.append(
            f"robots.txt lets {summary.verdict_bot} in, but not sitemap-audit ({n:,} URLs): with the owner's leave, "
            "--inspect-blocked checks them"
        )
    if n := summary.skipped.get("out_of_scope"):
        hints.append(f"on other hosts, and so not asked: {n:,}; --scope HOST checks them too")
    if n := summary.unchecked.get("rate_limited"):
        hints.append(f"turned away with 429 or 503: {n:,}; a lower --rate may let us in")
    return hints


def _nothing(summary: Summary) -> list[Text]:
    if not summary.looked:
        return []
    shown = list(summary.looked[:20])
    more = len(summary.looked) - len(shown)
    return [
        Text(),
        _heading("No sitemap lists a URL. Looked at:"),
        *(Text(f"  {visible(place, 100)}") for place in shown),
    ] + ([Text(f"  and {more} more places")] if more > 0 else [])


def _incomplete(summary: Summary) -> list[Text]:
    found = next((r for r in summary.rules if r.rule == "audit-incomplete" and r.count), None)
    if found is None:
        return []
    return [
        Text(),
        Text.assemble(
            (f"{found.severity}  ", COLOURS[found.severity]),
            f"audit-incomplete: {found.title}. {visible(found.example or '', 200)}",
        ),
    ]


def _worst(findings: list[RuleCount]) -> list[Text]:
    worst = [r for r in findings if r.severity in ("error", "warning")][:WORST]
    if not worst:
        return []
    out: list[Text] = [Text(), _heading("The worst")]
    for number, rule in enumerate(worst, 1):
        out.append(
            Text.assemble(f"  {number}. ", (f"{rule.title}", "bold"), f" ({rule.rule}, {rule.count:,})")
        )
        if rule.example:
            out.append(Text(f"     e.g. {visible(rule.example, 160)}", style="dim"))
    return out


def _bots(summary: Summary) -> list[Text]:
    """Who may fetch what; nothing to say where robots.txt treats all bots alike and blocks nobody."""
    if not any(blocked for _, _, blocked, _ in summary.bots):
        return []
    alike: dict[tuple[int, int, int], list[str]] = {}
    for bot, allowed, blocked, unknown in summary.bots:
        alike.setdefault((allowed, blocked, unknown), []).append(bot)
    out = [Text(), _heading("robots.txt, by bot"), Text("    allowed   blocked   unknown  bots")]
    out += [Text(f"  {a:>9,} {b:>9,} {u:>9,}  {', '.join(bots)}") for (a, b, u), bots in alike.items()]
    return out


def _findings(findings: list[RuleCount], summary: Summary) -> list[Text]:
    total = sum(summary.severities.values())
    if not total:
        return [Text(), _heading("Findings: none")]
    said = summary.severity_words()
    out: list[Text] = [Text(), _heading(f"Findings: {said}")]
    for rule in findings:
        where = ""
        if rule.sitemaps > 1 and rule.worst_sitemap:
            where = f"   worst: {visible(rule.worst_sitemap, 70)} ({rule.worst_count:,})"
        out.append(
            Text.assemble(
                "  ",
                (f"{rule.severity:<8}", COLOURS[rule.severity]),
                f"{rule.count:>8,}  {rule.rule:<27} {rule.title}",
                (where, "dim"),
            )
        )
    return out


def _unjudged(summary: Summary) -> list[Text]:
    gaps = [r for r in summary.rules if r.unjudged or r.unjudged_targets]
    if not gaps:
        return []
    out: list[Text] = [Text(), _heading("Could not be judged")]
    grouped: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for rule in gaps:
        both = dict(rule.unjudged)
        for reason, n in rule.unjudged_targets.items():
            both[f"target {reason}"] = n
        grouped.setdefault(tuple(both.items()), []).append(rule.rule)
    for reasons, rules in grouped.items():
        said = ", ".join(f"{reason} {n:,}" for reason, n in reasons)
        names = ", ".join(rules[:6]) + (f" and {len(rules) - 6} more" if len(rules) > 6 else "")
        out.append(Text(f"  {said}: {names}", style="dim"))
    if any({"blocked_page", "robots", "own_agent"} & r.unjudged.keys() for r in gaps):
        out.append(Text("  --inspect-blocked reads the pages that robots.txt blocks", style="dim"))
    return out
