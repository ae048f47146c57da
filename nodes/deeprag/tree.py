"""The tree of DeepRAG: decompose, decide, retrieve in topological order, synthesize."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...algorithms.deeprag.sub_questions import acyclic
from ...algorithms.deeprag.tree import (
    FINISHED,
    ROOT,
    children_of,
    combinable,
    decide_waiting,
    filled_in,
    new_node,
    split,
    terminals,
)
from ...context import DeepragContext
from ...index.concurrency import in_parallel
from ...index.progress import progress_of
from ...models.protocol import NoReplyError
from ...prompts.deeprag_replies import SubQuestions
from ...prompts.library import DECOMPOSE
from ...prompts.prompt import Asked, fence_in_line, without_fences
from ...state.deeprag import DeepragState, NodeStatus, TreeNode
from ...state.errors import RagraphsError
from ...state.records import Evidence
from ..node import node
from ..run import Run, Update
from .sub_questions import (
    Conclusion,
    SubAnswer,
    Support,
    conclude_from,
    conclusion_update,
    gather_evidence,
    read_for,
    retrieve_for,
)


@node()
async def open_question(state: DeepragState, context: DeepragContext) -> Update:
    """Sets the mode, and for the tree its root."""
    root = new_node(ROOT, "", 0, state["question"].strip(), atomic=False)
    tree = _settled([root], context) if context.mode == "tree" else []
    return {"mode": context.mode, "tree": tree}


@node(reserve=2)
async def decompose(state: DeepragState, run: Run[DeepragContext]) -> Update:
    """Splits the questions that may ask for several facts, side by side."""
    asked = [
        one for one in state["tree"] if one["status"] == "ready" and one["decision"] == "decompose"
    ]
    context = run.context
    replies = await in_parallel(asked, partial(_parts_of, run, state), context.concurrency)
    tree, bound = {one["id"]: one for one in state["tree"]}, state["bound"]
    for one, (reply, spent) in zip(asked, replies, strict=True):
        room = context.max_nodes - len(tree)
        texts = [without_fences(part.question) for part in reply.questions]
        parts = acyclic(texts, one["question"], room) if room > 1 else ()
        if spent:
            bound = "budget"
        elif len(texts) > max(room, 1):
            bound = bound or "nodes"
        if parts:
            atomic = [reply.questions[part.origin].atomic for part in parts]
            tree |= {new["id"]: new for new in split(one, parts, atomic)}
        else:
            tree[one["id"]] = {**one, "decision": "retrieve", "reason": "is not split further"}
    return {"tree": _settled(list(tree.values()), context), "bound": bound}


@node(reserve=1)
async def answer_leaves(state: DeepragState, run: Run[DeepragContext]) -> Update:
    """Retrieves and reads for all questions that can be answered now, side by side."""
    context = run.context
    leaves = [one for one in state["tree"] if one["status"] == "ready"]
    done = sum(one["status"] in FINISHED for one in state["tree"])
    progress_of("answer_leaves")(done + len(leaves), len(state["tree"]))
    results = await in_parallel(leaves, partial(_answer, run, state), context.concurrency)
    failures = [result for result in results if isinstance(result, RagraphsError)]
    if len(failures) == len(results):
        raise failures[0]
    tree = {one["id"]: one for one in state["tree"]}
    evidence, bound = state["evidence"], state["bound"]
    for leaf, result in zip(leaves, results, strict=True):
        if isinstance(result, RagraphsError):
            run.meter.warn(f"“{leaf['question'][:80]}” was not answered. {result}")
            tree[leaf["id"]] = {**leaf, "status": "failed", "reason": str(result)}
            continue
        passages, found = result
        evidence = gather_evidence(evidence, passages)
        tree[leaf["id"]] = _answered(leaf, passages, found)
        bound = "budget" if found.why == "budget" else bound or leaf["bound"]
    return {"tree": _settled(list(tree.values()), context), "evidence": evidence, "bound": bound}


@node(reserve=1)
async def combine(state: DeepragState, run: Run[DeepragContext]) -> Update:
    """Answers the split questions whose parts are finished, so that others can use the answers."""
    asked = combinable(state["tree"])
    conclusions = await in_parallel(asked, partial(_combined, run, state), run.context.concurrency)
    tree = {one["id"]: one for one in state["tree"]}
    for one, conclusion in zip(asked, conclusions, strict=True):
        found = conclusion.sufficient and bool(conclusion.answer)
        tree[one["id"]] = {
            **one,
            "status": "answered" if found else "not_found",
            "answer": conclusion.answer if found else "",
            "citations": conclusion.citations,
        }
    return {"tree": _settled(list(tree.values()), run.context)}


@node(answers=True)
async def conclude(state: DeepragState, run: Run[DeepragContext]) -> Update:
    """Answers the question from all that its sub-questions found, in either mode."""
    if state["mode"] == "narrative":
        told = [step for step in state["steps"] if step["number"] or step["found"]]
        support = [Support(s["question"], s["answer"], s["citations"]) for s in told]
        if len(told) < len(state["steps"]) and not any(step["found"] for step in told):
            return await _opening(state, run)
    else:
        support = _support(state["tree"])
    found = await conclude_from(run, state["question"], support, state["evidence"])
    return await conclusion_update(run, state["question"], found, state["bound"])


async def _opening(state: DeepragState, run: Run[DeepragContext]) -> Update:
    """What the question's own passages say, where no sub-question found more."""
    passages = await run.search(state["question"], run.context.top_k)
    return {
        "answer": state["answer"],
        "evidence": gather_evidence(state["evidence"], passages),
        "sufficient": False,
        "stop_reason": state["bound"] or "insufficient",
    }


