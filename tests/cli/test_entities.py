"""``ragraphs entities`` and ``ragraphs index --triples``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

LINE = {
    "passage": "a.txt",
    "entities": ["Ann Lee", "Bob Ray", "Rome"],
    "triples": [["Ann Lee", "met", "Bob Ray"], ["Bob Ray", "left", "Rome"]],
}


@pytest.fixture
def indexed(run):
    Path("docs").mkdir()
    Path("docs/a.txt").write_text("Ann Lee met Bob Ray, who left Rome.")
    Path("facts.jsonl").write_text(json.dumps(LINE))
    code, _, err = run("index", "docs", "--triples", "facts.jsonl")
    assert (code, err.strip()) == (0, "")
    return run


def listed(run, *arguments):
    return {
        one["name"]: one for one in json.loads(run("entities", "list", "--json", *arguments)[1])
    }


@pytest.mark.slow
def test_entities_are_listed_and_shown(indexed):
    assert set(listed(indexed)) == {"Ann Lee", "Bob Ray", "Rome"}
    assert len(listed(indexed, "--limit", "2")) == 2
    assert set(listed(indexed, "ray")) == {"Bob Ray"}
    code, out, _ = indexed("entities", "show", "bob ray")
    assert code == 0
    assert "Ann Lee | met | Bob Ray" in out and "docs/a.txt" in out
    (shown,) = json.loads(indexed("entities", "show", "Rome", "--json")[1])
    assert shown["relations"][0]["source"] == "Bob Ray"
    whole = indexed("entities", "list")[1]
    assert "Rome" in whole and "more than" not in whole
    assert "There are more than these 2" in indexed("entities", "list", "--limit", "2")[1]
    assert "No name was taken" in indexed("entities", "merges")[1]


@pytest.mark.slow
def test_names_are_merged_and_split_again(indexed):
    assert indexed("entities", "merge", "Ann Lee", "Bob Ray")[0] == 0
    assert set(listed(indexed)) < {"Ann Lee", "Bob Ray", "Rome"}
    (merge,) = json.loads(indexed("entities", "merges", "--json")[1])
    assert merge["reason"] == "correction"
    assert "correction" in indexed("entities", "merges")[1]
    indexed("index")
    assert len(listed(indexed)) == 2
    result = json.loads(indexed("entities", "split", "Ann Lee", "Bob Ray", "--json")[1])
    assert {one["name"] for one in result["entities"]} == {"Ann Lee", "Bob Ray"}
    assert len(listed(indexed)) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("show", "Nobody"), "no entity 'Nobody'"),
        (("list", "Nobody"), "No entity has 'Nobody'"),
        (("merge", "Rome", "Nobody"), "no entity 'Nobody'"),
        (("split", "Rome", "Bob Ray"), "two entities already"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(indexed, arguments, words):
    code, out, err = indexed("entities", *arguments)
    assert (code, out) == (1, "")
    assert words in err and err.startswith("ragraphs: ") and "\n" not in err.strip()


@pytest.mark.slow
def test_an_index_without_the_layer_says_how_to_build_it(run):
    Path("a.txt").write_text("Ann Lee met Bob Ray.")
    run("index", "a.txt", "--layers", "passages")
    code, _, err = run("entities", "list")
    assert code == 1
    assert "ragraphs index --layers entities" in err


def test_a_line_that_cannot_be_imported_ends_with_code_1(indexed):
    Path("facts.jsonl").write_text('{"passage": "b.txt", "triples": []}\n')
    code, _, err = indexed("index", "--triples", "facts.jsonl")
    assert code == 1
    assert "facts.jsonl, line 1" in err and "no document 'b.txt'" in err
