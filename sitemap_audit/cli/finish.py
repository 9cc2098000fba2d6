"""What follows the facts: findings, files, the summary on stdout, the exit code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from sitemap_audit.cli.config import Config
from sitemap_audit.coordinate.progress import choose
from sitemap_audit.store.folder import RunFolder, RunRecord

if TYPE_CHECKING:
    from sitemap_audit.coordinate.list_file import UrlList
    from sitemap_audit.report.summary import Summary

SEVERITIES: Final = ("error", "warning", "notice")


def audit_and_report(
    folder: RunFolder,
    record: RunRecord,
    *,
    redis_url: str | None,
    config: Config,
    listed: UrlList | None = None,
    resume: bool = False,
    fail_on: str = "never",
    csv_style: str = "snake",
    quiet: bool = False,
    verbose: bool = False,
) -> int:
    """Carry out a run (or go on with one), judge it, write the reports. Returns the exit code."""
    from sitemap_audit.coordinate.start import carry_out, check_given

    progress = choose(quiet=quiet)
    for warning in check_given(redis_url) if redis_url else ():
        progress.say(warning)
    if not resume:
        folder.create()
    record = carry_out(
        folder,
        record,
        redis_url=redis_url,
        progress=progress,
        listed=listed,
        resume=resume,
        verbose=verbose,
    )
    if record.state == "interrupted":
        left = sum(record.counts["unchecked"].values())
        print(
            f"Interrupted: {record.counts['checked']:,} of {record.counts['listed']:,} listed URLs are checked, "
            f"{left:,} are still unchecked. Everything seen is saved.\n"
            f"Go on with: sitemap-audit resume {folder.path}",
            file=sys.stderr,
        )
        return 130
    return judge_and_report(folder, record, config=config, fail_on=fail_on, csv_style=csv_style, quiet=quiet)


def judge_and_report(
    folder: RunFolder,
    record: RunRecord,
    *,
    config: Config,
    fail_on: str = "never",
    csv_style: str = "snake",
    quiet: bool = False,
    formats: tuple[str, ...] = ("csv", "json"),
) -> int:
    """Judge the stored facts with today's rules and write the reports. Makes no request."""
    from sitemap_audit.report.judged import judged
    from sitemap_audit.report.summary import summarise
    from sitemap_audit.report.terminal import render
    from sitemap_audit.report.write import write_reports

    with judged(
        folder, record, severities=config.severities, off=config.off, thresholds=config.thresholds
    ) as run:
        summary = summarise(run)
        written = write_reports(run, summary, folder.path, formats=formats, csv_style=csv_style)
    if not quiet:
        render(summary, written, sys.stdout)
    code = exit_code(summary, fail_on)
    if code in (1, 4):
        print(f"sitemap-audit: {_why(code, summary, folder)}", file=sys.stderr)
    return code


def _why(code: int, summary: Summary, folder: RunFolder) -> str:
    """One line for whoever reads only the mail of a scheduled job."""
    if code == 4:
        return f"nothing could be audited: no readable robots.txt, sitemap or page ({folder.path})"
    said = summary.severity_words()
    return f"--fail-on met: {said} ({folder.path / 'findings.csv'})"


def exit_code(summary: Summary, fail_on: str) -> int:
    """The first that applies: 4 nothing could be audited, 1 --fail-on met, 3 unchecked > 0, 0 done."""
    if not summary.readable:
        return 4
    if fail_on != "never":
        counted = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
        if any(summary.severities.get(s) for s in counted):
            return 1
    return 3 if summary.unchecked else 0
