"""Which listed URLs are asked: scope, --include, --exclude, --max-urls, --sample. The rest is skipped, with the reason."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from dataclasses import dataclass, field

from sitemap_audit.options import RunOptions


@dataclass(slots=True)
class Selection:
    """`reason` answers at once where it can; with --sample the choice waits until the listing is whole."""

    options: RunOptions
    _include: list[re.Pattern[str]] = field(init=False)
    _exclude: list[re.Pattern[str]] = field(init=False)
    _taken: int = 0
    _strata: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self._include = [re.compile(p) for p in self.options.include]
        self._exclude = [re.compile(p) for p in self.options.exclude]

    def reason(self, url: str, host: str) -> str | None:
        """Why this URL is not asked; None = it is (or waits for the sample). `host` without port."""
        return self.reason_in_scope(url) if self.options.in_scope(host) else "out_of_scope"

    def reason_in_scope(self, url: str) -> str | None:
        """The same for a URL of a host in scope."""
        if self._include and not any(p.search(url) for p in self._include):
            return "excluded"
        if any(p.search(url) for p in self._exclude):
            return "excluded"
        if self.options.max_urls is not None:
            if self._taken >= self.options.max_urls:
                return "limit"
            self._taken += 1
        return None

    def taken(self) -> None:
        """A URL of an earlier session of this run counts against --max-urls."""
        self._taken += 1

    @property
    def sampling(self) -> bool:
        return self.options.sample is not None

    def hold(self, seq: int, sitemap: str) -> None:
        """Keep a URL for the choice at the end of discovery."""
        self._strata[sitemap].append(seq)

    def choose(self) -> tuple[set[int], set[int]]:
        """(asked, skipped): a share of each sitemap as large as its share of all, at least one of each while it lasts.

        The same run chooses the same URLs again, so that `resume` goes on with its sample.
        """
        wanted = self.options.sample or 0
        total = sum(map(len, self._strata.values()))
        chance = random.Random(self.options.run_id)  # noqa: S311  a sample, no secret
        asked: set[int] = set()
        if total <= wanted:
            asked = {s for seqs in self._strata.values() for s in seqs}
        elif total:
            rest: list[int] = []
            for sitemap in sorted(self._strata, key=lambda m: -len(self._strata[m])):
                seqs = sorted(self._strata[sitemap])
                chance.shuffle(seqs)
                share = max(1, wanted * len(seqs) // total)
                share = min(share, wanted - len(asked))
                asked.update(seqs[:share])
                rest.extend(seqs[share:])
            chance.shuffle(rest)
            asked.update(rest[: wanted - len(asked)])
        skipped = {s for seqs in self._strata.values() for s in seqs} - asked
        self._strata.clear()
        return asked, skipped
