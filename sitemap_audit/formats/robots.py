"""robots.txt, bytes to facts: lines, groups, rules, sitemaps, and everything that is odd about them.

Reads as Google's parser does (definitions 6.2, 6.3) and keeps what RFC 9309 would read otherwise. Matching
is in robots_match, what an answer of the server means in robots_policy.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from sitemap_audit.facts import Group, RobotsLine, RobotsRule, RobotsSitemapLine, UnsupportedLine
from sitemap_audit.settings import PROBLEMS_MAX, ROBOTS_LINE_MAX_BYTES, ROBOTS_MAX_BYTES

_BOM: Final = b"\xef\xbb\xbf"
_TEXT_MAX_CHARS: Final = 200
_TOKEN: Final = re.compile(rb"[A-Za-z_-]*")
_STAR: Final = re.compile(rb"\*(?:\s.*)?", re.DOTALL)
_WORDS: Final = re.compile(rb"[ \t]+")
_NUMBER: Final = re.compile(rb"\d{1,9}(?:\.\d{1,9})?|\.\d{1,9}")
_ESCAPE: Final = re.compile(rb"%[0-9A-Fa-f]{2}|[\x80-\xff]")
_PAGE_START: Final = re.compile(rb"\s*(?:<!--.{0,2000}?-->\s*)?<(?:!doctype|html|head|body)\b", re.I | re.S)
_MARKUP: Final = re.compile(rb"<[A-Za-z!/?]")

SPELLINGS: Final = {
    "user-agent": ("user-agent", "useragent", "user agent"),
    "allow": ("allow",),
    "disallow": ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"),
    "sitemap": ("sitemap", "site-map"),
}
"""Field names that Google's parser accepts, each as the start of a longer one as well."""

UNSUPPORTED_FIELDS: Final = frozenset(
    {
        "cache-delay",
        "clean-param",
        "comment",
        "contact",
        "content-signal",
        "content-usage",
        "crawl-delay",
        "host",
        "license",
        "noarchive",
        "nofollow",
        "noindex",
        "nosnippet",
        "request-rate",
        "revisit-after",
        "robot-version",
        "schemamap",
        "visit-time",
    }
)
"""Known from other engines or older times; without effect for Google."""


class RobotsMode(StrEnum):
    """Whose reading decides where they differ (option --robots-mode)."""

    GOOGLE = "google"
    RFC = "rfc"


class RawRule(NamedTuple):
    """A rule as the matcher takes it: `value` is the trimmed bytes behind the colon."""

    line: int
    allow: bool
    value: bytes
    group_line: int


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A header of agent lines with its rules. `tokens` are lower case, `star` is the `*` line."""

    line: int
    tokens: frozenset[str]
    star: bool
    rules: tuple[RawRule, ...]


class Delay(NamedTuple):
    """A Crawl-delay line and the agents above it. For delays such a line ends the header, as the sites and
    engines that use it mean it, though for Google's rules it ends nothing."""

    line: int
    seconds: float
    tokens: frozenset[str]
    star: bool


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RobotsText:
    """What a robots.txt holds, by Google's reading unless a field says otherwise.

    `size` is that of the whole body in bytes, `lines` counts what was read of it. `unknown_lines` and
    `typos` keep the first PROBLEMS_MAX. `charset_guess`: utf-8, utf-16le, utf-16be,
    latin-1 (any single-byte one), binary. `looks_html`: the body begins like an HTML page; `is_html`: and no
    group has a rule; `markup`: it holds something like a tag. `rfc_blocks` are the groups by RFC 9309.
    """

    size: int
    lines: int
    groups: tuple[Group, ...]
    rules: tuple[RobotsRule, ...]
    sitemaps: tuple[RobotsSitemapLine, ...]
    unsupported: tuple[UnsupportedLine, ...]
    unknown_lines: tuple[RobotsLine, ...]
    typos: tuple[RobotsLine, ...]
    cut_at: int | None
    bom: bool
    encoding_ok: bool
    charset_guess: str
    looks_html: bool
    is_html: bool
    markup: bool
    sha256: str
    rules_hash: str
    blocks: tuple[Block, ...]
    rfc_blocks: tuple[Block, ...]
    delays: tuple[Delay, ...]
    named: frozenset[str]
    """Tokens with a group of their own, in any reading; a delay counts as one."""


