"""What `status` shows of a run: text, JSON and the live view from one Observed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import orjson

from sitemap_audit.coordinate.progress import WHYS, duration
from sitemap_audit.formats.escape import visible
from sitemap_audit.queue.status import RunState

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sitemap_audit.coordinate.observe import Observed

LINES_MAX: Final = 12
"""Workers and hosts that the text names; the JSON has all."""
WORDS: Final = {
    RunState.DISCOVERING: "discovering: sitemaps are still being read",
    RunState.CHECKING: "checking",
    RunState.PAUSING: "pausing",
    RunState.STOPPING: "stopping: what is under way is handed back",
    RunState.DONE: "done",
    RunState.INTERRUPTED: "interrupted",
    RunState.KILLED: "no process holds it: it was killed",
}


def as_json(seen: Observed, *, compact: bool = False) -> str:
    """Every figure by its name; `server` is null when it was not, or need not be, asked."""
    data: dict[str, Any] = asdict(seen.status)
    data["done"] = seen.status.done
    data |= {
        "age_s": seen.age_s,
        "silent": seen.silent,
        "folder": seen.folder,
        "resume": seen.resume,
        "trouble": seen.trouble or None,
        "server": asdict(seen.server) if seen.server is not None else None,
    }
    options = orjson.OPT_UTC_Z | (0 if compact else orjson.OPT_INDENT_2) | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(data, option=options).decode()


def as_text(seen: Observed) -> str:
    """Lines of a name and what there is to say."""
    return "".join(f"{name:<11}{visible(text)}".rstrip() + "\n" for name, text in rows(seen))


def as_renderable(seen: Observed) -> RenderableType:
    """The same as a table of rich."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for name, text in rows(seen):
        table.add_row(name, Text(visible(text)))
    return table


def rows(seen: Observed) -> Iterator[tuple[str, str]]:
    """(what, words) of everything that can be said, the important things first."""
    s = seen.status
    yield "run", f"{s.run}  {', '.join(s.sites)}"
    words = WORDS[s.state] + (f": {s.why}" if s.why else "")
    if seen.resume:
        words += f"; resume with: {seen.resume}"
    yield "state", words
    if seen.silent and seen.age_s is not None:
        yield (
            "",
            f"its coordinator ({s.machine}, process {s.pid}) has said nothing for {duration(seen.age_s)}",
        )
    if seen.trouble:
        yield "", seen.trouble
    if s.started_at is not None:
        since = f"{s.started_at:%Y-%m-%dT%H:%M:%SZ}"
        yield "began", f"{since}; {'took' if seen.over else 'for'} {duration(s.seconds)}"
    yield from _counts(seen)
    if not seen.over:
        yield from _under_way(seen)
    yield from _workers(seen)
    for wait in s.waits[:LINES_MAX]:
        why = WHYS.get(wait.why, wait.why)
        yield "wait", f"{wait.host} {why}: left alone for {duration(wait.seconds)} ({wait.urls:,} URLs)"
    if s.hosts_waiting > LINES_MAX:
        yield "wait", f"{s.hosts_waiting - LINES_MAX:,} more hosts"
    for note in s.notes:
        yield "wait", note
    if any(s.events.values()):
        yield (
            "trouble",
            ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in sorted(s.events.items()) if n),
        )


def _reasons(title: str, reasons: Mapping[str, int]) -> str:
    total = sum(reasons.values())
    inside = ", ".join(f"{reason} {n:,}" for reason, n in sorted(reasons.items()))
    return f"{title} {total:,}" + (f" ({inside})" if inside else "")


def _counts(seen: Observed) -> Iterator[tuple[str, str]]:
    s = seen.status
    more = "…" if s.state is RunState.DISCOVERING else ""
    yield "sitemaps", f"{s.files:,} files, {s.listed:,}{more} URLs listed"
    parts = [f"checked {s.checked:,}", _reasons("skipped", s.skipped), _reasons("unchecked", s.unchecked)]
    if s.waiting or not seen.over:
        parts.append(f"waiting {s.waiting:,}")
    yield "listed", f"{s.listed:,} = " + " + ".join(parts)
    if s.further:
        yield "further", f"{s.further_checked:,} of {s.further:,} that these name are checked"
    if s.results:
        yield (
            "answers",
            ", ".join(f"{words.removeprefix('checked ')} {n:,}" for words, n in sorted(s.results.items())),
        )
    mean = f"{s.mean:,.1f} URLs/s on average"
    if seen.over:
        if s.mean:
            yield "rate", mean
        return
    left = f"; about {duration(s.left_s)} left" if s.left_s is not None and s.open else ""
    yield "rate", f"{s.rate:,.1f} URLs/s now, {mean}{left}"


def _under_way(seen: Observed) -> Iterator[tuple[str, str]]:
    s, server = seen.status, seen.server
    if s.second_looks:
        yield "later", f"{s.second_looks:,} URLs wait for a second look"
    if server is None:
        return
    yield (
        "batches",
        f"{len(s.batches)} under way with {s.urls_under_way:,} URLs: {len(server.leases)} with a worker; "
        f"{server.queued['main']} queued on the server, {server.queued['slow']} on its slow queue",
    )
    limit = f" of {_mb(server.memory_max_bytes)}" if server.memory_max_bytes else ""
    yield (
        "server",
        f"version {server.version}, memory {_mb(server.memory_bytes)}{limit}; streams: pages "
        f"{server.messages['pages']:,}, entries {server.messages['entries']:,} messages",
    )
    stored = f"; facts last stored {duration(s.stored_s)} ago" if s.stored_s is not None else ""
    yield "coordinator", f" {s.machine}, process {s.pid}, memory {_mb(s.memory_bytes)}{stored}"


def _workers(seen: Observed) -> Iterator[tuple[str, str]]:
    s = seen.status
    if seen.server is None:
        for name, urls in sorted(s.by_worker.items(), key=lambda item: -item[1])[:LINES_MAX]:
            yield "worker", f"{name}: {urls:,} URLs"
        return
    if not seen.server.workers:
        yield "workers", "none has joined"
    workers = sorted(seen.server.workers, key=lambda w: (-s.by_worker.get(w.name, 0), w.name))
    for worker in workers[:LINES_MAX]:
        what = "works on this run" if worker.batch else worker.state
        yield (
            "worker",
            f"{worker.name} on {worker.machine}, {worker.queue} queue: {what}, "
            f"{s.by_worker.get(worker.name, 0):,} URLs, last seen {duration(worker.seen_s)} ago",
        )
    if len(workers) > LINES_MAX:
        yield "workers", f"{len(workers) - LINES_MAX:,} more"
    gone = len(s.by_worker.keys() - {w.name for w in seen.server.workers})
    if gone:
        yield "workers", f"{gone:,} others checked URLs and are gone"


def _mb(number: int) -> str:
    return f"{number / 1e6:,.0f} MB"
