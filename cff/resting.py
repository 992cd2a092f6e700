"""The collector of cycles, at rest while much is made that stays.

Python looks through all objects for cycles as often as their number grows by a quarter: a run that makes
millions of them, hardly any in a cycle, would spend a fifth of its time on that.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Let the collector rest; what is in a cycle stays until `sweep` is called, or until the end."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def sweep() -> None:
    """Free what is in a cycle and was made since the last time; what was there before is not looked at."""
    gc.collect(0)
