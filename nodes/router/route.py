"""Choosing the method for a question, and handing over where it finds too little."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.config import get_stream_writer
from langgraph.types import Overwrite

from ...algorithms.router.decision import (
    Choice,
    Lack,
    Needs,
    QuestionKind,
    answers_alone,
    feasible,
    first_method,
    kind_probabilities,
    likely_kind,
    next_method,
)
from ...algorithms.router.features import question_features
from ...context import QuestionContext, RouterContext
from ...index.layers import built_layers
from ...index.opening import Index
from ...language.analyser import one_line
from ...models.protocol import OFFLINE, NoReplyError, paid_calls
from ...models.router import KIND_CLASSIFIER
from ...models.suited import knows_little
from ...models.web import web_search
from ...prompts.library import STAND_ALONE
from ...prompts.prompt import Excerpt
from ...settings import settings
from ...state.answering import AnswerOutput
from ...state.errors import RagraphsError
from ...state.found import NOTHING, Found
from ...state.router import Attempt, RouterState, RoutingDecision
from ...state.usage import total_calls
from ..answer import uncertain
from ..begin import LONGEST_QUESTION, check_question, retriever_obstacle
from ..counter_reading import stays_the_same
from ..node import Node, node
from ..run import Run, Update, calls_left
from ..streaming import ANSWER_STEP, answer_is_followed, end_message, retell
from ..subgraph import Graph, GraphNode, relay
from .handing import handed_on, has_moved, is_worse
from .lacking import lack_of, parts_of
from .verdict import as_question

_HISTORY = 6
_LONGEST_TURN = 2000
MESSAGE = "message"
_HANDED_ON = ("ranked", "doubt")
_KNOWS_LITTLE = (
    "No further method was tried, since the model is not up to several steps; set escalations to "
    "have it try them."
)
_UNSTEADY = "Shown the texts in another order, the model does not find this answer again."
_SIDE_BY_SIDE = 3  # parts, from here on read as a tree
_NO_MORE_CALLS = frozenset({"model_failed", "budget", "time", "no_model"})


@node(reserve=1, begins=True)
async def read_question(state: RouterState, run: Run[RouterContext]) -> Update:
    """Finds the question: as given, of a statement, or in the last message, made to stand alone."""
    stated = state.get("statement") or ""
    given = stated or cast(str | None, state.get("question"))
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
    if stated:
        asked = as_question(stated)
    else:
        asked = await _standing_alone(run, given, history) if history else given
    return {
        **_FRESH,
        "messages": said,
        "asked": asked,
        "stated": stated,
        "usage": Overwrite(run.meter.usage()),
        "warnings": Overwrite(run.meter.warnings),
    }


def decide(methods: Mapping[str, Needs]) -> Node:
    """A node that finds the method to begin with, among ``methods``."""

    @node(late=lambda _: {"trying": next(iter(methods)), "why": "The time is up."})
    async def decide(state: RouterState, run: Run[RouterContext]) -> Update:
        """The user's choice; else the method that suits the question, of those that can be."""
        context, chosen = run.context, run.context.method
        # A long question takes a tenth of a second, in which the loop would serve nobody.
        kinds, parts = await run.in_thread(lambda _: _form(state["asked"]))
        left = calls_left(context, state["usage"])
        obstacles = await run.in_thread(_obstacles, methods, context, left)
        if chosen == "auto":
            follow = _may_go_on("", state, context) and left > methods["graphrag"].further
            choice = first_method(kinds, methods, obstacles, _web(context), follow)
        else:
            choice = _chosen(chosen, obstacles)
        decision: RoutingDecision = {
            "method": choice.method,
            "decided_by": "classifier" if chosen == "auto" else "user",
            "reason": choice.reason,
            "kind": likely_kind(kinds),
            "kinds": {kind: round(share, 4) for kind, share in kinds.items()},
            "parts": parts,
            "obstacles": obstacles,
        }
        get_stream_writer()({"step": "decide", **decision})
        return {"decision": decision, "trying": choice.method, "why": choice.reason}

    return decide


