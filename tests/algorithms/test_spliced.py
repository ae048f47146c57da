from itertools import chain, pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.algorithms.spliced import Spliced, gathered, inserted, taken

ROWS = st.lists(st.lists(st.integers(0, 99), max_size=4), max_size=6)


def packed(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    lengths = [len(row) for row in rows]
    return np.array(list(chain(*rows)), dtype=np.int16), np.cumsum([0, *lengths], dtype=np.int64)


def rows_of(content: np.ndarray, ends: np.ndarray) -> list[list[int]]:
    return [content[a:b].tolist() for a, b in pairwise(ends)]


@settings(max_examples=200, deadline=None)
@given(ROWS, st.lists(ROWS, min_size=1, max_size=3), st.data())
def test_rows_are_the_ones_that_are_taken_change_after_change(rows, changes, data) -> None:
    content, ends = packed(rows)
    for added in changes:
        new, new_ends = packed(added)
        rows = [*rows, *added]
        numbers = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=9) if rows
                            else st.just([]))  # fmt: skip
        rows = [rows[number] for number in numbers]
        both = np.append(ends, new_ends[1:] + ends[-1])
        content, ends = taken((content, new), both, np.array(numbers, dtype=np.int64))
        whole, own_ends = packed(rows)
        assert rows_of(content, ends) == rows and ends.tolist() == own_ends.tolist()
        assert np.asarray(content).tolist() == whole.tolist() == content[:].tolist()
        assert len(content) == len(whole) and content.dtype == np.int16
        starts, lengths = own_ends[:-1][::-1], np.diff(own_ends)[::-1]
        expected = list(chain(*rows[::-1]))
        assert [each.tolist() for each in gathered((content, whole), starts, lengths)] == [
            expected,
            expected,
        ]
        assert [bytes(content.data[a:b]) for a, b in pairwise(ends)] == [
            np.array(row, dtype=np.int16).tobytes() for row in rows
        ]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 99), max_size=9), st.data())
def test_numbers_come_and_go_change_after_change(numbers, data) -> None:
    content, whole = np.array(numbers, dtype=np.int16), np.array(numbers, dtype=np.int16)
    for _ in range(3):
        gone = sorted(data.draw(st.sets(st.integers(0, len(whole) - 1)))) if len(whole) else []
        whole = np.delete(whole, np.array(gone, dtype=np.int64))
        at = np.array(sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=4))), np.int64)
        new = np.arange(100, 100 + len(at))
        content = inserted(content, np.array(gone, dtype=np.int64), at, new)
        whole = np.insert(whole, at, new)
        assert np.asarray(content).tolist() == whole.tolist() == content[:].tolist()
        assert content.dtype == whole.dtype


def test_the_first_part_is_not_copied_and_nothing_unused_is_kept_of_what_came_since() -> None:
    base, ends = np.arange(10), np.arange(0, 13, 2)
    first, first_ends = taken((base, np.array([90, 91])), ends[:7], np.array([0, 5, 3]))
    assert isinstance(first, Spliced) and first.base is base
    assert first[:].tolist() == [0, 1, 90, 91, 6, 7] and first.added.tolist() == [90, 91]
    ends = np.append(first_ends, first_ends[-1])
    then, _ = taken((first, base[:0]), ends, np.array([2, 0]))
    assert then.base is base and then[:].tolist() == [6, 7, 0, 1] and not len(then.added)
