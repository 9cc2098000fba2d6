"""`sitemap-audit rules`: the catalogue."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import orjson
import typer


def rules(
    format_: Annotated[
        Literal["table", "json"], typer.Option("--format", help="How the list is written.")
    ] = "table",
) -> None:
    """List every rule: severity, id, and what it tells the site owner."""
    from sitemap_audit.rules.catalogue import all_rules

    found = all_rules()
    if format_ == "json":
        rows = [
            {
                "id": r.id,
                "severity": r.severity,
                "area": r.area,
                "title": r.title,
                "why": r.why,
                "fix": r.fix,
                "needs": sorted(r.needs),
                "tier": r.tier,
            }
            for r in found
        ]
        sys.stdout.write(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode() + "\n")
        return
    for rule in found:
        print(f"{rule.severity:<8} {rule.id:<28} {rule.title}")
    print(
        f"\n{len(found)} rules; `sitemap-audit explain RULE` tells why, how to mend it, and how it is judged"
    )
