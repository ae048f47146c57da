"""The page as a file with its data: all is in it, nothing in a text can act, it asks nobody."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_support import HOSTILE, PageReader, data_of
from ragraphs import IndexContext, index_graph
from ragraphs.graphs.methods import told_methods
from ragraphs.index.opening import Index, open_index
from ragraphs.state.errors import RagraphsError
from ragraphs.views import page_data as module
from ragraphs.views.page_data import page_data
from ragraphs.views.page_file import page_file

METHODS = told_methods()
texts = st.text(st.characters(codec=None, exclude_categories=()), max_size=40)
ANSWER: dict[str, Any] = {
    "asked": "Who wrote the notes?",
    "answer": "Ada",
    "missing": [],
    "citations": [],
    "evidence": [],
    "method": "hoprag",
    "sufficient": True,
    "stop_reason": "answered",
    "usage": {},
    "warnings": [],
    "hops": [{"source": "", "target": "a"}],
}


@pytest.fixture
def index(tmp_path, snapshots) -> Index:
    folder = str(tmp_path / "notes")
    context = IndexContext(index=folder, embeddings="lexical", layers=["sentences", "hops"])
    texts = {
        "ada": "Ada Byron wrote notes in London.",
        "babbage": "Charles Babbage met Ada Byron in London.",
        "turing": "Alan Turing was born in London.",
    }
    documents = [{"id": f"/home/x/{id}", "title": id, "text": text} for id, text in texts.items()]
    given = {"documents": documents}
    snapshots.fill(folder, lambda: index_graph.invoke(given, context=context))
    return open_index(folder)


def test_the_data_lead_to_every_passage_and_what_joins_them(index):
    data = page_data(index, METHODS)
    assert [one["title"] for one in data["documents"]] == ["ada", "babbage", "turing"]
    assert [one["document"] for one in data["passages"]] == [one["id"] for one in data["documents"]]
    nodes = {one["id"]: one for one in data["graph"]["nodes"]}
    assert {one["id"] for one in data["passages"]} < nodes.keys()
    assert {"ada byron", "london"} <= {one["label"] for one in nodes.values()}
    edges = data["graph"]["edges"]
    assert {"hop", "mention"} == {one["kind"] for one in edges}
    assert all({one["source"], one["target"]} <= nodes.keys() for one in edges)
    assert data["graph"]["beginning"] and set(data["graph"]["beginning"]) <= nodes.keys()
    assert data["state"]["embeddings"] == "lexical"
    assert data["answer"] is None and data["state"]["left_out"] == {"passages": 0, "entities": 0}


def test_of_a_large_index_the_page_says_how_much_it_leaves_out(index, monkeypatch):
    monkeypatch.setattr(module, "MOST_PASSAGES", 2)
    data = page_data(index, METHODS)
    assert len(data["passages"]) == 2 and len(data["documents"]) == 2
    assert data["state"]["left_out"] == {"passages": 1, "entities": 0}
    known = {one["id"] for one in data["graph"]["nodes"]}
    assert all({one["source"], one["target"]} <= known for one in data["graph"]["edges"])


def test_the_page_of_an_index_is_the_same_each_time(index):
    assert page_file("notes", page_data(index, METHODS)) == page_file(
        "notes", page_data(index, METHODS)
    )


def test_an_answer_has_the_shape_that_the_router_gives_it(index):
    told = page_data(index, METHODS, ANSWER)["answer"]
    assert told["details"]["hops"] == ANSWER["hops"]
    assert told["path"] == [{"method": "hoprag", "sufficient": True, "stop_reason": "answered"}]
    routed = ANSWER | {"details": {"hops": []}, "path": []}
    shown = page_data(index, METHODS, routed)["answer"]
    assert shown == routed | {"decision": None, "lengths": shown["lengths"]}


@pytest.mark.parametrize("wrong", [[], {}, "x", ANSWER | {"evidence": [{"id": 1}]}])
def test_what_is_no_answer_is_said_in_a_sentence(index, wrong):
    with pytest.raises(RagraphsError, match="`ragraphs ask --json` prints: ") as caught:
        page_data(index, METHODS, wrong)
    assert "\n" not in str(caught.value)


def test_hostile_texts_add_no_element() -> None:
    def skeleton(text: str) -> list[str]:
        page = page_file(text, {text: text})
        assert data_of(page) == {text: text}
        assert PageReader(page).texts("title") == [text]
        return [tag for tag, _, _ in PageReader(page).found]

    assert skeleton(HOSTILE) == skeleton("harmless")


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(texts, texts)
def test_any_text_comes_back_equal(text: str, title: str) -> None:
    page = page_file(title, {"text": text})
    assert data_of(page) == json.loads(json.dumps({"text": text}))
    page.encode()


def test_the_policy_allows_the_own_styles_and_script_only() -> None:
    reader = PageReader(page_file("notes", {}))
    policy = next(str(at["content"]) for _, at, _ in reader.found if "http-equiv" in at)
    allowed = dict(part.split(" ", 1) for part in policy.split("; "))
    assert allowed["default-src"] == "'none'" and allowed["img-src"] == "data:"
    assert set(allowed) == {
        *("default-src", "script-src", "style-src", "img-src", "base-uri", "form-action")
    }

    def hashes(contents: list[str]) -> str:
        digests = (hashlib.sha256(one.encode()).digest() for one in contents)
        return " ".join(f"'sha256-{base64.b64encode(one).decode()}'" for one in digests)

    assert allowed["script-src"] == hashes(reader.texts("script")[1:])
    assert allowed["style-src"] == hashes(reader.texts("style"))
    assert len(reader.texts("script")) == 2


def test_the_page_names_no_other_file_and_writes_no_markup() -> None:
    page = page_file("notes", {})
    reader = PageReader(page)
    named = [names.get("src") or names.get("href") or "" for _, names, _ in reader.found]
    assert all(one == "" or one.startswith("data:") for one in named)
    assert not re.search(r"@import|url\(", "".join(reader.texts("style")))
    own = page.replace("Function(", "")
    assert not re.search(r"insertAdjacent|document\.write|\beval\(", own)
    assert "page/static" not in page
