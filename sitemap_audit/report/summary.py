"""The numbers that every format repeats: one record, computed once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sitemap_audit import __version__
from sitemap_audit.report.checklist import Answer, answers
from sitemap_audit.report.judged import RANK, Judged
from sitemap_audit.report.tables import prepare

WORST_SITEMAPS: Final = 5
EXAMPLES: Final = 3


@dataclass(frozen=True, slots=True)
class RuleCount:
    """One rule: findings that stand, of how many files, and how many URLs it could not judge (by reason)."""

    rule: str
    severity: str
    title: str
    count: int
    fix: str
    example: str | None
    sitemaps: int
    worst_sitemap: str | None
    worst_count: int
    unjudged: dict[str, int]
    """About the listed URLs."""
    unjudged_targets: dict[str, int]


@dataclass(frozen=True, slots=True)
class SitemapCount:
    url: str
    kind: str
    state: str
    status: int | None
    entries: int
    indexable_share: float | None
    errors: int
    warnings: int


@dataclass(frozen=True, slots=True)
class HostCount:
    origin: str
    robots_state: str | None
    listed: int
    checked: int
    errors: int


@dataclass(frozen=True, slots=True)
class Summary:
    run_id: str
    state: str
    sites: tuple[str, ...]
    started_at: str
    finished_at: str | None
    verdict_bot: str
    depth: str
    listed: int
    checked: int
    skipped: dict[str, int]
    unchecked: dict[str, int]
    further: int
    verdicts: dict[str, int]
    statuses: dict[str, int]
    severities: dict[str, int]
    rules: tuple[RuleCount, ...]
    checklist: tuple[Answer, ...]
    sitemaps: tuple[SitemapCount, ...]
    hosts: tuple[HostCount, ...]
    bots: tuple[tuple[str, int, int, int], ...]
    """(bot, allowed, blocked, unknown) over the listed URLs that were met."""
    looked: tuple[str, ...]
    workers: dict[str, int]
    readable: bool
    """At least one robots.txt, sitemap or page could be read."""

    def severity_words(self) -> str:
        """`24 errors, 1 warning`: the findings that stand, for a person."""
        return ", ".join(f"{n:,} {name}{'s' if n != 1 else ''}" for name, n in self.severities.items())

    def to_json(self) -> dict[str, Any]:
        """summary.json (CONTRACT)."""
        return {
            "run": {
                "run_id": self.run_id,
                "state": self.state,
                "sites": self.sites,
                "started_at": self.started_at,
                "finished_at": self.finished_at,
                "verdict_bot": self.verdict_bot,
                "depth": self.depth,
                "version": __version__,
                "looked": self.looked,
                "workers": self.workers,
            },
            "totals": {
                "listed": self.listed,
                "checked": self.checked,
                "skipped": self.skipped,
                "unchecked": self.unchecked,
                "further": self.further,
            },
            "verdicts": self.verdicts,
            "statuses": self.statuses,
            "findings": {
                r.rule: {
                    "severity": r.severity,
                    "count": r.count,
                    "unjudged": sum(r.unjudged.values()),
                    "unjudged_reasons": r.unjudged,
                    "unjudged_targets": r.unjudged_targets,
                }
                for r in self.rules
            },
            "checklist": [
                {"question": a.question, "answer": a.answer, "evidence": a.evidence} for a in self.checklist
            ],
            "sitemaps": [
                {
                    "url": s.url,
                    "kind": s.kind,
                    "state": s.state,
                    "status": s.status,
                    "entries": s.entries,
                    "indexable_share": s.indexable_share,
                    "errors": s.errors,
                    "warnings": s.warnings,
                }
                for s in self.sitemaps
            ],
            "hosts": [
                {
                    "origin": h.origin,
                    "robots": h.robots_state,
                    "listed": h.listed,
                    "checked": h.checked,
                    "errors": h.errors,
                }
                for h in self.hosts
            ],
            "bots": [{"bot": b, "allowed": a, "blocked": n, "unknown": u} for b, a, n, u in self.bots],
        }


def summarise(run: Judged) -> Summary:
    """All numbers of one judged run."""
    prepare(run)
    record = run.record
    account = run.rows(
        "SELECT state, reason, count(*) FROM urls WHERE listed GROUP BY ALL ORDER BY 3 DESC, 1, 2"
    )
    return Summary(
        run_id=record.run_id,
        state=record.state,
        sites=record.sites_given,
        started_at=record.started_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        finished_at=record.finished_at.strftime("%Y-%m-%dT%H:%M:%SZ") if record.finished_at else None,
        verdict_bot=record.options.bots[0],
        depth=record.options.depth,
        listed=sum(n for _, _, n in account),
        checked=sum(n for state, _, n in account if state == "checked"),
        skipped={reason or "unknown": n for state, reason, n in account if state == "skipped"},
        unchecked={reason or "unknown": n for state, reason, n in account if state == "unchecked"},
        further=run.one("SELECT count(*) FROM urls WHERE NOT listed AND state = 'checked'") or 0,
        verdicts=dict(
            run.rows("SELECT verdict, count(*) FROM urls WHERE listed GROUP BY verdict ORDER BY 2 DESC, 1")
        ),
        statuses={
            str(status): n
            for status, n in run.rows(
                "SELECT p.status, count(*) FROM urls u JOIN pages p ON p.url_key = u.url_key "
                "WHERE u.listed AND p.status IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1"
            )
        },
        severities={s: n for s in ("error", "warning", "notice") if (n := _severity(run, s))},
        rules=_rules(run),
        checklist=answers(run),
        sitemaps=_sitemaps(run),
        hosts=_hosts(run),
        bots=_bots(run),
        looked=record.looked,
        workers=record.workers,
        readable=bool(
            run.one("SELECT count(*) FROM robots_files WHERE state IN ('ok', 'html')")
            or run.one("SELECT count(*) FROM sitemap_files WHERE status = 200")
            or run.one("SELECT count(*) FROM pages WHERE first_status IS NOT NULL")
        ),
    )


def _severity(run: Judged, severity: str) -> int:
    return int(
        run.one("SELECT count(*) FROM findings WHERE severity = ? AND status <> 'ignored'", [severity])
    )


def _rules(run: Judged) -> tuple[RuleCount, ...]:
    unjudged: dict[tuple[str, str], dict[str, int]] = {}
    for rule, about, reason, n in run.rows(
        "SELECT rule, about, reason, n FROM unjudged ORDER BY n DESC, reason"
    ):
        unjudged.setdefault((rule, about), {})[reason] = n
    found = {
        row[0]: row[1:]
        for row in run.rows(
            f"""
            WITH per AS (SELECT rule, sitemap, count(*) AS n FROM findings WHERE status <> 'ignored' GROUP BY ALL),
            worst AS (SELECT rule, arg_max(sitemap, n) AS sitemap, max(n) AS n, count(sitemap) AS sitemaps FROM per GROUP BY rule)
            SELECT f.rule, arg_min(f.severity, {RANK}) AS severity, count(*) AS n,
                   arg_min(f.claim || ' — ' || f.reality, f.finding_key) AS example,
                   any_value(w.sitemaps), any_value(w.sitemap), any_value(w.n)
            FROM findings f JOIN worst w ON w.rule = f.rule WHERE f.status <> 'ignored' GROUP BY f.rule
            """
        )
    }
    counts = []
    for rule in run.rules:
        severity, n, example, sitemaps, worst, worst_n = found.get(rule.id, (None, 0, None, 0, None, 0))
        counts.append(
            RuleCount(
                rule=rule.id,
                severity=str(severity or rule.severity),
                title=rule.title,
                count=n,
                fix=rule.fix,
                example=example,
                sitemaps=sitemaps,
                worst_sitemap=worst,
                worst_count=worst_n,
                unjudged=unjudged.get((rule.id, "url"), {}),
                unjudged_targets=unjudged.get((rule.id, "target"), {}),
            )
        )
    rank = {rule.id: rule.rank or 99 for rule in run.rules}
    order = {"error": 0, "warning": 1, "notice": 2}

    def importance(count: RuleCount) -> tuple[bool, int, bool, int, int, str]:
        # What is wrong with a whole origin comes before what is wrong with some of its URLs.
        whole_origin = count.rule.startswith("robots-")
        return (
            count.rule != "audit-incomplete",
            order[count.severity],
            not whole_origin,
            -count.count,
            rank[count.rule],
            count.rule,
        )

    return tuple(sorted(counts, key=importance))


def _sitemaps(run: Judged) -> tuple[SitemapCount, ...]:
    rows = run.rows(
        """
        SELECT s.url, s.kind, s.state, s.status, s.entries,
               CASE WHEN v.known > 0 THEN v.indexable / v.known END, coalesce(c.errors, 0), coalesce(c.warnings, 0)
        FROM sitemap_files s LEFT JOIN report_sitemap_urls v ON v.sitemap = s.url
        LEFT JOIN report_sitemap_counts c ON c.sitemap = s.url
        ORDER BY 7 DESC, 8 DESC, s.url
        """
    )
    return tuple(SitemapCount(*row) for row in rows)


def _hosts(run: Judged) -> tuple[HostCount, ...]:
    rows = run.rows(
        """
        WITH u AS (
            SELECT regexp_extract(u.url_key, '^[a-z]+://[^/?#]+') AS origin, count(*) AS listed,
                   count(*) FILTER (u.state = 'checked') AS checked, sum(coalesce(c.errors, 0))::BIGINT AS errors
            FROM urls u LEFT JOIN report_url_counts c ON c.url_key = u.url_key WHERE u.listed GROUP BY 1
        )
        SELECT coalesce(u.origin, r.origin), r.state, coalesce(u.listed, 0), coalesce(u.checked, 0), coalesce(u.errors, 0)
        FROM u FULL JOIN (FROM robots_files WHERE at_root IS DISTINCT FROM false) r ON r.origin = u.origin ORDER BY 3 DESC, 1
        """
    )
    return tuple(HostCount(*row) for row in rows)


def _bots(run: Judged) -> tuple[tuple[str, int, int, int], ...]:
    """Who may fetch what, of the listed URLs, the verdict's bot first."""
    rows = run.rows(
        """
        SELECT bot, allowed, blocked, (SELECT count(*) FROM urls WHERE listed) - allowed - blocked
        FROM bot_access ORDER BY bot <> ?, bot = '*', bot
        """,
        [run.record.options.bots[0]],
    )
    return tuple((bot, allowed, blocked, unknown) for bot, allowed, blocked, unknown in rows)
