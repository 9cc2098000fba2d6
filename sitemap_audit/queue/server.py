"""The Redis server of a run as its clients see it: clients that outlive an outage, and the check of a given one.

Several machines use a server given by URL; a run on one machine has its own (private.py).
"""

from __future__ import annotations

import ipaddress
import socket
from typing import Any, Final

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

from sitemap_audit.errors import ServerError

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


def without_patience(client: redis.Redis, **changed: Any) -> redis.Redis:
    """A client of the same server that says at once when something fails. `changed`: options of its connections."""
    pool = client.connection_pool
    options = {**pool.connection_kwargs, "retry": Retry(NoBackoff(), 0), "retry_on_error": [], **changed}
    return redis.Redis.from_pool(redis.ConnectionPool(pool.connection_class, **options))


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
    # redis-py takes a wrong password for a lost connection.
    try:
        with without_patience(client, socket_timeout=5, socket_connect_timeout=5) as hasty:
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
