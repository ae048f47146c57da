"""Questions with a filter: nothing of a passage that does not meet it is read or shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ragraphs.context import IndexContext, LayerName
from ragraphs.graphs import graph_of
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.opening import Index, open_index
from ragraphs.settings import settings
from scripted_model import MODEL, QUESTION, TEXTS, Script
from stub_openai import OpenAIStub, serving_openai

OPEN = {"where": {"shelf": "open"}}
SECRETS = ("Quagmire", "Wobbleton", "Zebulon")
FORBIDDEN = {
    "a copy of Fowler": ("John Fowler", TEXTS["John Fowler"]),
    "papers": (
        "Forth Bridge papers",
        "Zebulon Quagmire paid for the Forth Bridge. Zebulon Quagmire employed John Fowler.",
    ),
    "quagmire": (
        "Zebulon Quagmire",
        "Zebulon Quagmire was born in Wobbleton. Zebulon Quagmire designed the Forth Bridge too.",
    ),
}
RETRIEVERS = ["auto", "hybrid", "vector", "lexical", "graph"]
LAYERS: list[LayerName] = ["sentences", "hops", "entities", "communities"]
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    **{f"basic by {name}": ("basic", {"retriever": name}) for name in RETRIEVERS},
    "crag": ("crag", {}),
    "crag by similarity": ("crag", {"grader": "similarity"}),
    "deeprag": ("deeprag", {}),
    "deeprag as a tree": ("deeprag", {"mode": "tree"}),
    "hoprag": ("hoprag", {}),
    "hoprag by similarity": ("hoprag", {"traversal": "similarity"}),
    "tog2": ("tog2", {}),
    "tog2 by vectors": ("tog2", {"retriever": "vector", "combined": False}),
    **{
        f"graphrag {search}": ("graphrag", {"search": search})
        for search in ("local", "text", "basic", "global", "drift")
    },
    "router": ("router", {"escalations": 3}),
    **{f"router, {one}": ("router", {"method": one}) for one in ("hoprag", "tog2", "graphrag")},
}


def document(id: str, title: str, text: str, shelf: str) -> dict[str, Any]:
    return {"id": id, "title": title, "text": text, "metadata": {"shelf": shelf, "year": 1890}}


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIStub]:
    """A model server for all tests here; an index keeps the operator's settings once it is open."""
    with serving_openai() as stub, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", stub.base_url)
        settings.cache_clear()
        yield stub


@pytest.fixture(scope="module")
def index_folder(tmp_path_factory: pytest.TempPathFactory, server: OpenAIStub) -> Path:
    """An index with all layers of open documents and of forbidden ones, which know more."""
    folder = tmp_path_factory.mktemp("where") / "index"
    documents = [document(title, title, text, "open") for title, text in TEXTS.items()]
    documents += [document(id, *text, "secret") for id, text in FORBIDDEN.items()]
    context = IndexContext(index=str(folder), embeddings="lexical", model="offline", layers=LAYERS)
    index_graph.invoke({"documents": documents}, context=context)
    return folder


@pytest.fixture
def index(index_folder: Path) -> Index:
    return open_index(str(index_folder))


def numbers(human: str) -> list[str]:
    words = (line.split(" ")[0] for line in human.splitlines())
    return [word for word in words if word.replace(".", "").isdigit() and "." in word]


def follow_everything(script: Script) -> None:
    """A model that follows every hop and relation, and is content with nothing at first."""
    judgements = iter(range(2))
    script.replies |= {
        "HopLabels": lambda human: {"necessary": numbers(human), "indirect": []},
        "RelationScores": lambda human: {
            "scores": [{"id": id, "score": 1} for id in numbers(human)]
        },
        "Judgement": lambda human: {
            "sufficient": next(judgements, None) is None,
            "clue": "who paid for it",
        },
        "Subquestions": {"questions": [{"question": "Who paid for the Forth Bridge?"}]},
        "SubQuestions": {"questions": [{"question": "Who paid for the Forth Bridge?"}]},
    }


def is_told(told: str) -> bool:
    return any(secret in told for secret in SECRETS)


@pytest.fixture
def script(server: OpenAIStub) -> Script:
    script = Script(server)
    follow_everything(script)
    return script


@pytest.fixture
def ask(index_folder: Path, script: Script, request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Asks a graph a question; each test has a model of its own, since replies are kept."""
    model = f"{MODEL} {request.node.name}"

    def ask(name: str, **chosen: Any) -> Any:
        fields = {"index": str(index_folder), "model": model, "max_retries": 0, **chosen}
        return graph_of(name)[0].invoke({"question": QUESTION}, context=fields)

    return ask


@pytest.mark.parametrize("case", CASES)
def test_no_method_reads_or_shows_a_passage_that_does_not_meet_the_filter(
    ask: Callable[..., Any], script: Script, case: str
) -> None:
    name, chosen = CASES[case]
    result = ask(name, **chosen, **OPEN)
    assert result["evidence"] and result["citations"]
    found = {one["document"] for one in [*result["evidence"], *result["citations"]]}
    assert found <= set(TEXTS)
    assert script.asked and not any(is_told(one.system + one.human) for one in script.asked)
    assert not is_told(json.dumps(result, default=str))
