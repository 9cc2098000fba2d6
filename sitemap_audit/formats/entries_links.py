"""The alternates of an entry: xhtml:link elements become facts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sitemap_audit.facts import Alternate
from sitemap_audit.formats.entries_draft import draft_of
from sitemap_audit.formats.entries_loc import PLAIN_REST, SPACE, Place
from sitemap_audit.formats.hreflang import parse_hreflang
from sitemap_audit.formats.sitemap_problems import ProblemLog, without_user_info
from sitemap_audit.formats.sitemap_rows import Link
from sitemap_audit.formats.urls import parse_url
from sitemap_audit.settings import XML_MAX_TEXT_BYTES

_CODES_CACHED: Final = 1_024
_CODE_CHARS_CACHED: Final = 64
_AlternateDraft: Final = draft_of(Alternate)


class LinkReader:
    """Reads the links of one file. `place`: where the file stands, None if its address is no URL."""

    def __init__(self, place: Place | None, log: ProblemLog) -> None:
        self._place = place
        self._base = None if place is None else place.url.href
        self._log = log
        self._codes: dict[str, tuple[str | None, str | None]] = {}  # of this file: it has few
        self._plain: re.Pattern[str] | None = None
        """Addresses that Place.is_plain would pass, with line feeds between them."""
        if place is not None:
            line = re.escape(place.root) + PLAIN_REST.pattern
            self._plain = re.compile(rf"{line}(?:\n{line})*+", re.ASCII)

    def read(self, links: Sequence[Link]) -> tuple[Alternate, ...] | None:
        """The facts of the links of an entry, in order; None if none of them is an alternate with a language.

        Where all are plain, one look tells so for the entry; `_any` reads any, and a test holds both equal.
        """
        hrefs = [href for _, rel, code, href in links if href and code is not None and rel == "alternate"]
        if len(hrefs) != len(links) or not self._all_plain(hrefs):
            return self._any(links)
        made: list[Alternate] = []
        codes = self._codes
        for line, _, raw, href in links:
            read = codes.get(raw or "") or self._code(raw or "")
            if read is None:
                return self._any(links)
            draft = _AlternateDraft(line, raw, read[0], read[1], href, href, href)
            draft.__class__ = Alternate
            made.append(draft)
        return tuple(made) or None

    def _all_plain(self, hrefs: Sequence[str]) -> bool:
        joined = "\n".join(hrefs)
        return (
            self._plain is not None
            and self._plain.fullmatch(joined) is not None
            and "/." not in joined
            and "@" not in joined
            and joined.count("\n") == len(hrefs) - 1  # none has a line feed of its own
            and (len(joined) <= XML_MAX_TEXT_BYTES or max(map(len, hrefs)) <= XML_MAX_TEXT_BYTES)
        )

    def _code(self, raw: str) -> tuple[str | None, str | None] | None:
        """Code and issue of a hreflang value, and kept for the next time; None: not of usual length."""
        if len(raw) > _CODE_CHARS_CACHED:
            return None
        code, issue, _ = parse_hreflang(raw)
        if len(self._codes) >= _CODES_CACHED:
            self._codes.clear()
        self._codes[raw] = code, issue
        return code, issue

    def _any(self, links: Sequence[Link]) -> tuple[Alternate, ...] | None:
        made: list[Alternate] = []
        place, base = self._place, self._base
        for line, rel, code_raw, href_raw in links:
            if rel != "alternate" and "alternate" not in (rel or "").lower().split():
                self._log.note("link-not-alternate", line=line, text=rel)
                continue
            if code_raw is None:  # a mobile version or the like says nothing about languages
                continue
            code, issue, _ = parse_hreflang(code_raw)
            href = key = None
            if href_raw is None:
                href_raw = ""
            elif len(href_raw) > XML_MAX_TEXT_BYTES:
                href_raw = href_raw[:XML_MAX_TEXT_BYTES]
            elif place is not None and place.is_plain(href_raw):
                href = key = href_raw
            elif href_raw.strip(SPACE):
                url = parse_url(href_raw, base)
                if url is not None:
                    href, key = url.href, url.key
            draft = _AlternateDraft(  # in the order of the fact's fields
                line,
                code_raw if len(code_raw) <= XML_MAX_TEXT_BYTES else code_raw[:XML_MAX_TEXT_BYTES],
                code,
                issue,
                without_user_info(href_raw) if "@" in href_raw else href_raw,
                href,
                key,
            )
            draft.__class__ = Alternate
            made.append(draft)
        return tuple(made) or None
