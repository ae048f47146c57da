"""Any text, real or made up, is taken by every function that splits, reads or marks one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.attack.reading import READERS
from lab.attack.texts import Fault, TextPiece, drawn_from, read_all, worked

PARTS = [
    "| a | b |", "|---|:-:|", "a | b", "--- | ---", "+---+", "+===+", "bool | str", "\\|", "|",
    "||", "```", "```py", "~~~", "    x = f(1)", "def f(a):", "    return a.b", "}", ">>> f(x);",
    "$ ls", "- item", "1. Item", "* [ ] to do", "> quoted", "“Bah!”", '"He said.', "» so", "'tis",
    "…", "Title", "=====", "# Head", "::", ".. note::", "<b>", "<!--", "[a](b)", "[^1]:", "---",
    "+++", "Marie Curie", "(born 1867)", "was opened in 1890.", "Dr.", "e.g.", "3.5", "No. 5",
    "서울은 크다.", "그는 갔다", "東京。", "مرحبا",
    "Привет.", "é\u0301", "\u200b", "\x0b", "\u2028", "\t", "\r",
]  # fmt: skip
ENDS = st.sampled_from([" ", "\n", "\n", "\n\n", ""])
TEXTS = st.lists(st.tuples(st.sampled_from(PARTS), ENDS), max_size=30).map(
    lambda parts: "".join(part + end for part, end in parts)
)


@pytest.mark.slow
@given(TEXTS)
def test_every_function_takes_any_mixture(text: str):
    for work in READERS.values():
        work(text)


def test_pieces_of_files_are_read_and_faults_are_told(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("The bridge is old. " * 50)
    (tmp_path / "b.bin").write_bytes(b"\0\1")
    (tmp_path / "c.txt").write_bytes(b"caf\xe9 " * 50)
    pieces = list(drawn_from(tmp_path, 10, seed=1))
    assert pieces == list(drawn_from(tmp_path, 10, seed=1))
    assert {piece.file for piece in pieces} == {"a.txt", "c.txt"}
    assert all(len(piece.text) <= 2_000 for piece in pieces)

    def work(text: str) -> None:
        if "café" in text:
            raise IndexError(1)

    monkeypatch.setattr("lab.attack.texts.READERS", {"work": work})
    faults, slowest = read_all(pieces, 10.0)
    assert {(one.file, one.error) for one in faults} == {("c.txt", "IndexError(1)")}
    assert 0 < slowest["work"] < 10
    english = [piece for piece in pieces if piece.file == "a.txt"]
    assert {one.error for one in read_all(english, 0.0)[0]} == {""}  # all took longer


@pytest.mark.slow
def test_a_run_that_ended_goes_on_where_it_was(tmp_path):
    groups = [[TextPiece(name, 0, "The bridge is old.")] for name in ("a.txt", "b.txt")]
    fault = Fault("work", "a.txt", 0, "IndexError(1)", 0.0, "The bridge is old.")
    out = tmp_path / "faults.jsonl"
    out.write_text(json.dumps([[fault._asdict()], {"work": 0.5}]) + "\n")
    done = list(worked(groups, 10.0, 1, out))
    assert done[0] == ([fault], {"work": 0.5})
    assert done[1][0] == [] and done[1][1].keys() == READERS.keys()
    assert list(worked(groups, 10.0, 1, out)) == done  # nothing is left to do


@pytest.mark.parametrize("text", ["", " ", "\n", "|", "```", "."])
@pytest.mark.parametrize("name", READERS)
def test_texts_of_a_sign_are_taken(name: str, text: str):
    READERS[name](text)
