"""The deeprag graph that starts from what another method found, and ends with its last reading."""

from __future__ import annotations

from functools import partial

import pytest
from deeprag_support import CHAIN, DOCUMENTS, MODEL, OLDER, Script, answered, ask, found_by_basic
from ragraphs.context import DeepragContext
from ragraphs.graphs.deeprag import graph
from ragraphs.index import retrieval
from ragraphs.state.found import NOTHING
from ragraphs.state.usage import total_calls

CHAINED = "When was the designer of the Atomium born?"
BORN, ELDER_BORN = CHAIN[1][0], CHAIN[3][0]
UNKNOWN = "Where did André Waterkeyn go to school?"


@pytest.fixture
def model(openai):
    script = Script(openai)
    script.steps = []
    return script


@pytest.fixture
def narrate(indexing, model, snapshots):
    snapshots.fill(indexing.name, lambda: indexing.run(documents=DOCUMENTS))
    return partial(ask, indexing)


@pytest.fixture
def hold(indexing, model, narrate):
    """Findings of basic for a question, with the questions that it misses."""

    def held(question, *missing, top_k=1):
        model.missing = list(missing)
        found = found_by_basic(indexing, question, top_k)
        assert found["missing"] == list(missing)
        assert found["citations"]
        model.missing = []
        for prompts in model.prompts.values():
            prompts.clear()
        return found

    return held


@pytest.fixture
def searched(monkeypatch):
    """The queries that the index is searched for."""
    queries, ranking = [], retrieval.ranking

    def recorded(index, question, *rest):
        queries.append(question)
        return ranking(index, question, *rest)

    monkeypatch.setattr(retrieval, "ranking", recorded)
    return queries


def titles(result):
    return {citation["title"] for citation in result["citations"]}


@pytest.mark.slow
def test_one_missing_fact_is_one_search_and_one_call_and_both_methods_are_cited(
    narrate, model, hold, searched
):
    held = hold(CHAINED, BORN)
    searched.clear()
    model.finals[BORN] = "1917"
    result = narrate(CHAINED, held, step_passages=1)
    assert (result["answer"], result["sufficient"], result["missing"]) == ("1917", True, [])
    assert titles(result) == {"Atomium", "André Waterkeyn"}
    assert [text["title"] for text in result["evidence"]][:2] == ["Atomium", "André Waterkeyn"]
    assert (model.calls, len(model.prompts["StepReading"]), searched) == (1, 1, [BORN])
    assert (total_calls(result["usage"]), result["usage"]["retrievals"]) == (1, 1)
    assert [(step["number"], step["question"]) for step in result["steps"]] == [
        (0, CHAINED),
        (1, BORN),
    ]


def test_the_reading_sees_the_quotes_that_are_held_with_the_titles_of_their_texts(
    narrate, model, hold
):
    held = hold(CHAINED, BORN)
    narrate(CHAINED, held)
    told = "The texts say: “Atomium: The Atomium was designed by André Waterkeyn"
    assert told in model.prompts["StepReading"][0]


@pytest.mark.slow
def test_every_missing_fact_is_looked_up_and_the_last_reading_compares(
    narrate, model, hold, searched
):
    held = hold(OLDER, BORN, ELDER_BORN, top_k=2)
    searched.clear()
    model.finals[ELDER_BORN] = "the Forth Bridge"
    result = narrate(OLDER, held)
    assert (result["answer"], result["sufficient"]) == ("the Forth Bridge", True)
    assert titles(result) == {"Atomium", "André Waterkeyn", "Forth Bridge", "John Fowler"}
    assert (model.calls, searched) == (2, [BORN, ELDER_BORN])


@pytest.mark.slow
def test_a_sub_question_that_the_reading_proposes_goes_first(narrate, model, hold):
    held = hold(OLDER, BORN, "Where was John Fowler born?", top_k=2)
    model.steps = [None, ELDER_BORN]
    model.finals[ELDER_BORN] = "the Forth Bridge"
    result = narrate(OLDER, held)
    assert [step["question"] for step in result["steps"]] == [OLDER, BORN, ELDER_BORN]
    assert model.calls == 2


def test_a_look_up_that_finds_nothing_is_the_last_and_the_earlier_answer_stands(
    narrate, model, hold
):
    held = hold(CHAINED, UNKNOWN, BORN)
    model.steps = [None, "Where did he live?"]
    result = narrate(CHAINED, held)
    assert model.calls == len(model.prompts["StepReading"]) == 1
    assert (result["answer"], result["sufficient"]) == (held["answer"], False)
    assert (result["missing"], result["citations"]) == (held["missing"], held["citations"])
    assert result["stop_reason"] == "insufficient"


