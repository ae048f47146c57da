"""A layer is made anew when its parts have changed, and only then."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.context import Context
from ragraphs.index import rebuilding
from ragraphs.index.layers import HOPS, LAYERS, Arrays, Layer
from ragraphs.index.opening import Index, open_index
from ragraphs.models.meter import start_meter
from ragraphs.state.errors import RagraphsError
from ragraphs.stores.arrays import DamagedArraysError, Scratch, load_arrays, save_arrays


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return open_index(Context(index=str(tmp_path / "index")), create=True)


def times_made(index: Index, layer: Layer, *parts: object) -> int:
    made: list[Index] = []

    def make(index: Index, scratch: Scratch) -> Arrays:
        made.append(index)
        return {"edges": np.arange(9)}

    layer.renew(index, make, *parts)
    return len(made)


def test_a_layer_is_made_once_for_the_same_parts(index):
    assert [times_made(index, HOPS, "facts", [1, 2]) for _ in range(3)] == [1, 0, 0]
    assert times_made(index, HOPS, "facts", [1, 3]) == 1


def test_the_stamp_changes_when_the_layer_was_made_anew(index):
    times_made(index, HOPS, "a")
    before = HOPS.stamp(index)
    times_made(index, HOPS, "b")
    assert HOPS.stamp(index) != before


def test_a_layer_whose_making_failed_is_not_there(index):
    def fail(index, scratch):
        raise RagraphsError("No.")

    with pytest.raises(RagraphsError, match=r"^No\.$"):
        HOPS.renew(index, fail, "facts")
    with pytest.raises(RagraphsError, match="ragraphs index --layers hops"):
        HOPS.stamp(index)


@pytest.mark.in_folder("from a database a file that is gone is fetched again")
def test_a_layer_whose_file_is_gone_is_made_again(index):
    times_made(index, HOPS, "questions")
    shutil.rmtree(HOPS.path(index))
    with pytest.raises(RagraphsError, match="ragraphs index --layers hops"):
        HOPS.stamp(index)
    assert times_made(index, HOPS, "questions") == 1


@pytest.mark.in_folder("arrays are told by their folders")
def test_arrays_that_an_earlier_version_has_named_are_read_as_they_are(index):
    times_made(index, HOPS, "questions")
    name = "hops-" + HOPS.stamp(index).removeprefix(HOPS.format)[:16]
    HOPS.path(index).rename(index.arrays.path(name))
    index.catalogue.set_property(f"{HOPS.kept_as}_arrays", None)
    assert HOPS.load(index, None)["edges"].tolist() == list(range(9))
    assert times_made(index, HOPS, "questions") == 0
    times_made(index, HOPS, "others")
    rebuilding.finish(index)
    assert not index.arrays.has(name) and HOPS.load(index, None)


def test_a_layer_of_another_format_is_made_again(index):
    old = Layer("hops", HOPS.kept_as, file="hops", format="0:")
    assert times_made(index, old, "facts") == 1
    new = Layer("hops", HOPS.kept_as, file="hops", format="2:")
    with pytest.raises(RagraphsError):
        new.stamp(index)
    assert times_made(index, new, "facts") == 1


@pytest.mark.parametrize("layer", LAYERS.values(), ids=lambda layer: layer.name)
def test_a_missing_layer_names_the_command_that_builds_it(index, layer):
    with pytest.raises(RagraphsError, match=f"ragraphs index --layers {layer.name} --index"):
        layer.stamp(index)


def cut(file: Path, bytes: int) -> None:
    file.write_bytes(file.read_bytes()[:-bytes])


def damage_of_another_layer(index: Index) -> None:
    other = Layer("hops", "other", file="other")
    times_made(index, other, "others")
    folder = HOPS.path(index)
    shutil.rmtree(folder)
    shutil.copytree(other.path(index), folder)


@pytest.mark.in_folder("from a database a damaged file is fetched again")
@pytest.mark.parametrize(
    "damage",
    [
        lambda index: cut(HOPS.path(index) / "edges.npy", 20),
        lambda index: (HOPS.path(index) / "edges.npy").write_bytes(b""),
        lambda index: (HOPS.path(index) / "edges.npy").unlink(),
        lambda index: cut(HOPS.path(index) / "arrays.json", 5),
        damage_of_another_layer,
    ],
)
def test_a_damaged_layer_is_told_and_made_again(index, damage):
    times_made(index, HOPS, "questions")
    damage(index)
    assert "ragraphs index makes it anew" in HOPS.damage(index)
    meter = start_meter(None)
    loaded = HOPS.load(index, lambda *_: {"edges": np.arange(3)})
    assert loaded["edges"].tolist() == [0, 1, 2]
    assert "is damaged" in meter.warnings[0]
    assert [times_made(index, HOPS, "questions") for _ in range(2)] == [1, 0]
    assert HOPS.damage(index) is None
    assert HOPS.load(index, None)["edges"].tolist() == list(range(9))


@pytest.mark.slow
@given(st.data())
def test_a_file_with_any_byte_changed_is_told_or_reads_the_same(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("arrays") / "a.arrays"
    arrays = {"numbers": np.arange(20), "names": np.array(["ä", "b"], dtype=np.str_)}
    save_arrays(folder, lambda scratch: arrays)
    file = data.draw(st.sampled_from(sorted(folder.iterdir())))
    whole = bytearray(file.read_bytes())
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] ^= data.draw(st.integers(1, 255))
    end = data.draw(st.one_of(st.just(len(whole)), st.integers(0, len(whole) - 1)))
    file.write_bytes(whole[:end])
    try:
        read = load_arrays(folder)
    except DamagedArraysError:
        return
    assert read.keys() == arrays.keys()
    assert all(np.array_equal(read[name], arrays[name]) for name in arrays)
