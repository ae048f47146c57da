"""`ragraphs chat`: follow-ups, citations that open, Ctrl-C and Ctrl-D, and a pipe."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from http_stub import Response
from rich.cells import cell_len
from scripted_model import FACT, MODEL, QUESTION
from terminal import at_terminal

COMMAND = str(Path(sys.executable).with_name("ragraphs"))


@pytest.fixture
def pipe(run, index, monkeypatch):
    """Runs a chat whose questions come from a pipe."""

    def chat(*lines: str, **chosen: str):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        flags = [word for name, value in chosen.items() for word in (f"--{name}", value)]
        return run("chat", *flags)

    return chat


@pytest.mark.slow
def test_a_follow_up_is_understood_and_a_new_conversation_forgets(pipe, script):
    ended = pipe(QUESTION, "And where was he born?", "/new", "And where was he born?", model=MODEL)
    assert ended.code == 0 and ended.err == ""
    assert ended.out.count(f"> {QUESTION}\n{FACT}\n  [1] “{FACT}”\n") == 1
    assert ended.out.count(f"Understood as: {QUESTION}") == 1
    assert script.kinds.count("StandAloneQuestion") == 1
    assert FACT in script.prompts("StandAloneQuestion")[0]


@pytest.mark.slow
def test_a_citation_opens_with_the_quote_marked_in_its_passage(pipe, script):
    *_, opened, other = pipe(QUESTION, "/open 1", "/open 7", model=MODEL).out.split("> /open ")
    assert f"«{FACT}» It crosses the Firth of Forth." in " ".join(opened.split())
    assert "corpus.jsonl" in opened and other.strip() == "7"


@pytest.mark.slow
def test_without_a_model_the_passages_that_are_shown_can_be_opened(pipe):
    first, second, opened = pipe(QUESTION, "Where was he born?", "/open 1").out.split("\n> ")
    assert "1  Forth Bridge  " in first and "Understood as: Where was John Fowler born?" in second
    assert "«John Fowler was born in Sheffield in 1817.»" in opened


@pytest.mark.slow
def test_neighbouring_text_of_the_document_stands_around_an_opened_passage(run, pipe, script):
    sentences = "".join(f"\n\nSentence {n} tells of nothing that matters much." for n in range(60))
    Path("long.txt").write_text(f"{sentences}\n\nThe Ely Bridge was built by Ada.{sentences}")
    assert run("index", "long.txt", "--chunk-tokens", "20", "--index", "long").code == 0
    script.replies["Answer"] = lambda human: script.quoting(human, "Ely Bridge was built by Ada.")
    ended = pipe("Who built the Ely Bridge?", "/open 1", model=MODEL, index="long")
    opened = ended.out.partition("/open 1")[2]
    lines = [line.strip() for line in opened.splitlines()]
    assert lines[2].startswith("…") and lines[-1].endswith("…")
    assert any("«Ely Bridge was built by Ada.»" in line for line in lines[3:-1])


@pytest.mark.slow
def test_commands_list_the_documents_and_the_cost(pipe, script):
    ended = pipe("/cost", QUESTION, "/cost", "/documents", "/help", "/quit", QUESTION, model=MODEL)
    assert "> /cost\nno calls\n" in ended.out
    assert f"> /cost\n{MODEL}: 1 call, 107 tokens\n" in ended.out
    assert "Tay Bridge  (1 passage)" in ended.out and "/open N" in ended.out
    assert len(script.asked) == 1


@pytest.mark.slow
def test_a_line_that_fails_is_told_and_the_next_is_answered(pipe, script):
    lines = ("/magic", "/open 1", "word " * 10_000, "\x1b[2J\x9b", QUESTION)
    ended = pipe(*lines, model=MODEL)
    unknown, nothing, long, *_ = ended.err.splitlines()
    assert ended.code == 1 and FACT in ended.out
    assert "/magic; the commands are /open, " in unknown and "ask first" in nothing
    assert "question" in long and "\x1b[2J" not in ended.out + ended.err


def test_a_chat_over_no_index_ends_in_one_sentence(run):
    ended = run("chat", "--index", "none")
    assert ended.code == 1 and ended.out == "" and ended.err.startswith("ragraphs: There is no ind")


@pytest.mark.slow
def test_a_person_stops_an_answer_opens_a_citation_and_leaves(index, openai, script):
    """In a terminal of 60 columns."""
    first = iter([Response({}, seconds=30)])
    script.replies["Answer"] = lambda human: next(first, None) or script._answer(human)
    command = [COMMAND, "chat", "--model", MODEL, "--method", "basic"]
    keys = {"RAGRAPHS_EMBEDDINGS": "lexical", "OPENAI_BASE_URL": openai.base_url}
    with at_terminal(command, keys, width=60) as terminal:
        terminal.sees("> ")
        terminal.types(f"{QUESTION}\n")
        terminal.sees(QUESTION)
        terminal.waits(lambda: script.asked, "request to the model")
        terminal.types("\x03")
        terminal.sees("Stopped.")
        terminal.sees("> ")
        terminal.types(f"{QUESTION}\n")
        answered = terminal.sees("107 tokens")
        terminal.sees("> ")
        terminal.types("/open 1\n")
        terminal.sees("Firth of Forth.")
        terminal.sees("> ")
        terminal.stops("Ctrl-D leaves.")
        terminal.sees("> ")
        terminal.types("\x04")
        assert terminal.ends()[0] == 0
    lines = answered.splitlines()
    assert FACT in lines and f"  [1] “{FACT}”" in lines
    assert max(map(cell_len, lines)) <= 60
