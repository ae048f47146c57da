"""The atomic decision of the retrieval narrative (DeepRAG): retrieve, or answer from before.

The paper's δ ∈ {retrieve, parametric}; here earlier answers take the place of parametric knowledge.
Under the policy ``model`` the model is asked besides what it knows of a question to be looked up;
under ``trained`` its word for a parametric answer, ``known``, is followed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ...language.analyser import is_korean, keywords
from ...language.answer_types import dates, name_spans
from ...language.comparing import Answered
from ...language.values import verdict
from ...state.deeprag import NarrativeStep, StepSource
from ..claims import unsupported

Policy = Literal["biased", "retrieve_always", "model", "trained"]
MODEL_DECIDES = frozenset({"model", "trained"})

_COMPOSITION = re.compile(
    r"\b(?:same|both|either|difference|different|differ|sum|total|together|average|mean|older|"
    r"younger|earlier|later|first|last|before|after|longer|shorter|larger|smaller|bigger|higher|"
    r"lower|taller|more|fewer|less|most|least|greater|oldest|youngest|earliest|latest|add|plus|minus|"
    r"subtract|divided|times|percent|compare|count|how many of)\b"
    r"|같은|동일|차이|합|평균|먼저|나중|더 |가장|둘 다|모두|비교",
    re.IGNORECASE,
)

_FIGURE = re.compile(r"\d(?:[\d,.]*\d)?")
_BLANK = re.compile(r"\[[^\]]*\]")  # what a letter leaves open
_HELD = 0.9  # of the words of an earlier text, in one that completes it


class AtomicDecision(NamedTuple):
    """The source of a sub-question's answer, and the reason."""

    source: StepSource
    reason: str


def choose_source(
    policy: Policy, question: str, proposed: StepSource, reason: str, earlier: Sequence[Answered]
) -> AtomicDecision:
    """The source for the sub-question ``question``, of which a model ``proposed`` one.

    ``biased`` lets earlier answers do only for arithmetic and composition over them: at least two
    were found (one, where figures are given in the question), and the question brings in no name,
    date or figure that is not among them. ``retrieve_always`` lets nothing do; ``model`` follows
    the proposal, if there is anything to answer from, and so does ``trained``, which may be
    ``known`` besides.
    """
    known = [step for step in earlier if step.answer]
    if proposed == "known" and policy == "trained":
        return AtomicDecision("known", reason)
    if proposed == "known" and policy == "model":
        proposed = "retrieve"
    if proposed == "retrieve" or policy == "retrieve_always":
        kept = reason if proposed == "retrieve" else f"policy retrieve_always; proposed: {reason}"
        return AtomicDecision("retrieve", kept)
    if not known:
        return AtomicDecision("retrieve", "no earlier answer to go by")
    if policy in MODEL_DECIDES:
        return AtomicDecision("earlier", reason)
    if not _COMPOSITION.search(question):
        return AtomicDecision("retrieve", "policy biased: no arithmetic or composition")
    foreign = _foreign(question, known)
    if foreign:
        return AtomicDecision("retrieve", f"policy biased: “{foreign}” is in no earlier step")
    if len(known) < 2 and not re.search(r"\d", question):
        return AtomicDecision("retrieve", "policy biased: only one earlier answer")
    return AtomicDecision("earlier", reason or "composition over earlier answers")


def follows(answer: str, earlier: Sequence[Answered]) -> bool:
    """Whether ``answer`` is an earlier answer, or a name, date or number of one.

    A yes or no is not: it would have to be computed.
    """
    told = [step.answer for step in earlier if step.answer]
    return verdict(answer) is None and any(not unsupported(answer, "", [one]) for one in told)


def agrees(answer: str, computed: str) -> bool:
    """Whether ``answer`` says the same as the value ``computed``, or a part of it."""
    if verdict(answer) is None and verdict(computed) is None:
        return not unsupported(answer, "", [computed])
    return verdict(answer) == verdict(computed)


def completes(later: str, earlier: str) -> bool:
    """Whether ``later`` tells nearly all that the text ``earlier`` does, and more.

    What a letter leaves open, in brackets, is not told. A phrase is completed by nothing, and no
    answer by any.
    """
    from ..doubts import is_short  # its patterns take long to compile

    if not earlier or is_short(earlier):
        return not earlier and bool(later)
    told, before = (keywords(_BLANK.sub(" ", text)) for text in (later, earlier))
    return bool(told - before) and len(told & before) >= _HELD * len(before)


def opening_of(steps: Sequence[NarrativeStep]) -> NarrativeStep | None:
    """The step that tried the question itself, which is the first, if there was one."""
    return steps[0] if steps and not steps[0]["number"] else None


def repeated(steps: Sequence[NarrativeStep]) -> list[bool]:
    """Of each of ``steps``, whether earlier sub-questions had found all of its passages."""
    found, read = list[bool](), set[str]()
    for step in steps:
        found.append(bool(step["passages"]) and read.issuperset(step["passages"]))
        if step["number"]:
            read.update(step["passages"])
    return found


def _foreign(question: str, known: Sequence[Answered]) -> str:
    """A name, date or figure of ``question`` that no earlier step has, or nothing."""
    said = " ".join(f"{step.question} {step.answer}" for step in known)
    held = keywords(said)
    named = [span.text for span in name_spans(question) if span.start]
    dated = [date.text for date in dates(question)]
    for text in [*named, *dated, *(figure.group() for figure in _FIGURE.finditer(question))]:
        if not keywords(text) <= held and text not in said:
            return text
    if is_korean(question):
        words = [word for word in question.split() if not _COMPOSITION.search(word)]
        unknown = [w for w in words[:1] if keywords(w) and not keywords(w) & held]
        return unknown[0] if unknown else ""
    return ""
