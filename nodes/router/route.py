"""Choosing the method for a question, and handing over where it finds too little."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast, get_args

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.config import get_stream_writer
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
from ...index.layers import layers_of
from ...language.analyser import one_line
from ...models.meter import current_meter
from ...models.protocol import LanguageModel, NoReplyError
from ...models.router import KIND_CLASSIFIER
from ...prompts.library import CHOOSE_METHOD, STAND_ALONE
from ...prompts.prompt import Excerpt
from ...state.answering import AnswerOutput
from ...state.errors import RagraphsError
from ...state.router import Attempt, DecidedBy, RouterState, RoutingDecision
from ...state.usage import total_calls
from ..begin import LONGEST_QUESTION, check_question
from ..node import node
from ..run import Run, Update
from ..streaming import retell
from ..subgraph import Graph, GraphNode, relay
from .features import features_of, prior_of

_HISTORY = 6
_LONGEST_TURN = 2000
MESSAGE = "message"
_GLOBAL_KINDS = frozenset({"whole_corpus"})


def _spent_before(state: RouterState) -> int:
    """One request for the answer; the previous question's usage on this thread is not counted."""
    return 1 - total_calls(state.get("usage") or {})


@node(reserve=_spent_before)
async def read_question(state: RouterState, run: Run[RouterContext]) -> Update:
    """Finds the question: as given, or in the last message, made to stand alone."""
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
    asked = await _standing_alone(run, given, history) if history else given
    return {
        **_FRESH,
        "messages": said,
        "asked": asked,
        "usage": Overwrite(run.meter.usage()),
        "warnings": Overwrite(run.meter.warnings),
    }


@node(reserve=1)
async def decide(state: RouterState, run: Run[RouterContext]) -> Update:
    """Leaves out what cannot be used; then the user's choice, the classifier's, or the model's."""
    context = run.context
    left = context.max_calls - total_calls(state["usage"])
    layers = await run.in_thread(layers_of)
    obstacles = feasible(get_args(MethodName), layers, left)
    if context.method != "auto":
        found = _chosen(context.method, state["asked"], obstacles)
        return _decided(found, [context.method], "user", obstacles)
    found = await run.in_thread(
        lambda index: route(features_of(index, state["asked"]), obstacles, prior_of(index))
    )
    by: DecidedBy = "only" if len(usable_methods(obstacles)) == 1 else "classifier"
    if found.abstained:
        model = await run.model(context.small_model)
        chosen = await chosen_by_model(model, state["asked"], obstacles)
        if chosen is not None:
            found = found._replace(method=chosen[0], reason=chosen[1])
            by = "model"
    order = list(dict.fromkeys([found.method, *found.scores]))
    return _decided(found, order[: 1 + context.escalations], by, obstacles)


async def chosen_by_model(
    model: LanguageModel, question: str, obstacles: Mapping[str, str]
) -> tuple[str, str] | None:
    """The method that the model picks, and why; None where it gives no reply."""
    methods: list[Excerpt] = [
        {"id": method, "title": method, "text": DESCRIPTIONS[method], "passage": ""}
        for method in usable_methods(obstacles)
    ]
    try:
        reply = await model.run(CHOOSE_METHOD, question=question, methods=methods)
    except NoReplyError as error:
        current_meter().warn(f"{error} The method was chosen by rules.")
        return None
    method, correction = method_of_label(reply.method, obstacles)
    return method, correction or reply.reason


def answer_by(method: MethodName, graph: Graph, context_type: type[QuestionContext]) -> GraphNode:
    """A node in which ``graph`` answers within what is left of the router's budget."""

    @node()
    async def answer(state: RouterState, context: RouterContext) -> Update:
        left = context.max_calls - total_calls(state["usage"])
        chosen = context.narrowed(context_type, max_calls=left, **_search(method, state, context))
        write, streamed = get_stream_writer(), [""]

        def tell(event: dict[str, Any]) -> None:
            streamed.append(event.get("id", streamed[-1]))
            retell({**event, "method": method}, write)

        result = await relay(graph, {"question": state["asked"]}, chosen, tell)
        return {
            "latest": {**result, MESSAGE: streamed[-1], "method": method},
            "usage": result["usage"],
            "warnings": result["warnings"],
        }

    return GraphNode(answer, graph)


@node()
async def keep_better(state: RouterState, context: RouterContext) -> Update:
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
async def conclude(state: RouterState, context: RouterContext) -> Update:
    """Gives the answer as a message, with its citations."""
    lines = [
        f"[{place}] “{one_line(citation['quote'])}” ({citation['title'] or citation['document']})"
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
    """The next method to try; none once the evidence suffices, or nothing is left to try.

    Without a model no other method would find more to say.
    """
    if state["sufficient"] or not state["waiting"] or state["stop_reason"] == "no_model":
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
    run: Run[RouterContext], question: str, history: Sequence[AnyMessage]
) -> str:
    turns: list[Excerpt] = [
        {
            "id": str(place),
            "title": "answer" if isinstance(message, AIMessage) else "question",
            "text": message.text.split("\n\n[1] “")[0][:_LONGEST_TURN],  # without citations
        }
        for place, message in enumerate(history[-_HISTORY:], start=1)
    ]
    reply = await run.ask(
        STAND_ALONE,
        otherwise="The question was taken as it stands.",
        model=run.context.small_model,
        question=question,
        history=turns,
    )
    if reply is None:
        return question
    if len(reply.question) > LONGEST_QUESTION:
        run.meter.warn("The question made to stand alone was too long; it was taken as asked.")
        return question
    return reply.question


def _chosen(method: str, question: str, obstacles: Mapping[str, str]) -> MethodRanking:
    if obstacles[method]:
        raise RagraphsError(obstacles[method])
    found = route(Features(question_features(question)), obstacles, Prior(KIND_CLASSIFIER))
    return MethodRanking(method, found.kind, {method: 1.0}, "The user chose it.", False)


def _decided(
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
