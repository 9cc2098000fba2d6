"""`--csv-style screaming-frog`: the same columns in the same order, under the header names that SEOs know.

A column without a counterpart there is written in Title Case. Their size column says bytes, their response
time seconds with three decimals; an answer that never came has status 0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sitemap_audit.report.csv_files import Cell, Column
from sitemap_audit.report.tables import Table

_URL_COLUMNS: Final = {
    "url": Column("Address", "u.url"),
    "verdict": Column(
        "Indexability",
        "CASE u.verdict WHEN 'indexable' THEN 'Indexable' WHEN 'unknown' THEN NULL ELSE 'Non-Indexable' END",
    ),
    "verdict_reason": Column(
        "Indexability Status",
        """CASE u.verdict WHEN 'redirect' THEN 'Redirected' WHEN 'client_error' THEN 'Client Error'
        WHEN 'server_error' THEN 'Server Error' WHEN 'unreachable' THEN 'No Response'
        WHEN 'blocked' THEN 'Blocked by robots.txt' WHEN 'noindex' THEN 'noindex'
        WHEN 'canonicalised' THEN 'Canonicalised' END""",
    ),
    "status": Column(
        "Status Code", "CASE WHEN p.state = 'checked' THEN coalesce(p.status, 0) END", Cell.NUMBER
    ),
    "first_status": Column("First Status Code", "p.first_status", Cell.NUMBER),
    "final_url": Column("Redirect URL", "CASE WHEN p.hop_count > 0 THEN p.final_url END"),
    "content_type": Column("Content Type", "p.content_type"),
    "title": Column("Title 1", "p.title"),
    "canonical": Column("Canonical Link Element 1", "p.canonical"),
    "html_lang": Column("Language", "p.html_lang"),
    "bytes": Column("Size (bytes)", "p.bytes", Cell.NUMBER),
    "total_ms": Column("Response Time", "format('{:.3f}', p.total_ms / 1000)"),
    "last_modified_http": Column("Last Modified", "p.last_modified_http", Cell.TIME),
    "main_hash": Column("Hash", "p.main_hash"),
    "robots_line": Column("Matched Robots.txt Line", "p.robots_line", Cell.NUMBER),
    "fetched_at": Column("Crawl Timestamp", "p.fetched_at", Cell.TIME),
}
_NAMES: Final = {"meta_robots": "Meta Robots 1", "x_robots_tag": "X-Robots-Tag 1"}


def _title(name: str) -> str:
    return _NAMES.get(name, name.replace("_", " ").title())


def dialect(table: Table) -> Table:
    """The table under Screaming Frog's header names; the number and order of columns stay."""
    known = _URL_COLUMNS if table.name == "urls.csv" else {}
    return replace(
        table, columns=tuple(known.get(c.name) or replace(c, name=_title(c.name)) for c in table.columns)
    )
