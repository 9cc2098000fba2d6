"""sitemap-audit.toml: the options of `run` under the same names, and `[rules]`.

The command line wins over the file. A name that is unknown stops the command before the first request:
a filter that was misspelt must not cost a night's crawl.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sitemap_audit.errors import UsageError

DEFAULT_FILE: Final = "sitemap-audit.toml"
REPEATABLE: Final = frozenset(
    {"sitemap", "bot", "header", "connect-to", "allow-private", "scope", "include", "exclude"}
)


@dataclass(frozen=True, slots=True)
class Config:
    """`options` by the names of the command line (dashes); `severities` by rule id, `off` of them not run."""

    options: Mapping[str, Any] = field(default_factory=dict)
    severities: Mapping[str, str] = field(default_factory=dict)
    off: frozenset[str] = frozenset()
    thresholds: Mapping[str, Any] = field(default_factory=dict)


def read_config(path: Path | None, known: Collection[str] | None = None) -> Config:
    """Read the file given, else sitemap-audit.toml of this folder if it is there. Raises UsageError.

    `known`: the option names that may stand in it; None leaves the options to the command that takes them.
    """
    if path is None:
        path = Path(DEFAULT_FILE)
        if not path.exists():
            return Config()
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as err:
        raise UsageError(f"cannot read the configuration {path}: {err.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as err:
        raise UsageError(f"{path} is not readable TOML: {err}") from None
    rules = data.pop("rules", {})
    for name in data:
        if known is not None and name not in known:
            raise UsageError(f"{path}: unknown option {name!r}; known are {', '.join(sorted(known))}")
    for name, value in data.items():
        if name in REPEATABLE and not isinstance(value, list):
            data[name] = [value]
    return _with_rules(path, data, rules)


def _with_rules(path: Path, options: dict[str, Any], rules: Any) -> Config:
    from sitemap_audit.rules.catalogue import all_rules
    from sitemap_audit.rules.thresholds import THRESHOLDS

    if not isinstance(rules, dict):
        raise UsageError(
            f'{path}: [rules] is a table, for example [rules.severity] with url-redirects = "notice"'
        )
    ids = {rule.id for rule in all_rules()}
    severities: dict[str, str] = {}
    off: set[str] = set()
    for rule, severity in rules.get("severity", {}).items():
        if rule not in ids:
            raise UsageError(
                f"{path}: [rules.severity] names an unknown rule {rule!r}: see sitemap-audit rules"
            )
        if severity == "off":
            off.add(rule)
        elif severity in ("error", "warning", "notice"):
            severities[rule] = severity
        else:
            raise UsageError(
                f"{path}: severity of {rule} is {severity!r}; known are error, warning, notice, off"
            )
    thresholds = rules.get("thresholds", {})
    for name in thresholds:
        if name not in THRESHOLDS:
            raise UsageError(f"{path}: [rules.thresholds] names an unknown threshold {name!r}")
    for name in rules:
        if name not in ("severity", "thresholds"):
            raise UsageError(f"{path}: [rules] has an unknown part {name!r}; known are severity, thresholds")
    return Config(options, severities, frozenset(off), thresholds)
