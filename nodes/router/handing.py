"""Findings that a method hands on to the next one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...algorithms.citations import united
from ...language.analyser import keywords
from ...language.questions import analyse_question
from ...state.found import Found, LookedUp, cited_evidence


def handed_on(before: Found, result: Mapping[str, Any]) -> Found:
    """The findings ``before``, joined with the ``result`` of one more method.

    A reason to doubt its answer is nothing that another method could look up, nor is a warning.
    """
    doubt, warned = result.get("doubt"), result.get("warnings", ())
    missing = [] if doubt else [one for one in result["missing"] if one not in warned]
    evidence = {(text["id"], text["start"]): text for text in before["evidence"]}
    evidence |= {(text["id"], text["start"]): text for text in result["evidence"]}
    answers = [*before["answers"], *looked_up(result)]
    found: Found = {
        "ranked": before["ranked"] or result.get("ranked") or {},
        "evidence": list(evidence.values()),
        "citations": united([*before["citations"], *result["citations"]]),
        "answers": list({one["question"]: one for one in answers}.values()),
        "answer": result["answer"] or before["answer"],
        "missing": missing or before["missing"],
        "doubted": before["doubted"] or (bool(doubt) and _is_short(result)),
    }
    cited = cited_evidence(found)
    rest = [text for text in found["evidence"] if text not in cited]
    return {**found, "evidence": [*cited, *rest]}


def has_moved(before: Found, found: Found) -> bool:
    """Whether something else is missing of what was ``found`` than ``before``."""
    asked, open_now = (keywords(" ".join(one["missing"])) for one in (before, found))
    return not asked or asked != open_now


def worth(result: Mapping[str, Any]) -> tuple[bool, bool, bool]:
    """How much a method found, to be compared: an answer with citations before one without."""
    return result["sufficient"], bool(result["citations"]), bool(result["answer"])


def is_worse(result: Mapping[str, Any], before: Mapping[str, Any], question: str) -> bool:
    """Whether the answer found ``before`` is worth more than ``result``, and to be kept.

    Of equals the later counts, which has read what the earlier one found; but an explanation, a
    letter or a plan that ``question`` asks for is not given up for a phrase, nor an insufficient
    answer for one that cites less of what ``question`` asks about.
    """
    now, then = worth(result), worth(before)
    if now != then:
        return now < then
    if analyse_question(question).answer_type == "open" and _is_short(result) > _is_short(before):
        return True
    return not result["sufficient"] and _cited(result, question) < _cited(before, question)


def _cited(result: Mapping[str, Any], question: str) -> int:
    """The number of the words of ``question`` that the cited sentences of ``result`` hold."""
    cited = keywords(" ".join(one["quote"] for one in result["citations"]))
    return len(cited & keywords(question))


def _is_short(result: Mapping[str, Any]) -> bool:
    from ...algorithms.doubts import is_short  # its patterns take long to compile

    return is_short(result["answer"])


def looked_up(result: Mapping[str, Any]) -> list[LookedUp]:
    """The sub-questions of deeprag, in either mode, that documents were read for.

    The question itself is none.
    """
    found = result.get("steps") or []
    steps = [step for step in found if step["number"] and step["source"] != "known"]
    parts = [one for one in result.get("tree") or [] if one["parent"] and one["status"] != "split"]
    return [
        {"question": one["question"], "answer": one["answer"], "citations": one["citations"]}
        for one in [*steps, *parts]
    ]
