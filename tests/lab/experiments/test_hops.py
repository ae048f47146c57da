"""``lab.experiments hops``: HopRAG's walks, with labels that are wrong at several rates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

PEOPLE = "Bell Dorn Falk Hahn Jung Lind Nash Pohl Rust Wirth".split()
TOWNS = "Aston Bremen Cardiff Dover Exeter Fulda Ghent Hanau Ipswich Jena".split()


@pytest.fixture
def folder() -> str:
    """A set of ten bridges, whose designers are told in texts of their own."""
    passages, questions = [], []
    for name, town in zip(PEOPLE, TOWNS, strict=True):
        person, bridge = f"Ada {name}", f"{name[::-1].title()} Bridge"
        passages += [
            {"id": bridge, "title": bridge, "text": f"The {bridge} was designed by {person}."},
            {"id": person, "title": person, "text": f"{person} was born in {town} in 1850."},
        ]
        asked = f"Where was the designer of the {bridge} born?"
        gold = [bridge, person]
        row = {"id": bridge, "question": asked, "answer": town, "supporting": gold}
        questions.append(row)
    Path("set").mkdir()
    for file, rows in (("passages", passages), ("questions", questions)):
        Path(f"set/{file}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "set"


@pytest.mark.slow
def test_right_labels_find_what_the_question_does_not_name_and_chance_weighs_nothing(
    experiment, folder
):
    errors = ("--error", "0", "--error", "0.5")
    ended = experiment("hops", folder, *errors, "--embeddings", "lexical", "--json")
    assert (ended.code, ended.err) == (0, "")
    found = json.loads(ended.out)
    rows = {(row["way"], row["error"]): row for row in found["rows"]}
    assert found["questions"] == 10
    labels, chance = rows["labels of every hop", 0], rows["labels of every hop", 0.5]
    assert labels["skill"] == 1.0 and chance["skill"] < 0.3
    before = rows["no hops", None]["recall"]
    assert labels["recall"]["5"] > before["5"]
    assert labels["recall"]["5"] >= chance["recall"]["5"] >= before["5"]
    assert {"as printed, similarity", "as printed, labels"} <= {way for way, _ in rows}
