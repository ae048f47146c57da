"""An update keeps so much of communities that only the ones near a change are gone through."""

from __future__ import annotations

import pytest
from ragraphs.index import communities
from ragraphs.stores.communities import CommunityStore
from ragraphs.stores.degrees import DEGREES

from lab.benchmarks.synthetic import made_up

CONTEXT = {"model": "offline", "layers": ["communities"], "max_cluster_size": 5}


@pytest.fixture
def built(indexing, snapshots):
    documents = list(made_up(120, seed=3))
    snapshots.fill(indexing.name, lambda: indexing.run(documents=documents, context=CONTEXT))
    return indexing


def changes(indexing):
    """Updates of one document each, as they are applied."""
    for number, text in enumerate(one["text"] for one in made_up(4, seed=3)):
        few = " ".join(text.split(". ")[:2])  # the same names, in other sentences
        document = {"id": f"new {number % 2}", "title": "New", "text": few}
        indexing.run(documents=[document], context=CONTEXT)
        yield indexing.index
    indexing.run(remove=["new 0"], context=CONTEXT)
    yield indexing.index


@pytest.mark.slow
def test_sums_of_weights_follow_the_relations(built, monkeypatch):
    summed, degrees_of = set(), CommunityStore.degrees_of
    monkeypatch.setattr(
        CommunityStore, "degrees_of", lambda self, ids: summed.update(ids) or degrees_of(self, ids)
    )
    followed = 0
    for index in changes(built):
        known = index.catalogue.property(DEGREES)
        expected = degrees_of(index.communities, known["of"])
        assert known["of"] == pytest.approx(expected, abs=1e-5)
        assert known["total"] == pytest.approx(index.communities.total_weight(), abs=1e-5)
        followed += len(known["of"].keys() - summed)
        summed.clear()
    assert followed


@pytest.mark.slow
def test_only_vectors_of_reports_that_changed_are_looked_at(built, monkeypatch):
    looked_at, told = [], CommunityStore.told
    monkeypatch.setattr(
        CommunityStore, "told", lambda self, of=None: looked_at.append(of) or told(self, of)
    )
    for index in changes(built):
        every = dict.fromkeys(communities._vector_ids(index))
        looked_at.pop()
        assert index.vectors.ids("reports") == every.keys()
    assert None not in looked_at and any(looked_at)
