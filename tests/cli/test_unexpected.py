"""Errors that nobody foresaw: one passage is left out and named, or a sentence ends the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import ragraphs
from command_line import FORTH
from ragraphs.algorithms.linear_rag import passage_records
from ragraphs.offline import model as offline
from ragraphs.offline import reading
from ragraphs.offline.extraction import extract

QUESTION = "Who designed the Forth Bridge?"


@pytest.fixture
def docs() -> None:
    Path("forth.txt").write_text(FORTH)
    Path("odd.txt").write_text("The odd bridge was designed by nobody at all.")


def failing(function: Any, *, at: str = "odd") -> Any:
    """``function``, which fails on any text that holds the word."""

    def work(*given: Any, **named: Any) -> Any:
        if at in f"{given} {named}":
            raise IndexError("out of range")
        return function(*given, **named)

    return work


def test_the_layer_sentences_leaves_out_one_passage_and_names_it(run, docs, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(passage_records, "sentences", failing(passage_records.sentences))
        indexed = run("index", ".", "--layers", "sentences")
    assert indexed.code == 0 and "2 documents in 2 passages" in indexed.out
    assert "cannot read odd.txt, characters 0–45 (IndexError: out of range)" in indexed.err
    assert "John Fowler" in run("ask", QUESTION, "--retriever", "graph").out


@pytest.mark.slow
def test_a_passage_that_cannot_be_read_is_left_out_of_the_answer_and_named(run, docs, monkeypatch):
    run("index", ".")
    monkeypatch.setattr(offline, "read", failing(reading.read))
    asked = run("ask", QUESTION)
    assert asked.code == 0 and "John Fowler" in asked.out
    assert "leaves out a passage of 'odd'" in " ".join(asked.err.split())


@pytest.mark.slow
def test_what_the_offline_reader_cannot_read_of_an_index_stands_in_the_status(
    run, docs, monkeypatch
):
    monkeypatch.setattr(extract, "extract_facts", failing(extract.extract_facts))
    indexed = run("index", ".", "--layers", "entities")
    assert "odd.txt" in indexed.err and "cannot read this (IndexError" in indexed.err
    assert "odd.txt" in run("status").out


@pytest.mark.slow
def test_a_document_that_cannot_be_cut_is_named_and_the_others_stand(run, docs, monkeypatch):
    from ragraphs.nodes.index import split

    cut = failing(split.split_text)
    monkeypatch.setattr(split, "split_text", lambda blocks, *size: cut(list(blocks), *size))
    indexed = run("index", ".")
    assert "1 document in 1 passage" in indexed.out
    assert "odd.txt cannot be cut into passages (IndexError: out of range)" in indexed.err


@pytest.mark.slow
def test_any_other_error_is_a_sentence_and_the_traceback_only_with_debug(run, docs, monkeypatch):
    from ragraphs.nodes import citing

    run("index", ".")
    monkeypatch.setattr(citing, "check_citations", failing(citing.check_citations, at="Forth"))
    asked = run("ask", QUESTION)
    assert asked.code == 1 and asked.err.startswith("ragraphs: An unexpected IndexError in")
    told = " ".join(asked.err.split())
    assert "ragraphs.nodes.citing, line" in told and "It says: out of range." in told
    assert "is safe" in told and "ragraphs --debug" in told and "Traceback" not in told
    with pytest.raises(ragraphs.UnexpectedError) as raised:
        run("--debug", "ask", QUESTION)
    assert isinstance(raised.value.__cause__, IndexError)


@pytest.mark.slow
def test_in_python_it_is_an_exception_of_the_package(run, docs, monkeypatch):
    from ragraphs.nodes import citing

    run("index", ".")
    monkeypatch.setattr(citing, "check_citations", failing(citing.check_citations, at="Forth"))
    with pytest.raises(ragraphs.UnexpectedError, match="line") as raised:
        ragraphs.build("basic", index=".ragraphs").invoke({"question": QUESTION})
    assert isinstance(raised.value.__cause__, IndexError)
