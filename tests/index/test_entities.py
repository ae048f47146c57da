"""Reading entities from the store: the same as reading all, at a cost that does not grow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from ragraphs import (
    GraphragContext,
    IndexContext,
    Tog2Context,
    graphrag_graph,
    index_graph,
    tog2_graph,
)
from ragraphs.algorithms.entities.spans import SpellingIndex
from ragraphs.algorithms.tog2.topics import link_question
from ragraphs.index.entities import _entry, named_topics, near_entities, read_entities
from ragraphs.index.narrowing import narrowed
from ragraphs.index.opening import Index, open_index
from ragraphs.settings import settings
from ragraphs.state.errors import RagraphsError
from sqlalchemy import event

from lab.benchmarks.synthetic import made_up

pytestmark = pytest.mark.in_folder("its indexes are made once for all tests")
SIZES = (30, 150)
FILTERS = [None, {"even": True}]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    """An index of each size, with entities and communities; half of the documents are even."""
    found = {}
    for size in SIZES:
        documents = [
            {**one, "metadata": {"even": place % 2 == 0}} for place, one in enumerate(made_up(size))
        ]
        found[size] = str(tmp_path_factory.mktemp("made") / str(size))
        context = IndexContext(index=found[size], embeddings="lexical", layers=["communities"])
        index_graph.invoke({"documents": documents}, context=context)
    return found


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every index counts as large."""
    monkeypatch.setattr("ragraphs.stores.large.FLAT_FROM", 0)


def questions(size: int, many: int) -> list[str]:
    titles = [one["title"] for one in made_up(size)]
    pairs = zip(titles[:many], titles[many:], strict=False)
    return [f"In which year was {a} founded, and what has {b} to do with it?" for a, b in pairs]


@contextmanager
def statements(index: Index) -> Iterator[list[int]]:
    """An entry for each statement of SQL, while the context lasts."""
    counted: list[int] = []

    def note(*_: object) -> None:
        counted.append(1)

    engine = index.catalogue._engine
    event.listen(engine, "after_cursor_execute", note)
    yield counted
    event.remove(engine, "after_cursor_execute", note)


@pytest.mark.slow
@pytest.mark.parametrize("where", FILTERS)
def test_a_question_is_linked_as_if_all_spellings_were_compared(folders, where):
    index = narrowed(open_index(folders[30]), where)
    entities = {one.id: one for one in index.entities.all_entities()}
    spellings: dict[str, list[str]] = {}
    for entity, written in index.entities.aliases_of(entities).items():
        for spelling in written:
            spellings.setdefault(spelling, []).append(entity)
    everything = read_entities(index, entities)
    for question in [*questions(30, 15), "who?", "what does it mean?"]:
        every = link_question(everything, SpellingIndex(spellings), question)
        assert named_topics(index, question) == every


@pytest.mark.slow
@pytest.mark.parametrize("where", FILTERS)
def test_what_is_read_of_an_entity_is_all_that_there_is(folders, where):
    index = narrowed(open_index(folders[30]), where)
    entities = [one.id for one in index.entities.all_entities()]
    relations = list(index.entities.all_relations())
    for entity in entities:
        part = read_entities(index, [entity, "unknown"], relations=True, passages_near=[])
        own = [one for one in relations if entity in (one.source, one.target)]
        own = [one for one in own if {one.source, one.target} <= set(entities)]
        own.sort(key=lambda one: (-one.weight, one.id))
        assert [edge.id for edge in part.relations_of(entity)] == [one.id for one in own]
        assert {
            end for edge in part.relations_of(entity) for end in (edge.source, edge.target)
        } <= set(part.entities)
        assert part.passages_of(entity) == index.entities.passages_of([entity])[entity]
        assert part.relations_of("unknown") == part.passages_of("unknown") == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    "graph, context", [(tog2_graph, Tog2Context), (graphrag_graph, GraphragContext)]
)
@pytest.mark.parametrize("where", FILTERS)
def test_a_large_index_is_walked_like_a_small_one_within_the_bounds(
    folders, graph, context, where, monkeypatch
):
    def answers() -> list[dict[str, object]]:
        settings.cache_clear()
        given = {"depth": 1} if graph is tog2_graph else {"search": "local"}
        asking = context(index=folders[30], where=where, **given)
        return [graph.invoke({"question": one}, context=asking) for one in questions(30, 3)]

    small = answers()
    monkeypatch.setattr("ragraphs.stores.large.FLAT_FROM", 0)
    assert answers() == small


@pytest.mark.slow
@pytest.mark.parametrize(
    "graph, context", [(tog2_graph, Tog2Context), (graphrag_graph, GraphragContext)]
)
def test_the_statements_of_a_question_do_not_grow_with_the_index(folders, graph, context, large):
    asked = {}
    for size in SIZES:
        given = {"depth": 1} if graph is tog2_graph else {"search": "local"}
        asking = context(index=folders[size], **given)
        first, *rest = questions(size, 4)
        graph.invoke({"question": first}, context=asking)
        with statements(open_index(folders[size])) as counted:
            for question in rest:
                graph.invoke({"question": question}, context=asking)
        asked[size] = len(counted)
    assert asked[150] <= 1.2 * asked[30] < 1000


def test_of_a_large_index_come_the_heaviest_relations_and_the_nearest_passages(
    folders, large, monkeypatch
):
    index = open_index(folders[150])
    monkeypatch.setattr("ragraphs.index.entities._MOST_RELATIONS", 2)
    monkeypatch.setattr("ragraphs.index.entities._MOST_PASSAGES", 2)
    largest = index.entities.largest(1)[0][0].id
    passages = index.entities.passages_of([largest])[largest]
    assert len(passages) > 2
    part = read_entities(index, [largest], relations=True, passages_near=[passages[-1], "none"])
    every = index.entities.heaviest_of([largest])[largest]
    assert [edge.id for edge in part.relations_of(largest)] == [one.id for one in every[:2]]
    assert part.passages_of(largest) == passages[-1:]


def test_an_entity_that_is_gone_meanwhile_is_told_in_a_sentence(folders):
    part = read_entities(open_index(folders[30]), ["gone"])
    with pytest.raises(RagraphsError, match="ask again"):
        part.name_of("gone")


def test_vectors_of_entities_are_short_and_an_index_of_before_keeps_its_long_ones(
    tmp_path, monkeypatch
):
    documents = list(made_up(6))

    def indexed(name: str, *, short: bool) -> Index:
        context = IndexContext(
            index=str(tmp_path / name), embeddings="lexical", layers=["entities"]
        )
        with monkeypatch.context() as patch:
            if not short:
                patch.setattr("ragraphs.index.vectors.fitted", lambda *given: given[-1])
            index_graph.invoke({"documents": documents[:5]}, context=context)
        index_graph.invoke({"documents": documents}, context=context)
        return open_index(context.index)

    new, old = indexed("new", short=True), indexed("old", short=False)
    assert (new.vectors.dimension("entities"), old.vectors.dimension("entities")) == (256, 1024)
    assert new.vectors.ids("entities") == old.vectors.ids("entities")
    for entity in new.entities.all_entities():
        for index in (new, old):
            asked = index.embedder.embed([_entry(entity).text])[0]
            assert near_entities(index, asked, 1)[0][1] == pytest.approx(1, abs=1e-5)
