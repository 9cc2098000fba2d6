"""What attacks cost: each threat of tests/site/hostile.py with time, memory and the fact that came of it.

    python -m benchmarks.bombs [--only TEXT] [--slow]

`--slow` adds the silent and dripping peers of tests/site/truth.py with the real limits: all at once, half a minute.
Everything runs on loopback. CPU is that of the reading thread; memory is the peak above what was held before.
"""

from __future__ import annotations

import argparse
import time
from typing import Final

from sitemap_audit.http import Answer, Client, ClientOptions, Request
from tests.site.attack import HOST, MIB, measure
from tests.site.hostile import THREATS, hostile_site
from tests.site.server import serve
from tests.site.truth import TRUTH

SLOW: Final = (
    "/silent",
    "/drip-status",
    "/silent-in-headers",
    "/drip-headers",
    "/silent-in-body",
    "/drip-body",
    "/chunked-cut",
)


def threats(only: str) -> None:
    print("| row | threat | wall s | CPU s | MiB | fact |\n|---|---|---|---|---|---|")
    with serve({"*": hostile_site}) as site:
        options = ClientOptions(transport=site.transport)
        warm = next(n for n, threat in enumerate(THREATS) if threat.name.startswith("latin-1"))
        measure(options, warm)
        for number, threat in enumerate(THREATS):
            if only.lower() not in threat.name.lower():
                continue
            got = measure(options, number)
            print(
                f"| {threat.row} | {threat.name} | {got.wall_s:.2f} | {got.cpu_s:.2f} | {got.grown / MIB:.1f} "
                f"| {got.fact} |",
                flush=True,
            )


def slow() -> None:
    """Silence, or one octet every half second, in each phase."""
    print("\n| peer | ended after s | fact |\n|---|---|---|")
    with serve(TRUTH) as site:
        client = Client(ClientOptions(transport=site.transport))
        ended: dict[str, tuple[float, Answer]] = {}
        began = time.monotonic()
        for path in SLOW:
            client.start(
                Request.page(f"http://{HOST}{path}"),
                lambda answer, path=path: ended.__setitem__(path, (time.monotonic() - began, answer)),  # type: ignore[misc]
            )
        while client.active:
            client.drive(0.5)
        client.close()
    for path in SLOW:
        seconds, answer = ended[path]
        status = answer.status if answer.status is not None else "no status"
        print(f"| {path} | {seconds:.1f} | {status}, {answer.error_class}, {answer.error_detail} |")


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--only", default="", help="threats whose name holds this")
    options.add_argument("--slow", action="store_true", help="the slow peers as well, with the real limits")
    given = options.parse_args()
    threats(given.only)
    if given.slow:
        slow()


if __name__ == "__main__":
    main()
