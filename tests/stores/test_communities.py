"""The hierarchy of communities, and the reports on them."""

from __future__ import annotations

import pytest
from ragraphs.state.entities import EntityGraph, Relation
from ragraphs.state.reports import Community
from ragraphs.stores.communities import ASSEMBLED, BEGUN, CommunityOutline, CommunityStore
from ragraphs.stores.communities_beside import BESIDE
from ragraphs.stores.entities import EntityStore
from sqlalchemy import Engine, select

TREE = [
    Community("all", 0, "", ("a", "b", "c", "d")),
    Community("left", 1, "all", ("a", "b")),
    Community("right", 1, "all", ("c", "d")),
]
REPORT = {
    "title": "한글 “A”",
    "summary": "B.",
    "rating": 7.5,
    "findings": [{"statement": "C'est ça.", "passages": ["p1", "p2"]}],
}


def rows_of(engine, table):
    with engine.connect() as connection:
        return connection.execute(select(table)).all()


@pytest.fixture
def store(engine: Engine) -> CommunityStore:
    return CommunityStore(engine)


def test_a_hierarchy_is_read_as_it_was_written(store):
    store.replace(TREE)
    assert [(one.id, one.level, one.parent, one.size) for one in store.all()] == [
        ("all", 0, "", 4),
        ("left", 1, "all", 2),
        ("right", 1, "all", 2),
    ]
    assert all(one.report is None and one.writer is None for one in store.all())
    assert store.count() == 3
    assert store.members_of("right") == ["c", "d"]
    assert set(store.members()) == {(one.id, m) for one in TREE for m in one.members}
    assert store.communities_of(["b", "d", "b", "gone"]) == [
        ("all", "b"),
        ("all", "d"),
        ("left", "b"),
        ("right", "d"),
    ]


def test_communities_are_found_by_id_in_the_order_asked_for(store):
    store.replace(TREE)
    assert list(store.get(["right", "gone", "all", "right"])) == ["right", "all"]
    assert store.get([]) == {}
    assert store.members_of("gone") == [] == store.communities_of([])


def test_a_report_is_read_as_it_was_written_and_replaced_by_the_next(store):
    store.replace(TREE)
    store.put_reports({})
    store.put_reports({"left": (REPORT, "openai:m"), "right": (REPORT, ASSEMBLED)})
    found = store.get(["left", "right", "all"])
    assert (found["left"].report, found["left"].writer) == (REPORT, "openai:m")
    assert (found["right"].report, found["right"].writer) == (REPORT, ASSEMBLED)
    assert found["all"].report is None
    store.put_reports({"left": ({**REPORT, "findings": []}, "openai:n"), "gone": (REPORT, "m")})
    (left,) = store.get(["left"]).values()
    assert (left.report, left.writer) == ({**REPORT, "findings": []}, "openai:n")
    assert store.count() == 3


@pytest.mark.slow
def test_a_community_of_the_same_members_keeps_its_report_and_no_other_does(store):
    store.replace(TREE)
    store.put_reports({one.id: (REPORT, "m") for one in TREE})
    moved = [Community("left", 0, "", ("a", "b")), Community("other", 0, "", ("c", "e"))]
    store.replace(moved)
    left, other = store.all()
    assert (left.level, left.parent, left.report, left.writer) == (0, "", REPORT, "m")
    assert (other.report, other.writer) == (None, None)
    assert store.communities_of("abcde") == [
        ("left", "a"),
        ("left", "b"),
        ("other", "c"),
        ("other", "e"),
    ]
    store.replace([])
    assert store.all() == [] == list(store.members())


