"""Addresses with the id of a session."""

from sitemap_audit.rules.relations import count_of, entries_with, listed_in, loc_text, printable
from sitemap_audit.rules.rule import Fires, Passes, Rule, Severity, Source
from sitemap_audit.rules.sitemap_cases import MAP, SITE, entry, file, odd

JAVA = odd(f"{SITE}/a;jsessionid=8A3F00C1", "session", line=7)

RULE = Rule(
    id="entry-loc-session-id",
    severity=Severity.WARNING,
    title="Sitemap lists addresses with a session id",
    why="Each visit gives such an address another session id: search engines find endless duplicates of one page.",
    fix="List the addresses without session ids in {sitemap}, and keep the session in a cookie.",
    source=(
        Source("g-url", "URL structure, common problems: session ids"),
        Source("text-002", "line 57, which URLs belong in a sitemap"),
    ),
    needs=frozenset(),
    # `session` is the reader's word: jsessionid, phpsessid, aspsessionid, cfid and cftoken by their names; sid, sessionid
    # and session_id, which may be real parameters, only with a value of at least session_id_min_chars hexadecimal digits.
    sql=f"""
        SELECT NULL::VARCHAR AS url_key, sitemap AS subject, sitemap, min(line) AS line, {listed_in("sitemap", "min(line)")} AS claim,
               'addresses with a session id: ' || {count_of("count(*)")} || ', such as '
               || {printable(f"left(arg_min({loc_text('loc_raw')}, (line, position)), 200)")} AS reality
        FROM ({entries_with("session")}) GROUP BY sitemap
    """,
    fires=(
        Fires(
            "of a Java server",
            {"entries": [JAVA], "sitemap_files": [file()]},
            {
                "url": None,
                "subject": MAP,
                "sitemap": MAP,
                "line": 7,
                "claim": f"listed in {MAP}, line 7",
                "reality": f"addresses with a session id: 1, such as {SITE}/a;jsessionid=8A3F00C1",
                "severity": "warning",
            },
        ),
        Fires(
            "many: one finding a file",
            {
                "entries": [odd(f"{SITE}/{n}?PHPSESSID=c0ffee{n}", "session", line=n + 3) for n in range(9)],
                "sitemap_files": [file()],
            },
            {"line": 3, "reality": f"addresses with a session id: 9, such as {SITE}/0?PHPSESSID=c0ffee0"},
        ),
    ),
    passes=(
        Passes(
            "sid=12 is a real parameter", {"entries": [entry(f"{SITE}/a?sid=12")], "sitemap_files": [file()]}
        ),
        Passes(
            "the word in a path", {"entries": [entry(f"{SITE}/what-is-phpsessid")], "sitemap_files": [file()]}
        ),
    ),
)
