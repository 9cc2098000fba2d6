"""What is judged: one file a rule in family folders, and the engine that holds rules against the facts.

A rule is a frozen record (rule.py) with words, sources, SQL and cases. To add one: copy a neighbour, name
the defect, write `passes` first, then the SQL; run tests/rules; write the pages again
(`python -m sitemap_audit.rules.generate_docs`); add a line with the id to the changelog.
"""

from sitemap_audit.rules.catalogue import AREAS, all_rules, load
from sitemap_audit.rules.engine import judge, lacking
from sitemap_audit.rules.rule import Confidence, Need, Rule, Severity, Tier

__all__ = [
    "AREAS",
    "Confidence",
    "Need",
    "Rule",
    "Severity",
    "Tier",
    "all_rules",
    "judge",
    "lacking",
    "load",
]
