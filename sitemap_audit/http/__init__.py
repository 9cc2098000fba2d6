"""One way to fetch: libcurl behind a synchronous client (workers) and an asyncio one (crawler, commands).

records    what goes in and what comes out: ClientOptions, Request, Answer
guard      which socket addresses may be connected to
decoding   gzip and deflate of answers, capped while they are decoded
failures   what a curl error number means
names      why a name has no address
phases     limits of connection, handshake and first byte by themselves
target     the parts of a URL, or why it is none that is fetched
setup      what the transfers of one client share
body       the body of one answer: decoded, counted, cut
transfer   one easy handle: its settings, its callbacks, the Answer it ends in
pool       the transfers of one process: start, wait for a place, cancel, end
client     Client: driven by the caller, one call a round
aio        AsyncClient: the same on a running asyncio loop
stream     Stream: an answer piece by piece, with back-pressure
redirects  Chain: the hops of one URL, as a pure state machine

Nothing here judges a site, and nothing here follows a redirect by itself.
"""

from sitemap_audit.http.aio import AsyncClient
from sitemap_audit.http.client import Client
from sitemap_audit.http.guard import Guard
from sitemap_audit.http.pool import Transfer
from sitemap_audit.http.records import Answer, ClientOptions, Request
from sitemap_audit.http.redirects import Chain, ChainEnd, RefreshTo
from sitemap_audit.http.stream import Stream

__all__ = [
    "Answer",
    "AsyncClient",
    "Chain",
    "ChainEnd",
    "Client",
    "ClientOptions",
    "Guard",
    "RefreshTo",
    "Request",
    "Stream",
    "Transfer",
]
