"""Holds rules against the tables: findings, and what could not be judged, with its reason.

Silence is not health: for every rule a URL has one of three results, a finding, nothing, or *not judged
with a reason*. `unjudged` holds the numbers; the URLs themselves are `lacking(rule)`, run on demand.

`judge` reads the tables of docs/facts.md that `store` built (`seen` and `listing` among them), works in
`hits`, and fills `findings`, `unjudged` and `rules`. What only a comparison with the earlier run knows
(status, first_seen, run_id of a finding) is left NULL here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import duckdb

from sitemap_audit.rules.relations import ORIGINS_IN_USE
from sitemap_audit.rules.rule import FIX_COLUMNS, Need, Rule, Severity

OF_THE_RUN: Final = frozenset({Need.PREVIOUS_RUN, Need.LINKS, Need.ACCESS_LOG})
"""Needs that are their own reason: the run has the thing for all URLs or for none."""


def why(needs: Iterable[Need]) -> str:
    """SQL over a line `s` of `seen`: the first reason why one of `needs` was not seen, else NULL."""
    wanted = frozenset(needs)
    whens = [
        f"WHEN NOT s.{need} THEN " + (f"'{need}'" if need in OF_THE_RUN else f"coalesce(s.reason, '{need}')")
        for need in Need
        if need in wanted
    ]
    if not whens:
        return "NULL::VARCHAR"
    return f"CASE WHEN s.url_key IS NULL THEN 'never_tried' {' '.join(whens)} END"


def lacking(rule: Rule) -> str:
    """SQL: `about, url_key, target, reason` of the URLs and pairs that `rule` cannot judge.

    One SELECT over the tables of a judged run; reports run it when somebody asks for the list.
    """
    sql = (
        f"SELECT 'url' AS about, url_key, NULL::VARCHAR AS target, {why(rule.needs)} AS reason "
        "FROM seen s WHERE listed"
    )
    if rule.targets is not None:
        sql += (
            f" UNION ALL SELECT 'target', t.url_key, t.target, {why(rule.target_needs)} "
            f"FROM ({rule.targets}\n) t LEFT JOIN seen s ON s.url_key = t.target"
        )
    if rule.lacks is not None:
        sql += f" UNION ALL SELECT 'url', url_key, NULL, reason FROM ({rule.lacks}\n)"
    return f"SELECT * FROM ({sql}) WHERE reason IS NOT NULL"


def judge(
    con: duckdb.DuckDBPyConnection, rules: Iterable[Rule], config: Mapping[str, Severity] | None = None
) -> None:
    """Fill `findings`, `unjudged` and `rules` from the tables that `store` built.

    `config`: rule id → the severity that the user wants for all its findings. May be called again with
    other rules (the user's own run after the catalogue): findings are added. A rule whose SQL does not
    run raises duckdb.Error: a bug in the catalogue; the caller of a user's rules catches it.
    """
    chosen = config or {}
    named: set[str] = set()
    con.execute("TRUNCATE hits")
    rules = tuple(rules)
    if any("origins_in_use" in rule.sql for rule in rules):
        con.execute(f"TRUNCATE origins_in_use; INSERT INTO origins_in_use BY NAME {ORIGINS_IN_USE}")
    for rule in rules:
        if rule.needs or rule.target_needs or rule.lacks is not None:
            con.execute(
                "INSERT INTO unjudged BY NAME SELECT ? AS rule, about, reason, count(*) AS n "
                f"FROM ({lacking(rule)}) GROUP BY about, reason",
                [rule.id],
            )
        con.execute(_hits(rule), [rule.id])
        named |= rule.fix_columns
    ids = [rule.id for rule in rules]
    con.execute("DELETE FROM rules WHERE id IN (SELECT unnest(?::VARCHAR[]))", [ids])
    con.execute(
        "INSERT INTO rules (id, severity, confidence, override) "
        "SELECT unnest(?::VARCHAR[]), unnest(?::VARCHAR[]), unnest(?::VARCHAR[]), unnest(?::VARCHAR[])",
        [
            ids,
            [rule.severity for rule in rules],
            [rule.confidence for rule in rules],
            [chosen.get(rule.id) for rule in rules],
        ],
    )
    con.execute(
        "CREATE OR REPLACE TEMP TABLE words AS "
        "SELECT unnest(?::VARCHAR[]) AS id, unnest(?::VARCHAR[]) AS fix, unnest(?::VARCHAR[]) AS source",
        [
            ids,
            [rule.fix for rule in rules],
            [" | ".join(dict.fromkeys(source.id for source in rule.source)) for rule in rules],
        ],
    )
    con.execute(_finish(column for column in FIX_COLUMNS if column in named))
    con.execute("TRUNCATE hits")


def _hits(rule: Rule) -> str:
    """SQL (one parameter: the rule's id): the rule's own rows, without those of URLs it cannot judge.

    What a rule does not ask for is left out: most of the time of a small audit's judging is the planning of SQL.
    """
    known = ""
    if rule.targets is not None or "targets" in rule.sql:
        known = (
            f"WITH targets AS (SELECT t.url_key, t.target FROM ({rule.targets or 'FROM no_targets'}\n) t "
            f"LEFT JOIN seen s ON s.url_key = t.target WHERE {why(rule.target_needs)} IS NULL) "
        )
    sql = f"INSERT INTO hits BY NAME {known}SELECT ? AS rule, h.* FROM ({rule.sql}\n) h"
    if rule.needs:
        sql += f" ANTI JOIN (FROM seen s WHERE {why(rule.needs)} IS NOT NULL) u ON u.url_key = h.url_key"
    return sql


def _fix(columns: Iterable[str]) -> str:
    """SQL: the words of the fix with the values of this finding in place of its braces."""
    sql = "w.fix"
    for column in columns:
        sql = f"replace({sql}, '{{{column}}}', coalesce(f.{column}::VARCHAR, ''))"
    return sql


def _finish(columns: Iterable[str]) -> str:
    """SQL: `hits` become `findings`; `columns` are those that any fix names."""
    return f"""
        INSERT INTO findings BY NAME
        WITH placed AS (
            SELECT h.rule, h.subject, h.url_key, coalesce(h.url, l.url) AS url,
                   coalesce(h.sitemap, l.sitemap) AS sitemap, coalesce(h.line, l.line) AS line,
                   coalesce(h.claim, l.claim) AS claim, h.reality, h.related_url,
                   coalesce(r.override, h.severity, r.severity) AS severity,
                   coalesce(h.confidence, r.confidence) AS confidence
            FROM hits h JOIN rules r ON r.id = h.rule LEFT JOIN listing l ON l.url_key = h.url_key
            WHERE h.url_key IS NULL OR h.claim IS NOT NULL OR l.url_key IS NOT NULL
        )
        SELECT f.*, {_fix(columns)} AS fix, w.source,
               left(sha256(f.rule || chr(10) || f.subject), 16) AS finding_key
        FROM placed f JOIN words w ON w.id = f.rule
    """
