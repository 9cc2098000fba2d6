"""The catalogue is the folder: every module in a family folder holds one RULE and is named after it.

`all_rules()` walks the folders once and refuses doubles; nothing is registered by hand.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from sitemap_audit.errors import UsageError
from sitemap_audit.rules.rule import Rule

AREAS: Final[Mapping[str, str]] = {
    "robots": "robots.txt",
    "sitemap": "sitemap files",
    "entry": "sitemap entries",
    "url": "HTTP answer of listed URLs",
    "page": "page content",
    "index": "indexing directives and duplicates",
    "canonical": "canonical",
    "hreflang": "hreflang",
    "lastmod": "lastmod honesty",
    "feed": "feeds",
    "news": "news extension",
    "image": "image extension",
    "video": "video extension",
    "run": "between two runs",
    "audit": "the whole audit",
}
"""Families in reading order: folder → what it is about. A folder may be missing while it has no rule."""

RENAMED: Final[Mapping[str, str]] = {}
"""Former id → id. Ids are for ever: a rename goes through this table, and configurations keep working."""


_PACKAGE: Final = __name__.rpartition(".")[0]


def module_name(rule: Rule) -> str:
    """The module that must hold this rule."""
    return f"{_PACKAGE}.{rule.area}.{rule.id.replace('-', '_')}"


@cache
def all_rules() -> tuple[Rule, ...]:
    """All rules, in the order of AREAS and then by id.

    Raises RuntimeError for a module that holds no RULE, a RULE in the wrong file, or an id that is there
    twice: mistakes of whoever wrote the rule, found by the first test.
    """
    found: dict[str, Rule] = {}
    for family in iter_modules(import_module(_PACKAGE).__path__):
        if not family.ispkg:
            continue
        folder = import_module(f"{_PACKAGE}.{family.name}")
        for info in iter_modules(folder.__path__):
            name = f"{folder.__name__}.{info.name}"
            rule = getattr(import_module(name), "RULE", None)
            if not isinstance(rule, Rule):
                raise RuntimeError(f"{name} holds no RULE")
            if rule.id in found:
                raise RuntimeError(f"two rules are named {rule.id}")
            if name != module_name(rule):
                raise RuntimeError(f"{rule.id} stands in {name}, not in {module_name(rule)}")
            found[rule.id] = rule
    order = list(AREAS)
    return tuple(sorted(found.values(), key=lambda rule: (order.index(rule.area), rule.id)))


def load(rule_id: str) -> Rule:
    """The rule of this id, or of the id it was renamed from. Raises UsageError with what is near."""
    wanted = RENAMED.get(rule_id, rule_id)
    for rule in all_rules():
        if rule.id == wanted:
            return rule
    near = difflib.get_close_matches(wanted, [rule.id for rule in all_rules()], n=3, cutoff=0.5)
    hint = f"; did you mean {', '.join(near)}?" if near else "; `sitemap-audit rules` lists all"
    raise UsageError(f"there is no rule {rule_id!r}{hint}")
