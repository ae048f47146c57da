"""The crag graph from question to answer, over local servers for the model and the web."""

from __future__ import annotations

import json

import pytest
from http_stub import Response
from pointed import as_written
from ragraphs.context import CragContext, IndexContext
from ragraphs.graphs.crag import graph
from ragraphs.graphs.index import graph as index_graph
from stub_openai import failure

QUESTION = "Who designed the Forth Bridge?"
FACT = "The Forth Bridge was designed by John Fowler and Benjamin Baker."
SECRET = "Painting it is a byword for a task that never ends."
DOCUMENTS = [
    {"id": "forth", "title": "Forth Bridge", "text": f"{FACT} It crosses the Firth. {SECRET}"},
    {"id": "sonata", "title": "Sonata", "text": "A sonata is a piece of music."},
]
WEB_FACT = "Benjamin Baker and John Fowler were the engineers of the Forth Bridge."
PAGE = ("https://bridges.example/forth", "Bridges", f"{WEB_FACT} Tickets are sold here.")
NOTHING = {"quotes": [], "sufficient": False, "answer": ""}
QUERY = "forth bridge engineers keywords"


class Script:
    """A model whose replies to each prompt a test can set."""

    def __init__(self) -> None:
        self.bodies: dict[str, list] = {}
        self.passages = "needed"
        self.strips = "needed"
        self.grade: int | None = None
        self.only = ""  # texts with it are graded
        self.answer = {
            "quotes": [{"id": "1", "quote": FACT}],
            "sufficient": True,
            "answer": "John Fowler and Benjamin Baker",
        }

    def __call__(self, body):
        system = body["messages"][0]["content"]
        prompt = next(name for words, name in PROMPTS.items() if words in system)
        self.bodies.setdefault(prompt, []).append(body)
        match prompt:
            case "rewrite_query":
                return {"queries": [QUERY]}
            case "answer":
                shown = as_written(body["messages"][1]["content"])
                told = self.answer["quotes"] if isinstance(self.answer, dict) else []
                states = not told or any(quote["quote"] in shown for quote in told)
                return self.answer if states else NOTHING
        texts = body["messages"][1]["content"].split("<text id=")[1:]
        ids = [str(id) for id, text in enumerate(texts, start=1) if self.only in text]
        if self.grade is not None:
            return {"grades": [{"id": id, "grade": self.grade} for id in ids]}
        grade = self.passages if prompt == "grade_passages" else self.strips
        return {name: ids if name == grade else [] for name in ("needed", "related")}

    def sent(self, prompt):
        return json.dumps(self.bodies[prompt], ensure_ascii=False)


PROMPTS = {
    "You pick out the texts": "grade_passages",
    "You pick out the pieces": "grade_strips",
    "for a web search engine": "rewrite_query",
    "You answer a question": "answer",
}


@pytest.fixture
def model(openai):
    openai.answer = Script()
    return openai.answer


@pytest.fixture
def index(tmp_path, snapshots):
    folder = str(tmp_path / "index")
    context = IndexContext(index=folder, embeddings="lexical")
    given = {"documents": DOCUMENTS}
    snapshots.fill(folder, lambda: index_graph.invoke(given, context=context))
    return folder


@pytest.fixture
def ask(index):
    async def ask_it(**chosen):
        settings = {"index": index, "model": "openai:stub", "max_retries": 0, **chosen}
        return await graph.ainvoke({"question": QUESTION}, context=CragContext(**settings))

    return ask_it


async def test_correct_answers_from_the_index_alone(model, tavily, ask):
    result = await ask()
    assert result["verdict"] == "correct" and result["stop_reason"] == "answered"
    assert result["answer"] == "John Fowler and Benjamin Baker" and result["sufficient"]
    assert [citation["quote"] for citation in result["citations"]] == [FACT]
    assert {passage["found"] for passage in result["evidence"]} == {"retrieved"}
    assert tavily.requests == [] and "rewrite_query" not in model.bodies
    usage = result["usage"]["models"]["openai:stub"]
    assert usage["calls"] == 3 and usage["input_tokens"] == 300
    assert result["warnings"] == []


