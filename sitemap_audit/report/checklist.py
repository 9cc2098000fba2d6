"""The ten questions that close the guide on robots.txt and sitemap.xml (text-002, the checklist).

`no` when a named rule fires with severity error or warning, `yes` when all of them were judged on complete
facts and none fired, else `unknown`: silence is not health. A page that answers 404 has no tags to find fault
with, so that no rule misses it; but where most of the listed URLs are like that, nothing is known of the site.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sitemap_audit.formats.urls import parse_url
from sitemap_audit.report.judged import Judged
from sitemap_audit.rules.rule import Need


@dataclass(frozen=True, slots=True)
class Answer:
    """`answer`: yes, no or unknown; `evidence` in one line."""

    question: str
    answer: str
    evidence: str


@dataclass(frozen=True, slots=True)
class _Question:
    text: str
    rules: tuple[str, ...]
    """Rule ids; a trailing `*` stands for a family."""
    by_hand: str | None = None
    """Why no run can answer it."""
    open_when_silent: str | None = None
    """Why silence of the rules is not yet a yes."""


QUESTIONS: Final = (
    _Question(
        "robots.txt is available exactly at /robots.txt",
        ("robots-missing", "robots-server-error", "robots-unreachable"),
    ),
    _Question("its rules cover the right protocol, host and port", ("robots-scope-gap",)),
    _Question(
        "no important URL is blocked by accident", ("entry-blocked-by-robots", "robots-blocks-everything")
    ),
    _Question("pages with noindex stay open to the crawler", ("index-noindex-blocked",)),
    _Question(
        "the sitemap holds only full, preferred URLs",
        ("entry-loc-not-absolute", "canonical-elsewhere", "url-redirects"),
    ),
    _Question("each file keeps to 50,000 URLs and 50 MB", ("sitemap-too-many-urls", "sitemap-too-large")),
    _Question(
        "lastmod stands for real, meaningful changes", ("lastmod-*",), open_when_silent="needs a second audit"
    ),
    _Question(
        "canonical and sitemap name the same URLs", ("canonical-elsewhere", "canonical-multiple-conflicting")
    ),
    _Question("hreflang relations are right", ("hreflang-*",)),
    _Question(
        "Search Console reports no reading errors", (), by_hand="cannot be seen from outside: check by hand"
    ),
)


def answers(run: Judged) -> tuple[Answer, ...]:
    """The ten answers, in order."""
    return tuple(_answer(run, q) for q in QUESTIONS)


def _answer(run: Judged, question: _Question) -> Answer:
    if question.by_hand:
        return Answer(question.text, "unknown", question.by_hand)
    special = _robots_at_root(run) if "robots-missing" in question.rules else None
    if special:
        return Answer(question.text, *special)
    judged = {r.id for r in run.rules}
    named = [r for r in question.rules if not r.endswith("*")]
    families = [r[:-1] for r in question.rules if r.endswith("*")]
    rules = sorted({r for r in judged if r in named or any(r.startswith(f) for f in families)})
    fired = run.rows(
        "SELECT rule, count(*) FROM findings WHERE list_contains(?, rule) AND severity IN ('error', 'warning') "
        "AND status <> 'ignored' GROUP BY rule ORDER BY count(*) DESC, rule",
        [rules],
    )
    if fired:
        return Answer(question.text, "no", ", ".join(f"{rule} {n:,}" for rule, n in fired))
    read, there, things = _read(run, rules)
    if 2 * read < there:
        return Answer(
            question.text, "unknown", f"could not be judged: {read:,} of {there:,} {things} could be read"
        )
    if families == ["hreflang-"] and not run.one("SELECT count(*) FROM alternates"):
        return Answer(question.text, "unknown", "nothing declares hreflang")
    absent = [r for r in named if r not in judged]
    if not rules or absent:
        return Answer(
            question.text, "unknown", f"not judged: {', '.join(absent) or ', '.join(question.rules)}"
        )
    if question.open_when_silent:
        return Answer(question.text, "unknown", question.open_when_silent)
    unjudged = run.rows(
        "SELECT reason, sum(n)::BIGINT FROM unjudged WHERE list_contains(?, rule) GROUP BY reason ORDER BY 2 DESC",
        [rules],
    )
    if unjudged:
        reasons = ", ".join(f"{reason} {n:,}" for reason, n in unjudged)
        if "index-noindex-blocked" in rules and any(
            reason in ("robots", "own_agent") for reason, _ in unjudged
        ):
            reasons += " (--inspect-blocked reads them)"
        return Answer(question.text, "unknown", f"not all could be judged: {reasons}")
    listed = run.one("SELECT count(*) FROM urls WHERE listed")
    if not listed:
        return Answer(question.text, "unknown", "no URL is listed")
    some = f" that could be read, of {there:,}" if read < there else ""
    return Answer(question.text, "yes", f"0 of {read:,} {things}{some}")


def _read(run: Judged, rules: Sequence[str]) -> tuple[int, int, str]:
    """Of the things that these rules are about: how many were read, how many there are, and their name."""
    if rules and all(rule.startswith("sitemap-") for rule in rules):
        row = run.rows(
            "SELECT count(*) FILTER (state IN ('ok', 'partial')), count(*) FROM sitemap_files "
            "WHERE source IS DISTINCT FROM 'guess' OR state IN ('ok', 'partial')"
        )[0]
        return *row, "sitemap files"
    needs = {need for rule in run.rules if rule.id in rules for need in rule.needs}
    if any(rule.startswith("robots-") for rule in rules):
        needs.add(Need.ROBOTS)
    known = [sql for need, sql in _READ.items() if need in needs] or ["true"]
    row = run.rows(
        f"SELECT count(*) FILTER ({' AND '.join(known)}), count(*) FROM urls u "
        "LEFT JOIN pages p ON p.url_key = u.url_key LEFT JOIN seen s ON s.url_key = u.url_key WHERE u.listed"
    )[0]
    return *row, "listed URLs"


_READ: Final = {
    Need.RESPONSE: "coalesce(s.response, false)",
    Need.ROBOTS: "coalesce(s.robots, false)",
    Need.HEAD: "p.canonical_state IS NOT NULL",
    Need.CONTENT: "p.canonical_state IS NOT NULL AND coalesce(s.content, false)",
}
"""What counts as read: stricter than `seen`, where a thing that cannot be there counts as known."""


def _robots_at_root(run: Judged) -> tuple[str, str] | None:
    """Each origin in use answers with a file, or not; None = the rules say it."""
    in_scope = run.record.options.in_scope
    asked = [
        (state, used)
        for origin, state, used in run.rows(
            "SELECT r.origin, r.state, coalesce(o.listed, 0) > 0 FROM robots_files r "
            "LEFT JOIN report_origins o ON o.origin = r.origin WHERE r.at_root ORDER BY r.origin"
        )
        if (url := parse_url(origin)) is not None and in_scope(url.host)
    ]
    # A SITE whose twin is what the map lists needs no file of its own.
    in_use = [state for state, used in asked if used] or [state for state, _ in asked]
    states = Counter(in_use)
    if not states:
        return "unknown", "no robots.txt was asked"
    said = ", ".join(f"{n:,} {state}" for state, n in states.most_common())
    if set(states) == {"ok"}:
        return "yes", f"origins: {said}"
    return "no", f"origins: {said}"
