"""The limits of a batch hold inside it, and leave nothing behind."""

from __future__ import annotations

import resource
import signal

from sitemap_audit.settings import BATCH_CPU_SPARE_S
from workers.caps import capped


def test_the_time_counts_from_the_start_of_the_batch() -> None:
    """A limit of the whole process ended workers that had worked for some minutes."""
    of_the_process = resource.getrlimit(resource.RLIMIT_CPU)
    with capped(5.0):
        left, interval = signal.getitimer(signal.ITIMER_PROF)
        assert 5.0 < left <= 5.0 + BATCH_CPU_SPARE_S + 0.1
        assert interval == 0
        assert resource.getrlimit(resource.RLIMIT_CPU) == of_the_process
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


def test_the_memory_is_free_again_afterwards() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with capped(5.0):
        assert resource.getrlimit(resource.RLIMIT_DATA) != before
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
