"""`status`: a run that goes on, seen from another terminal; one that is over, was killed, or is not there."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from sitemap_audit.cli import main
from sitemap_audit.options import RunOptions
from sitemap_audit.queue.private import private_server, private_url
from sitemap_audit.queue.server import connect
from sitemap_audit.queue.status import RunState, RunStatus, put_status
from sitemap_audit.store.folder import RunFolder, RunRecord
from tests.cli.audit import COMMAND, STARTED, call, environment, interrupt, start, until
from tests.cli.slow_site import SHOP, slow_shop
from tests.site.server import serve

PAGES = 400
ELSEWHERE = environment() | {"XDG_RUNTIME_DIR": "/nonexistent", "TMPDIR": "/tmp"}
"""Of another terminal: a socket's place made from this would be another one."""


def status(*arguments: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """From another terminal."""
    return subprocess.run(
        [*COMMAND, "status", *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env=ELSEWHERE,
    )


def test_a_run_that_goes_on_is_seen_from_another_terminal_until_it_is_stopped(tmp_path: Path) -> None:
    out, lines = tmp_path / "r", tmp_path / "looks"
    with serve(slow_shop(1, PAGES, page_s=0.1)) as site, lines.open("wb") as looks_file:
        process = start(
            "run", SHOP, "--out", str(out), "--rate", "10", "--recheck-after", "0", "--workers", "1",
            "--log-format", "json", *site.arguments, out=out,
        )  # fmt: skip
        until(lambda: len(site.requests("shop.example")) > 8, "pages are asked")
        watching = subprocess.Popen(
            [*COMMAND, "status", str(out), "--watch", "0.3", "--format", "json"],
            stdout=looks_file,
            env=ELSEWHERE,
        )
        STARTED.append(watching)
        text = status(str(out))
        until(lambda: b"checking" in lines.read_bytes(), "a look is written")
        code, stderr = interrupt(process)
        watching.communicate(timeout=30)
    assert text.returncode == 0, text.stderr
    words = {line[:11].strip() for line in text.stdout.splitlines()}
    assert {"run", "state", "began", "sitemaps", "listed", "rate", "batches", "server", "worker"} <= words
    assert f"{PAGES} = checked " in text.stdout
    looks: list[dict[str, Any]] = [json.loads(line) for line in lines.read_bytes().splitlines()]
    assert looks[0]["server"]["workers"][0]["queue"] == "main"
    assert sum(looks[0]["by_worker"].values()) == looks[0]["checked"]
    for look in looks:
        reasons = sum(look["skipped"].values()) + sum(look["unchecked"].values())
        assert look["listed"] == look["checked"] + look["waiting"] + reasons
    assert (looks[-1]["state"], watching.returncode) == ("interrupted", 130)
    assert looks[-1]["resume"] == f"sitemap-audit resume {out}"
    assert code == 130
    assert json.loads(stderr.splitlines()[-1])["event"] == f"Go on with: sitemap-audit resume {out}"


def record(out: Path, state: str, **changed: Any) -> RunFolder:
    """A run folder in this state, without a run."""
    folder = RunFolder(out)
    folder.create()
    now = datetime.now(UTC)
    made = RunRecord(
        run_id="20261130xabc",
        state=state,
        started_at=now - timedelta(seconds=90),
        options=RunOptions(run_id="20261130xabc", sites=("https://a.example",)),
        sites_given=("https://a.example",),
        counts={
            "listed": 10,
            "checked": 7,
            "skipped": {"robots": 1},
            "unchecked": {"rate_limited": 2},
            "waiting": 0,
        },
        workers={"w1": 7},
    )
    folder.write(replace(made, **changed))
    return folder


def seen(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["status", *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture(autouse=True)
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SITEMAP_AUDIT_REDIS", raising=False)


def test_a_run_that_is_done_says_what_was_not_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    now = datetime.now(UTC)
    record(tmp_path / "r", "done", finished_at=now)
    code, out, _ = seen(capsys, str(tmp_path / "r"))
    assert code == 3
    assert "state      done\n" in out
    assert "10 = checked 7 + skipped 1 (robots 1) + unchecked 2 (rate_limited 2)\n" in out
    code, out, _ = seen(capsys, str(tmp_path / "r"), "--format", "json")
    assert json.loads(out)["unchecked"] == {"rate_limited": 2}


def test_an_interrupted_run_names_the_way_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r"
    record(out, "interrupted", finished_at=datetime.now(UTC))
    code, said, _ = seen(capsys, str(out))
    assert code == 130
    assert f"interrupted; resume with: sitemap-audit resume {out}" in said


def test_a_run_whose_process_is_gone_was_killed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r"
    folder = record(out, "running")
    with folder.locked():
        holder = folder.holder()
        assert holder is not None
        assert holder.alive
    gone = subprocess.Popen(["true"])
    gone.wait()
    (out / ".lock").write_text(f"{socket.gethostname()} {gone.pid} 1.0\n")
    code, said, _ = seen(capsys, str(out))
    assert code == 130
    assert f"no process holds it: it was killed; resume with: sitemap-audit resume {out}" in said
    (out / ".lock").write_text("another-machine 1 1.0\n")
    code, said, _ = seen(capsys, str(out))
    assert code == 0, "from here nobody can say"
    assert "figures are of run.json" in said


def test_what_is_no_run_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], server_url: str
) -> None:
    code, out, err = seen(capsys, str(tmp_path))
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    code, out, err = seen(capsys, "nobody", "--redis", server_url)
    assert (code, out) == (2, "")
    assert "knows no run 'nobody'" in err
    code, out, err = seen(capsys, str(tmp_path), "5")
    assert (code, out) == (2, "")


def test_a_run_is_known_by_its_id_on_its_server(capsys: pytest.CaptureFixture[str], server_url: str) -> None:
    with connect(server_url) as client:
        client.flushall()
        said = RunStatus(
            run="r7", state=RunState.PAUSING, why="the disk is full", machine="m1", pid=7, listed=3
        )
        put_status(client, replace(said, waiting=3))
        code, out, _ = seen(capsys, "r7", "--redis", server_url)
        assert code == 0
        assert "pausing: the disk is full" in out
        assert "none has joined" in out
        client.expire("sitemap-audit:r7:status", 86_400 - 60)
        code, out, _ = seen(capsys, "r7", "--redis", server_url)
        assert code == 130
        assert "its coordinator (m1, process 7) has said nothing for 1 min 0" in out


def test_the_private_server_of_a_folder_is_found_without_the_environment_of_its_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / ".server"
    assert private_url(state) is None
    with private_server(state) as url:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
        found = private_url(state)
        assert found == url
        with connect(url) as client:
            assert client.ping()
    (state / "socket").write_bytes(os.urandom(20))
    assert private_url(state) is None


def test_an_address_that_is_taken_stops_a_run_before_it_begins(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f":{taken.getsockname()[1]}"
        done = call("run", SHOP, "--out", str(tmp_path / "r"), "--metrics", address, out=tmp_path / "r")
        worker = call(
            "run", SHOP, "--out", str(tmp_path / "r"), "--metrics", "nonsense", "--log-format", "json",
            out=tmp_path / "r",
        )  # fmt: skip
    assert done.code == 2
    assert done.stderr.count("\n") == 1
    assert f"--metrics 127.0.0.1{address} cannot be used" in done.stderr
    assert not (tmp_path / "r").exists()
    assert worker.code == 2
    assert orjson.loads(worker.stderr)["level"] == "error"


@pytest.mark.parametrize(
    ("redis", "way_on"),
    [
        (None, ""),
        ("redis://queue.example:6379/0", " --redis redis://[USER:PASSWORD@]queue.example:6379/0"),
        ("unix:///run/queue.sock?db=0", " --redis unix:///run/queue.sock?db=0"),
    ],
)
def test_the_command_that_goes_on_names_the_server(tmp_path: Path, redis: str | None, way_on: str) -> None:
    assert RunFolder(tmp_path).resume_command(redis) == f"sitemap-audit resume {tmp_path}{way_on}"
