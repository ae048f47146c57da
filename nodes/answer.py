"""Answering from the evidence, with citations that were checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..context import QuestionContext
from ..language.analyser import sentences
from ..language.values import verdict
from ..models.protocol import OFFLINE
from ..models.suited import trusted
from ..prompts.library import ANSWER, CHECK_ANSWER
from ..prompts.prompt import Excerpt, number_passages
from ..state.answering import QuestionState
from ..state.found import is_new, unchanged
from ..state.records import Citation, Evidence
from .citing import answered
from .counter_reading import rests_on_citations
from .node import node
from .run import Run, Update

if TYPE_CHECKING:
    from ..algorithms.doubts import Doubt

_UNPROVEN = "Whether the cited sentences say yes or no was not told by any rule."
_CAUGHT = "The model called an earlier answer sufficient, too, which its citations do not support."


@node(answers=True)
async def answer(state: QuestionState, run: Run[QuestionContext]) -> Update:
    """Answers the question from ``evidence`` and nothing else, or says that it cannot.

    Nobody is asked where an earlier method read the same texts.
    """
    evidence, held = state["evidence"], state["held"]
    if held["evidence"] and not is_new(held, evidence):
        known = unchanged(held)
        return {**known, "stop_reason": state["stop_reason"] or known["stop_reason"]}
    if not evidence:
        return {"stop_reason": state["stop_reason"] or "no_evidence"}
    reply = await run.ask(ANSWER, question=state["question"], texts=number_passages(evidence))
    return await checked(run, state["question"], answered(reply, evidence), evidence)


async def checked(
    run: Run[QuestionContext],
    question: str,
    found: Update,
    evidence: Sequence[Evidence],
    computed: str = "",
) -> Update:
    """``found``, which stays ``sufficient`` only where more than the model's word supports it.

    Rules look at the cited sentences, and at the value ``computed`` from them. Where they doubt
    the answer, the model must find it again in these sentences, and none without them; of an
    explanation, it names the claims that they do not support. The answer itself never changes:
    the reason is told in ``missing``, and in ``doubt`` where the model dispelled it, too. Without a
    model, rules gave the answer; a model that a trial found wrong too often is not asked, and its
    yes or no, which no rule reads, not believed.
    """
    if not found["sufficient"] or run.context.model == OFFLINE:
        return found
    from ..algorithms.doubts import is_short  # their patterns take long to compile

    answer, citations = found["answer"], found["citations"]
    if run.context.found["doubted"] and is_short(answer) and not computed:
        return uncertain(found, _CAUGHT)
    doubted = _doubt_of(answer, question, citations, evidence, computed)
    believed = trusted(await run.model())
    if doubted is None:
        proven = believed or computed or verdict(answer) is None
        return found if proven else uncertain(found, _UNPROVEN)
    if not believed:
        return uncertain(found, doubted.missing)
    if doubted.why == "claims" and not is_short(answer):
        return await _claims_checked(run, question, found, evidence)
    if not doubted.certain and await rests_on_citations(run, question, answer, citations, evidence):
        return {**found, "doubt": doubted.missing}
    return uncertain(found, doubted.missing)


async def stands(
    run: Run[QuestionContext],
    question: str,
    answer: str,
    citations: Sequence[Citation],
    evidence: Sequence[Evidence],
) -> bool:
    """Whether rules leave ``answer`` to a step as it is, which costs no request.

    Of a model that is trusted they refuse what is certain to be wrong, of another one every doubt.
    """
    if run.context.model == OFFLINE:
        return True
    doubted = _doubt_of(answer, question, citations, evidence)
    return doubted is None or (not doubted.certain and trusted(await run.model()))


def _doubt_of(
    answer: str,
    question: str,
    citations: Sequence[Citation],
    evidence: Sequence[Evidence],
    computed: str = "",
) -> Doubt | None:
    """The reason to doubt ``answer`` by the sentences that it cites, if there is one."""
    from ..algorithms.doubts import doubt

    texts = cited_sentences(citations, evidence)
    cited = [f"{text['title']}: {text['text']}" for text in texts]
    of = {one["passage"] for one in citations}
    around = [passage["text"] for passage in evidence if passage["id"] in of]
    return doubt(answer, question, cited, around, computed, len(citations))


async def _claims_checked(
    run: Run[QuestionContext], question: str, found: Update, evidence: Sequence[Evidence]
) -> Update:
    """``found``, with the claims that its citations do not support in the model's opinion."""
    shown: list[Excerpt] = [{"id": "answer", "title": "", "text": found["answer"]}]
    check = await run.ask(
        CHECK_ANSWER,
        otherwise="Whether the citations support the whole answer was not checked.",
        question=question,
        texts=cited_sentences(found["citations"], evidence, before="[{}] "),
        answer=shown,
    )
    if check is None:
        return uncertain(found, "Whether the cited sentences support the answer is not known.")
    claims = "; ".join(f"“{claim}”" for claim in check.unsupported)
    told = f"No cited sentence supports {claims}." if claims else ""
    if not check.sufficient:
        return uncertain(found, told or "The cited sentences do not support the answer.")
    return {**found, "missing": [told]} if told else found


def uncertain(found: Update, why: str) -> Update:
    """``found``, whose answer is no longer ``sufficient``, and the reason ``why``."""
    told = {"missing": [why], "doubt": why}
    return {**found, **told, "sufficient": False, "stop_reason": "insufficient"}


def cited_sentences(
    citations: Sequence[Citation], evidence: Sequence[Evidence], before: str = ""
) -> list[Excerpt]:
    """The whole sentences that are cited, passage by passage, numbered from 1.

    In the form ``before`` the sentence before each is shown as well, which may say who speaks.
    """
    places: dict[str, list[Citation]] = {}
    for citation in citations:
        places.setdefault(citation["passage"], []).append(citation)
    cited = [passage for passage in evidence if passage["id"] in places]
    shown = number_passages(cited)
    for excerpt, passage in zip(shown, cited, strict=True):
        spans = [
            (citation["start"] - passage["start"], citation["end"] - passage["start"])
            for citation in places[passage["id"]]
        ]
        quoted = [citation["quote"] for citation in places[passage["id"]]]
        excerpt["text"] = " … ".join([*_whole(passage["text"], spans, before)] or quoted)
    return shown


def _whole(text: str, spans: Sequence[tuple[int, int]], before: str) -> Iterator[str]:
    """The sentences of ``text`` at ``spans``, each behind its neighbour in the form ``before``.

    A neighbour that is given anyway is not repeated.
    """
    earlier = ""
    for sentence in sentences(text):
        if any(sentence.start < end and start < sentence.end for start, end in spans):
            yield (before.format(earlier) if earlier else "") + sentence.plain
            earlier = ""
        else:
            earlier = sentence.plain
