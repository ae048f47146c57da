"""Choosing the method for a question, and handing over where it finds too little."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, cast, get_args

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.config import get_stream_writer
from langgraph.pregel import Pregel
from langgraph.types import Overwrite

from ...algorithms.router.decision import (
    DESCRIPTIONS,
    NEEDS,
    Features,
    MethodRanking,
    Prior,
    feasible,
    method_of_label,
    route,
    usable_methods,
)
from ...algorithms.router.features import question_features
from ...context import MethodName, QuestionContext, RouterContext
from ...index.opening import Index, index_of, language_model_at, language_model_of
from ...models.meter import current_meter
from ...models.protocol import LanguageModel, NoReplyError
from ...models.router import KIND_CLASSIFIER
from ...prompts.library import CHOOSE_METHOD, STAND_ALONE
from ...prompts.prompt import Excerpt
from ...state.answering import AnswerOutput
from ...state.errors import RagraphsError
from ...state.records import Citation
from ...state.router import Attempt, DecidedBy, RouterState, RoutingDecision
from ...state.usage import total_calls
from ..begin import check_question
from ..node import node
from ..streaming import MESSAGE, pass_on
from .features import features_of, prior_of

_HISTORY = 6
_LONGEST_TURN = 2000
_GLOBAL_KINDS = frozenset({"whole_corpus"})


def _spent_before(state: RouterState) -> int:
    """Requests kept for the answer, less what the question before on the thread has cost."""
    return 1 - total_calls(state.get("usage") or {})


@node(reserve=_spent_before)
async def listen(state: RouterState, context: RouterContext) -> dict[str, Any]:
    """Finds the question: as given, or in the last message, made to stand alone."""
    await index_of(context)
    given = cast(str | None, state.get("question"))
    messages = list(state.get("messages") or [])
    if given is None:
        if not messages or not isinstance(messages[-1], HumanMessage):
            raise RagraphsError("There is no question; give 'question', or a last human message.")
        given = messages[-1].text
        check_question(given)
        history, said = messages[:-1], []
    else:
        check_question(given)
        history, said = messages, [HumanMessage(given)]
    asked = await _standing_alone(given, history, context) if history else given
    return {
        **_FRESH,
        "messages": said,
        "asked": asked,
        "usage": Overwrite(current_meter().usage()),
        "warnings": Overwrite(current_meter().warnings),
    }


@node(reserve=1)
async def decide(state: RouterState, context: RouterContext) -> dict[str, Any]:
    """Leaves out what cannot be used; then the user's choice, the classifier's, or the model's."""
    index = await index_of(context)
    left = context.max_calls - total_calls(state["usage"])
    layers = await asyncio.to_thread(index.catalogue.property, "layers") or []
    obstacles = feasible(get_args(MethodName), layers, left)
    if context.method != "auto":
        found = _chosen(context.method, state["asked"], obstacles)
        return _settled(found, [context.method], "user", obstacles)
    found = await asyncio.to_thread(_classified, index, state["asked"], obstacles)
    by: DecidedBy = "only" if len(usable_methods(obstacles)) == 1 else "classifier"
    if found.abstained:
        model = await language_model_at(index, context, context.small_model)
        chosen = await chosen_by_model(model, state["asked"], obstacles)
        if chosen is not None:
            found = found._replace(method=chosen[0], reason=chosen[1])
            by = "model"
    order = list(dict.fromkeys([found.method, *found.scores]))
    return _settled(found, order[: 1 + context.escalations], by, obstacles)


async def chosen_by_model(
    model: LanguageModel, question: str, obstacles: Mapping[str, str]
) -> tuple[str, str] | None:
    """The method that the model picks, and why; None where it gives no reply."""
    methods: list[Excerpt] = [
        {"id": method, "title": method, "text": DESCRIPTIONS[method]}
        for method in usable_methods(obstacles)
    ]
    try:
        reply = await model.run(CHOOSE_METHOD, question=question, methods=methods)
    except NoReplyError as error:
        current_meter().warn(f"{error} The method was chosen by rules.")
        return None
    method, correction = method_of_label(reply.method, obstacles)
    return method, correction or reply.reason


def answer_by(
    method: MethodName, graph: Pregel[Any, Any, Any, Any], context_type: type[QuestionContext]
) -> RunnableLambda[Any, dict[str, Any]]:
    """A node that has ``graph`` answer within what is left of the router's budget."""

    @node()
    async def run(state: RouterState, context: RouterContext) -> dict[str, Any]:
        left = context.max_calls - total_calls(state["usage"])
        chosen = context.narrowed(context_type, max_calls=left, **_search(method, state, context))
        result = await pass_on(
            graph, {"question": state["asked"]}, chosen, get_stream_writer(), method
        )
        return {
            "latest": {**result, "method": method},
            "usage": result["usage"],
            "warnings": result["warnings"],
        }

    return _Method(run.func, run.afunc, graph)


