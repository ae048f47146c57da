"""Showing sub-questions to a person before they are looked up."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.types import interrupt

from ...algorithms.deeprag.sub_questions import SubQuestion, acyclic, same_question
from ...algorithms.deeprag.tree import MOST_NODES, ROOT, children_of, decide_waiting, split
from ...context import DeepragContext
from ...models.meter import current_meter
from ...state.deeprag import DeepragState, TreeNode
from ..confirming import allowed_texts
from ..node import node
from ..run import Update

_UNCLEAR = (
    "the reply was unclear; resume with true, false, a word such as 'yes', or a list of different "
    "sub-questions, in which #1 stands for the answer of the first"
)
_NOT_CONFIRMED = "it was not confirmed"


@node()
async def confirm(state: DeepragState, context: DeepragContext) -> Update:
    """Shows by ``interrupt`` what is to be looked up: the next step, or the parts of the tree.

    A person may write other sub-questions. Without a clear yes the narrative ends with what is
    known, and the tree is the question itself.
    """
    if state["mode"] == "narrative":
        return _confirmed_step(state)
    return {**_confirmed_tree(state, context), "confirmed": True}


def confirmed_plan(
    said: object, shown: list[str], question: str, most: int
) -> list[SubQuestion] | None:
    """The sub-questions of ``question`` that the reply ``said`` allows, of those ``shown``.

    A list of at most ``most`` others stands in their place, where each of them is a question of
    its own and refers to the answers of others only. None for anything else, which is no consent.
    """
    texts = allowed_texts(said, shown, most)
    if texts is None:
        return None
    parts = acyclic(texts, question, most, least=1)
    return list(parts) if len(parts) == len(texts) else None


def _confirmed_step(state: DeepragState) -> Update:
    step = state["pending"][0]
    shown = [step["question"]]
    said = interrupt({"message": "Look up this sub-question?", "questions": shown, "most": 1})
    allowed = allowed_texts(said, shown, 1)
    if not allowed:
        why = _UNCLEAR if allowed is None else _NOT_CONFIRMED
        current_meter().warn(f"“{step['question'][:80]}” was not looked up, because {why}.")
        return {"pending": []}
    if allowed[0] == step["question"]:
        return {}
    asked = " ".join(allowed[0].split())
    return {"pending": [{**step, "question": asked, "reason": "a person asked it"}]}


def _confirmed_tree(state: DeepragState, context: DeepragContext) -> Update:
    parts, most = children_of(state["tree"], ROOT), MOST_NODES - 1
    texts, question = [part["text"] for part in parts], state["question"]
    said = interrupt(
        {
            "message": "Look up these sub-questions?",
            "questions": texts,
            "question": question,
            "most": most,
        }
    )
    plan = confirmed_plan(said, texts, question, most)
    if plan and [part.text for part in plan] == texts:
        return {}
    root = next(one for one in state["tree"] if one["id"] == ROOT)
    if plan:
        tree = split(root, plan, [_is_atomic(part, parts) for part in plan])
        return {"tree": decide_waiting(tree, context.max_depth)}
    why = _UNCLEAR if plan is None else _NOT_CONFIRMED
    current_meter().warn(f"The question was looked up as it stands, not by a plan: {why}.")
    whole: TreeNode = {**root, "status": "ready", "decision": "retrieve", "reason": "is not split"}
    return {"tree": [whole]}


def _is_atomic(part: SubQuestion, before: Sequence[TreeNode]) -> bool:
    """Whether ``part`` is looked up as it is, as a person's own question always is."""
    alike = [one for one in before if same_question(one["text"], part.text)]
    return alike[0]["atomic"] if alike else True
