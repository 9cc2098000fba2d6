"""`sitemap-audit explain RULE`: why a rule exists, how to mend what it finds, and how it is judged."""

from __future__ import annotations

import sys
import textwrap
from typing import Annotated, Any, Literal

import orjson
import typer

WIDTH = 96


def explain(
    rule: Annotated[str, typer.Argument(metavar="RULE", help="The id of a rule, for example url-redirects.")],
    format_: Annotated[Literal["text", "json"], typer.Option("--format", help="How it is written.")] = "text",
) -> None:
    """Explain one rule: what it means, the mend, its sources, its SQL and its examples."""
    from sitemap_audit.rules.catalogue import load
    from sitemap_audit.rules.rule import need_words
    from sitemap_audit.rules.sources import SOURCES

    found = load(rule)
    if format_ == "json":
        data: dict[str, Any] = {
            "id": found.id,
            "severity": found.severity,
            "area": found.area,
            "title": found.title,
            "why": found.why,
            "fix": found.fix,
            "needs": sorted(found.needs),
            "tier": found.tier,
            "sources": [{"id": s.id, "section": s.section} for s in found.source],
            "sql": textwrap.dedent(found.sql).strip(),
            "fires": [c.title for c in found.fires],
            "passes": [c.title for c in found.passes],
        }
        sys.stdout.write(orjson.dumps(data, option=orjson.OPT_INDENT_2).decode() + "\n")
        return
    print(f"{found.id} ({found.severity})\n{found.title}\n")
    for heading, text in (("Why", found.why), ("Fix", found.fix)):
        print(f"{heading}:\n{textwrap.fill(text, WIDTH, initial_indent='  ', subsequent_indent='  ')}\n")
    if found.known_as:
        print("Known elsewhere as:\n  " + "\n  ".join(found.known_as) + "\n")
    print("Sources:")
    for source in found.source:
        reference = SOURCES[source.id]
        print(f"  {reference.title}: {source.section}" + (f"\n    {reference.url}" if reference.url else ""))
    print()
    print("Needs to have seen: " + (need_words(found.needs) or "nothing of a page") + "\n")
    print("Fires when:\n  " + "\n  ".join(c.title for c in found.fires))
    print("Stays silent when:\n  " + "\n  ".join(c.title for c in found.passes) + "\n")
    print("Judged by:\n" + textwrap.indent(textwrap.dedent(found.sql).strip(), "  "))
