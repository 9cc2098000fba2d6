"""docs/cli.md and docs/settings.md from the code: `python -m sitemap_audit.cli.generate_docs [--check]`.

A document that can be derived is derived; the test command checks that it is fresh.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any, Final, get_args

from sitemap_audit import settings
from sitemap_audit.cli.app import register

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
HEAD: Final = "<!-- Made by `python -m sitemap_audit.cli.generate_docs`; edit the code, not this file. -->\n"


def cli_page() -> str:
    """Every command with its arguments and options."""
    import typer.main

    group: Any = typer.main.get_command(register())
    out = [HEAD, "# Commands\n"]
    for name, command in group.commands.items():
        out.append(f"## sitemap-audit {name}\n\n{_clean(command.help)}\n")
        rows = [_row(p) for p in command.params if p.name != "help"]
        out.append("| option | meaning | default |\n|---|---|---|\n" + "\n".join(rows) + "\n")
    return "\n".join(out)


def _clean(text: str | None) -> str:
    return "\n".join(line.strip() for line in (text or "").strip().splitlines())


def _row(parameter: Any) -> str:
    help_text = (parameter.help or "").split("  [default:")
    default = ""
    if len(help_text) > 1:
        default = help_text[1].strip(" ]")
    elif parameter.default not in (None, False, (), []) and not callable(parameter.default):
        default = str(parameter.default)
    shown = parameter.metavar or ""
    name = ", ".join(f"`{o}`" for o in parameter.opts) if parameter.param_type_name == "option" else ""
    choices = get_args(parameter.type_descriptor.annotation)
    if choices and all(isinstance(c, str) for c in choices):
        shown = "|".join(choices)
    label = f"{name} {shown}".strip().replace("|", "\\|")
    return f"| {label} | {help_text[0].strip().replace('|', chr(92) + '|')} | {default} |"


def settings_page() -> str:
    """Every limit and default with its value and reason."""
    source = Path(settings.__file__).read_text("utf-8")
    body = ast.parse(source).body
    rows = []
    for index, node in enumerate(body):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        after = body[index + 1] if index + 1 < len(body) else None
        reason = ""
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            reason = " ".join(str(after.value.value).split())
        value = getattr(settings, node.target.id)
        shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
        rows.append(
            f"| {node.target.id} | {shown.replace('|', chr(92) + '|')} | {reason.replace('|', chr(92) + '|')} |"
        )
    return (
        f"{HEAD}\n# Limits and defaults\n\nUnits are in the names: `_S` seconds, `_MS` milliseconds, `_BYTES` octets.\n\n| name | value | why |\n|---|---|---|\n"
        + "\n".join(rows)
        + "\n"
    )


def main() -> int:
    check = "--check" in sys.argv[1:]
    stale = []
    for name, text in (("cli.md", cli_page()), ("settings.md", settings_page())):
        path = DOCS / name
        if check:
            if not path.exists() or path.read_text("utf-8") != text:
                stale.append(name)
        else:
            path.write_text(text, "utf-8")
    if stale:
        print(f"docs/{', docs/'.join(stale)}: not fresh; run python tests/check.py --fix", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
