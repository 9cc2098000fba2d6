"""A run that cannot go on for a while: it says so once, waits, and goes on by itself with nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
import redis

from sitemap_audit.queue.private import start_valkey
from tests.cli.audit import QUICK, call, interrupt, start, until
from tests.cli.slow_site import SHOP, asked, no_traceback, slow_shop, whole
from tests.site.server import serve

PAGES = 120


class Said:
    """What a command says on stderr, as it comes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stderr is not None
        self._file = process.stderr
        os.set_blocking(self._file.fileno(), False)
        self.text = ""

    def holds(self, words: str) -> bool:
        self.text += (self._file.read() or b"").decode()
        return words in self.text

    def count(self, words: str) -> int:
        self.holds(words)
        return sum(words in line for line in self.text.splitlines())


def run_of(out: Path, *arguments: str) -> subprocess.Popen[bytes]:
    return start("run", SHOP, "--out", str(out), *QUICK, *arguments, out=out)


def finished(process: subprocess.Popen[bytes], said: Said, seconds: float = 60) -> None:
    until(lambda: (said.holds("") and False) or process.poll() is not None, "the run ends", seconds)
    said.holds("")
    assert process.returncode == 0, said.text


def no_room(process: subprocess.Popen[bytes], *, room: bool = False) -> None:
    """The coordinator can write no file any more beyond some bytes, as on a full disk; or can again."""
    limit = psutil.RLIM_INFINITY if room else 16
    psutil.Process(process.pid).rlimit(psutil.RLIMIT_FSIZE, (limit, psutil.RLIM_INFINITY))


