"""Edges after a change are those that a fresh comparison of all questions gives."""

from __future__ import annotations

import random

import numpy as np
import pytest
from ragraphs.algorithms.hoprag import carried
from ragraphs.algorithms.hoprag.carried import (
    carried_keywords,
    carried_pairs,
    keywords_to_arrays,
    pairs_to_arrays,
)
from ragraphs.algorithms.hoprag.edges import joined
from ragraphs.algorithms.hoprag.graph import (
    AskedPassage,
    exact_pairs,
    graph_of,
    hops_to_arrays,
    questioned,
)
from ragraphs.models.lexical import LexicalEmbedder

NAMES = ["Arlen", "Brisk", "Corin", "Delta", "Efrem", "Fjord", "Galen", "Hollow", "한강", "서울"]
FORMS = ["Who built {}?", "Where is {} of {}?", "When did {} meet {}?", "{} 는 무엇인가?"]


def a_passage(chance: random.Random, id: int) -> AskedPassage:
    def asked() -> list[str]:
        return [
            chance.choice(FORMS).format(*chance.choices(NAMES, k=2))
            for _ in range(chance.randrange(4))
        ]

    text = chance.choice(["One.", "Two.", f"Text {id}."])  # some passages are the same
    return AskedPassage(f"p{id:03}", "", text, asked(), asked())


def made(passages, before):
    """The arrays of the edges, the pairs, and how many of these were taken over."""
    asked = questioned(sorted(passages, key=lambda one: one.id))
    words = carried_keywords(before, asked.questions)
    vectors = LexicalEmbedder().embed(list(asked.questions)) if len(asked.questions) else NONE
    known, added = carried_pairs(before, asked)
    pairs = exact_pairs(asked, vectors, words, known, added)
    edges = joined(pairs, asked.outgoing.passages, asked.incoming.passages, len(asked.ids))
    arrays = {**hops_to_arrays(graph_of(asked, edges)), **keywords_to_arrays(words)}
    return arrays | pairs_to_arrays(asked, pairs), len(known.outgoing)


NONE = np.empty((0, 8), dtype=np.float32)


@pytest.mark.parametrize("seed", range(3))
def test_after_any_changes_the_arrays_are_those_of_a_fresh_comparison(seed):
    chance = random.Random(seed)
    passages = {id: a_passage(chance, id) for id in range(30)}
    before, _ = made(passages.values(), {})
    taken = 0
    for _ in range(15):
        for _ in range(chance.randrange(4)):
            id = chance.randrange(35)
            if chance.random() < 0.4:
                passages.pop(id, None)
            else:
                passages[id] = a_passage(chance, id)
        before, known = made(passages.values(), before)
        fresh, _ = made(passages.values(), {})
        taken += known
        assert before.keys() == fresh.keys()
        for name, array in fresh.items():
            np.testing.assert_array_equal(before[name], array, err_msg=name)
    assert taken > 200


def test_only_questions_that_are_new_are_read_again(monkeypatch):
    chance = random.Random(1)
    passages = [a_passage(chance, id) for id in range(10)]
    before, _ = made(passages, {})
    read = []
    monkeypatch.setattr(carried, "keywords", lambda text: read.append(text) or frozenset())
    made([*passages, AskedPassage("q", "", "New.", ["What is new?"], passages[0].outgoing)], before)
    assert read == ["What is new?"]
