"""The fingerprint of a page: the fast path says what the plain statement of the definition says."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from sitemap_audit.facts import ProbePrint
from sitemap_audit.formats import content_print
from sitemap_audit.formats.content import Content, raw_hash, read_content
from sitemap_audit.formats.content_print import hash_16
from sitemap_audit.formats.content_words import normal_form
from tests.formats.content_oracle import Oracle, norm, oracle, simhash, sketch, template

URL = "https://example.com/shop/red-shoes"
PROBE = "/sitemap-audit-404-probe-0123456789ab"
BODY = " ".join(f"word{i}" for i in range(300))
PAGE = (
    "<html><head><title>t</title></head><body><header>Shop menu</header><nav>a b</nav><main><h1>Red shoes</h1>"
    '<p>%s</p><p>Updated %s</p></main><div class="related-posts">%s</div>'
    "<footer>© %s Shop. Page generated in %s ms</footer></body></html>"
)


def read(doc: str | bytes, path: str = "/shop/red-shoes") -> Content:
    return read_content(
        doc if isinstance(doc, bytes) else doc.encode("utf-8", "replace"), path=path, final_url=URL
    )


def same(doc: bytes) -> None:
    """Ours and the oracle's of one document."""
    found, said = read(doc), oracle(doc)
    if found.main_hash is None:
        assert LexborHTMLParser(doc, scripting=True).body is None
        return
    ours = (found.main_hash, found.main_simhash, found.main_sketch, found.main_fallback, found.main_text_len)
    assert ours == (said.main_hash, said.main_simhash, said.main_sketch, said.fallback, said.chars)
    assert found.template_hash == hash_16(said.template.encode())
    assert found.word_count == sum(said.main_sketch)


def bits(a: str | None, b: str | None) -> int:
    assert a is not None
    assert b is not None
    return (int(a, 16) ^ int(b, 16)).bit_count()


def l1(a: Content, b: Content) -> int:
    return sum(abs(x - y) for x, y in zip(a.main_sketch, b.main_sketch, strict=True))


# --- what the definition promises ------------------------------------------------------------


def test_dates_counters_and_the_frame_are_no_change() -> None:
    a = read(PAGE % (BODY, "2025-12-31 10:00", "x y", "2025", "12"))
    b = read(PAGE % (BODY, "30 November 2026", "p q r", "2026", "99"))
    assert (a.main_hash, a.main_sketch) == (b.main_hash, b.main_sketch)


def test_added_words_are_seen_by_the_sketch_and_move_few_bits() -> None:
    a = read(PAGE % (BODY, "2025-12-31 10:00", "x y", "2025", "12"))
    c = read(PAGE % (BODY + " now available in blue leather too with free returns", "2026", "x", "2026", "1"))
    e = read(f"<p>{' '.join(f'zeta{i}' for i in range(300))}</p>")
    assert a.main_hash != c.main_hash
    assert l1(a, c) >= 3
    assert bits(a.main_simhash, c.main_simhash) <= 8
    assert bits(a.main_simhash, e.main_simhash) > 16


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "Posted Jan. 5, 2026 at 14:05, 3 days ago; copyright 2024-2026, 1,234 views, id 00ff00ff00ff00ff"
            " or ffaa00ff00ff00ff",
            "posted at id or",
        ),
        ("In 2026 we sold 15 hats, 4.5 stars", "in 2026 we sold 15 hats 4 5 stars"),
        ("Ｆｕｌｌ width\u00a0… «Straße» №5, 日本語。テスト", "full width strasse no5 日本語 テスト"),
        ("page generated in 0.35 s, © 2020 – 2026 and (c)2026", "and"),
        ("e\u0301 \u212b x\u1680y", "é å x y"),
        ("", ""),
    ],
)
def test_normal_form(text: str, words: str) -> None:
    assert b" ".join(normal_form(text).words).decode() == words == norm(text)


def test_a_moved_tag_or_blank_is_no_change() -> None:
    one, two, three = (
        read(f"<main><p>{x}</p></main>") for x in ("ab<b>c</b>d", "ab <b>c</b>d", "abc<!-- --> d")
    )
    assert one.main_hash == two.main_hash == three.main_hash


