"""Merges and splits that people decided."""

from __future__ import annotations

import pytest
from entities_support import build, documents, layer_of
from ragraphs.index.corrections import correct
from ragraphs.language.mentions import normalised
from ragraphs.state.errors import RagraphsError


def entities_called(indexing, *names):
    found = indexing.index.entities.named(map(normalised, names))
    return {id for ids in found.values() for id in ids}


@pytest.mark.slow
def test_a_correction_survives_a_rebuild_and_is_undone_by_its_opposite(indexing):
    build(indexing)
    before = layer_of(indexing)
    correct(indexing.context(), "merge", "Somerset", "Frome")
    assert len(entities_called(indexing, "Somerset", "Frome")) == 1
    build(indexing, documents(more="Frome has a market."))
    assert len(entities_called(indexing, "Somerset", "Frome")) == 1
    assert [merge.reason for merge in indexing.index.entities.merges()] == ["correction"]
    indexing.run(remove=["more"])
    correct(indexing.context(), "split", "frome", "somerset")
    assert len(entities_called(indexing, "Somerset", "Frome")) == 2
    assert layer_of(indexing) == before
    assert len(indexing.index.entities.corrections()) == 1


def test_a_correction_by_ids_takes_the_place_of_one_by_names(indexing):
    build(indexing)
    correct(indexing.context(), "merge", "Somerset", "Frome")
    (merge,) = indexing.index.entities.merges()
    correct(indexing.context(), "split", merge.merged_id, merge.kept_id)
    assert len(entities_called(indexing, "Somerset", "Frome")) == 2
    ids = sorted(entities_called(indexing, "Somerset", "Frome"))
    correct(indexing.context(), "merge", *ids)
    assert len(entities_called(indexing, "Somerset", "Frome")) == 1
    assert len(indexing.index.entities.corrections()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("action", "a", "b", "words"),
    [
        ("merge", "Nobody", "Frome", "no entity 'Nobody'"),
        ("merge", "Frome", "frome", "the same name"),
        ("split", "Frome", "Somerset", "two entities already"),
    ],
)
def test_a_correction_that_means_nothing_is_refused(indexing, action, a, b, words):
    build(indexing)
    with pytest.raises(RagraphsError, match=words):
        correct(indexing.context(), action, a, b)
    assert indexing.index.entities.corrections() == []
