"""From the fact about a robots.txt back to a text that reads the same: the copy that an earlier run kept.

A fact holds every rule, agent, sitemap and known field with its line, so the text below gives the same verdicts
by the same lines in both modes; comments and what nobody understands are gone.
"""

from __future__ import annotations

from typing import Final

from sitemap_audit.facts import RobotsFile
from sitemap_audit.formats.robots import SPELLINGS
from sitemap_audit.settings import ROBOTS_MAX_BYTES

_CLIPPED: Final = 200
"""A text of a fact that is as long may have been cut (docs/facts.md, typos)."""
_BREAKS: Final = str.maketrans({"\n": " ", "\r": " ", "\0": " ", "#": " "})
"""No value that the reader gave holds these; what is written here is never more lines than it seems."""


def body_of(file: RobotsFile) -> bytes:
    """A robots.txt with the groups, rules and fields of the fact on the lines where they stood."""
    lines: dict[int, str] = {}
    for rule in file.rules:
        lines[rule.line] = f"{rule.field}: {rule.path}"
    for known in file.unsupported:
        lines[known.line] = f"{known.field}: {known.value}"
    for sitemap in file.sitemaps:
        lines[sitemap.line] = f"sitemap: {sitemap.raw}"
    # As it was written, if it is whole: whether RFC 9309 reads a line depends on its spelling.
    spelt = {typo.line: typo.text for typo in file.typos if len(typo.text) < _CLIPPED}
    lines |= spelt
    agents = {line: value for line, text in spelt.items() if (value := _agent(text)) is not None}
    unknown = {line.line for line in file.unknown_lines}
    first_rules = sorted({rule.group_line for rule in file.rules} | {group.line for group in file.groups})
    for group in file.groups:
        end = next((line for line in first_rules if line > group.line), 1 << 62)
        misspelt = [value for line, value in agents.items() if group.line <= line < end]
        at = group.line
        for agent in group.agents:
            if agent in misspelt:
                misspelt.remove(agent)
                continue
            while at in lines or at in unknown:
                at += 1
            lines[at] = f"user-agent: {agent}"
    return _written(lines, latin=not file.encoding_ok)


def _agent(text: str) -> str | None:
    """The value of a misspelt agent line; None for any other line."""
    key, colon, value = text.partition(":")
    if not colon:
        key, _, value = text.replace("\t", " ").partition(" ")
    return value.strip() if key.strip().lower().startswith(SPELLINGS["user-agent"]) else None


def _written(lines: dict[int, str], *, latin: bool) -> bytes:
    out: list[bytes] = []
    size = 0
    for number in range(1, max(lines, default=0) + 1):
        text = lines.get(number, "").translate(_BREAKS)
        try:
            # The reader shows bytes that are not UTF-8 as Latin-1.
            line = text.encode("latin-1" if latin else "utf-8")
        except UnicodeEncodeError:
            line = text.encode("utf-8", "replace")
        size += len(line) + 1
        if size > ROBOTS_MAX_BYTES:
            break
        out.append(line)
    return b"\n".join(out) + b"\n" if out else b""