class _Line(NamedTuple):
    number: int
    field: str
    value: bytes
    exact: bool
    """The field name is one of SPELLINGS and a colon follows: RFC 9309 reads it too."""


def read_robots(body: bytes) -> RobotsText:
    """Read the decoded body of /robots.txt. Never raises; time and memory are linear in the size."""
    kept = body[:ROBOTS_MAX_BYTES]
    cut_at = ROBOTS_MAX_BYTES if len(body) > ROBOTS_MAX_BYTES else None
    lines, unsupported, unknown, typos = [], [], [], []
    count = 0
    kinds: dict[bytes, tuple[str, bool, bool]] = {}
    for count, raw in enumerate(lines_of(kept), 1):
        line = raw.partition(b"#")[0].strip()
        if not line:
            continue
        key, value, colon = _parts(line)
        if not key:
            unknown.append(RobotsLine(count, _clip(line)))
            continue
        name = key.lower()
        if name not in kinds:
            kinds[name] = _kind(name)
        field, listed, plain = kinds[name]
        if not field:
            unknown.append(RobotsLine(count, _clip(line)))
            continue
        lines.append(_Line(count, field, value, listed and colon))
        if field in UNSUPPORTED_FIELDS:
            unsupported.append(UnsupportedLine(count, field, _clip(value)))
        elif not (plain and colon):
            typos.append(RobotsLine(count, _clip(line)))
    groups, blocks = _blocks(lines)
    exact = all(line.exact or line.field in UNSUPPORTED_FIELDS for line in lines)
    delays = _delays(lines)
    looks_html = _PAGE_START.match(kept.replace(b"\0", b"").lstrip(_BOM + b"\xff\xfe")) is not None
    encoding_ok, charset = _charset(kept, cut=cut_at is not None)
    named = frozenset[str]().union(*(b.tokens for b in blocks), *(d.tokens for d in delays))
    return RobotsText(
        size=len(body),
        lines=count,
        groups=groups,
        rules=tuple(_rule_facts(lines)),
        sitemaps=tuple(RobotsSitemapLine(n, show(v)) for n, f, v, _ in lines if f == "sitemap"),
        unsupported=tuple(unsupported),
        unknown_lines=tuple(unknown[:PROBLEMS_MAX]),
        typos=tuple(typos[:PROBLEMS_MAX]),
        cut_at=cut_at,
        bom=body.startswith(_BOM),
        encoding_ok=encoding_ok,
        charset_guess=charset,
        looks_html=looks_html,
        is_html=looks_html and not any(block.rules for block in blocks),
        markup=_MARKUP.search(kept) is not None,
        sha256=hashlib.sha256(body).hexdigest(),
        rules_hash=_rules_hash(blocks),
        blocks=blocks,
        rfc_blocks=blocks if exact else _blocks([line for line in lines if line.exact])[1],
        delays=delays,
        named=named,
    )


def show(value: bytes) -> str:
    """A value for people: UTF-8, else byte by byte as Latin-1."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def escape_value(value: bytes) -> str:
    """A rule's value as it is compared (6.4): hex digits upper-cased, bytes from 80 hex up escaped."""
    if b"%" in value or not value.isascii():
        value = _ESCAPE.sub(_escape, value)
    return value.decode("ascii")


def agent_token(value: bytes) -> str:
    """The product token that an agent line names, lower case; may be empty. `*` is told beside it."""
    match = _TOKEN.match(value)
    return match[0].lower().decode("ascii") if match else ""


def lines_of(body: bytes) -> Iterator[bytes]:
    """The lines as they are counted (6.2, 1 to 3), comments and all."""
    body = body[:ROBOTS_MAX_BYTES]
    # A part of the mark counts as the mark, so that EF BB alone is skipped too.
    for length in (3, 2, 1):
        if body.startswith(_BOM[:length]):
            body = body[length:]
            break
    parts = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    if not parts[-1]:
        parts.pop()
    for part in parts:
        yield part[:ROBOTS_LINE_MAX_BYTES].partition(b"\0")[0]


def _parts(line: bytes) -> tuple[bytes, bytes, bool]:
    """Field, value, and whether a colon parts them; an empty field where the line is none."""
    key, colon, value = line.partition(b":")
    if colon:
        return key.strip(), value.strip(), True
    words = _WORDS.split(line)
    return (words[0].strip(), words[1].strip(), False) if len(words) == 2 else (b"", b"", False)


