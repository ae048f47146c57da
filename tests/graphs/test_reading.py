"""How passages are handed to the model that reads them."""

from __future__ import annotations

import pytest
from communities_support import MODEL, Script, Together, texts_of

SHORT = {"id": "short", "title": "A Note", "text": "Ann Lee knows Bob Ray."}
LONG = {
    "id": "long",
    "title": "A Chronicle",
    "text": "\n\n".join(
        f"In the year {year} nothing happened in all the land." for year in range(200)
    ),
}


@pytest.fixture
def model(openai):
    return Script(openai)


@pytest.mark.parametrize("layers", [["hops"], ["entities"], ["hops", "entities"]])
def test_passages_are_read_as_many_at_once_as_workers(indexing, model, layers):
    together = Together(16, model.passagereading)
    model.answers |= dict.fromkeys(("Facts", "PassageQuestions", "PassageReading"), together)
    documents = [{"id": str(n), "title": f"T{n}", "text": f"Text {n}."} for n in range(30)]
    context = {"layers": layers, "model": MODEL, "concurrency": 16}
    indexing.run(documents=documents, context=context)
    assert model.openai.most_in_flight == 16
    assert len(model.asked) == 30


def test_a_passage_of_a_long_document_is_shown_as_an_excerpt_of_it(indexing, model):
    context = {"layers": ["entities"], "model": MODEL, "chunk_tokens": 100}
    indexing.run(documents=[SHORT, LONG], context=context)
    titles = [title for human in model.of("Facts") for _, title, _ in texts_of(human)]
    passages = indexing.index.catalogue.count_passages()
    assert passages > 6
    assert titles.count("A Note") == 1
    assert titles.count("A Chronicle (excerpt)") == passages - 1
    stored = {passage["title"] for passage in indexing.index.catalogue.all_passages()}
    assert stored == {"A Note", "A Chronicle"}


def test_a_document_of_few_passages_is_no_excerpt(indexing, model):
    few = {**LONG, "text": LONG["text"][:1200]}
    context = {"layers": ["entities"], "model": MODEL, "chunk_tokens": 100}
    indexing.run(documents=[few], context=context)
    titles = {title for human in model.of("Facts") for _, title, _ in texts_of(human)}
    assert 1 < indexing.index.catalogue.count_passages() <= 5
    assert titles == {"A Chronicle"}