def answer_by(method: str, graph: Graph, context_type: type[QuestionContext]) -> GraphNode:
    """A node in which ``graph`` answers within what is left of the router's budget.

    It starts from what the methods before it found. Its answer is streamed while it is written only
    where no other method could take its place.
    """

    @node()
    async def answer(state: RouterState, context: RouterContext) -> Update:
        left = context.max_calls - paid_calls(state["usage"])
        left -= bool(state["stated"]) and left > 1  # for the verdict
        is_final = not state["path"] and not _may_go_on(method, state, context)
        live = is_final and answer_is_followed(context) and not state["stated"]
        settings = {"max_calls": left, "stream_answer": live, **_way(method, state, context)}
        chosen = context.narrowed(context_type, **settings)
        write, streamed = get_stream_writer(), [""]
        write({"step": "try", "method": method, "why": state["why"]})

        def tell(event: dict[str, Any]) -> None:
            if event["step"] == ANSWER_STEP:
                streamed.append(event.get("id", streamed[-1]))
            retell({**event, "method": method}, write)

        given = {"question": state["asked"]}
        started = chosen.starting_from(state["held"])
        result = await relay(graph, given, started, tell, _HANDED_ON)
        message = streamed[-1] if result["answer"] and not state["stated"] else ""
        return {
            "latest": {**result, MESSAGE: message, "method": method},
            "usage": result["usage"],
            "warnings": result["warnings"],
        }

    return GraphNode(answer, graph)


def weigh(methods: Mapping[str, Needs]) -> Node:
    """A node that compares what the last method found, and names one of ``methods`` to go on."""

    @node()
    async def weigh(state: RouterState, run: Run[RouterContext]) -> Update:
        """Keeps what the last method found, unless one before found more; and what to try next."""
        latest, held = await _tried_again(run, state), state["held"]
        attempt: Attempt = {
            "method": latest["method"],
            "why": state["why"],
            "sufficient": latest["sufficient"],
            "stop_reason": latest["stop_reason"],
            "calls": total_calls(latest["usage"]),
        }
        found = handed_on(held, latest)
        path = [*state["path"], attempt]
        update = {"path": path, "held": found, "latest": {}, "trying": "", "why": ""}
        before = state["path"] and is_worse(latest, state, state["asked"])
        kept = {} if before else _kept(latest)
        kinds = cast(Mapping[QuestionKind, float], state["decision"]["kinds"])
        answers = latest["sufficient"]
        ended = answers and answers_alone(kinds, latest["citations"])
        ended |= latest["stop_reason"] in _NO_MORE_CALLS
        if ended or not _may_go_on(latest["method"], state, run.context):
            return {**update, **kept}
        if "escalations" not in run.context.model_fields_set and knows_little(await run.model()):
            run.meter.warn(_KNOWS_LITTLE)
            return {**update, **kept}
        left = calls_left(run.context, state["usage"])
        tried = [one["method"] for one in path]
        try:
            obstacles = await run.in_thread(_obstacles, methods, run.context, left, True)
        except NoReplyError as error:
            run.meter.warn(f"{error} No further method was tried.")
            return {**update, **kept}
        if answers:
            obstacles = {"graphrag": obstacles["graphrag"]}
        lack = await run.in_thread(_lack, state, found, obstacles)
        web, moved = _web(run.context), has_moved(held, found)
        more = run.context.escalations > type(run.context).model_fields["escalations"].default
        following = next_method(kinds, found, tried, obstacles, web, lack, moved, more)
        if following is not None:
            update |= {"trying": following.method, "why": following.reason}
        return {**update, **kept}

    return weigh


@node()
async def conclude(state: RouterState, context: RouterContext) -> Update:
    """Gives the answer as a message, with its citations, and streams what was not streamed yet."""
    answer, method = state["answer"], state["method"]
    lines = [
        f"[{place}] “{one_line(citation['quote'])}” ({citation['title'] or citation['document']})"
        for place, citation in enumerate(state["citations"], start=1)
    ]
    failed = not answer and (not lines or state["stop_reason"] == "model_failed")
    said = f"No answer was found ({state['stop_reason']})." if failed else answer
    message = AIMessage(
        "\n\n".join(filter(None, [said, "\n".join(lines)])),
        id=state["message"] or f"answer-{uuid.uuid4()}",
        additional_kwargs={
            "citations": state["citations"],
            "method": method,
            "sufficient": state["sufficient"],
        },
    )
    if answer_is_followed(context):
        streamed = answer if state["message"] else ""
        if answer != streamed:
            piece = {"step": ANSWER_STEP, "text": answer, "id": message.id, "method": method}
            get_stream_writer()(piece)
        end_message(message, streamed)
    return {"messages": [message]}


