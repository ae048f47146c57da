"""A layer is made anew when its parts have changed, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest
from ragraphs.context import Context
from ragraphs.index.layers import ENTITIES, HOPS, LAYERS, Layer
from ragraphs.index.opening import Index, open_index
from ragraphs.state.errors import RagraphsError


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return open_index(Context(index=str(tmp_path / "index")), create=True)


def times_made(index: Index, layer: Layer, *parts: object) -> int:
    made: list[Index] = []
    layer.renew(index, made.append, *parts)
    return len(made)


def test_a_layer_is_made_once_for_the_same_parts(index):
    assert [times_made(index, ENTITIES, "facts", [1, 2]) for _ in range(3)] == [1, 0, 0]
    assert times_made(index, ENTITIES, "facts", [1, 3]) == 1


def test_the_stamp_changes_when_the_layer_was_made_anew(index):
    times_made(index, ENTITIES, "a")
    before = ENTITIES.stamp(index)
    times_made(index, ENTITIES, "b")
    assert ENTITIES.stamp(index) != before


def test_a_layer_whose_making_failed_is_not_there(index):
    def fail(index):
        raise RagraphsError("No.")

    with pytest.raises(RagraphsError, match=r"^No\.$"):
        ENTITIES.renew(index, fail, "facts")
    with pytest.raises(RagraphsError, match="ragraphs index --layers entities"):
        ENTITIES.stamp(index)


def test_a_layer_whose_file_is_gone_is_made_again(index):
    def make(index):
        HOPS.path(index).write_bytes(b"edges")

    HOPS.renew(index, make, "questions")
    HOPS.path(index).unlink()
    with pytest.raises(RagraphsError, match="ragraphs index --layers hops"):
        HOPS.stamp(index)
    assert times_made(index, HOPS, "questions") == 1


def test_a_layer_of_another_format_is_made_again(index):
    old = Layer("entities", ENTITIES.kept_as, format="0:")
    assert times_made(index, old, "facts") == 1
    new = Layer("entities", ENTITIES.kept_as, format="1:")
    with pytest.raises(RagraphsError):
        new.stamp(index)
    assert times_made(index, new, "facts") == 1


@pytest.mark.parametrize("layer", LAYERS.values(), ids=lambda layer: layer.name)
def test_a_missing_layer_names_the_command_that_builds_it(index, layer):
    with pytest.raises(RagraphsError, match=f"ragraphs index --layers {layer.name} --index"):
        layer.stamp(index)