async def test_the_same_question_again_sends_nothing(openai, model, ask):
    first = await ask()
    sent = len(openai.chats)
    again = await ask()
    assert len(openai.chats) == sent
    assert again["answer"] == first["answer"] and again["evidence"] == first["evidence"]
    assert again["usage"]["models"]["openai:stub"]["reused"] == 3


async def test_sync_and_async_give_the_same(model, ask, index):
    import asyncio

    result = await ask()
    context = CragContext(index=index, model="openai:stub")
    again = await asyncio.to_thread(graph.invoke, {"question": QUESTION}, context=context)
    assert {**again, "usage": None} == {**result, "usage": None}


async def test_a_passage_that_only_names_the_bridge_makes_the_web_be_asked(model, tavily, ask):
    model.grade = 3
    tavily.pages = [PAGE]
    result = await ask()
    assert (result["verdict"], result["queries"]) == ("ambiguous", [QUERY])
    assert {passage["found"] for passage in result["evidence"]} == {"retrieved", "web"}


@pytest.mark.slow
async def test_of_whole_pages_the_pieces_nearest_to_the_question_are_graded(model, tavily, ask):
    model.passages, model.only = "related", "Forth Bridge"
    beside = " ".join(f"Ticket {number} was sold at the gate." for number in range(900))
    tavily.pages, tavily.whole = [PAGE], {PAGE[0]: f"{beside} {WEB_FACT} {beside}"}
    model.answer = {**model.answer, "quotes": [{"id": "1", "quote": WEB_FACT}]}
    result = await ask(web_pages=True, temperature=0.1)
    assert [citation["quote"] for citation in result["citations"]] == [WEB_FACT]
    [graded] = [body for body in model.bodies["grade_strips"] if "Ticket 7 " in str(body)]
    assert graded["messages"][1]["content"].count("<text id=") == 80


@pytest.mark.slow
async def test_ambiguous_works_on_index_and_web_side_by_side(openai, model, tavily, ask):
    model.passages = "related"
    tavily.pages = [PAGE]
    openai.slow_down(0.3)
    result = await ask()
    assert result["verdict"] == "ambiguous" and result["stop_reason"] == "answered"
    assert {passage["found"] for passage in result["evidence"]} == {"retrieved", "web"}
    assert result["queries"] == tavily.queries == [QUERY]
    assert openai.most_in_flight == 2
    timed = {prompt_of(request.body): request for request in reversed(openai.requests)}
    refine, rewrite = timed["grade_strips"], timed["rewrite_query"]
    assert max(refine.began, rewrite.began) < min(refine.ended, rewrite.ended)
    assert len(model.bodies["answer"]) == 1


def prompt_of(body):
    system = body["messages"][0]["content"]
    return next(name for words, name in PROMPTS.items() if words in system)


@pytest.mark.slow
async def test_incorrect_drops_the_passages_and_asks_the_web(model, tavily, ask):
    model.passages = "neither"
    model.answer = {
        "quotes": [{"id": 1, "quote": WEB_FACT}],
        "sufficient": True,
        "answer": "Fowler and Baker",
    }
    tavily.pages = [PAGE]
    result = await ask()
    assert result["verdict"] == "incorrect" and result["stop_reason"] == "answered"
    assert {passage["document"] for passage in result["evidence"]} == {PAGE[0]}
    assert result["citations"][0]["document"] == PAGE[0]
    assert result["citations"][0]["metadata"] == {"path": PAGE[0]}
    sent = model.sent("answer")
    assert WEB_FACT in sent and QUESTION in sent
    assert FACT not in sent and SECRET not in sent and QUERY not in sent
    assert QUESTION in model.sent("grade_strips") and QUERY not in model.sent("grade_strips")
    assert {grade["score"] for grade in result["grades"]} == {-1}


async def test_strips_of_no_use_are_not_shown(openai, model, ask):
    model.strips = "neither"
    result = await ask()
    assert result["evidence"] == [] and result["stop_reason"] == "no_evidence"
    assert "answer" not in model.bodies and result["answer"] == ""


