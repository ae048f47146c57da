"""`ragraphs demo`, and what `ragraphs index` makes without being asked for it."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from command_line import assert_one_sentence
from ragraphs.cli import show


@pytest.mark.slow
def test_the_demo_leaves_a_folder_whose_next_commands_work_in_it(run, monkeypatch):
    monkeypatch.setattr(show.out, "width", 80)
    shown = run("demo")
    assert shown.code == 0 and len(shown.out.splitlines()) <= 80
    assert "\nJohn Fowler and Benjamin Baker\n" in shown.out and "\n1441년\n" in shown.out
    assert "No passage speaks of Gustave Eiffel. Nearest:" in shown.out
    typed = [shlex.split(line) for line in re.findall(r"^\$ (.+)$", shown.out, re.MULTILINE)]
    assert [words[:2] for words in typed].count(["ragraphs", "ask"]) == 5
    assert typed[-3] == ["cd", "bridges"] and typed[-1] == ["ragraphs", "serve"]
    monkeypatch.chdir("bridges")
    assert "4,600" in run(*typed[-2][1:]).out
    documents = json.loads(run("status", "--documents", "--json").out)["document_list"]
    assert len(documents) == 7 and all(Path(one["path"]).is_file() for one in documents)


@pytest.mark.slow
def test_a_demo_is_repeated_but_writes_into_no_folder_of_others(run, docs):
    assert_one_sentence(run("demo", "docs"), 1, "docs has other files, such as forth.txt;")
    assert run("demo", "new").code == 0
    assert "7 unchanged" in run("demo", "new").out


@pytest.mark.slow
def test_index_makes_all_that_costs_only_time_and_names_what_takes_long(run, docs, monkeypatch):
    monkeypatch.setattr("ragraphs.cli.indexing._MOST_SECONDS", 0.0)
    plan = run("index", "docs", "--dry-run").out
    assert "nothing costs money" in plan and "takes about 1 s" in plan
    less = run("index", "docs").out
    assert "Ready: passages (not built: sentences, hops, entities, communities)." in less
    (offer,) = re.findall(r"takes about 1 s: ragraphs (.+)", less)
    assert "Ready: passages, sentences, hops, entities, communities." in run(*offer.split()).out


@pytest.mark.slow
def test_index_makes_no_layer_by_a_paid_model_unless_somebody_agrees(run, openai, docs):
    told = run("index", "docs", "--model", "openai:stub").out
    assert "Ready: passages, sentences (not built: hops, entities, communities)." in told
    (offer,) = re.findall(r"it says the price: ragraphs (.+)", told)
    assert offer == "index --layers hops,entities,communities --model openai:stub"
    assert openai.requests == []


@pytest.mark.slow
def test_the_same_documents_from_another_folder_are_told_of(run, docs):
    run("index", "docs")
    shutil.copytree("docs", "other")
    told = run("index", "other").err
    assert "2 documents are in the index twice, such as other/forth.txt" in told
    assert "twice" not in run("index", "docs").err
    run("remove", "other/forth.txt", "other/sonata.md")
    assert run("index", "docs").err == ""


def test_a_missing_key_is_told_before_anything_is_recorded(run, docs, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert_one_sentence(run("index", "docs", "--model", "openai:stub"), 1, "OPENAI_API_KEY")
    assert not Path(".ragraphs").exists()


@pytest.mark.slow
def test_a_bad_file_is_told_once_and_fails_no_later_run(run, docs):
    (docs / "broken.pdf").write_bytes(b"no pdf")
    first = run("index", "docs")
    assert first.code == 1 and "broken.pdf" in first.err
    later = run("index", "docs")
    assert later.code == 0 and "1 file could still not be read" in later.err
    assert "broken.pdf" not in later.err and "broken.pdf" in run("status").out
    (docs / "worse.pdf").write_bytes(b"no pdf")
    assert run("index", "docs").code == 1
