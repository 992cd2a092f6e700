from __future__ import annotations

import contextlib

import pytest
from cffgraph.cff.errors import SourceError
from cffgraph.crawler.objects import _entries
from hypothesis import given
from hypothesis import strategies as st

IDS = st.binary(min_size=20, max_size=20)
NAMES = st.binary(min_size=1, max_size=12).filter(lambda name: b"\0" not in name and b"/" not in name)


@given(st.lists(st.tuples(st.sampled_from([b"40000", b"100644", b"120000"]), NAMES, IDS)))
def test_a_tree_reads_back(entries: list[tuple[bytes, bytes, bytes]]) -> None:
    raw = b"".join(mode + b" " + name + b"\0" + oid for mode, name, oid in entries)
    assert list(_entries(raw, 20)) == [(mode, name, oid.hex()) for mode, name, oid in entries]


@given(st.binary(max_size=80), st.sampled_from([20, 32]))
def test_a_damaged_tree_is_told(raw: bytes, width: int) -> None:
    with contextlib.suppress(SourceError):
        entries = list(_entries(raw, width))
        assert sum(len(mode) + len(name) + 2 + width for mode, name, _ in entries) == len(raw)


def test_a_tree_that_was_cut() -> None:
    raw = b"100644 CITATION.cff\0" + b"x" * 19
    with pytest.raises(SourceError, match="damaged"):
        list(_entries(raw, 20))
