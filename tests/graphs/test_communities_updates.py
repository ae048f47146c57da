"""Updates of an index with communities, when documents come and go."""

from __future__ import annotations

import asyncio

import pytest
from communities_support import (
    NAMES,
    Script,
    build,
    build_from_triples,
    chain,
    clustered,
    everything_stored,
    lines_of,
    places_of,
)
from ragraphs.context import BasicContext, GraphragContext
from ragraphs.graphs.basic import graph as basic
from ragraphs.graphs.graphrag import graph as graphrag
from ragraphs.index.recorded import keep_tuning, tuning
from stub_openai import failure

from lab.living.history import History

ALL_LAYERS = ("sentences", "hops", "entities", "communities")
RARE = "Zyzzogeton"
SECRET = {
    "id": "secret",
    "title": f"{RARE} Leafhopper",
    "text": chain(NAMES[0], f"{RARE} Leafhopper", NAMES[1], NAMES[2]),
}
NEW = {
    "id": "new",
    "title": "Ann Lee",
    "text": " ".join(f"Ann Lee knows {n}." for n in NAMES[42:45]),
}


@pytest.fixture
def model(openai):
    return Script(openai)


def contents(indexing):
    """Communities with the names of their members and their reports."""
    index = indexing.index
    names = {entity.id: entity.name for entity in index.entities.all_entities()}
    return {
        one.id: (sorted(names[m] for m in index.communities.members_of(one.id)), one.report)
        for one in index.communities.all()
    }


def entities_in(human):
    return {title for _, kind, title, _ in lines_of(human) if kind == "Entity"}


@pytest.mark.slow
def test_an_added_document_has_only_the_communities_that_it_changed_reported_anew(
    indexing, other, model
):
    build_from_triples(indexing, clustered(200))
    build(indexing)
    before, asked = contents(indexing), len(model.asked)
    assert len(before) > 60
    history = History(indexing.index)

    build(indexing, [NEW])
    kinds = [kind for kind, _ in model.asked[asked:]]
    assert kinds[0] == "Facts" and set(kinds[1:]) == {"CommunityReport"}
    after = contents(indexing)
    changed = {id for id, content in after.items() if before.get(id) != content}
    assert len(changed) == len(kinds) - 1 <= 3
    for _, human in model.asked[asked + 1 :]:
        assert entities_in(human) <= {"Ann Lee", *NAMES[40:50]}
    assert any("Ann Lee" in after[id][0] for id in changed)

    build_from_triples(other, clustered(200))
    build(other, [NEW], layers=["entities"])
    history.begin(other.index)
    build(other)
    assert indexing.export() == other.export()
    assert indexing.index.vectors.ids("reports") == other.index.vectors.ids("reports")


def test_a_new_fact_inside_a_community_has_it_reported_anew(indexing, model):
    build(indexing, clustered(20, each=5))
    before, asked = contents(indexing), len(model.asked)
    fact = f"{NAMES[3]} met {NAMES[4]}."
    build(indexing, [{"id": "new", "title": "More", "text": fact}])
    after = contents(indexing)
    changed = {id for id, content in after.items() if before.get(id) != content}
    assert 0 < len(model.asked) - asked - 1 <= len(changed)
    assert all(entities_in(human) <= set(NAMES[:10]) for _, human in model.asked[asked + 1 :])
    assert any(fact in human for _, human in model.asked[asked + 1 :])


def ask_all(indexing):
    """Questions whose answers quote what they read."""
    question = {"question": f"Who knows {RARE} Leafhopper?"}
    basic.invoke(question, context=BasicContext(index=indexing.name, model="openai:stub"))
    for search in ("global", "local", "drift"):
        context = GraphragContext(index=indexing.name, model="openai:stub", search=search)
        graphrag.invoke(question, context=context)


def assert_forgotten(indexing):
    """At once; by arrays in a database, to which later ones are patches, with a purge."""
    assert everything_stored(indexing)["replies"]
    if places_of(RARE, indexing) == ["array_chunks"]:
        indexing.run(context={"purge": True})
    assert places_of(RARE, indexing) == []


