"""Lazy global search: answers about the whole from passages, where no model wrote reports."""

from __future__ import annotations

import asyncio

import pytest
from communities_support import MODEL, Script, texts_of
from ragraphs.context import GraphragContext, IndexContext
from ragraphs.graphs.graphrag import graph
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.communities import load_communities
from ragraphs.index.opening import open_index
from ragraphs.state.usage import total_calls

QUESTION = "How did the towns change their bridges?"
TOWNS = {
    "Harlow": ("Ada Bell", "Carl Dorn", "Mere"),
    "Selby": ("Eva Falk", "Guy Hahn", "Ouse"),
    "Tansley": ("Ida Jung", "Karl Lind", "Wye"),
}
WEATHER = " ".join(f"The weather was mild in month number {n}." for n in range(1, 16))
DOCUMENTS = [
    {
        "id": f"{town} {part}",
        "title": f"{town} {part}",
        "text": f"{first} and {second} lived in {town}. {first} married {second} in {town}. {told} "
        f"{second} worked for the {river} Company in {town}. {WEATHER}",
    }
    for town, (first, second, river) in TOWNS.items()
    for part, told in (
        ("then", f"{first} built the {river} Bridge of {town} from timber."),
        ("later", f"{second} replaced the {river} Bridge of {town} by one of iron."),
    )
]


@pytest.fixture
def ask(tmp_path, openai):
    name = str(tmp_path / "index")
    context = IndexContext(index=name, embeddings="lexical", layers=["communities"])
    index_graph.invoke({"documents": DOCUMENTS}, context=context)

    def ask_it(question=QUESTION, **chosen):
        fields = {"index": name, "model": MODEL, "search": "lazy", **chosen}
        return graph.invoke({"question": question}, context=GraphragContext(**fields))

    ask_it.model = Script(openai)
    ask_it.model.answers["Points"] = points
    ask_it.index = open_index(context)
    return ask_it


def points(human):
    """A model that tells of each text its first sentence on iron."""
    found = [(id, text) for id, _, text in texts_of(human) if "iron" in text]
    return {
        "points": [
            {
                "point": "Later " + next(one for one in text.split(". ") if "iron" in one) + ".",
                "score": 90,
                "evidence": [id],
            }
            for id, text in found
        ]
    }


@pytest.mark.slow
def test_whole_passages_are_read_under_their_titles_and_no_report(ask):
    result = ask(context_tokens=8000)
    shown = [one for human in ask.model.of("Points") for one in texts_of(human)]
    told = {one["title"]: one["text"] for one in DOCUMENTS}
    assert {title: text for _, title, text in shown} == told
    assert result["answer"] and result["search"] == "lazy"
    assert {one["quote"].split()[0] for one in result["citations"]} == {"Carl", "Guy", "Karl"}
    assert result["communities"]
    assert total_calls(result["usage"]) == 2


@pytest.mark.slow
def test_with_little_room_every_community_has_its_turn(ask):
    """A request reads two of six passages; the nearest two are of the same town."""
    ask("How did Harlow change its bridge?", context_tokens=500, max_calls=2)
    [[first, second]] = [[title for _, title, _ in texts_of(one)] for one in ask.model.of("Points")]
    assert "Harlow" in {first.split()[0], second.split()[0]}
    assert first.split()[0] != second.split()[0]


@pytest.mark.slow
def test_no_more_than_two_requests_read_passages(ask):
    result = ask(context_tokens=500)
    assert [len(texts_of(one)) for one in ask.model.of("Points")] == [2, 2]
    assert total_calls(result["usage"]) == 3


@pytest.mark.slow
def test_points_that_passages_state_are_kept_as_findings_for_global_search(ask):
    before = {f["statement"] for f in findings(ask)}
    ask()
    kept = {f["statement"]: f["passages"] for f in findings(ask) if f["statement"] not in before}
    assert {statement.split()[1] for statement in kept} == {"Carl", "Guy", "Karl"}
    assert all(kept.values())
    ask(search="global")
    read = " ".join(text for *_, text in texts_of(ask.model.of("Points")[-1]))
    assert all(statement in read for statement in kept)


@pytest.mark.slow
def test_nothing_that_was_kept_of_a_removed_document_remains(ask):
    ask()
    assert any("Carl Dorn replaced" in one["statement"] for one in findings(ask))
    index_graph.invoke({"remove": ["Harlow later"]}, context=IndexContext(index=ask.index.name))
    told = [one["statement"] for one in findings(ask)]
    assert told and not any("Carl Dorn replaced" in one for one in told)


def test_a_point_that_no_sentence_states_is_not_kept(ask):
    before = findings(ask)
    ask.model.answers["Points"] = lambda human: {
        "points": [{"point": "Zeppelins flew over Oslo.", "score": 90, "evidence": ["1"]}]
    }
    result = ask()
    assert not result["sufficient"] and findings(ask) == before


def test_while_another_process_writes_the_answer_is_given_all_the_same(ask):
    async def asked():
        async with ask.index.writing():
            return await asyncio.to_thread(ask)

    result = asyncio.run(asked())
    assert result["answer"]
    assert any("not kept" in warning for warning in result["warnings"])


def test_without_a_model_passages_are_read_by_rules(ask):
    result = ask(model="offline")
    assert ask.model.openai.chats == []
    assert result["citations"] or result["evidence"]


def findings(ask):
    view = load_communities(ask.index)
    return [
        finding for _, report in view.reports(view.communities) for finding in report["findings"]
    ]