@pytest.mark.slow
def test_a_likely_answer_of_the_reading_stands_where_there_was_none(narrate, model, hold):
    held = hold(CHAINED, UNKNOWN, BORN)
    model.finals[UNKNOWN] = "1917, perhaps"
    assert narrate(CHAINED, held)["answer"] == held["answer"] != ""
    result = narrate(CHAINED, {**held, "answer": ""}, temperature=0.1)
    assert (result["answer"], result["sufficient"]) == ("1917, perhaps", False)
    assert result["missing"] == held["missing"] and model.prompts["Synthesize"] == []


LETTER = "Dear Ann,\nThe Atomium stands in Brussels, by André Waterkeyn. He studied in [not told]."
WHOLE = "Dear Ann,\nThe Atomium stands in Brussels, by André Waterkeyn. He studied in Mons."
OTHER = "Dear Ann,\nThe Atomium stands in Brussels. Its inhabitants are many. He studied in Mons."


@pytest.mark.parametrize(("final", "kept"), [(WHOLE, WHOLE), (OTHER, LETTER)])
def test_a_letter_gives_way_to_one_that_tells_as_much_and_more(narrate, model, hold, final, kept):
    model.finals[UNKNOWN] = final
    result = narrate(CHAINED, {**hold(CHAINED, UNKNOWN), "answer": LETTER})
    assert (result["answer"], result["sufficient"]) == (kept, False)


def test_a_missing_fact_is_read_for_in_its_own_best_texts_though_these_were_read_before(
    narrate, model, hold
):
    held = hold(CHAINED, BORN, top_k=5)
    about_it = [quote for quote in held["citations"] if quote["title"] == "Atomium"]
    model.finals[BORN] = "1917"
    result = narrate(CHAINED, {**held, "citations": about_it}, step_passages=1)
    assert (result["answer"], model.calls) == ("1917", 1)
    assert titles(result) >= {"André Waterkeyn"}


@pytest.mark.slow
def test_each_missing_fact_is_read_for_in_texts_that_none_was_read_for(
    narrate, model, hold, monkeypatch
):
    monkeypatch.setattr("ragraphs.nodes.deeprag.narrative._MORE", 1)
    result = narrate(OLDER, hold(OLDER, BORN, ELDER_BORN), step_passages=1)
    first, second = (step["passages"] for step in result["steps"][1:3])
    assert len({*first, *second}) == len(first) + len(second) == 4


@pytest.mark.slow
def test_where_a_missing_fact_has_its_best_text_read_before_another_one_is_read_as_well(
    narrate, model, hold, monkeypatch
):
    monkeypatch.setattr("ragraphs.nodes.deeprag.narrative._MORE", 0)
    named = "When was André Waterkeyn, who designed the Atomium, born?"
    held = hold(named, BORN, top_k=2)
    read = {text["id"] for text in held["evidence"]}
    result = narrate(named, held, step_passages=1)
    best, other = result["steps"][1]["passages"]
    assert best in read and other not in read


@pytest.mark.slow
def test_without_a_question_that_is_missing_the_model_writes_the_first(narrate, model, hold):
    held = hold(CHAINED, "No cited sentence supports “1918”.")
    model.steps, model.finals[BORN] = [BORN], "1917"
    result = narrate(CHAINED, held)
    assert (result["answer"], model.calls) == ("1917", 2)
    assert len(model.prompts["NextStep"]) == 1


@pytest.mark.slow
def test_what_was_looked_up_before_is_a_step_and_is_not_looked_up_again(
    narrate, model, hold, searched
):
    held = hold(OLDER, BORN, ELDER_BORN, top_k=2)
    model.finals[BORN] = "1917"
    before = narrate(CHAINED, hold(CHAINED, BORN))["steps"][1]
    told = {key: before[key] for key in ("question", "answer", "citations")}
    searched.clear()
    model.finals = {ELDER_BORN: "the Forth Bridge"}
    result = narrate(OLDER, {**held, "answers": [told]})
    assert searched == [ELDER_BORN]
    assert [(step["number"], step["found"]) for step in result["steps"]] == [
        (0, False),
        (0, True),
        (1, True),
    ]
    assert "1917\n</text>" in model.prompts["StepReading"][-1]


