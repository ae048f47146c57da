"""How passages are handed to the model that reads them."""

from __future__ import annotations

import asyncio
import re
from itertools import pairwise

import pytest
from communities_support import MODEL, Script, Together, texts_of
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.language.analyser import count_tokens
from ragraphs.models.meter import start_meter
from ragraphs.nodes.index.passage_reader import PassageReader
from ragraphs.nodes.index.surroundings import ShownPassage
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


@pytest.mark.slow
@pytest.mark.parametrize("layers", [["hops"], ["entities"], ["hops", "entities"]])
def test_passages_are_read_as_many_at_once_as_workers(indexing, model, layers):
    together = Together(16, model.passagereading)
    model.answers |= dict.fromkeys(("Facts", "PassageQuestions", "PassageReading"), together)
    documents = [{"id": str(n), "title": f"T{n}", "text": f"Text {n}."} for n in range(30)]
    context = {"layers": layers, "model": MODEL, "concurrency": 16}
    indexing.run(documents=documents, context=context)
    assert model.openai.most_in_flight == 16
    assert len(model.asked) == 30


@pytest.mark.slow
def test_a_passage_of_a_long_document_is_shown_as_an_excerpt_of_it(indexing, model):
    context = {"layers": ["entities"], "model": MODEL, "chunk_tokens": 100}
    indexing.run(documents=[SHORT, LONG], context=context)
    titles = [texts_of(human)[0][1] for human in model.of("Facts")]
    passages = indexing.index.catalogue.count_passages()
    assert passages > 6
    assert titles.count("A Note") == 1
    assert titles.count("A Chronicle (excerpt)") == passages - 1
    stored = {passage["title"] for passage in indexing.index.catalogue.all_passages()}
    assert stored == {"A Note", "A Chronicle"}


@pytest.mark.slow
def test_a_document_of_few_passages_is_no_excerpt(indexing, model):
    few = {**LONG, "text": LONG["text"][:1200]}
    context = {"layers": ["entities"], "model": MODEL, "chunk_tokens": 100}
    indexing.run(documents=[few], context=context)
    titles = {texts_of(human)[0][1] for human in model.of("Facts")}
    assert 1 < indexing.index.catalogue.count_passages() <= 5
    assert titles == {"A Chronicle"}


STORY = [
    "\n".join(
        f"Ann Lee met Bob Ray on day {day} of part {part}, and nothing else was told of it."
        for day in range(6)
    )
    for part in range(8)
]


def read_story(indexing, parts, **context):
    story = {"id": "story", "title": "A Story", "text": "\n\n".join(parts)}
    wanted = {"layers": ["hops", "entities"], "model": MODEL, "chunk_tokens": 120, **context}
    return indexing.run(documents=[story], context=wanted)


@pytest.mark.slow
def test_a_passage_is_read_after_the_lines_before_it(indexing, model):
    read_story(indexing, STORY)
    passages = indexing.index.catalogue.passages_of(["story"])["story"]
    shown = {texts[0][2]: texts[1:] for texts in map(texts_of, model.of("PassageReading"))}
    assert [id for id, *_ in shown[passages[0]["text"]]] == []
    for last, passage in pairwise(passages):
        [(id, _, lines)] = shown[passage["text"]]
        assert id == "before" and last["text"].endswith(lines) and 40 < len(lines) <= 240


@pytest.mark.slow
def test_names_are_told_in_full_where_the_document_has_them(indexing, model):
    read_story(indexing, [*STORY[:4], *(part.replace("Bob Ray", "Ray") for part in STORY[4:])])
    told = [texts for texts in map(texts_of, model.of("PassageReading")) if texts[-1][0] == "names"]
    assert told and {texts[-1][2] for texts in told} == {"Bob Ray"}
    assert not any("Bob Ray" in texts[0][2] for texts in told)


@pytest.mark.slow
def test_an_edited_passage_costs_its_own_reading_and_at_most_that_of_the_next(indexing, model):
    read_story(indexing, STORY)
    first = len(model.of("PassageReading"))
    assert first == indexing.index.catalogue.count_passages() > 6
    at_its_beginning = STORY[3].replace("day 0", "day zero")
    at_its_end = STORY[3].replace("day 5", "day five")
    for edited, expected in ((at_its_beginning, 1), (at_its_end, 2), (STORY[3], 0)):
        before = len(model.of("PassageReading"))
        parts = [*STORY[:3], edited, *STORY[4:]]
        plan = read_story(indexing, parts, dry_run=True)["plan"]
        read_story(indexing, parts)
        read = len(model.of("PassageReading")) - before
        about_names = int(read > 0)
        assert plan["missing_replies"] == read + about_names
        assert read <= expected or edited == STORY[3]


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


def read_once(shown, named, gleanings=2):
    model = Tireless(named)
    extraction = {
        "entity_types": ["person"],
        "examples": "",
        "claims": False,
        "gleanings": gleanings,
    }
    reading = PassageReader(model, extraction).read(shown, ["questions", "facts"])
    return model, asyncio.run(reading)


@pytest.mark.slow
@settings(max_examples=20)
@given(
    st.text(max_size=300) | st.just("A title " * 500),
    st.text(min_size=1, max_size=300) | st.sampled_from(["세종대왕은 " * 80, "Ann met Bob. " * 50]),
    st.text(min_size=1, max_size=300),
    st.text(max_size=300) | st.just("Lines before. " * 20),
)
def test_reading_a_passage_sends_at_most_four_times_its_tokens(title, text, named, before):
    model, _ = read_once(ShownPassage(title, text, before, [named] * 12), named or "x")
    rounding = 3
    for part in (lambda name: "glean" not in name, lambda name: "glean" in name):
        sent = [tokens for name, tokens in model.sent if part(name)]
        rounds = 2 if part("glean") else 1
        assert sum(sent) <= rounds * 4 * max(50, count_tokens(text)) + rounding * len(sent)


def test_an_honest_title_is_shown_whole():
    title = "The history of Penguin Books"
    model, _ = read_once(ShownPassage(title, "It was founded in 1935."), "x", gleanings=0)
    assert model.sent[0][1] >= count_tokens(title)


def test_a_passage_names_no_more_things_than_it_has_words(isolated):
    async def reading():
        meter = start_meter(None)
        extraction = {"entity_types": ["person"], "examples": "", "claims": False, "gleanings": 0}
        reader = PassageReader(Tireless("x"), extraction)
        read = await reader.read(ShownPassage("T", "word " * 60), ["questions", "facts"])
        return meter, read["facts"]

    meter, facts = asyncio.run(reading())
    assert 60 <= len(facts["entities"]) <= 75
    assert [w for w in meter.warnings if re.search("more in a passage than it has words", w)]