@pytest.mark.parametrize(
    ("doc", "normal", "fallback"),
    [
        (f'<main><div class="content-sidebar"><p>{BODY}</p></div></main>', BODY, True),
        ('<main><h2 class="share">Kept heading</h2><p class="share">gone</p><p hidden>gone</p></main>', "kept heading", False),
        ("<article><header>Kept</header>text</article>", "kept text", False),
        ("<main><header>gone</header>text</main>", "text", False),
        ("<main class=sidebar>the chosen one itself</main>", "the chosen one itself", False),
        ("<div role=main>chosen</div><p>not</p>", "chosen", False),
        ("<p>a<svg><text>never</text></svg><button>never</button><time>gone</time>b", "a b", False),
        ("<p>one</p><noscript><p>two</p></noscript><template>three</template>", "one", False),
    ],
)  # fmt: skip
def test_what_is_left_out_and_what_is_kept(doc: str, normal: str, fallback: bool) -> None:
    found = read(doc)
    assert found.main_hash == hash_16(normal.replace(" ", "").encode())
    assert found.main_fallback == fallback
    same(doc.encode())


def test_the_template_changes_with_the_frame_alone() -> None:
    one, two, three = (
        read(f"<body><nav>n</nav>{aside}<main>{text}</main><footer>f</footer>")
        for aside, text in (("", "a"), ("", "<p>b</p>"), ("<aside>new</aside>", "a"))
    )
    assert one.template_hash == two.template_hash != three.template_hash


def test_an_error_page_that_repeats_the_path_is_the_probes_twin() -> None:
    doc = "<main><h1>Not found</h1><p>There is nothing at %s on this server. Please go back to the start and try again.</p></main>"
    page, probe = read(doc % "/shop/red-shoes"), read(doc % PROBE, PROBE)
    assert bits(page.main_simhash, probe.main_simhash) > 3
    assert page.probe_print is not None
    assert page.probe_print == probe.probe_print
    plain = read("<main>Opening hours and the way to us, by car, bus or on foot</main>", "/contact")
    assert plain.probe_print is None
    assert read(f"<main>red {BODY} {BODY}</main>").probe_print is None, "a long text is compared as it is"


def test_no_text_at_all_has_a_fingerprint_too() -> None:
    empty = read("<p> </p>")
    assert (empty.main_hash, empty.main_simhash, empty.word_count) == (hash_16(b""), "0" * 16, 0)
    assert read("<frameset><frame src=x></frameset>").main_hash is None
    assert (raw_hash(b""), raw_hash(b"x")) == (None, hash_16(b"x"))


# --- the fast path against the plain one -------------------------------------------------------

PIECES = [
    "0", "1", "12", "7.", "2026", "1999", "-12-31", "t10:00", ":30z", "/05", "jan.", "may", "november", ",", "ago", "3", "days",
    "hours", "16", "views", "1,5", "likes", "ms", "s", "seconds",
    "generated in ", "page generated in ", "copyright ", "(c) ", "© ", "–", " ", " ", "  ", "\n", "\xa0", "ffaa00ff00ff00ff",
    "0123456789abcdef0", "_", "a", "word", "é", "ſ", "ﬁ", "。", "日本", "\u2028", "\u1680", "\u0345", "x²", "½", "İ", "\x1f", "\x85",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=80)


@given(texts)
@example("1" * 20 + "a 1:00")
@example("2026-11-301 and 10:00z5")
@example("may 12, 2026 may 7 2026s")
@settings(max_examples=400, deadline=None)
def test_normal_form_equals_the_plain_statement(text: str) -> None:
    found = normal_form(text)
    said = norm(text)
    assert b" ".join(found.words).decode() == said
    assert found.letters == said.replace(" ", "").encode()
    raw = " ".join(text.split())
    assert (found.chars, found.start) == (len(raw), raw[:600])


@given(st.lists(st.sampled_from(["a", "bb", "ccc", "日本", "w" * 700, "x1"]), max_size=900))
@settings(max_examples=60, deadline=None)
def test_prints_equal_the_plain_statement(words: list[str]) -> None:
    normal = " ".join(words)
    encoded = [word.encode() for word in words]
    assert content_print.simhash(encoded) == simhash(normal)
    assert content_print.sketch(encoded) == sketch(normal)


def test_many_short_words_fill_the_whole_window() -> None:
    words = [b"abcdefghij"[i % 10 : i % 10 + 1] for i in range(3_000)]
    assert content_print.simhash(words) == simhash(b" ".join(words).decode())


