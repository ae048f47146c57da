"""``ragraphs communities``, and communities in what ``ragraphs export`` writes."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from communities_support import NAMES, clustered, triples_in
from page_support import PageReader, data_of

GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"
DOCUMENTS = clustered(20, each=5)


@pytest.fixture
def indexed(run):
    rows = {
        "docs": DOCUMENTS,
        "facts": [{"passage": one["id"], "triples": triples_in(one["text"])} for one in DOCUMENTS],
    }
    for name, lines in rows.items():
        Path(f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    chosen = ("--layers", "communities", "--max-cluster-size", "5")
    code, _, err = run("index", "docs.jsonl", "--triples", "facts.jsonl", *chosen)
    assert (code, err.strip()) == (0, "")
    return run


def listed(run, *arguments):
    return json.loads(run("communities", "--json", *arguments).out)


@pytest.mark.slow
def test_communities_are_a_tree_each_after_its_parent(indexed):
    tree = listed(indexed)
    assert [one["size"] for one in tree if not one["level"]] == [10, 10]
    assert {one["level"] for one in tree} == {0, 1}
    parent = ""
    for one in tree:
        if not one["level"]:
            parent = one["id"]
        else:
            assert (
                json.loads(indexed("communities", "--id", one["id"], "--json").out)["parent"]
                == parent
            )
    lines = indexed("communities").out.splitlines()
    assert [line.strip()[:8] for line in lines] == [one["id"][:8] for one in tree]
    assert [line.startswith("  ") for line in lines] == [one["level"] > 0 for one in tree]
    assert all(one["title"] and one["title"] in line for one, line in zip(tree, lines, strict=True))


@pytest.mark.slow
def test_one_level_holds_every_entity_once(indexed):
    for level in ("0", "1", "9"):
        assert sum(one["size"] for one in listed(indexed, "--level", level)) == 20
    assert {one["level"] for one in listed(indexed, "--level", "0")} == {0}


@pytest.mark.slow
def test_a_community_is_found_by_the_beginning_of_its_id(indexed):
    root = listed(indexed)[0]
    shown = json.loads(indexed("communities", "--id", root["id"][:6], "--json").out)
    assert shown["id"] == root["id"] and shown["summary"] and shown["findings"]
    assert len(shown["entities"]) == 10 and {e["name"] for e in shown["entities"]} <= set(NAMES)
    assert sum(child["size"] for child in shown["children"]) == 10
    texts = {passage["id"]: passage["text"] for passage in shown["passages"]}
    assert texts.keys() >= {id for found in shown["findings"] for id in found["passages"]}
    text = indexed("communities", "--id", root["id"][:6]).out
    assert shown["summary"] in text and shown["findings"][0]["statement"] in text
    assert all(child["id"][:8] in text for child in shown["children"])
    assert "docs.jsonl#d0" in text or "docs.jsonl#d10" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("--id", "zzz"), "no community 'zzz'"), (("--id", ""), "may be any of")],
)
def test_what_is_no_community_is_one_sentence(indexed, arguments, words):
    code, out, err = indexed("communities", *arguments)
    assert (code, out) == (1, "")
    assert words in err and err.startswith("ragraphs: ") and "\n" not in err.strip()


@pytest.mark.slow
def test_an_index_without_the_layer_says_how_to_build_it(run):
    Path("a.txt").write_text("Ann Lee met Bob Ray.")
    run("index", "a.txt", "--layers", "entities")
    code, out, err = run("communities")
    assert (code, out) == (1, "")
    assert "ragraphs index --layers communities" in err and "\n" not in err.strip()


@pytest.mark.slow
def test_an_exported_page_holds_reports_members_and_passages(indexed):
    page = indexed("export", "--format", "html").out
    data, tree = data_of(page), {one["id"]: one for one in listed(indexed)}
    [title] = PageReader(page).texts("title")
    assert title.endswith("· ragraphs") and any(name in title for name in NAMES)
    assert {one["name"] for one in data["entities"]} == set(NAMES[:20])
    reports = {one["id"]: one for one in data["reports"]}
    assert reports.keys() == tree.keys() == {one["id"] for one in data["map"]["communities"]}
    assert all(len(one["entities"]) == tree[id]["size"] for id, one in reports.items())
    assert all(one["title"] == tree[id]["title"] for id, one in reports.items())
    found = [
        cited for one in reports.values() for each in one["findings"] for cited in each["citations"]
    ]
    texts = {one["id"]: one["text"] for one in data["passages"]}
    assert found and all(one["quote"] in texts[one["passage"]] for one in found)


def test_entities_of_graphml_name_their_communities_from_the_root_down(indexed):
    graph = fromstring(indexed("export", "--format", "graphml").out)
    keys = {key.get("attr.name"): key.get("id") for key in graph.iter(f"{GRAPHML}key")}
    levels = {one["id"]: one["level"] for one in listed(indexed)}
    paths = [
        (node.findtext(f"{GRAPHML}data[@key='{keys['communities']}']") or "").split()
        for node in graph.iter(f"{GRAPHML}node")
    ]
    entities = [path for path in paths if path]
    assert len(entities) == 20 and len(paths) == 24
    assert all([levels[id] for id in path] == list(range(len(path))) for path in entities)
    assert {id for path in entities for id in path} == levels.keys()
