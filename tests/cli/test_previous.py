"""An outage of robots.txt after an earlier run: which copy decides, for how long, and what the reports say."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pytest

from sitemap_audit.cli import main
from sitemap_audit.facts import RobotsFile, RobotsState
from sitemap_audit.formats.robots import read_robots
from sitemap_audit.formats.robots_policy import RobotsPolicy, robots_file
from sitemap_audit.options import RunOptions
from sitemap_audit.store.columns import Kind
from sitemap_audit.store.folder import RunFolder, RunRecord
from sitemap_audit.store.past import FILE_NAME, find_earlier, robots_past, take_over
from sitemap_audit.store.writer import PartWriter
from tests.cli import audit
from tests.site.server import Reply, Site, Sites, serve

SHOP = "https://shop.example"
TEXT = f"User-agent: *\nDisallow: /private\nSitemap: {SHOP}/map.xml\n"
OPEN, PRIVATE = f"{SHOP}/open", f"{SHOP}/private/x"
MAP = Reply.xml(
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    f"<url><loc>{OPEN}</loc></url><url><loc>{PRIVATE}</loc></url></urlset>"
)


def shop(robots: Reply) -> Sites:
    page = Reply.html("<!doctype html><title>A page</title><p>Some text of a page</p>")
    return {
        "shop.example": {"/robots.txt": robots, "/map.xml": MAP, "/open": page, "/private/x": page, "/": page}
    }


def run_folder(
    path: Path,
    file: RobotsFile,
    before: Path | None = None,
    *,
    sites: tuple[str, ...] = (f"{SHOP}/",),
    state: str = "done",
) -> Path:
    """A run of the shop that saw this robots.txt, after the run `before`."""
    folder = RunFolder(path)
    folder.create()
    options = RunOptions(run_id="r", sites=sites)
    folder.write(RunRecord(run_id="r", state=state, started_at=datetime.now(UTC), options=options))
    writer = PartWriter(folder.facts, Kind.ROBOTS)
    writer.add(orjson.dumps(file, option=orjson.OPT_UTC_Z) + b"\n", 1)
    writer.flush()
    if before is not None:
        take_over(RunFolder(before), folder)
    return path


def seen(state: RobotsState, status: int, hours_ago: float) -> RobotsFile:
    text = read_robots(TEXT.encode()) if state is RobotsState.OK else None
    policy = RobotsPolicy(f"{SHOP}/robots.txt", state, text, status=status)
    at = datetime.now(UTC) - timedelta(hours=hours_ago)
    return robots_file(policy, text, status=status, fetched_at=at)


def failing_run(path: Path, *, good_h: float, failing_h: float) -> Path:
    """A run that saw the file fail, after one that had read it."""
    good = run_folder(path / "good", seen(RobotsState.OK, 200, good_h))
    return run_folder(path / "failed", seen(RobotsState.SERVER_ERROR, 503, failing_h), good)


def audited(site: Site, out: Path, *further: str) -> audit.Outcome:
    return audit.run(SHOP, site.arguments, "--sitemap", f"{SHOP}/map.xml", *further, out=out)


def robots_of(outcome: audit.Outcome) -> dict[str, tuple[str, str, str]]:
    """URL → verdict, column robots, column robots_rule."""
    return {r["url"]: (r["verdict"], r["robots"], r["robots_rule"]) for r in outcome.rows("urls.csv")}


def test_two_runs_and_an_outage_in_the_second(tmp_path: Path) -> None:
    with serve(shop(Reply.text(TEXT))) as site:
        first = audited(site, tmp_path / "first")
    assert robots_of(first)[PRIVATE][:2] == ("blocked", "blocked")
    bare = run_folder(tmp_path / "bare", seen(RobotsState.MISSING, 404, 1), sites=("https://other.example/",))
    with serve(shop(Reply.text("", 503))) as site:
        paused = audited(site, tmp_path / "paused")
        rfc = audited(site, tmp_path / "rfc", "--robots-mode", "rfc", "--previous", str(tmp_path / "first"))
        alone = audited(site, tmp_path / "alone", "--robots-mode", "rfc", "--previous", str(bare))
    # Google pauses for twelve hours, whatever it has kept; the earlier run was found beside this one.
    assert f"last good robots.txt of 1 origin from {tmp_path / 'first'}" in paused.stderr
    assert robots_of(paused)[PRIVATE] == ("unknown", "unknown", "")
    [finding] = paused.findings["robots-server-error"]
    assert ", last good copy of " in finding["reality"]
    assert finding["reality"].endswith(", 0 hours old")
    # RFC 9309: a copy of today stands in; the line is that of the copy.
    verdict, robots, rule = robots_of(rfc)[PRIVATE]
    assert (verdict, robots) == ("blocked", "blocked")
    assert rule.startswith("Disallow: /private (last good copy of ")
    assert rule.endswith(" UTC, 0 hours old)")
    assert robots_of(rfc)[OPEN][:2] == ("indexable", "allowed")
    assert rfc.findings["robots-server-error"][0]["reality"].endswith(", which decides meanwhile")
    # The earlier run has no copy: that is said, and everything is disallowed.
    assert f"the earlier run {bare} read no robots.txt: there is no last good copy" in alone.stderr
    assert not (tmp_path / "alone" / FILE_NAME).exists()
    assert robots_of(alone)[OPEN][:2] == ("blocked", "blocked")
    assert "last good" not in alone.findings["robots-server-error"][0]["reality"]


def test_google_goes_by_the_copy_after_twelve_hours(tmp_path: Path) -> None:
    earlier = failing_run(tmp_path, good_h=30, failing_h=20)
    with serve(shop(Reply.text("", 503))) as site:
        outcome = audit.run(SHOP, site.arguments, "--previous", str(earlier), out=tmp_path / "now")
    assert ", 1 of its origins were failing" in outcome.stderr
    verdicts = robots_of(outcome)
    assert set(verdicts) == {OPEN, PRIVATE}, "the map is found by the Sitemap line of the copy"
    assert verdicts[PRIVATE][:2] == ("blocked", "blocked")
    assert verdicts[PRIVATE][2].endswith(", 30 hours old)")
    assert verdicts[OPEN][:2] == ("indexable", "allowed")
    [finding] = outcome.findings["robots-server-error"]
    assert ", 30 hours old, which decides meanwhile" in finding["reality"]
    assert "entry-blocked-by-robots" not in outcome.findings, "an outage is one finding, not one a page"


def test_a_copy_survives_any_number_of_outages(tmp_path: Path) -> None:
    failed = failing_run(tmp_path, good_h=30, failing_h=20)
    again = run_folder(tmp_path / "again", seen(RobotsState.UNREACHABLE, 0, 10), failed)
    moved = replace(seen(RobotsState.OK, 200, 1), origin="https://x.example")
    last = run_folder(tmp_path / "last", moved, again)
    folder = RunFolder(tmp_path / "now")
    folder.create()
    assert take_over(RunFolder(last), folder) == (2, 1)
    known = dict(robots_past(folder))
    since = known[SHOP].outage_since
    assert since is not None
    assert round((datetime.now(UTC) - since).total_seconds() / 3600) == 20
    assert b"disallow: /private" in (known[SHOP].last_good or b"")
    assert known["https://x.example"].outage_since is None


def test_an_answer_without_rules_ends_the_copy(tmp_path: Path) -> None:
    failed = failing_run(tmp_path, good_h=30, failing_h=20)
    gone = run_folder(tmp_path / "gone", seen(RobotsState.MISSING, 404, 10), failed)
    folder = RunFolder(tmp_path / "now")
    folder.create()
    assert take_over(RunFolder(gone), folder) == (0, 0)
    assert dict(robots_past(folder)) == {}


def test_the_newest_finished_run_of_the_same_sites_is_taken(tmp_path: Path) -> None:
    old = run_folder(tmp_path / "old", seen(RobotsState.OK, 200, 9))
    new = run_folder(tmp_path / "new", seen(RobotsState.OK, 200, 5))
    run_folder(tmp_path / "other", seen(RobotsState.OK, 200, 1), sites=("https://other.example/",))
    run_folder(tmp_path / "stopped", seen(RobotsState.OK, 200, 1), state="interrupted")
    (tmp_path / "no run").mkdir()
    for age, path in ((2, old), (1, new)):
        os.utime(path / "run.json", ns=(0, time.time_ns() - age * 10**9))
    folder = RunFolder(tmp_path / "now")
    found = find_earlier(folder, RunFolder(old).read())
    assert found is not None
    assert found.path == new


@pytest.mark.parametrize("name", ["empty", "nowhere", "out"])
def test_an_earlier_run_that_is_none_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    (tmp_path / "empty").mkdir()
    code = main(["run", SHOP, "--previous", str(tmp_path / name), "--out", str(tmp_path / "out")])
    said = capsys.readouterr()
    assert (code, said.out, said.err.count("\n")) == (2, "", 1)
    assert "--previous" in said.err
    assert not (tmp_path / "out").exists()
