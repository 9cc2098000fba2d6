"""`python -m workers.health [ADDRESS]`: exit code 0 while the parent answers and a worker of the main queue lives.

For the health check of a container: it asks the metrics of its own parent, 127.0.0.1:9108 unless told otherwise,
with the standard library alone, so that it costs a twentieth of a second. Whether the Redis server is there is
no matter of a worker's health: it waits for it.
"""

from __future__ import annotations

import re
import sys
import urllib.error
import urllib.request
from typing import Final

ADDRESS: Final = "127.0.0.1:9108"
ALIVE: Final = re.compile(r'^sitemap_audit_worker_processes\{queue="main"\} ([0-9.]+)$', re.MULTILINE)
ANSWER_S: Final = 4.0


def main(arguments: list[str]) -> int:
    address = arguments[0] if arguments else ADDRESS
    try:
        with urllib.request.urlopen(f"http://{address}/metrics", timeout=ANSWER_S) as answer:
            text = answer.read().decode()
    except (OSError, urllib.error.URLError) as error:
        print(f"no answer at {address}: {error}", file=sys.stderr)
        return 1
    found = ALIVE.search(text)
    if found is None or float(found[1]) < 1:
        print("no worker of the main queue lives", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
