"""Names that are one thing, and one description of each: what is asked, parted, asked again."""

from __future__ import annotations

import re

import pytest
from entities_support import (
    ALL,
    FACTS,
    MODEL,
    asked,
    build,
    documents,
    layer_of,
    prompt_of,
    reply,
    title_in,
    vector_texts,
)
from ragraphs.index.corrections import correct
from stub_openai import failure


@pytest.fixture
def model(openai):
    openai.answer = reply
    return openai


def test_only_entities_with_several_descriptions_are_summarised(indexing, model):
    build(indexing, model=MODEL)
    summarised = {title_in(body) for body in asked(model, "summarise_description")}
    assert summarised == {"Benjamin Baker", "Frome"}


@pytest.mark.slow
def test_short_descriptions_are_joined_without_a_request(indexing, model):
    said = {
        "Bridge": "Benjamin Baker designed the Forth Bridge.",
        "Engineer": "Benjamin Baker was born in Frome. Benjamin Baker was born in 1840.",
    }

    def answer(body):
        if prompt_of(body) == "resolve_entities":
            return {"same": []}
        person = {"name": "Benjamin Baker", "type": "person", "description": said[title_in(body)]}
        return {"entities": [person], "relations": [], "claims": []}

    model.answer = answer
    build(indexing, ALL[:2], model=MODEL)
    assert asked(model, "summarise_description") == []
    (baker,) = indexing.index.entities.all_entities()
    assert baker.description == " ".join(said.values())


HOMONYMS = documents(
    novel="The novel Wild Nights of 1881 tells of Ann Holm.",
    film="The film Wild Nights of 1998 was shot in Frome.",
    album="The album Wild Nights of 1977 was sung by Bo Lund.",
)


def two_nights(body):
    """A model that reads of three things of one name, whose summary meets the film."""
    title = title_in(body)
    if prompt_of(body) == "summarise_description":
        shown = re.findall(r'<text id="(\d)".*?>\n(.*?)\n', body["messages"][1]["content"])
        other = [id for id, text in shown if "1998" in text]
        return {"description": f"All of {len(shown)}.", "other": other}
    if prompt_of(body) == "resolve_entities":
        return {"same": []}
    text = f"{next(d['text'] for d in HOMONYMS if d['title'] == title)} It is told at length"
    told = f"{text} {' '.join(f'{title}{number}' for number in range(60))}."
    names = [("Wild Nights", "work"), (f"{title} maker", "person")]
    return {
        "entities": [{"name": n, "type": type, "description": told} for n, type in names],
        "relations": [{"source": names[0][0], "relation": "is by", "target": names[1][0]}],
        "claims": [],
    }


def nights(indexing):
    store = indexing.index.entities
    ids = store.named(["wild nights"])["wild nights"]
    passages = store.passages_of(ids)
    titles = {one["id"]: one["title"] for one in indexing.index.catalogue.all_passages()}
    return {frozenset(titles[passage] for passage in passages[id]): id for id in ids}


@pytest.mark.slow
def test_a_summary_that_meets_two_things_parts_them(indexing, other, openai):
    openai.answer = two_nights
    build(indexing, HOMONYMS[:2], model=MODEL)
    assert set(nights(indexing)) == {frozenset({"Novel"}), frozenset({"Film"})}
    build(indexing, HOMONYMS[2:])
    assert set(nights(indexing)) == {frozenset({"Novel", "Album"}), frozenset({"Film"})}
    film = nights(indexing)[frozenset({"Film"})]
    (relation,) = indexing.index.entities.relations_of([film])
    assert indexing.index.entities.get([relation.target])[relation.target].name == "Film maker"
    before = len(openai.chats)
    assert indexing.run()["warnings"] == [] and len(openai.chats) == before
    build(other, HOMONYMS, model=MODEL)
    assert layer_of(indexing) == layer_of(other)


@pytest.mark.slow
def test_what_a_summary_parted_is_put_together_again_by_a_correction(indexing, openai):
    openai.answer = two_nights
    build(indexing, HOMONYMS, model=MODEL)
    assert len(nights(indexing)) == 2
    correct(indexing.context(), "merge", *nights(indexing).values())
    assert set(nights(indexing)) == {frozenset({"Novel", "Film", "Album"})}
    before = len(openai.chats)
    assert indexing.run()["warnings"] == [] and len(openai.chats) == before


@pytest.mark.slow
def test_a_document_more_asks_again_about_the_names_that_it_touches_only(indexing, model):
    towns = [f"{letter}ville" for letter in "ABCDEFGHIJKLMNOPQRSTUVWX"]
    texts = {f"t{n}": f"{one} is old. Old {one} is older." for n, one in enumerate(towns)}
    texts |= {f"x{n}": f"Also of {one}." for n, one in enumerate(towns)}

    def answer(body):
        if prompt_of(body) == "resolve_entities":
            return {"same": []}
        place = next(one for one in towns if one in body["messages"][1]["content"])
        names = [place, f"Old {place}"] + [f"{place} number {n}" for n in range(20)]
        found = [{"name": name, "type": "place"} for name in names]
        return {"entities": found, "relations": [], "claims": []}

    model.answer = answer
    build(indexing, documents(**texts), model=MODEL)
    before = len(asked(model, "resolve_entities"))
    assert before >= 3
    build(indexing, documents(more=f"More on {towns[3]}."))
    assert 1 <= len(asked(model, "resolve_entities")) - before <= 2
    assert len(asked(model, "extract_facts")) == len(texts) + 1
    indexing.run(remove=["more"])
    build(indexing, documents(other=f"More on {towns[9]}."))
    assert len(asked(model, "resolve_entities")) - before <= 6


@pytest.mark.slow
def test_an_update_pays_only_for_descriptions_that_changed(indexing, model):
    build(indexing, model=MODEL)
    before = len(asked(model, "summarise_description"))
    FACTS["Annex"] = [("Frome", "lies near", "Bath")]
    try:
        build(indexing, documents(annex="Frome lies near Bath."))
    finally:
        del FACTS["Annex"]
    later = asked(model, "summarise_description")[before:]
    assert [title_in(body) for body in later] == ["Frome"]


@pytest.mark.slow
def test_descriptions_that_could_not_be_summarised_are_told_and_asked_for_again(indexing, model):
    model.answer = lambda body: (
        failure(400, "no") if prompt_of(body) == "summarise_description" else reply(body)
    )
    result = build(indexing, model=MODEL)
    assert any("no summary of the descriptions of 2" in warning for warning in result["warnings"])
    assert len(indexing.index.entities.undescribed()) == 2
    assert any(
        "Benjamin Baker: Benjamin Baker in Bridge" in text for text in vector_texts(indexing)
    )
    model.answer = reply
    assert indexing.run()["warnings"] == []
    assert indexing.index.entities.undescribed() == {}
    assert "Benjamin Baker: All of Benjamin Baker." in vector_texts(indexing)
    assert len(vector_texts(indexing)) == indexing.index.entities.counts()["entities"]
