"""`sitemap-audit doctor`: what is installed, reachable and writable; one line a check, and the mend."""

from __future__ import annotations

import os
import shutil
import ssl
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import typer

from sitemap_audit import __version__
from sitemap_audit.cli import options as shared
from sitemap_audit.errors import SitemapAuditError

LIBRARIES: Final = (
    "scrapy",
    "protego",
    "redis",
    "rq",
    "pycurl",
    "lxml",
    "isal",
    "selectolax",
    "ada-url",
    "duckdb",
    "orjson",
)
FREE_GB: Final = 1.0


@dataclass(frozen=True, slots=True)
class Check:
    """One line. `mend` says what to do when it is not `ok`."""

    name: str
    ok: bool
    seen: str
    mend: str = ""


def doctor(redis: shared.RedisOption = None) -> None:
    """Check what a run needs; exit code 0 when all is well, 2 otherwise."""
    checks = [check for source in _sources(redis) for check in source()]
    for check in checks:
        print(f"{'ok    ' if check.ok else 'FAILED'}  {check.name:<14} {check.seen}")
        if not check.ok:
            print(f"        {'':<14} {check.mend}")
    raise typer.Exit(0 if all(c.ok for c in checks) else 2)


def _sources(redis: str | None) -> Iterator[Callable[[], list[Check]]]:
    yield _python
    yield _libraries
    yield _certificates
    yield (lambda: _given_server(redis)) if redis else _private_server
    yield _folder


def _python() -> list[Check]:
    seen = f"{sys.version.split()[0]} on {sys.platform}, sitemap-audit {__version__}"
    ok = sys.version_info >= (3, 11) and os.name == "posix"
    return [Check("python", ok, seen, "Use Python 3.11 or later on Linux or macOS")]


def _libraries() -> list[Check]:
    found, missing = [], []
    for name in LIBRARIES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    return [
        Check(
            "libraries",
            not missing,
            ", ".join(found) if not missing else f"missing: {', '.join(missing)}",
            "Install again: pip install sitemap-audit",
        )
    ]


def _certificates() -> list[Check]:
    paths = ssl.get_default_verify_paths()
    for candidate in (paths.cafile, paths.openssl_cafile):
        if candidate and Path(candidate).is_file():
            return [Check("certificates", True, candidate)]
    import certifi

    ok = Path(certifi.where()).is_file()
    return [
        Check(
            "certificates",
            ok,
            "those of the package certifi" if ok else "none found",
            "Install the package ca-certificates, or give --cacert",
        )
    ]


def _private_server() -> list[Check]:
    from sitemap_audit.queue.private import private_server
    from sitemap_audit.queue.server import check_server, connect

    try:
        with tempfile.TemporaryDirectory() as folder, private_server(Path(folder) / ".server") as url:
            client = connect(url, patient=False)
            check_server(client)
            info = client.info("server")
            client.close()
    except (SitemapAuditError, OSError) as err:
        return [Check("own server", False, str(err), "Give a server with --redis URL instead")]
    assert isinstance(info, dict)
    return [
        Check(
            "own server",
            True,
            f"Valkey {info.get('valkey_version', '?')} starts on a unix socket, without a TCP port",
        )
    ]


def _given_server(url: str) -> list[Check]:
    from sitemap_audit.queue.jobs import count_workers
    from sitemap_audit.queue.server import check_server, connect

    client = connect(url, patient=False)
    try:
        warnings = check_server(client)
        workers = count_workers(client)
    except SitemapAuditError as err:
        return [Check("redis", False, "cannot be used", str(err))]
    finally:
        client.close()
    return [
        Check("redis", True, f"answers, {workers} workers have joined"),
        *(Check("redis", True, w) for w in warnings),
    ]


def _folder() -> list[Check]:
    try:
        with tempfile.TemporaryDirectory(dir=".", prefix=".doctor-"):
            pass
    except OSError as err:
        return [Check("folder", False, f"cannot write here: {err.strerror}", "Run elsewhere, or give --out")]
    free = shutil.disk_usage(".").free / 1e9
    return [
        Check(
            "folder",
            free >= FREE_GB,
            f"writable, {free:,.0f} GB free",
            "Make room: a million URLs take about 1 GB",
        )
    ]
