"""How our processes log: one line an event on stderr, as text or as one JSON object, in every process alike.

The format comes from `--log-format` and reaches children by an environment variable. Our loggers, RQ's and
Scrapy's all end in the one handler of the root logger. Fields that a process or a batch shares (run, worker,
batch) are bound once; a line may add its own by `extra={"host": ...}`.

Nothing that passes here shows a secret (user info of URLs, passwords, values of `--header`) or a control
character. To keep this file: no logger and no message of its own, only how they look.
"""

from __future__ import annotations

import logging
import os
import re
import socket
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, TextIO
from urllib.parse import unquote, urlsplit

import orjson

from sitemap_audit.formats.escape import visible
from sitemap_audit.options import Transport

Format = Literal["text", "json"]
FORMAT_VARIABLE: Final = "SITEMAP_AUDIT_LOG_FORMAT"
SERVER_VARIABLE: Final = "SITEMAP_AUDIT_REDIS"
FIELDS: Final = ("run", "batch", "host", "worker")
"""In this order in every line, where known. `host` is the audited one; the machine is `machine`."""
SHORTEST_SECRET: Final = 4
"""Shorter words are not looked for: they stand in too many others."""
LOUD_LIBRARIES: Final = ("rq.worker", "rq.queue", "asyncio", "twisted")

_USER_INFO: Final = re.compile(r"([a-z][a-z0-9+.-]{0,19}://)[^\s/\"'<>]*@", re.IGNORECASE | re.ASCII)
_bound: dict[str, str] = {}
_secrets: tuple[str, ...] = ()
_format: Format | None = None


def chosen() -> Format:
    """The format of this process: as configured, else what the environment says, else text."""
    if _format is not None:
        return _format
    return "json" if os.environ.get(FORMAT_VARIABLE) == "json" else "text"


def choose(format_: str) -> None:
    """The format of this process, before anything is set up."""
    global _format
    _format = "json" if format_ == "json" else "text"


def to_environment() -> dict[str, str]:
    """What a child needs to log alike."""
    return {FORMAT_VARIABLE: chosen()}


def configure(*, level: int = logging.INFO) -> None:
    """Send every logger of this process to stderr, from this level on. Secrets of its environment are hidden."""
    root = logging.getLogger()
    for handler in list(root.handlers):
        if isinstance(handler, _Stderr):
            root.removeHandler(handler)
    handler = _Stderr(level)
    handler.setFormatter(_formatter())
    root.addHandler(handler)
    root.setLevel(min(level, logging.INFO))
    for name in LOUD_LIBRARIES:
        logging.getLogger(name).setLevel(logging.WARNING)
    hide(secrets_of(Transport.from_environment().headers, os.environ.get(SERVER_VARIABLE)))


def bind(**fields: str) -> None:
    """Fields of every further line of this process; an empty value takes one back."""
    for name, value in fields.items():
        if value:
            _bound[name] = value
        else:
            _bound.pop(name, None)


def hide(secrets: Iterable[str]) -> None:
    """Never show these texts."""
    global _secrets
    found = {*_secrets, *(s for s in secrets if len(s) >= SHORTEST_SECRET)}
    # The longest first: a part of a secret must not leave the rest of it.
    _secrets = tuple(sorted(found, key=lambda s: (-len(s), s)))


def secrets_of(headers: Iterable[str], server_url: str | None) -> list[str]:
    """What must not be seen of `Name: value` lines and of a server's URL: values, their words, the password."""
    found = []
    for line in headers:
        value = line.partition(":")[2].strip()
        found.append(value)
        # `Authorization: Bearer TOKEN`, `Cookie: name=TOKEN; …`: a word may show up by itself.
        found += [word for word in re.split(r"[\s;=,]+", value) if len(word) >= 2 * SHORTEST_SECRET]
    if server_url:
        try:
            password = urlsplit(server_url).password
        except ValueError:
            password = None
        if password:
            found += [password, unquote(password)]
    return found


def without_password(url: str) -> str:
    """A server's URL as it may be stored and shown."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def redact(text: str) -> str:
    """`text` without secrets and without the user info of URLs."""
    text = _USER_INFO.sub(r"\1…@", text)
    for secret in _secrets:
        if secret in text:
            text = text.replace(secret, "…")
    return text


def shown(text: str) -> str:
    """`text` as it may stand in one line of a log."""
    return visible(redact(text))


@contextmanager
def write_to(path: Path) -> Iterator[None]:
    """Until the end of the block every event also goes to the end of this file, in the same format."""
    handler = logging.FileHandler(path, "a", encoding="utf-8", delay=True)
    handler.setLevel(logging.INFO)
    handler.setFormatter(_formatter())
    handler.handleError = lambda record: None  # type: ignore[method-assign]  # a full disk is said elsewhere
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
        with suppress(OSError):  # what a full disk did not take
            handler.close()


def is_own(line: str) -> bool:
    """Did this process write that line of a log?"""
    return f'"pid":{os.getpid()},' in line or f"[{os.getpid()}]: " in line[:120]


def say(text: str, *, level: int = logging.ERROR) -> None:
    """A word for the person at the terminal, on stderr: as it is, or as one event where logs are JSON."""
    if chosen() == "json":
        for line in text.splitlines():
            record = logging.LogRecord("sitemap_audit", level, "", 0, "%s", (line,), None)
            print(_Json().format(record), file=sys.stderr, flush=True)
    else:
        print(text, file=sys.stderr, flush=True)


def _formatter() -> logging.Formatter:
    return _Json() if chosen() == "json" else _Text()


class _Stderr(logging.StreamHandler[TextIO]):
    """To what is stderr now: a live display puts itself before it for a while."""

    def __init__(self, level: int) -> None:
        logging.Handler.__init__(self, level)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        return sys.stderr


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _fields(record: logging.LogRecord) -> dict[str, str]:
    found = {name: getattr(record, name, None) or _bound.get(name) for name in FIELDS}
    return {name: shown(str(value)) for name, value in found.items() if value}


def _error(record: logging.LogRecord) -> str | None:
    if not record.exc_info:
        return None
    text = logging.Formatter().formatException(record.exc_info)
    return "\n".join(shown(line) for line in text.splitlines())


class _Text(logging.Formatter):
    """`2026-11-30T23:35:22.123Z WARNING workers[4711]: message (batch=…, host=…)`."""

    def format(self, record: logging.LogRecord) -> str:
        fields = ", ".join(f"{k}={v}" for k, v in _fields(record).items() if k in ("batch", "host"))
        line = f"{_time(record)} {record.levelname:<7} {record.name}[{os.getpid()}]: {shown(record.getMessage())}"
        if fields:
            line += f" ({fields})"
        error = _error(record)
        return f"{line}\n{error}" if error else line


class _Json(logging.Formatter):
    """One object a line: time, level, event, logger, run, batch, host, worker, machine, pid, and an event's own figures."""

    def format(self, record: logging.LogRecord) -> str:
        data: dict[str, Any] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "event": "\n".join(map(shown, record.getMessage().splitlines())),
            "logger": record.name,
            **_fields(record),
            # Not the last one: is_own looks for the comma behind it.
            "pid": os.getpid(),
            "machine": socket.gethostname(),
        }
        figures = getattr(record, "figures", None)
        if isinstance(figures, dict):
            data["figures"] = figures
        error = _error(record)
        if error:
            data["error"] = error
        return orjson.dumps(data, default=str).decode()
