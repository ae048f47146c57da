"""Questions with a filter: nothing of a passage that does not meet it is read or shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ragraphs.context import IndexContext, LayerName, QuestionContext, RouterContext
from ragraphs.graphs import graph_of
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.hops import load_hops
from ragraphs.index.narrowing import narrowed
from ragraphs.index.opening import Index, open_index
from ragraphs.index.retrieval import search
from ragraphs.settings import settings
from scripted_model import FACT, MODEL, NOT_FOUND, QUESTION, TEXTS, Script
from shared_stores import copy_of
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
    "tog2 by vectors": ("tog2", {"retriever": "vector"}),
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
def index_name(
    index_folder: Path, server: OpenAIStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    """The index that is built once; on shared stores, a copy of it."""
    if settings().database is None:
        return str(index_folder)
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    settings.cache_clear()
    return copy_of(index_folder, tmp_path / "copy")


@pytest.fixture
def index(index_name: str) -> Index:
    return open_index(index_name)


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
def ask(index_name: str, script: Script, request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Asks a graph a question; each test has a model of its own, since replies are kept."""
    model = f"{MODEL} {request.node.name}"

    def ask(name: str, **chosen: Any) -> Any:
        fields = {"index": index_name, "model": model, "max_retries": 0, **chosen}
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


@pytest.mark.slow
def test_a_router_that_hands_over_hands_on_nothing_that_does_not_meet_the_filter(
    ask: Callable[..., Any], script: Script
) -> None:
    found = {
        "quotes": [{"id": "1", "quote": FACT}],
        "answer": "",
        "missing": ["Who was the payer of the Forth Bridge?"],
    }
    script.replies["Answer"] = {**NOT_FOUND, **found}
    result = ask("router", escalations=3, max_calls=40, **OPEN)
    assert len(result["path"]) > 2
    assert {one["document"] for one in result["evidence"]} <= set(TEXTS)
    assert not any(is_told(one.system + one.human) for one in script.asked)
    assert not is_told(json.dumps(result, default=str))


@pytest.mark.parametrize("search", ["global", "drift"])
def test_reports_on_all_documents_give_way_to_the_texts_that_meet_the_filter(
    ask: Callable[..., Any], script: Script, search: str
) -> None:
    result = ask("graphrag", search=search, **OPEN)
    assert set(script.kinds) == {"Points", "CombinedAnswer"}
    assert all(text in "".join(script.prompts("Points")) for text in TEXTS.values())
    assert result["warnings"] == [
        f"The search {search} reads reports on all documents, so that with a filter the texts that "
        "meet it are read instead (search text)."
    ]


@pytest.mark.parametrize(
    ("shelf", "own"), [("open", "John Fowler"), ("secret", "a copy of Fowler")]
)
def test_of_equal_passages_one_that_meets_the_filter_stands_for_all(
    index: Index, shelf: str, own: str
) -> None:
    ids = {one["document"]: one["id"] for one in index.catalogue.all_passages()}
    assert len({load_hops(index).vertex(ids[one]) for one in ("John Fowler", own)}) == 1
    hops = load_hops(narrowed(index, {"shelf": shelf}))
    assert hops.vertex(ids[own]) == ids[own]
    asked = hops.ask("Who built railways?")
    assert ids[own] in {hops.target(edge) for edge in hops.nearest(asked, 1000)}


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (
            {"shelv": "open"},
            "No passage of the index has the key 'shelv' of the filter; the keys there are: shelf, "
            "document, title, year.",
        ),
        (
            {"year": "1890"},
            "No passage of the index meets the filter: 'year' holds numbers, and the filter "
            "compares it with text.",
        ),
        (
            {"shelf": {"$gt": 3}},
            "No passage of the index meets the filter: 'shelf' holds text such as 'open', and the "
            "filter compares it with numbers.",
        ),
        ({"title": "Tower Bridge"}, "No passage of the index meets the filter."),
    ],
)
def test_where_nothing_meets_the_filter_a_warning_says_why(
    ask: Callable[..., Any], script: Script, where: dict[str, Any], said: str
) -> None:
    result = ask("basic", where=where)
    assert (result["stop_reason"], result["warnings"]) == ("no_evidence", [said])
    assert not script.asked


@pytest.mark.parametrize("method", ["basic", "deeprag", "hoprag", "tog2", "graphrag", "router"])
def test_where_nothing_meets_the_filter_the_answer_lacks_that_and_nothing_is_asked(
    ask: Callable[..., Any], script: Script, method: str
) -> None:
    result = ask(method, where={"shelf": "closed"})
    said = "No passage of the index meets the filter: 'shelf' holds text such as 'open'."
    assert result["stop_reason"] == "no_evidence" and said in result["warnings"]
    assert result["missing"] == [said] and not result["answer"]


def test_a_filter_of_another_form_is_refused_with_its_place(ask: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match=r"where\.year\.\$over is no operator"):
        ask("basic", where={"year": {"$over": 1890}})


def test_a_router_hands_the_filter_on() -> None:
    context = RouterContext(where={"year": 1890})
    assert context.narrowed(QuestionContext).where == {"year": 1890}


@pytest.fixture(scope="module")
def shelves(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Forty passages that speak of one bridge, four of them on the shelf ``new``."""
    context = IndexContext(
        index=str(tmp_path_factory.mktemp("where") / "shelves"),
        embeddings="lexical",
        layers=["sentences"],
    )
    index_graph.invoke({"documents": [shelved(number) for number in range(40)]}, context=context)
    return open_index(context)


def shelved(number: int, shelf: str = "") -> dict[str, Any]:
    better = "" if number % 10 else " It has many other properties, of which nothing is said."
    text = f"The Forth Bridge has the property {number}.{better}"
    return document(str(number), "Forth Bridge", text, shelf or ("old" if number % 10 else "new"))


@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_as_many_passages_are_found_as_meet_the_filter(shelves: Index, retriever: Any) -> None:
    asked = "What property has the Forth Bridge?"
    new = {"0", "10", "20", "30"}
    assert not new & {one["document"] for one in search(shelves, asked, retriever, 4)}
    found = search(shelves, asked, retriever, 4, {"shelf": "new"})
    assert {one["document"] for one in found} == new
    assert len(search(shelves, asked, retriever, 4, {"shelf": {"$ne": "new"}})) == 4


@pytest.mark.slow
def test_a_change_of_metadata_is_seen_by_the_next_question(tmp_path: Path) -> None:
    where = {"shelf": "sold"}
    context = IndexContext(index=str(tmp_path / "shelves"), embeddings="lexical")
    index_graph.invoke({"documents": [shelved(number) for number in (38, 39)]}, context=context)
    shelves = open_index(context)
    assert search(shelves, "Forth Bridge", "hybrid", 4, where) == []
    index_graph.invoke({"documents": [shelved(39, "sold")]}, context=context)
    [found] = search(shelves, "Forth Bridge", "hybrid", 4, where)
    assert found["document"] == "39"
    index_graph.invoke({"documents": [], "remove": ["39"]}, context=context)
    assert search(shelves, "Forth Bridge", "hybrid", 4, where) == []
