"""`--trace`: what every node of a run did, as a tree with times, calls and findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, cast

from rich.text import Text
from rich.tree import Tree

from ..language.analyser import one_line, shortened
from ..models.protocol import OFFLINE
from ..state.records import Usage

_LONGEST = 160  # characters of an answer or a sentence
_MOST = 8  # entries of a list, and siblings of one name that are shown one by one
_COUNTED = {
    "retrieved": "passage",
    "evidence": "passage",
    "grades": "grade",
    "refined": "strip",
    "pages": "web page",
    "web_refined": "strip of the web",
    "hops": "hop",
    "topics": "topic",
    "candidates": "entity",
    "communities": "community",
    "points": "point",
    "citations": "citation",
}
_PLURALS = {"entity": "entities", "community": "communities", "strip of the web": "strips"}


@dataclass
class _Task:
    """A run of a node: when it began and ended, in seconds, and the state that it wrote."""

    name: str
    start: float
    end: float
    wrote: Mapping[str, Any] = field(default_factory=dict)
    within: list[_Task] = field(default_factory=list)


class Trace:
    """Follows the tasks of a run, also in graphs inside its nodes.

    trace = Trace()
    async for namespace, event in graph.astream(..., stream_mode="tasks", subgraphs=True):
        trace.see(namespace, event, time.monotonic())
    console.print(trace.drawn(output, seconds=2.5))
    """

    def __init__(self) -> None:
        self._tasks: dict[str, _Task] = {}
        self._outer: list[_Task] = []

    def see(self, namespace: Sequence[str], event: Mapping[str, Any], now: float) -> None:
        """Takes the beginning or the end of a task; ``now`` is in seconds."""
        task = self._tasks.get(event["id"])
        if task is None:
            task = self._tasks[event["id"]] = _Task(event["name"], now, now)
            outer = namespace[-1].rpartition(":")[2] if namespace else ""
            parent = self._tasks.get(outer)
            (parent.within if parent else self._outer).append(task)
        if "result" in event:
            task.end = now
            task.wrote = dict(event["result"] or {})

    def drawn(self, output: Mapping[str, Any], seconds: float) -> Tree:
        """The tree of the run that gave ``output`` in ``seconds``."""
        by = "router" if "path" in output else output["method"]
        root = Tree(_line(by, seconds, output["usage"], _outcome(output)))
        _add_tasks(root, self._outer)
        if "path" not in output:
            _add_details(root, output)
        return root


def _add_tasks(tree: Tree, tasks: Sequence[_Task]) -> None:
    for name, found in groupby(tasks, key=lambda task: task.name):
        alike = list(found)
        if len(alike) > _MOST:
            seconds = max(task.end for task in alike) - min(task.start for task in alike)
            tree.add(_line(f"{name} × {len(alike)}", seconds, _sum(alike), []))
            continue
        for task in alike:
            # A method inside the router writes its whole output as the latest.
            output = task.wrote.get("latest") or {}
            found_words = _outcome(output) if output else _findings(task.wrote)
            seconds = task.end - task.start
            branch = tree.add(_line(name, seconds, _usage(task), found_words))
            _add_tasks(branch, task.within)
            _add_details(branch, output)


def _line(name: str, seconds: float, usage: Usage, words: Sequence[str]) -> Text:
    calls = reused = tokens = 0
    for model, used in usage.get("models", {}).items():
        if model != OFFLINE:
            calls, reused = calls + used["calls"], reused + used["reused"]
            tokens += used["input_tokens"] + used["output_tokens"]
    parts = [
        f"{seconds:.2f} s",
        *([_count(calls, "call"), f"{tokens:,} tokens"] if calls else []),
        *([f"{reused} reused"] if reused else []),
    ]
    told = one_line("; ".join(words))
    return Text.assemble((name, "bold"), ("  " + " · ".join(parts), "dim"), "  " * bool(told), told)


def _usage(task: _Task) -> Usage:
    usage: Any = task.wrote.get("usage") or {}
    return cast(Usage, getattr(usage, "value", usage))  # LangGraph's Overwrite holds a value


def _sum(tasks: Sequence[_Task]) -> Usage:
    from ..state.usage import add_usage

    total: Usage = {}
    for task in tasks:
        total = add_usage(total, _usage(task))
    return total


def _outcome(output: Mapping[str, Any]) -> list[str]:
    """How a method ended."""
    counted = [
        _count(len(output[key]), _COUNTED[key])
        for key in ("evidence", "citations")
        if output.get(key)
    ]
    return [*counted, str(output.get("stop_reason") or "").replace("_", " ")]


def _findings(wrote: Mapping[str, Any]) -> list[str]:
    """Findings of a node, in a few words."""
    words = [
        _count(len(wrote[key]), noun)
        for key, noun in _COUNTED.items()
        if isinstance(wrote.get(key), list) and wrote[key]
    ]
    if wrote.get("verdict"):
        words.append(f"verdict: {wrote['verdict']}")
    if wrote.get("queries"):
        words.append("web queries: " + ", ".join(f"“{query}”" for query in wrote["queries"]))
    if wrote.get("decision"):
        words.append(f"{wrote['decision']['method']}: {wrote['decision']['reason']}")
    elif wrote.get("trying"):
        words.append(f"next {wrote['trying']}: {wrote['why']}")
    pending = [step["question"] for step in wrote.get("pending") or () if "question" in step]
    words += [f"“{question}”" for question in pending[:1]]
    if wrote.get("stop_reason"):
        words.append(str(wrote["stop_reason"]).replace("_", " "))
    return words


def _add_details(tree: Tree, output: Mapping[str, Any]) -> None:
    """Adds sub-questions, hops, walked paths and look-ups, where the method has them."""
    if any(step["number"] for step in output.get("steps") or ()):
        _add(tree, "sub-questions", [_answered(step) for step in output["steps"]])
    if output.get("look_ups"):
        _add(tree, "follow-up questions", [_answered(one) for one in output["look_ups"]])
    if output.get("tree"):
        root, *parts = output["tree"]
        _add_questions(tree, "", [{**root, "answer": output["answer"]}, *parts])
    if output.get("hops"):
        titles = {one["id"]: one["title"] or one["document"] for one in output["evidence"]}
        hops = tree.add("hops")
        for number, arrivals in groupby(output["hops"], key=lambda hop: hop["round"]):
            rounds = [_hop(hop, titles) for hop in arrivals]
            _add(hops, f"round {number}: {_count(len(rounds), 'arrival')}", rounds)
    if output.get("paths"):
        _add(tree, "paths", list(map(_path, output["paths"])))


def _add(tree: Tree, label: str, lines: Sequence[str]) -> None:
    """Adds a branch of ``lines``, the first eight, and the number of the others."""
    branch = tree.add(Text(label))
    for line in lines[:_MOST]:
        branch.add(Text(line))
    if len(lines) > _MOST:
        branch.add(Text(f"and {len(lines) - _MOST} more", "dim"))


def _add_questions(tree: Tree, parent: str, questions: Sequence[Mapping[str, Any]]) -> None:
    for one in questions:
        if one["parent"] == parent:
            _add_questions(tree.add(Text(_answered(one))), one["id"], questions)


def _answered(one: Mapping[str, Any]) -> str:
    doubted = one.get("doubted")
    said = one["answer"] or (f"not certain: {doubted}" if doubted else "not found")
    return f"{one_line(one['question'])} → {shortened(one_line(said), _LONGEST)}"


def _hop(hop: Mapping[str, Any], titles: Mapping[str, str]) -> str:
    target = titles.get(hop["target"], f"a passage that was not kept ({hop['target'][:8]})")
    why = f"“{one_line(hop['raised'] or hop['question'])}” " if hop["question"] else ""
    return f"{why}→ {one_line(target)} ({hop['label']})"


def _path(path: Mapping[str, Any]) -> str:
    triples = (
        f"{one['source_name']} – {one['relation']} – {one['target_name']}"
        for one in path["triples"]
    )
    return one_line(f"{path['name']}: {'; '.join(triples)}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun if number == 1 else _PLURALS.get(noun, noun + 's')}"
