"""An update merges the names near a change alone, and gives the entities of a fresh build."""

from __future__ import annotations

import random

import pytest
from ragraphs.index import entities as entity_vectors
from ragraphs.index import near_graph, resolution
from ragraphs.stores import tables
from ragraphs.stores.postgresql_errors import LostConnectionError

from lab.living.comparing import rows_of

FIRST = "Ada Ben Cora Dan Eva Finn Gus Ida Jon Kim".split()
LAST = "Quill Rook Vane Moor Stone Hale Field Moorland Quillson Stein".split()
PLACES = """Arlen Tower|the Brass Gate|Brass Gates|Corin|Corinn Town|Corin Town|Corin County|East
 Corin|NATO|North Atlantic Treaty|서울|한강""".replace("\n", "").split("|")
FORMS = [
    "{p} designed {l} in 1901.", "{l} was opened by {p}, who was born in {m}.",
    "{p} met {q} at {l}.", "{p}은 {l}에서 {q}을 만났다.", "It was built of stone.",
    "Who knows why {p} left {m}?",
]  # fmt: skip
TABLES = [
    tables.entities, tables.descriptions, tables.aliases, tables.entity_passages, tables.mentions,
    tables.relations, tables.relation_passages, tables.merges, tables.merged_passages,
    tables.said_names, tables.related_names, tables.names, tables.name_forms,
    tables.explained_names,
]  # fmt: skip
CONTEXT = {"model": "offline", "layers": ["entities"]}


def a_document(chance, number):
    def person():
        first, last = chance.choice(FIRST), chance.choice(LAST)
        return chance.choice(
            [f"{first} {last}", f"{first[0]}. {last}", last, f"Dr. {first} {last}"]
        )

    def place():
        return chance.choice([*PLACES, f"{chance.choice(LAST)} Hall"])

    def sentence():
        form = chance.choice(FORMS)
        return form.format(p=person(), q=person(), l=place(), m=place())

    text = " ".join(sentence() for _ in range(chance.randrange(1, 5)))
    return {"id": f"d{number}", "title": place(), "text": text}


@pytest.fixture
def near(monkeypatch):
    """Whether each update could merge near alone."""
    found, merge = [], resolution.merge_near
    monkeypatch.setattr(
        resolution, "merge_near", lambda *given: found.append(merge(*given)) or found[-1]
    )
    return found


def assert_as_fresh(indexing, documents, tmp_path, name):
    fresh = type(indexing)(tmp_path, name)
    fresh.run(documents=list(documents.values()), context=CONTEXT)
    for table in TABLES:
        assert rows_of(indexing.index, table) == rows_of(fresh.index, table), table.name
    assert indexing.index.vectors.ids("entities") == fresh.index.vectors.ids("entities")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_any_changes_give_the_names_of_a_fresh_build(indexing, near, seed, tmp_path):
    chance = random.Random(seed)
    documents = {one["id"]: one for one in (a_document(chance, n) for n in range(14))}
    indexing.run(documents=list(documents.values()), context=CONTEXT)
    for step in range(6):
        new = [a_document(chance, chance.randrange(20)) for _ in range(chance.randrange(1, 3))]
        gone = chance.sample(sorted(documents.keys() - {one["id"] for one in new}), step % 2)
        for id in gone:
            del documents[id]
        documents |= {one["id"]: one for one in new}
        given = {one["id"]: one for one in new}.values()
        indexing.run(documents=list(given), remove=gone, context=CONTEXT)
    assert near.count(True) > near.count(False)
    assert_as_fresh(indexing, documents, tmp_path, "fresh")


TOLD = {
    "quill": "Ada Quill designed Arlen Tower.",
    "hall": "Brian Moorland opened Quill Hall in Corin.",
    "stone": "Arlen Hall was opened by Stone, who was born in Corin.",
}
LATER = {
    "a word in small letters makes a name general": "It was built of stone by Ada Quill.",
    "an explained alias may be another name anywhere": "Ada Quill, also known as the Kite, left.",
}


@pytest.mark.parametrize("later", LATER.values(), ids=LATER)
def test_where_more_hangs_on_a_change_all_names_are_merged(indexing, near, later, tmp_path):
    documents = {id: {"id": id, "title": f"Note {id}", "text": text} for id, text in TOLD.items()}
    indexing.run(documents=list(documents.values()), context=CONTEXT)
    documents["later"] = {"id": "later", "title": "later", "text": later}
    indexing.run(documents=[documents["later"]], context=CONTEXT)
    assert near == [False]
    assert_as_fresh(indexing, documents, tmp_path, "fresh")


def test_a_vector_of_an_entity_that_was_lost_is_made_by_the_next_run(indexing):
    documents = [a_document(random.Random(n), n) for n in range(6)]
    indexing.run(documents=documents, context=CONTEXT)
    ids = indexing.index.vectors.ids("entities")
    indexing.index.vectors.remove("entities", sorted(ids)[:2])
    indexing.run(documents=documents, context=CONTEXT)
    assert indexing.index.vectors.ids("entities") == ids


def test_a_change_looks_at_the_vectors_of_entities_that_changed_alone(indexing, monkeypatch):
    documents = [a_document(random.Random(n), n) for n in range(6)]
    indexing.run(documents=documents, context=CONTEXT)
    changed, all_entities = entity_vectors._changed_vectors, indexing.index.entities.count()
    wanted = []

    def noted(index):
        wanted.append(changed(index))
        return wanted[-1]

    monkeypatch.setattr(entity_vectors, "_changed_vectors", noted)
    documents[0] |= {"text": "Ada Quill met Lea Winter at Corin Town."}
    indexing.run(documents=documents, context=CONTEXT)
    [(ids, present)] = wanted
    assert present and len(ids) < all_entities


@pytest.mark.slow
def test_names_are_merged_near_once_more_where_the_server_was_lost(indexing, near, monkeypatch):
    documents = {one["id"]: one for one in (a_document(random.Random(n), n) for n in range(6))}
    indexing.run(documents=list(documents.values()), context=CONTEXT)
    replace, lost = near_graph.replace_near, []

    def replaced(connection, *given):
        replace(connection, *given)
        if not lost:
            lost.append(connection)
            raise LostConnectionError("The server is away.")

    monkeypatch.setattr(near_graph, "replace_near", replaced)
    documents["d9"] = {"id": "d9", "text": "Ada Quill met Lea Winter at Corin Town."}
    indexing.run(documents=[documents["d9"]], context=CONTEXT)
    assert lost and near[-1] and indexing.index.entities.named(["lea winter"])
    assert_as_fresh(indexing, documents, indexing.folder, "fresh")
