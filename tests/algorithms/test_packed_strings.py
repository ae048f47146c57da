import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.algorithms import packed_strings
from ragraphs.algorithms.packed_strings import PackedStrings
from ragraphs.algorithms.spans import spans

TEXTS = st.lists(st.text(alphabet=st.characters(), max_size=6), unique=True, max_size=30)


@settings(max_examples=40, deadline=None)
@given(TEXTS, st.text(max_size=6))
def test_a_text_is_found_by_its_number_and_its_number_by_it(texts: list[str], other: str) -> None:
    packed = PackedStrings.of(texts)
    assert list(packed) == texts
    assert [packed.get(text) for text in texts] == list(range(len(texts)))
    assert (packed.get(other) is None) == (other not in texts)


@settings(max_examples=40, deadline=None)
@given(TEXTS)
def test_texts_survive_storage(texts: list[str]) -> None:
    arrays = PackedStrings.of(texts).to_arrays("names")
    assert list(PackedStrings.from_arrays(arrays, "names")) == texts


def test_texts_with_the_same_hash_are_told_apart(monkeypatch) -> None:
    monkeypatch.setattr(packed_strings, "_hash", lambda text: 7)
    packed = PackedStrings.of(["Oslo", "Rome", "서울"])
    assert [packed.get(each) for each in ("서울", "Rome", "Oslo", "Bonn")] == [2, 1, 0, None]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=20))
def test_spans_are_the_numbers_of_each_run(runs: list[tuple[int, int]]) -> None:
    starts, counts = (np.array([run[at] for run in runs], dtype=np.int32) for at in (0, 1))
    assert spans(starts, counts).tolist() == [a + n for a, count in runs for n in range(count)]
