"""The list of what a sitemap parser met: counted for good, kept up to a bound.

Kinds are kebab-case codes. The parsers beside this module say in their docstrings which ones they note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from sitemap_audit.facts import Problem
from sitemap_audit.settings import PROBLEM_TEXT_CHARS, PROBLEMS_MAX

_USER_INFO: Final = re.compile(r"(?:(?<=:)|^|(?<=\s))[/\\]{2,}[^/\\?#\s]*@")
_REPEATS_KEPT: Final = 20
"""Problems of one kind that are kept each with their place; later ones only raise the count of the last."""


class ProblemLog:
    """Problems of one file, in the order in which they were met.

    Of one kind the first 20 are kept with their places; those that follow are counted on one more line
    of the kind, so that a file of 50,000 equal faults neither fills memory nor hides the others. At most
    PROBLEMS_MAX lines are kept; what finds no place is counted in a last line `problems-dropped`.
    """

    def __init__(self) -> None:
        self._kept: list[Problem] = []
        self._of_kind: dict[str, int] = {}
        self._more: dict[str, Problem] = {}
        self._dropped = 0

    def note(
        self, kind: str, *, line: int | None = None, byte: int | None = None, text: str | None = None
    ) -> None:
        """One problem more. `text` as found, cut at 200 characters; `byte` counts from 0 in the unpacked file."""
        seen = self._of_kind.get(kind, 0)
        self._of_kind[kind] = seen + 1
        if seen >= _REPEATS_KEPT:
            first = self._more.get(kind)
            if first is None:
                self._more[kind] = Problem(kind, line, byte, _cut(text))
            return
        if len(self._kept) < PROBLEMS_MAX:
            self._kept.append(Problem(kind, line, byte, _cut(text)))
        else:
            self._dropped += 1

    def extend(self, problems: Iterable[Problem]) -> None:
        """Problems that another layer noted."""
        for problem in problems:
            self.note(problem.kind, line=problem.line, byte=problem.byte, text=problem.text)

    def __contains__(self, kind: object) -> bool:
        return kind in self._of_kind

    def __len__(self) -> int:
        """How many were met, kept or not."""
        return sum(self._of_kind.values())

    def facts(self) -> tuple[Problem, ...]:
        """What is kept; `count` is above 1 on a line that stands for several."""
        more = [
            Problem(p.kind, p.line, p.byte, p.text, count=self._of_kind[kind] - _REPEATS_KEPT)
            for kind, p in self._more.items()
        ]
        dropped = [Problem("problems-dropped", count=self._dropped)] if self._dropped else []
        return (*self._kept, *more, *dropped)


def _cut(text: str | None) -> str | None:
    return without_user_info(text[:PROBLEM_TEXT_CHARS]) if text else None


def without_user_info(text: str) -> str:
    """A text as found, without what stands before an @ in the authority of a URL: credentials are never kept."""
    return _USER_INFO.sub("//", text) if "@" in text else text
