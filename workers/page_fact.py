"""The Page of a URL: from an answer and the way to it, or from our reason not to ask.

These pages are written to the stream and read by nobody here: `robots` is the ready JSON of the verdicts
(origins.Leave), which orjson puts in as it stands.
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from sitemap_audit.facts import Attempt, ErrorClass, PageState
from sitemap_audit.formats.content_wall import wall_of
from sitemap_audit.formats.page import read_fields
from sitemap_audit.formats.urls import Url, parse_url, url_id
from sitemap_audit.http import Answer, Chain
from sitemap_audit.queue.messages import BatchUrl

_WALL_HEADERS: Final = (
    ("cf-mitigated", "challenge", "cloudflare"),
    ("x-amzn-waf-action", "challenge", "aws_waf"),
    ("x-amzn-waf-action", "captcha", "aws_waf"),
    ("x-datadome", "protected", "datadome"),
)
"""Headers by which a bot wall says that it answered in place of the site, as their makers document them."""
_WALL_STATUSES: Final = frozenset({202, 401, 403, 405, 429, 503})


def challenge_kind(answer: Answer) -> str | None:
    """Which bot wall answered in place of the site; None for an answer of the site itself."""
    if answer.status not in _WALL_STATUSES:
        return None
    for name, value, kind in _WALL_HEADERS:
        if (answer.header(name) or "").strip().lower() == value:
            return kind
    return wall_of(answer.body, refused=True)


PageFields = dict[str, Any]
"""Fields of facts.Page by name, as the line of a page holds them.

A plain dict, and within this package alone: building the frozen record and writing its sixty empty fields
cost a page 25 us, more than robots.txt, canonical and directives together (docs/decisions/0006).
"""

_ALWAYS: Final[PageFields] = {"hop_count": 0, "truncated": False, "challenge": False}


def line_of(page: PageFields) -> bytes:
    """The JSON line of a page fact. Its makers leave out what is not known or not present."""
    return orjson.dumps(page, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE)


def known(fields: PageFields) -> PageFields:
    """Without what is not known or not present."""
    return {name: value for name, value in fields.items() if value is not None and value != ()}


def result_of(page: PageFields) -> str:
    """What became of the URL in two words, for metrics: `checked 2xx`, `checked timeout`, `skipped robots`."""
    if page["state"] is not PageState.CHECKED:
        return f"{page['state']} {page['reason']}"
    status = page.get("status")
    return f"checked {status // 100}xx" if status else f"checked {page.get('error_class') or 'none'}"


def not_asked(
    item: BatchUrl,
    url: Url,
    state: PageState,
    reason: str,
    robots: Any,
    error_class: ErrorClass | None = None,
    error_detail: str | None = None,
) -> PageFields:
    """The fact that we did not ask, or could not, with what robots.txt said."""
    fields = {
        **_ALWAYS,
        "url_id": url_id(url.key),
        "url_key": url.key,
        "requested_url": url.href,
        "discovered_by": item.how,
        "state": state,
        "reason": reason,
        "attempts": len(item.history),
        "attempt_log": item.history,
        "robots": robots,
        "error_class": error_class,
        "error_detail": error_detail,
    }
    return known(fields)


def signals_of(answer: Answer, page: Url, bots: tuple[str, ...], depth: str) -> PageFields:
    """What headers and body of the final answer say, as fields of Page. `page`: the URL that answered."""
    if answer.status is None:
        return {}
    read = depth != "status"
    fields = read_fields(
        answer.body if read else b"",
        answer.headers,
        page=page,
        status=answer.status,
        bots=bots,
        now=answer.ended_at,
        truncated=answer.truncated,
    )
    if (directives := fields.get("directives")) is not None:
        fields["directives"] = _json_of(directives)
    if not read:
        fields.pop("sniffed_type", None)
        if "html" in fields.get("content_type", "html").lower():
            # A canonical or its absence is only known once the head was read too.
            fields.pop("canonical", None)
            fields.pop("canonical_state", None)
    return fields


_READY: Final[dict[int, tuple[object, orjson.Fragment]]] = {}
_READY_MAX: Final = 512


def _json_of(value: object) -> orjson.Fragment:
    """The JSON of a value that many pages share. It is held here, so that its id stays its own."""
    known = _READY.get(id(value))
    if known is None:
        if len(_READY) >= _READY_MAX:
            _READY.clear()
        known = _READY[id(value)] = (value, orjson.Fragment(orjson.dumps(value, option=orjson.OPT_UTC_Z)))
    return known[1]


def page_of(
    item: BatchUrl,
    url: Url,
    chain: Chain,
    answer: Answer,
    signals: dict[str, Any],
    robots: Any,
    *,
    reached: bool = True,
    state: PageState = PageState.CHECKED,
    reason: str | None = None,
) -> PageFields:
    """The fact about an answer, final in this run.

    `reached` False: the last hop points to a URL that was not fetched; it is the final one, without
    status. The log of attempts is kept where there was more than one clean answer to tell of.
    """
    hops = chain.hops
    log = item.history
    if log or answer.error_class is not None:
        log = (*log, Attempt(answer.ended_at, answer.status, answer.error_class, answer.total_ms))
    ends_elsewhere = bool(hops) and (not reached or answer.url != url.href)
    final_url = (hops[-1].location if not reached else answer.url) or url.href
    final_key = url.key
    if ends_elsewhere:
        final = parse_url(final_url)
        final_key = final.key if final is not None else final_url
    page: PageFields = {
        **_ALWAYS,
        "url_id": url_id(url.key),
        "url_key": url.key,
        "requested_url": url.href,
        "discovered_by": item.how,
        "state": state,
        "fetched_at": answer.ended_at,
        "attempts": len(item.history) + 1,
        "final_url": final_url,
        "final_key": final_key,
        "total_ms": answer.total_ms,
    }
    first_status = answer.status
    if hops:
        first_status = hops[0].status
        # Where the last hop was not followed, its answer is the final one: not counted twice.
        page["total_ms"] += sum(h.ms for h in hops if h.url != answer.url)
        page |= known({"hop_count": chain.followed, "hops": tuple(hops), "redirect_flags": chain.flags})
    if first_status is not None:
        page["first_status"] = first_status
    if robots is not None:
        page["robots"] = robots
    if reason is not None:
        page["reason"] = reason
    if log:
        page["attempt_log"] = log
    if reached:
        page |= _of_answer(answer)
        page |= signals
    return page


def _of_answer(answer: Answer) -> PageFields:
    fields = {
        "status": answer.status,
        "error_class": answer.error_class,
        "error_detail": answer.error_detail,
        "dns_error": answer.dns_error,
        "tls": answer.tls,
        "ip": answer.ip,
        "http_version": answer.http_version,
        "dns_ms": answer.dns_ms,
        "connect_ms": answer.connect_ms,
        "tls_ms": answer.tls_ms,
        "ttfb_ms": answer.ttfb_ms,
        "truncated": answer.truncated,
    }
    if answer.status is not None:
        fields["bytes_wire"] = answer.bytes_wire
        fields["bytes"] = len(answer.body)
    return {name: value for name, value in fields.items() if value is not None}