def _kind(name: bytes) -> tuple[str, bool, bool]:
    """Field of a lower-case name ('' = unknown), whether it is a listed spelling, and the standard one."""
    text = name.decode("latin-1")
    for field, spellings in SPELLINGS.items():
        if text.startswith(spellings):
            return field, text in spellings, text == field
    return (text, True, True) if text in UNSUPPORTED_FIELDS else ("", False, False)


def _blocks(lines: Iterable[_Line]) -> tuple[tuple[Group, ...], tuple[Block, ...]]:
    """Headers with their rules (6.3). Rules in front of any agent line are in none of them."""
    groups: list[Group] = []
    blocks: list[Block] = []
    agents: list[bytes] = []
    rules: list[RawRule] = []
    start = 0

    def end() -> None:
        if start:
            groups.append(Group(start, tuple(show(agent) for agent in agents)))
            tokens, star = _addressees(agents)
            blocks.append(Block(start, tokens, star, tuple(rules)))

    for number, field, value, _ in lines:
        if field == "user-agent":
            if rules or not start:
                end()
                agents, rules, start = [], [], number
            agents.append(value)
        elif start and field in ("allow", "disallow"):
            rules.append(RawRule(number, field == "allow", value, start))
    end()
    return tuple(groups), tuple(blocks)


def _addressees(agents: Iterable[bytes]) -> tuple[frozenset[str], bool]:
    tokens, star = set(), False
    for agent in agents:
        if _STAR.fullmatch(agent):
            star = True
        else:
            tokens.add(agent_token(agent))
    return frozenset(tokens), star


def _rule_facts(lines: Iterable[_Line]) -> Iterator[RobotsRule]:
    """All rule lines; `group_line` 0 stands for those in front of any agent line."""
    start, closed = 0, True
    for number, field, value, _ in lines:
        if field == "user-agent":
            if closed:
                start, closed = number, False
        elif field in ("allow", "disallow"):
            closed = closed or start > 0
            yield RobotsRule(number, field, show(value), start)


def _delays(lines: Iterable[_Line]) -> tuple[Delay, ...]:
    found: list[Delay] = []
    agents: list[bytes] = []
    addressees: tuple[frozenset[str], bool] | None = None
    closed = False
    for number, field, value, _ in lines:
        if field == "user-agent":
            if closed:
                agents, addressees, closed = [], None, False
            agents.append(value)
        elif field in ("allow", "disallow", "crawl-delay") and agents:
            closed = True
            if field == "crawl-delay" and _NUMBER.fullmatch(value):
                addressees = addressees or _addressees(agents)
                found.append(Delay(number, float(value), *addressees))
    return tuple(found)


def _rules_hash(blocks: Iterable[Block]) -> str:
    """SHA-256 of the rules, whatever the order of groups and lines, the comments and the spelling."""
    texts = []
    for block in blocks:
        rules = {f"{'allow' if r.allow else 'disallow'}:{escape_value(r.value)}" for r in block.rules}
        texts.append("\n".join([*sorted(block.tokens), "*" if block.star else "", *sorted(rules)]))
    return hashlib.sha256("\n\n".join(sorted(texts)).encode()).hexdigest()


def _charset(body: bytes, *, cut: bool) -> tuple[bool, str]:
    """Are the bytes UTF-8, and what they probably are."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False, "utf-16le" if body[0] == 0xFF else "utf-16be"
    head = body[:1_000]
    for rest, nulls, guess in ((head[0::2], head[1::2], "utf-16le"), (head[1::2], head[0::2], "utf-16be")):
        if nulls.count(0) * 10 > len(nulls) * 7 and 0 not in rest and rest:
            return False, guess
    try:
        body.decode()
    except UnicodeDecodeError as error:
        # Our own cut may part a character.
        if not (cut and error.reason == "unexpected end of data"):
            return False, "binary" if 0 in head else "latin-1"
    return True, "utf-8"


def _clip(value: bytes) -> str:
    return show(value[: 4 * _TEXT_MAX_CHARS])[:_TEXT_MAX_CHARS]


def _escape(match: re.Match[bytes]) -> bytes:
    found = match[0]
    return found.upper() if len(found) == 3 else b"%%%02X" % found[0]
