"""An update keeps so much of communities that only the ones near a change are gone through."""

from __future__ import annotations

import pytest
from ragraphs.index import communities
from ragraphs.index.report_material import Material, row_tokens
from ragraphs.stores.communities import CommunityStore
from ragraphs.stores.degrees import DEGREES

from lab.benchmarks.synthetic import made_up

CONTEXT = {"model": "offline", "layers": ["communities"], "max_cluster_size": 5}


@pytest.fixture
def built(indexing, snapshots):
    documents = list(made_up(120, seed=3))
    snapshots.fill(indexing.name, lambda: indexing.run(documents=documents, context=CONTEXT))
    return indexing


def changes(indexing, context=CONTEXT):
    """Updates of one document each, as they are applied."""
    for number, text in enumerate(one["text"] for one in made_up(4, seed=3)):
        few = " ".join(text.split(". ")[:2])  # the same names, in other sentences
        document = {"id": f"new {number % 2}", "title": "New", "text": few}
        indexing.run(documents=[document], context=context)
        yield indexing.index
    indexing.run(remove=["new 0"], context=context)
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


@pytest.mark.slow
def test_reports_are_looked_at_around_a_change_and_on_many_parts_without_their_rows(
    indexing, monkeypatch
):
    context, passes, unread = {**CONTEXT, "report_tokens": 200}, [], []
    keep_tokens, reports_alone = Material.keep_tokens, Material.reports_alone

    def noted(self):
        passes.append(len(self.deepest_first()))
        keep_tokens(self)

    def asked(self, id, reports):
        rows = reports_alone(self, id, reports)
        unread.extend([id] if rows and id not in self._members else [])
        return rows

    monkeypatch.setattr(Material, "keep_tokens", noted)
    monkeypatch.setattr(Material, "reports_alone", asked)
    indexing.run(documents=list(made_up(60, seed=3)), context=context)
    for index in changes(indexing, context):
        material, store = Material(index, 200), index.communities
        kept = store.tokens_of(store.parents())
        assert kept and kept == {id: sum(map(row_tokens, material.own_rows(id))) for id in kept}
    assert unread and min(passes) < store.count() / 20