def test_a_hierarchy_beside_is_whole_and_holds_only_what_differs(store, engine):
    store.replace(TREE)
    store.put_reports({one.id: (REPORT, "m") for one in TREE}, {"left": "l", "all": "a"})
    moved = [Community("c", 1, "all", ("c",)), Community("left", 2, "c", ("a", "b"))]
    beside, wanted = store.beside, [TREE[0], *moved]
    beside.replace(wanted, {BEGUN: "b"})
    other = {**REPORT, "title": "New"}
    beside.put_reports({"c": (other, "m"), "all": (other, "m")}, {"c": "n"})
    before = store.all(), list(store.members()), store.sources()
    assert [one.report for one in before[0]] == [REPORT] * 3
    rows = [len(rows_of(engine, table)) for table in BESIDE]
    assert rows == [4, 1, 2]  # the community that went, too; a new member; two sources
    seen = beside.all(), list(beside.members()), beside.sources()
    assert {one.id: (one.parent, one.report) for one in seen[0]} == {
        "all": ("", other), "c": ("all", other), "left": ("c", REPORT),
    }  # fmt: skip
    assert seen[1:] == (
        [(one.id, entity) for one in sorted(wanted) for entity in one.members],
        {"left": "l", "c": "n"},
    )
    assert set(beside.members(["c", "right", "left"])) == {("c", "c"), ("left", "a"), ("left", "b")}
    assert beside.parents() == {"all": "", "c": "all", "left": "c"} and not beside.unreported()
    assert beside.communities_of(["d", "c"]) == [("all", "c"), ("all", "d"), ("c", "c")]
    beside.replace(wanted, {BEGUN: "again"})  # what an interrupted run has written is kept
    assert (beside.all(), list(beside.members()), beside.sources()) == seen
    assert (store.all(), list(store.members()), store.sources()) == before
    beside.replace([*wanted, TREE[2]], {BEGUN: "b"})  # a community that was gone before
    assert [one.report for one in beside.get(["right", "c"]).values()] == [REPORT, other]
    beside.replace(wanted, {BEGUN: "again"})
    store.take_place({})
    assert (store.all(), list(store.members()), store.sources()) == seen
    assert not any(rows_of(engine, table) for table in BESIDE)


def test_a_hierarchy_beside_may_be_told_by_its_changes_alone(store):
    store.replace([*TREE, Community("apart", 0, "", ("e",))])
    store.put_reports({one.id: (REPORT, "m") for one in TREE})
    left, changed = store.beside, [Community("c", 1, "all", ("c",))]
    left.replace([*changed, TREE[0]], {BEGUN: "b"}, former={"all", "right"})
    assert left.parents() == {"all": "", "apart": "", "c": "all", "left": "all"}
    assert left.changed_beside() == {"c": "all", "right": None}
    assert left.unreported() == {"apart", "c"}
    assert left.parents_of(["c", "right"]) == {"c": "all"}
    assert left.children_of(["all"]) == {"c": "all", "left": "all"}
    store.take_place({})
    assert store.paths_of() == {"a": ["all", "left"], "b": ["all", "left"], "c": ["all", "c"],
        "d": ["all"], "e": ["apart"]}  # fmt: skip
    assert store.paths_of(["d", "gone"]) == {"d": ["all"]}


def test_the_weight_of_communities_is_that_of_all_relations_at_their_entities(store, engine):
    store.replace(TREE)
    ends = [("a", "b", 1.0), ("b", "c", 0.5), ("d", "d", 9.0), ("c", "x", 0.25)]
    stated = [Relation(f"r{at}", *ends[at][:2], "", ends[at][2], ()) for at in range(4)]
    EntityStore(engine).replace(EntityGraph(relations=tuple(stated)))
    assert store.degrees_of(["left", "right", "gone"]) == {"left": 2.5, "right": 0.75, "gone": 0.0}
    assert store.total_weight() == 1.75


@pytest.mark.slow
def test_many_communities_are_kept(store):
    many = [Community(f"{n:05d}", 0, "", (f"e{n}", f"f{n}")) for n in range(12_000)]
    store.replace(many)
    assert (store.count(), sum(1 for _ in store.members())) == (12_000, 24_000)
    assert len(store.get(one.id for one in many)) == 12_000
    assert len(store.communities_of(f"f{n}" for n in range(2_000))) == 2_000


def test_a_hierarchy_that_cannot_be_written_leaves_the_old_one(store):
    store.replace(TREE)
    with pytest.raises(Exception, match=r"(?i)unique"):
        store.replace([TREE[0], TREE[0]])
    assert [one.id for one in store.all()] == ["all", "left", "right"]
    assert store.members_of("left") == ["a", "b"]


@pytest.mark.slow
def test_outlines_are_those_of_the_reports_that_tell_something(store):
    store.replace(TREE)
    assert list(store.outlines()) == []
    said_nothing = {**REPORT, "summary": "", "findings": []}
    only_found = {**REPORT, "summary": ""}
    store.put_reports(
        {
            "all": (REPORT, "offline"),
            "left": (said_nothing, ASSEMBLED),
            "right": (only_found, ASSEMBLED),
        }
    )
    assert list(store.outlines()) == [
        CommunityOutline("all", 0, "", 4, REPORT["title"], 7.5, "offline"),
        CommunityOutline("right", 1, "all", 2, REPORT["title"], 7.5, ASSEMBLED),
    ]
