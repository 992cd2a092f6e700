"""Which items stand in a list already: odd lists first, then against comparing each with each."""

from __future__ import annotations

import pytest
from cffgraph.cff.records import Value
from cffgraph.cff.repeats import repeated
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("items", "places"),
    [
        ([], []),
        (["tea", "coffee"], []),
        (["tea", "Tea", "tea", "tea"], [2, 3]),
        ([{"name": "A"}, {"alias": "A"}, {"name": "A"}], [2]),
        ([{"family-names": "T", "given-names": "M"}, {"given-names": "M", "family-names": "T"}], [1]),
        ([{"family-names": "T", "given-names": "M"}, {"family-names": "T", "given-names": "N"}], []),
        ([{"family-names": "T"}, {"family-names": "T", "orcid": "1"}], []),
        ([{"alias": "a"}, {"alias": "b"}], []),
        (
            [
                {"family-names": "T", "given-names": "M"},
                {"name": "A"},
                {"given-names": "M", "family-names": "T"},
            ],
            [2],
        ),
        ([{"family-names": "T", "given-names": ["M"]}, {"family-names": "T", "given-names": ["M"]}], [1]),
        ([{"family-names": "T"}, {"title": "T"}], []),
        ([{"title": "T", "authors": [{"name": "A"}]}, {"title": "T", "authors": [{"name": "A"}]}], [1]),
        ([{"title": ["T"]}, {"title": ["T"]}, {"title": "T"}], [1]),
        (["T", {"title": "T"}, "T", ["T"], ["T"]], [2, 4]),
    ],
)
def test_repeated(items: list[Value], places: list[int]) -> None:
    assert repeated(items) == places


TEXTS = st.sampled_from(["", "a", "b"])
KEYS = st.sampled_from(["family-names", "given-names", "name", "title", "value", "alias"])
VALUES = st.recursive(
    TEXTS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=3)
)


@given(st.lists(VALUES, max_size=6))
def test_no_item_is_missed(items: list[Value]) -> None:
    assert repeated(items) == [i for i, item in enumerate(items) if item in items[:i]]
