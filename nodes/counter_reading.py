"""Trying a reader whose answer rules doubt: it must rest on the cited sentences, and on them alone.

A reader who calls any text sufficient finds an answer without these sentences, too; one who guesses
finds another one in them. Both texts are shown without the answer, with which it would agree.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..context import QuestionContext
from ..language.analyser import Span, sentences
from ..language.answer_types import roots
from ..prompts.library import ANSWER
from ..prompts.prompt import number_passages
from ..prompts.replies import Answer
from ..state.records import Citation, Evidence
from .run import Run

_MOST = 3  # passages of which the rest is shown
_UNTRIED = "Whether the answer rests on what it cites was not tried."


async def rests_on_citations(
    run: Run[QuestionContext],
    question: str,
    answer: str,
    citations: Sequence[Citation],
    evidence: Sequence[Evidence],
) -> bool:
    """Whether no answer is found without the cited sentences, and this one in them alone.

    Without a reply nothing is known of the reader, and it is not believed.
    """
    cited, rest = divided(citations, evidence, answer)
    without = await _read(run, question, rest) if rest else Answer.model_construct(sufficient=False)
    return not (without is None or _finds(without)) and await _tells(run, question, answer, cited)


async def stays_the_same(
    run: Run[QuestionContext],
    question: str,
    answer: str,
    citations: Sequence[Citation],
    evidence: Sequence[Evidence],
) -> bool:
    """Whether ``answer`` is found once more where cited passages come last, behind a few others.

    Of several methods each is another chance to be believed by accident, which this takes away.
    """
    of = {one["passage"] for one in citations}
    cited = [passage for passage in evidence if passage["id"] in of]
    others = [passage for passage in evidence if passage["id"] not in of]
    return await _tells(run, question, answer, [*others[:_MOST], *reversed(cited)])


async def _tells(
    run: Run[QuestionContext], question: str, answer: str, texts: Sequence[Evidence]
) -> bool:
    """Whether the model finds ``answer`` in ``texts``."""
    from ..algorithms.doubts import is_same

    reply = await _read(run, question, texts)
    return reply is not None and _finds(reply) and is_same(reply.answer, answer)


async def _read(
    run: Run[QuestionContext], question: str, texts: Sequence[Evidence]
) -> Answer | None:
    shown = number_passages(texts)
    return await run.ask(ANSWER, otherwise=_UNTRIED, question=question, texts=shown)


def _finds(reply: Answer) -> bool:
    return reply.sufficient and bool(reply.answer)


def divided(
    citations: Sequence[Citation], evidence: Sequence[Evidence], answer: str
) -> tuple[list[Evidence], list[Evidence]]:
    """The cited passages with cited sentences alone, and the first passages without these.

    The latter are those with citations before others; nor do they have the sentences that hold all
    words of ``answer``.
    """
    told, of = set(roots(answer)), {one["passage"] for one in citations}
    cited, rest = list[Evidence](), list[Evidence]()
    for passage in sorted(evidence, key=lambda passage: passage["id"] not in of):
        whole = sentences(passage["text"])
        quoted = [sentence for sentence in whole if _is_cited(sentence, passage, citations)]
        others = [
            sentence
            for sentence in whole
            if sentence not in quoted and not (told and told <= set(roots(sentence.plain)))
        ]
        cited += _only(passage, quoted)
        rest += _only(passage, others)
    return cited, rest[:_MOST]


def _is_cited(sentence: Span, passage: Evidence, citations: Sequence[Citation]) -> bool:
    start, end = passage["start"] + sentence.start, passage["start"] + sentence.end
    return any(
        one["passage"] == passage["id"] and one["start"] < end and start < one["end"]
        for one in citations
    )


def _only(passage: Evidence, kept: Sequence[Span]) -> list[Evidence]:
    """The passage with the sentences ``kept`` alone, if there are any."""
    return [{**passage, "text": "\n".join(one.text for one in kept)}] if kept else []
