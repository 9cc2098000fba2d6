"""Run alone in a network namespace of its own: a name server on 127.0.0.1, and what the client says of its answers.

Prints one JSON line: name → [error class, dns error, detail, questions that the name server got].
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
from dataclasses import replace

from sitemap_audit.http import Answer, Client, ClientOptions, Request

RCODES = {"nothing": 0, "malformed": 1, "failure": 2, "missing": 3, "refused": 5}
ASKED: list[str] = []


def serve(server: socket.socket) -> None:
    """Answer by the first label of the name (RFC 1035, 4.1); `silent` gets no answer."""
    while True:
        question, peer = server.recvfrom(4_096)
        at, labels = 12, []
        while question[at]:
            labels.append(question[at + 1 : at + 1 + question[at]].decode())
            at += 1 + question[at]
        ASKED.append(".".join(labels))
        code = RCODES.get(labels[0])
        if code is not None:
            head = question[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, 0, 0, 0)
            server.sendto(head + question[12 : at + 5], peer)


def main(names: list[str]) -> None:
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    threading.Thread(target=serve, args=(server,), daemon=True).start()
    client = Client(ClientOptions())
    told: dict[str, list[object]] = {}
    for name in names:
        got: list[Answer] = []
        client.start(replace(Request.page(f"http://{name}/"), connect_timeout_s=1.4), got.append)
        while client.active:
            client.drive(0.1)
        asked = sum(question == name for question in ASKED)
        told[name] = [got[0].error_class, got[0].dns_error, got[0].error_detail, asked]
    client.close()
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1:])
