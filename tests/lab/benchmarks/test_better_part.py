"""Telling where *hybrid* and *graph* find less than the better of *lexical* and *vector*."""

from __future__ import annotations

import json

import pytest
from ragraphs.evaluation.figures import read_figures

from lab.benchmarks.better_part import Ranked, RetrievalCase, cell, main


def ranked(*places: tuple[int | None, int | None, int | None]) -> list[Ranked]:
    """Cases with these places by lexical, vector and hybrid."""
    case = RetrievalCase("", "", lambda found, home: [])
    names = ("lexical", "vector", "hybrid")
    return [Ranked(case, dict(zip(names, each, strict=True))) for each in places]


def test_a_difference_of_one_question_is_no_finding():
    one = ranked((1, None, 2), (1, 1, 1), (2, None, 1))
    assert not cell(one, "hybrid", 1).is_below
    found = cell([*one, *ranked((1, None, 3), (1, None, None))], "hybrid", 1)
    assert found.is_below and found.part == "lexical"
    assert (found.by_part, found.found, found.lost, found.won) == (4, 2, 3, 1)
    assert found.chance == 5 / 16  # three or four heads of four coins


@pytest.mark.slow
def test_sets_of_both_forms_are_measured_and_kept(tmp_path, capsys):
    (tmp_path / "notes" / "documents").mkdir(parents=True)
    text = "The Forth Bridge was designed by John Fowler."
    (tmp_path / "notes" / "documents" / "bridge.txt").write_text(text)
    asked = {
        "question": "Who designed the Forth Bridge?",
        **{"kind": "fact", "source": "notes", "language": "en", "answers": [], "quotes": [text]},
    }
    unasked = {**asked, "question": "Who painted it?", "quotes": []}
    rows = "\n".join(map(json.dumps, (asked, unasked)))
    (tmp_path / "notes" / "questions.jsonl").write_text(rows)
    (tmp_path / "pages" / "guide").mkdir(parents=True)
    (tmp_path / "pages" / "guide" / "serve.md").write_text("# Serving\n\nRun the server.")
    (tmp_path / "pages" / "guide" / "bake.md").write_text("# Baking\n\nHeat the oven.")
    page = {"question": "How do I run the server?", "pages": ["serve.md"]}
    (tmp_path / "guide.jsonl").write_text(json.dumps(page))
    kept = tmp_path / "kept.jsonl.gz"
    sets = [str(tmp_path / "notes"), str(tmp_path / "guide.jsonl")]
    main(sets, tmp_path / "pages", ["lexical"], tmp_path / "indexes", kept)
    told = capsys.readouterr().out
    assert "| notes, lexical | 1 | 1, 1, 1, 1 |" in told
    assert "| guide, lexical | 1 | 1, 1, 1, 1 |" in told
    assert "| all, lexical | 2 | 2, 2, 2, 2 |" in told and "None is below." in told
    [one] = read_figures(kept)
    assert len(one.outputs) == 2 * 4
    assert {row.scores["found@1"] for row in one.outputs} == {1.0}
