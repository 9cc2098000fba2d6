"""advertools' crawl_headers over a list of URLs. Run by benchmarks/peers.py with the Python of the peers.

    PEERS/bin/python benchmarks/advertools_headers.py LIST OUT.jl

It is meant to send HEAD; with Scrapy 2.19 it sends GET. The waits are off, 64 requests at once.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path


def main() -> None:
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    # It starts the command `scrapy`, which lies beside its Python.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    url_list, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    # That command would take the scrapy.cfg of the folder it is started in for its own.
    os.chdir(out.parent)
    advertools = importlib.import_module("advertools")
    advertools.crawl_headers(
        url_list.read_text().split(),
        str(out),
        custom_settings={
            "CONCURRENT_REQUESTS": 64,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 64,
            "DOWNLOAD_DELAY": 0,
            "ROBOTSTXT_OBEY": False,
            "AUTOTHROTTLE_ENABLED": False,
            "RETRY_ENABLED": False,
            "LOG_LEVEL": "WARNING",
        },
    )


if __name__ == "__main__":
    main()
