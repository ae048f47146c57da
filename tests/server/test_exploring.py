"""Exploring an index on the page, and correcting it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ragraphs import IndexContext, index_graph
from ragraphs.context import LayerName
from ragraphs.index.layers import LAYERS
from ragraphs.index.opening import open_index
from ragraphs.server.alone import app
from ragraphs.settings import settings
from ragraphs.views import community_map as maps
from snapshots import Snapshots
from starlette.testclient import TestClient

TEXTS = {
    "Forth Bridge": "The Forth Bridge was designed by John Fowler. It crosses the Firth of Forth.",
    "John Fowler": "John Fowler was born in Sheffield. John Fowler also built railways.",
    "Tay Bridge": "The Tay Bridge was designed by Thomas Bouch. It fell in a storm.",
    "경복궁": "경복궁은 서울에 있는 조선의 으뜸 궁궐이다. 태조가 경복궁을 지었다.",
}
DOCUMENTS = [{"id": title, "title": title, "text": text} for title, text in TEXTS.items()]


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshots: Snapshots) -> Path:
    """A folder with the index ``notes``, whose entities may be corrected."""
    monkeypatch.setenv("RAGRAPHS_ROOT", str(tmp_path))
    monkeypatch.setenv("RAGRAPHS_INDEX", "notes")
    monkeypatch.setenv("RAGRAPHS_CORRECTIONS", "true")
    settings.cache_clear()
    snapshots.fill(str(tmp_path / "notes"), lambda: make("notes", list(LAYERS)))
    return tmp_path


def make(name: str, layers: list[LayerName]) -> None:
    context = IndexContext(index=name, embeddings="lexical", layers=layers)
    index_graph.invoke({"documents": DOCUMENTS}, context=context)


@pytest.fixture
def page(root: Path) -> Iterator[TestClient]:
    with TestClient(app, base_url="http://localhost") as client:
        yield client


def get(page: TestClient, path: str, **params: Any) -> Any:
    answer = page.get(f"/page/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def entity(page: TestClient, name: str) -> Any:
    found = get(page, "entities", containing=name)["entities"]
    return get(page, "entity", id=found[0]["id"])


@pytest.mark.slow
def test_passages_with_the_very_words_come_before_those_that_are_near(page):
    found = get(page, "passages", containing="was designed")["passages"]
    exact = [one["exact"] for one in found]
    assert {one["title"] for one in found if one["exact"]} == {"Forth Bridge", "Tay Bridge"}
    assert exact == sorted(exact, reverse=True) and len(found) > 2
    assert len({one["id"] for one in found}) == len(found)
    assert len(get(page, "passages")["passages"]) == 4
    assert len(get(page, "passages", most=1)["passages"]) == 1


def test_an_entity_that_is_called_so_comes_before_those_with_longer_names(page):
    names = [one["name"] for one in get(page, "entities", containing="forth")["entities"]]
    assert "Forth Bridge" in names and "Firth of Forth" in names
    exact = get(page, "entities", containing="forth bridge")["entities"]
    assert exact[0]["name"] == "Forth Bridge" and exact[0]["passages"] >= 1
    assert get(page, "entities", containing="nobody of that name")["entities"] == []


def test_an_entity_comes_with_the_sentences_that_state_its_relations(page):
    found = entity(page, "John Fowler")
    designed = [one for one in found["relations"] if "designed" in one["relation"]]
    assert {one["source_name"] for one in designed} == {"Forth Bridge"}
    citation = designed[0]["citation"]
    assert citation["quote"] == "The Forth Bridge was designed by John Fowler."
    text = TEXTS[citation["document"]]
    assert text[citation["start"] : citation["end"]] == citation["quote"]
    assert {one["title"] for one in found["passages"]} == {"Forth Bridge", "John Fowler"}
    assert found["communities"][0]["level"] == 0


@pytest.mark.slow
def test_a_merge_joins_two_entities_until_it_is_undone(page):
    before = open_index("notes").entities.counts()
    john, thomas = entity(page, "John Fowler"), entity(page, "Thomas Bouch")
    body = {"action": "merge", "a": thomas["id"], "b": john["id"]}
    done = page.post("/page/correct", json=body).json()
    assert [one["id"] for one in done["entities"]] == [john["id"]]
    merged = get(page, "entity", id=john["id"])
    assert {"John Fowler", "Thomas Bouch"} <= set(merged["aliases"])
    assert [one["merged"] for one in merged["merges"]] == ["Thomas Bouch"]
    listed = get(page, "corrections")["corrections"]
    assert [(one["correction"], one["action"]) for one in listed] == [(done["correction"], "merge")]
    undone = page.post("/page/undo", json={"correction": done["correction"]}).json()
    assert {one["name"] for one in undone["entities"]} == {"John Fowler", "Thomas Bouch"}
    assert open_index("notes").entities.counts() == before
    again = page.post("/page/undo", json={"correction": done["correction"]})
    assert again.status_code == 422 and "no correction" in again.json()["detail"]


def test_without_the_operators_leave_nothing_is_corrected(page, monkeypatch):
    monkeypatch.delenv("RAGRAPHS_CORRECTIONS")
    settings.cache_clear()
    body = {"action": "merge", "a": "Thomas Bouch", "b": "John Fowler"}
    for path, given in (("correct", body), ("undo", {"correction": 1})):
        refused = page.post(f"/page/{path}", json=given)
        assert refused.status_code == 422
        assert "RAGRAPHS_CORRECTIONS" in refused.json()["detail"]
    assert get(page, "corrections")["corrections"] == []


@pytest.mark.slow
def test_a_node_comes_with_its_neighbours_and_the_edges_among_them(page):
    john = entity(page, "John Fowler")
    found = get(page, "graph", around=john["id"], most=10)
    nodes = {one["id"]: one for one in found["nodes"]}
    assert found["nodes"][0]["id"] == john["id"] and found["more"] == 0
    assert {"passage", "entity"} == {one["kind"] for one in nodes.values()}
    passages = [one for one in nodes.values() if one["kind"] == "passage"]
    assert all(one["text"].startswith(one["label"].rstrip("…")) for one in passages)
    assert all(one["source"] in nodes and one["target"] in nodes for one in found["edges"])
    assert {"mention", "relation"} <= {one["kind"] for one in found["edges"]}
    few = get(page, "graph", around=john["id"], most=2)
    assert len(few["nodes"]) == 3 and few["more"] == len(found["nodes"]) - 3
    around = get(page, "graph", around=passages[0]["id"])
    assert john["id"] in {one["id"] for one in around["nodes"]}


@pytest.mark.slow
def test_without_entities_the_names_that_passages_share_join_them(page):
    make("names", ["sentences"])
    begin = get(page, "graph", index="names")
    assert {one["kind"] for one in begin["nodes"]} == {"passage", "name"} and begin["edges"]
    john = next(one for one in begin["nodes"] if "John Fowler was born" in one["text"])
    found = get(page, "graph", index="names", around=john["id"])
    name = next(one for one in found["nodes"] if one["kind"] == "name")
    assert name["label"] == "john fowler"
    around = get(page, "graph", index="names", around=name["id"])
    assert len([one for one in around["nodes"] if one["kind"] == "passage"]) == 2


@pytest.mark.slow
def test_without_entities_hops_join_passages_by_their_questions(page):
    make("hops", ["hops"])
    begin = get(page, "graph", index="hops")
    nodes = {one["id"] for one in begin["nodes"]}
    assert begin["edges"] and {one["kind"] for one in begin["edges"]} == {"hop"}
    hop = begin["edges"][0]
    assert hop["label"].endswith("?") and {hop["source"], hop["target"]} <= nodes
    around = get(page, "graph", index="hops", around=hop["target"])
    assert hop["source"] in {one["id"] for one in around["nodes"]}


def test_communities_lie_apart_each_with_its_entities_inside(page):
    found = get(page, "communities")
    assert found["entities"] and found["levels"] == [0]
    for _, _, x, y, community in found["entities"]:
        circle = found["communities"][community]
        assert math.dist((x, y), (circle["x"], circle["y"])) < circle["r"]
    names = [name for _, name, *_ in found["entities"]]
    related = {frozenset((names[a], names[b])) for a, b in found["edges"]}
    assert {"Forth Bridge", "John Fowler"} in related
    assert found == get(page, "communities")


def test_entities_related_to_none_or_one_are_on_the_map_when_they_are_asked_for(page):
    without, everything = get(page, "communities"), get(page, "communities", orphans=1)
    assert without["orphans"] == everything["orphans"]
    more = len(everything["communities"]) - len(without["communities"])
    assert more == without["orphans"]


def test_a_large_map_shows_the_largest_and_those_that_are_looked_into(page, monkeypatch):
    whole = get(page, "communities")
    monkeypatch.setattr(maps, "_MOST_ENTITIES", 4)
    monkeypatch.setattr(maps, "_MOST_CIRCLES", 1)
    part = get(page, "communities")
    assert len(part["entities"]) <= 4 and part["left_out"]["entities"] > 0
    assert part["left_out"]["communities"] == len(whole["communities"]) - 1
    smallest = whole["communities"][-1]
    inside = get(page, "communities", within=smallest["id"])
    assert smallest["id"] in {inside["communities"][one[-1]]["id"] for one in inside["entities"]}


def test_the_findings_of_a_report_lead_to_their_sentences(page):
    ids = [one["id"] for one in get(page, "communities")["communities"] if one["entities"] > 1]
    cited = 0
    for id in ids:
        report = get(page, "community", id=id)
        assert report["title"] and report["entities"]
        for one in (one for finding in report["findings"] for one in finding["citations"]):
            said = TEXTS[one["document"]][one["start"] : one["end"]]
            assert said == one["quote"] or not one["quote"]
            cited += bool(one["quote"])
    assert cited


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "params", "words"),
    [
        ("entity", {"id": "none"}, "no such entity"),
        ("community", {"id": "none"}, "no such community"),
        ("graph", {"around": "none"}, "nothing of that id"),
        ("passages", {"most": "many"}, "'most' must be a number"),
        ("passages", {"containing": "a" * 2000}, "longer than"),
        ("entities", {"index": "bare"}, "no entities layer"),
        ("communities", {"index": "bare"}, "no communities layer"),
    ],
)
def test_what_is_not_there_is_said_in_a_sentence(page, root, path, params, words):
    make("bare", [])
    answer = page.get(f"/page/{path}", params=params)
    assert answer.status_code == 422 and words in answer.json()["detail"]
    assert str(root) not in answer.text
