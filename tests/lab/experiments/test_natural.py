"""`lab.experiments natural`: what is claimed and found, by kind of question and source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ragraphs.evaluation.figures import recompute

from lab.experiments.natural import NaturalQuestion, is_right, stands_in

DOCUMENTS = {
    "bridge.md": "# Forth Bridge\n\nThe Forth Bridge was designed by\nJohn Fowler. It is red.",
    "notes.txt": "Paid the plumber on 3 May. The kettle leaks.",
}
QUESTIONS = (
    ("fact", "encyclopedia", "Who designed the Forth Bridge?", ["John Fowler"], "by John Fowler."),
    ("open", "notes", "What is wrong with the kettle?", [], "The kettle leaks."),
    ("unanswerable", "notes", "Who painted the Mona Lisa?", [], None),
)


@pytest.fixture
def natural_set() -> Path:
    """The folder of a small set, in the working folder."""
    folder = Path("natural")
    (folder / "documents").mkdir(parents=True)
    for name, text in DOCUMENTS.items():
        (folder / "documents" / name).write_text(text)
    rows = [
        {
            "question": question,
            "kind": kind,
            "source": source,
            "language": "en",
            "answers": answers,
            "quotes": [quote] if quote else [],
        }
        for kind, source, question, answers, quote in QUESTIONS
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


@pytest.mark.slow
def test_shares_come_by_kind_and_by_source_with_their_number(experiment, natural_set):
    kept = ("--record", "f.jsonl.gz", "--json")
    ended = experiment("natural", "natural", "--embeddings", "lexical", *kept)
    assert ended.code == 0
    result = json.loads(ended.out)
    [one] = recompute(Path("f.jsonl.gz"))["measurements"]
    assert one["command"].startswith("python -m lab.experiments natural natural")
    assert one["measures"]["basic"]["first"]["value"] == result["answers"]["all"]["first"]["value"]
    for name, found in result["quotes"].items():
        assert one["measures"][name]["found@3"]["value"] == found["all"]["3"]["value"]
    assert set(result["answers"]) == {"fact", "open", "unanswerable", "all"}
    assert result["quotes"]["hybrid"]["encyclopedia en"]["1"]["value"] == 1.0
    found = result["quotes"]["lexical"]["all"]["3"]
    assert (found["value"], found["n"]) == (1.0, 2)
    assert 0 < found["low"] < found["high"] <= 1
    assert [row["kind"] for row in result["rows"]] == ["fact", "open", "unanswerable"]
    assert result["answers"]["unanswerable"]["right"]["value"] == 0.0
    assert result["answers"]["open"]["first"]["value"] == 1.0
    said = {kind: shares["unspoken"]["value"] for kind, shares in result["answers"].items()}
    assert (said["unanswerable"], said["fact"], said["open"]) == (1.0, 0.0, 0.0)


@pytest.mark.slow
def test_the_table_names_every_kind_of_document(experiment, natural_set):
    shown = experiment("natural", "natural", "--embeddings", "lexical").out
    assert all(
        name in shown for name in ("encyclopedia en", "notes en", "unanswerable", "by graph")
    )


def test_a_folder_that_is_no_such_set_is_told(experiment, question_set):
    ended = experiment("natural", question_set, "--json")
    assert ended.code == 1 and "each line needs" in ended.err


def test_a_quote_is_found_where_its_larger_part_stands():
    quote = "It was on a dreary night of November that I beheld my man completed."
    assert stands_in(quote, f"Chapter 5. {quote}")
    assert stands_in(quote, quote[:50]) and stands_in(quote, quote[-50:])
    assert not stands_in(quote, quote[:30])


@pytest.mark.parametrize(
    ("answer", "right"),
    [("No, it is red.", True), ("Yes", False), ("There is no such thing", False)],
)
def test_yes_and_no_are_judged_by_the_first_word(answer, right):
    question = NaturalQuestion("Is it blue?", "yes_no", "notes en", ("no",), ())
    assert is_right(question, answer) is right
