"""Search bots may not fetch the same listed URLs."""

from sitemap_audit.rules.relations import ROBOTS_TEXTS, count_of
from sitemap_audit.rules.robots_cases import FILE, ROBOTS, SITE
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source, Tier


def access(**blocked: int) -> list[dict[str, object]]:
    """Of a hundred listed URLs, so many are blocked for each bot; `star` is the bot `*`."""
    return [{"bot": bot.replace("star", "*"), "allowed": 100 - n, "blocked": n} for bot, n in blocked.items()]


SHUT = FILE | {"effective": {"googlebot": "mixed", "bingbot": "disallow_all", "*": "disallow_all"}}
RUN = {"run_id": "r", "options": '{"bots": ["googlebot", "applebot"]}'}

RULE = Rule(
    id="robots-bot-verdict-differs",
    tier=Tier.LATER,
    severity=Severity.NOTICE,
    title="Bots may fetch different listed URLs",
    why="robots.txt lets some search engines crawl listed pages that it keeps from others.",
    fix="Confirm that this is wanted: {reality}.",
    source=(
        Source("text-001", "line 67, rules for one search engine"),
        Source("rfc9309", "2.2.1, the user-agent line"),
    ),
    needs=frozenset(),
    # Compared are the bots of --bot, Bing's and `*`; the other bots of the robots table (AI crawlers and the like)
    # are often kept out on purpose.
    # Where an origin lists nothing, because `*` shuts us out as well, what the file says of all its paths is told.
    sql=f"""
        WITH chosen AS (
            SELECT verdict_bot AS bot FROM settings
            UNION SELECT unnest(['googlebot', 'bingbot', '*'])
            UNION SELECT u.name FROM (
                SELECT CASE WHEN json_valid(options) THEN json_extract_string(options, '$.bots[*]') END AS names FROM runs
            ) r, unnest(r.names) AS u(name)
        ),
        says AS (
            SELECT a.origin, any_value(a.robots_url) AS robots_url, any_value(a.claim) AS claim,
                   string_agg(c.bot, ', ' ORDER BY c.bot) FILTER (a.effective[c.bot] = 'disallow_all') AS shut,
                   string_agg(c.bot, ', ' ORDER BY c.bot) FILTER (a.effective[c.bot] <> 'disallow_all') AS open
            FROM ({ROBOTS_TEXTS}) a, chosen c
            WHERE a.origin NOT IN (SELECT regexp_extract(url, '^[a-z]+://[^/?#]+') FROM listing) GROUP BY a.origin
        )
        SELECT NULL::VARCHAR AS url_key, 'all bots' AS subject, NULL::VARCHAR AS url,
               'listed URLs with a verdict: ' || {count_of("max(b.allowed + b.blocked)")} AS claim,
               'blocked for ' || string_agg(b.bot || ' ' || {count_of("b.blocked")}, ', ' ORDER BY b.blocked, b.bot) AS reality
        FROM bot_access b SEMI JOIN chosen c ON c.bot = b.bot HAVING count(DISTINCT b.blocked) > 1
        UNION ALL
        SELECT NULL, origin, robots_url, claim, 'every path is blocked for ' || shut || ', not for ' || open
        FROM says WHERE shut IS NOT NULL AND open IS NOT NULL
    """,
    fires=(
        Fires(
            "Bing is shut out",
            {"bot_access": access(googlebot=0, bingbot=100, star=0, gptbot=100)},
            {
                "subject": "all bots",
                "claim": "listed URLs with a verdict: 100",
                "reality": "blocked for * 0, googlebot 0, bingbot 100",
                "severity": "notice",
            },
        ),
        Fires(
            "a bot of --bot is let in where nobody else is",
            {"bot_access": access(googlebot=50, applebot=0, star=50), "runs": [RUN]},
            {"reality": "blocked for applebot 0, * 50, googlebot 50"},
        ),
        Fires(
            "nothing is listed, since `*` is shut out and only Googlebot is not",
            {"robots_files": [SHUT], "runs": [RUN | {"options": '{"sites": ["https://example.com"]}'}]},
            {
                "subject": SITE,
                "url": ROBOTS,
                "claim": "the audited site https://example.com",
                "reality": "every path is blocked for *, bingbot, not for googlebot",
            },
        ),
    ),
    passes=(
        Passes("the same for all", {"bot_access": access(googlebot=7, bingbot=7, star=7)}),
        Passes(
            "only a crawler that nobody asked about is shut out",
            {"bot_access": access(googlebot=0, bingbot=0, star=0, gptbot=100), "runs": [RUN]},
        ),
        Passes(
            "all are shut out",
            {
                "robots_files": [
                    SHUT | {"effective": dict.fromkeys(("googlebot", "bingbot", "*"), "disallow_all")}
                ],
                "runs": [RUN | {"options": '{"sites": ["https://example.com"]}'}],
            },
        ),
        Passes("an origin that nobody uses", {"robots_files": [SHUT]}),
    ),
)
