"""The private server and the check of a given one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from sitemap_audit.errors import RunFolderError, ServerError
from sitemap_audit.queue.private import private_folder, private_server
from sitemap_audit.queue.server import check_server, connect

ROOT = Path(__file__).parents[2]
OWNER = """
import sys, time
from pathlib import Path
from sitemap_audit.queue.private import private_server
from sitemap_audit.queue.server import connect
with private_server(Path(sys.argv[1])) as url:
    connect(url).set("kept", "yes")
    print(url, flush=True)
    time.sleep(60)
"""


def test_it_is_private_durable_and_gone_afterwards(tmp_path: Path) -> None:
    state = tmp_path / ("a long folder name " * 6) / ".server"
    with private_server(state) as url, connect(url) as client:
        info = client.info()
        process = psutil.Process(int(info["process_id"]))
        assert info["tcp_port"] == 0
        assert not [c for c in process.net_connections("inet") if c.status == psutil.CONN_LISTEN]
        assert client.config_get("appendonly")["appendonly"] == "yes"
        assert check_server(client) == []
        client.set("kept", "yes")
        process.send_signal(signal.SIGINT)  # Ctrl-C of the terminal
        assert client.ping()
    assert not process.is_running()
    with private_server(state) as url, connect(url) as client:
        assert client.get("kept") == b"yes"


def test_the_sockets_lie_in_a_folder_of_our_own() -> None:
    folder = private_folder()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert len(str(folder)) <= 80


def test_two_runs_on_one_folder_are_refused(tmp_path: Path) -> None:
    with (
        private_server(tmp_path / ".server"),
        pytest.raises(RunFolderError, match="Another process works on"),
        private_server(tmp_path / ".server"),
    ):
        pytest.fail("two servers on one folder")


def test_the_server_of_a_killed_run_is_adopted(tmp_path: Path) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path / ".server")],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert owner.stdout is not None
    first = owner.stdout.readline().strip()
    with connect(first) as client:
        orphan = psutil.Process(int(client.info()["process_id"]))
    owner.kill()
    owner.wait()
    owner.stdout.close()
    assert orphan.is_running()
    with private_server(tmp_path / ".server") as url, connect(url) as client:
        assert url == first
        assert int(client.info()["process_id"]) == orphan.pid
        assert client.get("kept") == b"yes"
    psutil.wait_procs([orphan], timeout=5)
    assert not orphan.is_running() or orphan.status() == psutil.STATUS_ZOMBIE
    name = Path(first.removeprefix("unix://").partition("?")[0]).stem
    assert list(private_folder().glob(f"{name}.*")) == [], "nothing is left behind"


def test_a_server_that_is_killed_comes_back_with_its_data(tmp_path: Path) -> None:
    with private_server(tmp_path / ".server") as url, connect(url) as client:
        for kept in (b"once", b"twice"):
            before = psutil.Process(int(client.info()["process_id"]))
            client.set("kept", kept)
            before.kill()
            assert client.get("kept") == kept, "a patient client only waits"
            after = psutil.Process(int(client.info()["process_id"]))
            assert after.pid != before.pid
    psutil.wait_procs([after], timeout=5)
    assert not after.is_running()


def test_an_adopted_server_that_is_killed_comes_back_too(tmp_path: Path) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path / ".server")],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert owner.stdout is not None
    owner.stdout.readline()
    owner.kill()
    owner.wait()
    owner.stdout.close()
    with private_server(tmp_path / ".server") as url, connect(url) as client:
        psutil.Process(int(client.info()["process_id"])).kill()
        assert client.get("kept") == b"yes"


def test_a_server_that_evicts_is_refused(tmp_path: Path) -> None:
    with private_server(tmp_path / ".server") as url, connect(url) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        with pytest.raises(ServerError, match="noeviction"):
            check_server(client)


def test_a_replica_is_refused(tmp_path: Path) -> None:
    with private_server(tmp_path / ".server") as url, connect(url) as client:
        client.execute_command("REPLICAOF", "127.0.0.1", "1")
        with pytest.raises(ServerError, match="replica"):
            check_server(client)
        client.execute_command("REPLICAOF", "NO", "ONE")


def test_a_server_that_wants_a_password_is_named(tmp_path: Path) -> None:
    with private_server(tmp_path / ".server") as url, connect(url) as client:
        client.config_set("requirepass", "secret")
        with connect(url) as stranger, pytest.raises(ServerError, match="password"):
            check_server(stranger)
        with connect(url.replace("unix://", "unix://:secret@")) as friend:
            friend.config_set("requirepass", "")


def test_nobody_there_and_a_wrong_url() -> None:
    with (
        connect("redis://127.0.0.1:1/0", patient=False) as client,
        pytest.raises(ServerError, match="No Redis server answers"),
    ):
        check_server(client)
    with pytest.raises(ServerError, match="redis://") as caught:
        connect("http://user:secret@example.com/")
    assert "secret" not in str(caught.value)


def test_a_patient_client_outlives_a_restart(tmp_path: Path) -> None:
    with private_server(tmp_path / ".server") as url:
        client = connect(url)
        client.set("kept", "yes")
    began = time.monotonic()
    with connect(url, patient=False) as hasty, pytest.raises(ServerError):
        check_server(hasty)
    assert time.monotonic() - began < 3
    with private_server(tmp_path / ".server"):
        assert client.get("kept") == b"yes"
        client.close()
