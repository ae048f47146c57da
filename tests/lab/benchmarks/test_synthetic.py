"""The made-up corpus has the statistics of real ones, and questions with known support."""

from __future__ import annotations

import json
from itertools import islice

import pytest
from ragraphs.language.analyser import sentences

from lab.benchmarks.synthetic import Made, made_up, main, passages_with_facts
from lab.benchmarks.text_statistics import statistics

COUNT = 600


@pytest.fixture(scope="module")
def made() -> list[Made]:
    return list(islice(passages_with_facts(), COUNT))


def test_the_first_passages_are_the_same_however_many_follow(made):
    assert list(made_up(50)) == [each.document for each in made[:50]]


def test_another_seed_gives_another_text():
    assert next(made_up(1, seed=1))["text"] != next(made_up(1))["text"]


def test_every_sentence_is_unique(made):
    said = [span.plain for each in made for span in sentences(each.document["text"])]
    assert len(set(said)) == len(said)


@pytest.mark.slow
def test_what_is_found_in_a_passage_is_as_in_real_sets(made):
    """The means of three real sets, by the command of the module ``text_statistics``."""
    found = statistics([each.document for each in made])
    real = {
        "words a passage": 76.5,
        "sentences a passage": 3.63,
        "words a sentence": 21.0,
        "names a passage": 9.3,
        "entities a passage": 8.2,
        "relations a passage": 6.7,
        "questions answered by a passage": 4.9,
        "questions raised by a passage": 6.6,
    }
    assert {name: found[name] for name in real} == pytest.approx(real, rel=0.2)
    assert found["Heaps' exponent"] == pytest.approx(0.69, abs=0.1)
    assert found["share of names in one passage only"] > 0.75


def test_the_passages_of_a_question_tell_its_answer(made):
    texts = {each.document["id"]: each.document["text"] for each in made}
    asked = [fact for each in made for fact in each.facts]
    assert {len(fact.supporting) for fact in asked} == {1, 2}
    for fact in asked:
        assert any(fact.answer in texts[id] for id in fact.supporting)
    for fact in asked:
        if len(fact.supporting) == 2:
            begin, end = fact.supporting
            bridge = next(each for each in made if each.document["id"] == end).document["title"]
            assert bridge in texts[begin]


def test_a_question_set_is_written(tmp_path):
    main(tmp_path, passages=60, questions=20)
    passages, questions = (
        [json.loads(line) for line in (tmp_path / f"{name}.jsonl").read_text().splitlines()]
        for name in ("passages", "questions")
    )
    ids = {one["id"] for one in passages}
    assert (len(passages), len(questions)) == (60, 20)
    assert all(set(one["supporting"]) <= ids for one in questions)
    assert {one["type"] for one in questions} == {"one hop", "two hops"}