async def _parts_of(
    run: Run[DeepragContext], state: DeepragState, one: TreeNode
) -> tuple[SubQuestions, bool]:
    """The parts of a question, and whether the budget kept it whole.

    Where the model fails there are none, with a warning.
    """
    try:
        return await run.ask(DECOMPOSE, question=_asked(state, one)), False
    except NoReplyError as error:
        run.meter.warn(f"“{one['question'][:80]}” was not split. {error}")
        return SubQuestions.model_construct(questions=[]), error.cause == "budget"


async def _answer(
    run: Run[DeepragContext], state: DeepragState, leaf: TreeNode
) -> tuple[list[Evidence], SubAnswer] | RagraphsError:
    """The passages for a leaf and what they say; an error in its place where they cannot be had."""
    try:
        passages = await retrieve_for(run, leaf["question"], f"sub-question {leaf['id']}")
    except RagraphsError as error:
        return error
    return passages, await read_for(run, _asked(state, leaf), passages)


def _answered(leaf: TreeNode, passages: Sequence[Evidence], found: SubAnswer) -> TreeNode:
    status: NodeStatus = "answered"
    if found.why:
        status = "not_found" if found.why == "not_found" else "failed"
    return {
        **leaf,
        "status": status,
        "answer": found.answer,
        "evidence": [passage["id"] for passage in passages],
        "citations": found.citations,
    }


async def _combined(run: Run[DeepragContext], state: DeepragState, one: TreeNode) -> Conclusion:
    """The answer of a split question: its only terminal part's, else a synthesis of all parts."""
    parts = children_of(state["tree"], one["id"])
    last = terminals(parts)
    if len(last) == 1:
        return Conclusion(
            last[0]["answer"], last[0]["citations"], [], bool(last[0]["answer"]), None
        )
    own = {id for part in parts for id in part["evidence"]}
    evidence = [passage for passage in state["evidence"] if passage["id"] in own]
    return await conclude_from(run, _asked(state, one), _support(parts), evidence)


def _asked(state: DeepragState, one: TreeNode) -> str:
    """The question of ``one``, in which prompts fence off the answers of other questions."""
    nodes = {node["id"]: node for node in state["tree"]}
    shown = filled_in(one, nodes, fence_in_line)
    return one["question"] if shown == one["question"] else Asked(one["question"], shown)


def _support(nodes: Sequence[TreeNode]) -> list[Support]:
    """The questions below the root, in the order of the tree, with their answers."""
    ordered = sorted(nodes, key=lambda one: [int(part) for part in one["id"].split(".")])
    alone = len(nodes) == 1
    return [
        Support(one["question"], one["answer"], one["citations"])
        for one in ordered
        if alone or one["id"] != ROOT
    ]


def _settled(tree: Sequence[TreeNode], context: DeepragContext) -> list[TreeNode]:
    return decide_waiting(tree, context.max_depth, context.max_nodes)