TAGS = [
    "main", "article", "div", "p", "h2", "nav", "header", "footer", "aside", "form", "time", "script", "style", "noscript",
    "template", "svg", "iframe", "button", "select", "dialog", "table", "td", "b", "a", "ul", "li", "body", "html", "head", "title",
    "math",
]  # fmt: skip
ATTRIBUTES = [
    "", " hidden", ' aria-hidden="true"', ' role="main"', ' role=MAIN', ' class="x nav"', ' id="main-menu"', ' class="recommended_x"',
    ' class="nav2"', ' class id', ' aria-hidden', ' class="AD"',
]  # fmt: skip
opening = st.builds(lambda tag, more: f"<{tag}{more}>", st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES))
closing = st.sampled_from(TAGS).map(lambda tag: f"</{tag}>")
words = st.sampled_from(
    ["word ", "two words", "x" * 60, " ", "&amp;", "é", "text 2026 ", BODY[:150], "<!-- c -->", "<", "\x00"]
)
messy = st.lists(opening | closing | words, max_size=40).map("".join).map(str.encode)


@given(messy)
@example(b"<main><dialog><article>" + b"inside " * 30 + b"</article></dialog>short")
@example(b"<article>" * 3 + b"deep text</article>behind")
@example(b'<div class="menu">' + b"all in the menu " * 20 + b"</div>")
@example(b"<svg><main>text in svg</main></svg><p>more")
@settings(max_examples=500, deadline=None)
def test_messy_pages_equal_the_plain_statement(doc: bytes) -> None:
    same(doc)


@given(messy, st.lists(st.tuples(st.integers(0, 2_000), st.binary(max_size=3)), max_size=6))
@settings(max_examples=150, deadline=None)
def test_nothing_raises_and_the_second_reading_is_the_first(
    doc: bytes, changes: list[tuple[int, bytes]]
) -> None:
    for at, piece in changes:
        doc = doc[: at % (len(doc) + 1)] + piece + doc[at % (len(doc) + 1) :]
    doc = doc.decode("utf-8", "replace").encode()
    first = read(doc)
    content_print._digests.clear()
    assert read(doc) == first
    assert (
        read_content(doc, path="/\ud800%ff", final_url="not a url", base_href="http://[", title="\x00")
        is not None
    )


# --- bounds --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "doc",
    [
        b"<article>" * 4_000 + b"text " * 20_000,
        b"<article>text" * 20_000,
        b"<div class='recommend" + b"_recommend" * 50_000 + b".'>text",
        b"<p>" + b"1 2:3 4.5.6 may 7 " * 20_000,
        b"<p>" + b"0123456789abcdef" * 30_000,
        b"<p>" + "ﬁ½ \u0345".encode() * 60_000,
        b"<a href=/" + b"x" * 500_000 + b">a" + b"<a href=b?c&utm_x=1>" * 20_000,
        b"<script type=application/ld+json>" + b"[" * 300_000 + b"</script>",
        b'<script type=application/ld+json>{"@graph":[' + b'{"@type":"A"},' * 40_000 + b"1]}</script>",
        b"<h1>" * 5_000 + b"<time datetime=2026-01-01>" * 20_000,
    ],
    ids=["nested articles", "many articles", "long class", "numbers", "hex", "unicode", "links", "deep json", "wide json", "headings"],
)  # fmt: skip
def test_hostile_pages_end_soon(doc: bytes) -> None:
    began = time.process_time()
    read(doc)
    assert time.process_time() - began < 4  # a quarter of that on a quiet machine


def test_no_main_text_is_longer_than_its_document() -> None:
    """That lets a long main text stand without a look at the rest of the body."""
    doc = f"<main>{'<b>x</b>' * 400}{BODY}</main><nav>{BODY}</nav>".encode()
    same(doc)
    assert len(LexborHTMLParser(doc).body.text(separator=" ")) <= len(doc)  # type: ignore[union-attr]


def test_words_remembered_stay_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content_print, "CONTENT_WORDS_KEPT", 10)
    content_print._digests.clear()
    content_print.sketch([str(n).encode() for n in range(100)] + [b"w" * 65])
    assert len(content_print._digests) <= 10
    assert b"w" * 65 not in content_print._digests


def test_the_oracle_is_no_copy_of_the_fast_path() -> None:
    said: Oracle = oracle(b"<body><nav>n</nav><main>a</main>")
    assert (said.normal, said.template) == ("a", "body:nav main\nhtml:head body")
    assert template(LexborHTMLParser(b"<p>x")) == "body:p\nhtml:head body"
    assert read("<main>red shoes</main>").probe_print == ProbePrint("0" * 16, 0)
