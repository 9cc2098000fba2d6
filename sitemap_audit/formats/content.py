"""The content of one page as fields of the page fact: the facade over the other content modules.

Definitions 2 and 3. Everything is said by this page alone; what other pages add is the store's business.
Head signals are read elsewhere (page.py) and never change here.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser

from sitemap_audit.facts import PageDates, ProbePrint, Soft404Points
from sitemap_audit.formats.canonical import document_base
from sitemap_audit.formats.content_data import first_heading, page_dates, read_jsonld, read_metas
from sitemap_audit.formats.content_links import read_links
from sitemap_audit.formats.content_main import Walked, walk
from sitemap_audit.formats.content_print import fingerprint, hash_16, probe_print
from sitemap_audit.formats.content_soft404 import own_points
from sitemap_audit.formats.content_wall import wall_of
from sitemap_audit.formats.content_words import normal_form
from sitemap_audit.formats.html_guard import Refused, parse_html
from sitemap_audit.settings import WALL_MAX_CHARS

_SHELL_ROOTS: Final = "#root,#app,#__next,#__nuxt"
_SHELL_CHARS: Final = 200
"""Visible text from here on is no shell (threshold shell_visible_chars of the rule that reports one)."""


class Content(NamedTuple):
    """Fields of `facts.Page` that the content gives; same names, types and meanings.

    `wall`: the kind of bot wall whose page this is. It then says nothing about the page.
    """

    h1: str | None = None
    meta_description: str | None = None
    page_dates: PageDates | None = None
    sd_types: tuple[str, ...] = ()
    script_count: int | None = None
    media_in_main: int | None = None
    main_text_len: int | None = None
    word_count: int | None = None
    main_hash: str | None = None
    main_simhash: str | None = None
    main_sketch: tuple[int, ...] = ()
    main_fallback: bool | None = None
    probe_print: ProbePrint | None = None
    sd_hash: str | None = None
    links_hash: str | None = None
    template_hash: str | None = None
    shell: bool | None = None
    soft404_points: Soft404Points | None = None
    out_links: int | None = None
    wall: str | None = None

    def as_page_fields(self) -> dict[str, Any]:
        """Keyword arguments for `facts.Page`."""
        fields = self._asdict()
        del fields["wall"]
        return fields


def raw_hash(body: bytes) -> str | None:
    """`Page.raw_hash` of a body of any type; None for an empty one."""
    return hash_16(body) if body else None


def read_content(
    doc: bytes,
    *,
    path: str,
    final_url: str,
    base_href: str | None = None,
    title: str | None = None,
    canonical: str | None = None,
    is_html: bool = True,
) -> Content:
    """The content of an HTML text in UTF-8 without a byte order mark, that came with status 200 and whole.

    `path`: of the requested URL, as sent. `base_href`, `title`, `canonical`: what the head said (PageSignals).
    `is_html`: the bytes are HTML, whatever the header says; else no points of a soft 404 are given.
    A document too expensive to be parsed, or a frameset, gives only None. Never raises; costs about as much
    as one parse of the document, twice that where the main text is fallback text.
    """
    tree = parse_html(doc)
    if isinstance(tree, Refused):
        return Content()
    walked = walk(tree, len(doc))
    if walked is None:
        return Content()
    text = normal_form(walked.text)
    wall = wall_of(doc) if text.chars < WALL_MAX_CHARS else None
    if wall is not None:
        return Content(wall=wall)
    data, metas = read_jsonld(walked.scripts), read_metas(walked.metas)
    h1 = first_heading(walked.headings)
    part = _whole(doc) or walked if walked.fallback else walked
    links = read_links(part.links, document_base(base_href, final_url).url)
    prints = fingerprint(text)
    points = None
    if is_html:
        points = own_points(
            path=path,
            title=title or "",
            h1=h1 or "",
            start=text.start,
            chars=text.chars,
            body_names=_body_names(tree),
            canonical=canonical or "",
            links=links.out_links,
            thing=data.thing,
        )
    return Content(
        h1,
        metas.description,
        page_dates(data, metas, walked.times),
        data.types,
        len(walked.scripts),
        part.media,
        text.chars,
        prints.word_count,
        prints.main_hash,
        prints.main_simhash,
        prints.main_sketch,
        walked.fallback,
        probe_print(text.words, text.chars, path),
        data.sd_hash,
        links.links_hash,
        hash_16(walked.template.encode("utf-8", "replace")),
        _is_shell(walked, tree, text.chars),
        points,
        links.out_links,
    )


def _whole(doc: bytes) -> Walked | None:
    """The page again with its frame: where that is the main text, its links and media are the page's."""
    tree = parse_html(doc)
    return None if isinstance(tree, Refused) else walk(tree, len(doc), framed=True)


def _body_names(tree: LexborHTMLParser) -> tuple[str, ...]:
    body = tree.body
    attributes = {} if body is None else body.attributes
    return tuple(name for name in (attributes.get("class"), attributes.get("id")) if name)


def _is_shell(walked: Walked, tree: LexborHTMLParser, chars: int) -> bool:
    """Does the page only load a program that makes its content? Hardly a text, and an empty root for it."""
    if not walked.scripts or chars >= _SHELL_CHARS or walked.visible is None:
        return False
    if len(" ".join(walked.visible.split())) >= _SHELL_CHARS:
        return False
    return any(not node.text().strip() for node in tree.css(_SHELL_ROOTS))
