"""The order of a community's elements, and what of them fits into a context."""

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.graphrag.report_context import (
    Child,
    Element,
    ordered_elements,
    pack,
    report_context,
    reports_alone,
    seeded_order,
)

SIZES = st.lists(st.integers(0, 30), max_size=30)


def element(id, kind="entity", text="text"):
    return Element(kind, id, id.upper(), text, (f"p-{id}",))


def relation(source, target, name=""):
    return source, target, element(f"{source}-{target}{name}", "relation")


def size(one):
    return len(one.text)


def sized(id, tokens, kind="entity"):
    return element(id, kind, "x" * tokens)


def ids(elements):
    return [one.id for one in elements]


def test_every_edge_of_an_eight_clique_is_in_its_context():
    entities = [element(name) for name in "abcdefgh"]
    relations = [relation(a, b) for a, b in combinations("abcdefgh", 2)]
    found = ordered_elements(entities, relations, [], dict.fromkeys("abcdefgh", 7))
    assert sum(one.kind == "relation" for one in found) == 28
    assert len(found) == 36
    assert report_context(found, [], 10_000, size) == found


def test_relations_come_by_the_degree_of_both_ends_each_after_its_ends_and_their_claims():
    entities = [element(name) for name in ["a", "b", "c", "d"]]
    relations = [relation("a", "b"), relation("b", "c"), relation("a", "b", "2")]
    claims = [("c", element("claim-c", "claim")), ("d", element("claim-d", "claim"))]
    found = ordered_elements(entities, relations, claims, {"a": 2, "b": 3, "c": 4})
    assert ids(found) == ["b", "c", "claim-c", "b-c", "a", "a-b", "a-b2", "d", "claim-d"]


def test_an_end_outside_the_community_is_not_shown():
    found = ordered_elements([element("a")], [relation("a", "z")], [], {})
    assert ids(found) == ["a", "a-z"]


def test_a_parent_over_budget_contains_the_report_of_its_largest_child_first():
    elements = [sized(id, 10) for id in "abcdef"]
    small = Child(frozenset("ab"), sized("small", 4, "report"))
    large = Child(frozenset("cde"), sized("large", 4, "report"))
    assert report_context(elements, [small, large], 60, size) == elements
    assert ids(report_context(elements, [small, large], 59, size)) == ["large", *"abf"]
    assert ids(report_context(elements, [small, large], 20, size)) == ["large", "small", "f"]
    assert ids(report_context(elements, [small, large], 17, size)) == ["large", "small"]


def test_a_report_longer_than_what_it_stands_for_is_not_used():
    elements = [sized(id, 10) for id in "abc"]
    wordy = Child(frozenset("ab"), sized("wordy", 25, "report"))
    assert ids(report_context(elements, [wordy], 25, size)) == ["a", "b"]


def test_what_does_not_fit_ends_the_context():
    elements = [sized("a", 3), sized("b", 9), sized("c", 1)]
    assert ids(report_context(elements, [], 5, size)) == ["a"]
    assert report_context(elements, [], 2, size) == []
    assert report_context([], [], 2, size) == []


@given(SIZES, st.integers(0, 100), st.sets(st.integers(0, 29)), st.integers(0, 20))
def test_a_context_never_exceeds_its_limit(sizes, limit, inside, reported):
    elements = [sized(str(number), tokens) for number, tokens in enumerate(sizes)]
    child = Child(frozenset(map(str, inside)), sized("report", reported, "report"))
    found = report_context(elements, [child], limit, size)
    assert sum(map(size, found)) <= limit
    assert len(ids(found)) == len(set(ids(found)))
    if child.report in found:
        assert not child.elements & set(ids(found))


@given(SIZES, st.integers(1, 40))
def test_packing_keeps_the_order_and_never_exceeds_the_limit(sizes, limit):
    packed = pack(sizes, limit)
    assert [number for one in packed for number in one] == list(range(len(sizes)))
    for one in packed:
        assert sum(sizes[number] for number in one) <= limit or len(one) == 1
    for one, after in pairwise(packed):
        assert sum(sizes[number] for number in one) + sizes[after[0]] > limit


@given(st.lists(st.text(max_size=4), unique=True, max_size=20), st.integers(0, 5))
def test_a_seeded_order_does_not_depend_on_the_order_of_the_input(keys, seed):
    order = seeded_order(keys, seed)
    assert sorted(order) == list(range(len(keys)))
    backwards = keys[::-1]
    assert [backwards[place] for place in seeded_order(backwards, seed)] == [
        keys[place] for place in order
    ]


def test_another_seed_is_another_order():
    keys = [str(number) for number in range(20)]
    assert seeded_order(keys, 1) == seeded_order(keys, 1)
    assert len({tuple(seeded_order(keys, seed)) for seed in range(5)}) == 5
    assert seeded_order(keys, 0) != list(range(20))


@given(st.lists(st.tuples(SIZES, st.integers(0, 30)), max_size=8), SIZES, st.integers(0, 99))
def test_reports_that_leave_no_room_are_the_context_whatever_elements_there_are(parts, rest, limit):
    own = [[sized(f"{at} {place}", n) for place, n in enumerate(some)]
           for at, (some, _) in enumerate(parts)]  # fmt: skip
    reports = [sized(f"r{at}", told, "report") for at, (_, told) in enumerate(parts)]
    children = [
        Child(frozenset(ids(some)), report) for some, report in zip(own, reports, strict=True)
    ]
    elements = [*(one for some in own for one in some), *(sized(f"x{n}", n) for n in set(rest))]
    alone = reports_alone(
        zip(map(sum, (sizes for sizes, _ in parts)), reports, strict=True), limit, size
    )
    assert alone in (None, report_context(elements, children, limit, size))


def test_reports_may_leave_no_room():
    reports = [(30, sized("a", 6, "report")), (20, sized("b", 6, "report"))]
    assert ids(reports_alone(reports, 9, size)) == ["a"]
    assert reports_alone(reports, 12, size) is None  # beside both there is room for others
    assert reports_alone(reports, 50, size) is None  # all elements may fit
