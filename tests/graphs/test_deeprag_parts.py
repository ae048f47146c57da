"""DeepRAG with a reader that answers single facts only, and with questions of nine parts."""

from __future__ import annotations

import json
import re
from itertools import product

import pytest
from deeprag_support import ask
from pointed import as_written

TEXT = re.compile(r'<text id="([^"]*)" title="([^"]*)">\n(.*?)\n</text>', re.DOTALL)
YEARS = {"Ada Holm": "1931", "Bram Lind": "1944"}
OLDER = "Who is older, Ada Holm or Bram Lind?"
THINGS, AXES = ("Kora", "Pellis", "Nadir"), ("performance", "cost", "scalability")
KOREAN_THINGS, KOREAN_AXES = ("가온", "나래", "다솜"), ("성능", "비용", "확장성")
NINE = f"Compare {THINGS[0]}, {THINGS[1]} and {THINGS[2]} by performance, cost and scalability."
NINE_KOREAN = "가온, 나래, 다솜 세 기술의 성능, 비용, 확장성을 비교하라. 누락 없이 정리하라."


def documents(texts):
    return [{"id": title, "title": title, "text": text} for title, text in texts.items()]


def people(count):
    """Two people among others who are told of in the same words."""
    texts = {name: f"{name} was born in {year}. {name} paints." for name, year in YEARS.items()}
    others = (f"Cai Moor{number}" for number in range(count - len(texts)))
    return documents(texts | {name: f"{name} was born in Oslo. {name} paints." for name in others})


class SingleFacts:
    """A reader that finds the answer to a question for one fact, and of two facts only one.

    ``facts`` has the sentence for each sub-question; ``named`` are those that it says are missing.
    """

    def __init__(self, openai, facts, named=(), splits=()):
        openai.answer = self
        self.facts, self.named, self.splits = facts, list(named), list(splits)
        self.asked = []

    def __call__(self, body):
        kind = body["response_format"]["json_schema"]["name"]
        human = body["messages"][1]["content"]
        label = "Current sub-question" if kind == "StepReading" else "Question"
        question = re.findall(rf"^{label}: (.+)$", human, re.MULTILINE)[-1]
        question = re.sub(r"</?text>| \(The search .*", "", question)
        self.asked.append((kind, question))
        return json.dumps(getattr(self, kind.lower())(question, TEXT.findall(human)))

    def answer(self, question, texts):
        steps = [text for id, _, text in texts if id.startswith("Q") or id == "computed"]
        if steps:
            missing = [step for step in steps if step.startswith(("(not found)", "(open)"))]
            quotes = [self.quote(sentence, texts) for sentence in self.facts.values()]
            told = steps[-1] if "computed" in [id for id, *_ in texts] else "; ".join(steps)
            found = {"quotes": [one for one in quotes if one], "sufficient": not missing}
            return {**found, "answer": told, "missing": []}
        return self.read(question, texts)

    def read(self, question, texts):
        sentence = self.facts.get(question)
        if sentence is None:  # of more than one fact it sees the first only
            quotes = [found for one in self.facts.values() if (found := self.quote(one, texts))]
            told = {"quotes": quotes[:1], "sufficient": False, "answer": ""}
            return {**told, "missing": self.named}
        quote = self.quote(sentence, texts)
        if quote is None:
            return {"quotes": [], "sufficient": False, "answer": "", "missing": []}
        value = sentence.rstrip(".").split()[-1]
        return {"quotes": [quote], "sufficient": True, "answer": value, "missing": []}

    def quote(self, sentence, texts):
        numbered = [(id, as_written(text)) for id, _, text in texts if id.isdigit()]
        return next(({"id": i, "quote": sentence} for i, t in numbered if sentence in t), None)

    def stepreading(self, question, texts):
        return {**self.read(question, texts), "final": "", "decided": False, "next": ""}

    def nextstep(self, question, texts):
        return {"finish": True, "question": "", "source": "retrieve", "reason": ""}

    def subquestions(self, question, texts):
        parts = [] if question in self.facts else self.splits
        return {"questions": [{"question": part, "atomic": True} for part in parts]}

    def answercheck(self, question, texts):
        return {"unsupported": [], "sufficient": True}


def years_of(*named):
    return {f"When was {name} born?": f"{name} was born in {YEARS[name]}." for name in named}


@pytest.mark.slow
@pytest.mark.parametrize("passages", [3, 30, 200])
@pytest.mark.parametrize("missed", [["Bram Lind"], ["Ada Holm", "Bram Lind"]])
def test_a_reader_of_single_facts_is_right_by_the_default(indexing, openai, passages, missed):
    indexing.run(documents=people(passages))
    SingleFacts(openai, years_of(*YEARS), years_of(*missed))
    result = ask(indexing, OLDER)
    assert (result["answer"], result["sufficient"]) == ("Ada Holm", True)
    assert {citation["title"] for citation in result["citations"]} == set(YEARS)


def grid(things, axes, sentence, question):
    """Nine facts by their questions, one document each, and documents beside the point."""
    told = {
        (t, a): sentence.format(t, a, 100 + n) for n, (t, a) in enumerate(product(things, axes))
    }
    texts = {f"{thing} {axis}": text for (thing, axis), text in told.items()}
    beside = {f"Report {number}": f"Report {number} is about weather." for number in range(40)}
    return {question(*key): text for key, text in told.items()}, documents(texts | beside)


ENGLISH = grid(
    THINGS, AXES, "The {1} of {0} is {2}.", lambda thing, axis: f"What is the {axis} of {thing}?"
)
KOREAN = grid(
    KOREAN_THINGS,
    KOREAN_AXES,
    "{0}의 {1} 지수는 {2}.",
    lambda thing, axis: f"{thing}의 {axis}은 무엇입니까?",
)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["narrative", "tree"])
@pytest.mark.parametrize(("asked", "corpus"), [(NINE, ENGLISH), (NINE_KOREAN, KOREAN)])
def test_a_question_of_nine_parts_is_answered_with_nine_facts(
    indexing, openai, asked, corpus, mode
):
    facts, texts = corpus
    indexing.run(documents=texts)
    SingleFacts(openai, facts, list(facts)[:3], list(facts))
    result = ask(indexing, asked, mode=mode)
    assert (result["sufficient"], result["missing"]) == (True, [])
    assert all(str(number) in result["answer"] for number in range(100, 109))
    assert {citation["quote"] for citation in result["citations"]} == set(facts.values())


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["narrative", "tree"])
@pytest.mark.parametrize(("asked", "corpus"), [(NINE, ENGLISH), (NINE_KOREAN, KOREAN)])
def test_without_a_model_each_of_nine_parts_is_looked_up(indexing, asked, corpus, mode):
    facts, texts = corpus
    indexing.run(documents=texts)
    result = ask(indexing, asked, mode=mode, model="offline")
    parts = result["steps"] or [one for one in result["tree"] if one["parent"]]
    assert [part["question"] for part in parts] == list(facts)


def test_a_part_that_is_nowhere_leaves_the_others_and_is_told(indexing, openai):
    facts, texts = ENGLISH
    gone = "What is the cost of Kora?"
    indexing.run(documents=[one for one in texts if one["text"] != facts[gone]])
    SingleFacts(openai, facts, list(facts)[:3])
    result = ask(indexing, NINE)
    looked_up = {step["question"]: step["found"] for step in result["steps"][1:]}
    assert looked_up == {question: question != gone for question in facts}
    assert not result["sufficient"]
