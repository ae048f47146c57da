"""Replies for a stub in the model's place, in the form that each system asks for.

Extraction is that of the reader without a model, so that every system gets the same graph as far as
its form allows; an answer is the first sentence of what is shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragraphs.offline.extraction.extract import extract_facts
from ragraphs.offline.questions import write_questions

from ..benchmarks.stub_model import texts_of
from ..benchmarks.stub_replies import stub_reply

Message = Mapping[str, str]

_ENTITIES = 20
# LightRAG's input; that of nano-graphrag and of graphrag, which comes after those of examples.
_INPUTS = (
    re.compile(r"---Input Text---\n```\n(.*)\n```\n\n---Output---", re.DOTALL),
    re.compile(r".*\nText:\s*(.*?)\n#{10,}\n+output:", re.DOTALL | re.IGNORECASE),
)
_MORE = re.compile(r"were missed in the last extraction|Based on the last extraction task")
_IS_MORE = re.compile(r"Answer (?:YES \| NO|Y if)")
_REPORT = re.compile(r"rating_explanation")
_MERGE = re.compile(r"list of descriptions")
_WORDS = re.compile(r"[^\W_]{3,}")
_SENTENCE = re.compile(r"[A-Z][^.\n|{}\"]{30,200}\.")


def reply_to(messages: Sequence[Message], kind: str) -> str:
    """A reply to ``messages``; ``kind`` is the name of the JSON schema asked for, if any."""
    human = messages[-1]["content"]
    all_ = "\n".join(one["content"] for one in messages)
    if ours := _ours(kind, human):
        return json.dumps(ours, ensure_ascii=False)
    if "high_level_keywords" in human:
        query = human.rpartition("User Query: ")[2].partition("\n")[0]
        names = [word for word in _WORDS.findall(query) if word.istitle()]
        return json.dumps({"high_level_keywords": [query], "low_level_keywords": names})
    if _MORE.search(human):
        return "<|COMPLETE|>"
    if _IS_MORE.search(human):
        return "NO" if "YES" in human else "N"
    for form, pattern in zip((_lightrag, _microsoft), _INPUTS, strict=True):
        if found := pattern.search(human):
            return form(found[1].strip())
    if _REPORT.search(all_):
        return json.dumps(_report(all_), ensure_ascii=False)
    return _first(human if _MERGE.search(human) else all_)


def _ours(kind: str, human: str) -> Any:
    """The reply to a prompt of ours, or None."""
    if kind == "PassageReading":
        _, title, text = texts_of(human)[0]
        written = write_questions(title, text)
        entities, relations = _facts(title, text)
        asked = {"incoming": written.incoming, "outgoing": written.outgoing}
        return {**asked, "entities": entities, "relations": relations, "claims": []}
    try:
        return stub_reply(kind, human) | {"sufficient": True} if kind else None
    except KeyError:
        return None


def _facts(title: str, text: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    found = extract_facts(title, text)
    entities = [dict(one) for one in found["entities"]][:_ENTITIES]
    names = {one["name"] for one in entities}
    linked = [dict(o) for o in found["relations"] if {o["source"], o["target"]} <= names]
    return entities, linked[:_ENTITIES]


def _lightrag(text: str) -> str:
    entities, relations = _facts("", text)
    rows: list[tuple[Any, ...]] = [
        ("entity", one["name"], "Concept", one["description"]) for one in entities
    ]
    rows += [
        ("relation", one["source"], one["target"], one["relation"], _said(one)) for one in relations
    ]
    return "\n".join(["<|#|>".join(map(_plain, row)) for row in rows] + ["<|COMPLETE|>"])


def _microsoft(text: str) -> str:
    entities, relations = _facts("", text)
    rows = [
        f'("entity"<|>{_plain(one["name"]).upper()}<|>EVENT<|>{_plain(one["description"])})'
        for one in entities
    ]
    rows += [
        f'("relationship"<|>{_plain(one["source"]).upper()}<|>{_plain(one["target"]).upper()}'
        f"<|>{_plain(_said(one))}<|>2)"
        for one in relations
    ]
    return "##".join(rows) + "<|COMPLETE|>"


def _said(relation: Mapping[str, Any]) -> str:
    return f"{relation['source']} {relation['relation']} {relation['target']}"


def _plain(text: object) -> str:
    """``text`` on one line, without marks that the forms use."""
    return re.sub(r"[\s<>|#()\"]+", " ", str(text)).strip()


def _report(prompt: str) -> dict[str, Any]:
    said = _first(prompt)
    return {
        "title": said[:40],
        "summary": said,
        "rating": 5.0,
        "rating_explanation": "It is in the middle.",
        "findings": [{"summary": said[:40], "explanation": said}],
    }


def _first(prompt: str) -> str:
    """The last sentence-like line of ``prompt``: its data come after what it asks for."""
    found = _SENTENCE.findall(prompt)
    return found[-1] if found else "Nothing is said."
