"""Whether two indexes hold the same rows and arrays."""

from __future__ import annotations

from ragraphs.index.opening import Index

from lab.living.comparing import Differences, compare


def assert_same(one: Index, fresh: Index) -> None:
    """Asserts that rows, arrays and ids of vectors are the same."""
    found = compare(one, fresh)
    assert found == Differences([], found.edges, 0), found
