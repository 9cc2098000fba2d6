"""Lines of a log: one event each, no secret, no control character, in both formats."""

from __future__ import annotations

import io
import json
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sitemap_audit import logs

NASTY = "a\x1b]8;;http://evil\x07b\r\nc\u202ed\u2028e\x85"


@pytest.fixture(autouse=True)
def as_found() -> Iterator[None]:
    """The root logger and the module's own state as they were."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    before = logs._format, logs._secrets, dict(logs._bound)
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logs._format, logs._secrets = before[0], before[1]
    logs._bound.clear()
    logs._bound.update(before[2])


def written(monkeypatch: pytest.MonkeyPatch, format_: str, *args: Any, **more: Any) -> str:
    """What one warning looks like on stderr."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    logs.choose(format_)
    logs.configure(level=logging.INFO)
    logging.getLogger("tested").warning(*args, **more)
    return stream.getvalue()


def test_json_is_one_object_a_line_with_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    logs.bind(run="r1", worker="w1", batch="b1")
    line = written(monkeypatch, "json", "%s waits", "it", extra={"host": "a.example", "figures": {"left": 3}})
    (one,) = line.splitlines()
    event = json.loads(one)
    assert event["event"] == "it waits"
    assert event["level"] == "warning"
    assert event["time"].endswith("Z")
    assert {k: event[k] for k in ("run", "batch", "host", "worker", "pid")} == {
        "run": "r1",
        "batch": "b1",
        "host": "a.example",
        "worker": "w1",
        "pid": os.getpid(),
    }
    assert event["figures"] == {"left": 3}
    assert logs.is_own(one)
    logs.bind(batch="")
    assert "batch" not in json.loads(written(monkeypatch, "json", "again"))


def test_text_is_the_default_and_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(logs.FORMAT_VARIABLE, raising=False)
    assert logs.chosen() in ("text", "json")
    line = written(monkeypatch, "text", "batch %s", "b", extra={"host": "a.example"})
    assert line.endswith(f" WARNING tested[{os.getpid()}]: batch b (host=a.example)\n")
    assert logs.is_own(line)
    assert not logs.is_own(line.replace(f"[{os.getpid()}]", "[1]"))


@pytest.mark.parametrize("format_", ["text", "json"])
def test_no_control_character_reaches_a_log(monkeypatch: pytest.MonkeyPatch, format_: str) -> None:
    line = written(monkeypatch, format_, "%s", NASTY, extra={"host": NASTY})
    assert line.count("\n") == 1
    raw = line.rstrip("\n") + (json.loads(line)["event"].replace("\n", "") if format_ == "json" else "")
    assert not [c for c in raw if c < " " or "\x7f" <= c <= "\x9f" or c in "\u202e\u2028"]


@pytest.mark.parametrize("format_", ["text", "json"])
def test_no_secret_reaches_a_log(monkeypatch: pytest.MonkeyPatch, format_: str, tmp_path: Path) -> None:
    logs.hide(
        logs.secrets_of(
            ["Authorization: Bearer tok-3141592", "Cookie: session=abcdef012345; a=b"],
            "redis://user:p%40ss-word@server:6379/0",
        )
    )
    words = (
        "https://me:secret1@a.example/x https://b:c@d@e.example redis://:p%40ss-word@server p@ss-word "
        "Bearer tok-3141592 tok-3141592 abcdef012345"
    )
    logs.choose(format_)
    with logs.write_to(tmp_path / "audit.log"):
        try:
            raise ValueError(words)
        except ValueError:
            line = written(
                monkeypatch, format_, "%s", words, exc_info=True, extra={"host": "https://q:w8@h/"}
            )
    both = line + (tmp_path / "audit.log").read_text()
    for secret in ("secret1", "c@d", "word", "tok-", "abcdef0", "q:w8"):
        assert secret not in both.replace("words", ""), secret
    assert "a.example/x" in both
    assert "ValueError" in both


def test_a_word_on_stderr_is_an_event_under_json(capsys: pytest.CaptureFixture[str]) -> None:
    logs.choose("json")
    logs.say("one\ntwo https://u:pw@h/")
    events = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [e["event"] for e in events] == ["one", "two https://…@h/"]
    logs.choose("text")
    logs.say("plain")
    assert capsys.readouterr().err == "plain\n"
    assert logs.to_environment() == {logs.FORMAT_VARIABLE: "text"}
