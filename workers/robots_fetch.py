"""Fetching the robots.txt of one origin: redirects by hand, then the state, the store, the fact."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sitemap_audit.formats.headers import cache_control_max_age, parse_retry_after
from sitemap_audit.formats.robots import read_robots
from sitemap_audit.formats.robots_policy import is_html_answer, robots_file, state_of
from sitemap_audit.formats.urls import Url, parse_url
from sitemap_audit.http import Answer, Chain, ChainEnd, Request
from sitemap_audit.queue.messages import LeftWhy
from sitemap_audit.queue.robots import FAILED, RULED, StoredRobots
from sitemap_audit.settings import PRODUCT_TOKEN, ROBOTS_MAX_BYTES, ROBOTS_MAX_HOPS
from workers.lanes import AwayError
from workers.origins import Origin

if TYPE_CHECKING:
    from workers.batch import BatchRun


class RobotsFetch:
    """A task of the lanes. The origin was claimed for us; `look` is the number of this look at it."""

    def __init__(self, batch: BatchRun, origin: Origin, look: int) -> None:
        url = parse_url(f"{origin.name}/robots.txt")
        assert url is not None
        self.url: Url = url
        self._batch = batch
        self.origin = origin
        self._look = look
        self._chain = Chain(url.href, ROBOTS_MAX_HOPS)

    @property
    def first(self) -> bool:
        return True

    def prepare(self) -> bool:
        return True

    def request(self) -> Request:
        return Request.robots(self.url.href)

    def answered(self, answer: Answer) -> None:
        batch = self._batch
        if answer.status == 429 or (answer.status == 503 and answer.header("retry-after") is not None):
            after = parse_retry_after(
                answer.header("retry-after") or "", answer.ended_at, date=answer.header("date")
            )
            batch.lanes.limited(self.url, after, answer)
        elif answer.status is not None:
            batch.lanes.clean(self.url)
        if self._chain.feed(answer):
            following = parse_url(self._chain.url)
            if following is not None:
                self.url = following
                batch.lanes.add(self, following, front=True)
                return
            self._chain.stop()
        self._settle(answer)

    def _settle(self, answer: Answer) -> None:
        chain, origin, batch = self._chain, self.origin, self._batch
        problem = None if chain.end is ChainEnd.ANSWER else chain.end
        text = read_robots(answer.body) if answer.body or answer.status is not None else None
        is_html = text is not None and is_html_answer(text, answer.header("content-type"))
        state = state_of(answer.status, answer.error_class, problem, is_html)
        stored = StoredRobots(
            robots_url=f"{origin.name}/robots.txt",
            state=state,
            body=answer.body[:ROBOTS_MAX_BYTES] if state in RULED else b"",
            status=answer.status,
            error_class=answer.error_class,
            fetched_at=datetime.now(UTC),
            looks=self._look,
        )
        try:
            batch.lanes.ask(batch.run.robots.put, origin.name, stored)
            if state in FAILED:
                stored = replace(stored, past=batch.lanes.ask(batch.run.robots.past, origin.name))
        except AwayError:
            batch.log_away(f"robots.txt of {origin.name} could not be shared")
        if not stored.believed():
            batch.failing(origin)
            return
        origin.adopt(stored)
        policy = origin.policy or stored.policy(batch.run.options.robots_mode)[0]
        maximum = answer.header("cache-control")
        batch.outbox.robots(
            robots_file(
                policy,
                text,
                bots=(*batch.run.bots, PRODUCT_TOKEN),
                truncated=answer.truncated,
                first_status=chain.hops[0].status if chain.hops else answer.status,
                status=answer.status,
                hops=chain.hops,
                final_url=answer.url,
                error_class=answer.error_class,
                error_detail=answer.error_detail,
                content_type=answer.header("content-type"),
                cache_control_max_age=cache_control_max_age(maximum) if maximum is not None else None,
                past=stored.past,
                fetched_at=answer.ended_at,
                total_ms=sum(hop.ms for hop in chain.hops[: chain.followed]) + answer.total_ms,
            )
        )
        batch.resolved(origin)

    def hand_back(self, why: LeftWhy) -> None:
        """Somebody else may fetch it; what waits for it is handed back for the same reason."""
        self.origin.pending = False
        waiting, self.origin.waiting = self.origin.waiting, []
        for check in waiting:
            check.hand_back(why)
        try:
            self._batch.lanes.ask(self._batch.run.robots.release, self.origin.name)
        except AwayError:
            return

    def park(self) -> None:
        """The host is not asked any more, so its robots.txt stays unknown; its pages cannot be fetched either."""
        self._batch.parked(self.origin)
        self.hand_back(LeftWhy.LIMITED)
