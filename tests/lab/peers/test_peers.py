"""``python -m lab.peers``: the forms of a stub's replies, and a run of ours over HTTP."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest
from question_set import write_set
from ragraphs.evaluation.datasets import LabelledQuestion, load_dataset
from ragraphs.evaluation.figures import read_figures
from ragraphs.state.errors import RagraphsError

from lab.peers.__main__ import PEERS, drawn, installed, is_right, main
from lab.peers.replies import reply_to

TEXT = "Brooklyn Bridge\n\nThe Brooklyn Bridge was designed by John Roebling in New York."
LIGHTRAG = f"Extract.\n\n---Input Text---\n```\n{TEXT}\n```\n\n---Output---\n"
MICROSOFT = (
    f"-Examples-\nText:\nAn example.\n{'#' * 22}\nOutput:\n"
    f"-Real Data-\n{'#' * 22}\nEntity_types: person\nText: {TEXT}\n{'#' * 22}\nOutput:"
)


def reply(content: str, kind: str = "") -> str:
    return reply_to([{"role": "user", "content": content}], kind)


def test_each_system_gets_the_same_entities_in_its_own_form():
    rows = [line.split("<|#|>") for line in reply(LIGHTRAG).splitlines()]
    assert rows[-1] == ["<|COMPLETE|>"]
    names = {row[1] for row in rows if row[0] == "entity"}
    assert {"Brooklyn Bridge", "John Roebling"} <= names
    assert {len(row) for row in rows[:-1]} == {4, 5}
    records = reply(MICROSOFT).removesuffix("<|COMPLETE|>").split("##")
    assert all(one.startswith(('("entity"<|>', '("relationship"<|>')) for one in records)
    told = {one.split("<|>")[1] for one in records if one.startswith('("entity"')}
    assert told == {name.upper() for name in names}
    ours = json.loads(reply(f'<text id="1" title="">\n{TEXT}\n</text>', "PassageReading"))
    assert {one["name"] for one in ours["entities"]} == names


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("MANY entities were missed in the last extraction.", "<|COMPLETE|>"),
        ("Based on the last extraction task, identify any missed entities.", "<|COMPLETE|>"),
        ("It appears some entities may have been missed. Answer YES | NO.", "NO"),
        ("Answer Y if there are still entities to be added, or N if there are none.", "N"),
    ],
)
def test_nothing_was_missed(prompt, expected):
    assert reply(prompt) == expected


def test_reports_and_keywords_are_json_and_anything_else_is_a_sentence_of_the_prompt():
    report = json.loads(reply(f"Say title, summary, rating_explanation.\n{TEXT}"))
    assert report["findings"][0]["explanation"] in TEXT
    asked = 'Give "high_level_keywords".\nUser Query: Who designed the Forth Bridge?\n\nOutput:'
    assert json.loads(reply(asked))["low_level_keywords"] == ["Who", "Forth", "Bridge"]
    assert reply(f"{TEXT}\nWho designed it?") in TEXT


def test_all_support_is_drawn_and_the_same_seed_draws_the_same():
    write_set()
    given = load_dataset("set")
    asked, documents = drawn(given, 2, 3, seed=1)
    rows = map(json.loads, Path("set/passages.jsonl").read_text().splitlines())
    titles = {row["id"]: row["title"] for row in rows}
    wanted = {titles[id] for one in asked for id in one.supporting}
    assert wanted <= {one["title"] for one in documents}
    assert drawn(given, 2, 3, seed=1) == (asked, documents)


@pytest.mark.parametrize(
    ("answer", "right"), [("It lies off the north-western coast.", 1.0), ("In the south.", 0.0)]
)
def test_an_answer_is_right_that_holds_a_gold_one(answer, right):
    gold = LabelledQuestion("1", "Where?", ("the north - western coast",), "", frozenset())
    assert is_right(answer, gold) == right


@pytest.mark.parametrize("name", PEERS)
def test_each_peer_has_a_driver_that_imports_without_the_system(name):
    driver = import_module(f"lab.peers.drivers.{name}")
    assert driver.index and driver.opened


def test_two_ways_of_one_system_share_an_environment(tmp_path, monkeypatch):
    monkeypatch.setattr("lab.peers.__main__.venv.create", None)  # nothing is installed
    place = tmp_path / "graphrag"
    (place / "bin").mkdir(parents=True)
    (place / "installed").touch()
    found = {installed(name, tmp_path) for name in ("graphrag", "graphrag_whole")}
    assert found == {place.resolve() / "bin" / "python"}


def test_an_unknown_peer_is_refused_before_anything_is_installed(tmp_path):
    with pytest.raises(RagraphsError, match=f"choose from {', '.join(PEERS)}"):
        main("set", tmp_path / "venvs", tmp_path / "out", peer=["other"])
    assert not (tmp_path / "venvs").exists()


@pytest.mark.slow
def test_ours_is_indexed_and_asked_over_http_and_its_requests_are_counted(tmp_path, capsys):
    write_set()
    given = {"peer": ["ragraphs"], "questions": 2, "passages": 3, "milliseconds": 1}
    main("set", tmp_path / "venvs", tmp_path / "out", **given, kept=tmp_path / "f.jsonl.gz")
    found = json.loads((tmp_path / "out" / "ragraphs.json").read_text())
    assert found["index"]["calls"] >= 3 and found["index"]["embedded"] > 0
    assert all(row["calls"] >= 1 and row["answer"] for row in found["answers"])
    [one] = read_figures(tmp_path / "f.jsonl.gz")
    assert [row.method for row in one.outputs] == ["ragraphs, index", "ragraphs", "ragraphs"]
    assert one.outputs[0].calls == found["index"]["calls"]
    assert json.loads(capsys.readouterr().out)["peer"] == "ragraphs"
