"""Numbers are made of content, and kept."""

from __future__ import annotations

from cffgraph.cff.numbers import number_for
from cffgraph.resolve.numbers import keep_numbers


def test_new_numbers_depend_on_the_key_alone() -> None:
    one = keep_numbers([("ann", [1]), ("bob", [2])], {}, {}, {})
    two = keep_numbers([("bob", [7]), ("ann", [9])], {}, {}, {})
    assert one.numbers == tuple(reversed(two.numbers))
    assert all(100_000_000 <= n < 1_000_000_000 for n in one.numbers)


def test_a_merged_number_leads_on_to_the_one_with_most_members() -> None:
    old = {1: 111, 2: 111, 3: 222}
    merged = keep_numbers([("ann", [1, 2, 3])], old, {"ann": 111, "a n": 222}, {})
    assert merged.numbers == (111,)
    assert merged.redirects == {222: 111}


def test_a_split_leaves_the_number_with_most_members() -> None:
    old = {1: 111, 2: 111, 3: 111}
    split = keep_numbers([("ann", [1]), ("anna", [2, 3])], old, {"ann": 111}, {})
    assert split.numbers == (number_for("ann", {111}), 111)
    assert split.redirects == {}


def test_old_redirects_follow_later_merges() -> None:
    later = keep_numbers([("ann", [1, 2])], {1: 111, 2: 333}, {"ann": 111, "x": 333}, {222: 333})
    assert later.redirects == {333: 111, 222: 111}


def test_a_new_version_of_a_file_keeps_the_number_by_its_key() -> None:
    kept = keep_numbers([("ann", [10])], {1: 555}, {"ann": 555}, {})
    assert kept.numbers == (555,)


def test_a_number_in_use_is_not_given_twice() -> None:
    wanted = number_for("ann")
    both = keep_numbers([("ann", [1]), ("bob", [2])], {2: wanted}, {}, {})
    assert both.numbers == (number_for("ann", {wanted}), wanted)
