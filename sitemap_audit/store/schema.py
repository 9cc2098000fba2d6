"""Tables that verdicts, rules and reports read, with every column and its type (docs/facts.md).

`SCHEMA` creates all of them empty. `base.py` fills the ones that copy facts, `derive.py` those that
follow from them, the rule engine `hits`, `findings` and `unjudged`. Nothing of it is kept on disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sitemap_audit.store.columns import (
    BOOL,
    ENTRIES,
    INT,
    PAGES,
    ROBOTS,
    SHARE,
    SITEMAPS,
    TEXT,
    TEXTS,
    TIME,
    declared,
)

Columns = Mapping[str, str]


def _without(columns: Columns, *dropped: str) -> dict[str, str]:
    return {name: kind for name, kind in columns.items() if name not in dropped}


ROBOTS_OF_THE_BOT: Final[Columns] = {
    "allowed": BOOL,
    "robots_rule": TEXT,
    "robots_line": INT,
    "robots_group_line": INT,
    "robots_state": TEXT,
    "tie_line": INT,
    "star_allowed": BOOL,
}
"""The map `robots` of a fact, unpacked for the verdict's bot. allowed NULL = unknown."""

DIRECTIVES_OF_THE_BOT: Final[Columns] = {
    "noindex": BOOL,
    "nofollow": BOOL,
    "nosnippet": BOOL,
    "noimageindex": BOOL,
    "notranslate": BOOL,
    "noarchive": BOOL,
    "indexifembedded": BOOL,
    "max_snippet": INT,
    "max_image_preview": TEXT,
    "max_video_preview": INT,
    "unavailable_after": TIME,
}
"""The map `directives`, unpacked likewise; NULL where no page was read."""

NOT_SEEN_YET: Final[Columns] = {"unstable": BOOL}
"""Known only from a second fetch of a page, which no run makes yet: NULL."""

LISTING: Final[Columns] = {
    "url_key": TEXT,
    "url": TEXT,
    "sitemap": TEXT,
    "line": INT,
    "claim": TEXT,
    "lastmod": TIME,
    "sitemap_count": INT,
}
URLS: Final[Columns] = {
    "url_id": TEXT,
    "url_key": TEXT,
    "url": TEXT,
    "listed": BOOL,
    "listed_as": TEXTS,
    "sitemaps": TEXTS,
    "sitemap_count": INT,
    "discovered_by": TEXT,
    "state": TEXT,
    "reason": TEXT,
    "verdict": TEXT,
    "verdict_reason": TEXT,
    "verdict_bot": TEXT,
    "dup_cluster": TEXT,
    "dup_role": TEXT,
    "soft404_score": SHARE,
    "soft404_reasons": TEXTS,
}
"""`state` and `reason` are the accounting of CONTRACT; a listed URL without a page fact is `unchecked:
stopped`. Errors, warnings, notices and rule ids are counted from `findings` when urls.csv is written."""

RUNS: Final[Columns] = {
    "run_id": TEXT,
    "started_at": TIME,
    "finished_at": TIME,
    "state": TEXT,
    "options": TEXT,
    "versions": TEXT,
    "counts": (
        'STRUCT(listed BIGINT, "unique" BIGINT, checked BIGINT, skipped MAP(VARCHAR, BIGINT), '
        "unchecked MAP(VARCHAR, BIGINT), requests BIGINT, bytes BIGINT)"
    ),
}
"""`options` and `versions` are JSON texts."""

FINDINGS: Final[Columns] = {
    "rule": TEXT,
    "subject": TEXT,
    "url_key": TEXT,
    "url": TEXT,
    "sitemap": TEXT,
    "line": INT,
    "claim": TEXT,
    "reality": TEXT,
    "related_url": TEXT,
    "severity": TEXT,
    "confidence": TEXT,
    "fix": TEXT,
    "status": TEXT,
    "first_seen": TIME,
    "finding_key": TEXT,
    "source": TEXT,
    "run_id": TEXT,
}

