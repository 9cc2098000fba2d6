"""What an answer of /robots.txt means, from the socket to the verdict, in both modes (definitions 6.1).

Every row is served over loopback, fetched by the product's client, read, and judged. The ids are those of the
shared table robots_fetch_behaviour.jsonl; where it lies beside the checkout, it decides what is expected.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from sitemap_audit.cli.robots_look import Look, published
from sitemap_audit.facts import RobotsState
from sitemap_audit.formats.robots_policy import Effect, Outage, RobotsPolicy
from sitemap_audit.formats.urls import parse_url
from sitemap_audit.settings import ROBOTS_COPY_GOOGLE_S, ROBOTS_MAX_BYTES
from tests.site.server import End, Reply, Site, Steps, serve

CASES: Final = Path(__file__).parents[3] / "shared" / "cases" / "robots_fetch_behaviour.jsonl"
RULES: Final = "User-agent: *\nDisallow: /private\n"
FILE: Final = Reply.text(RULES)
PLAIN: Final = {"Content-Type": "text/plain"}
PAGE: Final = Reply.html("<!doctype html><title>Home</title><p>Disallow nothing</p>")
OK, HTML = RobotsState.OK, RobotsState.HTML
NONE, PAUSED, SHUT = Effect.NO_LIMITS, Effect.PAUSED, Effect.DISALLOW_ALL
VERDICTS: Final = {NONE: True, PAUSED: None, SHUT: False}
MONTHS: Final = ROBOTS_COPY_GOOGLE_S + 1


@dataclass(frozen=True)
class Row:
    """`paths`: what the host answers. `blocks`: do the rules that were read block /private? None = no rules."""

    case: str
    paths: dict[str, Reply]
    state: RobotsState
    google: Effect = Effect.RULES
    rfc: Effect = Effect.RULES
    blocks: bool | None = None
    age_s: float = 0.0

    @property
    def host(self) -> str:
        return f"row-{ROWS.index(self)}.example"


def chain(hops: int, status: int = 302, end: str | None = None) -> dict[str, Reply]:
    """So many redirects, then the file (or a last redirect to `end`)."""
    steps = ["/robots.txt", *(f"/r{n}" for n in range(1, hops))]
    last = end or "/file"
    found = {step: Reply.to(follows, status) for step, follows in zip(steps, [*steps[1:], last], strict=True)}
    return found | {"/file": FILE}


def robots(body: str | bytes | Reply, **more: Any) -> dict[str, Reply]:
    if isinstance(body, Reply):
        return {"/robots.txt": body}
    raw = body.encode() if isinstance(body, str) else body
    return {"/robots.txt": Reply(200, raw, PLAIN, **more)}


def broken(*steps: bytes | End) -> dict[str, Reply]:
    def play() -> Steps:
        return steps

    return {"/robots.txt": Reply(steps=play)}


HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
LONG: Final = "#" * 99 + "\n"
CUT: Final = LONG * 5_119
CUT_RULE: Final = (
    "#" * (ROBOTS_MAX_BYTES - len(CUT) - len(RULES)) + "\n" + RULES.rstrip() + "/very/long/path\n"
)
"""The limit lies inside `Disallow: /private…`: what stands before it still counts."""

ROWS: Final = [
    Row("rf-03", robots(PAGE), HTML, blocks=False),
    Row("rf-03", robots(Reply.html(f"<html><body>\n{RULES}</body></html>")), OK, blocks=True),
    Row("rf-04", robots(Reply(200, RULES.encode(), {"Content-Type": "application/octet-stream"})), OK, blocks=True),
    Row("rf-04", robots(Reply(200, RULES.encode())), OK, blocks=True),
    Row("rf-05", robots(LONG * 5_120 + "User-agent: *\nDisallow: /private\n"), OK, blocks=False),
    Row("rf-05", robots(f"{RULES}{LONG * 5_200}Allow: /private\n"), OK, blocks=True),
    Row("rf-05", robots(RULES + LONG * 60_000, gzip=True), OK, blocks=True),
    Row("rf-05", robots(CUT + CUT_RULE), OK, blocks=True),
    Row("rf-07", robots(b"\xef\xbb\xbf" + RULES.encode()), OK, blocks=True),
    Row("rf-08", robots(RULES.encode("utf-16")), OK, blocks=False),
    Row("rf-09", robots(b"User-agent: *\nDisallow: /caf\xe9\nDisallow: /private\n"), OK, blocks=True),
    Row("rf-10", robots(RULES, gzip=True), OK, blocks=True),
    *(Row("rf-12", chain(1, status), OK, blocks=True) for status in (301, 302, 303, 307, 308)),
    Row("rf-12", chain(5), OK, blocks=True),
    Row("rf-13", chain(6), RobotsState.REDIRECT_LIMIT, NONE, NONE),
    Row("rf-14", chain(3, end="/r1"), RobotsState.REDIRECT_LIMIT, NONE, NONE),
    Row("rf-13", robots(Reply(302)), RobotsState.REDIRECT_LIMIT, NONE, NONE),
    Row("rf-16", {"/robots.txt": Reply.to("http://rules.example/robots.txt")}, OK, blocks=True),
    Row("rf-17", {"/robots.txt": Reply.to("/"), "/": PAGE}, HTML, blocks=False),
    Row("rf-18", robots(Reply.html('<meta http-equiv="refresh" content="0;url=/file">')), HTML, blocks=False),
    *(Row("rf-20", robots(Reply.text(RULES, status)), RobotsState.MISSING, NONE, NONE) for status in (400, 404, 410)),
    *(Row("rf-22", robots(Reply.text(RULES, status)), RobotsState.FORBIDDEN, NONE, NONE) for status in (401, 403)),
    Row("rf-26", robots(Reply.text(RULES, 451)), RobotsState.MISSING, NONE, NONE),
    Row("rf-27", robots(Reply.text(RULES, 429)), RobotsState.SERVER_ERROR, PAUSED, NONE),
    *(Row("rf-29", robots(Reply.text(RULES, s)), RobotsState.SERVER_ERROR, PAUSED, SHUT) for s in (500, 502, 503)),
    Row("rf-31", robots(Reply.text("", 503)), RobotsState.SERVER_ERROR, NONE, NONE, age_s=MONTHS),
    Row("rf-34", broken(End.RESET), RobotsState.UNREACHABLE, PAUSED, SHUT),
    Row("rf-34", broken(HEAD + b"Content-Length: 500\r\n\r\n" + RULES.encode(), End.CLOSE), RobotsState.UNREACHABLE, PAUSED, SHUT),
    Row(
        "rf-34",
        broken(HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + RULES.encode(), End.CLOSE),
        RobotsState.UNREACHABLE,
        PAUSED,
        SHUT,
    ),
    Row("rf-34", broken(b"nonsense\r\n\r\n", End.CLOSE), RobotsState.UNREACHABLE, PAUSED, SHUT),
]  # fmt: skip


@pytest.fixture(scope="module")
def looks() -> Iterator[dict[str, Look]]:
    """Host → what came of its /robots.txt, all asked once."""
    sites = {row.host: row.paths for row in ROWS} | {"rules.example": {"/robots.txt": FILE}}
    with serve(sites) as site:
        urls = [parse_url(f"http://{row.host}/private/x") for row in ROWS]
        yield published([url for url in urls if url is not None], site.transport)
        _one_request_a_hop(site)


def _one_request_a_hop(site: Site) -> None:
    asked = [(r.host, r.path) for r in site.requests()]
    assert len(asked) == len(set(asked)), "a file was asked for twice"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.host.split('.')[0]}-{row.case}")
def test_from_the_socket_to_the_verdict(looks: dict[str, Look], row: Row) -> None:
    look = looks[f"http://{row.host}"]
    assert look.state == row.state
    for mode, effect in (("google", row.google), ("rfc", row.rfc)):
        policy = RobotsPolicy(
            look.address, look.state, look.text, mode, status=look.status, outage=Outage(age_s=row.age_s)
        )
        assert policy.effect == effect, mode
        verdict = policy.verdict("googlebot", f"http://{row.host}/private/x")
        assert verdict.allowed is (VERDICTS[effect] if row.blocks is None else not row.blocks), mode
        assert verdict.robots_url == f"http://{row.host}/robots.txt", "rules bind the host that was asked"


@pytest.mark.skipif(not CASES.is_file(), reason="the shared cases do not lie beside this checkout")
def test_the_rows_are_those_of_the_shared_table() -> None:
    told = {}
    for line in CASES.read_text("utf-8").splitlines():
        case = json.loads(line)
        if case["state"] is not None:
            told[case["id"]] = (case["state"], case["google_effect"], case["rfc_effect"])
    assert {row.case for row in ROWS} == set(told)
    odd = ROWS[1]
    for row in ROWS:
        if row is not odd:  # a page with rules in it is a file with rules
            assert (row.state, row.google, row.rfc) == told[row.case], row.case
