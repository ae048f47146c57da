"""`lab.experiments trust`: what is believed of a reader, and what rules make of kept answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ragraphs.evaluation.datasets import LabelledQuestion

from lab.experiments.trust import divided


def test_rules_go_over_kept_answers(experiment):
    cited = [{"title": "Elbe bridge", "quote": "The Elbe bridge was opened by Anna Berg."}]
    rows = [
        {"question": "Who opened the Elbe bridge?", "answer": answer, "citations": cited}
        for answer in ("Anna Berg", "Karl Lund")
    ]
    Path("kept.jsonl").write_text("\n".join(map(json.dumps, rows)))
    ended = experiment("trust", "kept.jsonl", "--replay", "--json")
    result = json.loads(ended.out)
    assert (result["answers"], result["refused"]["value"], result["doubted"]["value"]) == (
        2,
        0.5,
        0,
    )
    assert [row["answer"] for row in result["rows"]] == ["Karl Lund"]


def test_a_file_that_cannot_be_replayed_is_told(experiment):
    ended = experiment("trust", "nowhere.jsonl", "--replay")
    assert ended.code == 1 and "each line needs" in ended.err


@pytest.mark.parametrize(("unanswerable", "asked"), [(0, ["a", "b", "c"]), (1, ["a"])])
def test_the_last_questions_lose_their_support(unanswerable, asked):
    support = {"a": "1", "b": "2", "c": "2"}
    questions = [
        LabelledQuestion(id, f"{id}?", ("yes",), "", frozenset({passage}))
        for id, passage in support.items()
    ]
    kept, lost = divided(questions, unanswerable, None)
    assert [one.id for one in kept] == asked and len(lost) == unanswerable
