"""What the account needs of entries, beside the facts: told by who reads the sitemap, so that nobody parses it again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from sitemap_audit.formats.urls import pace_host, parse_url


class Listed(NamedTuple):
    """URLs of one origin that entries of one file name one after the other.

    `host` as in scope, `pace_host` whose rate it is; `identities` (url_id as a number) and `hrefs` are parallel.
    """

    sitemap: str
    origin: str
    host: str
    pace_host: str
    identities: list[int]
    hrefs: list[str]


@dataclass(slots=True)
class Listing:
    """Collects what entries list, in their order."""

    _runs: list[Listed] = field(default_factory=list)
    _root: str = ""
    """Origin of the last one, with the slash: most entries stay on it."""
    _last: Listed | None = None

    def add(self, sitemap: str, url_id: str, href: str) -> None:
        """One entry with an address (the fields of its fact); children of an index are none."""
        last = self._last
        if last is None or last.sitemap != sitemap or not href.startswith(self._root):
            url = parse_url(href)
            if url is None:
                return
            last = self._last = Listed(sitemap, url.origin, url.host, pace_host(url), [], [])
            self._root = f"{url.origin}/"
            self._runs.append(last)
        last.identities.append(int(url_id, 16))
        last.hrefs.append(href)

    def take(self) -> tuple[Listed, ...]:
        """What was collected; nothing is left."""
        runs = tuple(self._runs)
        self._runs, self._last = [], None
        return runs
