"""Logs and prices on the command line."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import Run
from scripted_model import MODEL, QUESTION, TEXTS, Script
from stub_openai import OpenAIStub


@pytest.fixture(autouse=True)
def quiet_again() -> Iterator[None]:
    """A command ends with its process; here the next test follows."""
    logger = logging.getLogger("ragraphs")
    handlers, level = list(logger.handlers), logger.level
    yield
    logger.handlers[:] = handlers
    logger.setLevel(level)


@pytest.mark.slow
def test_a_question_is_logged_and_priced_and_its_reply_costs_nothing_again(
    run: Run, openai: OpenAIStub
) -> None:
    Script(openai)
    Path("docs").mkdir()
    for title, text in TEXTS.items():
        Path("docs", f"{title}.txt").write_text(text, encoding="utf-8")
    prices = {"prices": {MODEL: {"input": 10_000, "output": 20_000}}}
    Path("prices.json").write_text(json.dumps(prices), encoding="utf-8")
    told = run("index", "docs", "-v").err
    assert "INFO ragraphs.graphs: index ends" in told and "DEBUG" not in told

    asking = ("ask", QUESTION, "--model", MODEL, "--method", "basic")
    unpriced = run(*asking).out
    assert "1 call, 107 tokens" in unpriced and "$" not in unpriced
    priced = ("--prices", "prices.json")
    assert "1 reused" in (again := run(*asking, *priced).out) and "$" not in again
    other = run("ask", "And the Forth Bridge?", *asking[2:], *priced, "-vv")
    assert "1 call, 107 tokens · $1.14" in other.out
    assert "DEBUG ragraphs.models: openai:stub replied with" in other.err
    status = json.loads(run("status", *priced, "--json").out)
    assert (status["reply_tokens"], status["reply_cost"]) == (214, 2.28)


def test_a_file_of_prices_that_is_not_there_is_a_sentence(run: Run) -> None:
    ended = run("ask", QUESTION, "--prices", "none.json", "--method", "basic")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("ragraphs: The prices in /")
    assert "/none.json cannot be read (No such file" in ended.err
