"""After any changes an index is what a fresh build of the same documents gives."""

from __future__ import annotations

import random

import pytest
from ragraphs.algorithms.entities.spans import SpellingIndex
from ragraphs.algorithms.spliced import Spliced
from ragraphs.index import sentences
from ragraphs.index.layers import HOPS
from ragraphs.index.report_material import Material
from ragraphs.stores.communities import CommunityStore
from ragraphs.stores.entities import EntityStore
from same_index import assert_same

from lab.living.history import History

LAYERS = ["sentences", "hops", "entities"]
PEOPLE = ["Ada Quill", "Ben Rook", "Dr. Cora Vane", "Quill", "A. Quill", "이순신", "김하늘"]
PLACES = ["Arlen Tower", "the Brass Gate", "Corin", "NATO", "서울", "한강"]
FORMS = [
    "{p} designed {l} in 1901.", "{l} was opened by {p}, who was born in {m}.",
    "{p} met {q} at {l}.", "{q}, known as the Kite, wrote to {p}.", "{p}은 {l}에서 {q}을 만났다.",
    "It was built of stone.", "Who knows why {p} left {m}?",
]  # fmt: skip


def a_document(chance, number):
    def named(form):
        return form.format(
            p=chance.choice(PEOPLE), q=chance.choice(PEOPLE),
            l=chance.choice(PLACES), m=chance.choice(PLACES),
        )  # fmt: skip

    text = " ".join(named(chance.choice(FORMS)) for _ in range(chance.randrange(1, 6)))
    return {"id": f"d{number}", "title": chance.choice([*PLACES, f"Note {number}"]), "text": text}


def changed(chance, documents):
    """The input of a run: documents that come or change, and others that go."""
    gone = [id for id in documents if chance.random() < 0.1]
    for id in gone:
        del documents[id]
    new = [a_document(chance, chance.randrange(16)) for _ in range(chance.randrange(3))]
    if documents and chance.random() < 0.3:  # the same text once more, or under another title
        twin = {**chance.choice(list(documents.values())), chance.choice(["id", "title"]): "d20"}
        new.append(twin)
    documents.update({one["id"]: one for one in new})
    gone = [id for id in gone if id not in documents]
    return {"documents": list({one["id"]: one for one in new}.values()), "remove": gone}


def build_like(other, documents, history):
    """A fresh build, whose communities start from the ``history`` of another index."""
    context = {"model": "offline", "layers": LAYERS}
    other.run(documents=list(documents.values()), context=context)
    history.begin(other.index)
    other.run(context={"layers": ["communities"]})


@pytest.fixture
def files(request, monkeypatch):
    """Arrays ``share`` the files of before as in a large index, however small they are."""
    if request.param == "share":
        monkeypatch.setattr("ragraphs.stores.arrays._MAPPED_BYTES", 1)
        monkeypatch.setattr("ragraphs.stores.arrays.MOST_CHANGED", 1.0)
        monkeypatch.setattr("ragraphs.stores.moved_rows.MOST_CHANGED", 1.0)
    return request.param


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "seed"),
    [
        ("whole", 0),
        ("share", 1),
        ("share", 2),
        pytest.param("whole", 1, marks=pytest.mark.thorough),
        pytest.param("whole", 2, marks=pytest.mark.thorough),
        pytest.param("share", 0, marks=pytest.mark.thorough),
    ],
    indirect=["files"],
)
def test_after_any_changes_rows_and_arrays_are_those_of_a_fresh_build(
    indexing, files, seed, tmp_path
):
    chance = random.Random(seed)
    documents = {one["id"]: one for one in (a_document(chance, n) for n in range(12))}
    layers, history = [*LAYERS, "communities"], None
    given = {"documents": list(documents.values())}
    for step in range(8):
        indexing.run(**given, context={"model": "offline", "layers": layers})
        if step in (4, 7):
            fresh = type(indexing)(tmp_path, f"fresh{step}")
            build_like(fresh, documents, history)
            assert_same(indexing.index, fresh.index)
        history = History(indexing.index)
        given = changed(chance, documents)
    kept = indexing.index.arrays.load(HOPS.arrays(indexing.index))
    assert any(isinstance(one, Spliced) for one in kept.values()) == (files == "share")


STORIES = {
    "tower": "Ada Quill designed Arlen Tower. Ben Rook met Ada Quill at Arlen Tower. "
    "Cora Vane wrote to Ben Rook and Ada Quill.",
    "gate": "Dan Moor opened the Brass Gate. Eva Stone met Dan Moor at the Brass Gate. "
    "Finn Hale wrote to Eva Stone and Dan Moor.",
    "life": "Ada Quill was a painter from Corin. Ada Quill is known for her bridges.",
}


@pytest.mark.slow
def test_only_what_changed_is_read_compared_and_written_again(indexing, monkeypatch):
    def run(texts):
        documents = [{"id": id, "title": id, "text": text} for id, text in texts.items()]
        layers = [*LAYERS, "communities"]
        indexing.run(documents=documents, context={"model": "offline", "layers": layers})

    run(STORIES)
    before = {one.id: one for one in indexing.index.communities.all() if one.report}
    read, reported = [], set()
    record, put = sentences.passage_record, CommunityStore.put_reports
    monkeypatch.setattr(
        sentences, "passage_record", lambda *given: read.append(given) or record(*given)
    )
    monkeypatch.setattr(
        CommunityStore,
        "put_reports",
        lambda self, reports, *given: reported.update(reports) or put(self, reports, *given),
    )
    gathered, gather = set(), Material.own_rows
    monkeypatch.setattr(Material, "own_rows", lambda self, id: gathered.add(id) or gather(self, id))
    looked, described, find, describe = [], set(), SpellingIndex.find, EntityStore.describe
    monkeypatch.setattr(
        SpellingIndex, "find", lambda self, text: looked.append(text) or find(self, text)
    )
    monkeypatch.setattr(
        EntityStore, "describe", lambda self, new: described.update(new) or describe(self, new)
    )
    several = indexing.index.entities.undescribed(described_too=True)
    added = "Gus Field met Finn Hale at the Brass Gate, and Eva Stone wrote to Gus Field."
    run({"more": added})
    assert read == [("more", added)] and looked == [added]
    again = indexing.index.entities.undescribed(described_too=True)
    assert several and described == {id for id, told in again.items() if several.get(id) != told}
    after = {one.id: one for one in indexing.index.communities.all() if one.report}
    told = {id for id, one in after.items() if "Ada Quill" in one.report["title"]}
    assert told and reported and told.isdisjoint(reported) and told.isdisjoint(gathered)
    assert all(after[id] == before[id] for id in told)


def test_a_repair_takes_nothing_over(indexing, monkeypatch):
    context = {"model": "offline", "layers": LAYERS}
    documents = [{"id": id, "text": text} for id, text in STORIES.items()]
    indexing.run(documents=documents, context=context)
    read, looked = [], []
    record, find = sentences.passage_record, SpellingIndex.find
    monkeypatch.setattr(
        sentences, "passage_record", lambda *given: read.append(given) or record(*given)
    )
    monkeypatch.setattr(
        SpellingIndex, "find", lambda self, text: looked.append(text) or find(self, text)
    )
    indexing.run(context={**context, "repair": True})
    assert len(read) == len(STORIES) and sorted(looked) == sorted(STORIES.values())
