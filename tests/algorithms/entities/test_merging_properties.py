"""Properties of every merging of entities."""

from collections.abc import Iterator
from itertools import combinations
from weakref import WeakSet

import pytest
from hypothesis import given
from hypothesis import strategies as st
from merging_support import facts, merge_facts
from ragraphs.algorithms.entities.clusters import Name, sharing
from ragraphs.algorithms.entities.merging import Merging
from ragraphs.state.entities import Correction

NAMES = st.sampled_from(
    """Paris|paris|The Paris|World War I|World War II|World War 2|Einstein|Albert Einstein
    |A. Einstein|Alfred Einstein|IBM|International Business Machines|Riemann sum|Rieman sum|서울
    |서울은|U.S.|US|Bill|bills|Louis XIV|Louis XV|New York|York""".replace("\n    ", "").split("|")
)
KINDS = st.sampled_from(["", "person", "city", "company", "film", "organization"])
TEXTS = st.sampled_from(["", "International Business Machines (IBM).", "Albert Einstein in Paris"])


@st.composite
def corpora(draw):
    found = []
    for i in range(draw(st.integers(1, 6))):
        entities = draw(st.lists(st.tuples(NAMES, KINDS), max_size=4))
        names = [name for name, _ in entities]
        pairs = st.tuples(st.sampled_from(names), st.just("knows"), st.sampled_from(names))
        relations = draw(st.lists(pairs, max_size=3)) if names else []
        title = draw(st.sampled_from(["one", "two"]))
        found.append(facts(f"p{i}", entities, relations, title=title, text=draw(TEXTS)))
    return found


@pytest.mark.slow
@given(corpora(), st.randoms(use_true_random=False))
def test_the_order_of_passages_does_not_matter(found, random):
    shuffled = found[:]
    random.shuffle(shuffled)
    assert merge_facts(shuffled) == merge_facts(found)


@pytest.mark.slow
@given(corpora())
def test_everything_belongs_to_a_passage_and_an_entity(found):
    graph = merge_facts(found)
    ids = {e.id for e in graph.entities}
    assert len(ids) == len(graph.entities)
    texts = {one.passage: one.text for one in found}
    assert all(e.passages and set(e.passages) <= set(texts) for e in graph.entities)
    assert {r.source for r in graph.relations} | {r.target for r in graph.relations} <= ids
    assert all(0 < r.weight <= 1 and r.source != r.target for r in graph.relations)
    assert all(m.entity in ids and texts[m.passage][m.start : m.end] for m in graph.mentions)
    said = {(one.passage, e["name"]) for one in found for e in one.facts["entities"]}
    assert all(any(n in e.aliases and p in e.passages for e in graph.entities) for p, n in said)


@pytest.mark.slow
@given(corpora(), NAMES, NAMES)
def test_a_split_always_holds(found, a, b):
    graph = merge_facts(found, [Correction("split", a, b)])
    if a != b:
        assert not any({a, b} <= set(e.aliases) for e in graph.entities)


@pytest.mark.slow
@given(corpora())
def test_a_passage_that_is_gone_leaves_no_trace(found):
    extra = facts("gone", [("Atlantis", "city"), ("Paris", "person")], text="Atlantis (ATL)")
    assert merge_facts([f for f in [*found, extra] if f.passage != "gone"]) == merge_facts(found)
    assert not any("gone" in e.passages for e in merge_facts(found).entities)


def named(id, text):
    return Name(id, text, frozenset(), frozenset(), frozenset())


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=3).map(" ".join), max_size=30))
def test_names_that_share_a_form_are_those_that_comparing_all_with_all_finds(texts):
    names = [named(str(place), text) for place, text in enumerate(texts)]
    found = list(sharing(names, lambda name: name.name.split()))
    grouped = {(a.id, b.id) for group in found for a, b in combinations(group, 2)}
    assert grouped == {
        (a.id, b.id) for a, b in combinations(names, 2) if set(a.name.split()) & set(b.name.split())
    }


def test_a_form_that_very_many_share_makes_no_group_and_others_still_do():
    names = [named(str(place), f"common rare{place // 2}") for place in range(60)]
    groups = [[name.id for name in group] for group in sharing(names, lambda n: n.name.split())]
    assert sorted(groups, key=lambda ids: int(ids[0])) == [
        [str(place), str(place + 1)] for place in range(0, 60, 2)
    ]


class Facts(dict):
    """Facts that tell whether anybody still holds them."""

    __hash__ = object.__hash__


class Passages:
    """Passages that are made anew at every pass; ``most`` is how many were held at once."""

    def __init__(self) -> None:
        self.most = 0
        self.alive: WeakSet[Facts] = WeakSet()

    def __iter__(self) -> Iterator:
        for place in range(20):
            names = [(f"Anna Holm{place}", "person", "A clerk."), ("Bo Lund", "person")]
            one = facts(f"p{place:03}", names, [(names[0][0], "knows", "Bo Lund")], title="t")
            held = Facts(one.facts)
            self.alive.add(held)
            yield one._replace(facts=held)
            del held, one
            self.most = max(self.most, len(self.alive))


def test_the_facts_of_passages_are_not_held_while_others_are_read():
    passages = Passages()
    graph = Merging(passages).graph()
    assert len(graph.entities) == 21 and len(graph.relations) == 20
    assert passages.most <= 2