class _Method(RunnableLambda[Any, dict[str, Any]]):
    """A node that tells which graph it runs, so that drawings and checkpoints show its inside."""

    def __init__(self, func: Any, afunc: Any, graph: Pregel[Any, Any, Any, Any]) -> None:
        super().__init__(func, afunc, name=graph.name)
        self._graph = graph

    @property
    def deps(self) -> list[Runnable[Any, Any]]:
        """The graph."""
        return [self._graph]


@node()
async def weigh(state: RouterState, context: RouterContext) -> dict[str, Any]:
    """Keeps what the last method found, unless one before it found more."""
    latest = state["latest"]
    attempt: Attempt = {
        "method": latest["method"],
        "sufficient": latest["sufficient"],
        "stop_reason": latest["stop_reason"],
        "calls": total_calls(latest["usage"]),
    }
    left = context.max_calls - total_calls(state["usage"])
    waiting = [name for name in state["waiting"][1:] if NEEDS[name].calls <= left]
    update = {"path": [*state["path"], attempt], "waiting": waiting, "latest": {}}
    return update if _is_worse(latest, state) else update | _kept(latest)


@node()
async def conclude(state: RouterState, context: RouterContext) -> dict[str, Any]:
    """Gives the answer as a message, with its citations."""
    lines = [
        f"[{place}] “{' '.join(citation['quote'].split())}” ({_source(citation)})"
        for place, citation in enumerate(state["citations"], start=1)
    ]
    text = "\n\n".join(filter(None, [state["answer"], "\n".join(lines)]))
    message = AIMessage(
        text or f"No answer was found ({state['stop_reason']}).",
        id=state["message"] or None,
        additional_kwargs={
            "citations": state["citations"],
            "method": state["method"],
            "sufficient": state["sufficient"],
        },
    )
    return {"messages": [message]}


def next_method(state: RouterState) -> str:
    """The next method to try; none once the evidence suffices, or nothing is left to try."""
    if state["sufficient"] or not state["waiting"]:
        return "conclude"
    return state["waiting"][0]


_FRESH: dict[str, Any] = {
    "answer": "",
    "citations": [],
    "evidence": [],
    "method": "",
    "sufficient": False,
    "stop_reason": None,
    "decision": {},
    "path": [],
    "details": {},
    MESSAGE: "",
    "waiting": [],
    "latest": {},
}
_SHARED = frozenset({*AnswerOutput.__annotations__, MESSAGE})


async def _standing_alone(
    question: str, history: Sequence[AnyMessage], context: RouterContext
) -> str:
    turns: list[Excerpt] = [
        {
            "id": str(place),
            "title": "answer" if isinstance(message, AIMessage) else "question",
            "text": _without_citations(message)[:_LONGEST_TURN],
        }
        for place, message in enumerate(history[-_HISTORY:], start=1)
    ]
    model = await language_model_of(context, context.small_model)
    try:
        reply = await model.run(STAND_ALONE, question=question, history=turns)
    except NoReplyError as error:
        current_meter().warn(f"{error} The question was taken as it stands.")
        return question
    return reply.question


def _without_citations(message: AnyMessage) -> str:
    return message.text.split("\n\n[1] “")[0]


def _chosen(method: str, question: str, obstacles: Mapping[str, str]) -> MethodRanking:
    if obstacles[method]:
        raise RagraphsError(obstacles[method])
    found = route(Features(question_features(question)), obstacles, Prior(KIND_CLASSIFIER))
    return MethodRanking(method, found.kind, {method: 1.0}, "The user chose it.", False)


def _classified(index: Index, question: str, obstacles: Mapping[str, str]) -> MethodRanking:
    return route(features_of(index, question), obstacles, prior_of(index))


def _settled(
    found: MethodRanking, order: Sequence[str], by: DecidedBy, obstacles: Mapping[str, str]
) -> dict[str, Any]:
    decision: RoutingDecision = {
        "method": found.method,
        "decided_by": by,
        "reason": found.reason,
        "kind": found.kind,
        "scores": found.scores,
        "obstacles": dict(obstacles),
    }
    return {"decision": decision, "waiting": list(order)}


def _search(method: str, state: RouterState, context: RouterContext) -> dict[str, str]:
    """GraphRAG reads everything for a question about the whole, else what is near the question."""
    if method != "graphrag" or "search" in context.model_fields_set:
        return {}
    return {"search": "global" if state["decision"]["kind"] in _GLOBAL_KINDS else "local"}


def _is_worse(result: Mapping[str, Any], state: RouterState) -> bool:
    """Whether what was found before is to be kept: an answer with citations before one without."""

    def worth(found: Mapping[str, Any]) -> tuple[bool, bool, bool]:
        return found["sufficient"], bool(found["citations"]), bool(found["answer"])

    return bool(state["path"]) and worth(result) <= worth(cast(Mapping[str, Any], state))


def _kept(result: Mapping[str, Any]) -> dict[str, Any]:
    shared = {name: result[name] for name in _SHARED - {"usage", "warnings"}}
    return shared | {"details": {k: v for k, v in result.items() if k not in _SHARED}}


def _source(citation: Citation) -> str:
    return citation["title"] or citation["document"]
