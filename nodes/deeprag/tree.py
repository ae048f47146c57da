"""The tree of DeepRAG: decompose, decide, retrieve in topological order, synthesize."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...algorithms.deeprag.sub_questions import acyclic, same_question
from ...algorithms.deeprag.tree import (
    FINISHED,
    MOST_NODES,
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
from ...prompts.deeprag_replies import DECOMPOSE, SubQuestions
from ...prompts.prompt import FencedQuestion, fence_in_line, without_fences
from ...state.answering import StopReason
from ...state.deeprag import DeepragState, NodeStatus, TreeNode
from ...state.errors import RagraphsError
from ...state.found import cited_evidence
from ...state.records import Evidence
from ..node import node
from ..run import Run, Update
from .conclude import Conclusion, conclude_from, lacks_evidence, tree_support
from .sub_questions import SubAnswer, gather_evidence, read_for, retrieve_for, sub_answer


@node()
async def open_question(state: DeepragState, context: DeepragContext) -> Update:
    """Sets the mode, and for the tree its root; what earlier methods found is there from now on."""
    root = new_node(ROOT, "", 0, state["question"].strip(), atomic=False)
    tree = _settled([root], context) if context.mode == "tree" else []
    held = state["held"]
    return {
        "mode": context.mode,
        "tree": tree,
        "answer": held["answer"],
        "missing": held["missing"],
        "citations": held["citations"],
        "evidence": cited_evidence(held),
        "ranked": held["ranked"],
    }


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
        room = MOST_NODES - len(tree)
        texts = [without_fences(part.question) for part in reply.questions]
        parts = acyclic(texts, one["question"], room) if room > 1 else ()
        if spent:
            bound = spent
        elif len(texts) > max(room, 1):
            bound = bound or "nodes"
        if parts:
            atomic = [reply.questions[part.origin].atomic for part in parts]
            tree |= {new["id"]: new for new in split(one, parts, atomic)}
        else:
            tree[one["id"]] = {**one, "decision": "retrieve", "reason": "is not split further"}
    return {"tree": _settled(list(tree.values()), context), "bound": bound}


def _given_up(state: DeepragState) -> Update:
    """The tree without hope for its unfinished questions, for which no time is left."""
    tree: list[TreeNode] = [
        one if one["status"] in FINISHED else {**one, "status": "failed", "reason": "no time left"}
        for one in state["tree"]
    ]
    return {"tree": tree, "bound": "time"}


@node(reserve=1, late=_given_up)
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
        spent = found.why if found.why in ("budget", "time") else None
        bound = spent or bound or leaf["bound"]
    return {"tree": _settled(list(tree.values()), context), "evidence": evidence, "bound": bound}


@node(reserve=1, late=_given_up)
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


async def _parts_of(
    run: Run[DeepragContext], state: DeepragState, one: TreeNode
) -> tuple[SubQuestions, StopReason | None]:
    """The parts of a question, and the limit of the run that kept it whole.

    Where the model fails there are none, with a warning.
    """
    try:
        return await run.ask(DECOMPOSE, question=_asked(state, one)), None
    except NoReplyError as error:
        run.meter.warn(f"“{one['question'][:80]}” was not split. {error}")
        spent = error.stop_reason if error.ends_run else None
        return SubQuestions.model_construct(questions=[]), spent


async def _answer(
    run: Run[DeepragContext], state: DeepragState, leaf: TreeNode
) -> tuple[list[Evidence], SubAnswer] | RagraphsError:
    """The passages for a leaf and what they say; an error in its place where they cannot be had.

    A question that an earlier method tried is neither searched for nor read again.
    """
    held = state["held"]
    for one in held["answers"]:
        if same_question(one["question"], leaf["question"]):
            cited = {citation["passage"] for citation in one["citations"]}
            texts = [text for text in held["evidence"] if text["id"] in cited]
            return texts, sub_answer(bool(one["answer"]), one["answer"], one["citations"])
    if leaf["id"] == ROOT and held["evidence"]:
        return cited_evidence(held), sub_answer(False, "", held["citations"])
    try:
        passages = await retrieve_for(
            run, leaf["question"], f"sub-question {leaf['id']}", run.context.step_passages
        )
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
        "doubted": found.doubted,
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
    support, asked = tree_support(parts), _asked(state, one)
    if lacks_evidence(support, evidence):
        evidence = gather_evidence(evidence, await run.search(asked, run.context.top_k))
    return await conclude_from(run, asked, support, evidence)


def _asked(state: DeepragState, one: TreeNode) -> str:
    """The question of ``one``, in which prompts fence off the answers of other questions."""
    nodes = {node["id"]: node for node in state["tree"]}
    shown = filled_in(one, nodes, fence_in_line)
    return one["question"] if shown == one["question"] else FencedQuestion(one["question"], shown)


def _settled(tree: Sequence[TreeNode], context: DeepragContext) -> list[TreeNode]:
    return decide_waiting(tree, context.max_depth)
