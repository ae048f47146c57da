"""A model that cannot be reached: the cause first, then what a search finds, and a failure."""

from __future__ import annotations

import json

import pytest
from ragraphs.settings import settings
from stub_openai import failure

TEXT = "The Forth Bridge was designed by John Fowler and Benjamin Baker. It was opened in 1890."


@pytest.fixture
def index(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "forth.txt").write_text(TEXT)
    assert run("index", "forth.txt", "--embeddings", "lexical").code == 0


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "basic", "crag", "deeprag"])
def test_the_cause_comes_first_then_what_a_search_finds_with_its_marks(run, openai, index, method):
    openai.answer = lambda _: failure(401, "Incorrect API key provided.")
    asked = ("ask", "Who designed the Forth Bridge?", "--model", "openai:stub", "--method", method)
    ended = run(*asked)
    assert ended.code == 1
    assert "401: Incorrect API key provided" in ended.err and "OPENAI_API_KEY" in ended.err
    assert "«The Forth Bridge was designed by John Fowler and Benjamin Baker.»" in ended.out
    assert len(openai.chats) == 1
    told = run(*asked, "--json")
    result = json.loads(told.out)
    assert told.code == 1 and "Incorrect API key" in result["warnings"][0]
    assert (result["answer"], result["sufficient"]) == ("", False)
    assert result["stop_reason"] == "model_failed" and result["evidence"]


def test_a_server_that_is_not_there_is_told_with_its_address(run, openai, index, monkeypatch):
    openai.close()
    settings.cache_clear()
    ended = run("ask", "Who designed the Forth Bridge?", "--model", "openai:stub")
    assert ended.code == 1 and "OPENAI_BASE_URL" in ended.err
    assert "«The Forth Bridge was designed by John Fowler and Benjamin Baker.»" in ended.out


def test_a_wrong_key_leaves_an_index_as_it_was_read_before(run, openai, index):
    assert run("index", "forth.txt").code == 0
    before = told(run)
    openai.answer = lambda _: failure(401, "Incorrect API key provided.")
    ended = run("index", "forth.txt", "--model", "openai:stub", "--yes")
    assert ended.code == 1
    assert "Incorrect API key" in ended.err and "OPENAI_API_KEY" in ended.err
    assert told(run) == before
    assert run("index").code == 0 and told(run) == before


@pytest.mark.parametrize("status", [429, 500])
def test_a_server_that_fails_leaves_what_another_reader_read(run, openai, index, status):
    """Its quota may be used up: the passages are read by it later, and hop as before meanwhile."""
    assert run("index", "forth.txt").code == 0
    before = told(run)
    openai.answer = lambda _: failure(status, "Not now.")
    ended = run("index", "forth.txt", "--model", "openai:stub", "--yes", "--max-retries", "0")
    assert ended.code == 1 and f"({status}: Not now); " in ended.err + ended.out
    after = told(run)
    kept = ("entities", "hop_edges", "communities", "relations")
    assert {key: after.get(key) for key in kept} == {key: before.get(key) for key in kept}


@pytest.mark.parametrize("method", ["basic", "crag"])
def test_marks_stand_where_the_server_fails_for_now(run, openai, index, method):
    openai.answer = lambda _: failure(500, "Not now.")
    asked = ("ask", "Who designed the Forth Bridge?", "--model", "openai:stub", "--method", method)
    ended = run(*asked, "--max-retries", "0")
    assert ended.code == 1
    assert "(500: Not now); try again, or look at the log of its server." in ended.err
    assert "«The Forth Bridge was designed by John Fowler and Benjamin Baker.»" in ended.out


def told(run):
    """The state of the index, but for its size on the disk."""
    return {**json.loads(run("status", "--json").out), "bytes": 0}
