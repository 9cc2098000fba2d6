"""The run folder: run.json, where things lie in it, and who may write to it.

run.json is written to a temporary name and renamed, so that a reader never sees half of it. It holds
nothing secret: of `--header` only the names are kept.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import orjson
import psutil

from sitemap_audit.errors import RunFolderError
from sitemap_audit.options import RunOptions, Transport

FORMAT: Final = 1
"""Number of the folder's layout; another one is refused with the mend."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One line of the view `runs`, and what `resume` needs to go on."""

    run_id: str
    state: str
    """running, interrupted or done."""
    started_at: datetime
    finished_at: datetime | None = None
    options: RunOptions
    transport: Transport = field(default_factory=Transport)
    header_names: tuple[str, ...] = ()
    sites_given: tuple[str, ...] = ()
    previous: str | None = None
    """Folder of the earlier run whose robots.txt files were taken over (store/past.py); None = of none."""
    redis: str | None = None
    """URL of the server without its password; None = a private server."""
    workers_wanted: int | None = None
    discovered: bool = False
    """The spider has finished: the list of entries is whole."""
    looked: tuple[str, ...] = ()
    """Where sitemaps were looked for."""
    versions: dict[str, str] = field(default_factory=dict)
    counts: dict[str, Any] = field(default_factory=dict)
    workers: dict[str, int] = field(default_factory=dict)
    """Worker name → URLs it checked."""
    first_enqueued_at: datetime | None = None
    """When the first batch of this run, or of its last resumption, went into the queue."""
    last_stored_at: datetime | None = None
    """When the last facts were on disk: with the former, how long checking took (benchmarks/)."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds, or held, a run folder. `began` in seconds since 1970."""

    machine: str
    pid: int
    began: float

    @property
    def alive(self) -> bool | None:
        """Does that process live? None: it is of another machine, from here nobody can say."""
        if self.machine != socket.gethostname():
            return None
        try:
            process = psutil.Process(self.pid)
            return abs(process.create_time() - self.began) < 2 and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False
        except psutil.AccessDenied:
            return True


@dataclass(frozen=True, slots=True)
class RunFolder:
    path: Path

    @property
    def facts(self) -> Path:
        return self.path / "facts"

    @property
    def log(self) -> Path:
        return self.path / "audit.log"

    @property
    def server(self) -> Path:
        return self.path / ".server"

    @property
    def record_file(self) -> Path:
        return self.path / "run.json"

    def create(self) -> None:
        """Make the folder; one that already holds a run is refused."""
        if self.record_file.exists():
            raise RunFolderError(
                f"{self.path} already holds a run: go on with `sitemap-audit resume {self.path}`, "
                "or choose another --out"
            )
        try:
            self.facts.mkdir(parents=True, exist_ok=True)
        except OSError as err:
            raise RunFolderError(f"cannot make the run folder {self.path}: {err.strerror}") from None

    def write(self, record: RunRecord) -> None:
        """Replace run.json. OSError when the disk does not take it: the old one stands then."""
        # No copy of what is inside: with thousands of SITEs that takes a tenth of a second.
        data = {f.name: getattr(record, f.name) for f in fields(record)}
        data["format"] = FORMAT
        data["transport"] = replace(record.transport, headers=())
        temporary = self.path / ".run.json.new"
        try:
            with temporary.open("wb") as file:
                file.write(orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z) + b"\n")
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self.record_file)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise

    def resume_command(self, redis: str | None) -> str:
        """What goes on with the run. `redis`: its server as run.json names it, without the password; None = its own."""
        if redis is None:
            return f"sitemap-audit resume {self.path}"
        scheme, _, rest = redis.partition("://")
        where = f"{scheme}://{rest}" if scheme == "unix" else f"{scheme}://[USER:PASSWORD@]{rest}"
        return f"sitemap-audit resume {self.path} --redis {where}"

    def read(self) -> RunRecord:
        """Raises RunFolderError when this is no run folder of ours."""
        try:
            data = orjson.loads(self.record_file.read_bytes())
        except FileNotFoundError:
            raise RunFolderError(
                f"{self.path} holds no run.json: it is not the folder of a run. Runs lie in audits/HOST/TIME "
                "unless --out said otherwise"
            ) from None
        except OSError as err:
            raise RunFolderError(f"cannot read {self.record_file}: {err.strerror}") from None
        except orjson.JSONDecodeError:
            raise RunFolderError(f"{self.record_file} is not readable JSON: restore it from a copy") from None
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise RunFolderError(
                f"{self.record_file} has another format than this version reads ({FORMAT}): "
                "use the version of sitemap-audit that wrote it"
            )
        return _record(data)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder against another coordinator, also one that died: RunFolderError if it is taken."""
        handle = os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise RunFolderError(
                    f"another process is at work on {self.path}: wait for it, or stop it first"
                ) from None
            os.ftruncate(handle, 0)
            os.write(handle, _who())
            yield
        finally:
            os.close(handle)

    def holder(self) -> Holder | None:
        """The process that works on the folder, or did last; None where nobody ever did. Takes no lock."""
        try:
            machine, pid, began = (self.path / ".lock").read_text("utf-8").split()
            return Holder(machine, int(pid), float(began))
        except (OSError, ValueError):
            return None


def _who() -> bytes:
    """A number of a process may come back; together with the time of its start it does not."""
    return f"{socket.gethostname()} {os.getpid()} {psutil.Process().create_time():.3f}\n".encode()


def _record(data: dict[str, Any]) -> RunRecord:
    known = {k: v for k, v in data.items() if k in RunRecord.__dataclass_fields__}
    known["options"] = RunOptions.from_json(orjson.dumps(known["options"]))
    known["transport"] = Transport.from_json(orjson.dumps(known["transport"]))
    for name in ("started_at", "finished_at", "first_enqueued_at", "last_stored_at"):
        if known.get(name):
            known[name] = datetime.fromisoformat(known[name])
    for name in ("header_names", "sites_given", "looked"):
        known[name] = tuple(known.get(name, ()))
    return RunRecord(**known)


def finished(record: RunRecord, state: str) -> RunRecord:
    return replace(record, state=state, finished_at=datetime.now(UTC))


def default_out(host: str, now: datetime) -> Path:
    """`audits/<host>/20261130T121512Z` (CONTRACT, --out)."""
    name = re.sub(r"[^a-z0-9.-]", "_", host.lower(), flags=re.ASCII)[:100].lstrip(".") or "site"
    return Path("audits") / name / now.strftime("%Y%m%dT%H%M%SZ")


def new_run_id() -> str:
    """Letters and digits: part of Redis keys, job ids and file names."""
    return datetime.now(UTC).strftime("%Y%m%d") + "x" + secrets.token_hex(5)
