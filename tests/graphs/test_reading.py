"""How passages are handed to the model that reads them."""

from __future__ import annotations

import asyncio
import re

import pytest
from communities_support import MODEL, Script, Together, texts_of
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.language.analyser import count_tokens
from ragraphs.models.meter import start_meter
from ragraphs.nodes.index.passage_reader import PassageReader
from ragraphs.prompts.extraction_replies import Facts, MoreToFind, PassageReading
from ragraphs.prompts.replies import PassageQuestions

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


class Tireless:
    """A model that names things as long as it is asked, and remembers the prompts it was sent."""

    name = "tireless"

    def __init__(self, named):
        self._named = named
        self.sent = []

    async def run(self, prompt, **inputs):
        empty = {key: _emptied(value) for key, value in inputs.items()}
        own, whole = prompt.render(empty), prompt.render(inputs)
        self.sent.append((prompt.name, sum(map(count_tokens, whole)) - sum(map(count_tokens, own))))
        facts = {"entities": [{"name": f"{n} {self._named}"} for n in range(100)]}
        questions = {"incoming": ["Why?"], "outgoing": ["Who?"]}
        values = {Facts: facts, PassageReading: facts | questions, PassageQuestions: questions}
        return prompt.reply.model_validate({**values, MoreToFind: {"missed": True}}[prompt.reply])


def _emptied(value):
    if isinstance(value, str):
        return value
    return [{**one, "title": one["title"] * (one["id"] == "found"), "text": ""} for one in value]


def read_once(title, text, named, joint=True, gleanings=2):
    model = Tireless(named)
    extraction = {
        "entity_types": ["person"],
        "examples": "",
        "claims": False,
        "gleanings": gleanings,
        "joint": joint,
    }
    reading = PassageReader(model, extraction).read(title, text, ["questions", "facts"])
    return model, asyncio.run(reading)


@settings(max_examples=20)
@given(
    st.text(max_size=300) | st.just("A title " * 500),
    st.text(min_size=1, max_size=300) | st.sampled_from(["세종대왕은 " * 80, "Ann met Bob. " * 50]),
    st.text(min_size=1, max_size=300),
    st.booleans(),
)
def test_reading_a_passage_sends_at_most_four_times_its_tokens(title, text, named, joint):
    model, _ = read_once(title, text, named or "x", joint)
    rounding = 3
    for part in (lambda name: "glean" not in name, lambda name: "glean" in name):
        sent = [tokens for name, tokens in model.sent if part(name)]
        rounds = 2 if part("glean") else 1
        assert sum(sent) <= rounds * 4 * max(50, count_tokens(text)) + rounding * len(sent)


def test_an_honest_title_is_shown_whole():
    title = "The history of Penguin Books"
    model, _ = read_once(title, "It was founded in 1935.", "x", gleanings=0)
    assert model.sent[0][1] >= count_tokens(title)


def test_a_passage_names_no_more_things_than_it_has_words(isolated):
    async def reading():
        meter = start_meter(None)
        extraction = {
            "entity_types": ["person"],
            "examples": "",
            "claims": False,
            "gleanings": 0,
            "joint": True,
        }
        reader = PassageReader(Tireless("x"), extraction)
        read = await reader.read("T", "word " * 60, ["questions", "facts"])
        return meter, read["facts"]

    meter, facts = asyncio.run(reading())
    assert 60 <= len(facts["entities"]) <= 75
    assert [w for w in meter.warnings if re.search("more in a passage than it has words", w)]
