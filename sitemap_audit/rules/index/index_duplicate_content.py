"""The map lists one text under several addresses."""

from typing import Final

from sitemap_audit.rules.relations import count_of
from sitemap_audit.rules.rule import Fires, Need, Passes, Rule, Severity, Source, Tier

A, B = "https://example.com/a", "https://example.com/a-copy"
MAP = "https://example.com/sitemap.xml"
LISTED = [
    {"url_key": A, "loc": A, "sitemap": MAP, "position": 1, "line": 3},
    {"url_key": B, "loc": B, "sitemap": MAP, "position": 2, "line": 4},
]
READ = {
    "url_key": A,
    "requested_url": A,
    "state": "checked",
    "first_status": 200,
    "status": 200,
    "hop_count": 0,
    "final_url": A,
    "allowed": True,
    "noindex": False,
    "canonical_state": "self",
    "sniffed_type": "html",
    "main_text_len": 700,
    "main_hash": "00ff00ff00ff00ff",
    "main_simhash": "1234567812345678",
    "main_fallback": False,
}
COPY = READ | {"url_key": B, "requested_url": B, "final_url": B}
NEAR = COPY | {"main_hash": "11ff00ff00ff00ff", "main_simhash": "123456781234567f", "main_text_len": 690}
SIBLING = {
    "from_key": A,
    "source": "sitemap",
    "code_raw": "en-gb",
    "code": "en-GB",
    "href_raw": B,
    "href": B,
    "href_key": B,
}

_MANY: Final = 10
"""So many pages that are nearly alike are one finding."""
_ROUNDS: Final = 5
_STEPS: Final = "step0 AS (SELECT DISTINCT url_key, url_key AS label FROM edges), " + ", ".join(
    f"least{n} AS MATERIALIZED (SELECT e.url_key, min(l.label) AS label FROM edges e "
    f"JOIN step{n - 1} l ON l.url_key = e.other GROUP BY e.url_key), "
    f"step{n} AS MATERIALIZED (SELECT a.url_key, b.label FROM least{n} a JOIN least{n} b ON b.url_key = a.label)"
    for n in range(1, _ROUNDS + 1)
)
"""Each page takes the least label of its neighbours, then the label of the page it is named after: rounds that
reach twice as far each time."""
DAYS = [f"https://example.com/day/{n:02}" for n in range(12)]


def day(n: int) -> dict[str, object]:
    """The page of a day, which differs from the others in a number."""
    words = {"main_hash": f"{n:016x}", "main_simhash": f"12345678123456{n:02x}", "main_text_len": 400 + n}
    return READ | {"url_key": DAYS[n], "requested_url": DAYS[n], "final_url": DAYS[n]} | words