PER_RUN: Final[Mapping[str, Columns]] = {
    "robots_files": {**ROBOTS, "policy": TEXT},
    "sitemap_files": {**_without(SITEMAPS, "robots"), **ROBOTS_OF_THE_BOT},
    "entries": _without(ENTRIES, "is_child", "alternates"),
    "index_children": _without(ENTRIES, "is_child", "alternates"),
    "alternates": {
        "from_key": TEXT,
        "source": TEXT,
        "sitemap": TEXT,
        "line": INT,
        "code_raw": TEXT,
        "code": TEXT,
        "code_issue": TEXT,
        "href_raw": TEXT,
        "href": TEXT,
        "href_key": TEXT,
        "in_head": BOOL,
    },
    "pages": {
        **_without(PAGES, "attempt_log", "hops", "alternates", "directives", "robots"),
        "origin": TEXT,
        **ROBOTS_OF_THE_BOT,
        **DIRECTIVES_OF_THE_BOT,
        "noindex_bots": TEXTS,
        "bots": INT,
        **NOT_SEEN_YET,
    },
    "hops": {
        "url_id": TEXT,
        "url_key": TEXT,
        "n": INT,
        "url": TEXT,
        "status": INT,
        "kind": TEXT,
        "location_raw": TEXT,
        "location": TEXT,
        "ms": INT,
        "robots_allowed": BOOL,
        "set_cookie": BOOL,
    },
    "listing": LISTING,
    "urls": URLS,
    "runs": RUNS,
    "findings": FINDINGS,
}
"""What a run has and, as `previous_<name>`, the earlier run."""

ONCE: Final[Mapping[str, Columns]] = {
    "links": {"from_key": TEXT, "to_key": TEXT, "in_main": BOOL, "nofollow": BOOL},
    "access_log": {
        "line": TEXT,
        "at": TIME,
        "path": TEXT,
        "status": INT,
        "user_agent": TEXT,
        "subscribers": INT,
        "feed_id": TEXT,
    },
    "seen": {
        "url_key": TEXT,
        "listed": BOOL,
        "tried": BOOL,
        "response": BOOL,
        "head": BOOL,
        "content": BOOL,
        "robots": BOOL,
        "blocked_page": BOOL,
        "previous_run": BOOL,
        "links": BOOL,
        "access_log": BOOL,
        "reason": TEXT,
    },
    "settings": {"verdict_bot": TEXT, "robots_mode": TEXT, "depth": TEXT, "soft404_report": SHARE},
    "unjudged": {"rule": TEXT, "about": TEXT, "reason": TEXT, "n": INT},
    "hits": {
        "rule": TEXT,
        "url_key": TEXT,
        "subject": TEXT,
        "url": TEXT,
        "sitemap": TEXT,
        "line": INT,
        "claim": TEXT,
        "reality": TEXT,
        "related_url": TEXT,
        "severity": TEXT,
        "confidence": TEXT,
    },
    "rules": {"id": TEXT, "severity": TEXT, "confidence": TEXT, "override": TEXT},
    "no_targets": {"url_key": TEXT, "target": TEXT},
    "origins_in_use": {"origin": TEXT, "claim": TEXT, "place": INT},
    "bot_access": {"bot": TEXT, "allowed": INT, "blocked": INT},
}
"""`settings` gets its other columns, one a threshold, from `write_settings`. `bot_access` counts listed URLs
that each bot of the facts may fetch; for the rest nobody knows. `origins_in_use` is filled by the rule engine:
origins that a listed URL (place 0), a SITE (1) or a named sitemap (2) uses, and what the map says of them."""

PREVIOUS: Final = "previous_"

TABLES: Final[Mapping[str, Columns]] = {
    **PER_RUN,
    **{PREVIOUS + name: columns for name, columns in PER_RUN.items()},
    **ONCE,
}

SCHEMA: Final = ";\n".join(
    f'CREATE TABLE "{table}" ({declared(columns)})' for table, columns in TABLES.items()
)
