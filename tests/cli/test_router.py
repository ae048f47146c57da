"""``ragraphs ask`` with the router: the decision, questions to a person, streamed answers."""

from __future__ import annotations

import io
import json

import pytest
from ragraphs.cli.answers import AnswerWriter
from ragraphs.cli.show import err, out
from rich.cells import cell_len
from scripted_model import FACT, MODEL, QUESTION

PAGE = ("https://bridges.example", "Bridges", "William Arrol built the Forth Bridge.")


@pytest.fixture
def say(monkeypatch):
    """Function that types an answer on stdin."""
    return lambda text: monkeypatch.setattr("sys.stdin", io.StringIO(text))


@pytest.fixture
def web(script, tavily):
    """A model that finds nothing of use in the index, and a web that has a page."""
    nothing = {
        "Grades": {"needed": [], "related": []},
        "Answer": {"answer": "", "quotes": [], "sufficient": False},
    }

    def unless_of_the_web(kind):
        usual = getattr(script, f"_{kind.lower()}")
        return lambda human: usual(human) if "Arrol" in human else nothing[kind]

    script.replies |= {kind: unless_of_the_web(kind) for kind in nothing}
    tavily.pages = [PAGE]
    return tavily


@pytest.mark.slow
def test_without_a_method_the_router_chooses_and_the_output_says_how(run, index):
    run("index", "corpus.jsonl", "--index", "bare", "--layers", "sentences")
    ended = run("ask", QUESTION, "--json", "--index", "bare")
    result = json.loads(ended.out)
    assert ended.err == "" and result["answer"] == "John Fowler"
    assert result["decision"]["method"] == result["path"][0]["method"] == result["method"]
    assert "ragraphs index --layers hops" in result["decision"]["obstacles"]["hoprag"]
    assert [message["role"] for message in result["messages"]] == ["user", "assistant"]
    assert not {"latest", "waiting", "message", "question"} & result.keys()


@pytest.mark.slow
def test_a_method_whose_layer_is_missing_is_refused_with_the_command(run, index):
    run("index", "corpus.jsonl", "--index", "bare", "--layers", "sentences")
    ended = run("ask", QUESTION, "--method", "graphrag", "--index", "bare")
    assert (ended.code, ended.out) == (1, "")
    assert "ragraphs index" in ended.err and "\n" not in ended.err.strip()


@pytest.mark.parametrize("method", ["crag", "auto"])
@pytest.mark.parametrize(("typed", "sent"), [("y\n", 1), ("네\n", 1), ("n\n", 0), ("\n", 0)])
def test_confirm_web_asks_on_stderr_and_goes_on(run, index, web, say, method, typed, sent):
    say(typed)
    chosen = ("--method", method, *(("--escalations", "1") if method == "auto" else ()))
    ended = run("ask", QUESTION, *chosen, "--model", MODEL, "--confirm-web", "--json")
    result = json.loads(ended.out)
    assert "Search the web for these queries? forth bridge designer" in ended.err
    assert len(web.requests) == sent and result["sufficient"] == bool(sent)
    assert (result["stop_reason"] == "web_unavailable") == (not sent)


@pytest.mark.slow
@pytest.mark.parametrize(("typed", "looked_up"), [("y\n", 1), ("n\n", 0)])
def test_confirm_plan_asks_on_stderr_and_goes_on(run, index, script, say, typed, looked_up):
    say(typed)
    script.narrate()
    chosen = ("--method", "deeprag", "--model", MODEL, "--confirm-plan", "--json")
    ended = run("ask", QUESTION, *chosen)
    assert "Look up this sub-question? Which bridges were designed by John Fowler?" in ended.err
    steps = [step for step in json.loads(ended.out)["steps"] if step["number"]]
    assert len(steps) == looked_up


def test_ctrl_c_at_the_question_sends_nothing(run, index, web, say):
    say("")
    ended = run("ask", QUESTION, "--method", "crag", "--model", MODEL, "--confirm-web")
    assert ended.code == 130 and web.requests == []


