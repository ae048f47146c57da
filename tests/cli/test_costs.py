"""The command line asks before it spends anything."""

from __future__ import annotations

import io
import re

import pytest
from communities_support import MODEL, Script, clustered
from ragraphs.context import Context

LAYERS = ("--layers", "hops,communities", "--model", MODEL)


@pytest.fixture
def docs(tmp_path):
    for document in clustered(10):
        (tmp_path / f"{document['id']}.txt").write_text(document["text"])
    return tmp_path


@pytest.fixture
def model(openai) -> Script:
    return Script(openai)


@pytest.fixture
def say(monkeypatch):
    """Somebody at the keyboard, who answers with a line."""

    class Keyboard(io.StringIO):
        def isatty(self) -> bool:
            return True

    return lambda line: monkeypatch.setattr("sys.stdin", Keyboard(f"{line}\n"))


@pytest.mark.slow
def test_nothing_is_sent_before_somebody_agrees(run, docs, model, say):
    say("n")
    ended = run("index", str(docs / "*.txt"), *LAYERS)
    assert (ended.code, model.asked) == (0, [])
    assert "tokens. Go on?" in ended.err
    assert "reports on communities, which follow from what is read, are not counted" in " ".join(
        ended.err.split()
    )
    assert not Context().folder.exists()


@pytest.mark.slow
def test_whoever_agrees_gets_an_index_and_is_not_asked_where_nothing_is_missing(
    run, docs, model, say
):
    say("y")
    assert "10 documents added" in run("index", str(docs / "*.txt"), *LAYERS).out
    asked = len(model.asked)
    say("n")
    ended = run("index", str(docs / "*.txt"))
    assert "10 unchanged" in ended.out and "Go on?" not in ended.err
    assert len(model.asked) == asked


@pytest.mark.slow
def test_what_an_index_and_a_correction_cost_is_told(run, docs, model):
    def wordy(human: str) -> dict:
        """Descriptions that are too long to be joined without a request."""
        reading = model.passagereading(human)
        for one in reading["entities"]:
            walks = (f"{one['name']} walked to house {number}." for number in range(20))
            one["description"] = " ".join(walks)
        return reading

    model.answers["PassageReading"] = wordy
    ended = run("index", str(docs / "*.txt"), *LAYERS)
    assert f"{MODEL}: {len(model.asked)} calls" in ended.out
    names = [document["title"] for document in clustered(10)]
    model.asked.clear()
    told = run("entities", "merge", names[0], names[5])
    assert model.counts["Description"] == 1
    assert f"{MODEL}: 1 call" in told.out
    run("index")  # reports on what was merged
    assert "calls" not in run("index").out


@pytest.mark.slow
def test_a_recorded_model_costs_as_much_as_a_named_one(run, docs, model, say):
    say("y")
    run("index", str(docs / "*.txt"), *LAYERS)
    (docs / "d0.txt").write_text("Somebody else entirely.")
    asked = len(model.asked)
    say("n")
    assert "Go on?" in run("index", str(docs / "*.txt")).err
    assert len(model.asked) == asked


def test_the_time_of_a_dry_run_counts_the_replies_of_the_model_apart(run, docs, model):
    told = " ".join(run("index", str(docs / "*.txt"), *LAYERS, "--dry-run").out.split())
    replies = int(re.findall(r"(\d+) replies of a model missing", told)[0])
    assert f"about {round(replies / 6)} minutes at 10 s a reply, one at a time." in told
    assert model.asked == []


def test_a_dry_run_of_the_offline_reader_says_nothing_of_costs(run, docs):
    ended = run("index", str(docs / "*.txt"), "--layers", "communities", "--dry-run")
    assert "nothing costs money" in ended.out
    assert "not counted" not in ended.err