def to_weigh(state: RouterState) -> Literal["judge_statement", "weigh"]:
    """A statement is judged by what was found, before that is weighed."""
    return "judge_statement" if state["stated"] else "weigh"


def method_to_try(state: RouterState) -> str:
    """The method to try next, or the end."""
    return state["trying"] or "conclude"


_FRESH: dict[str, Any] = {
    "answer": "",
    "missing": [],
    "citations": [],
    "evidence": [],
    "method": "",
    "sufficient": False,
    "stop_reason": None,
    "decision": {},
    "path": [],
    "details": {},
    MESSAGE: "",
    "trying": "",
    "why": "",
    "held": NOTHING,
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


def _form(question: str) -> tuple[dict[QuestionKind, float], int]:
    """The kinds that ``question`` may be of, and the number of its parts."""
    return kind_probabilities(question_features(question), KIND_CLASSIFIER), parts_of(question)


def _lack(index: Index, state: RouterState, found: Found, obstacles: Mapping[str, str]) -> Lack:
    walked = None if obstacles.get("tog2", "out") else index
    return lack_of(walked, state["asked"], state["decision"]["parts"], found)


def _chosen(method: str, obstacles: Mapping[str, str]) -> Choice:
    """The user's choice. Raises RagraphsError where it cannot be used."""
    unknown = f"The method {method!r} cannot be used; name one of {', '.join(obstacles)}."
    if obstacle := obstacles.get(method, unknown):
        raise RagraphsError(obstacle)
    return Choice(method, "The user chose it.")


def _obstacles(
    index: Index,
    methods: Mapping[str, Needs],
    context: RouterContext,
    calls_left: int,
    further: bool = False,
) -> dict[str, str]:
    obstacles = feasible(methods, built_layers(index), calls_left, further)
    return {
        method: retriever_obstacle(method, bool(methods[method].layers), context) or obstacle
        for method, obstacle in obstacles.items()
    }


def _web(context: RouterContext) -> bool:
    return web_search(settings(), context.own.web) is not None


async def _tried_again(run: Run[RouterContext], state: RouterState) -> Update:
    """The last findings; of several methods, whose doubted answer must be found once more."""
    latest = state["latest"]
    several = state["path"] or _may_go_on(latest["method"], state, run.context)
    if not (latest["sufficient"] and latest.get("doubt") and several):
        return latest
    if await stays_the_same(run, state["asked"], latest):
        return {**latest, "doubt": ""}
    return uncertain(latest, _UNSTEADY)


def _may_go_on(method: str, state: RouterState, context: RouterContext) -> bool:
    """Whether another method could follow; without a model there is one search and no more."""
    if context.method != "auto" or context.model == OFFLINE or method == "graphrag":
        return False
    return len(state["path"]) < context.escalations


def _way(method: str, state: RouterState, context: RouterContext) -> dict[str, str]:
    """The way of ``method`` that suits the question, unless the caller chose one.

    GraphRAG reads everything for the whole, else what is near the question. DeepRAG reads several
    parts side by side, as a tree.
    """
    decision = state["decision"]
    if method == "graphrag" and "search" not in context.model_fields_set:
        kinds = decision["kinds"]
        return {"search": "global" if kinds["whole"] >= kinds["about"] else "local"}
    if method == "deeprag" and "mode" not in context.model_fields_set:
        return {"mode": "tree" if decision["parts"] >= _SIDE_BY_SIDE else "narrative"}
    return {}


def _kept(result: Mapping[str, Any]) -> dict[str, Any]:
    shared = {name: result[name] for name in _SHARED - {"usage", "warnings"}}
    rest = {k: v for k, v in result.items() if k not in {*_SHARED, *_HANDED_ON}}
    return shared | {"details": rest}
