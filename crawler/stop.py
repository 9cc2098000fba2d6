"""Being told to stop: one signal that every wait of discovery listens to."""

from __future__ import annotations

import asyncio
import math
from typing import Any


class Stop:
    """Set once, from the loop. May be made before there is a loop."""

    def __init__(self) -> None:
        self.is_set = False
        self._future: asyncio.Future[None] | None = None

    def set(self) -> None:
        self.is_set = True
        if self._future is not None and not self._future.done():
            self._future.set_result(None)

    async def wait(self, *futures: asyncio.Future[Any], seconds: float = math.inf) -> None:
        """Until it is set, one of the futures is done, or the time is over. Owns none of them."""
        if self.is_set or any(f.done() for f in futures):
            return
        if self._future is None:
            self._future = asyncio.get_running_loop().create_future()
        timeout = None if math.isinf(seconds) else max(0.0, seconds)
        await asyncio.wait((*futures, self._future), timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