@pytest.mark.parametrize("status", [401, 429, 500])
async def test_incorrect_and_the_web_failing_says_so(model, tavily, ask, status):
    model.passages = "neither"
    tavily.otherwise = lambda path, body: Response({"detail": {"error": "no"}}, status)
    result = await ask()
    assert result["stop_reason"] == "web_unavailable"
    assert result["answer"] == "" and not result["sufficient"] and result["evidence"] == []
    assert any("web search" in warning and QUERY in warning for warning in result["warnings"])


async def test_ambiguous_and_the_web_failing_answers_from_the_index(model, tavily, ask):
    model.passages = "related"
    tavily.otherwise = lambda path, body: Response(b"<html>", 200)
    result = await ask()
    assert result["stop_reason"] == "answered" and result["sufficient"]
    assert {passage["found"] for passage in result["evidence"]} == {"retrieved"}
    assert any("web search" in warning for warning in result["warnings"])


async def test_the_web_finding_nothing_is_a_warning(model, tavily, ask):
    model.passages = "neither"
    result = await ask()
    assert result["stop_reason"] == "no_evidence"
    assert any("found nothing" in warning for warning in result["warnings"])


@pytest.mark.parametrize(
    ("grade", "verdict", "stop"),
    [("neither", "incorrect", "web_unavailable"), ("related", "ambiguous", "answered")],
)
async def test_without_a_web_key_the_verdict_stands_and_is_explained(
    model, ask, grade, verdict, stop
):
    model.passages = grade
    result = await ask()
    assert result["verdict"] == verdict and result["stop_reason"] == stop
    assert any("no TAVILY_API_KEY" in warning for warning in result["warnings"])
    assert "rewrite_query" not in model.bodies


async def test_a_citation_that_points_nowhere_is_left_out_with_a_warning(model, ask):
    invented = {"id": "1", "quote": "It was painted by Leonardo in a single day."}
    model.answer = {**model.answer, "quotes": [invented, {"id": "1", "quote": FACT}]}
    result = await ask()
    assert [citation["quote"] for citation in result["citations"]] == [FACT]
    assert any("pointed nowhere" in warning for warning in result["warnings"])


async def test_an_answer_with_no_citation_at_all_is_insufficient(model, ask):
    model.answer = {**model.answer, "quotes": []}
    result = await ask()
    assert not result["sufficient"] and result["stop_reason"] == "insufficient"


@pytest.mark.parametrize("most", [1, 2, 4])
async def test_few_calls_are_kept_for_the_answer(openai, model, ask, most):
    result = await ask(max_calls=most)
    assert result["stop_reason"] == "answered" and result["citations"]
    assert len(openai.chats) <= most
    assert any("limit" in warning for warning in result["warnings"]) == (most < 4)


@pytest.mark.parametrize("most", [1, 2])
async def test_at_the_limit_of_calls_the_evidence_is_kept(openai, model, ask, most):
    model.answer = "no JSON"
    result = await ask(max_calls=most)
    assert result["stop_reason"] == "budget" and result["evidence"]
    assert len(openai.chats) <= most
    assert any("limit" in warning for warning in result["warnings"])


@pytest.mark.parametrize("most", [1, 2, 3, 4, 5])
async def test_branches_side_by_side_keep_the_limit_too(openai, model, tavily, ask, most):
    model.passages = "related"
    tavily.pages = [PAGE]
    result = await ask(max_calls=most)
    assert result["usage"]["models"]["openai:stub"]["calls"] == len(openai.chats) <= most
    assert result["stop_reason"] == "answered"


async def test_a_model_that_cannot_be_reached_keeps_the_evidence(openai, model, ask):
    openai.otherwise = lambda path, body: failure(401, "No such key")
    result = await ask()
    assert result["stop_reason"] == "model_failed" and result["evidence"]
    assert result["answer"] == "" and not result["sufficient"]
    assert any("401: No such key" in warning for warning in result["warnings"])


async def test_nothing_blocks_the_event_loop(model, tavily, ask):
    from blockbuster import blockbuster_ctx

    model.passages = "related"
    tavily.pages = [PAGE]
    with blockbuster_ctx():
        result = await ask()
    assert result["stop_reason"] == "answered"
