"""`ragraphs try`: what a model is found to be good for, and who goes by that."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from http_stub import Response
from ragraphs.models.protocol import LanguageModel
from ragraphs.models.suited import trusted
from ragraphs.settings import settings
from scripted_model import QUESTION, Script
from stub_openai import failure

TRIAL = json.loads((resources.files("ragraphs") / "evaluation" / "trial.json").read_text("utf-8"))
TASKS = TRIAL["tasks"]
_TEXT = re.compile(r'<text id="([^"]+)" title="([^"]*)">\n(.*?)\n</text>', re.DOTALL)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch) -> Path:
    """The folder that keeps what is found."""
    monkeypatch.setenv("RAGRAPHS_CACHE", str(tmp_path / "cache"))
    settings.cache_clear()
    return tmp_path / "cache"


def good_reader(body: Any) -> Any:
    """The reply of a reader that does all tasks right."""
    kind = body["response_format"]["json_schema"]["name"]
    human = body["messages"][1]["content"]
    shown = {title: id for id, title, _ in _TEXT.findall(human)}
    if kind in ("Answer", "StepReading", "Grades"):
        task = _asked(human, grading=kind == "Grades")
        return {"needed": task["support"]} if kind == "Grades" else _answered(task, shown)
    if kind == "CommunityReport":
        task = next(one for one in TASKS if one.get("lines", ["?"])[0] in human)
        name = task["names"][0]
        said = {"statement": f"{name}.", "evidence": ["1"]}
        return {"title": name, "summary": " ".join(task["names"]), "findings": [said]}
    title = next(title for id, title in zip(shown.values(), shown, strict=True) if id == "1")
    task = next(one for one in TASKS if "prompt" in one and _title(one) == title)
    found = [{"name": name, "type": "thing", "description": name} for name in task["names"]]
    questions = {"incoming": [f"{title}?"], "outgoing": []} if kind == "PassageReading" else {}
    return {**questions, "entities": found, "relations": [], "claims": []}


def _asked(human: str, grading: bool) -> Any:
    tasks = [one for one in TASKS if (one["kind"] == "grading") == grading and "question" in one]
    return next(one for one in tasks if one["question"] in human)


def _title(task: Any) -> str:
    return str(TRIAL["texts"][task["texts"][0]][0])


def _answered(task: Any, shown: dict[str, str]) -> Any:
    texts = {shown[title]: text for title, text in map(TRIAL["texts"].get, task["texts"])}
    quotes = [
        {"id": next(id for id, text in texts.items() if said in text), "quote": said}
        for said in task.get("support", ())
    ]
    answer = task.get("answers", [""])[0]
    found = {"quotes": quotes, "sufficient": bool(answer), "answer": answer, "missing": []}
    step = {"final": answer, "decided": bool(answer), "next": "", "source": "retrieve"}
    return {**found, **(step if "asked" in task else {})}


def sure_of_nonsense(body: Any) -> Any:
    """The reply of a reader that is sure of the first words that it sees; of other forms none."""
    human = body["messages"][1]["content"]
    if body["response_format"]["json_schema"]["name"] not in ("Answer", "StepReading"):
        return {}
    words = " ".join(_TEXT.search(human)[3].split()[1:5])  # type: ignore[index]
    found = {"quotes": [{"id": "1", "quote": words}], "sufficient": True, "answer": words}
    return {**found, "missing": [], "final": words, "decided": True, "next": "", "source": ""}


@pytest.mark.slow
def test_a_good_reader_is_up_to_everything_and_nothing_is_said_of_it_later(run, openai, cache):
    openai.answer = good_reader
    told = json.loads(run("try", "openai:good", "--json").out)
    assert [one["question"] for one in told["tasks"] if one["error"]] == []
    assert all(score["right"] == score["tasks"] for score in told["scores"].values())
    assert told["pointed"] == told["cited"] == 10 == told["sufficient_right"]
    assert told["trusted"] and not told["small"] and told["hours"] is None
    assert all(verdict["is_up_to"] for verdict in told["verdicts"].values())
    assert len(openai.chats) == len(TASKS) == 24
    assert [file.suffix for file in (cache / "tried").iterdir()] == [".json"]
    shown = run("try", "openai:good").out
    assert "6 of 6 right" in shown and "openai:good is up to answering: 14 of 14" in shown
    assert len(openai.chats) == 48, "no reply of an earlier trial is used again"


@pytest.mark.slow
def test_ask_index_and_doctor_go_by_what_was_found(run, openai, index):
    openai.answer = sure_of_nonsense
    told = run("try", "openai:bad").out
    assert "openai:bad is not up to answering: 0 of 14 tasks right, and 0 of 14" in told
    assert "about 1 minutes for the layers hops and entities" in told  # of an index that is there
    Script(openai)
    says = "openai:bad is not up to answering"
    asked = json.loads(run("ask", QUESTION, "--model", "openai:bad", "--json").out)
    assert [one for one in asked["warnings"] if says in one]
    layers = ("index", "--layers", "entities", "--model", "openai:bad", "--dry-run", "--json")
    planned = json.loads(run(*layers).out)
    assert [one for one in planned["warnings"] if "not up to reading passages" in one]
    examined = json.loads(run("doctor", "--model", "openai:bad", "--json").out)
    uses = next(one for one in examined["checks"] if one["name"] == "uses of the model")
    assert uses["state"] == "note" and says in uses["says"]


@pytest.mark.slow
def test_what_was_found_is_of_one_model_on_one_server(run, openai, index, monkeypatch):
    openai.answer = sure_of_nonsense
    run("try", "openai:bad")
    Script(openai)
    for model, address in (("openai:other", openai.base_url), ("openai:bad", f"{openai.url}/v2")):
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        settings.cache_clear()
        examined = json.loads(run("doctor", "--model", model, "--json").out)
        uses = next(one for one in examined["checks"] if one["name"] == "uses of the model")
        assert uses["says"] == "not tried" and f"ragraphs try {model}" in uses["mend"]


@pytest.mark.slow
def test_another_model_behind_the_same_name_was_not_tried(run, openai, index, monkeypatch):
    monkeypatch.setattr("ragraphs.models.chat.served._FRESH_SECONDS", 0)  # as in a new process

    def warned() -> bool:
        asked = json.loads(run("ask", QUESTION, "--model", "openai:bad", "--json").out)
        return "openai:bad is not up to answering" in " ".join(asked["warnings"])

    openai.documents["/props"] = Response({"model_path": "one.gguf"})
    openai.answer = sure_of_nonsense
    run("try", "openai:bad")
    Script(openai)
    assert warned()
    openai.documents["/props"] = Response({"model_path": "another.gguf"})
    assert not warned()


def test_a_server_that_is_not_there_is_told_at_once_and_nothing_is_kept(run, openai, cache):
    openai.answer = lambda body: failure(503, "down")
    ended = run("try", "openai:gone", "--max-retries", "0")
    assert ended.code == 1 and "did not reply" in ended.err and "Nothing was tried." in ended.err
    assert len(openai.chats) == 3 and not cache.exists()


@pytest.mark.slow
def test_a_result_that_cannot_be_read_counts_for_nothing(run, openai, cache):
    openai.answer = sure_of_nonsense
    run("try", "openai:bad")
    [file] = (cache / "tried").iterdir()
    file.write_text("{")
    examined = json.loads(run("doctor", "--model", "openai:bad", "--json").out)
    assert any(one["says"] == "not tried" for one in examined["checks"])


@pytest.mark.slow
def test_the_reader_without_a_model_can_be_tried_as_well(run):
    told = json.loads(run("try", "offline", "--json").out)
    assert told["trusted"] and told["scores"]["unanswerable"]["right"] == 4
    assert told["tokens_sent"] == 0


@pytest.mark.parametrize(("reader", "counts"), [(good_reader, True), (sure_of_nonsense, False)])
async def test_the_word_of_a_model_counts_by_its_trial(openai, open_model, reader, counts):
    from ragraphs.context import Context
    from ragraphs.evaluation.trial import tried
    from ragraphs.models.trials import keep_trial

    model: LanguageModel = await open_model(model="openai:one")
    assert trusted(model), "until it was tried"
    openai.answer = reader
    trial, _ = await tried(Context(model="openai:two"))
    keep_trial(trial, settings())
    assert trusted(await open_model(model="openai:two")) == counts
