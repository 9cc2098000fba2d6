"""One URL: may it be fetched, what did it answer, what comes of it.

prepare    robots.txt of its origin for the verdict's bot and for our own token (definitions 12)
answered   limited → handed back; a redirect → the same for its target; a failure → a second look
           (definitions 11), or the final one; a page → read, an immediate refresh followed once
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sitemap_audit.facts import Attempt, ErrorClass, HopKind, PageState
from sitemap_audit.formats.headers import parse_retry_after
from sitemap_audit.formats.urls import Url, parse_url
from sitemap_audit.http import Answer, Chain, ChainEnd, RefreshTo, Request
from sitemap_audit.http.redirects import REDIRECTS
from sitemap_audit.queue.messages import BatchUrl, LeftWhy
from sitemap_audit.settings import LIMITED_LOOKS, PAGE_MAX_HOPS, RECHECK_COUNT
from workers.content import content_of
from workers.page_fact import PageFields, challenge_kind, known, not_asked, page_of, signals_of

if TYPE_CHECKING:
    from workers.batch import BatchRun
    from workers.origins import Leave, Origin

FAILURES: Final = frozenset(
    {
        ErrorClass.DNS,
        ErrorClass.CONNECT,
        ErrorClass.TLS,
        ErrorClass.TIMEOUT,
        ErrorClass.RESET,
        ErrorClass.BAD_HTTP,
    }
)
"""Failures that a second look may lift. The others are ours (limits, guard) or stay what they are."""
NOT_PUBLIC: Final = "its address is not public"
LISTED: Final = ("sitemap", "feed", "list")
NO_CONNECTION: Final = frozenset({ErrorClass.DNS, ErrorClass.CONNECT, ErrorClass.TIMEOUT})


def moves(answer: Answer) -> bool:
    """Does it redirect, though its body broke off? Its head is all that counts."""
    return (
        answer.status in REDIRECTS
        and answer.error_class in (ErrorClass.RESET, ErrorClass.TIMEOUT)
        and answer.header("location") is not None
    )


class Check:
    """A task of the lanes: one URL of the batch until it is settled."""

    __slots__ = ("_batch", "_chain", "_leave", "_refreshed", "_stay", "_target", "item", "url")

    def __init__(self, batch: BatchRun, item: BatchUrl, url: Url) -> None:
        self.item = item
        self.url = url
        self._batch = batch
        self._chain: Chain | None = None
        self._leave: Leave | None = None
        self._target: Url = url
        """What is requested next: the URL, then the targets of its redirects."""
        self._refreshed = False
        self._stay: tuple[Answer, dict[str, Any]] | None = None
        """A page that refreshes at once to a target that may not be fetched is itself the final one."""

    @property
    def first(self) -> bool:
        return False

    def prepare(self) -> bool:
        """Judge the next URL by the robots.txt of its own origin; fetch that first if need be."""
        batch = self._batch
        origin = batch.run.origin(self._target.origin)
        if not origin.known:
            if origin.failing:
                batch.again(self.item.seq, None)
            else:
                batch.wait_for(origin, self)
            return False
        if origin.private:
            return self._refused_by_guard()
        batch.lanes.slow_down(self._target, origin.crawl_delay_s)
        if self._chain is None:
            return self.item.how != "robots" and self._may_ask(origin)
        return self._may_follow(self._chain, origin)

    def resume(self) -> None:
        """The robots.txt that it waited for is there, or failed."""
        if self.item.how == "robots" and self._batch.run.origin(self.url.origin).known:
            self._batch.answered(self.item.seq)
        else:
            self._batch.lanes.add(self, self._target, front=True)

    def request(self) -> Request:
        return Request.page(self._target.href)

    def hand_back(self, why: LeftWhy) -> None:
        self._batch.left(self.item.seq, why)

    def park(self) -> None:
        """The host asks for more patience than a run has."""
        robots = self._leave.verdicts if self._leave is not None else None
        self._settle(not_asked(self.item, self.url, PageState.UNCHECKED, "rate_limited", robots))

    # --- may it be asked ---------------------------------------------------------------------

    def _may_ask(self, origin: Origin) -> bool:
        options = self._batch.run.options
        leave = self._leave = origin.leave(self.url.href)
        if leave is None:
            return self._not_asked(PageState.UNCHECKED, "robots_expensive")
        if options.inspect_blocked or (leave.bot and leave.own):
            self._chain = Chain(self.url.href, PAGE_MAX_HOPS)
            return True
        if leave.bot is None or leave.own is None:
            return self._not_asked(PageState.UNCHECKED, "robots_paused")
        return self._not_asked(PageState.SKIPPED, "own_agent" if leave.bot else "robots")

    def _not_asked(self, state: PageState, reason: str) -> bool:
        robots = self._leave.verdicts if self._leave is not None else None
        self._settle(not_asked(self.item, self.url, state, reason, robots))
        return False

    def _refused_by_guard(self) -> bool:
        if self.item.how == "robots":
            self._batch.answered(self.item.seq)
        elif self._chain is None:
            self._settle(
                not_asked(
                    self.item,
                    self.url,
                    PageState.SKIPPED,
                    "private_host",
                    None,
                    ErrorClass.PRIVATE_HOST,
                    NOT_PUBLIC,
                )
            )
        elif self._stay is not None:
            self._give_up_target(self._chain)
        else:
            now, error = datetime.now(UTC), ErrorClass.PRIVATE_HOST
            answer = Answer(
                self._target.href, error_class=error, error_detail=NOT_PUBLIC, started_at=now, ended_at=now
            )
            self._chain.feed(answer)
            self._finish(answer, {})
        return False

    def _may_follow(self, chain: Chain, origin: Origin) -> bool:
        leave = origin.leave(self._target.href)
        chain.judge_target(leave.bot if leave is not None else None)
        if self._batch.run.options.inspect_blocked or (leave is not None and leave.bot and leave.own):
            return True
        self._give_up_target(chain)
        return False

    def _give_up_target(self, chain: Chain) -> None:
        """The target of the last hop is not fetched: the hop stays."""
        chain.stop()
        assert chain.final is not None
        if self._stay is not None:
            self._finish(*self._stay)
        else:
            self._finish(chain.final, {}, reached=False)

    # --- what came back ----------------------------------------------------------------------

    def answered(self, answer: Answer) -> None:
        batch, chain = self._batch, self._chain
        assert chain is not None
        if answer.error_class is ErrorClass.PRIVATE_HOST and not chain.hops:
            robots = self._leave.verdicts if self._leave is not None else None
            self._settle(
                not_asked(
                    self.item,
                    self.url,
                    PageState.SKIPPED,
                    "private_host",
                    robots,
                    answer.error_class,
                    answer.error_detail,
                )
            )
        elif answer.error_class is ErrorClass.PRIVATE_HOST and self._stay is not None:
            self._give_up_target(chain)
        elif answer.status == 429 or (answer.status == 503 and answer.header("retry-after") is not None):
            self._limited(chain, answer)
        elif moves(answer):
            batch.lanes.clean(self._target)
            self._usable(chain, answer)
        elif answer.error_class in FAILURES or (answer.status is not None and answer.status >= 500):
            if answer.error_class in NO_CONNECTION:
                batch.lanes.failed(self._target)
            else:
                batch.lanes.clean(self._target)
            self._failed(chain, answer)
        else:
            batch.lanes.clean(self._target)
            self._usable(chain, answer)

    def _limited(self, chain: Chain, answer: Answer) -> None:
        """Our own pace is at fault, not the site: wait, and try again; after some tries say so."""
        wall = challenge_kind(answer)
        after = parse_retry_after(
            answer.header("retry-after") or "", answer.ended_at, date=answer.header("date")
        )
        parked = self._batch.lanes.limited(self._target, after, answer)
        looks = 1 + sum(a.status in (429, 503) for a in self.item.history)
        if parked or looks >= LIMITED_LOOKS:
            chain.feed(answer)
            reason = "challenge" if wall else "rate_limited"
            self._finish(answer, self._read(answer), state=PageState.UNCHECKED, reason=reason, wall=wall)
        else:
            look = Attempt(answer.ended_at, answer.status, answer.error_class, answer.total_ms)
            self._batch.left(self.item.seq, LeftWhy.LIMITED, look)

    def _failed(self, chain: Chain, answer: Answer) -> None:
        wall = challenge_kind(answer)
        looks = [a for a in self.item.history if a.status != 429]
        patience = self._batch.run.options.recheck_after_s
        old = any((datetime.now(UTC) - a.at).total_seconds() >= patience for a in looks)
        if old or len(looks) + 1 >= RECHECK_COUNT or wall:
            chain.feed(answer)
            if wall:
                self._finish(
                    answer, self._read(answer), state=PageState.UNCHECKED, reason="challenge", wall=wall
                )
            else:
                self._finish(answer, self._read(answer))
        else:
            look = Attempt(answer.ended_at, answer.status, answer.error_class, answer.total_ms)
            self._batch.again(self.item.seq, look)

    def _usable(self, chain: Chain, answer: Answer) -> None:
        if chain.feed(answer):
            self._go_on(chain)
            return
        signals = self._read(answer)
        wall = signals.pop("wall", None) or challenge_kind(answer)
        if wall is not None:
            self._finish(answer, signals, state=PageState.UNCHECKED, reason="challenge", wall=wall)
            return
        refresh = self._refresh(answer, signals)
        if refresh is not None:
            self._refreshed = True
            self._stay = (answer, signals)
            chain.end = None
            if chain.feed(answer, refresh):
                self._go_on(chain)
                return
        self._finish(answer, signals)

    def _refresh(self, answer: Answer, signals: dict[str, Any]) -> RefreshTo | None:
        """An immediate refresh to another URL counts as a redirect, once."""
        if self._refreshed or answer.status != 200:
            return None
        for name, kind in (("refresh_header", HopKind.REFRESH_HEADER), ("refresh", HopKind.META_REFRESH)):
            refresh = signals.get(name)
            if refresh is None or refresh.seconds > 0 or refresh.url is None:
                continue
            target = parse_url(refresh.url, answer.url)
            if target is not None and target.href != answer.url:
                return RefreshTo(kind, 0.0, target.href, refresh.url)
        return None

    def _go_on(self, chain: Chain) -> None:
        """Fetch the target of the last hop, if its host and robots.txt let us."""
        target = parse_url(chain.url)
        if target is None or (self._stay is not None and not self._batch.run.options.in_scope(target.host)):
            self._give_up_target(chain)
            return
        self._target = target
        # First in line: what is begun is ended before something new begins.
        self._batch.lanes.add(self, target, front=True)

    # --- what is said ------------------------------------------------------------------------

    def _read(self, answer: Answer) -> dict[str, Any]:
        run = self._batch.run
        signals = signals_of(answer, self._target, run.options.bots, run.options.depth)
        if run.options.depth == "page":
            signals |= known(content_of(answer, signals, self.url))
        return signals

    def _finish(
        self,
        answer: Answer,
        signals: dict[str, Any],
        *,
        reached: bool = True,
        state: PageState = PageState.CHECKED,
        reason: str | None = None,
        wall: str | None = None,
    ) -> None:
        chain = self._chain
        assert chain is not None
        if wall is not None:
            signals = {**signals, "challenge": True, "challenge_kind": wall}
        self._settle(
            page_of(
                self.item,
                self.url,
                chain,
                answer,
                signals,
                self._leave.verdicts if self._leave is not None else None,
                reached=reached,
                state=state,
                reason=reason,
            )
        )

    def _settle(self, page: PageFields) -> None:
        if self.item.how in LISTED:
            self._name_targets(page)
        self._batch.settled(self.item.seq, page)

    def _name_targets(self, page: PageFields) -> None:
        """What a listed page names is checked too; what those pages name in turn is not."""
        if page.get("canonical_state") == "other":
            self._batch.target(page["canonical"], "canonical")
        told = self._batch.run.told
        for alternate in page.get("alternates", ()):
            href = alternate["href"]
            if href is not None and href not in told:
                self._batch.target(href, "hreflang")
        if page.get("hops") and page["final_url"] != self.url.href:
            self._batch.target(page["final_url"], "redirect")
        if self._stay is not None and self._chain is not None and self._chain.end is ChainEnd.STOPPED:
            # The page is its own end, since its refresh may not be followed: why not is said of the target.
            target = self._chain.hops[-1].location
            if target is not None:
                self._batch.target(target, "redirect")
