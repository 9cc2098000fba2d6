"""A seal around the processes of a run: what the address guard lets through to the outside is noted, not opened.

`seal(folder)` writes a sitecustomize module there; with the folder on PYTHONPATH every Python process of the
command, its spider and its workers loads it. Sockets to loopback are opened for real, so that a canary that
listens there would be met; all others are refused and written down. Name look-ups stay inside too.
"""

from __future__ import annotations

from pathlib import Path

MODULE = """
import importlib.abc, importlib.machinery, ipaddress, os, socket, sys

LOG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sockets.log")
NAMED = "sitemap_audit.http.transfer"


def note(word, host, port):
    with open(LOG, "a") as log:
        log.write(f"{word} {host} {port}\\n")


class Sealed(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != NAMED:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            wrap(module)

        spec.loader.exec_module = exec_module
        return spec


def wrap(module):
    judge = module.Exchange._on_socket
    bad = module.pycurl.SOCKET_BAD

    def on_socket(self, purpose, address):
        opened = judge(self, purpose, address)
        host, port = address.addr[:2]
        if opened == bad:
            note("refused", host, port)
        elif ipaddress.ip_address(host).is_loopback:
            note("loopback", host, port)
        else:
            note("outside", host, port)
            opened.close()
            return bad
        return opened

    module.Exchange._on_socket = on_socket


ask = socket.getaddrinfo


def look_up(host, *rest, **more):
    name = host.decode() if isinstance(host, bytes) else host
    try:
        ipaddress.ip_address((name or "").split("%")[0])
    except ValueError:
        if name and name.rstrip(".") != "localhost":
            raise socket.gaierror(socket.EAI_NONAME, "sealed") from None
    return ask(host, *rest, **more)


socket.getaddrinfo = look_up
sys.meta_path.insert(0, Sealed())
"""


def seal(folder: Path) -> Path:
    """Make the folder for PYTHONPATH; returns the log that the processes write."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(MODULE)
    log = folder / "sockets.log"
    log.touch()
    return log
