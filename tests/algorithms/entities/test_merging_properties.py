"""What holds for every merging of entities."""

from hypothesis import given, settings
from hypothesis import strategies as st
from merging_support import facts, merge_facts
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


@settings(max_examples=100, deadline=None)
@given(corpora(), st.randoms(use_true_random=False))
def test_the_order_of_passages_does_not_matter(found, random):
    shuffled = found[:]
    random.shuffle(shuffled)
    assert merge_facts(shuffled) == merge_facts(found)


@settings(max_examples=100, deadline=None)
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


@settings(max_examples=60, deadline=None)
@given(corpora(), NAMES, NAMES)
def test_a_split_always_holds(found, a, b):
    graph = merge_facts(found, [Correction("split", a, b)])
    if a != b:
        assert not any({a, b} <= set(e.aliases) for e in graph.entities)


@settings(max_examples=60, deadline=None)
@given(corpora())
def test_a_passage_that_is_gone_leaves_no_trace(found):
    extra = facts("gone", [("Atlantis", "city"), ("Paris", "person")], text="Atlantis (ATL)")
    assert merge_facts([f for f in [*found, extra] if f.passage != "gone"]) == merge_facts(found)
    assert not any("gone" in e.passages for e in merge_facts(found).entities)