@pytest.mark.slow
def test_without_confirm_web_nobody_is_asked(run, index, web, say):
    say("")
    ended = run("ask", QUESTION, "--method", "crag", "--model", MODEL)
    assert ended.code == 0 and len(web.requests) == 1 and PAGE[0] in ended.out


@pytest.mark.parametrize("method", ["auto", "crag"])
def test_a_pipe_gets_the_final_form_of_an_answer_once(run, index, openai, script, method):
    ended = run("ask", QUESTION, "--method", method, "--model", MODEL)
    assert ended.err == "" and ended.out.startswith(f"{FACT}\n  [1] “{FACT}”\n")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "crag"])
def test_a_terminal_gets_the_answer_as_it_is_written_and_once(
    run, index, openai, script, monkeypatch, method
):
    monkeypatch.setattr(out, "_force_terminal", True)
    ended = run("ask", QUESTION, "--method", method, "--model", MODEL)
    assert ended.out.startswith(f"{FACT}\n") and ended.out.count(FACT) == 2  # and as a citation
    told = run("ask", QUESTION, "--method", method, "--model", MODEL, "--json")
    assert json.loads(told.out)["answer"] == FACT and told.err == ""


@pytest.mark.parametrize("text", ["The bridge was designed, I think, by nobody.", "다리는 " * 9])
def test_an_answer_is_written_in_lines_that_end_between_words(capsys, monkeypatch, text):
    monkeypatch.setattr(out, "width", 20)
    writing = AnswerWriter()
    for place in range(0, len(text), 3):
        writing.add(text[place : place + 3], "1")
    writing.end()
    lines = capsys.readouterr().out.splitlines()
    assert max(map(cell_len, lines)) <= 20 < cell_len(text)
    assert " ".join(lines).split() == text.split() and writing.text == text


def test_an_answer_that_breaks_off_is_begun_on_a_new_line(capsys):
    writing = AnswerWriter()
    writing.add("It was", "1")
    writing.add("It was Fowler.\n\n", "2")
    writing.end()
    assert writing.text == "It was Fowler.\n\n"
    first, told, *again = capsys.readouterr().out.splitlines()
    assert (first, again[0]) == ("It was", "It was Fowler.") and "anew" in told


@pytest.mark.slow
def test_at_a_terminal_progress_says_what_is_tried_and_why(run, index, script, monkeypatch):
    missing = "Which bridges were designed by John Fowler?"
    first = iter([{"answer": "", "quotes": [], "sufficient": False, "missing": [missing]}])
    script.replies["Answer"] = lambda human: next(first, None) or script._answer(human)
    monkeypatch.setattr(err, "_force_terminal", True)
    monkeypatch.setattr(err, "width", 60)
    lines = run("ask", QUESTION, "--model", MODEL).err.splitlines()
    tried = [line for line in lines if "basic: " in line or "deeprag: " in line]
    assert len(tried) == 2 and missing[:20] in tried[1]
    assert run("ask", QUESTION, "--model", MODEL, "--json").code == 0


def test_elsewhere_than_at_a_terminal_progress_is_silent(run, index, script):
    ended = run("ask", QUESTION, "--model", MODEL)
    assert (ended.code, ended.err) == (0, "")


@pytest.mark.slow
def test_what_is_still_open_and_the_methods_tried_are_told(run, index, script):
    open_question = "In which year was John Fowler born?"
    lacking = {"answer": "", "quotes": [], "sufficient": False, "missing": [open_question]}
    script.replies["Answer"] = lacking
    script.replies["StepReading"] = {**lacking, "next": "", "source": "retrieve"}
    ended = run("ask", QUESTION, "--model", MODEL, "--top-k", "1")
    assert f"Still open: {open_question}" in ended.out
    assert "basic → deeprag · " in ended.out


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "basic"])
def test_a_statement_is_verified_with_the_sentence_that_decides_it(run, index, method):
    ended = run("ask", "--verify", FACT, "--method", method)
    assert ended.code == 0 and ended.out.startswith("supported\n")
    assert f"as stated: “{FACT}”" in ended.out
    refuted = run("ask", "--verify", FACT.replace("was", "was not"), "--method", method, "--json")
    assert json.loads(refuted.out)["answer"] == "refuted"