@pytest.mark.slow
def test_a_deleted_document_leaves_no_trace(indexing, model):
    build(indexing, [*clustered(20, each=5), SECRET], ALL_LAYERS)
    ask_all(indexing)
    found = set(places_of(RARE, indexing))
    assert {"documents", "passages", "readings", "entities", "aliases"} < found
    assert {"communities", "replies"} < found
    assert any(place.endswith(".npy") for place in found)
    indexing.run(remove=["secret"])
    assert_forgotten(indexing)


@pytest.mark.slow
def test_an_edited_document_leaves_no_trace_of_what_it_said(indexing, model):
    build(indexing, [*clustered(20, each=5), SECRET], ALL_LAYERS)
    ask_all(indexing)
    edited = {
        **SECRET,
        "title": "Bob Ray",
        "text": SECRET["text"].replace(f"{RARE} Leafhopper", "Bob Ray"),
    }
    build(indexing, [edited], ALL_LAYERS)
    assert_forgotten(indexing)
    assert "Bob Ray" in indexing.export()


@pytest.mark.slow
def test_what_is_left_after_a_deletion_is_what_a_rebuild_gives(indexing, other, model):
    documents = clustered(20, each=5)
    build(indexing, [*documents, SECRET], ALL_LAYERS)
    history = History(indexing.index)
    indexing.run(remove=["secret"])
    asked = len(model.asked)
    indexing.run()
    assert len(model.asked) == asked
    build(other, documents, ["sentences", "hops", "entities"])
    history.begin(other.index)
    build(other)
    assert indexing.export() == other.export()
    assert indexing.index.questions.ids() == other.index.questions.ids() != set()
    for name in ("entities", "reports"):
        assert indexing.index.vectors.ids(name) == other.index.vectors.ids(name)


@pytest.mark.slow
def test_a_deletion_pays_only_for_what_it_changed(indexing, model):
    build(indexing, [*clustered(40, each=5), SECRET])
    asked = len(model.asked)
    indexing.run(remove=["secret"])
    again = model.asked[asked:]
    assert 0 < len(again) <= 3
    assert [entities_in(human) - set(NAMES[:10]) for _, human in again] == [set()] * len(again)
    kept = indexing.index.replies.count()
    indexing.run(remove=["d35"])
    assert indexing.index.replies.count() <= kept + 3


@pytest.mark.slow
def test_replies_are_forgotten_later_where_the_model_was_down_when_texts_went(indexing, model):
    build(indexing, [*clustered(20, each=5), SECRET])
    model.answers["CommunityReport"] = failure(400, "no")
    indexing.run(remove=["secret"])
    left = places_of(RARE, indexing)
    assert left in ([], ["replies"])
    del model.answers["CommunityReport"]
    indexing.run()
    assert_forgotten(indexing)


@pytest.mark.slow
def test_the_last_document_of_a_layer_leaves_it_empty(indexing, model):
    build(indexing, [SECRET])
    indexing.run(remove=["secret"])
    assert contents(indexing) == {}
    assert places_of(RARE, indexing) == []
    assert indexing.index.vectors.ids("reports") == set()


@pytest.mark.slow
def test_another_manner_has_the_reports_written_again_and_nothing_else(indexing, model):
    tells = "Write in Latin."
    model.answers["CommunityReport"] = lambda human: {
        **model.communityreport(human),
        "title": f"Circle, {tells in human}",
    }

    def build_in(manner):
        asyncio.run(keep_tuning(indexing.index, {**tuning(indexing.index), "manner": manner}))
        before = len(model.asked)
        build(indexing)
        return [kind for kind, _ in model.asked[before:]]

    def titles():
        return {one.report["title"] for one in indexing.index.communities.all()}

    build(indexing, clustered(20, 5))
    first, asked = titles(), model.counts["CommunityReport"]
    assert build_in(tells) == ["CommunityReport"] * asked and titles() == {"Circle, True"}
    assert build_in(tells) == []
    assert build_in("") == [] and titles() == first == {"Circle, False"}


@pytest.mark.slow
def test_a_manner_does_not_change_reports_without_a_model(indexing):
    settings = {"layers": ["communities"], "max_cluster_size": 5}
    indexing.run(documents=clustered(20, 5), context=settings)
    before = contents(indexing), indexing.index.catalogue.property("communities")
    asyncio.run(keep_tuning(indexing.index, {**tuning(indexing.index), "manner": "In Latin."}))
    indexing.run(documents=clustered(20, 5), context=settings)
    assert (contents(indexing), indexing.index.catalogue.property("communities")) == before
