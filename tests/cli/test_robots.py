"""`sitemap-audit robots`: verdicts with their lines, drafts, and a draft held against a run."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from sitemap_audit.cli import main
from sitemap_audit.facts import Entry, RobotsFile, RobotsState
from sitemap_audit.formats.robots import read_robots
from sitemap_audit.formats.robots_policy import RobotsPolicy, robots_file
from sitemap_audit.formats.urls import parse_url, url_id
from sitemap_audit.options import RunOptions
from sitemap_audit.store.columns import Kind
from sitemap_audit.store.folder import RunFolder, RunRecord
from sitemap_audit.store.writer import PartWriter
from tests.cli import audit
from tests.site.server import Reply, Site, Sites, serve

pytestmark = pytest.mark.xdist_group("robots")

SHOP, WWW = "https://shop.example", "https://www.shop.example"
APEX_TEXT = "User-agent: *\nDisallow: /cart\n\nUser-agent: Bingbot\nAllow: /\n"
WWW_TEXT = "# www\n\nuser-agent: *\nDisallow: /a\nAllow: /a\nDisallow: /b*\n"
TWINS: Sites = {
    "shop.example": {"/robots.txt": Reply.text(APEX_TEXT)},
    "www.shop.example": {"/robots.txt": Reply.text(WWW_TEXT)},
    "down.example": {"/robots.txt": Reply.text("", 503)},
    "page.example": {"/robots.txt": Reply.html("<!doctype html><title>Home</title>")},
    "moved.example": {"/robots.txt": Reply.to(f"{SHOP}/robots.txt", 302)},
    "none.example": {"/": Reply.html("<title>No robots.txt</title>")},
}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serve(TWINS) as running:
        yield running


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["robots", *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def data(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    code, out, _ = told(capsys, *arguments, "--format", "json")
    return code, json.loads(out)


def bot(found: dict[str, Any], name: str) -> dict[str, Any]:
    row: dict[str, Any] = next(row for row in found["bots"] if row["bot"] == name)
    return row


def test_www_and_apex_are_two_files(capsys: pytest.CaptureFixture[str], site: Site) -> None:
    before = len(site.requests())
    code, found = data(capsys, f"{SHOP}/cart/1", f"{WWW}/cart/1", f"{WWW}/a", f"{WWW}/bb", *site.arguments)
    assert [r.path for r in site.requests()[before:]] == ["/robots.txt"] * 2, "each file once"
    cart, www_cart, tie, wild = found
    assert code == 1, "one of them is blocked"
    assert (bot(cart, "googlebot")["verdict"], bot(cart, "googlebot")["line"]) == ("blocked", 2)
    assert bot(cart, "googlebot")["rule"] == "Disallow: /cart"
    assert (bot(cart, "bingbot")["verdict"], bot(cart, "bingbot")["line"]) == ("allowed", 5)
    assert (bot(cart, "bingbot")["group_line"], bot(cart, "bingbot")["star_allowed"]) == (4, False)
    assert (bot(www_cart, "googlebot")["verdict"], bot(www_cart, "googlebot")["line"]) == ("allowed", None)
    assert (bot(tie, "*")["line"], bot(tie, "*")["tie_line"]) == (5, 4)
    assert bot(wild, "googlebot")["context"] == [
        {"line": 3, "text": "user-agent: *"},
        {"line": 4, "text": "Disallow: /a"},
        {"line": 5, "text": "Allow: /a"},
        {"line": 6, "text": "Disallow: /b*"},
    ]


def test_a_run_judges_www_and_apex_by_a_file_each(tmp_path: Path) -> None:
    page, listed = (
        Reply.html("<title>A page</title>"),
        (f"{SHOP}/cart/1", f"{WWW}/cart/1", f"{WWW}/a", f"{WWW}/bb"),
    )
    locs = "".join(f"<url><loc>{url}</loc></url>" for url in listed)
    head = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    sites: Sites = {
        "shop.example": {
            "/robots.txt": Reply.text(APEX_TEXT),
            "/sitemap.xml": Reply.xml(f"{head}{locs}</urlset>"),
            "*": page,
        },
        "www.shop.example": {"/robots.txt": Reply.text(WWW_TEXT), "*": page},
    }
    with serve(sites) as twins:
        outcome = audit.run(SHOP, twins.arguments, out=tmp_path / "run")
        asked = {(r.host, r.path) for r in twins.requests()}
    rows = {
        r["url"]: (r["verdict"], r["robots"], r["robots_rule"], r["robots_line"])
        for r in outcome.rows("urls.csv")
    }
    assert rows[f"{SHOP}/cart/1"] == ("blocked", "blocked", "Disallow: /cart", "2")
    assert rows[f"{WWW}/cart/1"][1:] == ("allowed", "", "")
    assert rows[f"{WWW}/a"][1:] == ("allowed", "Allow: /a", "5")
    assert rows[f"{WWW}/bb"] == ("blocked", "blocked", "Disallow: /b*", "6")
    assert asked.isdisjoint({("shop.example", "/cart/1"), ("www.shop.example", "/bb")})
    files = {r["origin"]: (r["state"], r["blocked_urls"]) for r in outcome.rows("robots.csv")}
    assert files == {SHOP: ("ok", "1"), WWW: ("ok", "1")}
    blocked = {f["url"]: f["reality"] for f in outcome.findings["entry-blocked-by-robots"]}
    assert blocked.keys() == {f"{SHOP}/cart/1", f"{WWW}/bb"}
    assert f"{WWW}/robots.txt, line 6" in blocked[f"{WWW}/bb"]


def test_the_text_shows_the_deciding_line_among_its_neighbours(
    capsys: pytest.CaptureFixture[str], site: Site
) -> None:
    code, out, _ = told(capsys, f"{SHOP}/cart", "--bot", "Bingbot", "--bot", "other", *site.arguments)
    assert code == 0, "the first bot counts"
    assert "answered 200 (ok)" in out
    assert "  bingbot          allowed  line 5: Allow: / (group of line 4)" in out
    assert "  other            blocked  line 2: Disallow: /cart (group of line 1)" in out
    assert "  >     2  Disallow: /cart\n" in out
    assert "        1  User-agent: *\n" in out


@pytest.mark.parametrize(
    ("host", "mode", "code", "verdict", "means"),
    [
        ("down.example", "google", 3, "unknown", "pauses crawling"),
        ("down.example", "rfc", 1, "blocked", "everything is disallowed"),
        ("page.example", "google", 0, "allowed", "a web page"),
        ("moved.example", "google", 1, "blocked", "its rules hold"),
        ("none.example", "google", 0, "allowed", "as if there were none"),
    ],
)
def test_how_the_file_was_answered(
    capsys: pytest.CaptureFixture[str], site: Site, host: str, mode: str, code: int, verdict: str, means: str
) -> None:
    got, found = data(capsys, f"https://{host}/cart", "--robots-mode", mode, *site.arguments)
    assert (got, bot(found, "googlebot")["verdict"]) == (code, verdict)
    assert means in found["means"]


def test_a_draft_is_judged_without_a_request(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "draft.txt"
    file.write_bytes(b"User-agent: *\nDisalow: /x\nDisallow: private\nCrawl-delay: 3\nwhat\x1b[31m\n")
    code, out, _ = told(capsys, f"{SHOP}/x", "--file", str(file))
    assert code == 1
    assert "line 2: Disallow: /x" in out
    assert "line 2 is misspelt" in out
    assert "line 3 does not begin with /" in out
    assert "\x1b" not in out


def test_a_draft_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"User-agent: *\nDisallow: /\n")))
    code, found = data(capsys, SHOP, "--file", "-")
    assert (code, found["answered"], found["draft"]) == (1, "the draft standard input", True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "needs a URL"),
        ((SHOP, "--bot", "Googlebot/2.1"), "product token"),
        ((SHOP, "--format", "csv"), "belong to --against"),
        (("--against", "."), "give it with --file"),
        ((SHOP, "--file", "no-such-file"), "cannot read no-such-file"),
        (("--against", ".", "--file", "x"), "run.json"),
    ],
)
def test_wrong_use_is_one_line(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = told(capsys, *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


# --- against a run --------------------------------------------------------------------------------


PATHS = ("/", "/docs/", "/docs/a", "/docs/b?x=1", "/old/1", "/other", "/=cmd")


def seen(origin: str, body: bytes, state: RobotsState = RobotsState.OK, status: int = 200) -> RobotsFile:
    text = read_robots(body)
    policy = RobotsPolicy(f"{origin}/robots.txt", state, text, status=status)
    return robots_file(policy, text, status=status, fetched_at=datetime(2026, 11, 30, 12, tzinfo=UTC))


def entry(url: str, position: int, sitemap: str = f"{SHOP}/sitemap.xml") -> Entry:
    parsed = parse_url(url)
    assert parsed is not None
    return Entry(
        sitemap=sitemap,
        file_id="f",
        position=position,
        line=position + 2,
        url_id=url_id(parsed.key),
        url_key=parsed.key,
        loc_raw=url,
        loc=parsed.href,
    )


def run_folder(path: Path, *facts: Entry | RobotsFile) -> Path:
    folder = RunFolder(path)
    folder.create()
    folder.write(
        RunRecord(run_id="r", state="done", started_at=datetime.now(UTC), options=RunOptions(run_id="r"))
    )
    for kind, of in ((Kind.ENTRIES, Entry), (Kind.ROBOTS, RobotsFile)):
        lines = [orjson.dumps(fact, option=orjson.OPT_UTC_Z) for fact in facts if isinstance(fact, of)]
        writer = PartWriter(folder.facts, kind)
        writer.add(b"\n".join(lines) + b"\n", len(lines))
        writer.flush()
    return path


@pytest.fixture
def audited(tmp_path: Path) -> Path:
    listed = [entry(SHOP + path, n) for n, path in enumerate(PATHS, 1)]
    again = entry(f"{SHOP}/docs/a", 1, sitemap=f"{SHOP}/z.xml")
    return run_folder(
        tmp_path / "run",
        *listed,
        again,
        entry(f"{WWW}/docs/a", 9),
        seen(SHOP, b"User-agent: *\nDisallow: /old/\n\nUser-agent: bingbot\nDisallow:\n"),
    )


DRAFT = b"User-agent: *\nDisallow: /docs/\nAllow: /docs/b\nDisallow: /=\n"


def test_what_a_draft_blocks_and_frees(
    capsys: pytest.CaptureFixture[str], audited: Path, tmp_path: Path
) -> None:
    draft = tmp_path / "draft.txt"
    draft.write_bytes(DRAFT)
    code, found = data(capsys, "--file", str(draft), "--against", str(audited))
    assert code == 1
    assert (found["listed"], found["elsewhere"]) == (7, 1)
    star, bing = found["bots"]
    assert star["bots"] == [
        "googlebot", "googlebot-image", "googlebot-news", "yandex", "applebot", "gptbot", "ccbot", "*",
    ]  # fmt: skip
    assert bing["bots"] == ["bingbot"]
    assert (star["newly_blocked"], star["freed"], star["still_blocked"], star["still_allowed"]) == (
        3,
        1,
        0,
        3,
    )
    assert (bing["newly_blocked"], bing["freed"], bing["still_allowed"]) == (3, 0, 4)
    changes = {c["url"]: c for c in star["changes"]}
    assert set(changes) == {f"{SHOP}/docs/", f"{SHOP}/docs/a", f"{SHOP}/old/1", f"{SHOP}/=cmd"}
    assert changes[f"{SHOP}/docs/a"] == {
        "change": "newly_blocked",
        "url": f"{SHOP}/docs/a",
        "draft_line": 2,
        "draft_rule": "Disallow: /docs/",
        "run_line": None,
        "run_rule": None,
        "sitemap": f"{SHOP}/sitemap.xml",
        "sitemap_line": 5,
    }
    freed = changes[f"{SHOP}/old/1"]
    assert (freed["change"], freed["run_line"], freed["draft_line"]) == ("freed", 2, None)


def test_counts_come_first_and_examples_are_limited(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run = run_folder(tmp_path / "run", *(entry(f"{SHOP}/docs/{n}", n) for n in range(1, 31)), seen(SHOP, b""))
    draft = tmp_path / "draft.txt"
    draft.write_bytes(DRAFT)
    _, out, _ = told(capsys, "--file", str(draft), "--against", str(run))
    assert out.index("newly blocked") < out.index("/docs/1 ")
    assert "the draft's line 2: Disallow: /docs/ (30)" in out
    assert out.count(f"{SHOP}/docs/") == 10
    assert "and 20 more (--all lists them)" in out
    _, out, _ = told(capsys, "--file", str(draft), "--against", str(run), "--all")
    assert out.count(f"{SHOP}/docs/") == 30


def test_the_list_as_csv_holds_no_formula(
    capsys: pytest.CaptureFixture[str], audited: Path, tmp_path: Path
) -> None:
    draft = tmp_path / "draft.txt"
    draft.write_bytes(DRAFT)
    _, out, _ = told(capsys, "--file", str(draft), "--against", str(audited), "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {r["url"] for r in rows if r["bot"] == "googlebot" and r["change"] == "newly_blocked"} == {
        f"{SHOP}/docs/",
        f"{SHOP}/docs/a",
        f"{SHOP}/=cmd",
    }
    assert {r["draft_line"] for r in rows if r["url"].endswith("/docs/a")} == {"2"}


def test_nothing_changes(capsys: pytest.CaptureFixture[str], audited: Path, tmp_path: Path) -> None:
    draft = tmp_path / "draft.txt"
    draft.write_bytes(b"# moved\nUser-agent: bingbot\nAllow: /\n\nUser-agent: *\nDisallow: /old/\n")
    code, found = data(capsys, SHOP, "--file", str(draft), "--against", str(audited))
    assert code == 0
    assert [t["changes"] for t in found["bots"]] == [[], []]


def test_an_outage_of_the_run_leaves_it_open(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run = run_folder(
        tmp_path / "run", entry(f"{SHOP}/docs/a", 1), seen(SHOP, b"", RobotsState.SERVER_ERROR, 503)
    )
    draft = tmp_path / "draft.txt"
    draft.write_bytes(DRAFT)
    code, found = data(capsys, "--file", str(draft), "--against", str(run))
    assert (code, found["bots"][0]["unknown"]) == (3, 1)


def test_another_origin_than_those_of_the_run(
    capsys: pytest.CaptureFixture[str], audited: Path, tmp_path: Path
) -> None:
    draft = tmp_path / "draft.txt"
    draft.write_bytes(DRAFT)
    code, _, err = told(capsys, "https://else.example", "--file", str(draft), "--against", str(audited))
    assert (code, SHOP in err) == (2, True)
    code, _, err = told(capsys, WWW, "--file", str(draft), "--against", str(audited))
    assert (code, "did not read the robots.txt" in err) == (2, True)
