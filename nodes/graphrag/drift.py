"""Reports first, then follow-up questions about what they leave open (DRIFT search)."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.types import Send

from ...context import GraphragContext
from ...index.communities import report_text
from ...index.grading import fitted_grader
from ...index.narrowed_vectors import nearest_allowed
from ...index.opening import Index
from ...index.progress import progress_of
from ...models.graders import SimilarityGrader
from ...models.protocol import OFFLINE, NoReplyError
from ...models.query_vectors import embed_queries
from ...prompts.graphrag_replies import FOLLOW_UP, PRIME, FollowUp
from ...prompts.prompt import number, number_passages
from ...state.graphrag import GraphragState, LookUpTask, Point, Question
from ..answer import stands
from ..citing import check_citations
from ..node import node
from ..run import Run, Update, calls_left
from .global_search import points_of, with_citations
from .local_search import shown_knowledge, surroundings
from .searching import near_reports
from .texts import reports_of

_PRIMED = 5
_NEAR = 100
_LOOKED_AT = 5


@node(reserve=1)
async def prime(state: GraphragState, run: Run[GraphragContext]) -> Update:
    """Has the model read the reports nearest to the question, and ask what they leave open."""
    context = run.context
    ids = await run.in_thread(near_reports, state["question"], context.level)
    reports = await run.in_thread(
        lambda index: dict(reports_of(index, ids[:_PRIMED], context.level))
    )
    run.meter.retrievals += 1
    texts = number([(report["title"], report_text(report)) for report in reports.values()])
    first: Question = {"question": state["question"], "score": 100.0}
    try:
        reply = await run.ask(PRIME, question=state["question"], texts=texts)
    except NoReplyError as error:
        run.meter.warn(f"{error} Only the question itself is looked up.")
        return {
            "pending": [first],
            "rounds_left": context.drift_depth,
            "unread": [error.stop_reason],
        }
    points = points_of(reply.points, list(reports), state["search"])
    return {
        "points": await run.in_thread(with_citations, points, reports, context.model == OFFLINE),
        "pending": _in_order([], reply.follow_ups) or [first],
        "rounds_left": context.drift_depth,
    }


@node(reserve=lambda task: task["reserved"])
async def look_up(state: LookUpTask, run: Run[GraphragContext]) -> Update:
    """Answers one follow-up question by local search, where the index may have the answer."""
    asked = state["follow_up"]
    if not await run.in_thread(_is_known, asked["question"]):
        return {"look_ups": [{**asked, "answer": "", "sufficient": False, "passages": []}]}
    found = await run.in_thread(surroundings, asked["question"], run.context)
    run.meter.retrievals += 1
    try:
        reply = await run.ask(
            FOLLOW_UP,
            main=state["question"],
            question=asked["question"],
            texts=number_passages(found.evidence),
            knowledge=shown_knowledge([one.text for one in found.statements]),
        )
    except NoReplyError as error:
        run.meter.warn(f"{error} A follow-up question was not answered.")
        return {"unread": [error.stop_reason]}
    citations = check_citations(reply.quotes, found.evidence)
    believed = await stands(run, asked["question"], reply.answer, citations, found.evidence)
    passages = list(dict.fromkeys(citation["passage"] for citation in citations))
    point: Point = {
        "text": reply.answer,
        "score": reply.score,
        "communities": [],
        "passages": passages,
        "citations": citations,
    }
    return {
        "points": [point] if believed and reply.answer and citations and reply.score > 0 else [],
        "look_ups": [
            {
                **asked,
                "answer": reply.answer,
                "sufficient": believed and reply.sufficient and bool(citations),
                "passages": passages,
            }
        ],
        "follow_ups": [{"question": f.question, "score": f.score} for f in reply.follow_ups],
    }


@node()
async def choose_follow_ups(state: GraphragState, context: GraphragContext) -> Update:
    """Ends a round: what was looked up is done, what came up is put in its order."""
    looked_up = [one["question"] for one in state["look_ups"]]
    left = state["rounds_left"] - 1
    progress_of("follow_ups")(context.drift_depth - left, context.drift_depth)
    proposed = [*state["pending"], *state["follow_ups"]]
    return {"pending": _unasked(looked_up, proposed), "rounds_left": left}


def look_ups(state: GraphragState, context: GraphragContext) -> list[Send]:
    """One task for each of the next follow-up questions, as far as the limits allow."""
    left = calls_left(context, state["usage"]) - 1
    asked = state["pending"][: max(0, min(left, context.drift_width))]
    if not state["rounds_left"] or not asked:
        return []
    reserved = calls_left(context, state["usage"]) - left // len(asked)
    return [
        Send(
            "look_up",
            LookUpTask(
                question=state["question"],
                follow_up=follow_up,
                usage=state["usage"],
                reserved=reserved,
            ),
        )
        for follow_up in asked
    ]


def _is_known(index: Index, question: str) -> bool:
    """Whether a passage fits a question at all, by terms and vectors; costs no request.

    The floor is the one below which CRAG's similarity grader, as it is fitted to the index or to
    its embeddings, holds a passage irrelevant.
    """
    grader = SimilarityGrader(index.embedder, fitted_grader(index))
    vector = embed_queries(index.embedder, [question])[0]
    cosines = dict(nearest_allowed(index, vector[None], _NEAR)[0])
    ids = [id for id, _ in index.catalogue.search_terms(question, _LOOKED_AT)]
    near = index.catalogue.passages([*ids, *list(cosines)[:_LOOKED_AT]])
    return any(
        grader.score(question, one["title"], one["text"], cosines.get(one["id"], 0.0))
        >= grader.thresholds.lower
        for one in near
    )


def _in_order(looked_up: Sequence[str], follow_ups: Sequence[FollowUp]) -> list[Question]:
    proposed: list[Question] = [{"question": f.question, "score": f.score} for f in follow_ups]
    return _unasked(looked_up, proposed)


def _unasked(looked_up: Sequence[str], proposed: Sequence[Question]) -> list[Question]:
    """Questions not looked up yet, each once, in descending order of their scores."""
    done = {question.casefold() for question in looked_up}
    found: dict[str, Question] = {}
    for question in sorted(proposed, key=lambda one: -one["score"]):
        key = question["question"].casefold()
        if key not in done and question["score"] > 0:
            found.setdefault(key, question)
    return list(found.values())
