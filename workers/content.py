"""The content of an answer as fields of the page fact: what `--depth page` adds to the head signals."""

from __future__ import annotations

from typing import Any

from sitemap_audit.formats.charset import decode
from sitemap_audit.formats.content import raw_hash, read_content
from sitemap_audit.formats.headers import parse_content_type
from sitemap_audit.formats.urls import Url
from sitemap_audit.http import Answer


def content_of(answer: Answer, signals: dict[str, Any], url: Url) -> dict[str, Any]:
    """Fields about the content of the final answer for `url`; {} where there is none to compare.

    `signals`: what page_fact.signals_of said of the same answer. Only a body that came whole with status 200 counts: a
    cut text would look like a changed one. `wall` in the result: the page is that of a bot wall of this kind.
    """
    if answer.status != 200 or answer.truncated or answer.error_class is not None or not answer.body:
        return {}
    fields: dict[str, Any] = {"raw_hash": raw_hash(answer.body)}
    if signals.get("charset_used") is None or signals.get("canonical_state") is None:
        return fields  # no HTML, or HTML that must not be parsed
    media = parse_content_type(signals["content_type"]) if signals.get("content_type") else None
    content = read_content(
        decode(answer.body, None if media is None else media.charset).doc,
        path=url.href.partition("?")[0][len(url.origin) :],
        final_url=answer.url,
        base_href=signals.get("base_href"),
        title=signals.get("title"),
        canonical=signals.get("canonical"),
        is_html=signals.get("sniffed_type") == "html",
    )
    if content.wall is not None:
        return {"wall": content.wall}
    return fields | content.as_page_fields()
