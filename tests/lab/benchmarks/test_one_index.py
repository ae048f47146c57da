"""Measuring retrieval where several sets share one index."""

from __future__ import annotations

import json

import pytest
from ragraphs.evaluation.figures import read_figures

from lab.benchmarks.one_index import main


@pytest.mark.slow
def test_each_set_is_measured_among_the_passages_of_all(tmp_path, capsys):
    bridge, oven = "Who designed the Forth Bridge?", "What is bread baked in?"
    for name, text, question in (
        ("bridges", "The Forth Bridge was designed by John Fowler.", bridge),
        ("kitchens", "Bread is baked in an oven.", oven),
    ):
        (tmp_path / name).mkdir()
        passage = {"id": "1", "title": name, "text": text}
        asked = {"id": name, "question": question, "answer": "", "supporting": ["1"]}
        (tmp_path / name / "passages.jsonl").write_text(json.dumps(passage))
        (tmp_path / name / "questions.jsonl").write_text(json.dumps(asked))
    kept = tmp_path / "kept.jsonl.gz"
    sets = [str(tmp_path / name) for name in ("bridges", "kitchens")]
    main(sets, "lexical", str(tmp_path / "index"), ["graph", "lexical"], kept)
    told = capsys.readouterr().out
    assert told.startswith("2 documents, 2 passages")
    assert "| kitchens | graph | 100.0 (100) | 100.0 (100) |" in told
    [one] = read_figures(kept)
    assert len(one.outputs) == 4
    [found] = [row.found for row in one.outputs if row.method == "bridges, graph"]
    assert found is not None and found[0] == "1"


@pytest.mark.slow
def test_a_passage_that_stands_in_two_sets_counts_for_both(tmp_path, capsys):
    for name, text in (
        ("bridges", "The Forth Bridge was designed by John Fowler (1817)."),
        ("engineers", "The Forth Bridge was designed by John Fowler( 1817)."),
    ):
        (tmp_path / name).mkdir()
        passage = {"id": name[0], "title": "Forth", "text": text}
        asked = {"id": "1", "question": "Who designed it?", "answer": "", "supporting": [name[0]]}
        (tmp_path / name / "passages.jsonl").write_text(json.dumps(passage))
        (tmp_path / name / "questions.jsonl").write_text(json.dumps(asked))
    sets = [str(tmp_path / name) for name in ("bridges", "engineers")]
    main(sets, "lexical", str(tmp_path / "index"), ["lexical"], None)
    told = capsys.readouterr().out
    assert "| bridges | lexical | 100.0 (100) |" in told
    assert "| engineers | lexical | 100.0 (100) |" in told
