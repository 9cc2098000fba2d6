"""Clients on the truth site: `get` for one answer, `client` for more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from sitemap_audit.http import Answer, Client, ClientOptions, Request
from tests.site.server import Site

HOST = "truth.example"


@pytest.fixture
def options(truth: Site) -> ClientOptions:
    return ClientOptions(transport=truth.transport, origins=(f"https://{HOST}", f"http://{HOST}"))


@pytest.fixture
def client(options: ClientOptions) -> Iterator[Client]:
    client = Client(options)
    yield client
    client.close()


Get = Callable[..., Answer]


@pytest.fixture
def get(client: Client) -> Get:
    """The answer of a path of the truth site, or of a whole URL; further arguments change the page request."""

    def get(where: str, **changes: object) -> Answer:
        url = where if "://" in where else f"http://{HOST}{where}"
        return drive(client, replace(Request.page(url), **changes))[0]  # type: ignore[arg-type]

    return get


def drive(client: Client, *requests: Request) -> list[Answer]:
    """The answers in the order of the requests."""
    answers: dict[int, Answer] = {}
    for number, request in enumerate(requests):
        client.start(request, lambda answer, number=number: answers.__setitem__(number, answer))  # type: ignore[misc]
    while client.active:
        client.drive(1.0)
    return [answers[number] for number in range(len(requests))]
