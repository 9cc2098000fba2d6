"""What a verdict of robots.txt costs, beside Protego alone in the same run: python -m benchmarks.robots [--quick]

For each file: reading it, the first verdict of a bot (its rules are compiled then), and a verdict a URL; CPU time,
the best of several rounds, ours and Protego's in turn. `limit` is the promise of docs/robots.md on the reference
machine. Of the memory bombs only ours is measured beyond a small size: Protego needs minutes and gigabytes.
"""

from __future__ import annotations

import argparse
import random
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from protego import Protego

from sitemap_audit.facts import RobotsState
from sitemap_audit.formats.robots import read_robots
from sitemap_audit.formats.robots_policy import RobotsPolicy

HOST = "https://example.com"
BOT = "googlebot"


@dataclass(frozen=True)
class Case:
    """`limit_us`: a URL, on the reference machine; `beside`: is Protego given it too?"""

    name: str
    body: bytes
    limit_us: float
    beside: bool = True
    urls: int = 2_000


def usual() -> bytes:
    """30 rules for `*` and a few bots, as shops have them."""
    rules = [
        f"Disallow: /{name}/"
        for name in (
            "cart",
            "checkout",
            "account",
            "search",
            "login",
            "admin",
            "tmp",
            "print",
            "compare",
            "wishlist",
        )
    ]
    rules += [f"Disallow: /*?{name}=" for name in ("sort", "filter", "page", "sid", "ref")]
    rules += [f"Disallow: /*&{name}=" for name in ("sort", "filter", "page", "sid", "ref")]
    rules += [
        "Allow: /search/about",
        "Allow: /*.css$",
        "Allow: /*.js$",
        "Disallow: /*.pdf$",
        "Disallow: /*/print$",
    ]
    rules += [
        "Disallow: /private/",
        "Allow: /private/open/",
        "Disallow: /api/",
        "Disallow: /cgi-bin/",
        "Disallow: /x/*/y",
    ]
    others = "User-agent: BadBot\nDisallow: /\n\nUser-agent: bingbot\nCrawl-delay: 2\nDisallow: /nobing/\n"
    return "\n".join(
        [others, "User-agent: *", *rules, "Sitemap: https://example.com/sitemap.xml", ""]
    ).encode()


def large(share: float, chance: random.Random) -> bytes:
    """500 KB of rules, this share of them with wildcards."""
    lines, size = ["User-agent: *"], 0
    while size < 499_000:
        if chance.random() < share:
            tail = chance.choice(["?sort=", "&page=", "/print", ".php"]) + chance.choice(["", "$", "*x"])
            path = f"/{chance.choice('abcdefgh')}{chance.randrange(10**6)}/*{tail}"
        else:
            path = f"/{chance.choice('abcdefgh')}{chance.randrange(10**6)}/p-{chance.randrange(10**6)}.html"
        lines.append(f"{'Allow' if chance.random() < 0.2 else 'Disallow'}: {path}")
        size += len(lines[-1]) + 1
    return "\n".join(lines).encode()


def leading_stars() -> bytes:
    """22,000 rules that begin with a wildcard: no start of the path rules any of them out."""
    return b"User-agent: *\n" + b"".join(b"Disallow: *w%05dz*q\n" % n for n in range(22_000))


def bomb(agents: int, rules: int) -> bytes:
    """A header of many agents over many rules: agents times rules objects in Protego."""
    head = b"".join(b"User-agent: a%s\n" % _letters(n) for n in range(agents))
    return head + b"".join(b"Disallow: /%d\n" % n for n in range(rules))


def _letters(number: int) -> bytes:
    out = b""
    while True:
        number, rest = divmod(number, 26)
        out += bytes([97 + rest])
        if not number:
            return out


def cases() -> Iterator[Case]:
    chance = random.Random(2)
    yield Case("usual file, 30 rules", usual(), 10)
    yield Case("500 KB, no wildcards", large(0.0, chance), 200, urls=300)
    yield Case("500 KB, 20 % wildcards", large(0.2, chance), 50_000, urls=200)
    yield Case("500 KB, all wildcards", large(1.0, chance), 50_000, urls=60)
    yield Case("22,000 leading wildcards", leading_stars(), 50_000, urls=40)
    yield Case("bomb, 500 agents x 500 rules", bomb(500, 500), 50_000, urls=200)
    yield Case("bomb, 2,000 x 2,000 (60 KB)", bomb(2_000, 2_000), 50_000, beside=False, urls=200)
    yield Case("bomb, 15,000 x 15,000 (500 KB)", bomb(15_000, 15_000), 50_000, beside=False, urls=200)


def addresses(count: int) -> list[str]:
    chance = random.Random(3)
    letters = "abcdefgh"
    return [
        f"{HOST}/{chance.choice(letters)}{chance.randrange(10**6)}/some-product-{chance.randrange(10**6)}?color=red&page={n % 9}"
        for n in range(count)
    ]


def cpu(work: Callable[[], object], rounds: int = 1) -> float:
    """Seconds of CPU, the best of the rounds."""
    best = float("inf")
    for _ in range(rounds):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


def measure(case: Case, rounds: int) -> str:
    urls = addresses(case.urls)
    read = cpu(lambda: read_robots(case.body), rounds)
    policy = RobotsPolicy(f"{HOST}/robots.txt", RobotsState.OK, read_robots(case.body))
    first = cpu(lambda: policy.verdict(BOT, urls[0]))
    ours = theirs = float("inf")
    parse = 0.0
    protego = Protego.parse("")
    if case.beside:
        parse = cpu(lambda: Protego.parse(case.body.decode()))
        protego = Protego.parse(case.body.decode())
        protego.can_fetch(urls[0], BOT)
    for _ in range(rounds):
        ours = min(ours, cpu(lambda: [policy.verdict(BOT, url) for url in urls]) / len(urls))
        if case.beside:
            theirs = min(theirs, cpu(lambda: [protego.can_fetch(url, BOT) for url in urls]) / len(urls))
    beside = f"{theirs * 1e6:>10.1f} {parse * 1e3:>9.1f}" if case.beside else f"{'-':>10} {'-':>9}"
    return (
        f"{case.name:<32} {read * 1e3:>8.1f} {first * 1e3:>9.1f} {ours * 1e6:>10.1f} {case.limit_us:>9,.0f} "
        f"{beside} {_memory(case.body):>8.1f}"
    )


def _memory(body: bytes) -> float:
    """MB that reading the file and one verdict leave allocated."""
    tracemalloc.start()
    policy = RobotsPolicy(f"{HOST}/robots.txt", RobotsState.OK, read_robots(body))
    policy.verdict(BOT, f"{HOST}/a")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="one round instead of five")
    rounds = 1 if options.parse_args().quick else 5
    print(
        f"{'':<32} {'read':>8} {'first':>9} {'a URL':>10} {'limit':>9} {'Protego':>10} {'parse':>9} {'peak':>8}"
    )
    print(f"{'':<32} {'ms':>8} {'ms':>9} {'us':>10} {'us':>9} {'us a URL':>10} {'ms':>9} {'MB':>8}")
    for case in cases():
        print(measure(case, rounds), flush=True)


if __name__ == "__main__":
    main()
