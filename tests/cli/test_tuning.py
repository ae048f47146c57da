"""``ragraphs tune``: types, examples, language and tone of prompts, by a sample of a corpus."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from communities_support import texts_of
from ragraphs.index.opening import open_index
from ragraphs.index.recorded import tuning
from weak_reader import WeakReader

MODEL = "openai:stub"
MANNER = (
    "Write in the language of the lines, and in Korean where they are in several. Keep the years."
)
TEXTS = {
    "aspirin": "아스피린은 바이엘이 1899년에 내놓은 진통제다. 아스피린은 혈전을 막는다.",
    "ibuprofen": "Ibuprofen was found by Boots in 1961. Ibuprofen treats fever.",
}


@pytest.fixture
def index(run):
    Path("docs").mkdir()
    for name, text in TEXTS.items():
        Path(f"docs/{name}.txt").write_text(text, encoding="utf-8")
    assert run("index", "docs", "--embeddings", "lexical", "-y")[0] == 0


def pharmacist(body):
    """A model that looks for drugs, and invents a company of its own in one text."""
    human = body["messages"][1]["content"]
    if "Say what to look for" in human:
        return {"types": "Drug, company , drug", "language": "Korean", "tone": "Keep the years."}
    text = texts_of(human)[-1][2]
    drug = next(name for name in ("아스피린", "Ibuprofen") if name in text)
    names = (drug, "바이엘" if drug == "아스피린" else "Boots", "Acme")
    return {
        "incoming": [],
        "outgoing": [],
        "entities": [{"name": name, "type": "drug", "description": f"{name}."} for name in names],
        "relations": [
            {"source": drug, "relation": "was sold by", "target": other, "strength": 5}
            for other in names[1:]
        ],
        "claims": [],
    }


def asked(openai, words):
    bodies = [body["messages"][1]["content"] for body in openai.chats]
    return [human for human in bodies if words in human]


@pytest.mark.slow
def test_what_the_sample_speaks_of_is_shown_kept_and_used_by_extraction(run, openai, index):
    openai.answer = pharmacist
    ended = run("tune", "--model", MODEL)
    assert ended.code == 0, ended.err
    assert {"-type: person", "+type: drug", "+type: company"} <= set(ended.out.splitlines())
    told = " ".join(ended.out.split())
    assert "mostly Korean. Keep the years." in told
    assert f"+reports: {MANNER}" in told
    [sample] = asked(openai, "Say what to look for")
    assert all(text in sample for text in TEXTS.values())

    openai.requests.clear()
    assert run("index", "--layers", "entities", "--model", MODEL, "-y").code == 0
    read = asked(openai, "Write the questions, entities and relations of text 1.")
    assert len(read) == 2
    for human in read:
        assert "Wanted types: drug, company;" in human
        assert "mostly Korean. Keep the years." in human
        assert human.count('<text id="example"') == 2
        examples = human[: human.index('<text id="1"')]
        assert "바이엘" in examples and "Boots" in examples and "Acme" not in examples


@pytest.mark.slow
def test_a_dry_run_keeps_nothing_and_what_follows_pays_nothing(run, openai, index):
    openai.answer = pharmacist
    first = json.loads(run("tune", "--model", MODEL, "--dry-run", "--json").out)
    assert first["kept"] is False
    assert tuning(open_index(".ragraphs")) == first["before"]
    sent = len(openai.chats)
    second = json.loads(run("tune", "--model", MODEL, "--json").out)
    assert (second["diff"], len(openai.chats)) == (first["diff"], sent)
    kept = tuning(open_index(".ragraphs"))
    assert kept["entity_types"] == ["drug", "company"] and kept == second["after"]
    again = run("tune", "--model", MODEL)
    assert "Nothing would change" in again.out


@pytest.mark.slow
def test_one_part_is_tuned_by_one_request_and_taken_back_without_a_model(run, openai, index):
    openai.answer = pharmacist
    usual = tuning(open_index(".ragraphs"))
    ended = run("tune", "--model", MODEL, "--only", "reports")
    assert ended.code == 0 and len(openai.chats) == 1
    added = [line for line in ended.out.splitlines() if line.startswith(("+", "-"))]
    assert len(added) == 1 and added[0].startswith("+reports:")
    assert tuning(open_index(".ragraphs")) == {**usual, "manner": MANNER}

    assert run("tune", "--model", MODEL, "--only", "extraction").code == 0
    assert tuning(open_index(".ragraphs"))["entity_types"] == ["drug", "company"]
    assert tuning(open_index(".ragraphs"))["manner"] == MANNER

    openai.requests.clear()
    ended = run("tune", "--withdraw", "--dry-run")
    assert ended.code == 0 and "-reports:" in ended.out and "+type: person" in ended.out
    assert tuning(open_index(".ragraphs"))["manner"] == MANNER
    assert run("tune", "--withdraw").code == 0 and openai.chats == []
    assert tuning(open_index(".ragraphs")) == usual


def test_without_a_model_it_says_so(run, index):
    ended = run("tune")
    assert ended.code == 1 and "needs a language model" in ended.err and "--model" in ended.err


@pytest.mark.slow
def test_without_passages_it_says_what_to_do(run, openai, index):
    assert run("remove", *(f"{name}.txt" for name in TEXTS)).code == 0
    ended = run("tune", "--model", MODEL)
    assert ended.code == 1 and "ragraphs index docs/" in ended.err
    assert openai.chats == []


@pytest.mark.slow
def test_a_model_without_types_is_refused_in_a_sentence(run, openai, index):
    openai.answer = lambda body: {"types": [], "language": "", "tone": ""}
    ended = run("tune", "--model", MODEL)
    assert ended.code == 1 and "--entity-types" in ended.err
    kept = tuning(open_index(".ragraphs"))
    assert "person" in kept["entity_types"] and not kept["examples"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_weak_reader_gets_no_name_into_an_example_that_its_text_has_not(run, openai, index, seed):
    openai.answer = WeakReader(seed)
    ended = run("tune", "--model", MODEL, "--json")
    assert ended.code == 0, ended.err
    kept = json.loads(ended.out)["after"]
    assert kept["entity_types"]
    for _, _, shown in texts_of(kept["examples"]):
        text, _, said = shown.partition("\n\nIts entities and relations: ")
        assert all(one["name"] in text for one in json.loads(said)["entities"])
    assert re.search(r"in the language of the text", kept["examples"])
    assert run("index", "--layers", "entities", "--model", MODEL, "-y").code == 0
