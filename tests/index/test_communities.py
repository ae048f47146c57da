"""Communities kept in memory, and reports read when they are asked for."""

from __future__ import annotations

import pytest
from ragraphs.index.communities import COMMUNITIES, CommunityView, load_communities
from ragraphs.index.hierarchy import WRITTEN
from ragraphs.index.layers import HIERARCHY
from ragraphs.index.opening import Index, open_index
from ragraphs.index.report_material import Material
from ragraphs.state.entities import Entity, EntityGraph, Relation
from ragraphs.state.errors import RagraphsError
from ragraphs.state.reports import Community, Report
from ragraphs.stores.entities import EntityStore

TREE = [
    Community("all", 0, "", ("a", "b", "c", "d")),
    Community("left", 1, "all", ("a", "b")),
    Community("right", 1, "all", ("c", "d")),
    Community("apart", 0, "", ("e",)),
]
RATINGS = {"all": 5.0, "left": 2.0, "right": 7.0, "apart": 2.0}


def report(id: str, rating: float) -> Report:
    findings = [{"statement": f"Of {id}.", "passages": ["p"]}]
    return {"title": id.title(), "summary": f"About {id}.", "rating": rating, "findings": findings}


@pytest.fixture
def index() -> Index:
    index = open_index("made", create=True)
    index.communities.replace(TREE)
    written = {id: (report(id, rating), "offline") for id, rating in RATINGS.items()}
    index.communities.put_reports(written)
    HIERARCHY.record(index, "h")
    COMMUNITIES.record(index, "c")
    return index


def parts(view: CommunityView) -> list[list[str]]:
    return [view.at(level) for level in (0, 1, 2)]


def test_a_partition_has_the_communities_of_a_level_and_those_above_without_children(index):
    view = load_communities(index)
    assert parts(view) == [["all", "apart"], ["apart", "left", "right"], ["apart", "left", "right"]]
    known = [*RATINGS, "unknown"]
    for level in (0, 1, 2):
        assert sorted(id for id in known if view.is_at(id, level)) == sorted(view.at(level))
    assert view.heaviest(1) == ["right", "apart", "left"]
    assert view.reference("right") == {"id": "right", "level": 1, "title": "Right"}


def test_reports_are_read_when_they_are_asked_for(index):
    view = load_communities(index)
    assert dict(view.reports(["left", "all"])) == {
        id: report(id, RATINGS[id]) for id in ("left", "all")
    }
    index.communities.put_reports({"left": (report("new", 2.0), "offline")})
    assert load_communities(index) is view and view.report("left")["summary"] == "About new."


def test_a_report_that_is_gone_meanwhile_is_told_in_a_sentence(index):
    view = load_communities(index)
    index.communities.replace(TREE[:1])
    with pytest.raises(RagraphsError, match="ask again"):
        view.report("left")


def test_communities_that_were_written_anew_are_seen_at_the_next_question(index):
    load_communities(index)
    index.communities.replace(TREE[:1])
    index.catalogue.set_property(WRITTEN, "again")
    assert parts(load_communities(index)) == [["all"], ["all"], ["all"]]


@pytest.mark.parametrize("only", [None, {"all"}])
def test_passages_are_read_only_of_what_a_report_tells(index, monkeypatch, only):
    names = {id: f"Name {id}" for id in "abcde"}
    entities = [Entity(id, name, "", (), (name,), (f"p{id}", "p")) for id, name in names.items()]
    relations = [
        Relation("r1", "a", "b", "knows", 1.0, ("p1", "p2")),
        Relation("r2", "c", "e", "knows", 1.0, ("p3",)),
    ]
    index.entities.replace(EntityGraph(tuple(entities), (), tuple(relations), (), ()))
    asked = []
    for name in ("passages_of", "relation_passages_of"):
        read = getattr(EntityStore, name)

        def noted(self, ids, *given, read=read):
            asked.extend(ids := list(ids))
            return read(self, ids, *given)

        monkeypatch.setattr(EntityStore, name, noted)
    material = Material(index, 100, only)
    rows = material.own_rows("all")
    assert [row.id for row in rows] == ["a", "b", "r1", "c", "d"] and not asked
    assert not any(row.passages for row in rows)
    [told] = material.told([[rows[2], rows[0]]])
    assert [row.passages for row in told] == [("p1", "p2"), ("p", "pa")]
    assert asked == ["a", "r1"]
    material.told([rows[:3]])
    assert asked == ["a", "r1", "b"]  # nothing is read twice
