import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.packed_texts import PackedTexts


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
