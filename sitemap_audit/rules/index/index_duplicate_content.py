"""The map lists one text under several addresses."""

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
    # Exact: the store's clusters (definitions 3 and 5). Near: two texts within three bits share one of four
    # bands of the simhash; of a band's texts each is held against the first twenty, so that a million pages of
    # one template stay affordable. Language versions of one page are meant to be alike.
    sql="""
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
        near AS (
            SELECT b.url_key, min(a.url_key) AS other FROM bands b
            JOIN bands a ON a.number = b.number AND a.band = b.band, settings s
            WHERE a.place <= 20 AND a.place < b.place AND a.main_hash <> b.main_hash
              AND bit_count(xor(a.simhash, b.simhash)) <= s.near_duplicate_hamming
              AND least(a.chars, b.chars) >= s.near_duplicate_length_ratio * greatest(a.chars, b.chars)
            GROUP BY b.url_key
        ),
        alike AS (
            SELECT u.url_key, u.verdict_reason AS other, true AS same
            FROM urls u JOIN urls r ON r.url_key = u.verdict_reason WHERE u.verdict = 'duplicate' AND r.listed
            UNION ALL SELECT url_key, other, false FROM near
        )
        SELECT l.url_key, l.url_key AS subject, l.other AS related_url,
               CASE WHEN l.same THEN 'the same main text as ' ELSE 'nearly the same main text as ' END || l.other
               || ' (' || p.main_text_len || ' characters)' AS reality,
               CASE WHEN NOT l.same THEN 'notice' END AS severity,
               CASE WHEN NOT l.same THEN 'likely' END AS confidence
        FROM alike l JOIN pages p ON p.url_key = l.url_key
        ANTI JOIN (SELECT from_key, href_key FROM alternates UNION SELECT href_key, from_key FROM alternates) v
            ON v.from_key = l.url_key AND v.href_key = l.other
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