def test_a_full_disk_is_waited_for(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with serve(slow_shop(1, PAGES, page_s=0.1)) as site:
        process = run_of(out, *site.arguments)
        said = Said(process)
        until(lambda: asked(site, "/0/") > 12, "pages are asked")
        no_room(process)
        until(lambda: said.holds("paused: the disk"), "the pause is said", 15)
        time.sleep(1.5)  # more than one look
        no_room(process, room=True)
        finished(process, said)
    assert said.count("Nothing is lost") == 1, said.text
    assert said.count("going on after") == 1
    assert not list(out.rglob(".new-*")), "nothing unfinished is left"
    assert not list(out.rglob(".run.json.new"))
    whole(out, PAGES)


def test_ctrl_c_while_the_disk_is_full_says_where_things_stand(tmp_path: Path) -> None:
    out = tmp_path / "r"
    with serve(slow_shop(1, PAGES, page_s=0.1)) as site:
        process = run_of(out, *site.arguments)
        said = Said(process)
        until(lambda: asked(site, "/0/") > 12, "pages are asked")
        no_room(process)
        until(lambda: said.holds("paused: the disk"), "the pause is said", 15)
        began = time.monotonic()
        code, rest = interrupt(process)
        assert code == 130, rest
        assert time.monotonic() - began < 8
        (line,) = [line for line in rest.splitlines() if "interrupted while the disk" in line]
        assert f"of {PAGES} listed URLs were checked" in line
        assert line.endswith(f"sitemap-audit resume {out}")
        before = asked(site, "/0/")
        done = call("resume", str(out), out=out)
        assert done.code == 0, done.stderr
        # What came in before stands in the log of the run's own server.
        assert before + asked(site, "/0/") < 3 * PAGES
    whole(out, PAGES)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", folder], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("only root may mount a small file system")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_disk_that_is_full_for_the_server_too(small_disk: Path) -> None:
    """The log of the run's own server lies on it: it takes no write, and no worker crashes."""
    out, ballast = small_disk / "r", small_disk / "ballast"
    with serve(slow_shop(1, 300, page_s=0.1)) as site:
        process = run_of(out, *site.arguments)
        said = Said(process)
        until(lambda: asked(site, "/0/") > 12, "pages are asked")
        with ballast.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        until(lambda: said.holds("paused: the disk"), "the pause is said", 20)
        until(lambda: "MISCONF" in server_word(out), "the server takes no write", 10)
        time.sleep(2)
        ballast.unlink()
        finished(process, said)
    assert said.count("Nothing is lost") == 1, said.text
    no_traceback(out)
    whole(out, 300)


def server_word(out: Path) -> str:
    """What the run's own server says to a write."""
    (process,) = [
        p
        for p in psutil.process_iter(["cmdline"])
        if "valkey" in " ".join(p.info["cmdline"] or ()) and str(out) in str(p.cwd())
    ]
    (path,) = {c.laddr for c in process.net_connections("unix") if c.laddr}
    with redis.Redis.from_url(f"unix://{path}") as client:
        try:
            client.set("sitemap-audit-test", 1)
        except redis.RedisError as error:
            return f"{getattr(error, 'status_code', '')} {error}"
    return ""


class Server:
    """A server given by URL, as an operator runs one."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.path = Path(f"/tmp/sitemap-audit-pause-{os.getpid()}.sock")
        self.url = f"unix://{self.path}?db=0"
        self.start()

    def start(self) -> None:
        self.server = start_valkey(self.state, self.path)
        self.client = redis.Redis.from_url(self.url)
        self.pid = int(self.client.info("server")["process_id"])

    def kill(self) -> None:
        """SIGKILL; its data stays on disk."""
        os.kill(self.pid, signal.SIGKILL)
        self.server.terminate()
        self.client.close()

    def empty(self) -> None:
        for file in self.state.rglob("*.aof*"):
            file.unlink()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    found = Server(tmp_path / "server")
    yield found
    found.kill()
    for left_over in (found.path, found.path.with_suffix(".data")):
        left_over.unlink(missing_ok=True)


def full(server: Server) -> Callable[[], object]:
    server.client.config_set("maxmemory", 1)
    return lambda: server.client.config_set("maxmemory", "1gb")


def replica(server: Server) -> Callable[[], object]:
    server.client.replicaof("127.0.0.1", "9")
    return lambda: server.client.replicaof("NO", "ONE")


def other_password(server: Server) -> Callable[[], object]:
    server.client.config_set("requirepass", "new")
    server.client.client_kill_filter(_type="normal", skipme=True)
    return lambda: server.client.config_set("requirepass", "")


def forbidden(server: Server) -> Callable[[], object]:
    server.client.acl_setuser("admin", enabled=True, nopass=True, keys=["*"], categories=["+@all"])
    admin = redis.Redis.from_url(server.url, username="admin", password="any")
    server.client.acl_setuser("default", enabled=True, nopass=True, keys=["*"], commands=["-set", "-xadd"])
    return lambda: admin.acl_setuser("default", enabled=True, nopass=True, keys=["*"], categories=["+@all"])


def away(server: Server) -> Callable[[], object]:
    server.kill()
    return server.start


def hung(server: Server) -> Callable[[], object]:
    os.kill(server.pid, signal.SIGSTOP)
    return lambda: os.kill(server.pid, signal.SIGCONT)


TROUBLES: dict[str, tuple[Callable[[Server], Callable[[], object]], str]] = {
    "memory": (full, "the memory of the Redis server is full"),
    "replica": (replica, "is a replica now"),
    "password": (other_password, "refuses our user or password"),
    "acl": (forbidden, "forbids its user a command"),
    "away": (away, "does not answer"),
    "hung": (hung, "does not answer"),
}


def test_a_given_server_in_trouble_is_waited_for(tmp_path: Path, server: Server) -> None:
    """One trouble after the other in one run: each is said once, waited for and over with what it needs."""
    out, pages = tmp_path / "r", 60 * len(TROUBLES)
    with serve(slow_shop(1, pages, page_s=0.1)) as site:
        process = run_of(out, "--redis", server.url, *site.arguments)
        said = Said(process)
        for number, (trouble, words) in enumerate(TROUBLES.values(), 1):
            before, had = asked(site, "/0/"), said.count(words)
            until(lambda before=before: asked(site, "/0/") > before + 12, "pages are asked")  # type: ignore[misc]
            assert process.poll() is None, said.text
            mend = trouble(server)
            until(
                lambda words=words, had=had, number=number: (  # type: ignore[misc]
                    said.count(words) > had and said.count("Nothing is lost") == number
                ),
                "the pause is said",
                20,
            )
            mend()
            until(lambda number=number: said.count("going on after") == number, "it goes on")  # type: ignore[misc]
        finished(process, said)
    assert said.count("Nothing is lost") == len(TROUBLES), said.text
    assert said.count("going on after") == len(TROUBLES), said.text
    no_traceback(out)
    whole(out, pages)


def wiped(server: Server) -> None:
    server.client.flushall()


def restarted_empty(server: Server) -> None:
    server.kill()
    server.empty()
    server.start()


def connections_killed(server: Server) -> None:
    for _ in range(5):
        server.client.client_kill_filter(_type="normal", skipme=True)
        time.sleep(0.1)


def scripts_flushed(server: Server) -> None:
    end = time.monotonic() + 2
    while time.monotonic() < end:
        server.client.script_flush()


def in_any_way(server: Server) -> None:
    """No data is lost by these."""
    connections_killed(server)
    scripts_flushed(server)


@pytest.mark.parametrize(
    ("loss", "discovering"), [(wiped, True), (restarted_empty, False), (in_any_way, False)]
)
def test_a_given_server_that_loses_its_data(
    tmp_path: Path, server: Server, loss: Callable[[Server], None], discovering: bool
) -> None:
    """All of it in the middle of discovery or of checking; or its connections and scripts only."""
    out = tmp_path / "r"
    with serve(slow_shop(3, 40, file_s=1.0 if discovering else 0.0, page_s=0.1)) as site:
        concurrency = ("--concurrency", "1") if discovering else ()
        process = run_of(out, "--redis", server.url, *concurrency, *site.arguments)
        said = Said(process)
        until(lambda: asked(site, "/0/") > 3, "pages are asked")
        loss(server)
        finished(process, said)
    no_traceback(out)
    whole(out, 120)
