"""Why a name has no address: asked once more, beside the transfers, since libcurl does not say.

libcurl's error 6 is all failures of a look-up in one. The resolver of the system knows more (getaddrinfo(3),
RFC 3493, 6.1): it is asked again where a look-up failed, in a thread, and its code is kept for the name.
"""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from sitemap_audit.settings import DNS_CAUSE_KEPT_S, DNS_LOOKUPS

NO_SUCH_NAME: Final = "no_such_name"
NO_ADDRESS: Final = "no_address"
SERVER_FAILURE: Final = "server_failure"
TIMEOUT: Final = "timeout"
NAME_SENTENCES: Final[dict[str, str]] = {
    NO_SUCH_NAME: "there is no such name",
    NO_ADDRESS: "the name exists and has no address",
    SERVER_FAILURE: "the name servers answered that they cannot tell",
    TIMEOUT: "no answer of the name servers in time",
}
PATIENCE_S: Final = 5.0
"""RES_TIMEOUT of resolv.conf(5), where no option changes it: so long one name server is waited for."""
_TIMEOUT_OPTION: Final = re.compile(r"^options\b.*\btimeout:(\d{1,2})", re.ASCII | re.MULTILINE)
_NODATA: Final[int] = getattr(socket, "EAI_NODATA", socket.EAI_NONAME)  # not on every system


def cause_of(code: int | None, took_s: float, patience_s: float = PATIENCE_S) -> str:
    """no_such_name, no_address, server_failure or timeout for a code of getaddrinfo; None: it succeeded now.

    The resolver has one code (EAI_AGAIN) for servers that fail or refuse and for servers that are silent;
    the silent ones took at least the patience of the resolver.
    """
    if code == socket.EAI_NONAME:
        return NO_SUCH_NAME
    if code == _NODATA:
        return NO_ADDRESS
    if code == socket.EAI_AGAIN and took_s >= patience_s:
        return TIMEOUT
    return SERVER_FAILURE


def patience_s(file: Path = Path("/etc/resolv.conf")) -> float:
    """How long the resolver of this system waits for one name server, in seconds."""
    try:
        option = _TIMEOUT_OPTION.search(file.read_text("utf-8", "replace"))
    except OSError:
        return PATIENCE_S
    return float(option[1]) if option is not None else PATIENCE_S


class Names:
    """Causes of failed look-ups by name. `why` belongs to one thread, the look-ups have their own."""

    def __init__(self, lookup: Callable[[str], Any] | None = None) -> None:
        """`lookup` raises socket.gaierror as `socket.getaddrinfo` does, which is the default."""
        self._lookup = lookup or _system_lookup
        self._known: dict[str, tuple[str, float]] = {}
        self._asked: set[str] = set()
        self._waiting: deque[str] = deque()
        self._running = 0
        self._lock = threading.Lock()
        self.wake: Callable[[], None] | None = None
        """Called from a look-up's thread when a cause became known."""

    def why(self, name: str) -> str | None:
        """The cause, or None while it is being asked for: then look again later."""
        with self._lock:
            known = self._known.get(name)
            if known is not None and time.monotonic() - known[1] < DNS_CAUSE_KEPT_S:
                return known[0]
            if name not in self._asked:
                self._asked.add(name)
                self._waiting.append(name)
                if self._running < DNS_LOOKUPS:
                    self._running += 1
                    threading.Thread(target=self._work, name="names", daemon=True).start()
            return None

    def _work(self) -> None:
        """Ask for names as long as some wait. A daemon: a silent name server must not hold up an exit."""
        while True:
            with self._lock:
                if not self._waiting:
                    self._running -= 1
                    return
                name = self._waiting.popleft()
            began = time.monotonic()
            code: int | None = None
            try:
                self._lookup(name)
            except socket.gaierror as error:
                code = error.errno
            except (OSError, UnicodeError):  # not a name at all
                code = socket.EAI_NONAME
            ended = time.monotonic()
            with self._lock:
                self._known[name] = (cause_of(code, ended - began, patience_s()), ended)
                self._asked.discard(name)
            wake = self.wake
            if wake is not None:
                with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
                    wake()


def _system_lookup(name: str) -> Any:
    return socket.getaddrinfo(name.encode(), None, type=socket.SOCK_STREAM)
