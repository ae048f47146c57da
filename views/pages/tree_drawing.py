"""The tree of questions as a Mermaid drawing."""

from __future__ import annotations

from collections.abc import Sequence

from ...language.analyser import one_line, shortened
from ...state.deeprag import TreeNode

_LONGEST = 80


def draw_tree(tree: Sequence[TreeNode]) -> str:
    """A Mermaid flowchart: solid arrows to parts, dotted ones to what needs an answer."""
    lines = ["graph TD;"]
    for node in tree:
        answer = _label(node["answer"]) if node["answer"] else f"({node['status']})"
        lines.append(f'\t{_key(node["id"])}["{_label(node["question"])}<br/>{answer}"];')
    for node in tree:
        if node["parent"]:
            lines.append(f"\t{_key(node['parent'])} --> {_key(node['id'])};")
        lines += [f"\t{_key(needed)} -.-> {_key(node['id'])};" for needed in node["depends_on"]]
    return "\n".join(lines)


def _key(id: str) -> str:
    return "q" + id.replace(".", "_")


def _label(text: str) -> str:
    """``text`` on one line, cut, with what means something to Mermaid written as entities."""
    line = shortened(one_line(text), _LONGEST)
    marks = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "#": "35", "`": "96", "[": "91",
             "]": "93", "{": "123", "}": "125", "|": "124", ";": "59", "\\": "92"}  # fmt: skip
    return "".join(f"#{marks[mark]};" if mark in marks else mark for mark in line)