def test_a_final_answer_that_its_citations_do_not_support_is_not_sufficient(narrate, model, hold):
    held = hold(CHAINED, BORN)
    model.finals[BORN] = "3 May 1901"
    result = narrate(CHAINED, held)
    assert (result["sufficient"], result["stop_reason"]) == (False, "insufficient")
    assert "3 May 1901" in result["missing"][0]
    assert (model.prompts["AnswerCheck"], model.prompts["Synthesize"]) == ([], [])


@pytest.mark.parametrize(("final", "asked"), [("the Forth Bridge", 0), ("the Atomium", 1)])
def test_a_final_answer_other_than_the_computed_one_is_decided_by_a_synthesis(
    narrate, model, final, asked
):
    model.steps, model.finals[ELDER_BORN] = [step for step, _, _ in CHAIN], final
    result = narrate(OLDER)
    assert (len(model.prompts["Synthesize"]), result["answer"]) == (asked, "the Forth Bridge")
    assert result["sufficient"]


def test_by_itself_the_narrative_looks_up_at_once_what_its_first_reading_misses(
    narrate, model, searched
):
    model.missing, model.finals[BORN] = [BORN], "1917"
    result = narrate(CHAINED, top_k=1)
    assert (result["answer"], model.calls, searched) == ("1917", 2, [CHAINED, BORN])
    assert titles(result) == {"Atomium", "André Waterkeyn"}


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["narrative", "tree"])
@pytest.mark.parametrize("handed_on", [True, False])
@pytest.mark.parametrize("step", [BORN, UNKNOWN])
def test_nothing_is_searched_for_twice(narrate, model, hold, searched, mode, handed_on, step):
    held = hold(CHAINED, step) if handed_on else NOTHING
    model.missing = [] if handed_on else [step]
    model.splits[CHAINED] = [step, "Who was it?"]
    narrate(CHAINED, held, mode=mode, top_k=1)
    assert len(searched) == len(set(searched)) > 1


@pytest.mark.slow
def test_a_final_answer_is_streamed_without_a_call_of_its_own(indexing, narrate, model, hold):
    held = hold(CHAINED, BORN)
    model.finals[BORN] = "1917"
    context = DeepragContext(index=indexing.name, model=MODEL, stream_answer=True)
    given = {"question": CHAINED}
    events = graph.stream(given, context=context.starting_from(held), stream_mode="custom")
    pieces = [event for event in events if event["step"] == "answer"]
    assert "".join(piece["text"] for piece in pieces) == "1917"
    assert len({piece["id"] for piece in pieces}) == 1


@pytest.mark.slow
def test_a_tree_takes_over_the_answers_that_are_held(narrate, model, hold, searched):
    model.finals[BORN] = "1917"
    first = hold(CHAINED, BORN)
    before = narrate(CHAINED, first)["steps"][1]
    told = {key: before[key] for key in ("question", "answer", "citations")}
    model.splits[OLDER] = [CHAIN[0][0], BORN, ELDER_BORN]
    searched.clear()
    result = narrate(OLDER, {**first, "answers": [told]}, mode="tree")
    assert BORN not in searched and len(model.prompts["Read"]) == 2
    assert [node["answer"] for node in result["tree"][1:]] == ["André Waterkeyn", "1917", "1817"]


def test_a_tree_that_is_not_split_leaves_the_earlier_answer(narrate, model, hold):
    held = hold(CHAINED, BORN)
    result = narrate(CHAINED, held, mode="tree")
    assert (model.calls, len(model.prompts["SubQuestions"])) == (1, 1)
    assert (result["answer"], result["missing"]) == (held["answer"], held["missing"])
    assert (result["sufficient"], result["citations"]) == (False, held["citations"])


def test_a_question_that_was_answered_is_tried_once(narrate, model, monkeypatch):
    """The offered answer follows from the texts, which rules cannot tell."""
    quotes = [{"id": "1", "quote": "The Atomium was designed by André Waterkeyn."}]
    told = [answered("an engineer", quotes), answered("", []), answered("an engineer", quotes)]
    monkeypatch.setattr(model, "read", lambda *_: told[len(model.prompts["Read"]) - 1])
    result = narrate("Who designed the Atomium?", top_k=2)
    assert (result["answer"], result["sufficient"]) == ("an engineer", True)
    shown = ["designed by André Waterkeyn" in text for text in model.prompts["Read"]]
    assert shown == [True, False, True]
