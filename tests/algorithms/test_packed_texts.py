import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.algorithms import packed_texts
from ragraphs.algorithms.packed_texts import DistinctTexts, PackedTexts

DISTINCT = st.lists(st.text(max_size=6), unique=True, max_size=30)


@given(st.lists(st.text()))
def test_texts_come_back_as_they_were_in_their_order(texts):
    packed = PackedTexts.of(iter(texts))
    assert list(packed) == texts == packed[:]
    assert len(packed) == len(texts)
    assert list(PackedTexts.from_arrays(packed.to_arrays("titles"), "titles")) == texts


def test_a_text_is_read_from_a_mapped_file(tmp_path):
    for name, array in PackedTexts.of(["Oslo", "", "서울"]).to_arrays("places").items():
        np.save(tmp_path / f"{name}.npy", array)
    files = {file.stem: np.load(file, mmap_mode="r") for file in tmp_path.glob("*.npy")}
    assert PackedTexts.from_arrays(files, "places")[2] == "서울"


@settings(max_examples=40, deadline=None)
@given(DISTINCT, st.text(max_size=6))
def test_a_text_is_found_by_its_number_and_its_number_by_it(texts: list[str], other: str) -> None:
    packed = DistinctTexts.of(texts)
    assert list(packed) == texts
    assert [packed.get(text) for text in texts] == list(range(len(texts)))
    assert (packed.get(other) is None) == (other not in texts)


@settings(max_examples=40, deadline=None)
@given(DISTINCT)
def test_distinct_texts_survive_storage(texts: list[str]) -> None:
    arrays = DistinctTexts.of(texts).to_arrays("names")
    assert list(DistinctTexts.from_arrays(arrays, "names")) == texts


def test_texts_with_the_same_hash_are_told_apart(monkeypatch) -> None:
    monkeypatch.setattr(packed_texts, "_hash", lambda text: 7)
    packed = DistinctTexts.of(["Oslo", "Rome", "서울"])
    assert [packed.get(each) for each in ("서울", "Rome", "Oslo", "Bonn")] == [2, 1, 0, None]


@settings(max_examples=80, deadline=None)
@given(DISTINCT, st.integers(0, 30), st.data())
def test_distinct_texts_that_follow_a_change_are_as_packed_anew(texts, known, data) -> None:
    numbers = data.draw(st.permutations(range(len(texts))))
    numbers = numbers[: data.draw(st.integers(0, len(texts)))]
    before, added = DistinctTexts.of(texts[:known]), PackedTexts.of(texts[known:])
    found = before.followed(added, np.array(numbers, dtype=np.int64)).to_arrays("names")
    anew = DistinctTexts.of(texts[number] for number in numbers).to_arrays("names")
    for name, array in anew.items():
        assert np.asarray(found[name]).tolist() == array.tolist(), name
