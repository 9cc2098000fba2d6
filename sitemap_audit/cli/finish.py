"""What follows the facts: findings, files, the summary on stdout, the exit code."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from sitemap_audit import logs
from sitemap_audit.cli.config import Config
from sitemap_audit.coordinate.progress import choose, duration
from sitemap_audit.store.folder import RunFolder, RunRecord

if TYPE_CHECKING:
    from sitemap_audit.coordinate.list_file import UrlList
    from sitemap_audit.coordinate.metrics import RunMetrics
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
    metrics: str | None = None,
) -> int:
    """Carry out a run (or go on with one), judge it, write the reports. Returns the exit code."""
    logs.configure(level=_log_level(quiet))
    with _metrics(metrics) as scraped:
        return _audit_and_report(
            folder,
            record,
            redis_url=redis_url,
            config=config,
            listed=listed,
            resume=resume,
            fail_on=fail_on,
            csv_style=csv_style,
            quiet=quiet,
            verbose=verbose,
            metrics=scraped,
        )


def _log_level(quiet: bool) -> int:
    """On stderr: events are the progress of JSON logs; as text the display says what happens."""
    if quiet:
        return logging.ERROR
    return logging.INFO if logs.chosen() == "json" else logging.WARNING


@contextmanager
def _metrics(address: str | None) -> Iterator[RunMetrics | None]:
    """Listening until the reports are written; before anything of the run is made."""
    if address is None:
        yield None
        return
    from sitemap_audit.coordinate.metrics import RunMetrics, registry_of
    from sitemap_audit.metrics import read_address, serving

    metrics = RunMetrics()
    with serving(read_address(address), registry_of(metrics)):
        yield metrics


def _audit_and_report(
    folder: RunFolder,
    record: RunRecord,
    *,
    redis_url: str | None,
    config: Config,
    listed: UrlList | None,
    resume: bool,
    fail_on: str,
    csv_style: str,
    quiet: bool,
    verbose: bool,
    metrics: RunMetrics | None,
) -> int:
    from sitemap_audit.coordinate.start import carry_out, check_given

    progress = choose(quiet=quiet)
    for warning in check_given(redis_url) if redis_url else ():
        progress.say(warning)
    if not resume:
        folder.create()
    began = time.monotonic()
    before = _asked(record)
    record = carry_out(
        folder,
        record,
        redis_url=redis_url,
        progress=progress,
        listed=listed,
        resume=resume,
        verbose=verbose,
        metrics=metrics,
    )
    seconds = time.monotonic() - began
    if record.state == "interrupted":
        left = sum(record.counts["unchecked"].values())
        logs.say(
            f"Interrupted: {record.counts['checked']:,} of {record.counts['listed']:,} listed URLs are checked, "
            f"{left:,} are still unchecked. Everything seen is saved.\n"
            f"Go on with: {folder.resume_command(record.redis)}",
            level=logging.WARNING,
        )
        return 130
    number = _asked(record) - before
    progress.say(f"checked {number:,} URLs in {duration(seconds)}{_rate(record, number)}; judging")

    def close(requests: int) -> None:
        took = duration(time.monotonic() - began)
        progress.say(f"done after {took}, {requests:,} requests for pages in the whole run: {folder.path}")

    return judge_and_report(
        folder, record, config=config, fail_on=fail_on, csv_style=csv_style, quiet=quiet, close=close
    )


def _rate(record: RunRecord, number: int) -> str:
    """The mean over the time in which there was something to check: start-up and discovery are none of it."""
    if record.first_enqueued_at is None or record.last_stored_at is None:
        return ""
    seconds = (record.last_stored_at - record.first_enqueued_at).total_seconds()
    return f", {number / seconds:,.1f} URLs/s while there were some to check" if seconds > 0 else ""


def _asked(record: RunRecord) -> int:
    """URLs that were checked so far, further ones included."""
    return int(record.counts.get("checked", 0)) + int(record.counts.get("further_checked", 0))


def judge_and_report(
    folder: RunFolder,
    record: RunRecord,
    *,
    config: Config,
    fail_on: str = "never",
    csv_style: str = "snake",
    quiet: bool = False,
    formats: tuple[str, ...] = ("csv", "json"),
    close: Callable[[int], None] | None = None,
) -> int:
    """Judge the stored facts with today's rules and write the reports. Makes no request.

    `close` is called in the end with the number of requests that pages took.
    """
    from sitemap_audit.report.judged import judged
    from sitemap_audit.report.summary import summarise
    from sitemap_audit.report.terminal import render
    from sitemap_audit.report.write import write_reports

    with judged(
        folder, record, severities=config.severities, off=config.off, thresholds=config.thresholds
    ) as run:
        summary = summarise(run)
        written = write_reports(run, summary, folder.path, formats=formats, csv_style=csv_style)
        requests = (
            run.one("SELECT sum(coalesce(attempts, 0) + coalesce(hop_count, 0))::BIGINT FROM pages") or 0
        )
    if not quiet:
        render(summary, written, sys.stdout)
    if close is not None:
        close(requests)
    code = exit_code(summary, fail_on)
    if code in (1, 4):
        logs.say(f"sitemap-audit: {_why(code, summary, folder)}", level=logging.WARNING)
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