RULE = Rule(
    id="index-duplicate-content",
    tier=Tier.TOP30,
    rank=24,
    severity=Severity.WARNING,
    title="Same content under several listed URLs",
    why="The same content is listed under several addresses: search engines keep one of them, and choose it themselves.",
    fix="Keep one address: let {url} name {related_url} as its canonical, or redirect it, and take it out of {sitemap}.",
    source=(
        Source("text-000", "which URLs to list: the preferred one of equal pages"),
        Source("text-002", "lines 56-59, only canonical URLs; duplicates"),
        Source("g-canon", "why canonical URLs matter; ways to name one"),
    ),
    known_as=(
        "Screaming Frog: Exact Duplicates / Near Duplicates",
        "Search Console: Duplicate without user-selected canonical",
    ),
    needs=frozenset({Need.CONTENT}),
    # Exact: the store's clusters (definitions 3 and 5), a finding a URL, as each has its verdict. Near: two texts
    # within three bits share one of four bands of the simhash; of a band's texts each is held against the first
    # twenty, so that a million pages of one template stay affordable. Many such pages that hang together, day
    # pages of one table for example, are one finding: the least URL among them, handed on, names them.
    # Language versions of one page are meant to be alike.
    sql=f"""
        WITH texts AS (
            SELECT u.url_key, p.main_hash, p.main_simhash, ('0x' || p.main_simhash)::UBIGINT AS simhash, p.main_text_len AS chars
            FROM urls u JOIN pages p ON p.url_key = u.url_key, settings s
            WHERE u.listed AND u.verdict = 'indexable' AND p.main_text_len >= s.near_duplicate_min_chars
              AND p.main_simhash IS NOT NULL AND NOT coalesce(p.main_fallback, false) AND NOT coalesce(p.shell, false)
        ),
        bands AS (
            SELECT *, row_number() OVER (PARTITION BY number, band ORDER BY url_key) AS place
            FROM (SELECT *, substr(main_simhash, 4 * number + 1, 4) AS band
                  FROM (SELECT *, unnest(range(4)) AS number FROM texts))
        ),
        versions AS MATERIALIZED (SELECT from_key, href_key FROM alternates UNION SELECT href_key, from_key FROM alternates),
        pairs AS (
            SELECT b.url_key, a.url_key AS other FROM bands b
            JOIN bands a ON a.number = b.number AND a.band = b.band, settings s
            WHERE a.place <= 20 AND a.place < b.place AND a.main_hash <> b.main_hash
              AND bit_count(xor(a.simhash, b.simhash)) <= s.near_duplicate_hamming
              AND least(a.chars, b.chars) >= s.near_duplicate_length_ratio * greatest(a.chars, b.chars)
        ),
        -- The least and the greatest page that it is like: enough to hang a group together, two a page.
        near AS MATERIALIZED (
            SELECT p.url_key, min(p.other) AS other, max(p.other) AS last FROM pairs p
            ANTI JOIN versions v ON v.from_key = p.url_key AND v.href_key = p.other GROUP BY p.url_key
        ),
        links AS (SELECT url_key, other FROM near UNION SELECT url_key, last FROM near),
        edges AS MATERIALIZED (
            FROM links UNION SELECT other, url_key FROM links UNION SELECT url_key, url_key FROM links UNION SELECT other, other FROM links
        ),
        {_STEPS},
        groups AS (SELECT label, count(*) AS n FROM step{_ROUNDS} GROUP BY label),
        alike AS (
            SELECT u.url_key, u.verdict_reason AS other, true AS same
            FROM urls u JOIN urls r ON r.url_key = u.verdict_reason
            ANTI JOIN versions v ON v.from_key = u.url_key AND v.href_key = u.verdict_reason
            WHERE u.verdict = 'duplicate' AND r.listed
            UNION ALL
            SELECT n.url_key, n.other, false FROM near n JOIN step{_ROUNDS} t ON t.url_key = n.url_key JOIN groups g ON g.label = t.label
            WHERE g.n < {_MANY}
        )
        SELECT l.url_key, l.url_key AS subject, l.other AS related_url, NULL::VARCHAR AS url, NULL::VARCHAR AS claim,
               NULL::VARCHAR AS sitemap, NULL::BIGINT AS line,
               CASE WHEN l.same THEN 'the same main text as ' ELSE 'nearly the same main text as ' END || l.other
               || ' (' || p.main_text_len || ' characters)' AS reality,
               CASE WHEN NOT l.same THEN 'notice' END AS severity,
               CASE WHEN NOT l.same THEN 'likely' END AS confidence
        FROM alike l JOIN pages p ON p.url_key = l.url_key
        UNION ALL
        SELECT NULL, t.label, min(t.url_key) FILTER (t.url_key <> t.label), any_value(f.url), any_value(f.claim), any_value(f.sitemap), any_value(f.line),
               {count_of("count(*)")} || ' listed URLs with nearly the same main text ('
               || CASE WHEN min(x.chars) = max(x.chars) THEN '' ELSE min(x.chars) || ' to ' END || max(x.chars) || ' characters), among them '
               || array_to_string(list(t.url_key ORDER BY t.url_key)[:3], ', '), 'notice', 'likely'
        FROM step{_ROUNDS} t JOIN groups g ON g.label = t.label JOIN texts x ON x.url_key = t.url_key JOIN listing f ON f.url_key = t.label
        WHERE g.n >= {_MANY} GROUP BY t.label
    """,
    fires=(
        Fires(
            "two listed URLs, both name themselves as canonical",
            {"entries": LISTED, "pages": [READ, COPY]},
            {
                "url": B,
                "claim": f"listed in {MAP}, line 4",
                "reality": f"the same main text as {A} (700 characters)",
                "related_url": A,
                "severity": "warning",
                "confidence": "sure",
            },
        ),
        Fires(
            "a few words differ",
            {"entries": LISTED, "pages": [READ, NEAR]},
            {
                "url": B,
                "reality": f"nearly the same main text as {A} (690 characters)",
                "severity": "notice",
                "confidence": "likely",
            },
        ),
        Fires(
            "many pages of one table: one finding",
            {
                "entries": [LISTED[0] | {"url_key": u, "loc": u, "position": n} for n, u in enumerate(DAYS)],
                "pages": [day(n) for n in range(12)],
            },
            {
                "url": DAYS[0],
                "subject": DAYS[0],
                "claim": f"listed in {MAP}, line 3",
                "reality": "12 listed URLs with nearly the same main text (400 to 411 characters), among them "
                + ", ".join(DAYS[:3]),
                "related_url": DAYS[1],
                "severity": "notice",
                "confidence": "likely",
            },
        ),
    ),
    passes=(
        Passes("language versions of one page", {"entries": LISTED, "pages": [READ, COPY], "alternates": [SIBLING]}),
        Passes("nearly alike language versions", {"entries": LISTED, "pages": [READ, NEAR], "alternates": [SIBLING]}),
        Passes("one names the other as canonical", {"entries": LISTED, "pages": [READ, COPY | {"canonical_state": "other", "canonical": A}]}),
        Passes("too many bits differ", {"entries": LISTED, "pages": [READ, NEAR | {"main_simhash": "1234567812345690"}]}),
        Passes("one text is much longer", {"entries": LISTED, "pages": [READ, NEAR | {"main_text_len": 600}]}),
        Passes("short texts", {"entries": LISTED, "pages": [READ | {"main_text_len": 199}, COPY | {"main_text_len": 199}]}),
        Passes("only the frame is alike", {"entries": LISTED, "pages": [READ | {"main_fallback": True}, COPY | {"main_fallback": True}]}),
        Passes("the other one is not listed", {"entries": LISTED[:1], "pages": [READ, COPY | {"discovered_by": "canonical"}]}),
    ),
)  # fmt: skip
