"""All checks in one command: format, lint, types, import arrows, generated docs, compose file, tests.

    python tests/check.py            everything, as CI runs it
    python tests/check.py --fix      mend what can be mended (format, lint, generated docs), then the rest

Each check says its name and its time; the first failure does not hide the others, and pytest comes last, so
that its summary closes the output.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = ["sitemap_audit", "crawler", "workers", "tests", "benchmarks"]
PYTHON = [sys.executable, "-m"]


def steps(fix: bool) -> list[tuple[str, list[str]]]:
    """Name and command of each check, in order."""
    check = [] if fix else ["--check"]
    return [
        ("format", [*PYTHON, "ruff", "format", *check, "--quiet", *CODE]),
        ("lint", [*PYTHON, "ruff", "check", "--quiet", *(["--fix"] if fix else []), *CODE]),
        ("types", [*PYTHON, "mypy"]),
        ("arrows", [str(Path(sys.executable).parent / "lint-imports")]),
        ("docs: rules", [*PYTHON, "sitemap_audit.rules.generate_docs", *check]),
        ("docs: commands and settings", [*PYTHON, "sitemap_audit.cli.generate_docs", *check]),
        (
            "compose file",
            [*PYTHON, "check_jsonschema", "--builtin-schema", "vendor.compose-spec", "docker-compose.yml"],
        ),
        # One process more than cores, as many tests wait; groups and order: tests/conftest.py.
        (
            "tests",
            [
                *(*PYTHON, "pytest", "-q", "-n", str(min(4, (os.cpu_count() or 1) + 1))),
                *("--dist", "loadgroup", "--no-loadscope-reorder"),
            ],
        ),
    ]


def main() -> int:
    fix = "--fix" in sys.argv[1:]
    failed = []
    for name, command in steps(fix):
        began = time.monotonic()
        print(f"--- {name}", flush=True)
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        if code:
            failed.append(name)
        if name != "tests":
            print(f"    {'FAILED' if code else 'ok'}, {time.monotonic() - began:.1f} s", flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
