"""The collector of cycles rests while all is resolved, and works again afterwards."""

from __future__ import annotations

import gc
import weakref

import pytest
from cffgraph.cff.resting import collector_at_rest, sweep


class Ring:
    def __init__(self) -> None:
        self.itself = self


def test_what_is_in_a_cycle_stays_until_it_is_swept_away() -> None:
    assert gc.isenabled()
    with collector_at_rest():
        assert not gc.isenabled()
        ring = weakref.ref(Ring())
        assert ring() is not None
        sweep()
        assert ring() is None
    assert gc.isenabled()


def test_the_collector_is_as_it_was_after_an_error_and_for_who_had_it_off() -> None:
    with pytest.raises(ZeroDivisionError), collector_at_rest():
        1 / 0  # noqa: B018
    assert gc.isenabled()
    gc.disable()
    try:
        with collector_at_rest():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
