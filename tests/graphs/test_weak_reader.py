"""A model that is fluent, sure of itself and seldom right is not believed."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from http_stub import Response
from ragraphs.graphs import graph_of
from weak_reader import WeakReader

TEXTS = {
    "Forth Bridge": (
        "The Forth Bridge crosses the Firth of Forth in Scotland. It was designed by John Fowler "
        "and Benjamin Baker. It was opened on 4 March 1890 by the Prince of Wales. About 4,600 men "
        "worked on it."
    ),
    "Eiffel Tower": (
        "The Eiffel Tower stands on the Champ de Mars in Paris. Stephen Sauvestre was its "
        "architect. It was opened in March 1889 and was repainted in 1968."
    ),
    "Crystal Palace": (
        "The Crystal Palace was built in Hyde Park in London in 1851. It was designed by Joseph "
        "Paxton. It burnt down in 1936."
    ),
    "Joseph Paxton": (
        "Joseph Paxton was a gardener and an architect. He was born in Milton Bryan in 1803 and "
        "worked at Chatsworth for William Cavendish."
    ),
    "Metropolis": (
        "Metropolis is a German film of 1927. It was directed by Fritz Lang. Brigitte Helm played "
        "Maria, and Gottfried Huppertz wrote the music."
    ),
    "Panama Canal": (
        "The Panama Canal is 82 kilometres long. It was opened in 1914. Ferdinand de Lesseps had "
        "begun an earlier canal in 1881."
    ),
    "Marie Curie": (
        "Marie Curie was born in Warsaw in 1867. She received the Nobel Prize in Physics in 1903 "
        "and the Nobel Prize in Chemistry in 1911."
    ),
    "Cosmos": (
        "Cosmos is a series of thirteen parts by Carl Sagan, Ann Druyan and Steven Soter. Vangelis "
        "composed its title music."
    ),
    "세종": (
        "세종은 1397년 한양에서 태어났다. 1418년에 왕위에 올랐다. 1441년에는 측우기가 만들어졌다. "
        "장영실은 자격루를 만들었다."
    ),
}


class Case(NamedTuple):
    """A question; what a right answer has in it, nothing where the texts do not answer it."""

    question: str
    right: str = ""


CASES = [
    Case("Who designed the Forth Bridge?", "Baker"),
    Case("When was the Eiffel Tower opened?", "1889"),
    Case("Which prize did Marie Curie receive in 1911?", "Chemistry"),
    Case("How long is the Panama Canal?", "82"),
    Case("Who directed the film Metropolis?", "Fritz Lang"),
    Case("Where was the designer of the Crystal Palace born?", "Milton Bryan"),
    Case("Which was opened first, the Forth Bridge or the Eiffel Tower?", "Eiffel"),
    Case("측우기는 언제 만들어졌나요?", "1441"),
    Case("Who designed the Tay Bridge?"),
    Case("Which network broadcast the series Cosmos?"),
    Case("How many children did Fritz Lang have?"),
    Case("경복궁은 언제 지어졌나요?"),
]
SEEDS = range(3)


@pytest.fixture
def small_index(indexing) -> str:
    indexing.run(documents=[{"id": id, "title": id, "text": text} for id, text in TEXTS.items()])
    return indexing.name


async def asked(question: str, index: str, method: str, seed: int) -> Any:
    graph, context_type = graph_of(method)
    context = context_type(index=index, model=f"openai:weak{seed}")
    return await graph.ainvoke({"question": question}, context=context)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["basic", "crag", "router"])
async def test_little_of_what_a_weak_reader_makes_up_is_believed(openai, small_index, method):
    wrong = believed = refused = 0
    for seed in SEEDS:
        openai.answer = WeakReader(seed)
        for case in CASES:
            result = await asked(case.question, small_index, method, seed)
            if case.right and case.right.casefold() in result["answer"].casefold():
                continue
            wrong += 1
            believed += result["sufficient"]
            refused += not (case.right or result["sufficient"])
    unanswerable = len(SEEDS) * sum(not case.right for case in CASES)
    assert wrong > 15, "the reader is weak"
    assert believed <= wrong // 6
    assert refused >= unanswerable * 0.8


@pytest.mark.slow
@pytest.mark.parametrize("method", ["basic", "crag", "deeprag", "router"])
async def test_one_that_is_not_trusted_answers_and_marks_as_rules_do(openai, small_index, method):
    row = {"id": "tiny.gguf", "meta": {"n_params": 134_515_008}}
    openai.documents["/v1/models"] = Response({"data": [row]})
    graph, context_type = graph_of("basic")
    context, right = context_type(index=small_index, model="offline"), 0
    for seed, case in enumerate(CASES):
        openai.answer = WeakReader(seed % len(SEEDS))
        result = await asked(case.question, small_index, method, seed % len(SEEDS))
        without = await graph.ainvoke({"question": case.question}, context=context)
        assert result["sufficient"] is without["sufficient"], case.question
        assert result["citations"] == without["citations"], case.question
        assert not result["sufficient"] or result["answer"] == without["answer"]
        right += result["sufficient"] and case.right in result["answer"]
    assert right >= 3
