"""The tree of questions: deciding each question, and the next action."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from ...state.deeprag import TreeNode
from .sub_questions import SubQuestion, references, substitute

Action = Literal["decompose", "answer_leaves", "combine", "conclude"]

ROOT = "0"
MOST_NODES = 24  # questions in a tree, the first one included
FINISHED = frozenset({"answered", "not_found", "failed", "blocked"})


def new_node(id: str, parent: str, depth: int, text: str, *, atomic: bool) -> TreeNode:
    """A question that waits to be decided."""
    return {
        "id": id,
        "parent": parent,
        "depth": depth,
        "text": text,
        "question": text,
        "depends_on": [
            f"{id.rpartition('.')[0]}.{number}".lstrip(".") for number in references(text)
        ]
        if parent
        else [],
        "atomic": atomic,
        "bound": None,
        "status": "waiting",
        "decision": "undecided",
        "reason": "",
        "answer": "",
        "doubted": "",
        "evidence": [],
        "citations": [],
    }


def children_of(tree: Sequence[TreeNode], parent: str) -> list[TreeNode]:
    """The questions that ``parent`` was split into, in order."""
    return [node for node in tree if node["parent"] == parent]


def terminals(nodes: Sequence[TreeNode]) -> list[TreeNode]:
    """The siblings in ``nodes`` whose answers none of the others uses."""
    used = {id for node in nodes for id in node["depends_on"]}
    return [node for node in nodes if node["id"] not in used]


def split(node: TreeNode, parts: Sequence[SubQuestion], atomic: Sequence[bool]) -> list[TreeNode]:
    """``node`` as split, and the questions that it is split into."""
    prefix = "" if node["id"] == ROOT else f"{node['id']}."
    children = [
        new_node(f"{prefix}{place}", node["id"], node["depth"] + 1, part.text, atomic=is_atomic)
        for place, (part, is_atomic) in enumerate(zip(parts, atomic, strict=True), start=1)
    ]
    return [{**node, "status": "split"}, *children]


def decide_waiting(tree: Sequence[TreeNode], max_depth: int) -> list[TreeNode]:
    """``tree`` with every waiting question decided whose dependencies are finished.

    Their answers are filled in. An atomic question is retrieved, another one decomposed, unless
    the bounds leave no room for it; what depends on an answer that was not found is blocked.
    """
    nodes = {node["id"]: node for node in tree}
    # A blocked question blocks those that depend on it, which may stand before it.
    for _ in tree:
        waiting = [node for node in nodes.values() if node["status"] == "waiting"]
        decided = [_decided(node, nodes, max_depth) for node in waiting]
        if decided == waiting:
            break
        nodes |= {node["id"]: node for node in decided}
    return list(nodes.values())


def next_action(tree: Sequence[TreeNode]) -> Action:
    """The next work once nothing waits to be decided.

    Every action finishes or splits at least one question.
    """
    ready = [node for node in tree if node["status"] == "ready"]
    if any(node["decision"] == "decompose" for node in ready):
        return "decompose"
    if ready:
        return "answer_leaves"
    return "combine" if combinable(tree) else "conclude"


def combinable(tree: Sequence[TreeNode]) -> list[TreeNode]:
    """The split questions, but for the root, whose parts are all finished."""
    return [
        node
        for node in tree
        if node["status"] == "split"
        and node["id"] != ROOT
        and all(child["status"] in FINISHED for child in children_of(tree, node["id"]))
    ]


def filled_in(
    node: TreeNode, nodes: Mapping[str, TreeNode], written: Callable[[str], str] = str
) -> str:
    """The text of ``node`` with the answers that it refers to, as ``written``."""
    answers = {int(id.rsplit(".", 1)[-1]): nodes[id]["answer"] for id in node["depends_on"]}
    return substitute(node["text"], answers, written)


def _decided(node: TreeNode, nodes: Mapping[str, TreeNode], max_depth: int) -> TreeNode:
    needed = [nodes[id] for id in node["depends_on"]]
    missing = [one for one in needed if one["status"] in FINISHED - {"answered"}]
    if missing:
        reason = f"needs the answer of {missing[0]['id']}, which was not found"
        return {**node, "status": "blocked", "reason": reason}
    if any(one["status"] != "answered" for one in needed):
        return node
    ready: TreeNode = {**node, "status": "ready", "question": filled_in(node, nodes)}
    if node["atomic"]:
        return {**ready, "decision": "retrieve", "reason": "asks for one fact"}
    if node["depth"] >= max_depth:
        reason = f"may ask for several facts, but the depth of {max_depth} is reached"
        return {**ready, "decision": "retrieve", "reason": reason, "bound": "depth"}
    if len(nodes) + 2 > MOST_NODES:
        reason = f"may ask for several facts, but there is no room in {MOST_NODES} questions"
        return {**ready, "decision": "retrieve", "reason": reason, "bound": "nodes"}
    return {**ready, "decision": "decompose", "reason": "may ask for several facts"}
