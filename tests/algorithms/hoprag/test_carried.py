"""Edges after a change are those that a fresh comparison of all questions gives."""

from __future__ import annotations

import random

import numpy as np
import pytest
from ragraphs.algorithms.hoprag import carried as carrying
from ragraphs.algorithms.hoprag.carried import ReadPassages, carried, carried_to_arrays, read_anew
from ragraphs.algorithms.hoprag.edges import joined
from ragraphs.algorithms.hoprag.following import followed_pairs
from ragraphs.algorithms.hoprag.graph import (
    AskedPassage,
    exact_pairs,
    graph_of,
    hops_to_arrays,
    questioned,
)
from ragraphs.algorithms.hoprag.sketches import Sketches
from ragraphs.algorithms.packed_texts import PackedTexts, code_of
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
    # The id of a passage is a hash of its text.
    return AskedPassage(f"p{id:03} {text}", "", text, asked(), asked())


def made(passages, before):
    """The arrays of the edges, and what was carried over."""
    ordered = {one.id: one for one in sorted(passages, key=lambda one: one.id)}
    codes = {id: f"{code_of(str(one[3:])):016x}" for id, one in ordered.items()}
    read = ReadPassages.of(codes, before)
    if before:  # as it is known by the changes alone
        assert_same_reading(codes, before, read)
    found = carried(before, read, lambda ids: {id: ordered[id] for id in ids})
    found = found or read_anew(questioned(ordered.values()))
    asked = found.asked

    def vectors(texts):
        questions = [asked.questions[int(text)] for text in texts]
        return LexicalEmbedder().embed(questions) if questions else NONE

    every = vectors(range(len(asked.questions)))
    if found.new is None:
        pairs = exact_pairs(asked, every, found.words)
    else:
        pairs = followed_pairs(found, Sketches.of(every), vectors)
    edges = joined(pairs, asked.outgoing.passages, asked.incoming.passages, len(asked.ids))
    return {
        **hops_to_arrays(graph_of(asked, edges)),
        **carried_to_arrays(found, read.codes, pairs),
    }, found


def assert_same_reading(codes, before, read):
    """The passages that were ``read``, told from the changes alone, some of which are none."""
    known = dict(zip(PackedTexts.from_arrays(before, "members"), before["read_codes"], strict=True))
    noted = {id for id in {*known, *codes} if f"{known.get(id, 0):016x}" != codes.get(id)}
    noted |= {*list(known)[:2], "p999 was never there"}
    followed = ReadPassages.changed({id: codes[id] for id in noted & {*codes}}, before, noted)
    assert list(followed.members) == list(read.members) and followed.stamp() == read.stamp()
    assert followed.codes.tolist() == read.codes.tolist()
    assert followed.kept.tolist() == read.kept.tolist()


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
        texts = set(asked_in(before))
        before, found = made(passages.values(), before)
        fresh, _ = made(passages.values(), {})
        taken += len(found.known.outgoing)
        assert set(found.new) == set(asked_in(before)) - texts
        assert set(found.gone) == texts - set(asked_in(before))
        assert before.keys() == fresh.keys()
        for name, array in fresh.items():
            np.testing.assert_array_equal(before[name], array, err_msg=name)
    assert taken > 200


def asked_in(arrays):
    return PackedTexts.from_arrays(arrays, "questions")


def test_only_questions_that_are_new_are_read_again(monkeypatch):
    chance = random.Random(1)
    passages = [a_passage(chance, id) for id in range(10)]
    before, _ = made(passages, {})
    read = []
    monkeypatch.setattr(carrying, "keywords", lambda text: read.append(text) or frozenset())
    made([*passages, AskedPassage("q", "", "New.", ["What is new?"], passages[0].outgoing)], before)
    assert read == ["What is new?"]


def test_of_equal_passages_the_first_that_is_left_asks_its_questions():
    first, second, other = (
        AskedPassage(id, "", text, [f"Who built {name}?"], [f"Where is {name}?"])
        for id, text, name in (
            ("a", "One.", "Arlen"),
            ("b", "One.", "Brisk"),
            ("c", "Two.", "Corin"),
        )
    )
    before, _ = made([first, second, other], {})
    left, _ = made([second, other], before)
    assert list(asked_in(left)) == list(asked_in(made([second, other], {})[0]))
    assert "Where is Brisk?" in asked_in(left)
