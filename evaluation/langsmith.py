"""Question sets and measures for the SDK of LangSmith."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from langsmith.schemas import Example

from .datasets import load_dataset
from .metrics import answer_f1, containment, exact_match


def examples(folder: str | Path, limit: int | None = None) -> list[Example]:
    """The questions of the set in ``folder``, or its first ``limit``, as examples of LangSmith.

    graph = ragraphs.build("router", index="notes")
    langsmith.evaluate(graph, data=examples("data/musique"), evaluators=EVALUATORS)

    The ids stay the same, so that a set can be sent again. Raises RagraphsError.
    """
    dataset = load_dataset(folder, limit)
    return [
        Example(
            id=uuid.uuid5(uuid.NAMESPACE_URL, f"ragraphs:{dataset.name}:{one.id}"),
            inputs={"question": one.question},
            outputs={"answers": list(one.answers), "supporting": sorted(one.supporting)},
            metadata={"id": one.id, "type": one.kind},
        )
        for one in dataset.questions
    ]


def answer(outputs: Mapping[str, Any], reference_outputs: Mapping[str, Any]) -> dict[str, Any]:
    """EM, F1 and containment of an answer; nothing where there is no gold answer."""
    golds = reference_outputs.get("answers") or []
    measures = {"exact_match": exact_match, "f1": answer_f1, "containment": containment}
    said = outputs.get("answer") or ""
    scores = {key: of(said, golds) for key, of in measures.items() if golds}
    return {"results": [{"key": key, "score": score} for key, score in scores.items()]}


def honesty(outputs: Mapping[str, Any], reference_outputs: Mapping[str, Any]) -> dict[str, Any]:
    """0 where an answer is called sufficient and holds no gold answer, else 1."""
    golds = reference_outputs.get("answers") or []
    right = containment(outputs.get("answer") or "", golds)
    return {"key": "honesty", "score": 0 if outputs.get("sufficient") and not right else 1}


def recall(outputs: Mapping[str, Any], reference_outputs: Mapping[str, Any]) -> dict[str, Any]:
    """The share of the supporting passages in the evidence; nothing where none is named."""
    supporting = set(reference_outputs.get("supporting") or [])
    # Sets name passages, documents, or lines of a file.
    names = [(one["id"], one["document"]) for one in outputs.get("evidence") or []]
    found = {part for id, of in names for part in (id, of, of.rpartition("#")[2])}
    shares = [len(supporting & found) / len(supporting)] if supporting else []
    return {"results": [{"key": "evidence_recall", "score": share} for share in shares]}


EVALUATORS = (answer, honesty, recall)
