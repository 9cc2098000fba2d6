"""The messages of batches and streams as frozen records, each with its way to the wire and back.

A head is JSON; facts are NDJSON lines that this package hands on unread. Every message carries the
schema number: who does not know it says so instead of guessing.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple, Self

import orjson

from sitemap_audit.facts import Attempt, ErrorClass
from sitemap_audit.queue.listing import Listed
from sitemap_audit.settings import SCHEMA


class LeftWhy(StrEnum):
    """Why a batch hands a URL back without a fact."""

    BOX = "box"
    """The box ended before its slot came."""
    SLOW = "slow"
    """In flight when the box ended: its host belongs on the slow queue."""
    LIMITED = "limited"
    """The host said 429 or 503 with Retry-After, or is being waited for on that account."""
    DOWN = "down"
    """The host failed HOST_FAILURES times in a row and is tried once a minute."""
    STOPPED = "stopped"
    """The run or the worker was told to stop. Counts as no attempt."""


class BatchUrl(NamedTuple):
    """One URL of a batch.

    `seq` is the coordinator's number of it, `url` the href to request, `how` its `discovered_by`;
    `history` are earlier looks that were handed back, oldest first.
    """

    seq: int
    url: str
    how: str = "sitemap"
    history: tuple[Attempt, ...] = ()


class Left(NamedTuple):
    """A URL handed back. `attempt` is set where the host answered (why = limited): it goes into the history."""

    seq: int
    why: LeftWhy
    attempt: Attempt | None = None


class Again(NamedTuple):
    """A URL that wants a second look, at least recheck_after_s from now (definitions 11).

    `attempt` goes into the history of the URL. None: not the URL, but the robots.txt of its origin
    failed and is due a second look; the history stays as it is.
    """

    seq: int
    attempt: Attempt | None


class Target(NamedTuple):
    """A URL in scope that a fact names. `how`: canonical, hreflang or redirect."""

    href: str
    how: str


def new_batch_id() -> str:
    """A random token, new for every plan: a stale `done` names an unknown batch."""
    return secrets.token_hex(8)


def _attempt_row(attempt: Attempt | None) -> list[Any] | None:
    return (
        None if attempt is None else [attempt.at.isoformat(), attempt.status, attempt.error_class, attempt.ms]
    )


def _attempt(row: list[Any] | None) -> Attempt | None:
    if row is None:
        return None
    at, status, error, ms = row
    return Attempt(datetime.fromisoformat(at), status, ErrorClass(error) if error else None, ms)


def _attempts(rows: list[Any]) -> tuple[Attempt, ...]:
    return tuple(a for a in map(_attempt, rows) if a is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A time-boxed piece of work. `shares`: connections that the batch may open to each pace host."""

    run: str
    box_s: float
    urls: tuple[BatchUrl, ...]
    shares: Mapping[str, int] = field(default_factory=dict)
    batch: str = field(default_factory=new_batch_id)
    schema: int = SCHEMA

    def to_job(self) -> dict[str, Any]:
        """Arguments of the job, plain JSON values. The first four fields never change their meaning."""
        return {
            "schema": self.schema,
            "run": self.run,
            "batch": self.batch,
            "box_s": self.box_s,
            "shares": dict(self.shares),
            "urls": [
                [u.seq, u.url, u.how, [_attempt_row(a) for a in u.history]]
                if u.history
                else [u.seq, u.url, u.how]
                for u in self.urls
            ],
        }

    @classmethod
    def from_job(cls, job: Mapping[str, Any]) -> Self:
        """The batch of a job whose `schema` is ours (look at it first)."""
        return cls(
            schema=job["schema"],
            run=job["run"],
            batch=job["batch"],
            box_s=job["box_s"],
            shares=job["shares"],
            urls=tuple(
                BatchUrl(u[0], u[1], u[2], _attempts(u[3]) if len(u) > 3 else ()) for u in job["urls"]
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PagesMessage:
    """Some outcomes of a batch. `lines` are Page facts, one JSON line each; `done` are the seqs they answer.

    `finished` closes the batch: every seq of it was named in `done`, `left` or `again` of its messages.
    """

    batch: str
    worker: str
    done: tuple[int, ...] = ()
    left: tuple[Left, ...] = ()
    again: tuple[Again, ...] = ()
    targets: tuple[Target, ...] = ()
    finished: bool = False
    results: Mapping[str, int] = field(default_factory=dict)
    """What became of `done`, for metrics: `checked 2xx`, `unchecked challenge` → number."""
    lines: bytes = b""

    def head(self) -> dict[str, Any]:
        return {
            "batch": self.batch,
            "worker": self.worker,
            "done": self.done,
            "left": [[n.seq, n.why, _attempt_row(n.attempt)] for n in self.left],
            "again": [[n.seq, _attempt_row(n.attempt)] for n in self.again],
            "targets": [list(t) for t in self.targets],
            "finished": self.finished,
            "results": dict(self.results),
        }

    @classmethod
    def read(cls, head: Mapping[str, Any], lines: bytes) -> Self:
        return cls(
            batch=head["batch"],
            worker=head["worker"],
            done=tuple(head["done"]),
            left=tuple(Left(seq, LeftWhy(why), _attempt(row)) for seq, why, row in head["left"]),
            again=tuple(Again(seq, _attempt(row)) for seq, row in head["again"]),
            targets=tuple(Target(href, how) for href, how in head["targets"]),
            finished=head["finished"],
            results=head.get("results", {}),
            lines=lines,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EntriesMessage:
    """Entry facts; `count` lines. `listed`: the URLs that they list, once more, for the account."""

    lines: bytes
    count: int = 0
    listed: tuple[Listed, ...] = ()

    def head(self) -> dict[str, Any]:
        return {"count": self.count, "listed": [list(run) for run in self.listed]}

    @classmethod
    def read(cls, head: Mapping[str, Any], lines: bytes) -> Self:
        return cls(lines=lines, count=head["count"], listed=tuple(map(Listed._make, head["listed"])))


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapsMessage:
    """SitemapFile facts; `count` lines."""

    lines: bytes
    count: int = 0

    def head(self) -> dict[str, Any]:
        return {"count": self.count}

    @classmethod
    def read(cls, head: Mapping[str, Any], lines: bytes) -> Self:
        return cls(lines=lines, count=head["count"])


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsMessage:
    """RobotsFile facts; `count` lines. Workers put them on `pages`, the spider on `entries`."""

    lines: bytes
    count: int = 0

    def head(self) -> dict[str, Any]:
        return {"count": self.count}

    @classmethod
    def read(cls, head: Mapping[str, Any], lines: bytes) -> Self:
        return cls(lines=lines, count=head["count"])


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveredMessage:
    """Discovery of one spider has ended. `looked`: the places that were tried; `note`: a word for the user."""

    looked: tuple[str, ...] = ()
    note: str | None = None
    lines: bytes = b""

    def head(self) -> dict[str, Any]:
        return {"looked": self.looked, "note": self.note}

    @classmethod
    def read(cls, head: Mapping[str, Any], lines: bytes) -> Self:
        return cls(looked=tuple(head["looked"]), note=head["note"], lines=lines)


type_names: Final[dict[type[Any], str]] = {
    PagesMessage: "pages",
    EntriesMessage: "entries",
    SitemapsMessage: "sitemaps",
    RobotsMessage: "robots",
    DiscoveredMessage: "discovered",
}
Message = PagesMessage | EntriesMessage | SitemapsMessage | RobotsMessage | DiscoveredMessage
_readers: Final[dict[str, Any]] = {name: cls.read for cls, name in type_names.items()}


def pack(message: Message) -> tuple[str, bytes, bytes]:
    """(kind, head, lines): the lines are not compressed yet."""
    return type_names[type(message)], orjson.dumps({"schema": SCHEMA, **message.head()}), message.lines


def unpack(kind: str, head: bytes, lines: bytes) -> Message | None:
    """The message, or None when another schema wrote it."""
    fields = orjson.loads(head)
    reader = _readers.get(kind)
    if fields.pop("schema", None) != SCHEMA or reader is None:
        return None
    message: Message = reader(fields, lines)
    return message
